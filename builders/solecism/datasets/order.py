"""The order of the rows of a config: every first part is a fair sample of its paradigms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.grouping import Ints

__all__ = ["in_rounds"]

BLOCK = 1 << 13
"""Rows that are put in order at a time."""


def in_rounds(paradigms: Sequence[tuple[pa.Table, bool]], block: int = BLOCK) -> Iterator[pa.Table]:
    """Yield the items of paradigms in rounds: each has one item of each that has any left.

    An item is a row, or the rows of a minimal set, which stay together. Within a paradigm items
    keep their order if it is that of a draw (the flag), else they are sorted by their ids, which
    are hashes; so are the items of a round. Tables have about ``block`` rows.
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
    """Return the column that names items."""
    return table["set_id" if "set_id" in table.column_names else "id"]


def _in_order(table: pa.Table, drawn: bool) -> tuple[pa.Table, Ints]:
    """Return the rows of a paradigm in order, each with its round: the place of its item."""
    coded = _ids(table).combine_chunks().dictionary_encode()
    items = np.asarray(coded.indices.to_numpy(), dtype=np.intp)
    if drawn:
        return table, items
    ranks = np.empty(len(coded.dictionary), dtype=np.intp)
    ranks[pc.sort_indices(coded.dictionary).to_numpy()] = np.arange(len(ranks))
    order = np.argsort(ranks[items], kind="stable")
    return table.combine_chunks().take(pa.array(order)), ranks[items][order]
