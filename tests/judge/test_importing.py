"""Answers from our page and server, and from the programs of others, in one table."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from judged import save_session
from people import made_study
from solecism.commands import main
from solecism.errors import InputError
from solecism.files import csv_of
from solecism.judge.design import Study, read_study
from solecism.judge.exporting import export_study
from solecism.judge.importing import (
    TABLE,
    import_answers,
    known_trials,
    read_answer_table,
    save_answers,
)
from solecism.judge.protocol import pseudonym
from solecism.judge.schema import ANSWERS
from solecism.judge.server import AnswerStore

COLUMNS = "worker,construction,grammatical,ungrammatical,chosen"

FOREIGN = """\
[study]
design = "choice"
title = "Somebody's study"
language = "en"
seed = 0
pairs = 1
judges = 1
practice = 0
catch = 0

[[data]]
config = "demo/en"

[columns]
participant = "worker"
good = "grammatical"
bad = "ungrammatical"
answer = "chosen"
UID = "construction"
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return made_study(tmp_path / "study", lists=1)


def rows_of(study: Study, *paths: Path, **more: Any) -> list[dict[str, Any]]:
    return import_answers(study, paths, **more).table.to_pylist()


def items_of(study: Study) -> list[dict[str, str]]:
    return [dict(item) for item in study.items.values() if item["kind"] == "item"]


def foreign(folder: Path, text: str = FOREIGN) -> Study:
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(text)
    return read_study(folder, foreign=True)


def test_files_of_our_page(study: Study, tmp_path: Path) -> None:
    one = save_session(study, tmp_path / "one.json", "ada")
    two = save_session(study, tmp_path / "two.json", "bob", flags=["honeypot"])
    table, twice = import_answers(study, [one, two, one])
    rows = table.to_pylist()
    assert len(rows) == 2 * twice == 2 * study.totals[0]
    assert {row["participant"] for row in rows} == {"ada", "bob"}
    assert rows[-1]["flags"] == ["honeypot"]
    assert [row["position"] for row in rows[: study.totals[0]]] == [*range(1, study.totals[0] + 1)]


def test_answers_of_the_server(study: Study) -> None:
    store = AnswerStore(study)
    session = store.begin("code", {})["session"]
    key = study.lists[0][0]
    said = {"session": session, "position": 1, "item": key}
    store.answer({**said, "row": {"shown": "good", "answer": "bad", "time": 700}})
    (row,) = rows_of(study)
    assert (row["participant"], row["answer"], row["time"]) == ("code", "bad", 700)
    assert read_answer_table(study).num_rows == 1


def test_trials_of_jspsych(study: Study, tmp_path: Path) -> None:
    one, two = items_of(study)[:2]
    known = {"trial_type": "html-button-response", "subject_id": "PID1", "rt": 812.4}
    trials = [
        {"trial_type": "preload", "rt": None, "trial_index": 0},
        {**known, "trial_index": 1, "item": one["key"], "shown": "bad", "response": 1},
        {**known, "trial_index": 2, "id": two["id"], "shown": "good", "response": "f"},
    ]
    (tmp_path / "data.json").write_text(json.dumps(trials))
    first, second = rows_of(study, tmp_path / "data.json")
    assert first["answer"] == second["answer"] == "good"
    assert (first["time"], first["position"]) == (812, 1)
    assert first["participant"] == pseudonym("PID1", study.salt)
    assert second["UID"] == two["UID"]


PCIBEX = """\
#
# Results on Saturday November 21 2026 12:00:00 UTC
# Columns below this comment are as follows:
# 1. Results reception time.
# 2. MD5 hash of participant's IP address.
# 3. Controller name.
# 4. PennElementType.
# 5. PennElementName.
# 6. Parameter.
# 7. Value.
# 8. EventTime.
# 9. participant.
# 10. item.
# 11. shown.
# 12. Comments.
1795262400,abc,PennController,PennController,12,_Trial_,Start,1000,p1,{one},bad,NULL
1795262400,abc,PennController,Selector,answer,Selection,second,2250,p1,{one},bad,NULL
1795262400,abc,PennController,Html,consent,_Trial_,End,2300,p1,,,NULL
"""


