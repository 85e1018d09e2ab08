"""A batch of pairs as arrays of characters, numbers and hashes, so that checks need no loop over rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.grammar.paradigm import Paradigm
from solecism.hashing import Hashes
from solecism.lexicon.orthography import Orthography

__all__ = ["Batch", "Flags", "Ints", "Memory", "Seen", "Slots", "Text"]

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Text:
    """A column of texts; ``chars`` are the code points of all of them in a row."""

    values: Sequence[str]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def joined(self) -> str:
        """All texts as one."""
        return "".join(self.values)

    @cached_property
    def chars(self) -> NDArray[np.uint32]:
        """The code points of ``joined``."""
        return np.frombuffer(self.joined.encode("utf-32-le"), dtype="<u4")

    @cached_property
    def lengths(self) -> Ints:
        """The number of characters of each text."""
        return np.fromiter(map(len, self.values), dtype=np.int64, count=len(self.values))

    @cached_property
    def starts(self) -> Ints:
        """Where each text begins in ``chars``."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def highest(self) -> int:
        """The highest code point, 127 where all are ASCII."""
        return 127 if self.joined.isascii() else int(self.chars.max())

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit hash of each text (of this process only)."""
        numbers = np.fromiter(map(hash, self.values), dtype=np.int64, count=len(self.values))
        return numbers.view(np.uint64)

    def rows(self, places: Ints) -> Ints:
        """Give the text to which each place in ``chars`` belongs."""
        return np.asarray(np.searchsorted(self.starts, places, side="right") - 1)

    def flags(self, places: Ints) -> Flags:
        """Flag the texts to which places in ``chars`` belong."""
        out = np.zeros(len(self), dtype=bool)
        out[self.rows(places)] = True
        return out


class Seen:
    """A growing set of 64-bit hashes in sorted runs (each at least twice as long as the next)."""

    def __init__(self) -> None:
        self._runs: list[Hashes] = []

    def known(self, hashes: Hashes) -> Flags:
        """Tell which of the hashes were added before."""
        out = np.zeros(len(hashes), dtype=bool)
        for run in self._runs:
            places = np.minimum(np.searchsorted(run, hashes), len(run) - 1)
            out |= run[places] == hashes
        return out

    def add(self, hashes: Hashes) -> None:
        """Add hashes."""
        run = _distinct(hashes)
        while self._runs and len(self._runs[-1]) <= len(run):
            run = _distinct(np.concatenate([self._runs.pop(), run]))
        if len(run):
            self._runs.append(run)

    def repeated(self, hashes: Hashes) -> Flags:
        """Add hashes; flag those that were there before or stand earlier in the same array."""
        out = self.known(hashes)
        if len(_distinct(hashes)) < len(hashes):
            again = np.ones(len(hashes), dtype=bool)
            again[np.unique(hashes, return_index=True)[1]] = False
            out |= again
        self.add(hashes)
        return out


def _distinct(hashes: Hashes) -> Hashes:
    """Sort and drop what repeats (numpy sorts numbers faster than it hashes them)."""
    run = np.sort(hashes)
    return np.asarray(run[np.concatenate([run[:1] == run[:1], run[1:] != run[:-1]])])


@dataclass(frozen=True)
class Memory:
    """What is kept of the batches before: hashes only."""

    ids: Seen = field(default_factory=Seen)
    pairs: Seen = field(default_factory=Seen)
    good: Seen = field(default_factory=Seen)
    bad: Seen = field(default_factory=Seen)


@dataclass(frozen=True, eq=False)
class Slots:
    """The column ``slots`` of a batch as arrays of shape (rows, slots); -1: not printed."""

    table: pa.Table
    count: int

    @cached_property
    def _flat(self) -> pa.StructArray:
        return self.table["slots"].combine_chunks().flatten()

    def numbers(self, name: str) -> Ints:
        """Give a number of each slot, such as ``good_start``."""
        values = self._flat.field(name).fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(values, dtype=np.int64).reshape(-1, self.count)

    def texts(self, name: str) -> tuple[Ints, list[str]]:
        """Give a text of each slot as a place in a list of distinct texts."""
        column = self._flat.field(name).dictionary_encode()
        codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        places = np.asarray(codes, dtype=np.int64).reshape(-1, self.count)
        return places, column.dictionary.to_pylist()


@dataclass(frozen=True, eq=False)
class Batch:
    """Some pairs of a paradigm, a table of :func:`solecism.schema.pair_schema`."""

    paradigm: Paradigm
    table: pa.Table
    memory: Memory

    def __len__(self) -> int:
        return len(self.table)

    def text(self, name: str) -> Text:
        """Give a column of texts (null is read as empty)."""
        return Text(self.table[name].fill_null("").to_pylist())

    @cached_property
    def good(self) -> Text:
        """The good sentences."""
        return self.text("sentence_good")

    @cached_property
    def bad(self) -> Text:
        """The bad sentences."""
        return self.text("sentence_bad")

    @property
    def sentences(self) -> tuple[Text, Text]:
        """The good and the bad sentences."""
        return self.good, self.bad

    @cached_property
    def slots(self) -> Slots:
        """The words of the slots."""
        return Slots(self.table, len(self.paradigm.template.slots))

    @property
    def spelling(self) -> Orthography:
        """The spelling of the language."""
        return self.paradigm.phrases.lexicon.orthography

    def none(self) -> Flags:
        """Flag no pair."""
        return np.zeros(len(self), dtype=bool)
