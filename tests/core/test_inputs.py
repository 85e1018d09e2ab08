"""Files of others: what they must be is said in one place, and what is wrong with file and line."""

import os
import re
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
    parquet_schema,
    read_json,
    read_json_lines,
    read_parquet,
    read_text,
    read_toml,
    reading_parquet,
)

SHAPE = {
    "name": str, "part?": SHARE, "many": [{"n": COUNT}], "other?": (str, None),
    "code?": re.compile("[a-z]"), str: INTEGER,
}  # fmt: skip


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
        ({"name": "a", "many": [], "code": "x\n"}, ["code is 'x\\n', not of the form [a-z]"]),
        ({"name": "a", "many": [], "code": 1}, ["code is 1, not of the form [a-z]"]),
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


TEXTS = (
    pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()),
    pa.dictionary(pa.int8(), pa.large_string()),
)  # fmt: skip
PLAIN = pa.schema(
    [("id", pa.string()), ("n", pa.int32()), ("parts", pa.list_(pa.struct([("s", pa.string())])))]
)


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_texts_of_pandas_and_polars_are_texts(tmp_path: Path, kind: pa.DataType) -> None:
    rows = [{"id": "a", "n": 1, "parts": [{"s": "x"}]}, {"id": None, "n": None, "parts": []}]
    part = pa.StructArray.from_arrays([pa.array(["x"], pa.large_string())], ["s"])
    parts = pa.LargeListArray.from_arrays([0, 1, 1], part)
    texts = pa.array(["a", None]).cast(kind)
    table = pa.table({"id": texts, "n": pa.array([1, None], pa.int32()), "parts": parts})
    pq.write_table(table, tmp_path / "x.parquet")
    assert parquet_schema(tmp_path / "x.parquet").types[0] == pa.string()
    assert read_parquet(tmp_path / "x.parquet").to_pylist() == rows
    read = read_parquet(tmp_path / "x.parquet", ["parts", "id"])
    assert read.schema.names == ["parts", "id"]
    assert read.schema.field("parts").type.value_type == PLAIN.field("parts").type.value_type


def test_parquet_without_rows_has_its_columns(tmp_path: Path) -> None:
    pq.write_table(PLAIN.empty_table(), tmp_path / "x.parquet")
    assert read_parquet(tmp_path / "x.parquet").schema == PLAIN


def _latin(texts: list[bytes]) -> pa.Array:
    return pa.Array.from_buffers(pa.string(), len(texts), pa.array(texts, pa.binary()).buffers())


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"b": _latin([b"x", b"caf\xe9"])}), "column 'b', row 2: Invalid UTF8"),
        (pa.table([["x"], ["y"]], names=["a", "a"]), "column 'a' is there twice"),
        (pa.table({"a": ["x"]}), "there is no column 'b' .columns: a."),
    ],
)
def test_broken_columns_and_rows_are_named(tmp_path: Path, table: pa.Table, message: str) -> None:
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(InputError, match=f"x.parquet: {message}"):
        read_parquet(tmp_path / "x.parquet", ["b"])


def test_pipes_and_devices_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        for read in (read_text, read_json, read_json_lines, read_parquet):
            with pytest.raises(InputError, match=f"{name}: is no file"):
                read(tmp_path / name)
