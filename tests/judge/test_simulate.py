"""Synthetic participants take the real page."""

from __future__ import annotations

from pathlib import Path

import pytest

from people import browser_or_skip, made_study
from simulate import Crowd, simulate
from solecism.inputs import check
from solecism.judge.design import AnswerDelivery
from solecism.judge.protocol import SAVED
from solecism.judge.schema import DESIGNS

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module", autouse=True)
def _browser() -> None:
    with browser_or_skip():
        pass


@pytest.mark.parametrize("design", DESIGNS)
def test_a_crowd_answers_as_it_was_told(tmp_path: Path, design: str) -> None:
    home = AnswerDelivery("jatos")
    study = made_study(tmp_path / "study", design=design, lists=2, home=home)
    saved = simulate(study, Crowd(4, accuracy=1.0, guessers=0.25), tmp_path / "page")
    for one in saved:
        check(one, SAVED, Path("saved"))
    assert [one["list"] for one in saved] == [1, 2, 1, 2]
    assert all(one["study"] == study.id and one["finished"] for one in saved)
    assert all("simulated" in row["flags"] for one in saved for row in one["rows"])
    assert [len(one["rows"]) for one in saved] == [study.totals[0], study.totals[1]] * 2
    right = [all(map(_right, one["rows"])) for one in saved]
    assert right == [True, True, True, False]


def _right(row: dict[str, object]) -> bool:
    if row["design"] == "choice":
        return row["answer"] == "good"
    if row["design"] == "expert":
        return (row["answer"] == "yes") == (row["shown"] == "good")
    return (int(str(row["rating"])) > 4) == (row["shown"] == "good")


def test_they_can_look_and_click(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", pairs=1, practice=0, catch=0)
    (saved,) = simulate(study, Crowd(1, visual=True), tmp_path / "page")
    assert len(saved["rows"]) == 2
    assert all(row["time"] >= 900 for row in saved["rows"])
