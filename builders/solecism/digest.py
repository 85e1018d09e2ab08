"""Digests of content: of a table's values, whatever the file format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.inputs import reading_parquet

__all__ = ["ContentDigest", "digest_parquet"]


class ContentDigest:
    """SHA-256 over the values of tables added one after the other.

    The same rows give the same digest however they are cut into tables, and with every version of
    Arrow: each leaf column is hashed as its lengths, values and missing values.
    """

    def __init__(self) -> None:
        self._leaves: dict[str, hashlib._Hash] = {}

    def add(self, table: pa.Table) -> None:
        """Add rows."""
        for name, column in zip(table.column_names, table.columns, strict=True):
            for chunk in column.chunks:
                self._feed(name, chunk)

    def hexdigest(self) -> str:
        """The digest of all rows added so far."""
        total = hashlib.sha256()
        for name in sorted(self._leaves):
            total.update(f"{name}={self._leaves[name].hexdigest()};".encode())
        return total.hexdigest()

    def _update(self, name: str, data: bytes | memoryview) -> None:
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
            self._update(name, _characters(array))
        else:
            self._update(f"{name}?", _bytes(array.is_valid()))
            self._update(
                name, _bytes(pc.fill_null(array, False if array.type == pa.bool_() else 0))
            )


def digest_parquet(
    paths: Iterable[Path], check: Callable[[pa.Table, Path], None] = lambda _, __: None
) -> tuple[int, str]:
    """Return the number of rows of Parquet files and the digest of their content.

    ``check`` is called with each piece that is read and its file. Raises :class:`InputError` for a broken
    file.
    """
    digest, rows = ContentDigest(), 0
    for path in paths:
        with reading_parquet(path):
            for batch in pq.ParquetFile(path).iter_batches(use_threads=False):
                table = pa.Table.from_batches([batch])
                check(table, path)
                digest.add(table)
                rows += len(table)
    return rows, digest.hexdigest()


def _bytes(array: pa.Array) -> bytes:
    values = array.to_numpy(zero_copy_only=False)
    if values.dtype == np.bool_:
        values = values.astype(np.uint8)
    return bytes(values.astype(values.dtype.newbyteorder("<")).tobytes())


def _characters(array: pa.StringArray) -> bytes | memoryview:
    if array.null_count:
        array = pc.fill_null(array, "")
    _, offsets, data = array.buffers()
    if data is None:
        return b""
    bounds = np.frombuffer(offsets, dtype=np.int32)
    return memoryview(data)[bounds[array.offset] : bounds[array.offset + len(array)]]
