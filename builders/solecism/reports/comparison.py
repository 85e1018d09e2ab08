"""Comparisons of results, item by item: differences with intervals and tests, and correlations.

Decisions are 1 (right), 0 (wrong) or 0.5 (tie) throughout; arrays of them are float64, without
skipped items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.reports.figures import ALL, systems
from solecism.scoring.results import Result
from solecism.scoring.summary import COLUMNS, Interval, group_column, numeric_first

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]

RESAMPLES = 10_000
"""The number of samples that the bootstrap draws."""


def mcnemar(first: int, second: int) -> tuple[float, float]:
    """Return the exact and the mid-p value (two-sided) of McNemar's test.

    Method: Fagerland et al. (2013), section 2.

    ``first`` and ``second`` count the items on which the first or the second result is better.
    Without any such item both values are 1.
    """
    from scipy.stats import binom

    n, least = first + second, min(first, second)
    tail = 2 * float(binom.cdf(least, n, 0.5))
    return min(1.0, tail), min(1.0, tail - float(binom.pmf(least, n, 0.5)))


def paired_bootstrap(difference: Numbers, clusters: Numbers | None = None) -> Interval:
    """Return the mean of per-item differences with its percentile interval.

    Method: Efron & Tibshirani (1993), section 13.3. ``clusters`` (integers, one an item) are drawn
    whole: the pairs of a minimal set share a sentence. Equal clusters are drawn together as
    multinomial counts, so that a million items cost no more than a few.
    """
    owner = np.arange(len(difference)) if clusters is None else clusters
    _, owner = np.unique(owner, return_inverse=True)
    sums = np.bincount(owner, difference)
    sizes = np.bincount(owner).astype(np.float64)
    kinds, counts = np.unique(np.stack([sums, sizes]), axis=1, return_counts=True)
    drawn = np.random.default_rng(0).multinomial(len(sums), counts / len(sums), RESAMPLES)
    low, high = np.quantile((drawn @ kinds[0]) / (drawn @ kinds[1]), [0.025, 0.975])
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


def compare(first: Numbers, second: Numbers, clusters: Numbers | None = None) -> Comparison:
    """Compare the decisions of two results on the same items (at least one), in the same order."""
    difference = first - second
    better, worse = int((difference > 0).sum()), int((difference < 0).sum())
    found, p = paired_bootstrap(difference, clusters), mcnemar(better, worse)
    one, two = float(first.mean()), float(second.mean())
    return Comparison(len(first), one, two, found.value, found.low, found.high, better, worse, *p)


@dataclass(frozen=True)
class ModelDifference:
    """The first of two models against the second, by group.

    ``left_out``: the number of items that one of the results lacks or has not scored.
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


def decisions(results: Sequence[Result], by: str) -> pd.DataFrame:
    """Return a row an item, by data, config and id.

    Columns: ``config`` (with its data set), ``id``, ``set`` (the minimal set), ``group``,
    ``decision``.
    """
    import pandas as pd

    parts = []
    for result in results:
        config = f"{result.run['data']}/{result.run['config']}"
        table = result.read(["id", "set_id", "decision", COLUMNS.get(by, "features")])
        group = None if by == "config" else group_column(table, by).to_pandas()
        columns = {
            "config": config,
            "id": table["id"].to_pandas(),
            "set": f"{config}/" + table["set_id"].to_pandas().astype(str),
            "group": result.run["config"] if group is None else group,
            "decision": table["decision"].to_pandas(),
        }
        parts.append(pd.DataFrame(columns).set_index(f"{config}/" + table["id"].to_pandas()))
    return pd.concat(parts)


def difference(results: Sequence[Result], by: str) -> ModelDifference:
    """Compare two models (with results of one or of several configs) on the items that both have.

    Raises :class:`InputError` for fewer or more models, and if they have no item in common.
    """
    found = systems(results)
    names = [name for name, _ in found]
    sides = [[result] for result in results] if len(results) == 2 else [some for _, some in found]
    if len(sides) != 2:
        raise fail(f"--diff compares two models; here are {len(sides)}: {', '.join(names)}")
    one, two = (decisions(some, by) for some in sides)
    both = one.join(two["decision"].rename("decision_two"), how="inner")
    left_out = len(one) + len(two) - len(both)
    both = both.dropna(subset=["decision", "decision_two"])
    if not len(both):
        paths = [str(some[0].path) for some in sides]
        raise fail(f"{paths[0]} and {paths[1]} have no scored item in common (by config and id)")
    groups = {str(name): some for name, some in both.groupby("group")}
    ordered = {name: groups[name] for name in sorted(groups, key=numeric_first)}
    every = {**ordered, ALL: both}.items()
    keys = ("decision", "decision_two", "set")
    rows = {name: compare(*(some[key].to_numpy() for key in keys)) for name, some in every}
    if len(names) != 2:
        names = [some[0].path.stem for some in sides]
    return ModelDifference(names[0], names[1], by, rows, left_out - len(both))


def correlations(results: Sequence[Result]) -> Correlations:
    """Return the correlations between the models of ``results``, each over all its configs."""
    import pandas as pd

    paradigms, items = {}, {}
    for name, some in systems(results):
        known = {
            f"{result.run['data']}/{result.run['config']}/{uid}": accuracy
            for result in some
            for uid, accuracy in result.accuracies().items()
        }
        paradigms[name] = pd.Series(known, dtype=float).dropna()
        items[name] = decisions(some, "UID")["decision"]
    frames = (pd.DataFrame(paradigms), pd.DataFrame(items))
    paradigm, item = (frame.corr(min_periods=2).to_numpy() for frame in frames)
    most = max(map(len, paradigms.values()), default=0)
    return Correlations(list(items), paradigm, item, most)
