"""What people found: who counts, what is right, what is confirmed; the report of it."""

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from judged import collect, save_session
from people import made_study
from solecism.commands import main
from solecism.errors import InputError
from solecism.judge.design import Rules, Study
from solecism.judge.importing import import_answers, read_answer_table, save_answers
from solecism.judge.outcome import Outcome, outcome_of

Item = Mapping[str, str]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return made_study(tmp_path / "study", title="<script>alert(1)</script>")


def good(item: Item, position: int) -> dict[str, Any]:
    return {"shown": ("good", "bad")[position % 2], "answer": "good"}


def wrong_of_p1(item: Item, position: int) -> dict[str, Any]:
    if item["UID"] == "p1" and item["kind"] == "item":
        return {"shown": "good", "answer": "bad"}
    return good(item, position)


def with_one(study: Study, tmp_path: Path, **changes: Any) -> Outcome:
    """Return the outcome of one good judge and one who is changed."""
    one = save_session(study, tmp_path / "one.json", "ada")
    two = save_session(study, tmp_path / "two.json", "bob", **changes)
    return outcome_of(study, import_answers(study, [one, two]).table)


def first_place(item: Item, position: int) -> dict[str, Any]:
    said = good(item, position)
    return {**said, "answer": said["shown"]}


def fails_catch(item: Item, position: int) -> dict[str, Any]:
    return {**good(item, position), "answer": "bad" if item["kind"] == "catch" else "good"}


def quick(item: Item, position: int) -> dict[str, Any]:
    return {**good(item, position), "time": 200}


@pytest.mark.parametrize(
    ("says", "reasons"),
    [(first_place, "catch one_sided"), (fails_catch, "catch"), (quick, "median_time"), (good, "")],
)
def test_judges_are_left_out_by_the_rules(
    study: Study, tmp_path: Path, says: Any, reasons: str
) -> None:
    found = with_one(study, tmp_path, says=says)
    assert list(found.judges["reasons"]) == ["", reasons]
    assert found.overall.judges == (1 if reasons else 2)


def test_a_session_that_was_broken_off(study: Study, tmp_path: Path) -> None:
    path = save_session(study, tmp_path / "one.json", "ada")
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "finished": False, "rows": said["rows"][:6]}))
    found = outcome_of(study, import_answers(study, [path]).table)
    assert list(found.judges["reasons"]) == ["completed one_sided"]
    assert found.judges["completed"][0] == pytest.approx(6 / study.totals[0])
    assert not len(found.pairs)


def test_flags_and_native_languages_leave_answers_out(study: Study, tmp_path: Path) -> None:
    assert study.rules.native_language == ("en",)
    foreign = with_one(study, tmp_path, native_language="de")
    assert list(foreign.judges["left_out"]) == [0, 6]
    assert foreign.overall.judges == 1
    assert with_one(study, tmp_path, flags=["honeypot"]).overall.judges == 1
    assert with_one(study, tmp_path, flags=["resumed"]).overall.judges == 2
    open_to_all = replace(study, rules=Rules(native_language=(), flags=()))
    rows = import_answers(study, [tmp_path / "one.json", tmp_path / "two.json"]).table
    assert outcome_of(open_to_all, rows).overall.judges == 2


def rates(item: Item, position: int) -> dict[str, Any]:
    """A judge who rates good sentences 5 to 7 and bad ones 1 to 3, but those of p1 alike."""
    side = "good" if item.get("good") else "bad"
    if item["UID"] == "p1":
        return {"shown": side, "rating": 4}
    return {"shown": side, "rating": (5 if side == "good" else 1) + position % 3}


def test_ratings(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", design="likert", lists=2, catch=0, practice=0)
    collect(study, 6, rates)
    found = outcome_of(replace(study, rules=Rules(one_sided=1.0)), read_answer_table(study))
    one, two = found.levels["paradigm"]
    assert one.individual.value == 1
    assert one.gap is not None
    assert one.gap.low > 0.5
    assert one.kept == 3
    assert two.gap is not None
    assert two.gap.low < 0 < two.gap.high
    pairs = found.pairs[found.pairs["UID"] == "p0"]
    assert ((pairs["rating_good"] - pairs["rating_bad"]) > 2).all()
    assert found.overall.ac1 > found.overall.alpha - 1


def reads(item: Item, position: int) -> dict[str, Any]:
    side = "good" if item.get("good") else "bad"
    if item["UID"] == "p1" and side == "bad":
        return {"shown": side, "answer": ("yes", "not applicable")[position % 2]}
    return {"shown": side, "answer": "yes" if side == "good" else "no", "comment": "so"}


def test_readings_of_experts(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", design="expert", lists=1, catch=0, practice=0)
    collect(study, 4, reads)
    one, two = outcome_of(study, read_answer_table(study)).levels["paradigm"]
    assert one.individual.value == 1
    assert (one.kept, two.kept) == (3, 0)
    assert one.answers == 24
    assert 12 <= two.answers < 24
    assert one.alpha == 1


def test_the_report(study: Study, tmp_path: Path) -> None:
    run, out = partial(CliRunner().invoke, main), tmp_path / "out"
    none = run(["judge", "report", str(study.folder)])
    assert none.exit_code == 2
    assert "there are no answers yet" in none.output
    collect(study, 3, wrong_of_p1)
    found = json.loads(run(["judge", "report", str(study.folder), "--json"]).output)
    assert [group["individual"] for group in found["paradigm"]] == [1, 0]
    assert found["paradigms_below"] == ["p1"]
    assert [pair["UID"] for pair in found["pairs_rejected"]] == ["p1"] * 3
    assert found["overall"]["individual"] == 0.5
    assert found["without_exclusions"]["answers"] == 18
    done = run(["judge", "report", str(study.folder), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "3 of 6 pairs are rejected by people" in done.output
    assert "fewer than 80 % of pairs are confirmed: p1" in done.output
    assert max(map(len, done.output.splitlines()[:-1])) <= 80
    names = {"analysis.R", "answers.csv", "groups.csv", "judges.csv", "pairs.csv", "report.html"}
    assert {path.name for path in out.iterdir()} == names
    rows = list(csv.DictReader((out / "answers.csv").read_text().splitlines()))
    assert len(rows) == 18
    assert {row["right"] for row in rows if row["UID"] == "p1"} == {"0"}
    page = (out / "report.html").read_text()
    assert "Pairs that people reject" in page
    assert "<mark>" in page
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_pair_has_one_paradigm(study: Study) -> None:
    collect(study, 2)
    table = read_answer_table(study)
    mixed = ["other", *table["UID"].to_pylist()[1:]]
    place = table.column_names.index("UID")
    save_answers(study, table.set_column(place, "UID", pa.array(mixed)))
    with pytest.raises(InputError, match="has several values of UID"):
        read_answer_table(study)
