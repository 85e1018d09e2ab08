"""Intervals, tests and correlations against scipy and numbers worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from solecism.reports.comparison import compare, mcnemar, paired_bootstrap
from solecism.scoring.summary import wilson


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys(counts: tuple[int, int]) -> None:
    right, n = counts
    theirs = stats.binomtest(right, n).proportion_ci(method="wilson")
    ours = wilson(right, n)
    assert ours.value == right / n
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_binomial_test(first: int, second: int) -> None:
    exact, mid = mcnemar(first, second)
    n, least = first + second, min(first, second)
    if n == 0:
        assert (exact, mid) == (1.0, 1.0)
        return
    assert exact == pytest.approx(stats.binomtest(least, n).pvalue, rel=1e-9)
    by_hand = min(1.0, 2 * stats.binom.cdf(least, n, 0.5) - stats.binom.pmf(least, n, 0.5))
    assert mid == pytest.approx(by_hand, rel=1e-9)


def test_bootstrap_of_clusters_of_many_sizes_is_a_plain_loops() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 5, 60)
    clusters = np.repeat(np.arange(60), sizes)
    difference = rng.choice([-1.0, 0.0, 0.5, 1.0], len(clusters))
    groups = [difference[clusters == c] for c in range(60)]
    means = [
        np.concatenate([groups[c] for c in rng.integers(0, 60, 60)]).mean() for _ in range(4000)
    ]
    ours = paired_bootstrap(difference, clusters)
    assert (ours.low, ours.high) == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.02)


def test_compare_counts_ties_between_right_and_wrong() -> None:
    first = np.array([1, 1, 0.5, 0, 1, 0.5])
    second = np.array([1, 0, 0, 0.5, 0.5, 0.5])
    found = compare(first, second)
    assert (found.n, found.better, found.worse) == (6, 3, 1)
    assert found.difference == pytest.approx(4 / 6 - 2.5 / 6)
    assert found.p_exact == pytest.approx(stats.binomtest(1, 4).pvalue)
    assert found.low <= found.difference <= found.high
