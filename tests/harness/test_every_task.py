"""Every task and every group that comes with the package opens in lm-eval and decides its items."""

import logging
import sys

import pytest

pytest.importorskip("lm_eval", reason="needs the extra `harness`")

from datasets import Dataset, DatasetDict
from lm_eval.api.task import ConfigurableTask
from lm_eval.tasks import TaskManager

from make_tasks import CASES, LANGUAGES, read_table
from release import CHECKOUT
from solecism.datasets.catalogue import catalogue_entry
from solecism.datasets.from_templates import templates_of_configs
from solecism.harness import TASKS
from solecism.harness.task_files import tasks_of_configs
from solecism.root import Root

PAIR = {"sentence_good": "A dog barks.", "sentence_bad": "A dog bark."}
SUITE_ITEM = {
    "predictions": ["(1;%a%) < (1;%b%)"],
    "conditions": [
        {"name": name, "text": text, "regions": [{"name": "1", "start": 0, "end": len(text)}]}
        for name, text in (("a", "A dog barks."), ("b", "A dog bark."))
    ],
}


def documents() -> dict[tuple[str, str], DatasetDict]:
    """Return an item of each paradigm, by data set and config."""
    root, found = Root(CHECKOUT), {}
    for name in root.datasets:
        for config, some in templates_of_configs(root, catalogue_entry(root, name)).items():
            item = PAIR if some[0].is_pair else SUITE_ITEM
            rows = [{"id": t.id, "UID": t.id, **item} for t in some]
            found[name, config] = DatasetDict(test=Dataset.from_list(rows))
    mined = DatasetDict(test=Dataset.from_list([{"id": "x", "UID": "x", **PAIR}]))
    for name, table in (("agreement", LANGUAGES), ("cases", CASES)):
        for line in read_table(table):
            for part in ("-pairs", "-pairs-wide"):
                found[name, f"{line['code']}{part}"] = mined
    return found


def test_every_task_and_group_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    known = documents()
    monkeypatch.setattr("datasets.load_dataset", lambda path, config: known[path[2:], config])
    monkeypatch.delenv("SOLECISM_REPO", raising=False)
    monkeypatch.delenv("SOLECISM_DATA", raising=False)
    monkeypatch.setitem(sys.modules, str(TASKS / "utils"), None)  # loaded anew, and gone later
    monkeypatch.setattr(logging.getLogger("lm_eval.api.task"), "disabled", True)
    manager = TaskManager(include_path=str(TASKS), include_defaults=False)
    assert {*tasks_of_configs().values()} == {*manager.all_subtasks}
    groups = manager.load(manager.all_groups)
    assert set(groups["groups"]) == {*manager.all_groups}
    alone = manager.load(sorted({*manager.all_subtasks} - {*groups["tasks"]}))["tasks"]
    tasks: dict[str, ConfigurableTask] = groups["tasks"] | alone
    for name, task in tasks.items():
        task.build_all_requests(limit=1)
        (doc, *_), answers = task.eval_docs, [(-5.0, False)] * len(task.instances)
        figures = task.process_results(doc, answers)
        assert figures["acc"] == 0.5, name
        about = task.config.metadata
        found = known[about["dataset"], about["config"]]["test"]["UID"]
        assert doc["UID"] == about.get("uid", found[0]), name
        assert len(task.eval_docs) == (1 if "uid" in about else len(found)), name
    assert {*manager.all_subtasks} <= {*tasks}
