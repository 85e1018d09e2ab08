"""The files of lm-eval's tasks: what they say of a config, and copies that need no Solecism."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import yaml

from solecism.datasets.from_templates import ALL, COLLECTIONS, PAIRS
from solecism.errors import fail
from solecism.files import filling_folder
from solecism.harness import TASKS
from solecism.inputs import Json, read_text
from solecism.language_tags import isos_of
from solecism.scoring.items import expand_data, listed_items

Task = dict[str, Json]
"""A task or a group, as lm-eval reads it from YAML."""

_PAIRS, _SUITES, _LOCAL = "_pairs.yaml", "_suites.yaml", "_local.yaml"
"""What all tasks of pairs, all of suites, and all that read a folder share."""


def yaml_of(task: Task) -> str:
    """Return the YAML of a task; nothing in it can be more than a text, whoever wrote it."""
    return yaml.safe_dump(task, sort_keys=False, allow_unicode=True)


def task_of_config(
    name: str, version: str, config: str, kind: str, tags: Sequence[str], part: str = ""
) -> Task:
    """Return the task of a config.

    ``tags`` are those of its languages; ``part`` is the end of the name of the config that is
    loaded, and not in the name of the task: the task of ``he`` loads ``he-pairs``, that of
    ``he_wide`` loads ``he-pairs-wide``.
    """
    is_wide = f"{config}{part}".endswith("-wide")
    # A config that collects paradigms, or has the pairs of another one, would score them twice.
    again = is_wide or config in (ALL, PAIRS)
    names = [] if again else [f"solecism_{name}" for name in (*isos_of(tags), *tags)]
    return {
        "include": includes(kind),
        "task": f"solecism_{name}_{config}" + ("_wide" if is_wide and part else ""),
        **({"tag": names} if names else {}),
        "metadata": metadata_of(name, version, f"{config}{part}", tags),
    }


def includes(kind: str) -> list[str]:
    """Return the shared files that a task of a kind of items includes."""
    return [f"../{_SUITES if kind == 'suite' else _PAIRS}", f"../{_LOCAL}"]


def metadata_of(name: str, version: str, config: str, tags: Sequence[str], uid: str = "") -> Task:
    """Return what a task says of its items; reports know by it what they are."""
    known = {"uid": uid, "iso639_3": isos_of(tags), "language_tags": list(tags)}
    known = {key: value for key, value in known.items() if value}
    return {"version": version, "dataset": name, "config": config, **known}


def task_of_group(name: str, version: str, kinds: Mapping[str, str]) -> Task:
    """Return the group of a data set; ``kinds``: the kind of items by config.

    Its figure is the plain mean of the paradigms, or of the languages. Configs that collect others
    are left out, and beside suites so are pairs.
    """
    own = [name for name in kinds if name not in COLLECTIONS and not name.endswith("-wide")]
    main = kinds.get(ALL)
    members = [config for config in own if kinds[config] == (main or kinds[config])] or [*kinds]
    second = "all_hold" if "suite" in kinds.values() else "acc_norm"
    return {
        "group": f"solecism_{name}",
        "task": [f"solecism_{name}_{config}" for config in members],
        **means("acc", second),
        "metadata": {"version": version},
    }


def means(*metrics: str) -> Task:
    """Return the part of a group that makes its figures: plain means."""
    listed = [{"metric": m, "aggregation": "mean", "weight_by_size": False} for m in metrics]
    return {"aggregate_metric_list": listed}


@lru_cache(maxsize=1)
def tasks_of_configs() -> dict[tuple[str, str], str]:
    """Return the names of our tasks of whole configs, by data set and config."""
    tasks = [yaml.safe_load(read_text(path)) for path in sorted(TASKS.glob("*/*.yaml"))]
    alone = [task for task in tasks if "group" not in task]
    return {(t["metadata"]["dataset"], t["metadata"]["config"]): t["task"] for t in alone}


def write_tasks(out: Path, data: str = "", organisation: str = "") -> list[Path]:
    """Write our tasks, or those of the data set ``data``, and return the folders.

    There is a folder for each data set, as in lm-eval. With the name of an ``organisation`` tasks
    load its data sets from the hub, in the version that they are labelled with; then tasks of
    single paradigms of CLAMS are left out, which are no configs. Raises :class:`InputError` where
    ``data`` is not the folder of a data set of pairs or suites.
    """
    places = sorted({path.parent for path in TASKS.glob("*/*.yaml")})
    packaged = {
        place.name: {f.name: read_text(f) for f in sorted(place.iterdir())} for place in places
    }
    folders = []
    for name, files in [_tasks_of(data)] if data else packaged.items():
        folders.append(out / f"solecism_{name}")
        with filling_folder(folders[-1], lambda path: path.suffix in (".yaml", ".md", ".py")) as to:
            for file, text in _standing_alone(files, organisation).items():
                (to / file).write_text(text, encoding="utf-8", newline="\n")
    return folders


def _tasks_of(data: str) -> tuple[str, dict[str, str]]:
    """Return the name of a data set of this machine, and the files of its group and tasks."""
    found = [listed_items(spec) for spec in expand_data(f"{data.rstrip('/')}/*")]
    name, version, kinds = found[0].name, found[0].version, {i.config: i.kind for i in found}
    if not re.fullmatch(r"[\w-]+", name):
        raise fail(f"{name!r} cannot be a part of the name of a task: letters, digits, - and _")
    tasks = {name: task_of_group(name, version, kinds)}
    for i in found:
        tasks[i.config] = task_of_config(name, version, i.config, i.kind, i.tags)
    return name, {f"{config}.yaml": yaml_of(task) for config, task in tasks.items()}


def _standing_alone(files: Mapping[str, str], organisation: str) -> dict[str, str]:
    """Return the files of one data set and those that they name, side by side in one folder.

    Those of an ``organisation`` load their version from the hub, without our code.
    """
    texts, shared = {}, {"utils.py"}
    for name, text in files.items():
        if not name.endswith(".yaml"):  # the README
            lines = text.splitlines(keepends=True)
            texts[name] = "".join(x for x in lines if not (organisation and "_paradigms`" in x))
        elif not (organisation and name.endswith("_paradigms.yaml")):
            task = yaml.safe_load(text)
            if "include" in task:
                task["include"] = [each.removeprefix("../") for each in task["include"]]
            if organisation and "include" in task:
                about = task["metadata"]
                task["include"].remove(_LOCAL)
                task["dataset_path"] = f"{organisation}/{about['dataset']}"
                task["dataset_name"] = about["config"]
                task["dataset_kwargs"] = {"revision": f"v{about['version']}"}
            shared.update(task.get("include", ()))
            texts[name] = yaml_of(task)
    shared |= {"suites.py"} if _SUITES in shared else set()
    return texts | {name: read_text(TASKS / name) for name in sorted(shared)}
