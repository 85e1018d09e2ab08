"""How far judges agree: Krippendorff's alpha, Gwet's AC1 and AC2.

All take counts: how often each unit (row) got each answer (column). Units may have any number of
answers; those with fewer than two say nothing about agreement.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["answer_counts", "gwet_ac", "krippendorff_alpha"]

Numbers = NDArray[np.float64]


def answer_counts(
    units: Sequence[str], answers: Sequence[object], possible: Sequence[object]
) -> Numbers:
    """Return how often each unit got each of the answers that were possible.

    >>> answer_counts(["a", "a", "b"], ["yes", "no", "yes"], ["yes", "no"]).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """
    units_known, row = np.unique(np.asarray(units), return_inverse=True)
    counts = np.zeros((len(units_known), len(possible)))
    column = np.array([possible.index(answer) for answer in answers], dtype=np.intp)
    np.add.at(counts, (row, column), 1)
    return counts


def krippendorff_alpha(counts: Numbers, level: str = "nominal") -> float:
    """Return alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability").

    ``level``: ``nominal``, or ``ordinal`` where the columns are in order, or ``interval`` where
    they are equally far apart. NaN where nobody could disagree: no unit with two answers, or one
    answer.
    """
    paired = counts[counts.sum(1) >= 2]
    totals = paired.sum(0)
    n = totals.sum()
    apart = _distances(totals, level)
    expected = totals @ apart @ totals / (n - 1) if n > 1 else 0.0
    if not expected:
        return float("nan")
    within = np.einsum("uc,ck,uk->u", paired, apart, paired) / (paired.sum(1) - 1)
    return float(1 - within.sum() / expected)


def _distances(totals: Numbers, level: str) -> Numbers:
    """Return the squared difference of each two answers."""
    size = len(totals)
    if level == "nominal":
        return 1 - np.eye(size)
    if level == "interval":
        return np.subtract.outer(np.arange(size), np.arange(size)).astype(float) ** 2
    middles = np.cumsum(totals) - totals / 2
    return np.asarray(np.subtract.outer(middles, middles) ** 2)


def gwet_ac(counts: Numbers, ordered: bool = False) -> float:
    """Return AC1, or AC2 with quadratic weights where the answers are ``ordered``.

    Gwet (2008, "Computing inter-rater reliability and its variance"; 2014, "Handbook of inter-rater
    reliability"). Unlike alpha it does not fall where nearly all answers are the same. NaN where no
    unit has two answers, or only one answer was possible.
    """
    size = counts.shape[1]
    rated = counts[counts.sum(1) > 0]
    paired = rated[rated.sum(1) >= 2]
    if size < 2 or not len(paired):
        return float("nan")
    weights = _weights(size, ordered)
    n = paired.sum(1)
    agreed = ((paired * (paired @ weights - 1)).sum(1) / (n * (n - 1))).mean()
    shares = (rated / rated.sum(1, keepdims=True)).mean(0)
    chance = weights.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum()
    return float((agreed - chance) / (1 - chance))


def _weights(size: int, ordered: bool) -> Numbers:
    if not ordered:
        return np.eye(size)
    return 1 - np.subtract.outer(np.arange(size), np.arange(size)) ** 2 / (size - 1) ** 2
