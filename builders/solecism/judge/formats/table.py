"""Any CSV (or TSV): a row an answer; ``[columns]`` of ``study.toml`` says what is where.

A column of ours that ``[columns]`` does not name is the column of that name, if there is one::

    [columns]
    participant = "worker"
    good = "grammatical sentence"
    bad = "ungrammatical sentence"
    answer = "chosen"
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from solecism.errors import candidates, fail
from solecism.judge.design import FOREIGN, Study

__all__ = ["fits", "named", "read", "rows_of"]


def fits(text: str) -> bool:
    """Return whether the first line has several columns."""
    first = text.partition("\n")[0]
    return not text.lstrip().startswith(("{", "[")) and ("," in first or "\t" in first)


def read(path: Path, text: str, study: Study) -> Iterator[Mapping[str, Any]]:
    """Yield a row an answer; raise :class:`InputError` for a column that is not there."""
    heads, rows = rows_of(path, text)
    _refuse_absent(heads, study, path)
    for line, row in rows:
        yield {**named(row, study.columns), "line": line}


def named(values: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """Return values of another program by our names, without those that are empty."""
    where = {name: columns.get(name, name) for name in FOREIGN}
    found = {name: values.get(column) for name, column in where.items()}
    return {name: value for name, value in found.items() if value not in (None, "")}


def rows_of(path: Path, text: str) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Return the heads of a CSV or TSV, and its rows with their lines."""
    mark = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.DictReader(text.splitlines(), delimiter=mark, strict=True)
    rows = []
    try:
        for row in reader:
            if None in row or None in row.values():
                raise fail("has more or fewer cells than the first line", path, reader.line_num)
            rows.append((reader.line_num, row))
    except csv.Error as error:
        raise fail(f"is no CSV: {error}", path, reader.line_num) from None
    return list(reader.fieldnames or ()), rows


def _refuse_absent(heads: Sequence[str], study: Study, path: Path) -> None:
    for name, column in study.columns.items():
        if column not in heads:
            near = candidates("columns", list(heads), column)
            raise fail(f"columns.{name}: there is no column {column!r} {near}", path, 1)
