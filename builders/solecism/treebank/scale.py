"""Mining on many machines: a datatrove pipeline with the bytes of one process.

A file to mine is a shard. Each stage of a :class:`Job` makes one file of every shard, or one of
all; datatrove runs the steps of a stage with any of its executors. Between the steps go its
documents, with CoNLL-U or raw text as ``text`` and the shard in ``metadata["shard"]``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.executor.base import PipelineExecutor
from datatrove.pipeline.base import PipelineStep

import solecism
from solecism.errors import fail
from solecism.files import write_text, writing
from solecism.hashing import SeenHashes
from solecism.schema import CLOZE
from solecism.treebank.cloze import MASKS, ItemOrigin
from solecism.treebank.conllu import ConlluChunk, Tokens, files_of, read_chunk, read_chunks
from solecism.treebank.documents import Spread
from solecism.treebank.forms import TreebankForms, WordForm, count_words
from solecism.treebank.languages import find_language, read_stanza
from solecism.treebank.mining import (
    MiningCounts,
    Settings,
    mine_tokens,
    released,
    treebank_of,
    unique,
    write_items,
)  # fmt: skip

__all__ = [
    "ConlluReader", "ConlluWriter", "ItemsJoiner", "ItemsWriter", "Job", "Miner", "Shard",
    "SpacyParser", "TextReader", "WordCounter", "WordsJoiner", "WordsWriter", "run",
]  # fmt: skip

Documents = Iterable[Document]

_COUNTS = "solecism"
"""The key of the counts in the footer of a shard's items."""
_ADDED = ("bytes", "sentences", "words", "skipped")
"""What is counted before duplicates are dropped, beside ``dropped``."""
_WORDS = pa.schema([*((name, pa.string()) for name in WordForm._fields), ("count", pa.int64())])


@dataclass(frozen=True)
class Shard:
    """A file to read, and the file that is made of it."""

    path: str
    out: str

    @property
    def done(self) -> bool:
        """Whether the file is made."""
        return Path(self.out).is_file()


def _by_shard(data: Documents) -> Iterator[tuple[Shard, Iterator[Document]]]:
    """Group the documents of each shard; they come one shard after the other."""
    return groupby(data, key=lambda document: document.metadata["shard"])


def _document(shard: Shard, text: str = "", **more: Any) -> Document:
    return Document(text, shard.path, metadata={"shard": shard, **more})


def _with(document: Document, **more: Any) -> Document:
    """Return the document without its text, with more metadata."""
    return Document("", document.id, metadata={**document.metadata, **more})


def _counts_of(text: str | bytes) -> MiningCounts:
    values: dict[str, Any] = {
        name: Counter(value) if isinstance(value, dict) else value
        for name, value in json.loads(text).items()
    }
    return MiningCounts(**values)


def _add(total: MiningCounts, more: MiningCounts) -> None:
    for name in _ADDED:
        setattr(total, name, getattr(total, name) + getattr(more, name))
    for reason, count in more.dropped.items():
        total.dropped[reason] += count


