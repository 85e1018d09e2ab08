"""Minimal pairs of one's own, in any file or in memory, as a Parquet file with our columns.

All commands read that file as one that ``solecism mine --pairs`` wrote.
"""

import csv
import json
import shutil
import tempfile
from atexit import register
from collections import Counter
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import fail, unknown_error
from solecism.hashing import ContentDigest, combine, file_digest, hex_ids, text_hashes
from solecism.inputs import (
    parquet_schema,
    parse_json,
    read_json_lines,
    read_parquet,
    read_text,
    require_file,
)
from solecism.schema import FEATURES, PAIR_TYPES, pair_schema

SIDES = ("sentence_good", "sentence_bad")
SUFFIXES = (".parquet", ".jsonl", ".json", ".csv", ".tsv")
FILE = "pairs.parquet"
NEEDED = ("id", "set_id", "UID", "linguistics_term", "language", *SIDES)
"""The columns without which pairs cannot be scored; all but the sentences can be made."""


ASKED: ContextVar[tuple[str, str] | None] = ContextVar("sides", default=None)
"""The columns with the sentences that the user named (``--good``, ``--bad``)."""


def is_own(name: str) -> bool:
    """Return whether a name is that of a file with pairs, or the user named columns of it."""
    path = Path(name)
    if path.suffix in SUFFIXES and path.is_file():
        known = parquet_schema(path).names if path.suffix == ".parquet" else SIDES
        return bool(ASKED.get()) or {*SIDES} <= {*known}
    return ASKED.get() is not None


def own_pairs(source: Any) -> Path:
    """Return a Parquet file with the pairs of a file, or of an object in memory.

    ``source``: a path (:data:`SUFFIXES`), a ``Dataset``, a data frame, an Arrow table or a list of
    mappings. Further columns become features. A Parquet file that has all columns is returned as it
    is, others are written to a data set folder that lasts as long as the program. Raises
    :class:`InputError` that names file and row for a missing column, and for a sentence that is
    missing, empty, or the same on both sides.
    """
    if isinstance(source, Path):
        is_parquet = source.suffix == ".parquet" and not ASKED.get()
        if is_parquet and {*NEEDED} <= {*parquet_schema(source).names}:
            return source
        return own_folder(source) / source.stem / FILE
    return _written(_in_memory(source), "pairs", "the pairs") / "pairs" / FILE


