"""What changed between two data sets, item by item; and the changelog that is written from it."""

from __future__ import annotations

import filecmp
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from solecism.datasets.catalogue import Needs, is_version, parse_version, smallest_version
from solecism.datasets.manifest import MANIFEST, Manifest, read_manifest
from solecism.errors import fail
from solecism.files import locked, write_text
from solecism.inputs import read_text, reading_parquet

__all__ = [
    "ConfigDifference", "DatasetDifference", "Example", "ItemGroup", "add_to_changelog", "compare",
    "leaves", "lines_of", "with_section",
]  # fmt: skip


EXAMPLES = 3
"""How many items are shown of each kind of change."""

NUMBERING = ("pair_id",)
"""Columns that only number the rows: items that move are no other items."""

SHOWN = ("sentence_good", "sentence_bad", "text", "form", "suite", "item", "upos", "feats")
GROUPS = ("UID", "suite", "relation")


@dataclass(frozen=True)
class Example:
    """An item that changed, in the columns that show it; ``old`` or ``new`` may be empty."""

    id: str
    old: Mapping[str, Any] = field(default_factory=dict)
    new: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ItemGroup:
    """Items that changed in one way: how many, by paradigm (suite, relation), some examples."""

    count: int = 0
    by: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class ConfigDifference:
    """The changes in a config that both builds have.

    ``changed``: items whose values differ under the same id, and by column in ``changed_columns``;
    ``columns_*``: leaves of the schema with their types; ``moved``: the rows that stayed stand in
    another order or under other numbers.
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
        """The part of the version that this change raises."""
        broken = (
            self.columns_removed,
            self.columns_retyped,
            self.removed.count,
            self.changed.count,
        )
        if any(broken):
            return "major"
        return "minor" if self.added.count or self.columns_added or self.moved else "none"


@dataclass(frozen=True)
class DatasetDifference:
    """The changes between two builds; ``configs`` are those that both have and that changed.

    ``documents``: files beside the data that differ or stand in one build only; ``encoded``:
    Parquet files with other bytes and the same content.
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

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        configs = [{**asdict(config), "needs": config.needs} for config in self.configs]
        return {**asdict(self), "configs": configs, "needs": self.needs, "smallest": self.smallest}


def compare(old: Path, new: Path) -> DatasetDifference:
    """Compare two data set folders item by item, known by their ids, a column at a time.

    Raises :class:`InputError` where a folder is no built data set.
    """
    was, now = read_manifest(old), read_manifest(new)
    before, after = _paths(was), _paths(now)
    found = [_config(name, before[name], after[name]) for name in before if name in after]
    same = [c.name for c in found if c is not None and _unchanged(c)]
    return DatasetDifference(
        was.version,
        now.version,
        configs=tuple(c for c in found if c is not None and not _unchanged(c)),
        added_configs={name: len(ConfigRows(after[name])) for name in after if name not in before},
        removed_configs={
            name: len(ConfigRows(before[name])) for name in before if name not in after
        },
        documents=_documents(was, now),
        encoded=tuple(same),
    )


def _paths(manifest: Manifest) -> dict[str, list[Path]]:
    """The Parquet files of each config."""
    return {name: manifest.paths(name) for name in manifest.configs}


def _documents(old: Manifest, new: Manifest) -> tuple[str, ...]:
    was, now = old.path.parent, new.path.parent
    names = sorted(_names(old) | _names(new))
    return tuple(n for n in names if not _same_file(was / n, now / n))


def _names(manifest: Manifest) -> set[str]:
    """The files beside the data; in releases whose manifest lists none all that are not hidden."""
    if manifest.documents:
        return {MANIFEST, *manifest.documents}
    folder = manifest.path.parent
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    visible = (n for n in names if not any(part.startswith(".") for part in n.parts))
    return {n.as_posix() for n in visible if n.suffix != ".parquet"}


def _same_file(old: Path, new: Path) -> bool:
    return old.is_file() and new.is_file() and filecmp.cmp(old, new, shallow=False)


def _unchanged(config: ConfigDifference) -> bool:
    return config.needs == "none"


def _config(name: str, old: Sequence[Path], new: Sequence[Path]) -> ConfigDifference | None:
    """Compare a config; None where its files are the same byte for byte."""
    if len(old) == len(new) and all(map(_same_file, old, new)):
        return None
    return _ConfigComparison(name, ConfigRows(old), ConfigRows(new)).result()


