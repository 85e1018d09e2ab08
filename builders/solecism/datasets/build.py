"""Build a data set: a folder with Parquet files and documents that ``load_dataset`` opens."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.datasets.card import render_card
from solecism.datasets.catalogue import MINED, CatalogueEntry, catalogue_entry, references_of
from solecism.datasets.configs import (
    FILE,
    JUDGMENTS,
    BuiltConfig,
    BuiltParadigm,
    Config,
    ItemSource,
    choose,
)
from solecism.datasets.from_templates import template_configs, templates_of_configs
from solecism.datasets.manifest import (
    MANIFEST,
    ConfigFiles,
    files_of_build,
    manifest_json,
    read_manifest,
)
from solecism.errors import InputError, Problem, fail
from solecism.files import CHANGED, json_of, recover_folder, replacing_folder
from solecism.grammar.paradigm import LARGEST
from solecism.grouping import Ints
from solecism.hashing import ContentDigest, file_digest
from solecism.root import Root, find_root
from solecism.terminal import Progress, no_progress

README, CHANGELOG = DOCUMENTS = "README.md", "CHANGELOG.md"


def build(
    dataset: str,
    configs: Sequence[str] = (),
    *,
    out: Path | str | None = None,
    root: Root | Path | str | None = None,
    most: int = LARGEST,
    commercial: bool = False,
    hub: str = "",
    progress: Progress | None = None,
) -> list[BuiltConfig]:
    """Build a data set from templates or treebanks, and return the configs that were built.

    ``configs`` are their names (all of them if there are none); ``out`` is the folder to write
    (``./DATASET``) and ``root`` the one with templates and lexicons (:func:`~solecism.find_root`);
    a template with ``draw: all`` may make ``most`` minimal sets; ``commercial`` leaves out
    treebanks that forbid commercial use; ``hub`` is the repository (``ORG/NAME``) that the examples
    in the card name, by default that of the catalogue.

    The folder is made beside ``out`` and takes its place at the end, so that nothing is left half
    written. Other files in ``out`` stay. Configs of an earlier build that are not named are built
    anew: a folder is one version of a data set.

    Raises :class:`InputError` for templates or treebanks that cannot be used, items that fail a
    check, and an ``out`` that is not a folder of this data set.

    >>> import solecism
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     (config,) = solecism.build("clams", ["fr"], out=f"{folder}/clams")
    >>> config.name, config.kind, config.rows >= config.sets
    ('fr', 'pair', True)
    """
    home = find_root(root)
    entry = catalogue_entry(home, dataset)
    entry = replace(entry, hub=hub) if hub else entry
    folder = Path(dataset if out is None else out)
    recover_folder(folder)
    before = _configs_before(folder, dataset)
    left_out: Mapping[str, str] = {}
    if entry.configs == MINED:
        # What mines treebanks takes long to import, and templates do without it.
        from solecism.datasets.from_treebanks import agreement_configs
        from solecism.treebank.languages import doubtful_sources

        others = [n for n, config in before.items() if config.kind == "cloze"] if configs else []
        made = agreement_configs(dataset, [*configs, *others], commercial)
        left_out = {} if configs else doubtful_sources()
    else:
        known = templates_of_configs(home, entry)
        chosen = choose(dataset, known, configs)
        if configs:
            chosen = [name for name in known if name in {*chosen, *before}]
        made = template_configs(home, entry, known, chosen, most)
    return build_configs(home, entry, made, folder, progress, left_out)


def build_configs(
    root: Root,
    entry: CatalogueEntry,
    configs: Sequence[Config],
    out: Path,
    progress: Progress | None = None,
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> list[BuiltConfig]:
    """Build configs of any kind and source into the folder ``out``; see :func:`build`.

    Items are taken from each source once, table by table, and written to every config that has the
    source. ``left_out`` has the reason for each config that is known and not built.
    """
    sources = {id(source): source for config in configs for source in config.sources}
    show = progress or no_progress
    with replacing_folder(out, files_of_build) as folder:
        files = [_ConfigFile(config, folder) for config in configs]
        for number, source in enumerate(sources.values()):
            show(source.name, number, len(sources))
            _write_items(source, [file for file in files if source in file.config.sources])
        findings = dict.fromkeys(f for file in files for p in file.paradigms for f in p.findings)
        if errors := [f for f in findings if f.level == "error"]:
            raise InputError(Problem(f.message, f.path, f.line, f.code) for f in errors)
        small: dict[str, str] = {}
        for file in files:
            config = file.config
            if config.of in small or file.rows < config.least:
                small[config.name] = "" if config.of in small else file.reason
                shutil.rmtree(file.path.parent)
        built = [file.built() for file in files if file.config.name not in small]
        if not built:
            raise fail("; ".join(f"{name}: {reason}" for name, reason in small.items() if reason))
        _write_documents(root, entry, built, folder, {**left_out, **small})
    return built


def _write_items(source: ItemSource, files: Sequence[_ConfigFile]) -> None:
    """Write all items of a source to the files of the configs that have it."""
    for table in source.tables():
        for file in files:
            file.write(table)
    paradigm = source.built()
    for file in files:
        file.finish(paradigm, source.drawn)


class _ConfigFile:
    """The Parquet file of a config. It is open from the first of its sources to the last.

    If the config is ``mixed``, items wait for the last source, as their order mixes the sources.
    """

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.path = config, folder / config.name / FILE
        self.paradigms: list[BuiltParadigm] = []
        self._waiting: list[pa.Table] = []
        self._ordered: list[tuple[pa.Table, bool]] = []

    @cached_property
    def _writer(self) -> ItemWriter:
        self.path.parent.mkdir(parents=True)
        return ItemWriter(self.path, self.config.schema)

    def write(self, table: pa.Table) -> None:
        """Take a table of items, and convert it if the config has a conversion."""
        shown = self.config.convert(table) if self.config.convert else table
        if self.config.mixed:
            self._waiting.append(shown)
        else:
            self._writer.write(shown)

    def finish(self, paradigm: BuiltParadigm, drawn: bool) -> None:
        """Note what was made of a source, and close the file after the last source.

        ``drawn``: the items of the source are in random order already.
        """
        self.paradigms.append(paradigm)
        if self._waiting:
            self._ordered.append((pa.concat_tables(self._waiting), drawn))
            self._waiting = []
        if len(self.paradigms) == len(self.config.sources):
            for table in in_rounds(self._ordered) if self._ordered else ():
                self._writer.write(table)
            self._ordered = []
            self._writer.close()

    @property
    def rows(self) -> int:
        """The number of rows that were written."""
        return self._writer.rows

    @property
    def reason(self) -> str:
        """Why the config has fewer rows than it must have; of what is made of another config, with
        the most frequent reasons."""
        told = [str(p.facts["reason"]) for p in self.paradigms if p.facts.get("reason")]
        if told and not self.rows:
            return told[0]
        text = f"too small: {self.rows} rows, fewer than {self.config.least}"
        skipped = sum((p.counts.skipped for p in self.paradigms), Counter())
        counts = ", ".join(f"{name} {count}" for name, count in skipped.most_common(5))
        return f"{text} ({counts})" if counts and self.config.of else text

    def built(self) -> BuiltConfig:
        """Return what was made of the config."""
        config, size = self.config, self.path.stat().st_size
        return BuiltConfig(
            config.name, tuple(self.paradigms), self._writer.digest.content, self._writer.bytes,
            file_digest(self.path), size, config.kind, config.schema, config.languages,
            config.default, config.tags,
        )  # fmt: skip


ROWS = 1 << 13
"""A row group of a Parquet file is written when at least so many rows wait."""

DISTINCT = (
    "id", "set_id", "pair_id", "sentence_good", "sentence_bad", "tokens_good", "tokens_bad",
    "one_prefix_prefix", "two_prefix_prefix_good", "two_prefix_prefix_bad",
)  # fmt: skip
"""Columns that hardly repeat a value: a dictionary of the values would only cost time and space.

