"""Results as the hub keeps them in the repository of a model: `.eval_results`."""

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
    write_result(folder / "two" / "there", make_scores(table), "org/large", "fr", data="clams")
    return folder


def run(work: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    monkeypatch.chdir(work)
    return CliRunner().invoke(main, ["report", "results", *arguments])


def test_results_for_the_repository_of_a_model(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "model").mkdir(exist_ok=True)
    done = run(work, monkeypatch, "--eval-results", "model")
    assert done.exit_code == 2
    assert "which organisation hosts 'clams' on the hub? Use --hub ORG" in done.stderr
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
    done = run(work, monkeypatch, "two/there", "--eval-results", ".", "--hub", "org")
    assert done.exit_code == 2
    assert "these are of org/large, org/tiny" in done.stderr
