"""Minimal pairs of one's own, in any file or in memory, as a Parquet file with our columns.

All commands read that file as one that ``solecism mine --pairs`` wrote.
"""

import csv
import shutil
import tempfile
from atexit import register
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import fail, unknown_error
from solecism.hashing import combine, hex_ids, text_hashes
from solecism.inputs import parse_json, read_json_lines, read_parquet, read_text
from solecism.schema import PAIR_TYPES

SIDES = ("sentence_good", "sentence_bad")
SUFFIXES = (".parquet", ".jsonl", ".json", ".csv", ".tsv")
NEEDED = ("id", "set_id", "UID", "linguistics_term", "language", *SIDES)
"""The columns without which pairs cannot be scored; all but the sentences can be made."""


def own_pairs(source: Any, sides: tuple[str, str] = SIDES) -> Path:
    """Return a Parquet file with the pairs of a file, or of an object in memory.

    ``source``: a path (:data:`SUFFIXES`), a ``Dataset``, a data frame, an Arrow table or a list of
    mappings; ``sides``: its columns with the good and the bad sentence. A Parquet file that has all
    columns is returned as it is. Raises :class:`InputError` that names file and row for a missing
    column, and for a sentence that is missing, empty, or the same on both sides.
    """
    path = source if isinstance(source, Path) else None
    table = _read(path) if path else _in_memory(source)
    if path and path.suffix == ".parquet" and sides == SIDES and {*NEEDED} <= {*table.column_names}:
        return path
    name = path.stem if path else "pairs"
    made = _with_columns(table, sides, name, str(path or "the pairs"))
    target = _folder() / f"{len(list(_folder().iterdir()))}" / f"{name}.parquet"
    target.parent.mkdir()
    pq.write_table(made, target)
    return target


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
    """Return mappings as a table."""
    try:
        return pa.Table.from_pylist(rows)
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


def _with_columns(table: pa.Table, sides: tuple[str, str], name: str, place: str) -> pa.Table:
    """Return pairs with all columns that scoring needs."""
    for side in sides:
        if side not in table.column_names:
            known = table.column_names
            raise unknown_error("there is no column", side, "columns", known, place)
    renamed = dict(zip(sides, SIDES, strict=True))
    kept = [c for c in table.column_names if c not in SIDES or c in sides]
    table = table.select(kept).rename_columns([renamed.get(c, c) for c in kept])
    texts = [table[side].to_pylist() for side in SIDES]
    _check(texts, place)
    made = {
        "id": _ids(*texts), "UID": [name] * len(table), "linguistics_term": [""] * len(table),
        "language": [""] * len(table),
    }  # fmt: skip
    for column, values in made.items():
        if column not in table.column_names:
            table = table.append_column(column, pa.array(values, pa.string()))
    if "set_id" not in table.column_names:
        table = table.append_column("set_id", table["id"])
    for n, field in enumerate(table.schema):
        if field.name in PAIR_TYPES.names and field.type != PAIR_TYPES.field(field.name).type:
            wanted = PAIR_TYPES.field(field.name)
            try:
                table = table.set_column(n, wanted, table[field.name].cast(wanted.type))
            except pa.ArrowException:
                message = f"column {field.name!r} is {field.type}, wanted {wanted.type}"
                raise fail(message, place) from None
    return table


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
