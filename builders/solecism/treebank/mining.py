"""From treebank files to items: blocks are mined one by one, joined, made distinct and written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import fail
from solecism.files import writing
from solecism.hashing import Hashes
from solecism.schema import CLOZE
from solecism.treebank.arrays import Flags
from solecism.treebank.cloze import Source, items_of
from solecism.treebank.conllu import BLOCK, Tokens, read_tokens
from solecism.treebank.relations.presets import Settings

__all__ = [
    "Seen",
    "Tally",
    "mine_file",
    "mine_files",
    "mine_tokens",
    "treebank_of",
    "unique",
    "write_items",
]


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


class Seen:
    """Remembers numbers: sorted arrays, merged as they grow."""

    def __init__(self) -> None:
        self._sorted: list[Hashes] = []

    def fresh(self, values: Hashes) -> Flags:
        """Tell which values stand for the first time, here and in all calls before; remember them."""
        new = np.zeros(len(values), bool)
        _, first = np.unique(values, return_index=True)
        new[first] = True
        for known in self._sorted:
            places = np.minimum(np.searchsorted(known, values), len(known) - 1)
            new &= known[places] != values
        self._remember(np.sort(values[new]))
        return new

    def _remember(self, values: Hashes) -> None:
        if not len(values):
            return
        while self._sorted and len(self._sorted[-1]) < 2 * len(values):
            values = np.sort(np.concatenate((self._sorted.pop(), values)))
        self._sorted.append(values)


_ROWS = 1 << 16


def write_items(tables: Iterable[pa.Table], path: Path) -> None:
    """Write items to ``path``: ``.parquet``, or ``.jsonl`` (one object a line).

    The file appears when it is whole. Raises :class:`InputError` for another ending.
    """
    writers = {".parquet": _write_parquet, ".jsonl": _write_lines}
    if path.suffix not in writers:
        raise fail(f"items are written to {' or '.join(writers)} files", path)
    with writing(path) as part:
        writers[path.suffix](tables, part)


def _write_parquet(tables: Iterable[pa.Table], path: Path) -> None:
    with pq.ParquetWriter(path, CLOZE, compression="zstd") as writer:
        for table in _gathered(tables):
            writer.write_table(table, row_group_size=2 * _ROWS)


def _gathered(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Join tables until there are enough rows for a row group."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= _ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
    yield pa.concat_tables([*waiting, CLOZE.empty_table()])


def _write_lines(tables: Iterable[pa.Table], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for table in tables:
            for item in table.to_pylist():
                file.write(json.dumps(item, ensure_ascii=False) + "\n")
