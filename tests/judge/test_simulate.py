"""Synthetic participants take the real page."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from people import browser_or_skip, made_study
from solecism.errors import InputError
from solecism.inputs import check
from solecism.judge import simulate as simulating
from solecism.judge.design import Home
from solecism.judge.protocol import SAVED
from solecism.judge.schema import DESIGNS
from solecism.judge.simulate import Crowd, simulate

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("design", DESIGNS)
def test_a_crowd_answers_as_it_was_told(tmp_path: Path, design: str) -> None:
    study = made_study(tmp_path / "study", design=design, lists=2, home=Home("jatos"))
    with browser_or_skip():
        pass
    files = simulate(study, Crowd(4, accuracy=1.0, guessers=0.25), tmp_path / "out")
    saved = [json.loads(path.read_text("utf-8")) for path in files]
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
    with browser_or_skip():
        pass
    (file,) = simulate(study, Crowd(1, visual=True), tmp_path / "out")
    rows = json.loads(file.read_text("utf-8"))["rows"]
    assert len(rows) == 2
    assert all(row["time"] >= 900 for row in rows)


def test_without_chromium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright", reason="needs the extra `simulate`")
    study = made_study(tmp_path / "study")
    monkeypatch.setattr(simulating, "find_chromium", lambda own: None)
    with pytest.raises(InputError, match="there is no Chromium here"):
        simulate(study, Crowd(1), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_without_playwright(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = made_study(tmp_path / "study")
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(InputError, match=r"pip install 'solecism\[simulate\]'"):
        simulate(study, Crowd(1), tmp_path / "out")


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", home=Home("server"))
    with browser_or_skip():
        pass
    with pytest.raises(InputError, match=r"did not come to the end of http://127\.0\.0\.1:9/"):
        simulate(study, Crowd(1), tmp_path / "out", "http://127.0.0.1:9/")