def test_results_of_pcibex(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(PCIBEX.format(one=items_of(study)[0]["key"]))
    (row,) = rows_of(study, path)
    assert (row["answer"], row["time"], row["shown"]) == ("good", 1250, "bad")


def test_any_csv_through_columns(tmp_path: Path) -> None:
    study = foreign(tmp_path / "study")
    path = tmp_path / "batch.csv"
    path.write_text(
        f"{COLUMNS}\nw1,sv,The dog barks.,The dog bark.,The dog barks.\n"
        "w1,sv,The cats sleep.,The cats sleeps.,The cats sleeps.\n"
        "w2,sv,The dog barks.,The dog bark.,good\n"
    )
    rows = rows_of(study, path)
    assert [row["answer"] for row in rows] == ["good", "bad", "good"]
    assert [row["position"] for row in rows] == [1, 2, 1]
    assert [row["trials"] for row in rows] == [2, 2, 1]
    assert rows[0]["id"] == rows[2]["id"] != rows[1]["id"]
    assert rows[0]["config"] == "demo/en"
    assert "w1" not in json.dumps(rows)


def test_pairs_of_a_data_set_are_known_by_their_sentences(study: Study, tmp_path: Path) -> None:
    item = items_of(study)[0]
    cells = ("w1", "sv", item["good"], item["bad"], item["bad"])
    (tmp_path / "batch.csv").write_text(f"{COLUMNS}\n{','.join(cells)}\n")
    known = known_trials(study.items)
    (row,) = rows_of(foreign(tmp_path / "other"), tmp_path / "batch.csv", known=known)
    assert (row["id"], row["UID"], row["answer"]) == (item["id"], item["UID"], "bad")


REFUSED = [
    (f"{COLUMNS}\n,sv,A b.,B a.,A b.\n", r"\.csv:2: does not say who answered"),
    (f"{COLUMNS}\nw1,sv,A b.,B a.,C.\n", r"\.csv:2: answer 'C.' is neither good or bad"),
    (f"{COLUMNS}\nw1,sv,,,good\n", r"\.csv:2: does not say which pair"),
    (f"{COLUMNS}\nw1,sv,A b.,B a.\n", r"\.csv:2: has 4 cells, the heads are 5"),
    (COLUMNS.replace("worker", "workers"), r"columns\.participant: there is no column 'worker'"),
    ("[1, 2]", "is of none of the formats own, jspsych"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_not_understood_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "batch.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        rows_of(foreign(tmp_path / "study"), tmp_path / "batch.csv")


def test_what_does_not_fit_the_study_is_named(study: Study, tmp_path: Path) -> None:
    one = save_session(study, tmp_path / "one.json", "ada")
    two = tmp_path / "two.json"
    two.write_text(one.read_text().replace('"answer": "good"', '"answer": "bad"', 1))
    with pytest.raises(InputError, match=r"two\.json:1: ada has two answers to"):
        rows_of(study, one, two)
    two.write_text(one.read_text().replace(study.id, "0" * 16))
    with pytest.raises(InputError, match=f"has answers to study 0+, this is {study.id}"):
        rows_of(study, two)
    for old, new in (('"item": "', '"item": "no'), ('"finished": true', '"finished": 3')):
        two.write_text(one.read_text().replace(old, new, 1))
        with pytest.raises(InputError, match=r"two\.json:1: "):
            rows_of(study, two)
    (tmp_path / "data.csv").write_text("participant,item,shown,answer\nada,i99,good,good\n")
    with pytest.raises(InputError, match=r"data\.csv:2: the study has no trial 'i99' .*i"):
        rows_of(study, tmp_path / "data.csv")
    with pytest.raises(InputError, match=r"unknown format 'pcibx' .*pcibex"):
        rows_of(study, one, kind="pcibx")


def test_ratings_and_readings(tmp_path: Path) -> None:
    likert = made_study(tmp_path / "likert", design="likert", lists=2, catch=0, practice=0)
    path, key = tmp_path / "ratings.csv", likert.lists[0][0]
    # as Label Studio exports them
    path.write_text(f"annotator,annotation_id,item,rating,lead_time\n1,1,{key},6,1.5\n")
    (row,) = rows_of(likert, path)
    assert (row["rating"], row["answer"], row["time"]) == (6, None, 1500)
    assert likert.items[key][row["shown"]]
    path.write_text(f"participant,item,rating\nada,{key},8\n")
    with pytest.raises(InputError, match="rating is 8, not a whole number from 1 to 7"):
        rows_of(likert, path)
    expert = made_study(tmp_path / "expert", design="expert", lists=1, catch=0, practice=0)
    path.write_text(f"participant,item,answer,reason\nada,{expert.lists[0][0]},No,form\n")
    (row,) = rows_of(expert, path)
    assert (row["answer"], row["reason"]) == ("no", "form")


def test_the_commands(study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    folder.mkdir()
    for name in ("ada", "bob"):
        save_session(study, folder / f"{name}.json", name)
    done = CliRunner().invoke(main, ["judge", "import", str(study.folder), str(folder)])
    assert done.exit_code == 0, done.output
    assert f"{2 * study.totals[0]} answers of 2 people" in done.output
    assert pq.read_table(study.folder / TABLE).schema.names == ANSWERS.names
    done = CliRunner().invoke(main, ["judge", "serve", str(study.folder), "--status", "--json"])
    (state,) = json.loads(done.output)
    assert (state["people"], state["finished"], state["answers"]) == (2, 2, 2 * study.totals[0])
    gone = CliRunner().invoke(main, ["judge", "serve", str(study.folder), "--remove", "ada"])
    assert gone.output == f"{study.totals[0]} answers of ada are removed\n"
    again = CliRunner().invoke(main, ["judge", "serve", str(study.folder), "--remove", "ada"])
    assert again.exit_code == 2
    assert "nobody has the code 'ada'" in again.output
    assert set(read_answer_table(study)["participant"].to_pylist()) == {"bob"}


def test_a_sheet_of_an_expert(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", design="expert", practice=0, catch=0)
    export_study(study, "sheet", tmp_path / "out")
    with (tmp_path / "out" / "sheet-1.csv").open(newline="") as file:
        read = [row | {"answer": "yes"} for row in csv.DictReader(file)]
    assert [*read[0]] == ["item", "sentence", "answer", "reason", "comment"]
    for reader in ("ada", "bob"):
        (tmp_path / f"answers-{reader}.csv").write_text(csv_of(read))
    rows = rows_of(study, tmp_path / "answers-ada.csv", tmp_path / "answers-bob.csv")
    assert len(rows) == 2 * study.totals[0]
    assert len({row["participant"] for row in rows}) == 2


HEADS = "participant,item,shown,answer,time"
BROKEN = [
    (f"{HEADS}\nada,i1,good,good,1e+308\n", r"time is '1e\+308'"),
    (f"{HEADS}\n{'x' * 100_000},i1,good,good,1\n", "participant has more th"),
    (f'{HEADS}\n"ada,i1,good\n', "is no table"),
    ('[{"trial_type": "x", "item": "i1", "rt": NaN}]', "NaN is not a number in JSON"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_broken_files_are_told(study: Study, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "answers.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        rows_of(study, tmp_path / "answers.txt")


ODD = [("kind", "itm"), ("answer", None), ("id", "x" * 100_000), ("config", "demo/../../evil")]


@pytest.mark.parametrize(("name", "value"), ODD)
def test_tables_of_others_are_checked(study: Study, tmp_path: Path, name: str, value: Any) -> None:
    (*rows, last) = rows_of(study, save_session(study, tmp_path / "one.json", "ada"))
    save_answers(study, pa.Table.from_pylist([*rows, last | {name: value}], ANSWERS))
    with pytest.raises(InputError, match=rf"answers\.parquet: {name}\b"):
        read_answer_table(study)
