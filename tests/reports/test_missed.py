"""The items that all models miss."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from release import small_root
from scored import make_pairs, scores_of, write_result
from solecism.commands import main
from solecism.datasets.build import build
from solecism.errors import InputError
from solecism.reports.report import report
from solecism.scoring.items import open_items


def margins(n: int, *wrong: int) -> np.ndarray:
    """Margins of ``n`` items, of which the model misses those at ``wrong``."""
    made = np.full(n, 3.0)
    made[list(wrong)] = -3.0
    return made


def test_share_and_chance_are_plain_counts(tmp_path: Path) -> None:
    """Pairs 0, 1, 8, 9 ... are of the first of four paradigms."""
    pairs = make_pairs(80)
    ties = margins(80, 0, 1, 8, 9, 2)
    ties[16] = 0.0
    for name, found in (("a", margins(80, 0, 1, 8, 16)), ("b", ties), ("c", margins(80, 0, 8, 3))):
        write_result(tmp_path / name, scores_of(pairs, found), f"org/{name}")
    made = report(tmp_path, missed=True).to_json()
    first, *rest = made["paradigms"]
    assert (made["models"], made["left_out"]) == (("a", "b", "c"), 0)
    assert (first["name"], first["n"], first["share"]) == ("demo/xx/simple_agrmt", 20, 2 / 20)
    assert first["chance"] == pytest.approx(4 / 20 * 4 / 20 * 2 / 20)
    assert [item["id"] for item in first["items"]] == ["i0", "i8"]
    assert [len(paradigm["items"]) for paradigm in rest] == [0, 0, 0]


def test_sentences_stand_below_their_paradigm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build(
        "clams", out=tmp_path / "clams", root=small_root(tmp_path / "root", "he", ["simple_agrmt"])
    )
    items = open_items("clams/he")
    pairs = next(items.tables(limit=50))
    for name, n in (("a", 50), ("b", 40)):
        scores = scores_of(pairs.slice(0, n), margins(n, 7))
        write_result(tmp_path / "r" / name, scores, name, "he", data="clams", digest=items.digest)
    row = pairs.to_pylist()[7]
    monkeypatch.setenv("COLUMNS", "80")
    text = CliRunner().invoke(main, ["report", "r", "--missed"]).output
    assert "clams/he/simple_agrmt    40             1 2.5 %     0.1 %" in text
    assert f"{row['id']}  {row['sentence_good']}\n" in text
    assert f"\n{'*':>18}{row['sentence_bad']}\n" in text
    assert "10 items that not all of them have scored are left out" in text
    found = json.loads(CliRunner().invoke(main, ["report", "r", "--missed", "--json"]).output)
    (item,) = found["paradigms"][0]["items"]
    assert item == {key: row[key] for key in ("id", "sentence_good", "sentence_bad")}


def test_bad_input(tmp_path: Path) -> None:
    pairs = make_pairs(80)
    for name, some in (("a", pairs.slice(0, 40)), ("b", pairs.slice(40))):
        write_result(tmp_path / name, scores_of(some, margins(40)), name)
    with pytest.raises(InputError, match="no item was scored by all of a, b"):
        report(tmp_path, missed=True)
    with pytest.raises(InputError, match="choose one"):
        report(tmp_path, missed=True, diff=True)
    write_result(tmp_path / "a2", scores_of(pairs, margins(80)), "a", version="2.0.0")
    with pytest.raises(InputError, match="a has two results on the same items"):
        report(tmp_path, missed=True)