class _ConfigComparison:
    """One config in two builds; ``at`` gives the old place of each new row (-1: it is new)."""

    def __init__(self, name: str, old: ConfigRows, new: ConfigRows) -> None:
        self.name, self.old, self.new = name, old, new
        self.old_keys, self.new_keys = old.keys(), new.keys()
        self.at = _places_in(self.old_keys, self.new_keys)
        self.stayed = np.flatnonzero(self.at >= 0)
        self.came_from = self.at[self.stayed]
        self.scattered = bool((np.diff(self.came_from) < 0).any())
        self.gone = np.ones(len(self.old), np.bool_)
        self.gone[self.came_from] = False

    def result(self) -> ConfigDifference:
        """Find all differences."""
        old, new = self.old.leaves, self.new.leaves
        shared = [leaf for leaf in old if leaf in new and old[leaf] == new[leaf]]
        changed, columns, examples = self._changed([x for x in shared if x not in NUMBERING])
        return ConfigDifference(
            self.name, len(self.old), len(self.new),
            added=self._items(self.new, self.new_keys, self.at < 0, "new"),
            removed=self._items(self.old, self.old_keys, self.gone, "old"),
            changed=ItemGroup(int(changed.sum()), _groups(self.new, changed), examples),
            changed_columns=columns,
            columns_added=tuple(f"{leaf}: {new[leaf]}" for leaf in new if leaf not in old),
            columns_removed=tuple(f"{leaf}: {old[leaf]}" for leaf in old if leaf not in new),
            columns_retyped=tuple(
                f"{leaf}: {old[leaf]} -> {new[leaf]}"
                for leaf in old
                if leaf in new and old[leaf] != new[leaf]
            ),
            moved=self._moved(shared),
        )  # fmt: skip

    def _pair(self, leaf: str) -> tuple[pa.Array, pa.Array]:
        """Return a leaf of the rows that stayed, as it was and as it is."""
        was, now = self.old.column(leaf), self.new.column(leaf).filter(pa.array(self.at >= 0))
        if self.scattered:
            return was.take(pa.array(self.came_from)), now
        return was.filter(pa.array(~self.gone)), now

    def _changed(self, leaves: Sequence[str]) -> tuple[Mask, dict[str, int], tuple[Example, ...]]:
        total = np.zeros(len(self.new), np.bool_)
        columns: dict[str, int] = {}
        seen: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        for leaf in leaves:
            old, new = self._pair(leaf)
            places = np.flatnonzero(_differing(old, new))
            if len(places):
                columns[leaf] = len(places)
            rows = self.stayed[places]
            total[rows] = True
            for place, row in zip(places[:EXAMPLES], rows[:EXAMPLES], strict=True):
                was, now = seen.setdefault(int(row), ({}, {}))
                was[leaf], now[leaf] = old[place].as_py(), new[place].as_py()
        shown = sorted(seen.items())[:EXAMPLES]
        return total, columns, tuple(Example(self.new_keys[p].as_py(), *v) for p, v in shown)

    def _items(self, rows: ConfigRows, keys: pa.Array, mask: Mask, side: str) -> ItemGroup:
        places = np.flatnonzero(mask)[:EXAMPLES]
        if not len(places):
            return ItemGroup()
        names = [name for name in SHOWN if name in rows.leaves]
        texts = {name: rows.column(name).take(pa.array(places)).to_pylist() for name in names}
        examples = (
            Example(keys[place].as_py(), **{side: {n: values[i] for n, values in texts.items()}})
            for i, place in enumerate(places)
        )
        return ItemGroup(int(mask.sum()), _groups(rows, mask), tuple(examples))

    def _moved(self, shared: Sequence[str]) -> bool:
        numbers = [leaf for leaf in NUMBERING if leaf in shared]
        return self.scattered or any(_differing(*self._pair(leaf)).any() for leaf in numbers)


def _groups(rows: ConfigRows, mask: Mask) -> dict[str, int]:
    """Return the number of marked rows in each paradigm."""
    name = next((g for g in GROUPS if g in rows.leaves), None)
    if name is None or not mask.any():
        return {}
    counts = pc.value_counts(rows.column(name).filter(pa.array(mask)))
    return dict(sorted((str(c["values"]), c["counts"].as_py()) for c in counts))


Mask = NDArray[np.bool_]
Places = NDArray[np.int64]

_STEPS = ("list.element", "list.item")
"""How Parquet writers call the values of a list, in the path of a column."""


