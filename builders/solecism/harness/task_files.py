"""The files of lm-eval's tasks: read them, and write them for a hub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from solecism.errors import fail
from solecism.files import filling_folder
from solecism.harness import TASKS
from solecism.inputs import read_text

__all__ = ["TaskFile", "read_task_files", "tasks_of_configs", "write_hub_tasks"]

Config = Mapping[str, Any]
_LOCAL = re.compile(r'^  dataset: (?P<dataset>\S+)\n  config: "(?P<config>[^"]+)"\n', re.MULTILINE)


class _Loader(yaml.SafeLoader):
    """Reads ``!function utils.load`` as a text."""


_Loader.add_constructor(
    "!function", lambda loader, node: f"!function {loader.construct_scalar(node)}"  # type: ignore[arg-type]
)  # fmt: skip


@dataclass(frozen=True)
class TaskFile:
    """A task or a group (``is_group``) of a YAML file, with what the file includes.

    ``is_whole``: it is what the file is about, and not a task that stands in a group.
    """

    path: Path
    config: Config
    is_whole: bool = True

    @property
    def is_group(self) -> bool:
        """True if it is a group of tasks."""
        return "group" in self.config

    @property
    def name(self) -> str:
        """The name by which lm-eval knows it."""
        return str(self.config["group" if self.is_group else "task"])


def read_task_files(folder: Path) -> list[TaskFile]:
    """Read all tasks and groups of a folder, also those that stand in a group.

    Raises :class:`InputError` for a file that is no YAML or names nothing.
    """
    found = []
    for path in sorted(folder.rglob("*.yaml")):
        if path.name.startswith("_"):
            continue
        config = _read(path)
        if not isinstance(config.get("group", config.get("task")), str):
            raise fail("has neither a task nor a group", path)
        found.append(TaskFile(path, config))
        inline = config["task"] if isinstance(config.get("task"), list) else []
        found += [TaskFile(path, each, is_whole=False) for each in inline if isinstance(each, dict)]
    return found


@lru_cache(maxsize=1)
def tasks_of_configs() -> dict[tuple[str, str], str]:
    """Return the names of our tasks of whole configs, by data set and config."""
    facts = ((task.name, task.config.get("metadata", {})) for task in read_task_files(TASKS))
    whole = ((name, found) for name, found in facts if "config" in found and "uid" not in found)
    return {(found["dataset"], found["config"]): name for name, found in whole}


def _read(path: Path) -> dict[str, Any]:
    try:
        config = yaml.load(read_text(path), _Loader)
    except yaml.YAMLError as error:
        raise fail(f"is no YAML: {error}", path) from None
    if not isinstance(config, dict):
        raise fail("is no mapping", path)
    above = config.pop("include", None)
    return {**_read(path.parent / above), **config} if above else config


def write_hub_tasks(organisation: str, out: Path) -> list[Path]:
    """Write our tasks so that they load the data sets of ``ORG`` from the hub; return the folders.

    A folder a data set, as lm-eval keeps them: tasks with ``dataset_path`` and ``dataset_name``,
    the group, a README. Tasks of single paradigms of CLAMS are left out: they are no configs.
    """
    names = sorted({path.parent.name for path in TASKS.glob("*/*.yaml")})
    folders = [out / f"solecism_{name}" for name in names]
    for name, place in zip(names, folders, strict=True):
        with filling_folder(place, lambda path: path.suffix in (".yaml", ".md", ".py")) as folder:
            for file, text in _hub_files(name, organisation):
                (folder / file).write_text(text, encoding="utf-8", newline="\n")
    return folders


def _hub_files(name: str, organisation: str) -> Iterator[tuple[str, str]]:
    shared: set[str] = set()
    for path in sorted((TASKS / name).iterdir()):
        if path.name.endswith("_paradigms.yaml"):
            continue
        text = read_text(path)
        shared |= set(re.findall(r"include: \.\./(\S+)", text))
        yield path.name, _for_hub(text, organisation)
    for file in sorted(shared):
        text = read_text(TASKS / file).replace("custom_dataset: !function utils.load\n", "")
        yield file, text
        if "utils." in text:
            yield "utils.py", read_text(TASKS / "utils.py")


def _for_hub(text: str, organisation: str) -> str:
    found = _LOCAL.search(text)
    text = text.replace("include: ../", "include: ")
    text = re.sub(r"^\* `\S+_paradigms`.*\n", "", text, flags=re.MULTILINE)
    if not found:
        return text
    place = f"dataset_path: {organisation}/{found['dataset']}\ndataset_name: {found['config']}\n"
    return _LOCAL.sub("", text).replace("metadata:\n", f"{place}metadata:\n")
