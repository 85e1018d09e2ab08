"""The miner as a step, and the count of words that ``strict`` needs before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep

from solecism.items import CLOZE
from solecism.mine.blocks import Block
from solecism.mine.forms import TreebankForms, Word, count_words
from solecism.mine.items import Source
from solecism.mine.mining import Tally, mine_tokens, treebank_of
from solecism.mine.presets import Settings
from solecism.mine.scale.shards import Documents, with_
from solecism.mine.scale.tables import read_words
from solecism.mine.tokens import Tokens, read_block

__all__ = ["Miner", "WordCounter"]


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
