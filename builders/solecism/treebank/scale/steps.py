"""The steps of the pipeline for many machines: readers, miners and writers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep

from solecism.errors import fail
from solecism.files import writing
from solecism.schema import CLOZE
from solecism.treebank.cloze import Source
from solecism.treebank.conllu import Block, Tokens, read_block, read_blocks
from solecism.treebank.forms import TreebankForms, Word, count_words
from solecism.treebank.mining import Tally, mine_tokens, treebank_of, unique, write_items
from solecism.treebank.relations.presets import Settings
from solecism.treebank.scale.shards import (
    TALLY,
    Documents,
    Shard,
    add,
    add_words,
    by_shard,
    of,
    read_items,
    read_words,
    tally_text,
    with_,
    write_words,
)

__all__ = [
    "ConlluReader",
    "ConlluWriter",
    "ItemsJoiner",
    "ItemsWriter",
    "Miner",
    "SpacyParser",
    "TextReader",
    "WordCounter",
    "WordsJoiner",
    "WordsWriter",
]


class _Reader(PipelineStep):
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
            for number, (text, line) in enumerate(self.texts(Path(shard.path))):
                yield Document(text, f"{shard.path}/{number}", metadata=of(shard, line=line))

    def texts(self, path: Path) -> Iterator[tuple[str, int]]:
        """Yield texts, and the number of the first line."""
        raise NotImplementedError


class ConlluReader(_Reader):
    """Reads CoNLL-U in blocks of whole sentences."""

    name = "CoNLL-U"

    def texts(self, path: Path) -> Iterator[tuple[str, int]]:
        """See the class; bytes that are not UTF-8 are kept for :class:`Miner` to complain of."""
        blocks = iter(read_blocks(path))
        first = next(blocks, Block(b"", str(path)))
        yield first.data.decode(errors="surrogateescape"), first.line
        for block in blocks:
            yield block.data.decode(errors="surrogateescape"), block.line


class TextReader(_Reader):
    """Reads raw text in paragraphs."""

    name = "text"

    def texts(self, path: Path) -> Iterator[tuple[str, int]]:
        """See :func:`solecism.treebank.spacy.paragraphs`."""
        from solecism.treebank.spacy import paragraphs

        yield "", 1
        for text in paragraphs(path):
            yield text, 1


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
        for shard, documents in by_shard(data):
            yield Document("", shard.path, metadata=of(shard))
            texts = (document.text for document in documents)
            for sentence in parse_texts(texts, pipeline, Path(shard.path).stem):
                self.stat_update("sentences")
                yield Document(sentence, shard.path, metadata=of(shard))


class _Analyser(PipelineStep):
    """Reads the tokens of CoNLL-U; with ``lenient`` sentences with faults are skipped."""

    type = "MINER"

    def __init__(self, lenient: bool = False) -> None:
        super().__init__()
        self.lenient = lenient

    def tokens(self, document: Document, tally: Tally) -> Tokens | None:
        """Give the token table of a document, none where it has no words; count what it has."""
        path, line = document.metadata["shard"].path, document.metadata.get("line", 1)
        block = Block(document.text.encode(errors="surrogateescape"), path, line)
        tokens = read_block(block, tally.skip if self.lenient else None)
        return tokens if tally.read(tokens) else None


class WordCounter(_Analyser):
    """Counts the words from which ``strict`` tells what is overt."""

    name = "words"

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Give every document ``metadata["words"]``, a :class:`Counter` of :class:`Word`."""
        for document in data:
            counts: Counter[Word] = Counter()
            tokens = self.tokens(document, Tally())
            if tokens is not None:
                count_words(tokens, counts)
            yield with_(document, words=counts)


class Miner(_Analyser):
    """Mines; ``words``: the file of :class:`WordsJoiner`, in place of the settings' inventory."""

    name = "agreement"

    def __init__(
        self, settings: Settings, licence: str = "", lenient: bool = False, words: str = ""
    ) -> None:
        super().__init__(lenient)
        self.settings, self.licence, self.words = settings, licence, words

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Give every document ``metadata["items"]``, a table, and ``metadata["tally"]``."""
        settings = self.settings
        if self.words:
            settings = replace(settings, inventory=TreebankForms(read_words(Path(self.words))))
        for document in data:
            yield self._mine(document, settings)

    def _mine(self, document: Document, settings: Settings) -> Document:
        tally, items, language = Tally(), CLOZE.empty_table(), settings.language
        treebank = treebank_of(Path(document.metadata["shard"].path))
        tokens = self.tokens(document, tally)
        if tokens is not None:
            source = Source(language.code, treebank, self.licence, language.polite)
            items, dropped = mine_tokens(tokens, settings, source)
            tally.dropped += dropped
        self.stat_update("items", value=len(items))
        return with_(document, items=items, tally=tally)


class _Writer(PipelineStep):
    type = "WRITER"

    def run(self, data: Documents, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Write the file of every shard; yield a document for each."""
        for shard, documents in by_shard(data):
            with writing(Path(shard.out)) as part:
                self.write(documents, part)
            self.stat_update("shards")
            yield Document("", shard.out, metadata=of(shard))

    def write(self, documents: Documents, path: Path) -> None:
        """Write one shard."""
        raise NotImplementedError


class ConlluWriter(_Writer):
    """Writes what :class:`SpacyParser` gives."""

    name = "CoNLL-U"

    def write(self, documents: Documents, path: Path) -> None:
        """Write texts one after the other."""
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(document.text for document in documents)


class WordsWriter(_Writer):
    """Writes what :class:`WordCounter` gives, as Parquet."""

    name = "words"

    def write(self, documents: Documents, path: Path) -> None:
        """Write the sum."""
        counts: Counter[Word] = Counter()
        for document in documents:
            counts.update(document.metadata["words"])
        write_words(counts, path)


class ItemsWriter(_Writer):
    """Writes what :class:`Miner` gives, as Parquet: a row group a block, the counts in the footer."""

    name = "Parquet"

    def write(self, documents: Documents, path: Path) -> None:
        """Write tables one after the other."""
        total = Tally()
        with pq.ParquetWriter(path, CLOZE, compression="zstd") as writer:
            for document in documents:
                add(total, document.metadata["tally"])
                if len(document.metadata["items"]):
                    writer.write_table(document.metadata["items"])
            writer.add_key_value_metadata({TALLY: tally_text(total)})


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

    def join(self, files: list[Path]) -> None:
        """Join files."""
        raise NotImplementedError


class WordsJoiner(_Joiner):
    """Adds up the counts of words."""

    name = "words"

    def join(self, files: list[Path]) -> None:
        """Write the sums."""
        with writing(Path(self.out)) as part:
            pq.write_table(add_words(files), part)


class ItemsJoiner(_Joiner):
    """Drops duplicates over all shards and writes what :func:`~solecism.treebank.mining.write_items` writes;
    ``tally``: where to write the counts, as JSON."""

    name = "items"

    def __init__(self, shards: Sequence[Shard], out: str, tally: str) -> None:
        super().__init__(shards, out)
        self.tally = tally

    def join(self, files: list[Path]) -> None:
        """Write items and counts."""
        total = Tally()
        write_items(unique(read_items(files, total), total), Path(self.out))
        with writing(Path(self.tally)) as part:
            part.write_text(tally_text(total) + "\n", encoding="utf-8")