Statistics (least and greatest value) would cost them too, and not help to find rows, which are in
the order of hashes.
"""


class ItemWriter:
    """A Parquet file that tables are written to, in row groups of about ``ROWS`` rows.

    Pages are not cut by content, which would let unchanged pages be stored once: rows of all
    paradigms take turns, so a paradigm that changes touches every page anyway.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        repeating = [field for field in schema if field.name not in DISTINCT]
        self._file = pq.ParquetWriter(
            path,
            schema,
            compression="zstd",
            use_dictionary=[leaf for field in repeating for leaf in _leaves(field)],
            write_page_index=True,
            write_statistics=[f.name for f in repeating if not pa.types.is_nested(f.type)],
        )
        self._waiting: list[pa.Table] = []
        self.digest = ContentDigest()
        self.rows = self.bytes = 0

    def write(self, table: pa.Table) -> None:
        """Add rows; they reach the file when there are enough for a row group."""
        self.digest.add(table)
        self.rows += len(table)
        self.bytes += table.nbytes
        self._waiting.append(table)
        if sum(map(len, self._waiting)) >= ROWS:
            self._flush()

    def close(self) -> None:
        """Write the rows that wait and end the file."""
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        if self._waiting:
            self._file.write_table(pa.concat_tables(self._waiting), row_group_size=2 * ROWS)
        self._waiting = []


