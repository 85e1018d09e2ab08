"""What changed between two data sets, item by item; and the changelog that is written from it."""

import filecmp
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from solecism.datasets.catalogue import Needs, is_version, parse_version, smallest_version
from solecism.datasets.manifest import MANIFEST, Manifest, read_manifest
from solecism.errors import fail
from solecism.files import write_text
from solecism.inputs import read_parquet, read_text, reading_parquet
from solecism.terminal import counted

EXAMPLES = 3
"""How many items are shown of each kind of change."""

NUMBERING = ("pair_id",)
"""Columns that only number the rows. An item whose number changes is the same item."""

SHOWN = ("sentence_good", "sentence_bad", "text", "form", "suite", "item", "upos", "feats")
"""The columns that an example of an added or removed item shows."""

GROUPS = ("UID", "suite", "relation")
"""Columns that name the paradigm of an item; the first that a config has counts."""


@dataclass(frozen=True)
class Example:
    """An item that was changed, added or removed, with its values by column.

    ``old`` is empty for an added item, ``new`` for a removed one; of a changed item both have the
    columns that changed.
    """

    id: str
    old: Mapping[str, object] = field(default_factory=dict)
    new: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class ItemGroup:
    """Items that were all added, removed or changed: their number, and the first of them.

    ``by``: their number by paradigm, suite or relation (:data:`GROUPS`).
    """

    count: int = 0
    by: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class ConfigDifference:
    """The changes in a config that both builds have.

    ``changed``: items whose values differ under the same id; ``changed_columns``: the number of
    items that differ in a column; ``columns_*``: columns with their types; ``moved``: the items
    that stayed are in another order or have other numbers.
    """

    name: str
    old_rows: int
    new_rows: int
    added: ItemGroup = ItemGroup()
    removed: ItemGroup = ItemGroup()
    changed: ItemGroup = ItemGroup()
    changed_columns: Mapping[str, int] = field(default_factory=dict)
    columns_added: tuple[str, ...] = ()
    columns_removed: tuple[str, ...] = ()
    columns_retyped: tuple[str, ...] = ()
    moved: bool = False

    @property
    def needs(self) -> Needs:
        """The part of the version that must rise for this change."""
        if self.columns_removed or self.columns_retyped or self.removed.count or self.changed.count:
            return "major"
        return "minor" if self.added.count or self.columns_added or self.moved else "none"


@dataclass(frozen=True)
class DatasetDifference:
    """The changes between two builds; ``configs`` are those that both have and that changed.

    ``added_configs`` and ``removed_configs``: their numbers of rows; ``documents``: files beside
    the data that differ or are in one build only; ``encoded``: names of configs whose Parquet files
    differ in bytes but hold the same content.
    """

    old_version: str
    new_version: str
    configs: tuple[ConfigDifference, ...] = ()
    added_configs: Mapping[str, int] = field(default_factory=dict)
    removed_configs: Mapping[str, int] = field(default_factory=dict)
    documents: tuple[str, ...] = ()
    encoded: tuple[str, ...] = ()

    @property
    def needs(self) -> Needs:
        """The part of the version that must rise; `none` if nothing differs."""
        needed = {config.needs for config in self.configs}
        if self.removed_configs or "major" in needed:
            return "major"
        if self.added_configs or "minor" in needed:
            return "minor"
        return "patch" if self.documents or self.encoded else "none"

    @property
    def smallest(self) -> str:
        """The smallest version that may follow the old one."""
        return smallest_version(self.old_version, self.needs)

    def to_json(self) -> dict[str, object]:
        """Everything as plain values."""
        configs = [{**asdict(config), "needs": config.needs} for config in self.configs]
        return {**asdict(self), "configs": configs, "needs": self.needs, "smallest": self.smallest}


def compare(old: Path, new: Path) -> DatasetDifference:
    """Compare two data set folders item by item, known by their ids.

    Raises :class:`InputError` if a folder is no built data set.
    """
    was, now = read_manifest(old), read_manifest(new)
    both = [name for name in was.configs if name in now.configs]
    found = {name: _config(name, was.paths(name), now.paths(name)) for name in both}
    read = {name: config for name, config in found.items() if config is not None}
    return DatasetDifference(
        was.version,
        now.version,
        configs=tuple(config for config in read.values() if config.needs != "none"),
        added_configs=_row_counts(now, was),
        removed_configs=_row_counts(was, now),
        documents=_documents(was, now),
        encoded=tuple(name for name, config in read.items() if config.needs == "none"),
    )


