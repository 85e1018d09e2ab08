"""What people found becomes a part of the data set, and of reports about models."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import datasets
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
from solecism.judge.outcome import Outcome, outcome_of
from solecism.judge.schema import JUDGMENTS
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


@pytest.fixture
def outcome(study: Study) -> Outcome:
    return outcome_of(study, read_answer_table(study))


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


@pytest.mark.parametrize("name", ["README.md", "excluded/adjunct_island.jsonl", "manifest.json"])
def test_nothing_is_written_through_a_link(
    folder: Path, outcome: Outcome, tmp_path: Path, name: str
) -> None:
    edit(folder / "manifest.json", '"documents": {', '"documents": {"excluded/adjunct_island.jsonl":'
         f' {{"sha256": "{"0" * 64}", "bytes": 1}},')  # fmt: skip
    (folder / "excluded").mkdir()
    (folder / "excluded" / "adjunct_island.jsonl").touch()
    shutil.copy(folder / name, tmp_path / "mine")
    (folder / name).unlink()
    (folder / name).symlink_to(tmp_path / "mine")
    before = (tmp_path / "mine").read_bytes()
    with pytest.raises(InputError, match=f"{name}: is no file in the folder, or a link"):
        accept(outcome, folder)
    assert (tmp_path / "mine").read_bytes() == before


def test_the_card_says_who_judged(folder: Path, outcome: Outcome) -> None:
    path = folder / "README.md"
    assert "**No native speaker has judged" in path.read_text()
    accept(outcome, folder, "three colleagues")
    card = path.read_text()
    assert "No native speaker has judged" not in card
    assert f"People have judged pairs of `{UID}`" in card
    assert "6 judges (three colleagues) chose the better of the two sentences" in card
    assert f"study `{outcome.study.id}`" in card
    accept(outcome, folder, "six friends")
    assert path.read_text() == card.replace("three colleagues", "six friends")
    edit(path, f"<!-- /judged:{UID} -->", "")
    with pytest.raises(InputError, match=rf"README\.md: has <!-- judged:{UID} --> without"):
        accept(outcome, folder)
    path.write_text("---\n- a\n---\n")
    with pytest.raises(InputError, match=r"README\.md: its head cannot be read"):
        accept(outcome, folder)


def test_a_build_replaces_it(folder: Path, outcome: Outcome) -> None:
    accept(outcome, folder)
    solecism.build("blimp", [OTHER], out=folder)
    assert set(read_manifest(folder).configs) == {UID, OTHER}
    assert not (folder / f"{UID}-judgments").exists()
    assert not (folder / "excluded").exists()


OTHERS = [
    ("id", "x", f"of 12 pairs 12 are not in '{UID}' 1"),
    ("config", "clams/en", "the study is about clams/en, this is 'blimp'"),
    ("config", "blimp/../../evil", "config '../../evil' is no name"),
    ("config", "blimp", "has no config 'all'"),
]


@pytest.mark.parametrize(("name", "value", "said"), OTHERS)
def test_a_study_about_something_else(
    folder: Path, outcome: Outcome, name: str, value: str, said: str
) -> None:
    outcome.pairs[name] = value
    before = bytes_of(folder.parent)
    with pytest.raises(InputError, match=said):
        accept(outcome, folder)
    assert bytes_of(folder.parent) == before


def test_models_are_held_against_people(folder: Path, outcome: Outcome, tmp_path: Path) -> None:
    accept(outcome, folder)
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
