"""Write lm-eval's task files from the catalogue and the templates. Usage: python scripts/make_tasks.py"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from solecism.datasets.catalogue import stanza
from solecism.datasets.from_templates import paths_of_configs
from solecism.files import write_text
from solecism.grammar.template import read_template
from solecism.harness.writing import TASKS, TaskConfig, TaskSet, task_files
from solecism.root import Root


def current(root: Root) -> dict[str, str]:
    """The files as they should be."""
    return task_files({name: task_set(root, name) for name in root.datasets})


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