def _row_counts(manifest: Manifest, other: Manifest) -> dict[str, int]:
    """Return the number of rows of each config that the other data set does not have."""
    configs = manifest.configs.items()
    return {name: config.content.rows for name, config in configs if name not in other.configs}


def _documents(old: Manifest, new: Manifest) -> tuple[str, ...]:
    """Return the names of the documents, and of the manifest, that are not the same in both."""
    names = sorted({MANIFEST, *old.documents, *new.documents})
    folders = old.path.parent, new.path.parent
    return tuple(n for n in names if not _same_file(*(folder / n for folder in folders)))


def _same_file(old: Path, new: Path) -> bool:
    return old.is_file() and new.is_file() and filecmp.cmp(old, new, shallow=False)


def _config(name: str, old: Sequence[Path], new: Sequence[Path]) -> ConfigDifference | None:
    """Return the changes in a config, None if its files are the same byte for byte.

    ``old`` and ``new`` are the Parquet files of the config. Rows with one key are the same item.
    """
    if len(old) == len(new) and all(map(_same_file, old, new)):
        return None
    was, now = _rows(old), _rows(new)
    with reading_parquet(new[0]):  # ids may be bytes that are no text
        old_keys, new_keys = _keys(was), _keys(now)
    old_row, new_row = ({key: row for row, key in enumerate(k)} for k in (old_keys, new_keys))
    stayed = [key for key in new_keys if key in old_row]
    before = was.take(pa.array([old_row[key] for key in stayed], pa.int64()))
    after = now.take(pa.array([new_row[key] for key in stayed], pa.int64()))
    old_types, new_types = ({field.name: field.type for field in t.schema} for t in (was, now))
    shared = [column for column in old_types if old_types[column] == new_types.get(column)]
    differing = {c: rows for c in shared if (rows := _differing(before[c], after[c]))}
    is_renumbered = any(differing.pop(column, []) for column in NUMBERING)
    changed = sorted({row for rows in differing.values() for row in rows})
    examples = []
    for row in changed[:EXAMPLES]:
        names = [column for column, rows in differing.items() if row in rows]
        sides = (side.select(names).slice(row, 1).to_pylist()[0] for side in (before, after))
        examples.append(Example(stayed[row], *sides))
    return ConfigDifference(
        name, len(was), len(now),
        added=_items(now, new_keys, [new_row[key] for key in new_keys if key not in old_row], "new"),
        removed=_items(was, old_keys, [old_row[key] for key in old_keys if key not in new_row], "old"),
        changed=_group(after, changed, examples),
        changed_columns={column: len(rows) for column, rows in differing.items()},
        columns_added=tuple(f"{c}: {new_types[c]}" for c in new_types if c not in old_types),
        columns_removed=tuple(f"{c}: {old_types[c]}" for c in old_types if c not in new_types),
        columns_retyped=tuple(
            f"{c}: {kind} -> {new_types[c]}"
            for c, kind in old_types.items() if new_types.get(c, kind) != kind
        ),
        moved=is_renumbered or stayed != [key for key in old_keys if key in new_row],
    )  # fmt: skip


def _rows(paths: Sequence[Path]) -> pa.Table:
    """Return the rows of a config; each field of a struct is a column (``features.match``)."""
    with reading_parquet(paths[0]):  # files may have different columns
        table = pa.concat_tables(map(read_parquet, paths))
    while any(pa.types.is_struct(kind) for kind in table.schema.types):
        table = table.flatten()
    if twice := [name for name, n in Counter(table.column_names).items() if n > 1]:
        raise fail(f"column {twice[0]!r} is there twice", paths[0])
    return table


def _keys(table: pa.Table) -> list[str]:
    """Return the key of each row, its ``id``; repeated keys get a number.

    Without a column ``id``, the key is made of all columns that hold no lists.
    """
    flat = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    names = ["id"] if "id" in flat else flat
    texts = [pc.fill_null(table[name].cast(pa.string()), "\0") for name in names]
    counts, keys = Counter[str](), []
    joined = pc.binary_join_element_wise(*texts, "\x1f").to_pylist() if texts else [""] * len(table)
    for key in joined:
        counts[key] += 1
        keys.append(f"{key}#{counts[key]}" if counts[key] > 1 else key)
    return keys


