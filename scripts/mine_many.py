"""Mine many treebanks with datatrove, a task each, on this machine or with Slurm.

Writes ``OUT/TREEBANK.parquet`` of each folder, and in the end ``OUT/items.parquet``, in which no
item comes twice. Repeat a run that was broken off: what is there is not mined again. Usage::

    python scripts/mine_many.py FOLDER... --out OUT [--workers 8 | --slurm PARTITION]
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor, SlurmPipelineExecutor
from datatrove.pipeline.base import PipelineStep

from solecism import mine
from solecism.files import write_text
from solecism.treebank.mining import FreshItems, MiningCounts, write_items


class TreebankMiner(PipelineStep):
    """Mines the treebanks of a task; yields a document for each, with the path of its items."""

    type, name = "MINER", "agreement"

    def __init__(self, folders: list[Path], out: Path, preset: str) -> None:
        super().__init__()
        self.folders, self.out, self.preset = folders, out, preset

    def run(
        self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield a document for each treebank of this task."""
        yield from data or ()
        for folder in self.folders[rank::world_size]:
            items = self.out / f"{folder.name}.parquet"
            if not items.is_file():
                mined = mine(folder, preset=self.preset, out=items)
                write_text(items.with_suffix(".json"), json.dumps(mined.facts()) + "\n")
                self.stat_update("items", value=mined.counts.items)
            yield Document(str(items), folder.name)


class ItemsJoiner(PipelineStep):
    """Joins the items of all treebanks, in the order of the folders, without duplicates."""

    type, name = "JOINER", "items"

    def __init__(self, parts: list[Path], out: Path) -> None:
        super().__init__()
        self.parts, self.out = parts, out

    def run(
        self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield a document with the path of the joined items."""
        yield from data or ()
        counts = MiningCounts()
        write_items(FreshItems(counts, strict=False).of(map(pq.read_table, self.parts)), self.out)
        self.stat_update("items", value=counts.items)
        yield Document(str(self.out), self.out.stem)


@click.command()
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the items.")
@click.option("--preset", default="strict", show_default=True)
@click.option("--workers", default=1, help="Tasks that run at a time on this machine.")
@click.option("--slurm", help="Partition of Slurm to queue the tasks in, in place of this machine.")
@click.option("--time", "limit", default="01:00:00", help="Slurm's limit for a task.")
def main(
    folders: tuple[Path, ...], out: Path, preset: str, workers: int, slurm: str | None,
    limit: str,
) -> None:  # fmt: skip
    """Mine the treebanks in FOLDERS, each a folder of CoNLL-U files."""
    paths, out = [folder.absolute() for folder in folders], out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    miner = TreebankMiner(paths, out, preset)
    joiner = ItemsJoiner([out / f"{path.name}.parquet" for path in paths], out / "items.parquet")
    stages = [("mine", miner, len(paths)), ("join", joiner, 1)]
    last: LocalPipelineExecutor | SlurmPipelineExecutor | None = None
    for stage, step, tasks in stages:
        logs = str(out / "logs" / stage)
        if slurm:
            last = SlurmPipelineExecutor(
                [step], tasks, limit, slurm, logging_dir=logs, depends=last, skip_completed=False
            )
        else:
            last = LocalPipelineExecutor(
                [step], tasks, workers, logging_dir=logs, depends=last, skip_completed=False
            )
    if last is not None:
        last.run()


if __name__ == "__main__":
    main()
