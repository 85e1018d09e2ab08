"""Results in the formats of others: Every Eval Ever, and the hub's `.eval_results`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from huggingface_hub import parse_eval_result_entries

from release import small_root
from scored import make_scores, write_result
from solecism.commands import main
from solecism.datasets.build import build
from solecism.scoring.items import open_pairs


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built data set, and the result of a model on it and on made-up pairs."""
    folder = tmp_path_factory.mktemp("exchange")
    build("clams", out=folder / "clams", root=small_root(folder / "root", "fr", ["simple_agrmt"]))
    items = open_pairs(f"{folder}/clams/fr")
    table = next(iter(items.tables(limit=60)))
    more = {"data": "clams", "version": items.version, "digest": items.digest}
    write_result(folder / "results" / "here", make_scores(table), "org/tiny", "fr", **more)
    return folder


def run(work: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    monkeypatch.chdir(work)
    return CliRunner().invoke(main, ["report", "results", *arguments])


def test_every_eval_ever(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(work, monkeypatch, "--eee", "eee")
    assert done.exit_code == 0, done.output
    (whole,) = (work / "eee").glob("data/solecism_clams/org/tiny/????????-*[0-9a-f].json")
    said = json.loads(whole.read_text(encoding="utf-8"))
    result = json.loads((work / "results" / "here.json").read_text())
    figures = {f["evaluation_result_id"]: f["score_details"] for f in said["evaluation_results"]}
    assert figures["accuracy/all"]["score"] == result["overall"]["accuracy"]
    assert set(figures) == {"accuracy/all", *(f"accuracy/{u}" for u in result["by"]["UID"])}
    detail = said["detailed_evaluation_results"]
    text = (work / "eee" / detail["file_path"]).read_text(encoding="utf-8")
    assert detail["checksum"] == hashlib.sha256(text.encode()).hexdigest()
    items = [json.loads(line) for line in text.splitlines()]
    assert len(items) == detail["total_rows"] == result["overall"]["n"]
    for item in items:
        good, bad = item["input"]["choices"]
        assert item["input"]["reference"] == [good]
        right = item["evaluation"]["score"] > 0
        assert item["output"]["raw"] == [good if right else bad]
        assert item["evaluation_result_id"] in figures
    before = whole.read_bytes()
    assert run(work, monkeypatch, "--eee", "eee").exit_code == 0
    assert whole.read_bytes() == before


def test_their_validator_accepts_it(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    validate = pytest.importorskip("every_eval_ever.validate", reason="needs every-eval-ever")
    assert run(work, monkeypatch, "--eee", "valid").exit_code == 0
    monkeypatch.chdir(work / "valid")
    files = [str(path) for path in Path("data").rglob("*.json*")]
    assert len(files) == 2
    for path in files:
        report = validate.validate_file(Path(path))
        assert report.valid, report.errors
        assert not report.warnings, report.warnings
    assert validate.main(files) == 0


def test_without_the_data_there_are_no_items(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["report", str(work / "results"), "--eee", "out"])
    assert done.exit_code == 0
    (whole,) = (tmp_path / "out").rglob("*.json*")
    assert "detailed_evaluation_results" not in json.loads(whole.read_text())


def test_results_for_the_repository_of_a_model(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "model").mkdir(exist_ok=True)
    done = run(work, monkeypatch, "--eval-results", "model")
    assert done.exit_code == 2
    assert "who has 'clams' on the hub? Say it with --hub ORG" in done.stderr
    assert not list((work / "model").iterdir())
    done = run(work, monkeypatch, "--eval-results", "model", "--hub", "org")
    assert done.exit_code == 0
    path = work / "model" / ".eval_results" / "clams-fr-sentence.yaml"
    (entry,) = parse_eval_result_entries(yaml.safe_load(path.read_text()))
    assert (entry.dataset_id, entry.task_id) == ("org/clams", "fr")
    result = json.loads((work / "results" / "here.json").read_text())
    assert entry.value == pytest.approx(100 * result["overall"]["accuracy"], abs=0.01)
    assert entry.notes == result["signature"]


def test_a_repository_has_one_model(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = work / "results" / "here"
    other = work / "two" / "there"
    table = next(iter(open_pairs(f"{work}/clams/fr").tables(limit=60)))
    write_result(other, make_scores(table), "org/large", "fr", data="clams")
    monkeypatch.chdir(work)
    done = CliRunner().invoke(
        main, ["report", str(first), str(other), "--eval-results", ".", "--hub", "org"]
    )
    assert done.exit_code == 2
    assert "these are of org/large, org/tiny" in done.stderr
