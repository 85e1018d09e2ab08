"""lm-eval's command line in this process, without the hundreds of tasks that lm-eval brings."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest


def run_lm_eval(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    task: str,
    *more: str,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Run a task on a model in a folder; return the samples and the results.

    Reading the tasks that lm-eval brings takes half a minute, so they are left out.
    """
    import datasets.config
    import lm_eval.tasks
    from lm_eval.__main__ import cli_evaluate

    from solecism.harness import TASKS

    manager = partial(lm_eval.tasks.TaskManager, include_defaults=False)
    monkeypatch.setattr(lm_eval.tasks, "TaskManager", manager)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder / "cache")
    monkeypatch.chdir(folder)
    out = folder / f"lm-eval-{task}"
    arguments = [
        "lm_eval", "--model", "hf", "--model_args", "pretrained=tiny,dtype=float32",
        "--tasks", task, "--include_path", str(TASKS), "--device", "cpu", *more,
        "--output_path", str(out), "--log_samples",
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", arguments)
    cli_evaluate()
    (samples,), (results,) = out.rglob("samples_*.jsonl"), out.rglob("results_*.json")
    lines = samples.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines], json.loads(results.read_text())["results"][task]
