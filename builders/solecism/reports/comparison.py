"""Results against each other, item by item: differences and correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import fail
from solecism.reports.figures import ALL, labels, systems
from solecism.scoring.results import Result
from solecism.scoring.statistics import Comparison, compare, correlation
from solecism.scoring.summary import COLUMNS, group_column, numeric_first

__all__ = ["Correlations", "Difference", "correlations", "difference"]

Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Difference:
    """The first of two models against the second: ``rows`` by group; ``left_out`` items are not in both
    results or not scored in both."""

    first: str
    second: str
    by: str
    rows: dict[str, Comparison]
    left_out: int


@dataclass(frozen=True)
class Correlations:
    """Between the models ``names``: Pearson's of the accuracies by UID and config (``paradigms`` of them
    at most), and phi of the decisions item by item. NaN where there is nothing in common."""

    names: list[str]
    paradigm: Numbers
    item: Numbers
    paradigms: int


def _decisions(results: Sequence[Result], by: str) -> pa.Table:
    """``key`` (data, config and id), ``set`` (likewise), ``group``, ``decision`` of the scored items."""
    parts = []
    for result in results:
        run = result.run
        prefix = f"{run['data']}/{run['config']}/"
        table = result.read(["id", "set_id", "decision", COLUMNS.get(by, "features")])
        config = pa.repeat(pa.scalar(run["config"]), len(table))
        group = config if by == "config" else group_column(table, by)
        columns = {
            "key": pc.binary_join_element_wise(prefix, table["id"], ""),
            "set": pc.binary_join_element_wise(prefix, table["set_id"], ""),
            "group": group,
            "decision": table["decision"],
        }
        parts.append(pa.table(columns))
    return pa.concat_tables(parts)


def difference(
    results: Sequence[Result], by: str, resamples: int = 10_000, seed: int = 0
) -> Difference:
    """Compare two models (each of one result or of several configs) on the items that both have.

    Raises :class:`InputError` for another number of models, and where they have no item in common.
    """
    sides = _two_sides(results)
    one, two = (_decisions(some, by) for some in sides)
    pairs = _paired(one, two)
    first, second, group, clusters = pairs.first, pairs.second, pairs.group, pairs.clusters
    if not len(first):
        paths = [str(some[0].path) for some in sides]
        raise fail(f"{paths[0]} and {paths[1]} have no scored item in common")
    rows = {}
    for name in _ordered(group):
        at = group == name
        rows[name] = compare(first[at], second[at], clusters[at], resamples, seed)
    rows[ALL] = compare(first, second, clusters, resamples, seed)
    names = labels([fields for fields, _ in systems(results)])
    if len(names) != 2:
        names = [some[0].path.stem for some in sides]
    left_out = len(one) + len(two) - pairs.common - len(first)
    return Difference(names[0], names[1], by, rows, left_out)


def _two_sides(results: Sequence[Result]) -> list[list[Result]]:
    sides = [some for _, some in systems(results)]
    if len(results) == 2:
        return [[results[0]], [results[1]]]
    if len(sides) != 2:
        found = ", ".join(labels([fields for fields, _ in systems(results)]))
        raise fail(f"--diff compares two models; here are {len(sides)}: {found}")
    return sides


@dataclass(frozen=True)
class _Pairs:
    """Decisions, group and cluster of the items scored in both tables; ``common``: items in both."""

    first: Numbers
    second: Numbers
    group: Numbers
    clusters: Numbers
    common: int


def _paired(one: pa.Table, two: pa.Table) -> _Pairs:
    """Find each item of the first table in the second; in the order of the first."""
    at = pc.index_in(one["key"].combine_chunks(), value_set=two["key"].combine_chunks())
    here = one.filter(at.is_valid())
    there = two["decision"].take(at.drop_null())
    common = len(here)
    scored = pc.and_(here["decision"].is_valid(), there.is_valid())
    here, there = here.filter(scored), there.filter(scored)
    sets = here["set"].combine_chunks().dictionary_encode().indices
    group = here["group"].to_numpy(zero_copy_only=False)
    return _Pairs(here["decision"].to_numpy(), there.to_numpy(), group, sets.to_numpy(), common)


def _ordered(group: Numbers) -> list[str]:
    return sorted({name for name in group.tolist() if name is not None}, key=numeric_first)


def correlations(results: Sequence[Result]) -> Correlations:
    """Correlations between the models of ``results``, each over all its configs."""
    found = systems(results)
    tables = [_decisions(some, "UID") for _, some in found]
    accuracies = [_by_paradigm(some) for _, some in found]
    size = len(found)
    paradigm, item = np.full((size, size), math.nan), np.full((size, size), math.nan)
    for i in range(size):
        for j in range(i + 1):
            paradigm[i, j] = paradigm[j, i] = _matched(accuracies[i], accuracies[j])
            pairs = _paired(tables[i], tables[j])
            item[i, j] = item[j, i] = correlation(pairs.first, pairs.second)
    names = labels([fields for fields, _ in found])
    return Correlations(names, paradigm, item, max(map(len, accuracies), default=0))


def _by_paradigm(results: Sequence[Result]) -> dict[str, float]:
    return {
        f"{r.run['data']}/{r.run['config']}/{uid}": found["accuracy"]
        for r in results
        for uid, found in r.summary["by"]["UID"].items()
        if found["n"]
    }


def _matched(one: dict[str, float], two: dict[str, float]) -> float:
    keys = [key for key in one if key in two]
    pairs = np.array([[one[key], two[key]] for key in keys], np.float64).reshape(-1, 2)
    return correlation(pairs[:, 0], pairs[:, 1])
