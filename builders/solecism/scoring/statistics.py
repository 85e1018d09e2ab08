"""Intervals, tests and correlations of accuracies, with numpy alone.

Decisions are 1 (right), 0 (wrong) or 0.5 (tie) throughout; arrays of them are float64, without skipped items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

__all__ = [
    "Comparison", "Interval", "compare", "correlation", "mcnemar", "mean_deviation",
    "paired_bootstrap", "wilson",
]  # fmt: skip

Z95 = 1.959963984540054
"""The normal quantile at 0.975."""

Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(right: float, n: int, z: float = Z95) -> Interval:
    """Accuracy ``right / n`` with the score interval of Wilson (1927); ties count one half in ``right``.

    Without items the accuracy is NaN and the interval is from 0 to 1.
    """
    if n == 0:
        return Interval(math.nan, 0.0, 1.0)
    p, z2 = right / n, z * z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return Interval(p, max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half)))


def mcnemar(first: int, second: int) -> tuple[float, float]:
    """Exact and mid-p value (two-sided) of McNemar's test (Fagerland et al. 2013, section 2).

    ``first`` and ``second`` are the items on which only the one or only the other is better. Without any
    such item both values are 1.
    """
    n, least = first + second, min(first, second)
    if n == 0:
        return 1.0, 1.0
    logs = _log_binomial(n, least)
    tail = math.fsum(np.exp(logs))
    return min(1.0, 2 * tail), min(1.0, 2 * tail - math.exp(logs[-1]))


def _log_binomial(n: int, most: int) -> Numbers:
    """Natural logarithms of P(X = 0..most) for X binomial with ``n`` throws of a fair coin."""
    k = np.arange(1, most + 1, dtype=np.float64)
    choose = np.concatenate([[0.0], np.cumsum(np.log(n - k + 1) - np.log(k))])
    return np.asarray(choose - n * math.log(2))


def paired_bootstrap(
    difference: Numbers, clusters: Numbers | None = None, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Mean of per-item differences with its percentile interval (Efron & Tibshirani 1993, section 13.3).

    ``clusters`` (integers, one an item) are drawn whole: the pairs of a minimal set share a sentence.
    Equal clusters are drawn together as multinomial counts, so that a million items cost no more than a few.
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

    ``difference`` is the first's accuracy minus the second's, ``low`` and ``high`` its bootstrap interval;
    ``better`` and ``worse`` count the items on which the first decides better or worse (a tie is better than
    wrong and worse than right); ``p_exact`` and ``p_mid`` are McNemar's.
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
        """All fields; what is not a number becomes null."""
        return {k: None if v != v else v for k, v in asdict(self).items()}


def compare(
    first: Numbers,
    second: Numbers,
    clusters: Numbers | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare two results' decisions on the same items, in the same order."""
    difference = first - second
    better, worse = int((difference > 0).sum()), int((difference < 0).sum())
    interval = paired_bootstrap(difference, clusters, resamples, seed)
    exact, mid = mcnemar(better, worse)
    one, two = (float(d.mean()) if len(d) else math.nan for d in (first, second))
    low, high = interval.low, interval.high
    return Comparison(len(first), one, two, interval.value, low, high, better, worse, exact, mid)


def mean_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (over n - 1) of seeds; the deviation of one seed is NaN."""
    array = np.asarray(values, np.float64)
    deviation = float(array.std(ddof=1)) if len(array) > 1 else math.nan
    return float(array.mean()), deviation


def correlation(first: Numbers, second: Numbers) -> float:
    """Pearson's correlation; of decisions without ties it is phi. NaN where one side does not vary."""
    if len(first) < 2:
        return math.nan
    a, b = first - first.mean(), second - second.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return max(-1.0, min(1.0, float(a @ b) / scale)) if scale > 1e-15 else math.nan