class ConfigRows:
    """The rows of a config: its Parquet files one after the other, read a column at a time."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._files = {path: _opened(path) for path in paths}
        first, *_ = self._files.values()
        self.schema: pa.Schema = first.schema_arrow
        self.leaves: Mapping[str, pa.DataType] = _distinct(leaves(self.schema), paths[0])
        physical = first.schema
        self._paths = {
            _plain(p): p for p in (physical.column(i).path for i in range(len(physical)))
        }

    def __len__(self) -> int:
        return sum(int(file.metadata.num_rows) for file in self._files.values())

    def column(self, leaf: str) -> pa.Array:
        """Return a leaf column, as an array that is nested where the leaf is."""
        path = self._paths[leaf]
        tables = []
        for place, file in self._files.items():
            with reading_parquet(place):
                tables.append(file.read(columns=[path], use_threads=False))
        return _joined(pa.concat_tables(tables).column(0))

    def keys(self) -> pa.Array:
        """Return the key of each row: its `id`, else all its values; repeated keys get a number."""
        if "id" in self.leaves:
            return _numbered(self.column("id"))
        with reading_parquet(next(iter(self._files))):
            flat = [_only(self.column(leaf)) for leaf in self.leaves if "[]" not in leaf]
            flat = [pc.fill_null(column.cast(pa.string()), "\x00") for column in flat]
            return _numbered(pc.binary_join_element_wise(*flat, "\x1f"))


def _opened(path: Path) -> pq.ParquetFile:
    with reading_parquet(path):
        return pq.ParquetFile(path)


def _distinct(found: Sequence[tuple[str, pa.DataType]], path: Path) -> dict[str, pa.DataType]:
    names = [name for name, _ in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise fail(f"column {twice[0]!r} stands twice", path)
    return dict(found)


def leaves(fields: pa.Schema | pa.StructType, above: str = "") -> list[tuple[str, pa.DataType]]:
    """Return paths and types of a schema's leaf columns: ``features.match``, ``slots[].lemma``."""
    return [leaf for field in fields for leaf in _leaves(f"{above}{field.name}", field.type)]


def _leaves(name: str, kind: pa.DataType) -> list[tuple[str, pa.DataType]]:
    if pa.types.is_struct(kind):
        return leaves(kind, f"{name}.")
    if _is_list(kind):
        return _leaves(f"{name}[]", kind.value_type)
    return [(name, kind)]


