"""Build `agreement` of many languages with datatrove, a task each, here or with Slurm.

Usage::

    python scripts/mine_many.py CLONES --out OUT [--only el,tr] [--workers 8 | --slurm PARTITION]

CLONES is a folder of clones of the repositories of Universal Dependencies (``UD_Greek-GDT`` ...),
and, in ``unimorph/``, of UniMorph (``ell`` ...); several folders may be given, as in ``PATH``. The
data set of all languages stands in ``OUT/agreement``, a line of each language in
``OUT/languages.tsv``, what each task said in ``OUT/logs``. Repeat a run that was broken off: a
language that is built is not built again (``OUT/parts``).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep

from make_languages import write_rows
from run_steps import run_steps
from solecism.datasets.build import build_configs
from solecism.datasets.catalogue import catalogue_entry
from solecism.datasets.configs import BuiltParadigm, Config, Items, ItemSource
from solecism.datasets.from_treebanks import LEAST
from solecism.datasets.manifest import MANIFEST, Manifest, read_manifest
from solecism.grammar.paradigm import Counts
from solecism.root import find_root
from solecism.schema import KINDS
from solecism.treebank.languages import doubtful_sources
from solecism.treebank.minimal_pairs import SCHEMA
from solecism.works.catalogue import find_code
from solecism.works.sources import found_languages

DATASET = "agreement"


class Miner(PipelineStep):
    """Builds the languages of a task; yields a document for each, with what was said."""

    type, name = "MINER", "languages"

    def __init__(self, codes: Sequence[str], clones: str, out: Path) -> None:
        super().__init__()
        self.codes, self.clones, self.out = codes, clones, out

    def run(
        self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield a document for each language of this task; one that fails stops none."""
        yield from data or ()
        for code in self.codes[rank::world_size]:
            folder = self.out / "parts" / code
            if (folder / MANIFEST).is_file():
                continue
            command = [sys.executable, "-m", "solecism", "build", DATASET, code, "--json"]
            environment = {**os.environ, "SOLECISM_SOURCES": self.clones}
            done = subprocess.run(
                [*command, "--out", str(folder)], capture_output=True, text=True, env=environment
            )
            self.stat_update("failed" if done.returncode else "built")
            said = done.stderr.strip()
            print(f"{code}: {said.splitlines()[-1] if done.returncode else 'built'}", flush=True)
            yield Document(said, code)


class Joiner(PipelineStep):
    """Joins the languages that were built to one data set, and writes the table of them."""

    type, name = "JOINER", "data set"

    def __init__(self, codes: Sequence[str], out: Path) -> None:
        super().__init__()
        self.codes, self.out = codes, out

    def run(
        self, data: Iterable[Document] | None = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield a document with the table."""
        yield from data or ()
        folders = [self.out / "parts" / code for code in self.codes]
        manifests = [read_manifest(f) for f in folders if (f / MANIFEST).is_file()]
        configs = [config for manifest in manifests for config in configs_of(manifest)]
        root = find_root(None)
        build_configs(root, catalogue_entry(root, DATASET), configs, self.out / DATASET)
        table = self.out / "languages.tsv"
        with table.open("w", encoding="utf-8", newline="") as file:
            write_rows((manifest.raw for manifest in manifests), file)
        print(f"{len(manifests)} of {len(self.codes)} languages: {self.out / DATASET}")
        yield Document(table.read_text("utf-8"), "table")


def configs_of(manifest: Manifest) -> Iterator[Config]:
    """Yield the configs of a language that was built, to be written again as they are.

    Languages that are left out where none is named are left out.
    """
    doubtful = {*doubtful_sources()}
    for name, config in manifest.configs.items():
        (code,) = config.languages
        paradigms = manifest.raw["configs"][name]["paradigms"]
        paths = [manifest.paths(name), *[[]] * (len(paradigms) - 1)]  # all rows with the first
        sources = tuple(
            ItemSource(f"{name} {uid}", partial(_again, uid, dict(facts), taken))
            for (uid, facts), taken in zip(paradigms.items(), paths, strict=True)
        )
        schema = SCHEMA if config.kind == "pair" else KINDS[config.kind].schema
        least, of = (LEAST, "") if config.kind == "cloze" else (1, code)
        mined = {*manifest.raw["configs"][code]["paradigms"]}
        if code not in doubtful and mined - doubtful:
            yield Config(
                name, config.kind, schema, sources, (code,), least=least, of=of, tags=config.tags
            )


def _again(uid: str, facts: dict[str, Any], paths: Sequence[Path]) -> Items:
    """Yield the rows of files; return what the manifest says of their source."""
    for path in paths:
        yield pq.read_table(path)
    counts = {name: facts.pop(name) for name in ("sets", "pairs", "skipped", "syncretic_forms")}
    counts["skipped"] = Counter(counts["skipped"])
    del facts["findings"]  # of treebanks there are none
    return BuiltParadigm(
        uid, facts.pop("construction"), facts.pop("phenomenon"), facts.pop("about"),
        Counts(**counts), tuple(facts.pop("example")), (), facts,
    )  # fmt: skip


@click.command(help=__doc__)
@click.argument("clones")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder of all results."
)
@click.option("--only", default="", help="Languages, with commas between; default: all of CLONES.")
@click.option("--workers", default=1, help="Tasks that run at a time on this machine.")
@click.option("--slurm", help="Partition of Slurm to queue the tasks in, in place of this machine.")
@click.option("--time", "limit", default="02:00:00", help="Slurm's limit for a task.")
def main(
    clones: str, out: Path, only: str, workers: int, slurm: str | None, limit: str
) -> None:  # fmt: skip
    clones = os.pathsep.join(str(Path(folder).absolute()) for folder in clones.split(os.pathsep))
    os.environ["SOLECISM_SOURCES"] = clones
    codes = [find_code(name) for name in filter(None, only.split(","))] or found_languages()
    out = out.absolute()
    (out / "parts").mkdir(parents=True, exist_ok=True)
    steps = (Miner(codes, clones, out), len(codes)), (Joiner(codes, out), 1)
    run_steps(steps, out, workers, slurm, limit)


if __name__ == "__main__":
    main()
