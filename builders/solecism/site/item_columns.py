"""Read the items of a config as arrays, for the pages and the item browser."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.inputs import parquet_schema, parquet_tables, read_parquet, reading_parquet
from solecism.schema import KINDS, ItemKind, ItemRow
from solecism.site.folders import SiteConfig

VERDICT = "verdict"
"""The column that says whether people confirm an item (keep) or reject it (drop)."""

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class CodedColumn:
    """A column of texts: each row has a place in ``values`` as its code, or -1 for no value."""

    name: str
    values: tuple[str, ...]
    codes: Codes

    def counts(self, rows: Codes) -> list[tuple[str, int]]:
        """Return how often each value occurs in some rows, the most frequent first."""
        codes = self.codes[rows]
        found = np.bincount(codes[codes >= 0], minlength=len(self.values))
        order = np.argsort(-found, kind="stable")
        return [(self.values[place], int(found[place])) for place in order if found[place]]


@dataclass(frozen=True)
class ItemColumns:
    """All items of a config, in the order of the data.

    ``texts`` has for each item a list of texts: for a pair the good and the bad sentence, for a
    suite item the sentences of its conditions, for a cloze item what is left of the answer, the
    answer, and what is right of it, for a form the form, its lemma and its features. ``labels``:
    for each item the names of its texts, joined by ``·``. ``group``: the paradigm of each item.
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
        places = enumerate(self.group.values)
        return {uid: np.flatnonzero(self.group.codes == place) for place, uid in places}


def read_items(config: SiteConfig) -> ItemColumns:
    """Read the items of a config, with the verdicts of people if there are any.

    Raises :class:`InputError` for broken files.
    """
    kind = KINDS[config.kind]
    with reading_parquet(config.files[0]):  # files may have different columns
        table = pa.concat_tables(_tables(config, kind))
        if kind.group not in table.column_names:
            raise fail(f"has no column {kind.group!r}", config.files[0])
        features = tuple(_coded(name, column) for name, column in _features(kind, table).items())
        group = features[0]
        numbers = list(map(str, range(len(table))))
        ids = _strings(table["id"]) if "id" in table.column_names else numbers
        sets = _strings(table["set_id"]) if "set_id" in table.column_names else ids
        texts, labels = _texts(kind, table)
    items = ItemColumns(config, ids, sets, texts, labels, group, features)
    return _with_verdicts(items) if config.judgments else items


def _with_verdicts(items: ItemColumns) -> ItemColumns:
    """Return items with the column of verdicts added, if the files of judgments have one."""
    wanted = pa.schema([("id", pa.string()), (VERDICT, pa.string())])
    tables = []
    for path in items.config.judgments:
        if set(wanted.names) <= set(parquet_schema(path).names):
            tables.append(read_parquet(path, wanted.names, wanted))
    if not tables:
        return items
    known = pa.concat_tables(tables)
    places = pc.index_in(pa.array(items.ids, pa.string()), value_set=known["id"])
    column = _coded(VERDICT, known[VERDICT].take(places))
    return replace(items, features=(*items.features, column))


def _tables(config: SiteConfig, kind: ItemKind) -> Iterator[pa.Table]:
    """Yield each file of a config as a table of the columns that pages need."""
    wanted = ("id", "set_id", kind.group, *kind.texts, *kind.filters, "features")
    for path in config.files:
        names = parquet_schema(path).names
        table = read_parquet(path, [name for name in wanted if name in names], kind.schema)
        for name in kind.texts:
            if name in names and table[name].null_count:
                row = pc.index(table[name].is_null(), True).as_py() + 1
                raise fail(f"column {name!r}, row {row}: has no value", path)
        yield table


def _features(kind: ItemKind, table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """Return the columns by which items can be filtered, by name; the first is the group."""
    wanted = (kind.group, *kind.filters)
    found = {name: table[name] for name in wanted if name in table.column_names}
    if "features" in table.column_names and pa.types.is_struct(table["features"].type):
        for number, field in enumerate(table["features"].type):
            name = field.name if field.name not in found else f"features.{field.name}"
            found[name] = pc.struct_field(table["features"], [number])
    return found


def _coded(name: str, column: pa.ChunkedArray) -> CodedColumn:
    """Return a column as codes; lists become texts with commas, mappings become nulls."""
    if pa.types.is_list(column.type) and not pa.types.is_nested(column.type.value_type):
        joined = pc.binary_join(column.cast(pa.list_(pa.string())), ", ")
        column = pc.if_else(pc.equal(joined, ""), None, joined)
    elif pa.types.is_nested(column.type):
        column = pa.chunked_array([pa.nulls(len(column), pa.string())])
    numbers = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    known = pc.unique(column).drop_null()
    known = known.take(pc.sort_indices(known))
    codes = pc.fill_null(pc.index_in(column, value_set=known), -1).to_numpy()
    values = known.to_pylist()
    if pa.types.is_boolean(column.type):
        values = ["yes" if value else "no" for value in values]
    texts = [f"{value:g}" if numbers else str(value) for value in values]
    return CodedColumn(name, tuple(texts), codes.astype(np.int64))


def _strings(column: pa.ChunkedArray) -> list[str]:
    return list(pc.fill_null(column.cast(pa.string()), "").to_pylist())


def _texts(kind: ItemKind, table: pa.Table) -> tuple[list[list[str]], CodedColumn]:
    """Return the texts of each item, and the names of these texts."""
    if "conditions" in kind.texts:
        rows = table["conditions"].to_pylist()
        names = pa.array([" · ".join(str(c["name"]) for c in row) for row in rows], pa.string())
        labels = _coded("conditions", pa.chunked_array([names]))
        return [[str(c["text"]) for c in row] for row in rows], labels
    columns = [_strings(table[name]) for name in kind.texts]
    texts = [list(row) for row in zip(*columns, strict=True)]
    same = np.zeros(len(table), dtype=np.int64)
    return texts, CodedColumn("conditions", (" · ".join(kind.texts),), same)


def rows_of(config: SiteConfig, rows: Sequence[int]) -> dict[int, ItemRow]:
    """Return rows of the data with all columns, by their numbers.

    Files are read up to the last of these rows, so early rows are found faster. Raises
    :class:`InputError` for a file whose columns differ in length or have other types.
    """
    wanted, found, start = sorted(set(rows)), dict[int, ItemRow](), 0
    for path in config.files:
        for table in parquet_tables(path, rows=4096, types=KINDS[config.kind].schema):
            some = [row - start for row in wanted if start <= row < start + len(table)]
            if some:
                items = table.take(some).to_pylist()
                found |= zip((start + row for row in some), items, strict=True)
            start += len(table)
            if not wanted or start > wanted[-1]:
                break
    if len(found) < len(wanted):
        raise fail("has columns of different lengths", config.files[-1])
    return found
