"""Hashes that are the same on every machine.

Words are hashed to 64-bit numbers (seeds, draws, ids), files and the values of tables by SHA-256.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def text_hashes(texts: Iterable[str]) -> Hashes:
    """Return 64-bit hashes of texts (BLAKE2b)."""
    digests = b"".join(hashlib.blake2b(t.encode(), digest_size=8).digest() for t in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def column_hashes(texts: pa.StringArray) -> Hashes:
    """Return 64-bit hashes of a column of texts (null as empty), made eight bytes at a time.

    Much faster than :func:`text_hashes`, whose numbers differ from these.
    """
    data, bounds = _bytes_of_texts(texts)
    starts, lengths = bounds[:-1], np.diff(bounds)
    padded = np.concatenate([data, np.zeros(8, dtype=np.uint8)])
    eight = np.ndarray(len(data) + 1, dtype="<u8", buffer=padded, strides=(1,))
    out = lengths.astype(np.uint64)
    for done in range(0, int(lengths.max(initial=0)) - 7, 8):
        rows = np.flatnonzero(lengths >= done + 8)
        out[rows] = mix(out[rows] ^ eight[starts[rows] + done])
    left = lengths % 8
    return mix(out ^ (eight[starts + lengths - left] & _LOWEST[left]))


def _bytes_of_texts(texts: pa.StringArray) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Return the UTF-8 bytes of texts (null as empty), and the places where texts begin and end."""
    texts = pc.fill_null(texts, "") if texts.null_count else texts
    _, offsets, data = texts.buffers()
    if not len(texts) or data is None:
        return np.empty(0, dtype=np.uint8), np.zeros(len(texts) + 1, dtype=np.intp)
    shown = slice(texts.offset, texts.offset + len(texts) + 1)
    bounds = np.frombuffer(offsets, dtype=np.int32)[shown].astype(np.intp)
    whole = np.frombuffer(data, dtype=np.uint8)
    return whole[bounds[0] : bounds[-1]], bounds - bounds[0]


_LOWEST = np.array([(1 << 8 * count) - 1 for count in range(8)], dtype=np.uint64)
"""Masks by number of bytes: each keeps as many of the lowest bytes as its place says."""


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def mix(values: Hashes) -> Hashes:
    """Return scrambled 64-bit numbers (the finaliser of SplitMix64: Steele, Lea & Flood 2014)."""
    out = values + _GOLDEN
    out ^= out >> np.uint64(30)
    out *= _M1
    out ^= out >> np.uint64(27)
    out *= _M2
    out ^= out >> np.uint64(31)
    return out


def combine(start: Hashes, columns: Iterable[Hashes]) -> Hashes:
    """Return hashes of rows of numbers, in which the order of columns counts.

    ``start`` is broadcast over the rows.
    """
    out = start
    for column in columns:
        out = mix(out ^ column)
    return out


def unit_interval(values: Hashes) -> NDArray[np.float64]:
    """Return 64-bit numbers as floats in the open interval (0, 1)."""
    return ((values >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def digest_of(text: str) -> str:
    """Return the 16 hexadecimal digits of a text's hash (BLAKE2b)."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def hex_ids(values: Hashes) -> pa.StringArray:
    """Return 64-bit numbers as texts of 16 hexadecimal digits."""
    data = values.astype(">u8").tobytes().hex().encode()
    offsets = np.arange(0, 16 * len(values) + 1, 16, dtype=np.int32)
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(offsets), pa.py_buffer(data))


class SeenHashes:
    """A growing set of 64-bit hashes, kept in sorted runs that are merged as they grow."""

    def __init__(self) -> None:
        self._runs: list[Hashes] = []

    def known(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Return for each hash whether it was added before."""
        out = np.zeros(len(hashes), dtype=bool)
        ascending = np.sort(hashes)  # faster to look up; mostly nothing is known
        for run in self._runs:
            if _found(run, ascending).any():
                out |= _found(run, hashes)
        return out

    def add(self, hashes: Hashes) -> None:
        """Add hashes."""
        run = np.sort(hashes)
        while self._runs and len(self._runs[-1]) < 2 * len(run):
            run = np.sort(np.concatenate([self._runs.pop(), run]))
        if len(run):
            self._runs.append(run)

    def fresh(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Add hashes; return for each whether it is new. Of equal ones only the first is new."""
        new = np.zeros(len(hashes), dtype=bool)
        new[np.unique(hashes, return_index=True)[1]] = True
        new &= ~self.known(hashes)
        self.add(hashes[new])
        return new


def _found(run: Hashes, hashes: Hashes) -> NDArray[np.bool_]:
    """Return for each hash whether it is in a sorted run."""
    return np.asarray(run[np.minimum(np.searchsorted(run, hashes), len(run) - 1)] == hashes)


@dataclass(frozen=True)
class Content:
    """The number of rows of a config, and the SHA-256 of their values in hexadecimal."""

    rows: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.rows:,} rows, content {self.sha256[:16]}"


class ContentDigest:
    """The SHA-256 of the values of tables, whatever file format they come from.

    The same rows have the same digest however they are cut into tables, and with every version of
    Arrow: each leaf column is hashed as its lengths, values and missing values.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._leaves: dict[str, hashlib._Hash] = {}

    def add(self, table: pa.Table) -> None:
        """Add rows."""
        self._rows += len(table)
        for name, column in zip(table.column_names, table.columns, strict=True):
            for chunk in column.chunks:
                self._feed(name, chunk)

    @property
    def content(self) -> Content:
        """The number and the digest of the rows that were added."""
        total = hashlib.sha256()
        for name in sorted(self._leaves):
            total.update(f"{name}={self._leaves[name].hexdigest()};".encode())
        return Content(self._rows, total.hexdigest())

    def _update(self, name: str, data: memoryview) -> None:
        self._leaves.setdefault(name, hashlib.sha256()).update(data)

    def _feed(self, name: str, array: pa.Array) -> None:
        if pa.types.is_struct(array.type):
            self._update(f"{name}?", _bytes(array.is_valid()))
            for field, values in zip(array.type, array.flatten(), strict=True):
                self._feed(f"{name}.{field.name}", values)
        elif pa.types.is_list(array.type):
            self._update(f"{name}#", _bytes(pc.fill_null(pc.list_value_length(array), -1)))
            self._feed(f"{name}[]", array.flatten())
        elif pa.types.is_string(array.type):
            self._update(f"{name}#", _bytes(pc.fill_null(pc.binary_length(array), -1)))
            self._update(name, _bytes_of_texts(array)[0].data)
        else:
            self._update(f"{name}?", _bytes(array.is_valid()))
            nothing = False if array.type == pa.bool_() else 0
            self._update(name, _bytes(pc.fill_null(array, nothing)))


def _bytes(array: pa.Array) -> memoryview:
    values = array.to_numpy(zero_copy_only=False)
    if values.dtype == np.bool_:
        values = values.view(np.uint8)
    return memoryview(values.astype(values.dtype.newbyteorder("<"), order="C", copy=False))
