"""The review of a folder of lm-eval tasks: what would fail at the first run, found before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
from jinja2 import Environment, TemplateError, meta

from solecism.errors import InputError, Problem, candidates
from solecism.harness.task_files import TaskFile, read_task_files
from solecism.inputs import read_text
from solecism.scoring.items import configs_of, folder_of_data

__all__ = ["Review", "review_tasks", "run_tasks"]

PARTS = ("Paper", "Citation", "Groups, Tags, and Tasks", "Glossary", "Checklist")
"""The headings that the README of a folder of tasks needs (those of lm-eval's template, and a
glossary for readers who are no linguists)."""

_TEXTS = ("doc_to_text", "doc_to_choice", "doc_to_target")


@dataclass
class Review:
    """What a review found: problems, how many tasks there are and were held against data.

    ``not_built``: data sets that are not here; ``names``: tasks that can be run.
    """

    problems: list[Problem] = field(default_factory=list)
    tasks: int = 0
    checked: int = 0
    not_built: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


def review_tasks(folder: Path) -> Review:
    """Review the tasks of a folder against the data sets here or in ``$SOLECISM_DATA``.

    Each name stands once; each task has a version; its data set, config, split, paradigm and
    columns exist; groups name tasks that there are; the README of each folder has all parts. Tasks
    of the hub (``dataset_path: ORG/clams``) are held against the folder ``clams``.

    Raises :class:`InputError` for files that cannot be read.
    """
    files, review = read_task_files(folder), Review()
    review.problems += _names(files)
    for place in sorted({file.path.parent for file in files}):
        review.problems += _readme(place)
    for file in files:
        if file.is_group:
            review.problems += _group(file, {other.name for other in files})
        else:
            review.tasks += 1
            _task(file, review)
    return review


def _names(files: Sequence[TaskFile]) -> Iterator[Problem]:
    outer = {(file.path, file.name) for file in files if file.is_whole}
    for name, count in Counter(name for _, name in outer).items():
        if count > 1:
            yield Problem(f"{name!r} stands {count} times", _path_of(files, name))


def _path_of(files: Sequence[TaskFile], name: str) -> str:
    return str(next(file.path for file in files if file.name == name))


def _readme(place: Path) -> Iterator[Problem]:
    page = place / "README.md"
    if not page.is_file():
        yield Problem("has no README.md", str(place))
        return
    lines = [line.strip("# ") for line in read_text(page).splitlines() if line.startswith("#")]
    for part in PARTS:
        if part not in lines:
            yield Problem(
                f"has no heading {part!r} {candidates('headings', lines, part)}", str(page)
            )


def _group(file: TaskFile, names: set[str]) -> Iterator[Problem]:
    for name in file.config["task"]:
        if isinstance(name, str) and name not in names:
            near = candidates("tasks", sorted(names), name)
            yield Problem(
                f"group {file.name!r} has an unknown task {name!r} {near}", str(file.path)
            )


def _task(file: TaskFile, review: Review) -> None:
    """Add what is wrong with a task."""
    try:
        dataset, config, uid = _data_of(file)
        found = folder_of_data(dataset)
        if found is None:
            review.not_built += [dataset] if dataset not in review.not_built else []
            return
        review.checked += 1
        review.names += [file.name] if file.is_whole else []
        review.problems += _against_data(file, found, config, uid)
    except InputError as error:
        review.problems += error.problems


def _data_of(file: TaskFile) -> tuple[str, str, str | None]:
    """Return the data set, the config and the paradigm of a task."""
    known = file.config.get("metadata") or {}
    if "version" not in known:
        raise InputError([Problem(f"task {file.name!r} has no version", str(file.path))])
    if "dataset_path" in file.config:
        dataset = str(file.config["dataset_path"]).rpartition("/")[2]
        return dataset, str(file.config.get("dataset_name")), None
    return str(known.get("dataset")), str(known.get("config")), known.get("uid")


def _against_data(file: TaskFile, folder: Path, config: str, uid: str | None) -> Iterator[Problem]:
    name, path = file.name, str(file.path)
    entries = _configs(folder, (folder / "README.md").stat().st_mtime_ns)
    if config not in entries:
        near = candidates("configs", sorted(entries), config)
        yield Problem(f"task {name!r}: {folder.name} has no config {config!r} {near}", path)
        return
    files = {str(item["split"]): folder / item["path"] for item in entries[config]["data_files"]}
    split = str(file.config.get("test_split"))
    if split not in files:
        near = candidates("splits", sorted(files), split)
        yield Problem(f"task {name!r}: {config} has no split {split!r} {near}", path)
        return
    table = next(iter(sorted(folder.glob(str(files[split].relative_to(folder))))))
    yield from _columns(file, pq.read_schema(table).names)
    if uid is not None and uid not in _paradigms(table, table.stat().st_mtime_ns):
        yield Problem(f"task {name!r}: {config} has no paradigm {uid!r}", path)


@lru_cache
def _configs(folder: Path, _: int) -> Mapping[str, Any]:
    return configs_of(folder)  # a card of 250 KB takes a second


@lru_cache
def _paradigms(table: Path, _: int) -> list[str]:
    return list(pc.unique(pq.read_table(table, columns=["UID"])[0]).to_pylist())


def _columns(file: TaskFile, columns: Sequence[str]) -> Iterator[Problem]:
    for key in _TEXTS:
        text = file.config.get(key)
        try:
            wanted = meta.find_undeclared_variables(Environment().parse(str(text or "")))
        except TemplateError as error:
            yield Problem(f"task {file.name!r}: {key} is no template: {error}", str(file.path))
            continue
        for name in sorted(wanted - set(columns)):
            near = candidates("columns", list(columns), name)
            yield Problem(f"task {file.name!r}: there is no column {name!r} {near}", str(file.path))


def run_tasks(folder: Path, names: Sequence[str], model: str, limit: int) -> Mapping[str, Any]:
    """Run the first items of tasks in lm-eval, as its own command would, and return the figures."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    from solecism.harness import models

    assert models  # imported for what it registers
    found = simple_evaluate(
        model="solecism", model_args={"pretrained": model}, tasks=list(names), limit=limit,
        bootstrap_iters=0, log_samples=False,
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
    )  # fmt: skip
    results: Mapping[str, Any] = found["results"]
    return results
