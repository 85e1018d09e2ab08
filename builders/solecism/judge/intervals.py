"""Intervals of figures that many people gave about many items, each of them several times.

Answers of one person are alike, and so are answers about one item, so they are clustered both ways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solecism.scoring.summary import Z95, Interval, wilson

__all__ = ["clustered_error", "mean_influence", "mean_interval", "share_interval"]

Numbers = NDArray[np.float64]


def mean_influence(values: Numbers) -> Numbers:
    """Return what each value adds to the deviation of their mean."""
    return np.asarray((values - values.mean()) / len(values))


def clustered_error(influence: Numbers, judges: Sequence[object], items: Sequence[object]) -> float:
    """Return the standard error of a figure, clustered by judge and by item.

    ``influence``: what each answer adds to the figure's deviation. The variance is that of the
    clusters of judges, and of items, less that of what is in both (Cameron, Gelbach and Miller
    2011, section 2.1); at least the larger of the two.
    """
    both = [f"{judge}\n{item}" for judge, item in zip(judges, items, strict=True)]
    by_judge, by_item, within = (_variance(influence, keys) for keys in (judges, items, both))
    return math.sqrt(max(by_judge + by_item - within, by_judge, by_item))


def _variance(influence: Numbers, keys: Sequence[object]) -> float:
    """Return the sum of squares of what clusters add, corrected for their number."""
    _, place = np.unique(np.asarray(keys), return_inverse=True)
    sums = np.bincount(place, influence)
    groups = len(sums)
    return float((sums**2).sum()) * (groups / (groups - 1) if groups > 1 else 1.0)


def share_interval(
    share: float, influence: Numbers, judges: Sequence[object], items: Sequence[object]
) -> Interval:
    """Return a share with a 95 % interval: Wilson's, for as many answers as these are worth.

    They are worth ``share * (1 - share) / error ** 2`` independent ones (Korn and Graubard 1998),
    at most as many as there are. Where all are alike that is unknown, and they count as many as
    there are judges or items, whichever are fewer.
    """
    error = clustered_error(influence, judges, items)
    clusters = min(len(set(judges)), len(set(items)))
    worth = share * (1 - share) / error**2 if error else float(clusters)
    number = max(1, math.floor(min(worth, len(influence))))
    return wilson(share * number, number)


def mean_interval(
    mean: float, influence: Numbers, judges: Sequence[object], items: Sequence[object]
) -> Interval:
    """Return a mean with a 95 % interval by the normal distribution."""
    half = Z95 * clustered_error(influence, judges, items)
    return Interval(mean, mean - half, mean + half)
