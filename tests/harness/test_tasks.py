"""The tasks for lm-eval: ours are current and whole, and there are tasks for one's own data set."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from make_tasks import current
from release import CHECKOUT, small_root
from solecism.commands import main
from solecism.datasets.build import build
from solecism.harness import TASKS
from solecism.root import Root


def tasks(data: str, out: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["convert", data, str(out), "--tasks", *arguments])


def test_our_tasks_are_current() -> None:
    paths = [*TASKS.rglob("*.yaml"), *TASKS.rglob("*.md")]
    files = {path.relative_to(TASKS).as_posix(): path.read_text("utf-8") for path in paths}
    assert files == current(Root(CHECKOUT))


def test_list_prints_the_folder() -> None:
    assert CliRunner().invoke(main, ["list", "--tasks"]).stdout == f"{TASKS}\n"


def test_tasks_for_the_hub(tmp_path: Path) -> None:
    for organisation in ("other", "someone"):
        done = tasks("", tmp_path, "--hub", organisation)
        assert done.exit_code == 0, done.output
    folder = tmp_path / "solecism_clams"
    task = yaml.safe_load((folder / "fr.yaml").read_text())
    assert (task["dataset_path"], task["dataset_name"]) == ("someone/clams", "fr")
    assert task["metadata"] == {
        "version": "1.0.0", "iso639_3": ["fra"], "language_tags": ["fra_Latn"],
    }  # fmt: skip
    assert "custom_dataset" not in (folder / "_pairs.yaml").read_text()
    assert not list(folder.glob("*_paradigms.yaml"))
    assert "_paradigms" not in (folder / "README.md").read_text()
    assert "custom_dataset" not in (tmp_path / "solecism_mandarin/_suites.yaml").read_text()
    assert (tmp_path / "solecism_mandarin/utils.py").is_file()


def test_tasks_of_a_data_set_of_ones_own_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lm_eval", reason="needs the extra `harness`")
    from lm_eval.tasks import TaskManager

    from causal_models import save_model
    from lm_eval_runs import run_lm_eval

    root = small_root(tmp_path / "root", "fr", ["simple_agrmt"])
    build("clams", out=tmp_path / "mine", root=root)
    save_model(tmp_path / "tiny", ["Les gérants rient."])
    monkeypatch.chdir(tmp_path)
    done = tasks("mine", Path("tasks"))
    assert done.stdout == "wrote tasks/solecism_mine\n", done.output
    options = ("--limit", "3", "--include_path", "tasks")
    samples, scores = run_lm_eval(tmp_path, monkeypatch, "solecism_mine_fr", *options)
    assert len(samples) == 3
    assert 0 <= scores["acc,none"] <= 1
    tags = set(TaskManager(include_path=[str(TASKS), "tasks"]).all_tags)
    assert {"solecism_fra", "solecism_fra_Latn", "solecism_zho_Hant", "solecism_qpm_Latn"} <= tags