def _differing(old: pa.ChunkedArray, new: pa.ChunkedArray) -> list[int]:
    """Return the rows in which two columns of one length and type differ."""
    if old.equals(new):
        return []
    pairs = zip(old.to_pylist(), new.to_pylist(), strict=True)
    return [row for row, (one, other) in enumerate(pairs) if one != other]


def _items(table: pa.Table, keys: Sequence[str], rows: Sequence[int], side: str) -> ItemGroup:
    """Return the group of the items in some rows: those of one build only.

    ``side``: whose they are, ``old`` or ``new``.
    """
    names, first = [name for name in SHOWN if name in table.column_names], rows[:EXAMPLES]
    values = table.take(pa.array(first, pa.int64())).to_pylist()
    found = ((row, {n: some[n] for n in names}) for row, some in zip(first, values, strict=True))
    return _group(table, rows, [Example(keys[row], **{side: some}) for row, some in found])


def _group(table: pa.Table, rows: Sequence[int], examples: Sequence[Example]) -> ItemGroup:
    """Return the group of the items in some rows."""
    name = next((name for name in GROUPS if name in table.column_names), None)
    names = table[name].take(pa.array(rows, pa.int64())).to_pylist() if name else []
    return ItemGroup(len(rows), dict(sorted(Counter(map(str, names)).items())), tuple(examples))


_SECTION = re.compile(r"^## ([^\s:,]+).*$", re.MULTILINE)
_MADE = "<!-- made by `solecism diff`: write notes above this line -->"


def lines_of(difference: DatasetDifference) -> list[str]:
    """Return the changes as the entries of a Markdown list, without bullets."""
    added, removed = difference.added_configs.items(), difference.removed_configs.items()
    lines = [f"new config {_code(name)} ({counted(rows, 'item')})" for name, rows in added]
    lines += [f"config {_code(name)} removed ({counted(rows, 'item')})" for name, rows in removed]
    lines += [f"{_code(c.name)}: {what}" for c in difference.configs for what in _changes(c)]
    return lines or ["documents only; the items are the same"]


def _changes(config: ConfigDifference) -> Iterator[str]:
    columns = ", ".join(map(_code, config.changed_columns))
    ways = (("added", config.added), ("removed", config.removed),
            (f"changed in {columns}", config.changed))  # fmt: skip
    for word, items in ways:
        if items.count:
            largest = sorted(items.by.items(), key=lambda pair: (-pair[1], pair[0]))
            shown = ", ".join(f"{_code(name)} {count:,}" for name, count in largest[:10])
            by = f" ({shown}{', ...' if len(largest) > 10 else ''})" if shown else ""
            yield f"{counted(items.count, 'item')} {word}{by}"
    kinds = (("added", config.columns_added), ("removed", config.columns_removed),
             ("of another type", config.columns_retyped))  # fmt: skip
    for word, names in kinds:
        if names:
            yield f"columns {word}: " + ", ".join(map(_code, names))
    if config.moved:
        yield "rows are in another order or have other numbers"


def _code(name: str) -> str:
    """Return a name as code in Markdown: rows of others may have a line end or ticks in it."""
    return f"`{' '.join(name.split()).replace('`', '')[:100]}`"


def add_to_changelog(path: Path, name: str, difference: DatasetDifference) -> None:
    """Write the new version's section of a changelog; see :func:`with_section`."""
    old = read_text(path) if path.is_file() else f"# Changelog of `{name}`\n"
    write_text(path, with_section(old, difference.new_version, lines_of(difference)))


def with_section(text: str, version: str, lines: list[str]) -> str:
    """Return a changelog with generated lines in the section of a version.

    The section is made if it is missing; what a person wrote above the generated lines stays. The
    sections are sorted, the newest version first.
    """
    heads = [match for match in _SECTION.finditer(text) if is_version(match[1])]
    ends = [*(match.start() for match in heads), len(text)]
    sections: dict[str, str] = {}
    for head, end in zip(heads, ends[1:], strict=True):
        sections[head[1]] = sections.get(head[1], "") + text[head.end() : end]
    notes = sections.get(version, "").partition(_MADE)[0].strip()
    made = "\n".join(f"* {line}" for line in lines)
    sections[version] = "\n\n".join(part for part in (notes, f"{_MADE}\n\n{made}") if part)
    newest = sorted(sections, key=parse_version, reverse=True)
    parts = (f"## {v}\n\n{sections[v].strip()}" for v in newest)
    return "\n\n".join([text[: ends[0]].strip(), *parts]) + "\n"
