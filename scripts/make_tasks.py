"""Write lm-eval's task files from the catalogue and the templates. Usage: python scripts/make_tasks.py"""

from __future__ import annotations

from pathlib import Path

from solecism.harness.writing import TASKS, task_files
from solecism.release.catalogue import stanza
from solecism.sources import Root


def current(root: Root) -> dict[str, str]:
    """The files as they should be."""
    return task_files(
        {name: (stanza(root, name).version, uids(root, name)) for name in root.datasets}
    )


def uids(root: Root, dataset: str) -> dict[str, list[str]]:
    """The UIDs of each config of a data set."""
    return {
        config: [path.stem for path in root.templates(dataset, config)]
        for config in root.configs(dataset)
    }


def main() -> None:
    """Write the files and drop those of data sets that are gone."""
    files = current(Root(Path(__file__).resolve().parents[1]))
    for old in TASKS.glob("*.yaml"):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        (TASKS / name).write_text(text, encoding="utf-8", newline="\n")
        print(TASKS / name)


if __name__ == "__main__":
    main()
