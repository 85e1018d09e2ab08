"""The order of the rows of a config: every first part is a fair sample of its paradigms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.grouping import Ints

__all__ = ["in_rounds"]


def in_rounds(paradigms: Sequence[tuple[pa.Table, bool]]) -> pa.Table:
    """Put the items of paradigms in rounds: each round has one item of each that has any left.

    An item is a row, or the rows of a minimal set, which stay together. Within a paradigm items
    keep their order if it is that of a draw (the flag), else they are sorted by their ids, which
    are hashes; so are the items of a round.
    """
    tables = [table for table, _ in paradigms]
    rounds = [_rounds(table, drawn) for table, drawn in paradigms]
    rows = pa.concat_tables(tables)
    keys = pa.table(
        {"round": np.concatenate(rounds), "id": _ids(rows), "row": np.arange(len(rows))}
    )
    order = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in keys.column_names])
    # Columns one by one: whole ones are taken from faster, and each is freed before the next.
    names = rows.column_names
    return pa.table({name: rows[name].combine_chunks().take(order) for name in names}, rows.schema)


def _ids(table: pa.Table) -> pa.ChunkedArray:
    """Return the column that names items."""
    return table["set_id" if "set_id" in table.column_names else "id"]


def _rounds(table: pa.Table, drawn: bool) -> Ints:
    """Return the round of each row: the place of its item among those of the paradigm."""
    coded = _ids(table).combine_chunks().dictionary_encode()
    items = coded.indices.to_numpy()
    if drawn:
        return np.asarray(items, dtype=np.intp)
    ranks = np.empty(len(coded.dictionary), dtype=np.intp)
    ranks[pc.sort_indices(coded.dictionary).to_numpy()] = np.arange(len(ranks))
    return np.asarray(ranks[items])
