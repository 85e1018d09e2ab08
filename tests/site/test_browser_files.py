"""The files of the item browser hold all items, columns and margins."""

import gzip
import json
import re
from base64 import b64decode
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scored import make_pairs
from sites import write_folder
from solecism.root import Root
from solecism.site.build import BLOCK, filter_columns, write_browser
from solecism.site.examples import choose_rows
from solecism.site.folders import open_folders
from solecism.site.item_columns import ItemColumns, read_items

ROWS = BLOCK + 700


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> ItemColumns:
    pairs = make_pairs(ROWS)
    folder = tmp_path_factory.mktemp("data")
    write_folder(folder / "demo", "demo", {"xx": (pairs, {})})
    (data,) = open_folders([folder / "demo"], Root(folder))
    return read_items(data.configs[0])


@pytest.fixture(scope="module")
def written(items: ItemColumns, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "items"
    margins = np.linspace(-1, 1, ROWS, dtype=np.float32)
    margins[3] = np.nan
    write_browser(folder, items, {"tiny": margins})
    return folder


def unpacked(folder: Path, name: str) -> bytes:
    """Read a part as the page does."""
    found = re.fullmatch(
        r'files\.put\("([\w-]+)","([\w+/=]+)"\);\n', (folder / f"{name}.js").read_text()
    )
    assert found is not None
    assert found[1] == name
    return gzip.decompress(b64decode(found[2]))


def test_blocks_have_all_items_in_order(items: ItemColumns, written: Path) -> None:
    blocks = [json.loads(unpacked(written, f"block-{number}")) for number in range(2)]
    assert [len(block["ids"]) for block in blocks] == [BLOCK, 700]
    assert [one for block in blocks for one in block["ids"]] == items.ids
    assert [text for block in blocks for text in block["texts"]] == items.texts
    assert not (written / "block-2.js").exists()


def test_columns_say_the_values_of_all_items(items: ItemColumns, written: Path) -> None:
    text = (written / "index.js").read_text("ascii")
    index = json.loads(text.removeprefix("files.open(").removesuffix(");\n"))
    names = [column["name"] for column in index["columns"]]
    assert {"UID", "match", "intervenes", "distance", "mood"} <= set(names)
    assert index["rows"] == ROWS
    number = names.index("intervenes")
    codes = np.frombuffer(unpacked(written, f"column-{number}"), "<u2")
    values = index["columns"][number]["values"]
    found = [values[code - 1] if code else None for code in codes]
    rows = pq.read_table(items.config.files[0])["features"].to_pylist()
    assert found == [None if row["intervenes"] is None else "yes" for row in rows]
    assert index["columns"][number]["counts"] == np.bincount(codes).tolist()


def test_margins(written: Path) -> None:
    margins = np.frombuffer(unpacked(written, "margin-0"), "<f4")
    assert np.isnan(margins[3])
    assert margins[-1] == 1


def test_a_column_of_names_is_no_filter(tmp_path: Path) -> None:
    rows = make_pairs(300).to_pylist()
    for number, row in enumerate(rows):
        row["features"]["sent_id"] = f"s{number}"
    pairs = pa.Table.from_pylist(rows)
    write_folder(tmp_path / "demo", "demo", {"xx": (pairs, {})})
    (data,) = open_folders([tmp_path / "demo"], Root(tmp_path))
    found = [column.name for column in filter_columns(read_items(data.configs[0]))]
    assert "sent_id" not in found
    assert "match" in found
    assert "language" not in found


def test_rows_are_of_different_sets_and_features(items: ItemColumns) -> None:
    for rows in items.by_group.values():
        chosen = choose_rows(items, rows)
        assert len({items.sets[row] for row in chosen}) == len(chosen) == 10
        assert chosen == choose_rows(items, rows)
        for column in items.features:
            there = set(column.codes[rows].tolist()) - {-1}
            if 1 < len(there) <= 3:
                assert set(column.codes[chosen].tolist()) - {-1} == there
