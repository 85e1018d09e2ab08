"""Write lm-eval's task files from the catalogue and the templates. Usage: python
scripts/make_tasks.py

A test checks that the files are current.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from solecism.datasets.catalogue import stanza
from solecism.datasets.from_templates import ALL, paths_of_configs
from solecism.files import write_text
from solecism.grammar.template import read_template
from solecism.harness import TASKS
from solecism.root import Root

_MADE = "Made by scripts/make_tasks.py."
_MEAN = """\
aggregate_metric_list:
  - metric: acc
    aggregation: mean
    weight_by_size: false
  - metric: acc_norm
    aggregation: mean
    weight_by_size: false
"""
_SUITES = """\
class: !function utils.SuiteTask
custom_dataset: !function utils.load
output_type: loglikelihood
test_split: test
doc_to_text: ""
doc_to_target: ""
num_fewshot: 0
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
"""
_PAIRS = """\
custom_dataset: !function utils.load
output_type: multiple_choice
test_split: test
doc_to_text: ""
target_delimiter: ""
doc_to_choice: "{{[sentence_good, sentence_bad]}}"
doc_to_target: 0
num_fewshot: 0
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
"""


@dataclass(frozen=True)
class TaskConfig:
    """A config as its tasks need it: the kind of its items, and its paradigms."""

    name: str
    kind: str
    uids: Sequence[str]


@dataclass(frozen=True)
class TaskSet:
    """A data set; ``layout`` is that of its configs in the catalogue."""

    version: str
    layout: str
    configs: Sequence[TaskConfig]


def task_files(datasets: Mapping[str, TaskSet]) -> dict[str, str]:
    """Return the files by name: what tasks share, and for each data set a group and a task a
    config.

    With a config a language, each has a group of tasks of its paradigms too; with a config a
    paradigm, the tasks are in a folder, and the group has those of the main kind.
    """
    files = {
        "_pairs.yaml": f"# What all tasks of minimal pairs share. {_MADE}\n{_PAIRS}",
        "_suites.yaml": f"# What all tasks of suites share. {_MADE}\n{_SUITES}",
    }
    for name, found in datasets.items():
        files |= _by_paradigm(name, found) if found.layout == "paradigms" else _plain(name, found)
    return files


def _plain(name: str, found: TaskSet) -> dict[str, str]:
    files = {f"{name}.yaml": _group(name, found.version, found.configs)}
    for config in found.configs:
        files[f"{name}_{config.name}.yaml"] = _task(name, found.version, config)
        if config.kind == "pair":
            text = _paradigms(name, found.version, config.name, config.uids)
            files[f"{name}_{config.name}_paradigms.yaml"] = text
    return files


def _by_paradigm(name: str, found: TaskSet) -> dict[str, str]:
    main = next(config for config in found.configs if config.name == ALL)
    own = [config for config in found.configs if config.uids == [config.name]]
    files = {f"{name}.yaml": _group(name, found.version, [c for c in own if c.kind == main.kind])}
    for config in found.configs:
        files[f"{name}/{config.name}.yaml"] = _task(name, found.version, config, "../")
    return files


def _task(name: str, version: str, config: TaskConfig, up: str = "", part: str = "") -> str:
    """A task of a config, or of the ``part`` of a language (``-pairs``)."""
    shared = "_suites.yaml" if config.kind == "suite" else "_pairs.yaml"
    return (
        f"include: {up}{shared}\ntask: solecism_{name}_{config.name}\n"
        f'metadata:\n  version: "{version}"\n  dataset: {name}\n  config: "{config.name}{part}"\n'
    )


def _paradigms(name: str, version: str, config: str, uids: Sequence[str]) -> str:
    """A group of inline tasks; what they share stands once, as a YAML anchor."""
    tasks = []
    for number, uid in enumerate(uids):
        shared = "    <<: *pairs\n" if number else ""
        anchor = "" if number else " &pairs"
        body = "" if number else "".join(f"    {line}\n" for line in _PAIRS.splitlines())
        tasks.append(
            f"  -{anchor}\n{shared}    task: {uid}\n{body}    metadata:\n"
            f'      version: "{version}"\n      dataset: {name}\n      config: "{config}"\n'
            f"      uid: {uid}\n"
        )
    head = f"# One task a paradigm. {_MADE}\ngroup: solecism_{name}_{config}_paradigms\ntask:\n"
    return f'{head}{"".join(tasks)}{_MEAN}metadata:\n  version: "{version}"\n'


def _group(name: str, version: str, configs: Sequence[TaskConfig]) -> str:
    tasks = "".join(f"  - solecism_{name}_{config.name}\n" for config in configs)
    suites = any(config.kind == "suite" for config in configs)
    return (
        f"# All configs. {_MADE}\ngroup: solecism_{name}\ntask:\n{tasks}"
        f'{_MEAN.replace("acc_norm", "all_hold") if suites else _MEAN}metadata:\n  version: "{version}"\n'
    )


def current(root: Root) -> dict[str, str]:
    """The files as they should be."""
    sets = {name: task_set(root, name) for name in root.datasets}
    return task_files(sets) | _mined("agreement", stanza(root, "agreement").version, root)


def _mined(name: str, version: str, root: Root) -> dict[str, str]:
    """The tasks of mined pairs: of each language for which docs/languages.tsv has some."""
    with (root.path / "docs/languages.tsv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    configs = [TaskConfig(line["code"], "pair", ()) for line in lines if int(line["pairs"])]
    files = {f"{name}.yaml": _group(name, version, configs)}
    for config in configs:
        files[f"{name}/{config.name}.yaml"] = _task(name, version, config, "../", "-pairs")
    return files


def task_set(root: Root, dataset: str) -> TaskSet:
    """The facts that the tasks of a data set depend on."""
    entry = stanza(root, dataset)
    configs = [_config(*config) for config in paths_of_configs(root, entry).items()]
    return TaskSet(entry.version, entry.configs, configs)


def _config(name: str, paths: Sequence[Path]) -> TaskConfig:
    kind = "pair" if read_template(paths[0]).is_pair else "suite"
    return TaskConfig(name, kind, [path.stem for path in paths])


def main() -> None:
    """Write the files and drop those of data sets that are gone."""
    files = current(Root(Path(__file__).resolve().parents[1]))
    for old in TASKS.rglob("*.yaml"):
        if old.relative_to(TASKS).as_posix() not in files:
            old.unlink()
    for name, text in files.items():
        path = TASKS / name
        path.parent.mkdir(exist_ok=True)
        write_text(path, text)
        print(path)


if __name__ == "__main__":
    main()