def _plain(path: str) -> str:
    for step in _STEPS:
        path = path.replace(f".{step}", "[]")
    return path


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _joined(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _only(array: pa.Array) -> pa.Array:
    """Return the values of a struct that has a single column, however deep."""
    return _only(array.flatten()[0]) if pa.types.is_struct(array.type) else array


def _numbered(keys: pa.Array) -> pa.Array:
    """Return keys in which each repetition has a number, so that all keys differ."""
    order, again = _sorted(keys)
    if not again.any():
        return keys
    start = np.maximum.accumulate(np.where(again, 0, np.arange(len(keys))))
    number = np.empty(len(keys), np.int64)
    number[order] = np.arange(len(keys)) - start
    numbered = pc.binary_join_element_wise(keys, pa.array(number).cast(pa.string()), "#")
    return pc.if_else(pa.array(number > 0), numbered, keys)


def _sorted(keys: pa.Array) -> tuple[Places, Mask]:
    """Return the places of the keys in order, and flags of those that repeat the one before.

    Sorting takes a fifth of the memory of Arrow's hash tables.
    """
    order = pc.array_sort_indices(keys)
    ordered = keys.take(order)
    again = np.zeros(len(keys), np.bool_)
    again[1:] = pc.equal(ordered.slice(1), ordered.slice(0, max(len(keys) - 1, 0)))
    return order.to_numpy().astype(np.int64), again


def _places_in(old: pa.Array, new: pa.Array) -> Places:
    """Return the place of each new key among the old ones, -1 for none; keys do not repeat."""
    order, again = _sorted(pa.concat_arrays([old, new]))
    second = np.flatnonzero(again)
    found = np.full(len(new), -1, np.int64)
    found[order[second] - len(old)] = order[second - 1]
    return found


def _differing(old: pa.Array, new: pa.Array) -> Mask:
    """Return flags of the values that differ in two arrays of one length and type."""
    mask: Mask = _valid(old) != _valid(new)
    if pa.types.is_struct(old.type):
        for left, right in zip(old.flatten(), new.flatten(), strict=True):
            mask |= _differing(left, right)
    elif _is_list(old.type):
        mask |= _differing_lists(old, new)
    else:
        mask |= _unequal(old, new)
    return mask


def _unequal(old: pa.Array, new: pa.Array) -> Mask:
    try:
        equal = pc.fill_null(pc.equal(old, new), True)
    except pa.ArrowNotImplementedError:  # of types that no column of ours has
        pairs = zip(old.to_pylist(), new.to_pylist(), strict=True)
        return np.array([left != right for left, right in pairs], np.bool_)
    unequal: Mask = ~equal.to_numpy(zero_copy_only=False)
    return unequal


def _valid(array: pa.Array) -> Mask:
    valid: Mask = array.is_valid().to_numpy(zero_copy_only=False)
    return valid


def _differing_lists(old: pa.Array, new: pa.Array) -> Mask:
    lengths = _lengths(old)
    mask: Mask = lengths != _lengths(new)
    same = np.flatnonzero(~mask)
    if mask.any():
        old, new = old.take(pa.array(same)), new.take(pa.array(same))
    inner = _differing(old.flatten(), new.flatten())
    mask[np.repeat(same, lengths[same])[inner]] = True
    return mask


def _lengths(array: pa.Array) -> NDArray[np.int64]:
    counts = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
    return np.asarray(counts, np.int64)


_SECTION = re.compile(r"^## ([^\s:,]+).*$", re.MULTILINE)
_MADE = "<!-- made by `solecism diff`: write notes above this line -->"


def lines_of(difference: DatasetDifference) -> list[str]:
    """Return the changes as the items of a Markdown list."""
    added = [f"new config `{n}` ({_items(rows)})" for n, rows in difference.added_configs.items()]
    removed = [f"config `{n}` removed ({_items(r)})" for n, r in difference.removed_configs.items()]
    changed = [f"`{c.name}`: {what}" for c in difference.configs for what in _changes(c)]
    lines = [*added, *removed, *changed]
    return lines or ["documents only; the items are the same"]


def _changes(config: ConfigDifference) -> Iterator[str]:
    for word, items in (("added", config.added), ("removed", config.removed)):
        if items.count:
            yield f"{_items(items.count)} {word}{_by(items)}"
    if config.changed.count:
        columns = ", ".join(f"`{name}`" for name in config.changed_columns)
        yield f"{_items(config.changed.count)} changed in {columns}{_by(config.changed)}"
    yield from _columns(config)
    if config.moved:
        yield "rows stand in another order or have other numbers"


def _columns(config: ConfigDifference) -> Iterator[str]:
    kinds: Mapping[str, tuple[str, ...]] = {
        "added": config.columns_added,
        "removed": config.columns_removed,
        "of another type": config.columns_retyped,
    }
    for word, columns in kinds.items():
        if columns:
            yield f"columns {word}: " + ", ".join(f"`{column}`" for column in columns)


def _items(count: int) -> str:
    return f"{count:,} item" + ("s" if count != 1 else "")


def _by(items: ItemGroup) -> str:
    """The paradigms concerned, the largest first."""
    if not items.by:
        return ""
    largest = sorted(items.by.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"`{name}` {count:,}" for name, count in largest[:10])
    return f" ({shown}{', ...' if len(largest) > 10 else ''})"


def add_to_changelog(path: Path, name: str, difference: DatasetDifference) -> None:
    """Write the new version's section; what a person wrote into it above the made lines stays."""
    with locked(path):
        old = read_text(path) if path.is_file() else f"# Changelog of `{name}`\n"
        write_text(path, with_section(old, difference.new_version, lines_of(difference)))


def with_section(text: str, version: str, lines: list[str]) -> str:
    """Put made lines into the section of a version, which is made where it lacks, newest first."""
    head, sections = _sections(text)
    notes = sections.get(version, "").partition(_MADE)[0].strip()
    made = "\n".join(f"* {line}" for line in lines)
    sections[version] = "\n\n".join(part for part in (notes, f"{_MADE}\n\n{made}") if part)
    newest = sorted(sections, key=parse_version, reverse=True)
    parts = (f"## {v}\n\n{sections[v].strip()}" for v in newest)
    return "\n\n".join([head.strip(), *parts]) + "\n"


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """The text above the first version, and each version's text."""
    heads = [match for match in _SECTION.finditer(text) if is_version(match[1])]
    starts = [*(match.start() for match in heads), len(text)]
    sections: dict[str, str] = {}
    for head, end in zip(heads, starts[1:], strict=True):
        above = sections.get(head[1], "")
        sections[head[1]] = f"{above}{text[head.end() : end]}"
    return text[: starts[0]], sections
