"""Answers that programs have collected: our page's own files, jsPsych's, and tables.

A reader yields mappings by our names: those of :data:`~solecism.judge.schema.ANSWERS`, ``item``
(the key of the trial), ``good`` and ``bad`` (its sentences) or ``first`` and ``second`` (in their
places), and ``line``. How the columns of a table become ours, a mapping says: ``mappings/*.toml``
for programs that we know, ``[columns]`` of ``study.toml`` for others.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solecism.errors import candidates, fail
from solecism.inputs import check, parse_json, read_text, read_toml
from solecism.judge.design import FOREIGN, Study
from solecism.judge.protocol import FORMAT, SAVED, answer_row

__all__ = ["FORMATS", "read_raw"]

Raw = dict[str, Any]

MAX_BYTES = 200_000_000
"""Bytes of a file of answers, when it is unpacked."""

_MAPPINGS = {path.stem: path for path in sorted(Path(__file__).with_name("mappings").iterdir())}

FORMATS = ("own", "jspsych", *_MAPPINGS, "table")
"""The formats by name, in the order in which they are tried."""


def read_raw(path: Path, study: Study, name: str = "") -> Iterator[Raw]:
    """Yield the answers in a file as a program wrote them.

    ``name``: one of :data:`FORMATS`; empty: the first that fits. Raises :class:`InputError` for an
    unknown name and for a file that is of no format, or broken.
    """
    if name and name not in FORMATS:
        raise fail(f"unknown format {name!r} {candidates('formats', FORMATS, name)}")
    text = _unpacked(path)
    start = text.lstrip()[:1]
    if name == "own" or (not name and start == "{" and FORMAT in text[:2_000]):
        yield from _own(path, text, study)
    elif name == "jspsych" or (not name and start == "[" and '"trial_type"' in text):
        yield from _jspsych(path, text, study)
    elif start not in ("{", "["):
        yield from _table(path, text, study, name)
    else:
        raise fail(f"is of none of the formats {', '.join(FORMATS)}", path)


def _unpacked(path: Path) -> str:
    """Return the text of a file, which may be packed by gzip or xz."""
    if path.suffix not in (".gz", ".xz"):
        return read_text(path, "utf-8-sig")
    try:
        with gzip.open(path) if path.suffix == ".gz" else lzma.open(path) as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise fail(f"has more than {MAX_BYTES:,} bytes when it is unpacked", path)
        return raw.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, lzma.LZMAError, UnicodeDecodeError) as error:
        raise fail(f"cannot be unpacked: {error}", path) from None


def _own(path: Path, text: str, study: Study) -> Iterator[Raw]:
    """Yield the rows of sessions that our page has saved."""
    for line, saved in _json_values(path, text):
        check(saved, SAVED, path, FORMAT)
        if saved["study"] != study.id:
            raise fail(f"has answers to study {saved['study']}, this is {study.id}", path, line)
        if saved["list"] > len(study.lists):
            raise fail(f"list {saved['list']}: the study has {len(study.lists)}", path, line)
        for row in saved["rows"]:
            said = {"position": row["position"], "item": row["item"], "row": row}
            yield {**answer_row(study, saved["list"], said, saved), "line": line}


_PEOPLE = ("participant", "participant_id", "subject_id", "subject", "PROLIFIC_PID", "run_id")


def _jspsych(path: Path, text: str, study: Study) -> Iterator[Raw]:
    """Yield the answers in jsPsych's JSON, a list of trials, of one or many people.

    A trial counts if it names an item: in ``item``, ``id`` or ``good`` and ``bad`` of its data, or
    in what ``[columns]`` names. Its answer is ``response`` (the number of a button, or a key), its
    time ``rt``. If the trials do not name a person, each list is one.
    """
    columns = {"answer": "response", "time": "rt", "position": "trial_index", **study.columns}
    for line, trials in _json_values(path, text):
        check(trials, [dict], path, "list of jsPsych's trials")
        for trial in trials:
            named = {name: trial.get(columns.get(name, name)) for name in FOREIGN}
            raw = {name: value for name, value in named.items() if value not in (None, "")}
            if "item" in raw or "id" in raw or {"good", "bad"} <= set(raw):
                answer = raw.get("answer")
                if isinstance(answer, int) and study.design != "likert":
                    raw["answer"] = {0: "first", 1: "second"}.get(answer, answer)
                person = next(
                    (str(trial[n]) for n in _PEOPLE if trial.get(n)), f"{path.name}:{line}"
                )
                yield {"participant": person, **raw, "line": line}


def _json_values(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    """Yield the value of a text, or of each line, with the lines."""
    try:
        json.loads(text)
        parts = [(1, text)]
    except (ValueError, RecursionError):
        parts = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, part in parts:
        yield number, parse_json(part, object, path)


@dataclass(frozen=True)
class _Column:
    """Where a value comes from: ``column``, with ``|`` between those of which the first that is
    there counts, and ``+`` between those that are joined by a space; ``{n}`` is the number of a
    trial in the row. ``pattern``: what a value must match; its group, else all of it, is taken, or
    ``value``. ``values``: what values become. ``default``: what others become. ``factor``: what a
    number is multiplied by."""

    column: str
    pattern: str = "(?s:.*)"
    value: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    default: str = ""
    factor: float = 1

    def names(self, heads: Sequence[str], n: str = "") -> list[str]:
        """Return the names of the columns in a table; none if the table lacks them."""
        for choice in self.column.replace("{n}", n).split("|"):
            if all(name in heads for name in choice.split("+")):
                return choice.split("+")
        return []

    def read(self, said: str) -> object:
        """Return what a cell becomes."""
        match = re.fullmatch(self.pattern, said)
        if match is None or not said:
            return self.default
        found = self.value or (match[1] if match.re.groups else match[0])
        if self.factor == 1:
            return self.values.get(found, found)
        try:
            number = float(found) * self.factor
        except ValueError:
            return self.default
        return number if math.isfinite(number) else found


def _table(path: Path, text: str, study: Study, name: str) -> Iterator[Raw]:
    """Yield the answers in a table (CSV, TSV, or PCIbex' results)."""
    heads, rows = _rows(path, text)
    mappings = {stem: read_toml(file) for stem, file in _MAPPINGS.items()}
    fitting = [stem for stem, one in mappings.items() if set(one["signature"]) <= set(heads)]
    mapping = mappings.get(name or (fitting or ["table"])[0], {"columns": {}})
    for ours, theirs in study.columns.items():
        if theirs not in heads:
            near = candidates("columns", heads, theirs)
            raise fail(f"columns.{ours}: there is no column {theirs!r} {near}", path, 1)
    same = {name: name for name in (*FOREIGN, "first", "second") if name in heads}
    columns = {
        ours: _Column(**spec) if isinstance(spec, dict) else _Column(spec)
        for ours, spec in {**same, **mapping["columns"], **study.columns}.items()
    }
    numbered = [column.column for column in columns.values() if "{n}" in column.column]
    if not numbered:
        yield from _rows_of_answers(path, heads, rows, columns, mapping)
    else:
        pattern = re.escape(numbered[0]).replace(re.escape("{n}"), r"(\d{1,4})")
        numbers = [match[1] for head in heads if (match := re.fullmatch(pattern, head))]
        if not numbers:
            raise fail(f"has no column {numbered[0]}", path, 1)
        yield from _rows_of_trials(path, heads, rows, columns, numbers)


def _rows_of_answers(
    path: Path, heads: Sequence[str], rows: _Rows, columns: Mapping[str, _Column],
    mapping: Mapping[str, Any],
) -> Iterator[Raw]:  # fmt: skip
    """Yield the answers of a table in which a row is an answer, or another event."""
    names = {ours: found for ours, column in columns.items() if (found := column.names(heads))}
    person = {"participant": path.name.partition(".")[0]} if "item" in heads else {}
    wanted, start = mapping.get("rows", {}), mapping.get("start")
    begun: dict[tuple[object, object], object] = {}
    for line, cells in rows:
        raw: Raw = person | _read(cells, columns, names)
        trial = raw.get("participant"), raw.get("item")
        if start and start.items() <= cells.items():
            begun[trial] = raw.get("time")
        if all(re.fullmatch(some, cells.get(head, "")) for head, some in wanted.items()):
            if start:
                raw["time"] = _since(begun.get(trial), raw.pop("time", None))
            yield {**raw, "line": line}


def _rows_of_trials(
    path: Path, heads: Sequence[str], rows: _Rows, columns: Mapping[str, _Column],
    numbers: Sequence[str],
) -> Iterator[Raw]:  # fmt: skip
    """Yield the answers of a table in which a row has a trial for each of some numbers."""
    names = {
        n: {ours: found for ours, column in columns.items() if (found := column.names(heads, n))}
        for n in numbers
    }
    for ours in ("participant", "answer"):
        if not all(ours in some for some in names.values()):
            raise fail(f"has no column {columns[ours].column}", path, 1)
    people = [_read(cells, columns, names[numbers[0]]).get("participant") for _, cells in rows]
    total, seen = Counter(people), Counter[object]()
    for (line, cells), person in zip(rows, people, strict=True):
        for n in numbers:
            seen[person] += 1
            counts = {"position": seen[person], "trials": len(numbers) * total[person]}
            if any(cells.get(name) for name in names[n]["answer"]):
                yield {**_read(cells, columns, names[n]), **counts, "line": line}


def _read(
    cells: Mapping[str, str], columns: Mapping[str, _Column], names: Mapping[str, Sequence[str]]
) -> Raw:
    """Return the values of a row by our names, without those that are empty."""
    found = {
        ours: columns[ours].read(" ".join(cells.get(name, "") for name in some).strip())
        for ours, some in names.items()
    }
    return {ours: value for ours, value in found.items() if value != ""}


def _since(start: object, end: object) -> int | None:
    """Return the milliseconds between two events."""
    if all(re.fullmatch("[0-9]{1,15}", str(one)) for one in (start, end)):
        return int(str(end)) - int(str(start))
    return None


_Rows = list[tuple[int, dict[str, str]]]
_COMMENT = re.compile(r"# (\d{1,4})\. (.+?)\.?\s*$")


def _rows(path: Path, text: str) -> tuple[list[str], _Rows]:
    """Return the heads of a table and its rows with their lines.

    The first line has the heads, or comments as ``# 1. Time.`` have them, which may change.
    """
    has_comments, heads = text.startswith("#"), dict[str, None]()
    mark = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    names: list[str] = []
    rows: _Rows = []
    try:
        for cells in reader:
            if has_comments and cells and cells[0].startswith("#"):
                if match := _COMMENT.match(mark.join(cells)):
                    names = [*names[: int(match[1]) - 1], match[2]]
                    heads[match[2]] = None
            elif not names:
                names, heads = cells, dict.fromkeys(cells)
            elif cells:
                if len(cells) > len(names) or (len(cells) < len(names) and not has_comments):
                    why = f"has {len(cells)} cells, the heads are {len(names)}"
                    raise fail(why, path, reader.line_num)
                rows.append((reader.line_num, dict(zip(names, cells, strict=False))))
    except csv.Error as error:
        raise fail(f"is no table: {error}", path, reader.line_num) from None
    return list(heads), rows
