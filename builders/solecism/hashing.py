"""Hashes, the same on every machine: 64-bit numbers from words (seeds, draws, ids), SHA-256 of files."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from hashlib import file_digest as digest_of
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["Hashes", "combine", "file_digest", "hex_ids", "mix", "text_hashes", "unit_interval"]

Hashes = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def text_hashes(texts: Iterable[str]) -> Hashes:
    """Hash texts to 64 bits (BLAKE2b)."""
    digests = b"".join(blake2b(t.encode(), digest_size=8).digest() for t in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return digest_of(file, "sha256").hexdigest()


def mix(values: Hashes) -> Hashes:
    """Scramble 64-bit numbers (the finaliser of SplitMix64: Steele, Lea & Flood 2014)."""
    out = values + _GOLDEN
    out ^= out >> np.uint64(30)
    out *= _M1
    out ^= out >> np.uint64(27)
    out *= _M2
    out ^= out >> np.uint64(31)
    return out


def combine(start: Hashes, columns: Iterable[Hashes]) -> Hashes:
    """Hash rows of numbers, order of columns included; ``start`` broadcasts over the rows."""
    out = start
    for column in columns:
        out = mix(out ^ column)
    return out


def unit_interval(values: Hashes) -> NDArray[np.float64]:
    """Turn 64-bit numbers into floats in the open interval (0, 1)."""
    return ((values >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def hex_ids(values: Hashes) -> pa.StringArray:
    """Write 64-bit numbers as texts of 16 hexadecimal digits."""
    data = values.astype(">u8").tobytes().hex().encode()
    offsets = np.arange(0, 16 * len(values) + 1, 16, dtype=np.int32)
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(offsets), pa.py_buffer(data))