def _leaves(field: pa.Field) -> list[str]:
    """Return the paths of a column's leaves, as Parquet writes them."""
    if pa.types.is_struct(field.type):
        return [f"{field.name}.{leaf}" for inner in field.type for leaf in _leaves(inner)]
    if pa.types.is_list(field.type):
        inner = pa.field("element", field.type.value_type)
        return [f"{field.name}.list.{leaf}" for leaf in _leaves(inner)]
    return [field.name]


BLOCK = 1 << 13
"""Rows that are put in order at a time."""


def in_rounds(paradigms: Sequence[tuple[pa.Table, bool]], block: int = BLOCK) -> Iterator[pa.Table]:
    """Yield the items of paradigms in rounds: a round has an item of each paradigm with any left.

    An item is a row, or the rows of a minimal set, which stay together. ``paradigms`` are tables,
    each with a flag: if it is true, items keep their order, which is random; if not, they are
    sorted by their ids, which are hashes. The items of a round are sorted by id too. Tables have
    about ``block`` rows.
    """
    ordered = [_in_order(table, drawn) for table, drawn in paradigms]
    sizes = np.bincount(np.concatenate([rounds for _, rounds in ordered]))
    full = np.cumsum(sizes) // block
    starts = [0, *(np.flatnonzero(np.diff(full)) + 1).tolist(), len(sizes)]
    for start, stop in pairwise(starts):
        parts, numbers = [], []
        for table, rounds in ordered:
            first, last = np.searchsorted(rounds, (start, stop))
            parts.append(table.slice(first, last - first))
            numbers.append(rounds[first:last])
        rows = pa.concat_tables(parts).combine_chunks()
        keys = {"round": np.concatenate(numbers), "id": _ids(rows), "row": np.arange(len(rows))}
        yield rows.take(pc.sort_indices(pa.table(keys), [(key, "ascending") for key in keys]))


def _ids(table: pa.Table) -> pa.ChunkedArray:
    """Return the column with the ids of items, which for pairs are those of minimal sets."""
    return table["set_id" if "set_id" in table.column_names else "id"]


def _in_order(table: pa.Table, drawn: bool) -> tuple[pa.Table, Ints]:
    """Return the rows of a paradigm in order, and the round of each row (0 for the first item)."""
    coded = _ids(table).combine_chunks().dictionary_encode()
    items = np.asarray(coded.indices.to_numpy(), dtype=np.intp)
    if drawn:
        return table, items
    ranks = np.empty(len(coded.dictionary), dtype=np.intp)
    ranks[pc.sort_indices(coded.dictionary).to_numpy()] = np.arange(len(ranks))
    order = np.argsort(ranks[items], kind="stable")
    return table.combine_chunks().take(pa.array(order)), ranks[items][order]


def _write_documents(
    root: Root,
    entry: CatalogueEntry,
    built: Sequence[BuiltConfig],
    folder: Path,
    left_out: Mapping[str, str],
) -> None:
    """Write all files beside the data; the same inputs give the same bytes.

    The manifest comes last, as it lists the others.
    """
    card = render_card(root, entry, built, references_of(root, entry), left_out, folder)
    (folder / README).write_text(card, encoding="utf-8", newline="\n")
    changelog = root.changelog(entry.name)
    if changelog.is_file():
        shutil.copyfile(changelog, folder / CHANGELOG)
    there = [folder / name for name in DOCUMENTS if (folder / name).is_file()]
    manifest = json_of(manifest_json(root, entry, built, there, left_out))
    (folder / MANIFEST).write_text(manifest, encoding="utf-8", newline="\n")


def _configs_before(out: Path, dataset: str) -> Mapping[str, ConfigFiles]:
    """Return the configs of the data set in ``out``, without those of judgments.

    Raises :class:`InputError` if ``out`` is not a folder of this data set, or has a document that
    was changed since it was built. This is checked before any item is drawn.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return {}
    known = files_of_build(out)
    if not known:
        message = f"exists and is no data set of ours (no {MANIFEST} of ours): choose another --out"
        raise fail(message, out)
    manifest = read_manifest(out)
    if manifest.dataset != dataset:
        raise fail(f"holds the data set {manifest.dataset!r}: choose another --out", out)
    for name in DOCUMENTS:
        if (out / name).exists() and name not in known:
            raise fail(CHANGED, out / name)
    configs = manifest.configs.items()
    return {name: config for name, config in configs if config.kind != JUDGMENTS}
