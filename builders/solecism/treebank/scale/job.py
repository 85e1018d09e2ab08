"""A job: what is to be mined, and the stages that do it with any of datatrove's executors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from datatrove.executor.base import PipelineExecutor
from datatrove.pipeline.base import PipelineStep

import solecism
from solecism.errors import fail
from solecism.files import writing
from solecism.treebank.cloze import MASKS
from solecism.treebank.conllu import files_of
from solecism.treebank.languages import find_language
from solecism.treebank.mining import Tally
from solecism.treebank.relations.presets import Settings
from solecism.treebank.scale.shards import Shard, tally_of
from solecism.treebank.scale.steps import (
    ConlluReader,
    ConlluWriter,
    ItemsJoiner,
    ItemsWriter,
    Miner,
    SpacyParser,
    TextReader,
    WordCounter,
    WordsJoiner,
    WordsWriter,
)

__all__ = ["Job", "run"]


@dataclass(frozen=True)
class Job:
    """Mining of files on many machines: what ``solecism mine PATHS --out OUT`` does, with the same bytes.

    ``work`` is a folder that all machines reach, as they must ``paths`` and ``out``; what is finished there
    is not done again. ``spacy``: the pipeline that parses, where the files are raw text. The others are as
    in :class:`~solecism.treebank.relations.presets.Settings` and on the command line.
    """

    paths: Sequence[str | Path]
    language: str
    work: str | Path
    out: str | Path
    preset: str = "strict"
    masks: tuple[str, ...] = MASKS[:1]
    relations: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    inventory: bool = True
    licence: str = ""
    lenient: bool = False
    spacy: str = ""

    @property
    def settings(self) -> Settings:
        """How to mine; raises :class:`InputError` for unknown names."""
        language = find_language(self.language, self.relations)
        return Settings(language, self.preset, self.masks, self.without)

    @property
    def folder(self) -> Path:
        """``work`` as a whole path, the same for all machines."""
        return Path(self.work).absolute()

    @property
    def pipeline(self) -> str:
        """The spaCy pipeline: its name, or its folder as a whole path."""
        return str(Path(self.spacy).absolute()) if Path(self.spacy).is_dir() else self.spacy

    def files(self) -> list[Path]:
        """The files to mine, one a shard, in order."""
        paths = [Path(path).absolute() for path in self.paths]
        if not self.spacy:
            return files_of(paths)
        from solecism.treebank.spacy import texts_of

        return texts_of(paths)

    def tally(self) -> Tally:
        """The counts of a job that is done; raises :class:`InputError` where it is not."""
        path = self.folder / "tally.json"
        if not path.is_file():
            raise fail("the job is not done", path)
        return tally_of(path.read_text(encoding="utf-8"))


class _Stage(NamedTuple):
    """``tasks``: how many at most."""

    name: str
    steps: list[PipelineStep]
    tasks: int


def run(
    job: Job, executor: Callable[..., PipelineExecutor], tasks: int = 0, **options: Any
) -> None:
    """Run a job, stage by stage, with a class of ``datatrove.executor``.

    ``tasks``: into how many tasks the shards are dealt (default: one each); ``options`` are the executor's.
    A job that was broken off goes on where it was; Slurm's executor returns when the stages are queued.
    Raises :class:`InputError` for what is wrong with the job, and where ``work`` belongs to another.
    """
    settings, files = job.settings, job.files()
    _claim(job, files)
    last: PipelineExecutor | None = None
    for stage in _stages(job, settings, files):
        number = min(stage.tasks, tasks or stage.tasks)
        logs = str(job.folder / "logs" / f"{stage.name}-{number}")
        given = {"skip_completed": stage.tasks > 1, **options}
        last = executor(stage.steps, tasks=number, logging_dir=logs, depends=last, **given)
    assert last is not None
    last.run()


def _claim(job: Job, files: Sequence[Path]) -> None:
    """Note what the folder is for, so that work for another job is never taken for this one's."""
    path = job.folder / "job.json"
    told = json.dumps(_description(job, files), indent=2, default=sorted) + "\n"
    if not path.is_file():
        with writing(path) as part:
            part.write_text(told, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != told:
        raise fail("the folder holds the work of another job, or its files have changed", path)


def _description(job: Job, files: Sequence[Path]) -> dict[str, Any]:
    """All that the items depend on."""
    kept = {
        name: value for name, value in vars(job).items() if name not in ("paths", "work", "out")
    }
    states = [(str(file), file.stat()) for file in files]
    shards = [[name, state.st_size, state.st_mtime_ns] for name, state in states]
    tools = {"solecism": solecism.__version__}
    if job.spacy:
        tools["spaCy"] = version("spacy")
    return {"tools": tools, **kept, "files": shards}


def _stages(job: Job, settings: Settings, files: Sequence[Path]) -> Iterator[_Stage]:
    work, words = job.folder, ""
    if job.spacy:
        parsed = [
            work / "parsed" / f"{n:05d}" / f"{file.stem}.conllu" for n, file in enumerate(files)
        ]
        shards = [Shard(str(a), str(b)) for a, b in zip(files, parsed, strict=True)]
        steps = [TextReader(shards), SpacyParser(job.pipeline), ConlluWriter()]
        yield _Stage("parse", steps, len(shards))
        files = parsed
    if job.preset == "strict" and job.inventory:
        words = str(work / "words.parquet")
        shards = _shards(files, work / "words")
        steps = [ConlluReader(shards), WordCounter(job.lenient), WordsWriter()]
        yield _Stage("count", steps, len(shards))
        yield _Stage("words", [WordsJoiner(shards, words)], 1)
    shards = _shards(files, work / "items")
    miner = Miner(settings, job.licence, job.lenient, words)
    yield _Stage("mine", [ConlluReader(shards), miner, ItemsWriter()], len(shards))
    out, tally = Path(job.out).absolute(), work / "tally.json"
    yield _Stage("join", [ItemsJoiner(shards, str(out), str(tally))], 1)


def _shards(files: Sequence[Path], folder: Path) -> list[Shard]:
    """Files, and the file that is made of each, by its number."""
    return [Shard(str(file), str(folder / f"{n:05d}.parquet")) for n, file in enumerate(files)]
