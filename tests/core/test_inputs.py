"""Files of others: what they must be is said in one place, and what is wrong with file and line."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solecism.errors import InputError
from solecism.inputs import (
    COUNT,
    INTEGER,
    SHARE,
    check,
    read_json,
    read_text,
    read_toml,
    reading_parquet,
)

SHAPE = {"name": str, "part?": SHARE, "many": [{"n": COUNT}], "other?": (str, None), str: INTEGER}


def wrong(value: Any, shape: Any = SHAPE) -> list[str]:
    try:
        check(value, shape, Path("x.json"))
    except InputError as error:
        return [problem.message for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ([], ["it is [], not a mapping"]),
        ({}, ["it has no name, many"]),
        ({"name": 1, "many": {}}, ["name is 1, not a text", "many is {}, not a list"]),
        ({"name": "a", "many": [{}, 3]}, ["many[1] has no n", "many[2] is 3, not a mapping"]),
        ({"name": "a", "many": [{"n": -1}]}, ["many[1].n is -1, not a whole number from 0"]),
        ({"name": "a", "many": [{"n": True}]}, ["many[1].n is True, not a whole number from 0"]),
        ({"name": "a", "many": [], "part": 2}, ["part is 2, not a number from 0 to 1"]),
        (
            {"name": "a", "many": [], "part": float("nan")},
            ["part is nan, not a number from 0 to 1"],
        ),
        ({"name": "a", "many": [], "other": 1}, ["other is 1, not a text or nothing"]),
        ({"name": "a", "many": [], "x": 10**40}, [f"x is {10**40}, not a whole number"]),
        ({"name": "a", "many": [], "x": "y" * 99}, [f"x is '{'y' * 55} ..., not a whole number"]),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(value: object, messages: list[str]) -> None:
    assert wrong(value) == messages


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a":\n x}', "x:2: is not JSON: Expecting value"),
        (b"\xff", r"x:1: not UTF-8 \(invalid start byte at byte 0\)"),
        (b"NaN", "x: is not JSON: NaN is not a number in JSON"),
        (b"[" * 100_000, "x: is not JSON: maximum recursion depth"),
        (b"1" + b"0" * 5_000, "x: is not JSON: Exceeds the limit"),
        (rb'"\ud800"', "x: is not JSON: .*surrogates not allowed"),
        (b"[1]", "x: is no lock: it is .1., not a mapping"),
    ],
)
def test_json_that_cannot_be_read_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_json(tmp_path / "x", dict, "lock")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a = 1\nb = x\n", "x:2: TOML: "),
        ("a = " + "[" * 10_000, "x: TOML: maximum recursion depth"),
        ("a = 1" + "0" * 5_000, "x: TOML: Exceeds the limit"),
    ],
)
def test_toml_that_cannot_be_read_is_told(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x").write_text(content)
    with pytest.raises(InputError, match=message):
        read_toml(tmp_path / "x")


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="x: there is no such file"):
        read_text(tmp_path / "x")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_text(tmp_path)
    with pytest.raises(InputError, match="x: "):
        _parquet(tmp_path / "x")


def _parquet(path: Path) -> None:
    with reading_parquet(path):
        pq.read_table(path)


def test_parquet_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": ["b"] * 100}), path, compression="zstd")
    _parquet(path)
    whole = path.read_bytes()
    for broken in (b"", whole[:-9], whole[:4] + b"\xff" * 20 + whole[24:]):
        path.write_bytes(broken)
        with pytest.raises(
            InputError, match=r"x.parquet: is not a Parquet file that can be read: "
        ):
            _parquet(path)
