"""The files of lm-eval's tasks: what they say of a config, and copies that need no Solecism."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import yaml
from jinja2 import Environment

from solecism.datasets.from_templates import ALL, COLLECTIONS, PAIRS
from solecism.datasets.manifest import Manifest, read_manifest
from solecism.errors import fail
from solecism.files import filling_folder
from solecism.harness import TASKS
from solecism.inputs import Json, read_text
from solecism.language_tags import isos_of
from solecism.lexicon.table import read_tsv
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


def task_of_paradigms(
    name: str, version: str, config: str, tags: Sequence[str], uids: Sequence[str]
) -> Task:
    """Return a group of inline tasks, one a paradigm; all take over what the group includes."""
    abouts = {uid: metadata_of(name, version, config, tags, uid) for uid in uids}
    tasks = [{"task": uid, "metadata": about} for uid, about in abouts.items()]
    return {
        "include": includes("pair"),
        "group": f"solecism_{name}_{config}_paradigms",
        "task": tasks,
        **means("acc", "acc_norm"),
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

    There is a folder for each data set, as in lm-eval, with the page that it asks for. With the
    name of an ``organisation`` tasks load its data sets from the hub, in the version that they are
    labelled with, and each paradigm has a file. Raises :class:`InputError` where ``data`` is not
    the folder of a data set of pairs or suites.
    """
    places = sorted({path.parent for path in TASKS.glob("*/*.yaml")})
    texts = ({file.name: read_text(file) for file in sorted(place.iterdir())} for place in places)
    packaged = dict(zip([place.name for place in places], texts, strict=True))
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
    manifest = read_manifest(Path(data))
    tasks = {name: task_of_group(name, version, kinds)}
    said = {}
    for i in found:
        tasks[i.config] = task_of_config(name, version, i.config, i.kind, i.tags)
        abouts = _abouts(manifest, i.config)
        several = f"{len(abouts)} paradigms" if len(abouts) > 1 else f"all of `{i.config}`"
        said[tasks[i.config]["task"]] = abouts.get(i.config, several)
        if i.kind == "pair" and len(abouts) > 1 and i.config not in COLLECTIONS:
            group = task_of_paradigms(name, version, i.config, i.tags, [*abouts])
            tasks[f"{i.config}_paradigms"] = group
            said |= {f"solecism_{name}_{i.config}_{uid}": text for uid, text in abouts.items()}
    files = {f"{each}.yaml": yaml_of(task) for each, task in tasks.items()}
    return name, files | {"README.md": readme_of(files, said, **_card(manifest))}


def _abouts(manifest: Manifest, config: str) -> dict[str, str]:
    """Return what the paradigms of a config are about, by UID, as the manifest says it."""
    paradigms = manifest.raw["configs"][config].get("paradigms", {})
    return {uid: facts.get("about") or uid for uid, facts in paradigms.items()}


def _card(manifest: Manifest) -> dict[str, str]:
    """Return what a page of tasks takes from a data set's card: title, first words, citation."""
    card = manifest.path.with_name("README.md")
    text = read_text(card) if card.is_file() else ""
    begins = re.search(r"^# (.+)\n+((?:(?![#`{*|]).+\n)*)", text, re.MULTILINE)
    title, summary = begins.groups() if begins else (manifest.dataset, "")
    cited = re.search(r"^```bibtex\n(.+?)^```", text, re.MULTILINE | re.DOTALL)
    return {
        "name": title.removesuffix(f" {manifest.version}"),
        "summary": " ".join(summary.split()),
        "bibtex": cited[1].strip() if cited else "",
        "version": manifest.version,
    }


def readme_of(files: Mapping[str, str], tasks: Mapping[str, str], **page: Json) -> str:
    """Return the page that lm-eval asks of a folder of tasks.

    ``files``: those of the tasks and groups, ``tasks``: a sentence for each; ``page``: what else
    the page says (``readme.md.jinja``).
    """
    names = re.findall(r"^group: (.+)$", "".join(files.values()), re.MULTILINE)
    texts = {True: "one task a paradigm", False: "all of them; the figure is the plain mean"}
    _, *lines = read_tsv(TASKS.parent / "glossary.tsv", ["term", "meaning"])
    template = Environment().from_string(read_text(TASKS.parent / "readme.md.jinja"))
    return template.render(
        groups={name: texts[name.endswith("_paradigms")] for name in sorted(names)},
        tasks=tasks, glossary=dict(cells for _, cells in lines),
        suites=any("_suites.yaml" in text for text in files.values()),
        pairs=any("_pairs.yaml" in text for text in files.values()), **page,
    ) + "\n"  # fmt: skip


def _standing_alone(files: Mapping[str, str], organisation: str) -> dict[str, str]:
    """Return the files of one data set and those that they name, side by side in one folder.

    Those of an ``organisation`` load their version from the hub, without our code.
    """
    texts, shared = {}, {"utils.py"}
    for name, text in files.items():
        if not name.endswith(".yaml"):  # the README
            texts[name] = text
            continue
        task = yaml.safe_load(text)
        if "include" in task:
            task["include"] = [each.removeprefix("../") for each in task["include"]]
            shared.update(task["include"])
        if organisation and name.endswith("_paradigms.yaml"):
            texts |= _paradigm_files(task, organisation)
        elif organisation and "include" in task:
            about = task["metadata"]
            task["include"].remove(_LOCAL)
            task["dataset_path"] = f"{organisation}/{about['dataset']}"
            task["dataset_name"] = about["config"]
            task["dataset_kwargs"] = {"revision": f"v{about['version']}"}
        texts[name] = yaml_of(task)
    if organisation and not any("uid: " in text for text in texts.values()):
        shared.discard(_LOCAL)
    shared |= {"suites.py"} if _SUITES in shared else set()
    return texts | {name: read_text(TASKS / name) for name in sorted(shared)}


def _paradigm_files(group: Task, organisation: str) -> dict[str, str]:
    """Return a file for each inline task of a group; the group then has their names."""
    include, texts = group.pop("include"), {}
    stem = group["group"].removesuffix("_paradigms")
    for task in group["task"]:
        about = {**task["metadata"], "organisation": organisation}
        own = {"include": include, "task": f"{stem}_{task['task']}", "metadata": about}
        texts[f"{about['config']}_{task['task']}.yaml"] = yaml_of(own)
    group["task"] = [f"{stem}_{task['task']}" for task in group["task"]]
    return texts
