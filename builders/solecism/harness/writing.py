"""The task files of lm-eval, written from what data sets there are; a test checks that they are current."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["TASKS", "task_files"]

TASKS = Path(__file__).with_name("tasks")
"""The folder for lm-eval's ``--include_path``."""

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


def task_files(
    datasets: Mapping[str, tuple[str, Mapping[str, Sequence[str]]]],
) -> dict[str, str]:
    """Give the files by name: the shared part, a group a data set, a task a config, and for each config a
    group with a task for each of its paradigms.

    ``datasets``: version of each data set and the UIDs of its configs.
    """
    files = {"_pairs.yaml": f"# What all tasks of minimal pairs share. {_MADE}\n{_PAIRS}"}
    for name, (version, configs) in datasets.items():
        files[f"{name}.yaml"] = _group(name, version, list(configs))
        for config, uids in configs.items():
            files[f"{name}_{config}.yaml"] = _task(name, version, config)
            files[f"{name}_{config}_paradigms.yaml"] = _paradigms(name, version, config, uids)
    return files


def _task(name: str, version: str, config: str) -> str:
    return (
        f"include: _pairs.yaml\ntask: solecism_{name}_{config}\n"
        f'metadata:\n  version: "{version}"\n  dataset: {name}\n  config: "{config}"\n'
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


def _group(name: str, version: str, configs: Sequence[str]) -> str:
    tasks = "".join(f"  - solecism_{name}_{config}\n" for config in configs)
    return (
        f"# All configs. {_MADE}\ngroup: solecism_{name}\ntask:\n{tasks}{_MEAN}"
        f'metadata:\n  version: "{version}"\n'
    )
