"""Write lm-eval's task files from the catalogue and the templates. Usage: python
scripts/make_tasks.py

A test checks that the files are current. What tasks share (``_pairs.yaml``, ``_suites.yaml``,
``_local.yaml``) is written by hand.
"""

import csv
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path

from solecism.datasets.catalogue import catalogue_entry, cite, references_of
from solecism.datasets.from_templates import tags_of_config, templates_of_configs
from solecism.files import write_text
from solecism.harness import TASKS
from solecism.harness.task_files import (
    readme_of,
    task_of_config,
    task_of_group,
    task_of_paradigms,
    yaml_of,
)
from solecism.language_tags import tags_of
from solecism.root import Root

DOCS = Path(__file__).resolve().parents[1] / "docs"
LANGUAGES = DOCS / "languages.tsv"
CASES = DOCS / "cases.tsv"
MINED = ("agreement", "cases")
_MADE = "Made by scripts/make_tasks.py."
_HEAD = f"# All configs. {_MADE}\n"


def _dataset_files(root: Root, name: str) -> dict[str, str]:
    """Return the files of a data set: a group, and a task a config.

    With a config a language, each has a group of tasks of its paradigms too; with a config a
    paradigm, the group has those of the main kind.
    """
    entry = catalogue_entry(root, name)
    configs = templates_of_configs(root, entry)
    kinds = {c: "pair" if found[0].is_pair else "suite" for c, found in configs.items()}
    tags = {config: tags_of_config(entry, config, found) for config, found in configs.items()}
    version = entry.version
    files = {
        f"{name}/{config}.yaml": yaml_of(task_of_config(name, version, config, kind, tags[config]))
        for config, kind in kinds.items()
    }
    if entry.configs != "paradigms":
        files |= {
            f"{name}/{config}_paradigms.yaml": f"# One task a paradigm. {_MADE}\n"
            + yaml_of(task_of_paradigms(name, version, config, tags[config], [t.id for t in found]))
            for config, found in configs.items()
            if kinds[config] == "pair"
        }
    group = yaml_of(task_of_group(name, version, kinds))
    return files | {f"{name}/{name}.yaml": f"{_HEAD}{group}"}


def current(root: Root) -> dict[str, str]:
    """Return the files as they should be, by name."""
    files: dict[str, str] = {}
    for name in root.datasets:
        files |= _dataset_files(root, name)
    for name in MINED:
        files |= _mined_files(name, catalogue_entry(root, name).version)
    return files | {
        f"{name}/README.md": _readme(root, name, files) for name in (*root.datasets, *MINED)
    }


def _readme(root: Root, name: str, files: Mapping[str, str]) -> str:
    """Return the page that lm-eval asks of a folder of tasks."""
    entry = catalogue_entry(root, name)
    own = {path: text for path, text in files.items() if path.startswith(f"{name}/")}
    tasks = [line.removeprefix("task: ") for text in own.values() for line in text.splitlines()
             if line.startswith("task: ")]  # fmt: skip
    about = _abouts(root, name)
    return readme_of(
        own, {task: _said(task, name, about) for task in tasks}, name=entry.pretty_name,
        paper=references_of(root, entry)[0], summary=entry.summary,
        bibtex=cite(root, name).strip(), version=entry.version,
    )  # fmt: skip


def _abouts(root: Root, name: str) -> dict[str, str]:
    """Return what each paradigm of a data set is about, by its UID."""
    if name not in root.datasets:
        return {}
    found = chain.from_iterable(templates_of_configs(root, catalogue_entry(root, name)).values())
    return {template.id: " ".join(template.about.split()) for template in found}


def _said(task: str, name: str, about: Mapping[str, str]) -> str:
    config = task.removeprefix(f"solecism_{name}_")
    languages = {line["code"]: line["language"] for line in read_table(LANGUAGES)}
    if config in about or config in languages:
        return about.get(config) or languages[config]
    uid, _, more = config.rpartition("_")
    if uid in about or uid in languages:
        return f"{about.get(uid) or languages[uid]} ({_PARTS.get(more, more)})"
    return _PARTS[config]


_PARTS = {
    "all": "all paradigms", "pair": "as minimal pairs", "pairs": "all paradigms of minimal pairs",
    "wide": "with doubtful pairs", "traditional": "all suites, in traditional characters",
    "pairs_traditional": "all paradigms of minimal pairs, in traditional characters",
}  # fmt: skip


@cache
def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _mined_files(name: str, version: str) -> dict[str, str]:
    """Return the files of mined pairs: of each language for which a table of docs/ has some.

    Those of the wide sets are in no group, as they have the pairs of the others too.
    """
    found = mined_languages(name)
    tasks = {
        f"{name}/{code}{suffix}.yaml": yaml_of(
            task_of_config(name, version, code, "pair", tags_of([code]), part)
        )
        for column, suffix, part in (("pairs", "", "-pairs"), ("wide", "_wide", "-pairs-wide"))
        for code in found[column]
    }
    group = yaml_of(task_of_group(name, version, dict.fromkeys(found["pairs"], "pair")))
    return {f"{name}/{name}.yaml": f"{_HEAD}{group}", **tasks}


def mined_languages(name: str) -> dict[str, list[str]]:
    """Return the codes of the languages that have certain pairs, and wide ones."""
    if name == "cases":
        lines = read_table(CASES)
        pairs, wide = ([r for r in lines if int(r[c])] for c in ("pairs", "doubtful"))
        found = {"pairs": pairs, "wide": [*pairs, *wide]}
    else:
        found = {c: [r for r in read_table(LANGUAGES) if int(r[c])] for c in ("pairs", "wide")}
    return {column: sorted({r["code"] for r in rows}) for column, rows in found.items()}


def main() -> None:
    """Write the files and drop those of data sets that are gone."""
    files = current(Root(Path(__file__).resolve().parents[1]))
    for old in [*TASKS.glob("*/*.yaml"), *TASKS.rglob("*.md")]:
        if old.relative_to(TASKS).as_posix() not in files:
            old.unlink()
    for name, text in files.items():
        path = TASKS / name
        path.parent.mkdir(exist_ok=True)
        write_text(path, text)
        print(path)


if __name__ == "__main__":
    main()
