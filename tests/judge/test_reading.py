"""Blind readings: sheets without labels, and what the answers say."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from solecism.commands import main
from solecism.judge.reading import ReadPair, agreement, sample

RELEASED = "True\tthe author laughs\nFalse\tthe author laugh\n" + "".join(
    f"True\tthe pilot has {n} cakes\nFalse\tthe pilot have {n} cakes\n" for n in range(20)
)


def run(*arguments: str | Path, code: int = 0) -> str:
    """Run a verb; return what it printed."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done.output


def cells(path: Path) -> list[dict[str, str]]:
    """Read a tab-separated file."""
    header, *lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return [dict(zip(header, line, strict=True)) for line in lines]


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """A folder with a sheet of French pairs, mixed with a released set."""
    (tmp_path / "released.txt").write_text(RELEASED)
    run(
        "read",
        "clams/fr",
        "--sample",
        "44",
        "--with",
        tmp_path / "released.txt",
        "--out",
        tmp_path / "r",
    )
    return tmp_path / "r"


def answer(folder: Path, reader: str, choices: dict[str, str], sense: str = "sensible") -> None:
    """Write the answers of a reader: ``choices`` by item, else the right side."""
    lines = ["item\tchoice\tsense"]
    for row in cells(folder / "key.tsv"):
        lines.append(f"{row['item']}\t{choices.get(row['item'], row['good'])}\t{sense}")
    (folder / f"answers-{reader}.tsv").write_text("\n".join(lines) + "\n")


def test_a_sheet_mixes_sets_and_does_not_say_which_side_is_good(sheet: Path) -> None:
    rows, key = cells(sheet / "sheet.tsv"), cells(sheet / "key.tsv")
    assert list(rows[0]) == ["item", "a", "b", "choice", "sense", "comment"]
    sets = [row["set"].rpartition("/")[2] for row in key]
    assert Counter(sets) == {"fr": 44, "released.txt": 21}
    assert len(set(sets[:15])) == 2
    sides = Counter(row["good"] for row in key)
    assert min(sides["a"], sides["b"]) > 20
    per_paradigm = Counter(row["UID"] for row in key if row["set"] == "clams/fr").values()
    assert max(per_paradigm) - min(per_paradigm) <= 1
    for row, known in zip(rows, key, strict=True):
        if row["a"] == "the author laughs" or row["b"] == "the author laughs":
            assert row[known["good"]] == "the author laughs"


def test_the_same_seed_makes_the_same_sheet(sheet: Path, tmp_path: Path) -> None:
    more = ["--sample", "44", "--with", tmp_path / "released.txt", "--out"]
    run("read", "clams/fr", *more, tmp_path / "again")
    run("read", "clams/fr", "--seed", "1", *more, tmp_path / "other")
    texts = [(tmp_path / name / "sheet.tsv").read_text() for name in ("r", "again", "other")]
    assert texts[0] == texts[1] != texts[2]


def test_answers_become_shares_of_labels_and_sense(sheet: Path) -> None:
    key = cells(sheet / "key.tsv")
    ours = [row["item"] for row in key if row["set"] == "clams/fr"]
    good = {row["item"]: row["good"] for row in key}
    answer(
        sheet,
        "one",
        {ours[0]: "both", ours[1]: "neither", ours[2]: "b" if good[ours[2]] == "a" else "a"},
    )
    answer(sheet, "two", {}, sense="odd")
    told = json.loads(run("read", "--answers", sheet, "--json"))
    (released, mine) = (f for f in told["findings"] if f["reader"] == "one")
    assert (mine["set"], mine["items"]) == ("clams/fr", 44)
    assert [mine[label] for label in ("right", "wrong", "both fine", "neither")] == [41, 1, 1, 1]
    assert (mine["sensible"], mine["odd"], released["right"]) == (44, 0, 21)
    assert 0.9 < mine["sensible_low"] < mine["sensible_high"] == 1
    labels, senses = told["agreement"]
    assert (labels["answers"], labels["same"]) == ("labels", pytest.approx(62 / 65))
    assert (senses["same"], senses["kappa"]) == (0, 0)
    by_uid = json.loads(run("read", "--answers", sheet, "--by", "UID", "--json"))["findings"]
    assert {f["UID"] for f in by_uid} == {row["UID"] for row in key}
    shown = run("read", "--answers", sheet)
    assert "one and two, labels: 95.4% the same" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_answers_may_be_short(sheet: Path) -> None:
    answer(sheet, "short", {}, sense="n")
    (_, ours) = json.loads(run("read", "--answers", sheet, "--json"))["findings"]
    assert ours["nonsense"] == 44


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\tsensible", "\tnice", ":2: sense 'nice' (answers: sensible, odd, nonsense)"),
        ("\tsensible", "\t", ":2: sense ''"),
        ("1\t", "99\t", ":2: item '99' is not in the key"),
        ("item\t", "number\t", ":1: there is no column 'item'"),
    ],
)
def test_bad_answers_are_told(sheet: Path, old: str, new: str, message: str) -> None:
    answer(sheet, "bad", {})
    path = sheet / "answers-bad.tsv"
    path.write_text(path.read_text().replace(old, new, 1))
    assert f"answers-bad.tsv{message}" in run("read", "--answers", sheet, code=2)


def test_missing_answers_are_told(sheet: Path, tmp_path: Path) -> None:
    assert "there are no answers: copy sheet.tsv" in run("read", "--answers", sheet, code=2)
    answer(sheet, "half", {})
    path = sheet / "answers-half.tsv"
    path.write_text("\n".join(path.read_text().splitlines()[:-2]) + "\n")
    assert "item '64' has no answer (2 have none)" in run("read", "--answers", sheet, code=2)
    assert "key.tsv" in run("read", "--answers", tmp_path, code=2)


def test_a_sheet_that_is_there_is_not_written_over(sheet: Path) -> None:
    before = (sheet / "sheet.tsv").read_bytes()
    told = run("read", "clams/fr", "--sample", "5", "--out", sheet, code=2)
    assert "is there already" in told
    assert (sheet / "sheet.tsv").read_bytes() == before


def test_an_unknown_set_is_told(tmp_path: Path) -> None:
    assert "'clams' has no config 'fx'" in run("read", "clams/fx", "--out", tmp_path, code=2)
    assert "solecism read clams/he --out DIR" in run("read", "clams/fr", code=2)


def test_a_sample_is_spread_over_paradigms() -> None:
    pairs = [ReadPair("s", uid, f"{uid} {n}", "x") for uid in "abc" for n in range(30)]
    assert Counter(pair.uid for pair in sample(pairs, 12)) == {"a": 4, "b": 4, "c": 4}
    assert sample(pairs, 6) == sample(pairs, 12)[:6]
    few = [*pairs, ReadPair("s", "d", "d", "x")]
    assert Counter(pair.uid for pair in sample(few, 13)) == {"a": 4, "b": 4, "c": 4, "d": 1}


def test_kappa() -> None:
    """Two readers and four items: 3 of 4 the same, by chance (3 * 2 + 1 * 2) / 16."""
    one = {"1": "odd", "2": "odd", "3": "odd", "4": "sensible"}
    other = {"1": "odd", "2": "odd", "3": "sensible", "4": "sensible"}
    assert agreement(one, other) == (0.75, pytest.approx((0.75 - 0.5) / 0.5))
    assert agreement(one, one) == (1, 1)