class _ShardReader(PipelineStep):
    type = "READER"

    def __init__(self, shards: Sequence[Shard]) -> None:
        super().__init__()
        self.shards = tuple(shards)

    def run(
        self, data: Documents | None = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Yield the documents of this task's shards, at least one of each."""
        yield from data or ()
        for shard in self.shards[rank::world_size]:
            if shard.done:
                self.stat_update("finished before")
                continue
            self.stat_update("shards")
            for text, line in self.texts(Path(shard.path)):
                yield _document(shard, text, line=line)

    texts: Callable[[Path], Iterator[tuple[str, int]]]
    """Yields texts, and the number of the first line of each."""


class ConlluReader(_ShardReader):
    """Reads CoNLL-U in chunks of whole sentences."""

    name = "CoNLL-U"

    def texts(self, path: Path) -> Iterator[tuple[str, int]]:
        """Yield chunks; bytes that are not UTF-8 are kept for :class:`Miner` to complain of."""
        chunks = read_chunks(path)
        for chunk in chain([next(chunks, ConlluChunk(b""))], chunks):
            yield chunk.data.decode(errors="surrogateescape"), chunk.line


class TextReader(_ShardReader):
    """Reads raw text in paragraphs."""

    name = "text"

    def texts(self, path: Path) -> Iterator[tuple[str, int]]:
        from solecism.treebank.spacy import paragraphs

        yield "", 1
        yield from ((text, 1) for text in paragraphs(path))


class SpacyParser(PipelineStep):
    """Parses raw text; ``pipeline``: the name or the folder of a spaCy pipeline."""

    type, name = "PARSER", "spaCy"

    def __init__(self, pipeline: str) -> None:
        super().__init__()
        self.pipeline = pipeline

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield a document a sentence; a shard's texts are parsed apart from those of others."""
        from solecism.treebank.spacy import load_pipeline, parse_texts

        pipeline = load_pipeline(self.pipeline)
        for shard, documents in _by_shard(data):
            yield _document(shard)
            texts = (document.text for document in documents)
            for sentence in parse_texts(texts, pipeline, Path(shard.path).stem):
                self.stat_update("sentences")
                yield _document(shard, sentence)


class _TokenReader(PipelineStep):
    """Reads the tokens of CoNLL-U; with ``lenient`` broken sentences are skipped."""

    type = "MINER"

    def __init__(self, lenient: bool = False) -> None:
        super().__init__()
        self.lenient = lenient

    def tokens(self, document: Document, counts: MiningCounts) -> Tokens | None:
        """Return the words of a document, None where it has none; count what it has."""
        path, line = document.metadata["shard"].path, document.metadata.get("line", 1)
        chunk = ConlluChunk(document.text.encode(errors="surrogateescape"), path, line)
        tokens = read_chunk(chunk, counts.skip if self.lenient else None)
        return tokens if counts.read(tokens) else None


class WordCounter(_TokenReader):
    """Counts the words from which ``strict`` finds out what is overt."""

    name = "words"

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield documents with ``metadata["words"]``, a :class:`Counter` of :class:`WordForm`."""
        for document in data:
            words: Counter[WordForm] = Counter()
            tokens = self.tokens(document, MiningCounts())
            if tokens is not None:
                count_words(tokens, words)
            yield _with(document, words=words)


class Miner(_TokenReader):
    """Mines; ``words``: the file of :class:`WordsJoiner`, in place of the forms of the settings."""

    name = "agreement"

    def __init__(
        self, settings: Settings, licence: str = "", lenient: bool = False, words: str = ""
    ) -> None:
        super().__init__(lenient)
        self.settings, self.licence, self.words = settings, licence, words

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield documents with ``metadata["items"]``, a table, and ``metadata["counts"]``."""
        settings = self.settings
        if self.words:
            settings = replace(
                settings, forms=TreebankForms(_read_words(Path(self.words)), analogy=True)
            )
        for document in data:
            yield self._mine(document, settings)

    def _mine(self, document: Document, settings: Settings) -> Document:
        counts, items = MiningCounts(), CLOZE.empty_table()
        tokens = self.tokens(document, counts)
        if tokens is not None:
            treebank = treebank_of(Path(document.metadata["shard"].path))
            items, dropped = mine_tokens(tokens, settings, ItemOrigin(treebank, self.licence))
            counts.dropped += dropped
        self.stat_update("items", value=len(items))
        return _with(document, items=items, counts=counts)


class _ShardWriter(PipelineStep):
    type = "WRITER"

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Write the file of every shard; yield a document for each."""
        for shard, documents in _by_shard(data):
            with writing(Path(shard.out)) as part:
                self.write(documents, part)
            self.stat_update("shards")
            yield _document(shard)

    write: Callable[[Documents, Path], None]


class ConlluWriter(_ShardWriter):
    """Writes what :class:`SpacyParser` yields."""

    name = "CoNLL-U"

    def write(self, documents: Documents, path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(document.text for document in documents)


class WordsWriter(_ShardWriter):
    """Writes what :class:`WordCounter` yields, as Parquet."""

    name = "words"

    def write(self, documents: Documents, path: Path) -> None:
        total: Counter[WordForm] = Counter()
        for document in documents:
            total.update(document.metadata["words"])
        columns = [[word[at] for word in total] for at in range(len(WordForm._fields))]
        pq.write_table(pa.table([*columns, list(total.values())], _WORDS), path)


def _read_words(path: Path) -> Mapping[WordForm, int]:
    columns = pq.read_table(path).to_pydict()
    words = map(WordForm, *(columns[name] for name in WordForm._fields))
    return dict(zip(words, columns["count"], strict=True))


class ItemsWriter(_ShardWriter):
    """Writes what :class:`Miner` yields: a row group a chunk, the counts in the footer."""

    name = "Parquet"

    def write(self, documents: Documents, path: Path) -> None:
        total = MiningCounts()
        with pq.ParquetWriter(path, CLOZE, compression="zstd") as writer:
            for document in documents:
                _add(total, document.metadata["counts"])
                if len(document.metadata["items"]):
                    writer.write_table(document.metadata["items"])
            writer.add_key_value_metadata({_COUNTS: json.dumps(vars(total))})


def _read_items(paths: Iterable[Path], total: MiningCounts) -> Iterator[pa.Table]:
    """Yield tables as they were mined, and add the counts of the shards.

    The tables' borders matter: they show in the bytes of what is written of them.
    """
    for path in paths:
        with pq.ParquetFile(path) as file:
            _add(total, _counts_of(file.metadata.metadata[_COUNTS.encode()]))
            for group in range(file.num_row_groups):
                yield file.read_row_group(group).replace_schema_metadata(None)


class _Joiner(PipelineStep):
    """Makes one file of the files of all shards, in their order."""

    type = "JOINER"

    def __init__(self, shards: Sequence[Shard], out: str) -> None:
        super().__init__()
        self.shards, self.out = tuple(shards), out

    def run(
        self, data: Documents | None = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        """Join, in the first task only; raises :class:`InputError` where shards are not done."""
        lacking = [shard.path for shard in self.shards if not shard.done]
        if lacking:
            raise fail(f"{len(lacking)} shards are not done; run again", lacking[0])
        if rank == 0:
            self.join([Path(shard.out) for shard in self.shards])
            yield Document("", self.out)

    join: Callable[[list[Path]], None]


class WordsJoiner(_Joiner):
    """Adds up the counts of words."""

    name = "words"

    def join(self, files: list[Path]) -> None:
        table = pa.concat_tables(map(pq.read_table, files))
        total = table.group_by(list(WordForm._fields)).aggregate([("count", "sum")])
        with writing(Path(self.out)) as part:
            pq.write_table(total.rename_columns(_WORDS.names), part)


class ItemsJoiner(_Joiner):
    """Drops duplicates over all shards and writes the items as one process does.

    ``counts``: where to write the counts, as JSON.
    """

    name = "items"

    def __init__(self, shards: Sequence[Shard], out: str, counts: str, once: bool = False) -> None:
        super().__init__(shards, out)
        self.counts, self.once = counts, once

    def join(self, files: list[Path]) -> None:
        total = MiningCounts()
        write_items(self._items(files, total), Path(self.out))
        write_text(Path(self.counts), json.dumps(vars(total)) + "\n")

    def _items(self, files: list[Path], total: MiningCounts) -> Iterator[pa.Table]:
        once, spread = (SeenHashes(), Spread()) if self.once else (None, None)
        yield from unique(_read_items(files, total), total, once=once, spread=spread)
        if spread is not None:
            yield from released(spread, total)


@dataclass(frozen=True)
class Job:
    """Mining on many machines, with the bytes of ``solecism mine PATHS --out OUT``.

    ``work`` is a folder that all machines reach, as they must ``paths`` and ``out``; what is
    finished there is not done again. The others are as in :func:`solecism.mine`; ``masks`` are one
    or both of :data:`~solecism.treebank.cloze.MASKS`, ``stanza``: a file of ``solecism profile``.
    """

    paths: Sequence[str | Path]
    language: str
    work: str | Path
    out: str | Path
    preset: str = "strict"
    masks: tuple[str, ...] = MASKS
    relations: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    inventory: bool = True
    licence: str = ""
    lenient: bool = False
    spacy: str = ""
    stanza: str | Path = ""

    @property
    def settings(self) -> Settings:
        """How to mine; raises :class:`InputError` for unknown names.

        A language that has no stanza in ``languages.toml`` needs one of ``solecism profile``.
        """
        if self.stanza:
            language = read_stanza(Path(self.stanza), self.language)
        else:
            language = find_language(self.language, self.relations)
        return Settings(language, self.preset, self.masks, self.without)

    @property
    def folder(self) -> Path:
        """``work`` as a whole path, the same for all machines."""
        return Path(self.work).absolute()

    def files(self) -> list[Path]:
        """Return the files to mine, one a shard, in order."""
        paths = [Path(path).absolute() for path in self.paths]
        if not self.spacy:
            return files_of(paths)
        from solecism.treebank.spacy import texts_of

        return texts_of(paths)

    def counts(self) -> MiningCounts:
        """Return the counts of a job that is done; raises :class:`InputError` where it is not."""
        path = self.folder / "counts.json"
        if not path.is_file():
            raise fail("the job is not done", path)
        return _counts_of(path.read_text(encoding="utf-8"))


class _Stage(NamedTuple):
    """The steps that make files; ``tasks``: how many tasks they can be dealt to."""

    name: str
    steps: list[PipelineStep]
    tasks: int


def run(
    job: Job, executor: Callable[..., PipelineExecutor], tasks: int = 0, **options: Any
) -> None:
    """Run a job, stage by stage, with a class of ``datatrove.executor``.

    ``tasks``: into how many tasks the shards are dealt (default: one each); ``options`` are the
    executor's. A job that was broken off goes on where it was; Slurm's executor returns when the
    stages are queued. Raises :class:`InputError` for what is wrong with the job, and where ``work``
    belongs to another.
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
    text = json.dumps(_description(job, files), indent=2, default=sorted) + "\n"
    if not path.is_file():
        write_text(path, text)
    elif path.read_text(encoding="utf-8") != text:
        raise fail("the folder holds the work of another job, or its files have changed", path)


def _description(job: Job, files: Sequence[Path]) -> dict[str, Any]:
    """Return all that the items depend on."""
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
        parsed = [work / f"parsed/{n:05d}/{file.stem}.conllu" for n, file in enumerate(files)]
        shards = [Shard(str(a), str(b)) for a, b in zip(files, parsed, strict=True)]
        pipeline = str(Path(job.spacy).absolute()) if Path(job.spacy).is_dir() else job.spacy
        yield _Stage(
            "parse", [TextReader(shards), SpacyParser(pipeline), ConlluWriter()], len(shards)
        )
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
    counts, once = str(work / "counts.json"), job.preset == "strict"
    joiner = ItemsJoiner(shards, str(Path(job.out).absolute()), counts, once)
    yield _Stage("join", [joiner], 1)


def _shards(files: Sequence[Path], folder: Path) -> list[Shard]:
    """Return files with the file that is made of each, by its number."""
    return [Shard(str(file), str(folder / f"{n:05d}.parquet")) for n, file in enumerate(files)]
