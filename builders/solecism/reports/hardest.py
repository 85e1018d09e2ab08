"""The hardest pairs: those on which models have the lowest margins, with their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.contrast import differing_parts
from solecism.errors import InputError
from solecism.scoring.lookup import pairs_of, rows_by_id
from solecism.scoring.results import Result

__all__ = ["HardPair", "PairScore", "Parts", "hardest"]

MOST, EACH = 8, 2
"""How many pairs are shown, and how many of one paradigm. Of a minimal set there is only one."""

_TEXTS = ("sentence_good", "sentence_bad", "language")

Parts = list[tuple[str, bool]]
"""A sentence in parts, each with whether it differs from the other one."""


@dataclass(frozen=True)
class PairScore:
    """What a model gives a pair: scores (natural logarithms) and their difference."""

    model: str
    good: float
    bad: float
    margin: float


@dataclass(frozen=True)
class HardPair:
    """A pair with its scores; ``good`` and ``bad``: its sentences in parts that differ or not.

    Where the data are not here, the sentences are empty.
    """

    id: str
    uid: str
    language: str
    spec: str
    good: Parts
    bad: Parts
    scores: tuple[PairScore, ...]


def hardest(results: Mapping[str, Result], most: int = MOST) -> list[HardPair]:
    """Return the hardest pairs of one config for all models together, the hardest first.

    ``results`` has a result of each model. Margins of different models are of different sizes, so
    what counts is the mean of the ranks that a pair has. Only pairs that all models have scored are
    looked at.
    """
    tables = {name: _scored(result) for name, result in results.items()}
    ids = _common([table["id"] for table in tables.values()])
    if not len(ids):
        return []
    aligned = {name: _aligned(table, ids) for name, table in tables.items()}
    margins = [table["margin"].to_numpy() for table in aligned.values()]
    ranks = np.mean([_ranks(values) for values in margins], axis=0)
    order = np.lexsort((np.mean(margins, axis=0), ranks))
    first = next(iter(aligned.values()))
    rows = list(_varied(first, order, most))
    texts, spec = _sentences(next(iter(results.values())), [ids[row].as_py() for row in rows])
    return [_pair(row, aligned, texts, spec) for row in rows]


def _scored(result: Result) -> pa.Table:
    names = ["id", "set_id", "UID", "logp_good", "logp_bad", "margin"]
    table = result.read(names)
    needed = (table[name].is_valid() for name in ("margin", "logp_good", "logp_bad"))
    return table.filter(reduce(pc.and_, needed))


def _common(ids: Sequence[pa.ChunkedArray]) -> pa.Array:
    found = ids[0]
    for other in ids[1:]:
        found = found.filter(pc.is_in(found, value_set=other.combine_chunks()))
    return found.combine_chunks()


def _aligned(table: pa.Table, ids: pa.Array) -> pa.Table:
    return table.take(pc.index_in(ids, value_set=table["id"].combine_chunks()))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of values that are lower."""
    return np.searchsorted(np.sort(values), values) / len(values)


def _varied(table: pa.Table, order: NDArray[np.int64], most: int) -> Iterator[int]:
    """Yield the first rows in an order, few of a paradigm and one of a minimal set."""
    uids, sets = table["UID"].to_pylist(), table["set_id"].to_pylist()
    counts: dict[str, int] = {}
    seen: set[str] = set()
    for row in order.tolist():
        if len(seen) == most:
            return
        if sets[row] not in seen and counts.get(uids[row], 0) < EACH:
            seen.add(sets[row])
            counts[uids[row]] = counts.get(uids[row], 0) + 1
            yield row


def _sentences(result: Result, ids: Sequence[str]) -> tuple[dict[str, dict[str, Any]], str]:
    """Return the texts of pairs by id, and the name of their config, if it is here."""
    run = result.run
    items = pairs_of(run["data"], run["config"], run["digest"])
    if items is None or not set(_TEXTS) <= set(items.columns):
        return {}, ""
    try:
        return rows_by_id(items, ids, _TEXTS), items.spec
    except InputError:
        return {}, ""


def _pair(
    row: int, aligned: Mapping[str, pa.Table], texts: Mapping[str, dict[str, Any]], spec: str
) -> HardPair:
    tables = {name: table.slice(row, 1).to_pylist()[0] for name, table in aligned.items()}
    first = next(iter(tables.values()))
    text = texts.get(first["id"], dict.fromkeys(_TEXTS, ""))
    good, bad = differing_parts(text["sentence_good"], text["sentence_bad"])
    scores = (
        PairScore(name, one["logp_good"], one["logp_bad"], one["margin"])
        for name, one in tables.items()
    )
    language = text["language"] or ""
    return HardPair(first["id"], first["UID"], language, spec, good, bad, tuple(scores))
