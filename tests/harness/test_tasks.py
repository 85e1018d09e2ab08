"""The tasks for lm-eval: ours are current and whole, and there are tasks for one's own data set."""

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner, Result

from make_tasks import current
from release import CHECKOUT, small_root
from solecism.commands import main
from solecism.datasets.build import build
from solecism.harness import TASKS
from solecism.harness.task_files import task_of_config, task_of_group, yaml_of
from solecism.root import Root


def tasks(data: str, out: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["convert", data, str(out), "--tasks", *arguments])


def test_our_tasks_are_current() -> None:
    paths = [*TASKS.glob("*/*.yaml"), *TASKS.rglob("*.md")]
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
        "version": "1.0.0", "dataset": "clams", "config": "fr",
        "iso639_3": ["fra"], "language_tags": ["fra_Latn"],
    }  # fmt: skip
    assert task["dataset_kwargs"] == {"revision": "v1.0.0"}
    assert "custom_dataset" not in (folder / "_pairs.yaml").read_text()
    group = yaml.safe_load((folder / "fr_paradigms.yaml").read_text())
    assert "solecism_clams_fr_vp_coord" in group["task"]
    task = yaml.safe_load((folder / "fr_vp_coord.yaml").read_text())
    assert task["task"] == "solecism_clams_fr_vp_coord"
    assert task["metadata"]["organisation"] == "someone"
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


def test_tasks_for_the_hub_load_their_own_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lm_eval", reason="needs the extra `harness`")
    from datasets import Dataset, DatasetDict
    from huggingface_hub import snapshot_download
    from lm_eval.tasks import TaskManager

    from fake_hub import FakeHub
    from hubs import REPO, make_releases
    from solecism.hub.push import push

    hub = FakeHub()
    hub.use(monkeypatch, tmp_path / "home")

    def load_dataset(path: str, name: str, revision: str | None = None) -> DatasetDict:
        """Load from the hub as ``datasets`` does, which asks a server more than ours answers."""
        folder = snapshot_download(path, repo_type="dataset", revision=revision)
        return DatasetDict(
            test=Dataset.from_parquet(str(next(Path(folder, name).glob("*.parquet"))))
        )

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    monkeypatch.delenv("SOLECISM_REPO", raising=False)
    made = make_releases(tmp_path / "releases")
    found = {}
    for version in ("1.0.0", "2.0.0"):
        push(made[version], REPO)
        assert tasks(str(made[version]), tmp_path / version, "--hub", "org").exit_code == 0
    for version in ("1.0.0", "2.0.0"):
        manager = TaskManager(include_path=str(tmp_path / version), include_defaults=False)
        task = manager.load(["solecism_tiny_he"])["tasks"]["solecism_tiny_he"]
        found[version] = sorted(doc["id"] for doc in task.eval_docs)
        rows = pq.read_table(made[version] / "he/test-00000-of-00001.parquet")
        assert found[version] == sorted(rows["id"].to_pylist())
    assert found["1.0.0"] != found["2.0.0"]


def test_tasks_are_ready_to_send(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lm-eval's own ``tests/test_tasks.py`` (0.4.13) asks of a new task."""
    pytest.importorskip("lm_eval", reason="needs the extra `harness`")
    from datasets import Dataset, DatasetDict
    from lm_eval.tasks import TaskManager

    root = small_root(tmp_path / "root", "fr", ["simple_agrmt", "vp_coord"])
    build("clams", out=tmp_path / "clams", root=root)
    assert tasks(str(tmp_path / "clams"), tmp_path / "tasks", "--hub", "org").exit_code == 0
    folder = tmp_path / "tasks" / "solecism_clams"
    page = (folder / "README.md").read_text()
    rows = Dataset.from_parquet(str(next((tmp_path / "clams/fr").glob("*.parquet"))))
    asked = []

    def load_dataset(path: str, name: str, revision: str) -> DatasetDict:
        asked.append((path, name, revision))
        return DatasetDict(test=rows)

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    monkeypatch.delenv("SOLECISM_REPO", raising=False)
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    loaded = manager.load([*manager.all_subtasks])["tasks"]
    assert sorted(loaded) == [f"solecism_clams_fr{x}" for x in ("", "_simple_agrmt", "_vp_coord")]
    assert {*asked} == {("org/clams", "fr", "v1.0.0")}
    for name, task in loaded.items():
        assert re.search(rf"^\* `{name}`: \w.{{3,}}$", page, re.MULTILINE), name
        docs = list(task.test_docs())
        uid = name.removeprefix("solecism_clams_fr").lstrip("_")
        assert {doc["UID"] for doc in docs} == ({uid} if uid else {"simple_agrmt", "vp_coord"})
        task.build_all_requests(rank=0, limit=10, world_size=1)
        assert len(task.instances) == 20
        assert task.doc_to_text(docs[0]) == ""
        assert task.doc_to_target(docs[0]) == 0
        assert task.doc_to_choice(docs[0])[0] == docs[0]["sentence_good"]
    for part in ("Title: `Solecism CLAMS`", "Abstract: Minimal pairs", "@misc", "1.0.0: first"):
        assert part in page


def test_groups_are_the_mean_of_paradigms(tmp_path: Path) -> None:
    root = small_root(tmp_path / "root", "fr", ["simple_agrmt", "vp_coord"])
    (root.path / "templates" / "clams").rename(root.path / "templates" / "pp")
    told = '[pp]\nversion = "1.0.0"\nconfigs = "paradigms"\n'
    (root.path / "catalogue.toml").write_text(told, encoding="utf-8")
    build("pp", out=tmp_path / "pp", root=Root(root.path))
    assert tasks(str(tmp_path / "pp"), tmp_path / "tasks").exit_code == 0
    folder = tmp_path / "tasks" / "solecism_pp"
    group = yaml.safe_load((folder / "pp.yaml").read_text())
    assert group["task"] == ["solecism_pp_simple_agrmt", "solecism_pp_vp_coord"]
    assert "tag" not in yaml.safe_load((folder / "all.yaml").read_text())


def test_groups_leave_out_configs_that_collect_others() -> None:
    kinds = dict.fromkeys(["all", "pairs", "traditional", "pairs_traditional", "x", "y"], "pair")
    assert task_of_group("d", "1.0.0", kinds)["task"] == ["solecism_d_x", "solecism_d_y"]
    kinds |= dict.fromkeys(["all", "traditional", "x"], "suite")
    assert task_of_group("d", "1.0.0", kinds)["task"] == ["solecism_d_x"]
    wide = dict.fromkeys(["de-pairs", "de-pairs-wide"], "pair")
    assert task_of_group("d", "1.0.0", wide)["task"] == ["solecism_d_de-pairs"]
    assert task_of_group("d", "1.0.0", {"all": "pair"})["task"] == ["solecism_d_all"]


def test_a_manifest_of_others_is_only_text(tmp_path: Path) -> None:
    evil = 'fra]\n"doc\\x5fto\\x5ftext": "{{ 7 * 7 }}"\nmetadata: !function os.system ['
    task = task_of_config("d", "1.0.0", "c", "pair", [evil])
    read = yaml.safe_load(yaml_of(task))
    assert read == task
    assert {*read} == {"include", "task", "tag", "metadata"}