def _written(table: pa.Table, name: str, place: str) -> Path:
    """Write pairs into a new data set folder, and return it."""
    made = _with_columns(table, name, place)
    folder = _folder() / f"{len(list(_folder().iterdir()))}" / name
    target = folder / name / FILE
    target.parent.mkdir(parents=True)
    pq.write_table(made, target)
    digest = ContentDigest()
    digest.add(made)
    facts = {"sha256": file_digest(target), "bytes": target.stat().st_size}
    config = {
        "rows": len(made), "content_sha256": digest.content.sha256, "kind": "pair", "default": True,
        "files": {f"{name}/{FILE}": facts},
    }  # fmt: skip
    manifest = {"dataset": name, "version": "0.0.0", "configs": {name: config}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def own_folder(source: Path) -> Path:
    """Return a data set folder with the pairs of a file, made once as long as the file is the same.

    Raises :class:`InputError` as :func:`own_pairs` does.
    """
    require_file(source)
    changed = source.stat().st_mtime_ns if source.is_file() else 0
    return _folder_of(source.absolute(), source, changed, ASKED.get())


@cache
def _folder_of(_place: Path, source: Path, _changed: int, _sides: tuple[str, str] | None) -> Path:
    """Make the folder of :func:`own_folder`; the arguments say what it depends on."""
    return _written(_read(source), source.stem, str(source))


@cache
def _folder() -> Path:
    """Return a folder for as long as the program runs."""
    folder = Path(tempfile.mkdtemp(prefix="solecism-pairs-"))
    register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _read(path: Path) -> pa.Table:
    """Return the rows of a file as they are; raises :class:`InputError` for a broken one."""
    if path.suffix == ".parquet":
        return read_parquet(path)
    if path.suffix == ".jsonl":
        return _of_rows(read_json_lines(path, {str: object}, "minimal pair"), path)
    if path.suffix == ".json":
        return _of_rows(parse_json(read_text(path), [{str: object}], path, "list of pairs"), path)
    text = read_text(path, "utf-8-sig")
    dialect = "excel" if path.suffix == ".csv" else "excel-tab"
    head, *rows = [*csv.reader(text.splitlines(keepends=True), dialect)] or [[]]
    for number, row in enumerate(rows, 2):
        if row and len(row) != len(head):
            raise fail(f"{len(row)} cells under {len(head)} heads", path, number)
    return _of_rows([dict(zip(head, row, strict=True)) for row in rows if row], path)


def _of_rows(rows: list[dict[str, Any]], path: Path | str) -> pa.Table:
    """Return mappings as a table; a key may be missing in some."""
    names = dict.fromkeys(name for row in rows for name in row)
    try:
        return pa.table({name: [row.get(name) for row in rows] for name in names})
    except (pa.ArrowException, AttributeError, TypeError) as error:
        raise fail(f"rows with values of several types: {error}", path) from None


def _in_memory(data: Any) -> pa.Table:
    """Return the rows of a table of any library, or of a list of mappings."""
    if isinstance(data, list):
        return _of_rows(data, "the pairs")
    if hasattr(data, "with_format"):  # a Dataset of datasets
        return data.with_format("arrow")[:]
    if isinstance(data, pa.Table) or hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    kind = type(data).__name__
    raise fail(f"{kind} holds no pairs: give a name, a Dataset, a data frame, a table or a list")


def _with_columns(table: pa.Table, name: str, place: str) -> pa.Table:
    """Return pairs with all columns of ours, null where nothing is known."""
    sides = ASKED.get() or SIDES
    for side in sides:
        if side not in table.column_names:
            known = table.column_names
            raise unknown_error("there is no column", side, "columns", known, place)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    columns |= dict(zip(SIDES, [columns.pop(side) for side in sides], strict=True))
    texts = [columns[side].to_pylist() for side in SIDES]
    _check(texts, place)
    rows = len(table)
    usual = {"UID": name, "linguistics_term": "", "language": ""}
    made = {"id": _ids(*texts), **{key: [value] * rows for key, value in usual.items()}}
    columns = {**{key: pa.array(values) for key, values in made.items()}, **columns}
    columns.setdefault("set_id", columns["id"])
    features = columns.pop("features", None)
    if features is not None and pa.types.is_struct(features.type):
        columns |= zip([field.name for field in features.type], features.flatten(), strict=True)
    extra = [key for key in columns if key not in PAIR_TYPES.names and key not in FEATURES]
    schema = pair_schema(n for n in extra if not pa.types.is_nested(columns[n].type))
    fields = list(schema.field("features").type)
    typed = {f.name: _cast(columns.get(f.name), f, rows, place) for f in (*PAIR_TYPES, *fields)}
    typed["features"] = pa.StructArray.from_arrays([typed[f.name] for f in fields], fields=fields)
    return pa.table([typed[key] for key in schema.names], schema=schema)


def _cast(column: Any, field: pa.Field, rows: int, place: str) -> pa.Array:
    """Return a column with the type of ours; raises :class:`InputError` if it has another."""
    if column is None:
        return pa.nulls(rows, field.type)
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    try:
        return whole.cast(field.type)
    except pa.ArrowException:
        message = f"column {field.name!r} is {column.type}, wanted {field.type}"
        raise fail(message, place) from None


def _check(texts: list[list[Any]], place: str) -> None:
    """Raise :class:`InputError` for the first row whose sentences are no pair."""
    for number, (good, bad) in enumerate(zip(*texts, strict=True), 1):
        for side, text in zip(SIDES, (good, bad), strict=True):
            if not isinstance(text, str) or not text.strip():
                raise fail(f"row {number}: {side} is {text!r}, not a sentence", place)
        if good == bad:
            raise fail(f"row {number}: both sentences are {good!r}", place)


def _ids(good: list[str], bad: list[str]) -> list[str]:
    """Return an id for each pair, from its sentences; a pair that comes again has another."""
    seen = Counter[tuple[str, str]]()

    def numbered() -> Iterator[str]:
        for pair in zip(good, bad, strict=True):
            seen[pair] += 1
            yield f"{pair[1]}\n{seen[pair]}" if seen[pair] > 1 else pair[1]

    ids: list[str] = hex_ids(combine(text_hashes(good), [text_hashes([*numbered()])])).to_pylist()
    return ids
