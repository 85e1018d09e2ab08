"""Agreement against published examples, intervals against what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solecism.judge.agreement import answer_counts, gwet_ac, krippendorff_alpha
from solecism.judge.intervals import (
    clustered_error,
    mean_influence,
    mean_interval,
    share_interval,
)

# Krippendorff (2011), section C: four observers, twelve units; a point is a missing value. The same
# data are Gwet's example of four raters with missing ratings (2014, table 2.10).
DATA = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def published() -> np.ndarray:
    units, answers = [], []
    for row in DATA:
        for unit, value in enumerate(row):
            if value != ".":
                units.append(f"{unit:02}")
                answers.append(int(value))
    return answer_counts(units, answers, range(1, 6))


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_published_example(level: str, alpha: float) -> None:
    assert krippendorff_alpha(published(), level) == pytest.approx(alpha, abs=5e-4)


def test_ac1_of_the_published_example() -> None:
    assert gwet_ac(published()) == pytest.approx(0.77544, abs=5e-5)
    assert gwet_ac(published(), ordered=True) > gwet_ac(published())


def test_two_observers_with_binary_data() -> None:
    # Krippendorff (2011), section A: alpha = .095.
    one, two = "0100000010", "1110010000"
    units = [str(n) for n in range(10)] * 2
    assert krippendorff_alpha(answer_counts(units, one + two, "01")) == pytest.approx(
        0.095, abs=5e-4
    )


def test_nothing_to_agree_about() -> None:
    assert math.isnan(krippendorff_alpha(answer_counts(["a", "a"], "xx", "xy")))
    assert gwet_ac(answer_counts(["a", "a"], "xx", "xy")) == 1.0
    assert math.isnan(gwet_ac(answer_counts(["a", "b"], "xy", "xy")))


def test_an_error_without_clusters_is_the_usual_one() -> None:
    values = np.random.default_rng(0).normal(size=400)
    own = [str(n) for n in range(400)]
    error = clustered_error(mean_influence(values), own, own)
    assert error == pytest.approx(values.std(ddof=1) / 20, rel=1e-9)


def test_copies_of_answers_tell_nothing_new() -> None:
    values = np.random.default_rng(1).normal(size=50)
    judges, items = [str(n) for n in range(50)], [f"i{n}" for n in range(50)]
    once = clustered_error(mean_influence(values), judges, items)
    four = clustered_error(mean_influence(np.tile(values, 4)), judges * 4, items * 4)
    assert four == pytest.approx(once, rel=1e-9)


def simulated(random: np.random.Generator) -> tuple[np.ndarray, list[str], list[str]]:
    judge, item = random.normal(size=30), random.normal(size=40)
    rows = [(j, i) for j in range(30) for i in range(40)]
    level = np.array([1.5 + judge[j] + item[i] for j, i in rows])
    values = (random.random(len(rows)) < 1 / (1 + np.exp(-level))).astype(float)
    return values, [f"j{j}" for j, _ in rows], [f"i{i}" for _, i in rows]


def test_the_interval_covers_the_truth_where_judges_and_items_differ() -> None:
    random = np.random.default_rng(2)
    draws = 1.5 + np.sqrt(2) * random.normal(size=2_000_000)
    truth = float((1 / (1 + np.exp(-draws))).mean())
    covered, naive = 0, 0
    for _ in range(200):
        values, judges, items = simulated(random)
        share = float(values.mean())
        found = share_interval(share, mean_influence(values), judges, items)
        covered += found.low <= truth <= found.high
        naive += abs(share - truth) <= 1.96 * values.std() / math.sqrt(len(values))
    assert covered >= 180
    assert naive < 120


def test_answers_that_are_all_alike_leave_doubt() -> None:
    judges, items = ["a", "b"] * 10, [str(n // 2) for n in range(20)]
    found = share_interval(1.0, mean_influence(np.ones(20)), judges, items)
    assert found.high == 1
    assert found.low < 0.4


def test_the_interval_of_a_mean_is_symmetric() -> None:
    values = np.array([1.0, 2.0, 3.0, 6.0])
    found = mean_interval(3.0, mean_influence(values), list("abcd"), list("wxyz"))
    assert found.high - 3 == pytest.approx(3 - found.low)
    assert found.high > 4
