"""Stretches of the bytes of a block, and what can be computed of many of them at once.

A treebank has few distinct values in most columns. So texts are hashed eight bytes at a time, in step for all
rows, and only the distinct ones are ever made into Python texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.hashing import Hashes, mix

__all__ = ["PADDING", "Coded", "Flags", "Ints", "Spans", "first_rows"]

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
_Value = TypeVar("_Value")

PADDING = bytes(16)
"""What must follow the last byte that a span may hold: texts are read eight bytes at a time."""

_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_DIGIT = np.uint8(ord("0"))


def _spread(values: Hashes) -> Hashes:
    """Scramble a little: what is hashed in several steps is mixed well once, at the end."""
    out = values * _ODD
    out ^= out >> np.uint64(29)
    return out


def first_rows(keys: Ints, count: int) -> Ints:
    """For each of ``count`` keys give the first row that has it, -1 where none has."""
    first = np.full(count, -1, np.int64)
    first[keys[::-1]] = np.arange(len(keys) - 1, -1, -1)
    return first


@dataclass(frozen=True)
class Coded:
    """A column of repeated texts: ``values[codes[row]]``."""

    codes: Ints
    values: tuple[str, ...]

    def __getitem__(self, rows: Ints | Flags) -> Coded:
        return Coded(self.codes[rows], self.values)

    def table(self, function: Callable[[str], _Value], kind: Any) -> NDArray[Any]:
        """Apply a function to every distinct text and give its result for every row."""
        return np.array([function(value) for value in self.values], kind)[self.codes]

    def isin(self, *wanted: str) -> Flags:
        """Tell in which rows one of the texts stands."""
        return self.table(wanted.__contains__, bool)

    def arrow(self) -> pa.DictionaryArray:
        """Give the column as Arrow dictionary."""
        codes = pa.array(self.codes.astype(np.int32))
        return pa.DictionaryArray.from_arrays(codes, pa.array(self.values, pa.string()))


@dataclass(frozen=True)
class Spans:
    """A column of texts as places in ``data`` (UTF-8, :data:`PADDING` behind it), ends exclusive."""

    data: bytes
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, rows: Ints | Flags) -> Spans:
        return Spans(self.data, self.starts[rows], self.ends[rows])

    @property
    def sizes(self) -> Ints:
        """Length of every text in bytes."""
        return self.ends - self.starts

    def raw(self) -> list[bytes]:
        """Every text, as bytes."""
        data = self.data
        return [data[s:e] for s, e in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    def texts(self) -> list[str]:
        """Every text."""
        return [text.decode() for text in self.raw()]

    def arrow(self) -> pa.StringArray:
        """Give the column as Arrow texts."""
        raw = self.raw()
        ends = np.concatenate(([0], np.cumsum(self.sizes, dtype=np.int32))).astype(np.int32)
        buffers = pa.py_buffer(ends), pa.py_buffer(b"".join(raw))
        return pa.StringArray.from_buffers(len(raw), *buffers)

    def equal(self, text: str) -> Flags:
        """Tell which texts are this one."""
        wanted = text.encode()
        found: Flags = self.sizes == len(wanted)
        for at in range(0, len(wanted), 8):
            piece = int.from_bytes(wanted[at : at + 8], "little")
            rows = np.flatnonzero(found)
            found[rows] = self[rows]._pieces(at) == np.uint64(piece)
        return found

    def begin(self, text: str) -> Flags:
        """Tell which texts begin with this one."""
        size = len(text.encode())
        long_enough = self.sizes >= size
        ends = np.where(long_enough, self.starts + size, self.ends)
        return Spans(self.data, self.starts, ends).equal(text)

    def hashes(self) -> Hashes:
        """Hash every text to 64 bits: the same on every machine and in every block."""
        sizes = self.sizes
        out = _spread(self._pieces(0) ^ _spread(sizes.astype(np.uint64)))
        at, rows = 8, np.flatnonzero(sizes > 8)
        while len(rows):
            out[rows] = _spread(out[rows] ^ self[rows]._pieces(at))
            at += 8
            rows = rows[sizes[rows] > at]
        return mix(out)

    def _pieces(self, at: int) -> Hashes:
        """The eight bytes from ``at`` on as little-endian numbers, cut where a text ends."""
        words: Hashes = np.ndarray((len(self.data) - 7,), "<u8", self.data, strides=(1,))
        starts = self.starts + at
        return words[starts] & _MASKS[np.minimum(self.ends - starts, 8)]  # type: ignore[no-any-return]

    def codes(self) -> Coded:
        """Number the distinct texts in the order of their first rows."""
        encoded = pa.array(self.hashes()).dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        first = first_rows(codes, len(encoded.dictionary))
        return Coded(codes, tuple(self[first].texts()))

    def integers(self) -> tuple[Ints, Flags]:
        """Read every text as a decimal number; tell where it is one (of at most nine digits)."""
        letters = np.frombuffer(self.data, np.uint8)
        sizes = self.sizes
        values = np.zeros(len(self), np.int64)
        good = (sizes > 0) & (sizes < 10)
        rows = np.flatnonzero(good)
        at = 0
        while len(rows):
            digits = letters[self.starts[rows] + at] - _DIGIT
            values[rows] = values[rows] * 10 + digits
            good[rows[digits > 9]] = False
            at += 1
            rows = rows[sizes[rows] > at]
        return values, good
