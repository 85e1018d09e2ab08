"""Parquet files of a config, written in a stream."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["ItemWriter"]

ROWS = 1 << 13


DISTINCT = (
    "id", "set_id", "pair_id", "sentence_good", "sentence_bad", "tokens_good", "tokens_bad",
    "one_prefix_prefix", "two_prefix_prefix_good", "two_prefix_prefix_bad",
)  # fmt: skip
"""Columns that hardly repeat a value: a dictionary would only cost time and space."""


def _repeating(schema: pa.Schema) -> list[str]:
    return [path for field in schema for path in _leaves(field) if field.name not in DISTINCT]


def _leaves(field: pa.Field) -> list[str]:
    """The paths of a column's leaves, as Parquet writes them."""
    if pa.types.is_struct(field.type):
        return [f"{field.name}.{leaf}" for inner in field.type for leaf in _leaves(inner)]
    if pa.types.is_list(field.type):
        inner = pa.field("element", field.type.value_type)
        return [f"{field.name}.list.{leaf}" for leaf in _leaves(inner)]
    return [field.name]


class ItemWriter:
    """Writes tables to one Parquet file, in row groups of about ``ROWS`` rows."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(
            path,
            schema,
            compression="zstd",
            use_dictionary=_repeating(schema),
            use_content_defined_chunking=True,
            write_page_index=True,
        )
        self._waiting: list[pa.Table] = []
        self.rows = 0
        self.bytes = 0

    def __enter__(self) -> ItemWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._writer.close()

    def close(self) -> None:
        """Write what is waiting and end the file (leaving a ``with`` block does so too)."""
        self._flush()
        self._writer.close()

    def write(self, table: pa.Table) -> None:
        """Add rows; they reach the file when there are enough for a row group."""
        self.rows += len(table)
        self.bytes += table.nbytes
        self._waiting.append(table)
        if sum(map(len, self._waiting)) >= ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=2 * ROWS)
        self._waiting = []
