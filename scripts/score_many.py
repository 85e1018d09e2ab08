"""Score many models on many data sets with datatrove, a task each, here or with Slurm.

Usage::

    python scripts/score_many.py MODELS DATASETS --out OUT [--workers 2 | --slurm PARTITION]
        [-- OPTIONS OF solecism score]

MODELS and DATASETS are names with commas between, or files with a name a line; ``gpt2@REVISION``
is a revision of a model. Results stand in ``OUT``, what each task said in ``OUT/logs``, the table
of all in ``OUT/table.txt`` and ``OUT/table.csv``. Repeat a run that was broken off: what has a
result is not scored again.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click
from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep

from run_steps import run_steps

_SOLECISM = (sys.executable, "-m", "solecism")


class Scorer(PipelineStep):
    """Scores the models and data sets of a task; yields a document for each, with what was said."""

    type, name = "SCORER", "grid"

    def __init__(self, cells: Sequence[tuple[str, str]], out: Path, options: Sequence[str]) -> None:
        super().__init__()
        self.cells, self.out, self.options = cells, out, options

    def run(
        self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield a document for each model and data set of this task; one that fails stops none."""
        yield from data or ()
        for model, dataset in self.cells[rank::world_size]:
            name, _, revision = model.partition("@")
            command = [*_SOLECISM, "score", dataset, "--model", name, "--out", str(self.out)]
            command += ["--revision", revision] if revision else []
            done = subprocess.run([*command, *self.options], capture_output=True, text=True)
            self.stat_update("failed" if done.returncode else "scored")
            said = (done.stdout + done.stderr).strip()
            print(f"{model} on {dataset}: {said.splitlines()[-1] if said else ''}", flush=True)
            yield Document(said, f"{model}/{dataset}")


class Tabulator(PipelineStep):
    """Writes the table of all results."""

    type, name = "TABULATOR", "table"

    def __init__(self, out: Path) -> None:
        super().__init__()
        self.out = out

    def run(
        self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield a document with the table."""
        yield from data or ()
        command = [*_SOLECISM, "report", str(self.out), "--by", "config"]
        command += ["--csv", str(self.out / "table.csv")]
        done = subprocess.run(command, capture_output=True, text=True)
        text = done.stdout + done.stderr
        (self.out / "table.txt").write_text(text, encoding="utf-8")
        print(text)
        yield Document(text, "table")


def names_of(text: str) -> list[str]:
    """Return the names that a file lists, one a line, or that stand with commas between."""
    path = Path(text)
    names = path.read_text("utf-8").splitlines() if path.is_file() else text.split(",")
    return list(filter(None, (name.strip() for name in names)))


@click.command(help=__doc__)
@click.argument("models")
@click.argument("datasets")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of results.")
@click.option("--workers", default=1, help="Tasks that run at a time on this machine.")
@click.option("--slurm", help="Partition of Slurm to queue the tasks in, in place of this machine.")
@click.option("--time", "limit", default="04:00:00", help="Slurm's limit for a task.")
@click.option("--gpus", default=0, help="Cards that Slurm gives a task.")
def main(
    models: str, datasets: str, options: tuple[str, ...], out: Path, workers: int,
    slurm: str | None, limit: str, gpus: int,
) -> None:  # fmt: skip
    cells = list(itertools.product(names_of(models), names_of(datasets)))
    out = out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    steps = (Scorer(cells, out, options), len(cells)), (Tabulator(out), 1)
    run_steps(steps, out, workers, slurm, limit, gpus_per_task=gpus)


if __name__ == "__main__":
    main()
