"""How far judges agree (Krippendorff's alpha, Gwet's AC1 and AC2), and clustered intervals.

The coefficients take counts: how often each unit (row) got each answer (column). Units may have any
number of answers; those with fewer than two say nothing about agreement.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from solecism.scoring.summary import Z95, Interval, wilson

__all__ = [
    "answer_counts", "clustered_error", "gwet_ac", "krippendorff_alpha", "mean_interval", "share_interval",
]  # fmt: skip

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]


def answer_counts(units: Codes, answers: Codes, possible: int) -> Numbers:
    """Return how often each unit got each of the ``possible`` answers, given both by number."""
    _, row = np.unique(units, return_inverse=True)
    counts = np.bincount(row * possible + answers, minlength=(row.max(initial=-1) + 1) * possible)
    return counts.reshape(-1, possible).astype(float)


def krippendorff_alpha(counts: Numbers, ordered: bool = False) -> float:
    """Return alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability").

    It is nominal, or ordinal if the columns are ``ordered``. NaN if nobody could disagree: no unit
    has two answers, or there is one answer only.
    """
    paired = counts[counts.sum(1) >= 2]
    totals = paired.sum(0)
    n = totals.sum()
    middles = np.cumsum(totals) - totals / 2
    apart = np.subtract.outer(middles, middles) ** 2 if ordered else 1 - np.eye(len(totals))
    expected = totals @ apart @ totals / (n - 1) if n > 1 else 0.0
    if not expected:
        return math.nan
    within = ((paired @ apart) * paired).sum(1) / (paired.sum(1) - 1)
    return float(1 - within.sum() / expected)


def gwet_ac(counts: Numbers, ordered: bool = False) -> float:
    """Return AC1, or AC2 with quadratic weights if the answers are ``ordered``.

    Gwet (2008, "Computing inter-rater reliability and its variance"; 2014, "Handbook of inter-rater
    reliability"). Unlike alpha it does not fall if nearly all answers are the same. NaN if no unit
    has two answers, or only one answer was possible.
    """
    size = counts.shape[1]
    rated = counts[counts.sum(1) > 0]
    paired = rated[rated.sum(1) >= 2]
    if size < 2 or not len(paired):
        return math.nan
    apart = np.subtract.outer(np.arange(size), np.arange(size)) ** 2 / (size - 1) ** 2
    weights = 1 - apart if ordered else np.eye(size)
    n = paired.sum(1)
    agreed = ((paired * (paired @ weights - 1)).sum(1) / (n * (n - 1))).mean()
    shares = (rated / rated.sum(1, keepdims=True)).mean(0)
    chance = weights.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum()
    return float((agreed - chance) / (1 - chance))


def clustered_error(influence: Numbers, judges: Codes, items: Codes) -> float:
    """Return the standard error of a figure, clustered by judge and by item.

    ``influence``: what each answer adds to the figure's deviation; answers of one person are alike,
    and so are answers about one item. The variance is that of the clusters of judges, and of
    items, less that of what is in both (Cameron, Gelbach and Miller 2011, section 2.1); at least
    the larger of the two.
    """
    both = judges * (items.max(initial=0) + 1) + items
    by_judge, by_item, within = (_variance(influence, keys) for keys in (judges, items, both))
    return math.sqrt(max(by_judge + by_item - within, by_judge, by_item))


def _variance(influence: Numbers, keys: Codes) -> float:
    """Return the sum of squares of what clusters add, corrected for their number."""
    _, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place, influence)
    groups = len(sums)
    return float((sums**2).sum()) * (groups / (groups - 1) if groups > 1 else 1.0)


def share_interval(share: float, influence: Numbers, judges: Codes, items: Codes) -> Interval:
    """Return a share with a 95 % interval: Wilson's, for as many answers as these are worth.

    They are worth ``share * (1 - share) / error ** 2`` independent ones (Korn and Graubard 1998),
    at most as many as there are. If all are alike that is unknown, and they count as many as there
    are judges or items, whichever are fewer.
    """
    error = clustered_error(influence, judges, items)
    clusters = min(len(np.unique(judges)), len(np.unique(items)))
    worth = share * (1 - share) / error**2 if error else float(clusters)
    number = max(1, math.floor(min(worth, len(influence))))
    return wilson(share * number, number)


def mean_interval(mean: float, influence: Numbers, judges: Codes, items: Codes) -> Interval:
    """Return a mean with a 95 % interval by the normal distribution."""
    half = Z95 * clustered_error(influence, judges, items)
    return Interval(mean, mean - half, mean + half)
