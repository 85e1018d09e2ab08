"""What people found becomes a part of the data set, and of reports about models."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import solecism
from judged import collect
from release import bytes_of
from scored import scores_of, write_result
from solecism.commands import main
from solecism.datasets.manifest import read_manifest
from solecism.errors import InputError
from solecism.judge.accepting import accept
from solecism.judge.creation import StudyOptions, create_study, pairs_of_config
from solecism.judge.design import Study
from solecism.judge.importing import read_answer_table
from solecism.judge.outcome import outcome_of
from solecism.judge.schema import ANSWERS, JUDGMENTS
from solecism.reports.people import margin_correlations
from solecism.reports.report import report
from tiny import edit

UID = "determiner_noun_agreement_2"
OTHER = "adjunct_island"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "blimp"
    solecism.build("blimp", [UID, OTHER], out=folder)
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(built, tmp_path / "blimp"))


def wrong_sometimes(item: Mapping[str, str], position: int) -> dict[str, Any]:
    answer = "bad" if item["kind"] == "item" and int(item["id"], 16) % 3 == 0 else "good"
    return {"shown": ("good", "bad")[position % 2], "answer": answer}


@pytest.fixture
def study(folder: Path, tmp_path: Path) -> Study:
    pairs, data = pairs_of_config(f"{folder}/{UID}")
    study = create_study(pairs, [data], StudyOptions(pairs=12, lists=2), tmp_path / "study")
    collect(study, 3, wrong_sometimes)
    return study


def test_a_study_is_accepted(folder: Path, study: Study) -> None:
    argv = ["judge", "accept", str(study.folder), str(folder), "--judges", "three colleagues"]
    done = CliRunner().invoke(main, argv)
    assert done.exit_code == 0, done.output
    assert f"{UID}-judgments: 12 pairs" in done.output
    table = datasets.load_dataset(str(folder), f"{UID}-judgments", split="test")
    assert table.column_names == JUDGMENTS.names
    ids = set(datasets.load_dataset(str(folder), UID, split="test")["id"])
    assert set(table["id"]) <= ids
    dropped = [row for row in table if row["verdict"] == "drop"]
    lines = (folder / "excluded" / f"{UID}.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row["id"] for row in dropped]
    assert 0 < len(dropped) < 12


def test_the_card_says_who_judged(folder: Path, study: Study) -> None:
    before = (folder / "README.md").read_text()
    assert "**No native speaker has judged" in before
    found = outcome_of(study, read_answer_table(study))
    accept(found, folder, "three colleagues")
    card = (folder / "README.md").read_text()
    assert "No native speaker has judged" not in card
    assert f"People have judged pairs of `{UID}`" in card
    assert "6 judges (three colleagues) chose the better of the two sentences" in card
    assert f"study `{study.id}`" in card
    accept(found, folder, "six friends")
    again = (folder / "README.md").read_text()
    assert again == card.replace("three colleagues", "six friends")


def test_a_build_replaces_it(folder: Path, study: Study) -> None:
    accept(outcome_of(study, read_answer_table(study)), folder)
    solecism.build("blimp", [OTHER], out=folder)
    assert set(read_manifest(folder).configs) == {UID, OTHER}
    assert not (folder / f"{UID}-judgments").exists()
    assert not (folder / "excluded").exists()


def test_a_study_of_other_pairs_is_refused(folder: Path, study: Study) -> None:
    rows = [{**row, "id": f"x{row['id']}"} for row in read_answer_table(study).to_pylist()]
    before = bytes_of(folder)
    with pytest.raises(InputError, match=f"of 12 pairs 12 are not in '{UID}' 1"):
        accept(outcome_of(study, pa.Table.from_pylist(rows, ANSWERS)), folder)
    assert bytes_of(folder) == before


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("clams/en", "the study is about clams/en, this is 'blimp'"),
        ("blimp/../../evil", "config '../../evil' is no name"),
        ("blimp", "has no config 'all'"),
    ],
)
def test_a_study_about_something_else(folder: Path, study: Study, config: str, said: str) -> None:
    rows = [{**row, "config": config} for row in read_answer_table(study).to_pylist()]
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(InputError, match=said):
        accept(outcome_of(study, pa.Table.from_pylist(rows, ANSWERS)), folder)
    assert sorted(folder.parent.rglob("*")) == before


def test_a_card_without_an_end_mark(folder: Path, study: Study) -> None:
    outcome = outcome_of(study, read_answer_table(study))
    accept(outcome, folder)
    card = folder / "README.md"
    edit(card, f"<!-- /judged:{UID} -->", "")
    with pytest.raises(InputError, match=rf"README\.md: has <!-- judged:{UID} --> without"):
        accept(outcome, folder)


def test_a_card_with_another_head(folder: Path, study: Study) -> None:
    (folder / "README.md").write_text("---\n- a\n---\n")
    with pytest.raises(InputError, match=r"README\.md: its head cannot be read"):
        accept(outcome_of(study, read_answer_table(study)), folder)


def test_models_are_held_against_people(folder: Path, study: Study, tmp_path: Path) -> None:
    accept(outcome_of(study, read_answer_table(study)), folder)
    pairs = pq.read_table(next((folder / UID).glob("*.parquet")))
    judged = pq.read_table(next((folder / f"{UID}-judgments").glob("*.parquet"))).to_pylist()
    said = {row["id"]: row["accuracy"] for row in judged}
    margins = [said.get(key, 0.5) + 0.001 * n for n, key in enumerate(pairs["id"].to_pylist())]
    result = write_result(tmp_path / "tiny", scores_of(pairs, margins), data="blimp", config=UID)
    (found,) = margin_correlations(report([result]).results)
    assert found.n == 12
    assert found.value > 0.8
    text = report([result]).text()
    assert f"margins of org/tiny and people on blimp/{UID}: Spearman" in text
    assert "people" in text
    assert "Margins and people" in report([result]).html()
