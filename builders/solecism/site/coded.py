"""The items of a config as arrays: what the pages and the item browser are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.inputs import reading_parquet
from solecism.site.folders import KINDS, SiteConfig

__all__ = ["VERDICT", "CodedColumn", "ItemColumns", "read_items", "rows_of", "with_verdicts"]

VERDICT = "verdict"
"""The column of what people found of an item: keep or drop."""

_GROUPS = {"pair": "UID", "suite": "suite", "cloze": "relation", "forms": "upos"}
"""The column by which items are grouped into paradigms."""

_FILTERS: dict[str, tuple[str, ...]] = {
    "pair": ("UID", "linguistics_term"),
    "suite": ("suite", "phenomenon", "modifier"),
    "cloze": (
        "relation", "upos", "masked", "agrees_in", "decides", "distance", "distractors",
        "intervening_noun", "cues", "treebank", "genre", "licence",
    ),
    "forms": ("upos", "source"),
}  # fmt: skip
"""The columns that items can be chosen by; of pairs also all features."""

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class CodedColumn:
    """A column of few values: ``codes`` are places in ``values``, -1 where there is none."""

    name: str
    values: tuple[str, ...]
    codes: Codes

    def counts(self, rows: NDArray[np.bool_] | None = None) -> list[tuple[str, int]]:
        """Return how often each value occurs (in some rows), the most frequent first."""
        codes = self.codes if rows is None else self.codes[rows]
        found = np.bincount(codes[codes >= 0], minlength=len(self.values))
        order = np.argsort(-found, kind="stable")
        return [(self.values[place], int(found[place])) for place in order if found[place]]


@dataclass(frozen=True)
class ItemColumns:
    """All items of a config, in the order of the data.

    ``texts`` has a row for each text of an item: of a pair the good and the bad sentence, of a
    suite item the sentences of its conditions (``labels``: their names), of a cloze item what is
    left and right of the answer, and the answer.
    """

    config: SiteConfig
    ids: list[str]
    sets: list[str]
    texts: list[list[str]]
    labels: CodedColumn
    group: CodedColumn
    features: tuple[CodedColumn, ...]

    @property
    def rows(self) -> int:
        """The number of items."""
        return len(self.ids)

    @cached_property
    def by_group(self) -> dict[str, Codes]:
        """The rows of each paradigm, in order."""
        order = np.argsort(self.group.codes, kind="stable")
        codes = self.group.codes[order]
        places = np.arange(len(self.group.values))
        starts, ends = (np.searchsorted(codes, places, side) for side in ("left", "right"))
        return {
            value: order[start:end]
            for value, start, end in zip(self.group.values, starts, ends, strict=True)
        }


def read_items(config: SiteConfig) -> ItemColumns:
    """Read a config, without what no page shows; raises :class:`InputError` for broken files."""
    table = _table(config)
    features = tuple(column for column in map(_coded, *_columns(config, table)) if column)
    group = next(column for column in features if column.name == _GROUPS[config.kind])
    ids = table["id"] if "id" in table.column_names else pa.array(map(str, range(len(table))))
    sets = table["set_id"] if "set_id" in table.column_names else ids
    texts, labels = _texts(config.kind, table)
    return ItemColumns(config, _strings(ids), _strings(sets), texts, labels, group, features)


def with_verdicts(items: ItemColumns, judged: Sequence[Path]) -> ItemColumns:
    """Return items with a column of the verdicts in files of judgments, where they have any."""
    wanted = pa.schema([("id", pa.string()), (VERDICT, pa.string())])
    tables = []
    for path in judged:
        with reading_parquet(path):
            if set(wanted.names) <= set(pq.read_schema(path).names):
                tables.append(pq.read_table(path, columns=wanted.names).cast(wanted))
    if not tables:
        return items
    known = pa.concat_tables(tables)
    places = pc.index_in(pa.array(items.ids, pa.string()), value_set=known["id"])
    column = _coded(VERDICT, known[VERDICT].take(places))
    return replace(items, features=(*items.features, column))


def _table(config: SiteConfig) -> pa.Table:
    tables = []
    for path in config.files:
        with reading_parquet(path):
            names = pq.read_schema(path).names
            more = ("set_id", "features", *_FILTERS[config.kind])
            wanted = dict.fromkeys((*KINDS[config.kind], *more))
            tables.append(pq.read_table(path, columns=[name for name in wanted if name in names]))
            tables[-1].validate(full=True)
    table = pa.concat_tables(tables)
    if _GROUPS[config.kind] not in table.column_names:
        raise fail(f"has no column {_GROUPS[config.kind]!r}", config.files[0])
    return table


def _columns(config: SiteConfig, table: pa.Table) -> tuple[list[str], list[pa.ChunkedArray]]:
    found = {name: table[name] for name in _FILTERS[config.kind] if name in table.column_names}
    if "features" in table.column_names and pa.types.is_struct(table["features"].type):
        for number, field in enumerate(table["features"].type):
            name = field.name if field.name not in found else f"features.{field.name}"
            found[name] = pc.struct_field(table["features"], [number])
    return list(found), list(found.values())


def _coded(name: str, column: pa.ChunkedArray) -> CodedColumn:
    """Return a column as codes; a list is a text with commas."""
    if pa.types.is_list(column.type):
        joined = pc.binary_join(column.cast(pa.list_(pa.string())), ", ")
        column = pc.if_else(pc.equal(joined, ""), None, joined)
    elif pa.types.is_nested(column.type):
        column = pa.chunked_array([pa.nulls(len(column), pa.string())])
    numbers = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    encoded = column.combine_chunks().dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order.to_numpy()], place[-1] = np.arange(len(order)), -1
    codes = pc.fill_null(encoded.indices, len(order)).to_numpy(zero_copy_only=False)
    values = encoded.dictionary.take(order)
    texts = [f"{value:g}" if numbers else _shown(value) for value in values.to_pylist()]
    return CodedColumn(name, tuple(texts), place[codes])


def _shown(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _strings(column: pa.ChunkedArray | pa.Array) -> list[str]:
    found: list[str] = pc.fill_null(column.cast(pa.string()), "").to_pylist()
    return found


def _texts(kind: str, table: pa.Table) -> tuple[list[list[str]], CodedColumn]:
    one = np.zeros(len(table), dtype=np.int64)
    if kind == "suite":
        rows = table["conditions"].to_pylist()
        names = [" · ".join(str(c["name"]) for c in row or ()) for row in rows]
        return [[str(c["text"]) for c in row or ()] for row in rows], _coded(
            "conditions", pa.chunked_array([pa.array(names, pa.string())])
        )
    columns = {
        "pair": ("sentence_good", "sentence_bad"), "cloze": ("left", "answer", "right"),
        "forms": ("form", "lemma", "feats"),
    }[kind]  # fmt: skip
    texts = [list(row) for row in zip(*(_strings(table[name]) for name in columns), strict=True)]
    return texts, CodedColumn("conditions", (" · ".join(columns),), one)


def rows_of(config: SiteConfig, rows: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return whole rows by their numbers; the earlier they stand, the faster.

    Raises :class:`InputError` for a file whose columns have not the same length.
    """
    wanted, found, start = sorted(set(rows)), dict[int, dict[str, Any]](), 0
    for batch in _batches(config):
        some = [row - start for row in wanted if start <= row < start + len(batch)]
        if some:
            for row, value in zip(some, batch.take(pa.array(some)).to_pylist(), strict=True):
                found[start + row] = value
        start += len(batch)
        if not wanted or start > wanted[-1]:
            break
    if len(found) < len(wanted):
        raise fail("has columns of different lengths", config.files[-1])
    return found


def _batches(config: SiteConfig) -> Iterator[pa.RecordBatch]:
    for path in config.files:
        with reading_parquet(path):
            yield from pq.ParquetFile(path).iter_batches(batch_size=4096)
