"""Answers that programs have collected: our page's own files, jsPsych's, and tables.

An answer is returned as a dictionary with our names for its values: the columns of
:data:`~solecism.judge.schema.ANSWERS`, ``item`` (the key of the trial), its sentences as ``good``
and ``bad`` or, by their places, as ``first`` and ``second``, and ``line``. Which columns of a table
become which of ours is said in ``mappings/*.toml`` for programs that we know, and in ``[columns]``
of ``study.toml`` for others.
"""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from solecism.errors import InputError, candidates, fail, unknown_error
from solecism.inputs import Json, check, parse_json, read_text, read_toml
from solecism.judge.design import FOREIGN, Study
from solecism.judge.protocol import FORMAT, SAVED, answer_row

Raw = dict[str, Json]
Column = Mapping[str, Json]
Row = tuple[int, Mapping[str, str]]
"""A row of a table, or a trial, with its line."""

_MAPPINGS = {path.stem: path for path in sorted(Path(__file__).with_name("mappings").iterdir())}

FORMATS = ("own", *_MAPPINGS, "table")
"""The formats by name, in the order in which they are tried."""


def read_raw(path: Path, study: Study, name: str = "") -> Iterator[Raw]:
    """Yield the answers in a file as a program wrote them.

    ``name``: one of :data:`FORMATS`; empty: the first that fits. Raises :class:`InputError` for an
    unknown name and for a file that is of no format, or broken.
    """
    if name and name not in FORMATS:
        raise unknown_error("unknown format", name, "formats", FORMATS)
    text = read_text(path, "utf-8-sig")
    start = text.lstrip()[:1]
    if name == "own" or (not name and start == "{" and FORMAT in text[:2_000]):
        yield from _own(path, text, study)
    elif name == "jspsych" or (not name and start == "[" and '"trial_type"' in text):
        yield from _answers(path, *_trials(path, text, study), study, "jspsych")
    elif start not in ("{", "["):
        yield from _answers(path, *_rows(path, text), study, name)
    else:
        raise fail(f"is of none of the formats {', '.join(FORMATS)}", path)


def _own(path: Path, text: str, study: Study) -> Iterator[Raw]:
    """Yield the rows of sessions that our page has saved."""
    for line, saved in _json_values(path, text):
        check(saved, SAVED, f"{path}:{line}", FORMAT)
        if saved["study"] != study.id:
            raise fail(f"has answers to study {saved['study']}, this is {study.id}", path, line)
        if saved["list"] > len(study.lists):
            raise fail(f"list {saved['list']}: the study has {len(study.lists)}", path, line)
        for row in saved["rows"]:
            said = {"position": row["position"], "item": row["item"], "row": row}
            try:
                yield {**answer_row(study, saved["list"], said, saved), "line": line}
            except InputError as error:
                raise fail(str(error), path, line) from None


def _trials(path: Path, text: str, study: Study) -> tuple[list[str], list[Row]]:
    """Return the names in jsPsych's JSON, and its trials, of one or many people, with their lines.

    A trial counts if it names an item: in ``item``, ``id`` or ``good`` of its data, or in what
    ``[columns]`` names.
    """
    naming = [study.columns.get(name, name) for name in ("item", "id", "good")]
    rows: list[Row] = []
    for line, trials in _json_values(path, text):
        check(trials, [dict], f"{path}:{line}", "list of jsPsych's trials")
        for trial in trials:
            said = {name: str(value) for name, value in trial.items() if value is not None}
            if any(said.get(name) for name in naming):
                rows.append((line, {"run": f"{path.name}:{line}", **said}))
    return list(dict.fromkeys(name for _, said in rows for name in said)), rows


def _json_values(path: Path, text: str) -> Iterator[tuple[int, Json]]:
    """Yield the JSON value of a text, or that of each line, with the number of its line."""
    try:
        json.loads(text)
        parts = [(1, text)]
    except (ValueError, RecursionError):
        parts = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    for number, part in parts:
        yield number, parse_json(part, object, path)


