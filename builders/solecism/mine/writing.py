"""Items to a file: Parquet, or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import fail
from solecism.items import CLOZE
from solecism.mine.replacing import replacing

__all__ = ["write_items"]

_ROWS = 1 << 16


def write_items(tables: Iterable[pa.Table], path: Path) -> None:
    """Write items to ``path``: ``.parquet``, or ``.jsonl`` (one object a line).

    The file appears when it is whole. Raises :class:`InputError` for another ending.
    """
    writers = {".parquet": _write_parquet, ".jsonl": _write_lines}
    if path.suffix not in writers:
        raise fail(f"items are written to {' or '.join(writers)} files", path)
    with replacing(path) as part:
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
