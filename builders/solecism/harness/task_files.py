"""The files of lm-eval's tasks: what they say of a config, and copies that need no Solecism."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from solecism.datasets.from_templates import ALL, PAIRS
from solecism.errors import fail
from solecism.files import filling_folder
from solecism.harness import TASKS
from solecism.inputs import read_text
from solecism.language_tags import isos_of
from solecism.scoring.items import expand_data, listed_items

_LOCAL = re.compile(r'^  dataset: (?P<dataset>\S+)\n  config: "(?P<config>[^"]+)"\n', re.MULTILINE)
_TASK = re.compile(r"^task: (\S+)$", re.MULTILINE)

MEAN = """\
aggregate_metric_list:
  - metric: acc
    aggregation: mean
    weight_by_size: false
  - metric: acc_norm
    aggregation: mean
    weight_by_size: false
"""


def task_of_config(
    name: str, version: str, config: str, kind: str, tags: Sequence[str], part: str = ""
) -> str:
    """Return the YAML of a config's task.

    ``tags`` are those of its languages; ``part`` is the end of the name of the config that is
    loaded, and not in the name of the task: the task of ``he`` loads ``he-pairs``, that of
    ``he_wide`` loads ``he-pairs-wide``.
    """
    shared = "_suites.yaml" if kind == "suite" else "_pairs.yaml"
    wide = "_wide" if part.endswith("-wide") else ""
    # A config that collects paradigms, or has the pairs of another one, would score them twice.
    again = wide or config in (ALL, PAIRS)
    names = [] if again else [f"solecism_{name}" for name in (*isos_of(tags), *tags)]
    tag = f"tag: [{', '.join(names)}]\n" if names else ""
    return (
        f"include: ../{shared}\ntask: solecism_{name}_{config}{wide}\n{tag}"
        f'metadata:\n  version: "{version}"\n  dataset: {name}\n  config: "{config}{part}"\n'
        f"{language_lines(tags)}"
    )


def language_lines(tags: Sequence[str]) -> str:
    """Return the lines of a task's metadata that name its languages."""
    named = {"iso639_3": isos_of(tags), "language_tags": tags}
    return "".join(f"  {key}: [{', '.join(names)}]\n" for key, names in named.items() if names)


def task_of_group(name: str, version: str, kinds: Mapping[str, str], head: str = "") -> str:
    """Return the YAML of the group of a data set; ``kinds``: the kind of items by config."""
    tasks = "".join(f"  - solecism_{name}_{config}\n" for config in kinds)
    mean = MEAN.replace("acc_norm", "all_hold") if "suite" in kinds.values() else MEAN
    version = f'metadata:\n  version: "{version}"\n'
    return f"{head}group: solecism_{name}\ntask:\n{tasks}{mean}{version}"


@lru_cache(maxsize=1)
def tasks_of_configs() -> dict[tuple[str, str], str]:
    """Return the names of our tasks of whole configs, by data set and config."""
    found = {}
    for path in sorted(TASKS.glob("*/*.yaml")):
        text = read_text(path)
        task, local = _TASK.search(text), _LOCAL.search(text)
        if task and local and "group:" not in text:
            found[local["dataset"], local["config"]] = task[1]
    return found


def write_tasks(out: Path, data: str = "", organisation: str = "") -> list[Path]:
    """Write our tasks, or those of the data set ``data``, and return the folders.

    There is a folder for each data set, as in lm-eval. With the name of an ``organisation`` tasks
    load its data sets from the hub (``dataset_path``, ``dataset_name``); then tasks of single
    paradigms of CLAMS are left out, which are no configs. Raises :class:`InputError` where ``data``
    is not the folder of a data set of pairs or suites.
    """
    sets = [_tasks_of(data)] if data else [
        {f"{place.name}/{path.name}": read_text(path) for path in sorted(place.iterdir())}
        for place in sorted({path.parent for path in TASKS.glob("*/*.yaml")})
    ]  # fmt: skip
    folders = []
    for files in sets:
        place = out / f"solecism_{next(iter(files)).partition('/')[0]}"
        with filling_folder(place, lambda path: path.suffix in (".yaml", ".md", ".py")) as folder:
            for name, text in _standing_alone(files, organisation):
                (folder / name).write_text(text, encoding="utf-8", newline="\n")
        folders.append(place)
    return folders


def _tasks_of(data: str) -> dict[str, str]:
    """Return the YAML of the group and the tasks of a data set of this machine, by path.

    The shared files that they include are not among them.
    """
    specs = expand_data(f"{data.rstrip('/')}/*")
    found = [listed_items(spec) for spec in specs]
    name, version, kinds = found[0].name, found[0].version, {i.config: i.kind for i in found}
    if not re.fullmatch(r"[\w-]+", name):
        raise fail(f"{name!r} cannot be a part of the name of a task: letters, digits, - and _")
    tasks = {
        f"{name}/{i.config}.yaml": task_of_config(name, version, i.config, i.kind, i.tags)
        for i in found
    }
    return {f"{name}/{name}.yaml": task_of_group(name, version, kinds), **tasks}


def _standing_alone(files: Mapping[str, str], organisation: str) -> Iterator[tuple[str, str]]:
    """Yield files of one data set and those that they include, side by side in one folder."""
    shared: set[str] = set()
    for name, text in files.items():
        if organisation and name.endswith("_paradigms.yaml"):
            continue
        shared |= set(re.findall(r"include: \.\./(\S+)", text))
        text = text.replace("include: ../", "include: ")
        yield name.rpartition("/")[2], _for_hub(text, organisation) if organisation else text
    texts = {name: read_text(TASKS / name) for name in sorted(shared)}
    for name, text in texts.items():
        custom = "custom_dataset: !function utils.load\n"
        yield name, text.replace(custom, "") if organisation else text
    if not organisation or any("utils.SuiteTask" in text for text in texts.values()):
        yield "utils.py", read_text(TASKS / "utils.py")


def _for_hub(text: str, organisation: str) -> str:
    text = re.sub(r"^\* `\S+_paradigms`.*\n", "", text, flags=re.MULTILINE)
    found = _LOCAL.search(text)
    if not found:
        return text
    place = f"dataset_path: {organisation}/{found['dataset']}\ndataset_name: {found['config']}\n"
    return _LOCAL.sub("", text).replace("metadata:\n", f"{place}metadata:\n")
