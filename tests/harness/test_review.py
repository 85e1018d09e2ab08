"""The review of lm-eval tasks: ours have no problems, broken ones are told, those for a hub fit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from release import small_root
from solecism.commands import main
from solecism.datasets.build import build
from solecism.harness import TASKS
from solecism.harness.review import PARTS, review_tasks
from solecism.harness.task_files import read_task_files, write_hub_tasks


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small data set ``clams``."""
    folder = tmp_path_factory.mktemp("review")
    build("clams", out=folder / "clams", root=small_root(folder / "root", "fr", ["simple_agrmt"]))
    return folder


@pytest.fixture
def tasks(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the tasks for it, which may be changed."""
    monkeypatch.setenv("SOLECISM_DATA", str(data))
    monkeypatch.setenv("HF_DATASETS_CACHE", str(data / "cache"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tasks"
    (folder / "clams").mkdir(parents=True)
    for name in ("_pairs.yaml", "utils.py", "clams/fr.yaml", "clams/README.md"):
        shutil.copy(TASKS / name, folder / name)
    group = "group: solecism_clams\ntask:\n  - solecism_clams_fr\n"
    (folder / "clams" / "clams.yaml").write_text(group)
    return folder


def review(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["tasks", *arguments])


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_our_tasks_are_in_order() -> None:
    found = review_tasks(TASKS)
    assert [p for p in found.problems if "has no config" not in str(p)] == []
    assert found.tasks > 200
    for path in TASKS.glob("*/README.md"):
        page = path.read_text(encoding="utf-8")
        assert "@misc{solecism-" in page
        for file in read_task_files(path.parent):
            assert f"`{file.name}`" in page or not file.is_whole


def test_tasks_that_fit_the_data(tasks: Path) -> None:
    done = review(str(tasks), "--check")
    assert done.stdout == "1 tasks, 1 held against data: no problems\n"
    assert review(str(tasks), "--check", "--json").stdout.count('"checked": 1') == 1


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("clams/fr.yaml", '"fr"', '"frr"', "clams has no config 'frr' (did you mean 'fr'?"),
        (
            "_pairs.yaml",
            "split: test",
            "split: tset",
            "fr has no split 'tset' (did you mean 'test'",
        ),
        ("_pairs.yaml", "sentence_bad", "sentence_bda", "no column 'sentence_bda' (did you mean"),
        ("_pairs.yaml", "{{[", "{{[[", "doc_to_choice is no template"),
        ("clams/fr.yaml", "version", "vision", "task 'solecism_clams_fr' has no version"),
        ("clams/clams.yaml", "clams_fr", "clams_rf", "an unknown task 'solecism_clams_rf'"),
        ("clams/README.md", "### Glossary", "### Words", "has no heading 'Glossary'"),
        ("clams/fr.yaml", "task: solecism_clams_fr", "more: x", "neither a task nor a group"),
        ("clams/fr.yaml", "metadata:", "metadata: [", "is no YAML"),
        ("clams/clams.yaml", "group: solecism_clams", "group: solecism_clams_fr", "stands 2 times"),
    ],
)
def test_what_is_wrong_is_told(tasks: Path, file: str, old: str, new: str, message: str) -> None:
    change(tasks / file, old, new)
    done = review(str(tasks), "--check")
    assert done.exit_code == 2
    assert message in done.stderr
    assert file.rpartition("/")[2] in done.stderr or file == "_pairs.yaml"


def test_a_paradigm_that_is_not_there(tasks: Path) -> None:
    shutil.copy(TASKS / "clams" / "fr_paradigms.yaml", tasks / "clams")
    done = review(str(tasks), "--check")
    assert "fr has no paradigm 'subj_rel'" in done.stderr
    assert "'simple_agrmt'" not in done.stderr


def test_a_folder_without_readme(tasks: Path) -> None:
    (tasks / "clams" / "README.md").unlink()
    assert "clams: has no README.md" in review(str(tasks), "--check").stderr


def test_data_that_are_not_built_are_told(tasks: Path, tmp_path: Path) -> None:
    (tmp_path / "clams").mkdir()
    change(tasks / "clams" / "fr.yaml", "dataset: clams", "dataset: blimp")
    done = review(str(tasks), "--check")
    assert done.exit_code == 0
    assert "blimp: not built here" in done.stderr


def test_tasks_for_the_hub(tasks: Path, tmp_path: Path) -> None:
    done = review("--hub", "someone", "--out", str(tmp_path / "hub"))
    assert done.exit_code == 0, done.output
    folder = tmp_path / "hub" / "solecism_clams"
    task = next(f for f in read_task_files(folder) if f.name == "solecism_clams_fr").config
    assert (task["dataset_path"], task["dataset_name"]) == ("someone/clams", "fr")
    assert task["metadata"] == {"version": "1.0.0"}
    assert "custom_dataset" not in task
    assert not list(folder.glob("*_paradigms.yaml"))
    assert "_paradigms" not in (folder / "README.md").read_text()
    found = review_tasks(folder)  # only French is built here
    assert {str(p).partition("has no config")[1] for p in found.problems} == {"has no config"}
    assert "fr_" not in "".join(map(str, found.problems))
    assert "custom_dataset" not in (tmp_path / "hub/solecism_mandarin/_suites.yaml").read_text()
    assert (tmp_path / "hub/solecism_mandarin/utils.py").is_file()
    write_hub_tasks("other", tmp_path / "hub")
    assert "other/clams" in (folder / "fr.yaml").read_text()
    assert review("--hub", "someone").exit_code == 2


def test_every_readme_has_the_parts() -> None:
    for path in TASKS.glob("*/README.md"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert {f"### {part}" for part in PARTS} <= set(lines)


def test_the_first_items_of_each_task_run(tasks: Path, data: Path) -> None:
    pytest.importorskip("lm_eval", reason="needs the extra `harness`")
    from causal_models import save_model

    save_model(data / "model", ["The authors laugh."])
    done = review(str(tasks), "--run", str(data / "model"), "--limit", "3")
    assert done.exit_code == 0, done.output
    assert "1 held against data, 1 ran: no problems" in done.output
