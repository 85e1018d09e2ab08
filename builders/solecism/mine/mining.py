"""From files to items: pure functions of a block or a file, and the joining of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from solecism.mine.blocks import BLOCK
from solecism.mine.items import Source, items_of
from solecism.mine.presets import Settings
from solecism.mine.seen import Seen
from solecism.mine.tokens import Tokens, read_tokens

__all__ = ["Tally", "mine_file", "mine_files", "mine_tokens", "treebank_of", "unique"]


@dataclass
class Tally:
    """Counts of a run. ``relations`` and ``masked`` count the items, after duplicates were dropped;
    ``dropped`` the pairs, by reason; ``skipped`` the sentences with faults (lenient)."""

    bytes: int = 0
    sentences: int = 0
    words: int = 0
    skipped: int = 0
    duplicates: int = 0
    relations: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.relations.total()

    def read(self, tokens: Tokens) -> bool:
        """Count what a block holds; false where it has no words, and so no items."""
        if not len(tokens):
            return False
        self.bytes += tokens.size
        self.words += len(tokens)
        self.sentences += len(tokens.sentences.start)
        return True

    def skip(self, number: int) -> None:
        """Count sentences with faults."""
        self.skipped += number

    def count(self, items: pa.Table) -> None:
        """Count items."""
        for name, counter in (("relation", self.relations), ("masked", self.masked)):
            for value in items[name].value_counts().to_pylist():
                counter[value["values"]] += value["counts"]


def treebank_of(path: Path) -> str:
    """Name the treebank of a file: its folder, where that is called ``UD_...``, else the file."""
    folder = path.resolve().parent.name
    return folder if folder.startswith("UD_") else path.stem


def mine_tokens(
    tokens: Tokens, settings: Settings, source: Source
) -> tuple[pa.Table, Counter[str]]:
    """Give the items of a block, duplicates included, and what was dropped, by reason."""
    found, dropped = settings.find(tokens)
    return items_of(tokens, found, settings.masks, source), dropped


def mine_file(
    path: Path,
    settings: Settings,
    tally: Tally,
    licence: str = "",
    lenient: bool = False,
    size: int = BLOCK,
) -> Iterator[pa.Table]:
    """Yield the items of a CoNLL-U file, block by block, duplicates included (their ``id`` is the same).

    The items are a function of the file's text and the settings alone, not of the size of the blocks. Raises
    :class:`InputError`; with ``lenient`` sentences with faults are skipped and counted in ``tally``.
    """
    language = settings.language
    source = Source(language.code, treebank_of(path), licence, language.polite)
    for tokens in read_tokens(path, size, tally.skip if lenient else None):
        if not tally.read(tokens):
            continue
        items, dropped = mine_tokens(tokens, settings, source)
        tally.dropped += dropped
        yield items


def unique(tables: Iterable[pa.Table], tally: Tally) -> Iterator[pa.Table]:
    """Pass on the first item with each ``id``, and count: duplicates are dropped over all files of a
    language, as the paper's program does."""
    seen = Seen()
    for table in tables:
        fresh = seen.fresh(numbers(table["id"]))
        tally.duplicates += int((~fresh).sum())
        kept = table.filter(pa.array(fresh)) if not fresh.all() else table
        tally.count(kept)
        yield kept


def numbers(ids: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Read ids, texts of 16 hexadecimal digits, as numbers."""
    text = "".join(ids.to_pylist())
    return np.frombuffer(bytes.fromhex(text), ">u8").astype(np.uint64)


def mine_files(
    paths: Sequence[Path],
    settings: Settings,
    tally: Tally,
    licence: str = "",
    lenient: bool = False,
) -> Iterator[pa.Table]:
    """Yield the items of CoNLL-U files without duplicates (:func:`mine_file`, :func:`unique`)."""
    tables = (t for path in paths for t in mine_file(path, settings, tally, licence, lenient))
    yield from unique(tables, tally)
