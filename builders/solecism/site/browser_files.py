"""The files of the item browser: the items of a config in blocks, and a file for each column.

A page that is opened from the file system may load only scripts, so each file is one. It passes
compressed data on, which the browser's own `DecompressionStream` unpacks. ``index.js`` has the
values of all columns, ``block-N.js`` items, ``column-N.js`` a number for each item (the place of
its value) and ``margin-N.js`` the margins of a model.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solecism.contrast import direction
from solecism.site.item_columns import CodedColumn, ItemColumns

__all__ = ["BLOCK", "filter_columns", "write_browser"]

BLOCK = 2500
"""The items of a block."""

MOST_VALUES = 4000
"""A column with more values than this is not offered as a filter."""


def filter_columns(items: ItemColumns) -> list[CodedColumn]:
    """Return the columns that the browser filters by: those with several values, but not too many.

    A column in which most items have a value of their own is left out.
    """
    most = min(MOST_VALUES, max(50, items.rows // 2))
    different = {c.name: len(c.values) + bool((c.codes < 0).any()) for c in items.features}
    return [c for c in items.features if different[c.name] > 1 and len(c.values) <= most]


def write_browser(
    folder: Path, items: ItemColumns, margins: Mapping[str, NDArray[np.float32]]
) -> None:
    """Write the files of a config's browser; ``margins`` are those of models, NaN: none."""
    columns = filter_columns(items)
    folder.mkdir(parents=True)
    index = {
        "kind": items.config.kind,
        "language": items.config.tag,
        "direction": direction(" ".join(text for row in items.texts[:20] for text in row)),
        "rows": items.rows,
        "block": BLOCK,
        "labels": items.labels.values,
        "models": list(margins),
        "columns": [
            {"name": c.name, "values": c.values, "counts": np.bincount(c.codes + 1).tolist()}
            for c in columns
        ],
    }
    text = json.dumps(index, ensure_ascii=True, separators=(",", ":"))
    (folder / "index.js").write_text(f"files.open({text});\n", encoding="ascii")
    for start in range(0, items.rows, BLOCK):
        part = slice(start, start + BLOCK)
        block: dict[str, object] = {"ids": items.ids[part], "texts": items.texts[part]}
        if len(items.labels.values) > 1:
            block["labels"] = items.labels.codes[part].tolist()
        data = json.dumps(block, ensure_ascii=False, separators=(",", ":")).encode()
        _write(folder, f"block-{start // BLOCK}", data)
    for number, column in enumerate(columns):
        _write(folder, f"column-{number}", (column.codes + 1).astype("<u2").tobytes())
    for number, values in enumerate(margins.values()):
        _write(folder, f"margin-{number}", values.astype("<f4").tobytes())


def _write(folder: Path, name: str, data: bytes) -> None:
    packed = zlib.compressobj(4, wbits=31)
    text = b64encode(packed.compress(data) + packed.flush()).decode("ascii")
    (folder / f"{name}.js").write_text(f'files.put("{name}","{text}");\n', encoding="ascii")
