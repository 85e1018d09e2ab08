"""The rows of a config's Parquet file: their order, and the writer that takes them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.grouping import Ints
from solecism.hashing import ContentDigest

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
