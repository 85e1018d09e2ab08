"""How far the margins of models go with what people say of the same pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.reports.comparison import correlation
from solecism.reports.people import ratings_of_pairs
from solecism.scoring.results import Result

__all__ = ["MarginCorrelation", "margin_correlations", "margin_lines", "rank_correlation"]

LEAST = 5
"""Fewer pairs than this give no correlation."""


@dataclass(frozen=True)
class MarginCorrelation:
    """Spearman's correlation of a model's margins with people's ratings of ``n`` pairs.

    The rating of a pair is the gap of its two ratings, in a forced choice its accuracy.
    """

    model: str
    config: str
    value: float
    n: int


def margin_correlations(results: Iterable[Result]) -> list[MarginCorrelation]:
    """Return the correlation of each result whose data set has judgments of pairs beside it."""
    return list(_correlations(results))


def _correlations(results: Iterable[Result]) -> Iterator[MarginCorrelation]:
    for result in results:
        run = result.run
        ratings = ratings_of_pairs(run["data"], run["config"])
        if not ratings:
            continue
        table = result.read(["id", "margin"])
        table = table.filter(pc.is_valid(table["margin"]))
        scored = zip(table["id"].to_pylist(), table["margin"].to_pylist(), strict=True)
        both = [(margin, ratings[key]) for key, margin in scored if key in ratings]
        if len(both) >= LEAST:
            margins, said = np.array(both, dtype=float).T
            value = rank_correlation(margins, said)
            yield MarginCorrelation(
                run["model"], f"{run['data']}/{run['config']}", value, len(both)
            )


def rank_correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return Spearman's correlation, equal values at the mean of their ranks.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 20.0])) > 0.86
    True
    """
    return correlation(_ranks(first), _ranks(second))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place])


def margin_lines(found: Sequence[MarginCorrelation]) -> list[str]:
    """Return a line each."""
    return [
        f"margins of {one.model} and people on {one.config}: "
        f"Spearman {one.value:.2f} ({one.n:,} pairs)"
        for one in found
    ]
