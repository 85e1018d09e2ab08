"""Agreement against published examples, intervals against what they promise."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from solecism.judge.outcome import (
    answer_counts,
    gwet_ac,
    krippendorff_alpha,
    share_interval,
)

# Krippendorff (2011), section C: four observers, twelve units; a point is a missing value. The same
# data are Gwet's example of four raters with missing ratings (2014, table 2.10).
DATA = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def published() -> np.ndarray:
    answers = [(unit, int(v) - 1) for row in DATA for unit, v in enumerate(row) if v != "."]
    return answer_counts(*np.array(answers).T, 5)


def counts(units: Sequence[int], answers: Sequence[int], possible: int = 2) -> np.ndarray:
    return answer_counts(np.array(units), np.array(answers), possible)


def test_the_published_example() -> None:
    assert krippendorff_alpha(published()) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(published(), ordered=True) == pytest.approx(0.815, abs=5e-4)
    assert gwet_ac(published()) == pytest.approx(0.77544, abs=5e-5)
    assert gwet_ac(published(), ordered=True) > gwet_ac(published())


def test_nothing_to_agree_about() -> None:
    assert math.isnan(krippendorff_alpha(counts([0, 0], [0, 0])))
    assert gwet_ac(counts([0, 0], [0, 0])) == 1.0
    assert math.isnan(gwet_ac(counts([0, 1], [0, 1])))


def influence(values: np.ndarray) -> np.ndarray:
    return np.asarray((values - values.mean()) / len(values))


@pytest.mark.nightly
def test_the_interval_covers_the_truth_where_judges_and_items_differ() -> None:
    random = np.random.default_rng(2)
    draws = 1.5 + np.sqrt(2) * random.normal(size=2_000_000)
    truth = float((1 / (1 + np.exp(-draws))).mean())
    judges, items = np.repeat(np.arange(30), 40), np.tile(np.arange(40), 30)
    covered, naive = 0, 0
    for _ in range(200):
        level = 1.5 + random.normal(size=30)[judges] + random.normal(size=40)[items]
        values = (random.random(len(level)) < 1 / (1 + np.exp(-level))).astype(float)
        share = float(values.mean())
        found = share_interval(share, influence(values), judges, items)
        covered += found.low <= truth <= found.high
        naive += abs(share - truth) <= 1.96 * values.std() / math.sqrt(len(values))
    assert covered >= 180
    assert naive < 120


def test_answers_that_are_all_alike_leave_doubt() -> None:
    judges, items = np.tile([0, 1], 10), np.repeat(np.arange(10), 2)
    found = share_interval(1.0, influence(np.ones(20)), judges, items)
    assert found.high == 1
    assert found.low < 0.4
