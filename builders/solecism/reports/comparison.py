"""Results against each other, item by item: differences with intervals and tests, and correlations.

Decisions are 1 (right), 0 (wrong) or 0.5 (tie) throughout; arrays of them are float64, without
skipped items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import fail
from solecism.reports.figures import ALL, labels, systems
from solecism.scoring.results import Result
from solecism.scoring.summary import COLUMNS, Interval, group_column, numeric_first

__all__ = [
    "Comparison", "Correlations", "ModelDifference", "compare", "correlation", "correlations", "difference",
    "mcnemar", "paired_bootstrap",
]  # fmt: skip

Numbers = np.ndarray[Any, Any]


def mcnemar(first: int, second: int) -> tuple[float, float]:
    """Return the exact and the mid-p value (two-sided) of McNemar's test.

    Method: Fagerland et al. (2013), section 2.

    ``first`` and ``second`` are the items on which only the one or only the other is better.
    Without any such item both values are 1.
    """
    from scipy.stats import binom

    n, least = first + second, min(first, second)
    tail = 2 * float(binom.cdf(least, n, 0.5))
    return min(1.0, tail), min(1.0, tail - float(binom.pmf(least, n, 0.5)))


def paired_bootstrap(
    difference: Numbers, clusters: Numbers | None = None, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Return the mean of per-item differences with its percentile interval.

    Method: Efron & Tibshirani (1993), section 13.3. ``clusters`` (integers, one an item) are drawn
    whole: the pairs of a minimal set share a sentence. Equal clusters are drawn together as
    multinomial counts, so that a million items cost no more than a few.
    """
    if len(difference) == 0:
        return Interval(math.nan, math.nan, math.nan)
    owner = np.arange(len(difference)) if clusters is None else clusters
    _, owner = np.unique(owner, return_inverse=True)
    sums = np.bincount(owner, difference)
    sizes = np.bincount(owner).astype(np.float64)
    kinds, counts = np.unique(np.stack([sums, sizes]), axis=1, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(len(sums), counts / len(sums), resamples)
    means = (drawn @ kinds[0]) / (drawn @ kinds[1])
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(difference.mean()), float(low), float(high))


@dataclass(frozen=True)
class Comparison:
    """Two results over the same items.

    ``difference`` is the first's accuracy minus the second's, ``low`` and ``high`` its bootstrap
    interval; ``better`` and ``worse`` count the items on which the first decides better or worse (a
    tie is better than wrong and worse than right); ``p_exact`` and ``p_mid`` are McNemar's.
    """

    n: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    better: int
    worse: int
    p_exact: float
    p_mid: float

    def to_json(self) -> dict[str, Any]:
        """Return all fields; what is not a number becomes null."""
        return {k: None if v != v else v for k, v in asdict(self).items()}


def compare(
    first: Numbers,
    second: Numbers,
    clusters: Numbers | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare the decisions of two results on the same items, in the same order."""
    difference = first - second
    better, worse = int((difference > 0).sum()), int((difference < 0).sum())
    interval = paired_bootstrap(difference, clusters, resamples, seed)
    exact, mid = mcnemar(better, worse)
    one, two = (float(d.mean()) if len(d) else math.nan for d in (first, second))
    low, high = interval.low, interval.high
    return Comparison(len(first), one, two, interval.value, low, high, better, worse, exact, mid)


def correlation(first: Numbers, second: Numbers) -> float:
    """Return Pearson's correlation (without ties: phi), NaN where a side does not vary."""
    if len(first) < 2 or not np.ptp(first) or not np.ptp(second):
        return math.nan
    return float(np.corrcoef(first, second)[0, 1])


@dataclass(frozen=True)
class ModelDifference:
    """The first of two models against the second, by group.

    ``left_out``: the number of items that not both results have, or have scored.
    """

    first: str
    second: str
    by: str
    rows: dict[str, Comparison]
    left_out: int


@dataclass(frozen=True)
class Correlations:
    """Correlations between the models ``names``, NaN where they have nothing in common.

    ``paradigm``: Pearson's r of the accuracies by UID and config (``paradigms`` of them at most);
    ``item``: phi of the decisions, item by item.
    """

    names: list[str]
    paradigm: Numbers
    item: Numbers
    paradigms: int


def _decisions(results: Sequence[Result], by: str) -> pa.Table:
    """Return a table of all items: ``key`` (data, config, id), ``set``, ``group``, ``decision``."""
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
) -> ModelDifference:
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
    return ModelDifference(names[0], names[1], by, rows, left_out)


def _two_sides(results: Sequence[Result]) -> list[list[Result]]:
    sides = [some for _, some in systems(results)]
    if len(results) == 2:
        return [[results[0]], [results[1]]]
    if len(sides) != 2:
        found = ", ".join(labels([fields for fields, _ in systems(results)]))
        raise fail(f"--diff compares two models; here are {len(sides)}: {found}")
    return sides


@dataclass(frozen=True)
class _PairedItems:
    """Items that are scored in both tables; ``common`` is the number of items in both."""

    first: Numbers
    second: Numbers
    group: Numbers
    clusters: Numbers
    common: int


def _paired(one: pa.Table, two: pa.Table) -> _PairedItems:
    """Return the items of the first table that are in the second, in the order of the first."""
    at = pc.index_in(one["key"].combine_chunks(), value_set=two["key"].combine_chunks())
    here = one.filter(at.is_valid())
    there = two["decision"].take(at.drop_null())
    common = len(here)
    scored = pc.and_(here["decision"].is_valid(), there.is_valid())
    here, there = here.filter(scored), there.filter(scored)
    sets = here["set"].combine_chunks().dictionary_encode().indices
    group = here["group"].to_numpy(zero_copy_only=False)
    return _PairedItems(
        here["decision"].to_numpy(), there.to_numpy(), group, sets.to_numpy(), common
    )


def _ordered(group: Numbers) -> list[str]:
    return sorted({name for name in group.tolist() if name is not None}, key=numeric_first)


def correlations(results: Sequence[Result]) -> Correlations:
    """Return the correlations between the models of ``results``, each over all its configs."""
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