def _answers(
    path: Path, heads: Sequence[str], rows: Sequence[Row], study: Study, name: str
) -> Iterator[Raw]:
    """Yield the answers in the rows of a table.

    Either each row is an answer (or another event), or a row has several trials, in columns with
    numbers.
    """
    mappings = {stem: read_toml(file) for stem, file in _MAPPINGS.items()}
    fitting = [stem for stem, one in mappings.items() if set(one["signature"]) <= set(heads)]
    mapping = mappings.get(name or (fitting or ["table"])[0], {"columns": {}})
    for ours, theirs in study.columns.items():
        if theirs not in heads:
            near = candidates("columns", heads, theirs)
            raise fail(f"columns.{ours}: there is no column {theirs!r} {near}", path, 1)
    same = {name: name for name in (*FOREIGN, "first", "second") if name in heads}
    columns: dict[str, Column] = {
        ours: {"column": one} if isinstance(one, str) else one
        for ours, one in {**same, **mapping["columns"], **study.columns}.items()
    }
    usual = {"participant": path.name.partition(".")[0]} if "item" in heads else {}
    numbered = next((c["column"] for c in columns.values() if "{n}" in c["column"]), "")
    pattern = re.escape(numbered).replace(re.escape("{n}"), r"(\d{1,4})")
    numbers = re.findall(f"(?m)^{pattern}$", "\n".join(heads)) if numbered else [""]
    if not numbers:
        raise fail(f"has no column {numbered}", path, 1)
    trials = []
    for (line, cells), n in product(rows, numbers):
        values = {ours: _value(column, cells, n) for ours, column in columns.items()}
        known = {ours: value for ours, value in values.items() if value != ""}
        trials.append((cells, {**usual, **known, "line": line}))
    yield from _numbered([raw for _, raw in trials]) if numbered else _events(trials, mapping)


def _numbered(trials: Sequence[Raw]) -> Iterator[Raw]:
    """Yield the trials that have an answer, with their positions among all trials of the person."""
    total, seen = Counter(raw.get("participant") for raw in trials), Counter[object]()
    for raw in trials:
        person = raw.get("participant")
        seen[person] += 1
        if "answer" in raw:
            yield {**raw, "position": seen[person], "trials": total[person]}


def _events(
    trials: Sequence[tuple[Mapping[str, str], Raw]], mapping: Mapping[str, Json]
) -> Iterator[Raw]:
    """Yield the rows that are answers; their times count from the start of the trial, if known."""
    wanted, start = mapping.get("rows", {}), mapping.get("start", {})
    begun: dict[tuple[object, object], object] = {}
    for cells, raw in trials:
        trial, time = (raw.get("participant"), raw.get("item")), raw.get("time")
        if start and start.items() <= cells.items():
            begun[trial] = time
        if all(re.fullmatch(some, cells.get(head, "")) for head, some in wanted.items()):
            if start:
                ends = [str(one) for one in (begun.get(trial), time)]
                known = all(re.fullmatch("[0-9]{1,15}", end) for end in ends)
                raw["time"] = int(ends[1]) - int(ends[0]) if known else None
            yield raw


def _value(column: Column, cells: Mapping[str, str], n: str) -> object:
    """Return what the cells of a column become, an empty text where there is nothing.

    ``column``: a name, with ``|`` between those of which the first that is filled counts, and ``+``
    between those that are joined by a space; ``{n}`` is the number of a trial in the row.
    ``pattern``: what a value must match; its group, else all of it, is taken, or ``value``.
    ``values``: what values become. ``default``: what others become. ``factor``: what a number is
    multiplied by.
    """
    choices = [choice.split("+") for choice in column["column"].replace("{n}", n).split("|")]
    there = [names for names in choices if all(name in cells for name in names)]
    texts = (" ".join(cells[name] for name in names).strip() for names in there)
    said = next(filter(None, texts), "")
    match = re.fullmatch(column.get("pattern", "(?s:.*)"), said)
    if match is None or not said:
        return column.get("default", "") if there else ""
    found = column.get("value") or match[match.lastindex or 0]
    if "factor" not in column:
        return column.get("values", {}).get(found, found)
    try:
        number = float(found) * column["factor"]
    except ValueError:
        return ""
    return number if math.isfinite(number) else found


def _rows(path: Path, text: str) -> tuple[list[str], list[Row]]:
    """Return the heads of a table and its rows with their lines.

    The first line has the heads, or comments as ``# 1. Time.`` have them, which may change.
    """
    has_comments, heads = text.startswith("#"), dict[str, None]()
    mark = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    names: list[str] = []
    rows: list[Row] = []
    try:
        for cells in reader:
            if has_comments and cells and cells[0].startswith("#"):
                if match := re.match(r"# (\d{1,4})\. (.+?)\.?\s*$", mark.join(cells)):
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
