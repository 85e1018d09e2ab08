"""Columns of texts as bytes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from solecism.texts import TextBytes, pieces


@pytest.mark.parametrize(
    ("texts", "data", "bounds"),
    [
        (pa.array(["aé", "", "b"]), "aéb", [0, 3, 3, 4]),
        (pa.array(["x", "aé", None, "b", "y"])[1:4], "aéb", [0, 3, 3, 4]),
        (pa.array([None, None], pa.string()), "", [0, 0, 0]),
        (pa.array([], pa.string()), "", [0]),
    ],
)
def test_bytes_of_a_column(texts: pa.StringArray, data: str, bounds: list[int]) -> None:
    found = TextBytes.of(texts)
    assert bytes(found.data).decode() == data
    assert found.bounds.tolist() == bounds
    assert pieces(*found).to_pylist() == texts.fill_null("").to_pylist()


def test_pieces_of_a_column() -> None:
    data, _ = TextBytes.of(pa.array(["né", "e"]))
    assert pieces(data, np.array([1, 1, 3, 4])).to_pylist() == ["", "é", "e"]
