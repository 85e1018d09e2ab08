"""The files of the item browser: the items of a config in blocks, and a file for each column.

A page that is opened from the file system may load scripts and nothing else, so each file is a
script. It hands over compressed data, which the browser's own `DecompressionStream` unpacks.
``index.js`` has the values of all columns; ``block-N.js`` has items; ``column-N.js`` has a number
for each item: the place of its value, ``ids.js`` the CRC-32 of its id, ``margin-N.js`` its margin.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solecism.direction import direction
from solecism.site.coded import CodedColumn, ItemColumns

__all__ = ["BLOCK", "browsable", "write_shelf"]

BLOCK = 2500
"""The items of a block."""

MOST_VALUES = 4000
"""A column with more values than this is no filter."""

Margins = NDArray[np.float32]


def browsable(items: ItemColumns) -> list[CodedColumn]:
    """Return the columns that the browser filters by: those with several, and not too many, values.

    One in which most items have a value of their own is none.
    """
    return [column for column in items.features if _is_filter(column, items.rows)]


def _is_filter(column: CodedColumn, rows: int) -> bool:
    different = len(column.values) + bool((column.codes < 0).any())
    return different > 1 and len(column.values) <= min(MOST_VALUES, max(50, rows // 2))


def write_shelf(folder: Path, items: ItemColumns, margins: Mapping[str, Margins]) -> None:
    """Write the files of a config's browser; ``margins`` are those of models, NaN: none."""
    columns = browsable(items)
    folder.mkdir(parents=True)
    index = _index(items, columns, list(margins))
    (folder / "index.js").write_text(f"shelf.open({_json(index)});\n", encoding="utf-8")
    for number, block in enumerate(_blocks(items)):
        _write(
            folder,
            f"block-{number}",
            json.dumps(block, ensure_ascii=False, separators=(",", ":")).encode(),
        )
    for number, column in enumerate(columns):
        _write(folder, f"column-{number}", (column.codes + 1).astype("<u2").tobytes())
    sums = np.fromiter((zlib.crc32(one.encode()) for one in items.ids), "<u4", items.rows)
    _write(folder, "ids", sums.tobytes())
    for number, values in enumerate(margins.values()):
        _write(folder, f"margin-{number}", values.astype("<f4").tobytes())


def _index(
    items: ItemColumns, columns: Sequence[CodedColumn], models: Sequence[str]
) -> dict[str, Any]:
    sample = " ".join(text for row in items.texts[:20] for text in row)
    return {
        "kind": items.config.kind,
        "language": items.config.tag,
        "direction": direction(sample),
        "rows": items.rows,
        "block": BLOCK,
        "labels": items.labels.values,
        "models": list(models),
        "columns": [
            {"name": c.name, "values": c.values, "counts": _counts(c)} for c in columns
        ],
    }  # fmt: skip


def _counts(column: CodedColumn) -> list[int]:
    found: list[int] = np.bincount(column.codes + 1, minlength=len(column.values) + 1).tolist()
    return found


def _blocks(items: ItemColumns) -> Iterator[dict[str, Any]]:
    """Yield items; each has its texts one after the other, so that pairs compress well."""
    several = len(items.labels.values) > 1
    for start in range(0, items.rows, BLOCK):
        part = slice(start, start + BLOCK)
        block = {
            "ids": items.ids[part],
            "texts": items.texts[part],
        }
        yield {**block, "labels": items.labels.codes[part].tolist()} if several else block


def _write(folder: Path, name: str, data: bytes) -> None:
    packed = zlib.compressobj(4, wbits=31)
    text = b64encode(packed.compress(data) + packed.flush()).decode("ascii")
    path = folder / f"{name}.js"
    path.write_text(f'shelf.put("{name}","{text}");\n', encoding="ascii")


def _json(value: object) -> str:
    """Return JSON of ASCII letters, which is a script as well."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
