"""What people decide: the ceiling beside the figures of models.

Judgments of a config are a table with a row for each paradigm: ``UID``, ``accuracy`` (0 to 1), and
``n`` (the number of judgments) if it is known; or a row for each pair, with an ``id``, too. They
stand in the config ``<config>-judgments`` of the data set (`solecism judge accept`), or in a file
of their own (CSV or Parquet), which may have a column ``config``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import InputError, candidates, fail
from solecism.inputs import read_text, reading_parquet
from solecism.reports.figures import ALL, MEAN, FigureCell, FigureColumn
from solecism.scoring.items import folder_of_data, listed_items
from solecism.scoring.results import Result
from solecism.scoring.summary import COLUMNS, wilson

__all__ = [
    "PEOPLE", "Judgments", "find_judgments", "people_columns", "ratings_of_pairs", "read_judgments",
]  # fmt: skip

PEOPLE = "people"
"""The name of the column."""

_NEEDED = ("UID", "accuracy")

ConfigKey = tuple[str, str]
"""A data set and a config of it."""


@dataclass(frozen=True)
class Judgments:
    """The share of judgments for the good sentence, and their number (0: unknown), by paradigm."""

    accuracy: dict[str, float]
    n: dict[str, int]

    def cell(self, uids: Iterable[str]) -> FigureCell | None:
        """Return the accuracy of people on paradigms, each judgment (or paradigm) counted once."""
        some = [uid for uid in uids if uid in self.accuracy]
        if not some:
            return None
        value, n = _pooled([(self.accuracy[uid], self.n.get(uid, 0)) for uid in some])
        if not n:
            return FigureCell(value, None, None, len(some))
        found = wilson(value * n, n)
        return FigureCell(value, found.low, found.high, n)


def read_judgments(path: Path) -> dict[str, Judgments]:
    """Return judgments by config, of a file without configs under the empty name.

    Raises :class:`InputError` for a file that is no CSV or Parquet, lacks columns, or has an
    accuracy that is no number from 0 to 1.
    """
    rows = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    found: dict[str, Judgments] = {}
    for number, row in enumerate(rows, 2):
        accuracy, n = _number(row["accuracy"], path, number), _count(row.get("n"), path, number)
        some = found.setdefault(str(row.get("config") or ""), Judgments({}, {}))
        if row["UID"] in some.accuracy:
            raise fail(f"paradigm {row['UID']!r} stands twice", path, number)
        some.accuracy[row["UID"]], some.n[row["UID"]] = accuracy, n
    if not found:
        raise fail("holds no judgments", path)
    return found


def _parquet(path: Path) -> list[dict[str, Any]]:
    with reading_parquet(path):
        table = pq.read_table(path)
    _require(table.column_names, path)
    rows: list[dict[str, Any]] = table.to_pylist()
    return _by_paradigm(rows) if "id" in table.column_names else rows


def _by_paradigm(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each paradigm, in which each judgment of a pair counts once."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((str(row.get("config") or ""), row["UID"]), []).append(row)
    made = []
    for (config, uid), some in found.items():
        accuracy, n = _pooled([(row["accuracy"], row.get("n") or 0) for row in some])
        made.append({"config": config, "UID": uid, "n": n, "accuracy": accuracy})
    return made


def _pooled(figures: Sequence[tuple[float, int]]) -> tuple[float, int]:
    """Return the mean of accuracies by their numbers of judgments, and their sum.

    Where a number is not known (0) each accuracy counts once, and the sum is 0.
    """
    known = all(n for _, n in figures)
    weights = [n if known else 1 for _, n in figures]
    right = sum(w * accuracy for w, (accuracy, _) in zip(weights, figures, strict=True))
    return right / sum(weights), sum(weights) if known else 0


def _csv(path: Path) -> list[dict[str, Any]]:
    lines = csv.DictReader(read_text(path, "utf-8-sig").splitlines())
    _require(list(lines.fieldnames or ()), path)
    return list(lines)


def _require(names: Sequence[str], path: Path) -> None:
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        near = candidates("columns", names, missing[0])
        raise fail(f"the judgments have no column {', '.join(map(repr, missing))} {near}", path)


def _number(value: object, path: Path, line: int) -> float:
    try:
        found = float(str(value))
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise fail(f"accuracy is {value!r}, wanted a number from 0 to 1", path, line)
    return found


def _count(value: object, path: Path, line: int) -> int:
    text = str(value or "0")
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise fail(f"n is {value!r}, wanted a count", path, line)
    return int(text)


def find_judgments(
    results: Sequence[Result], path: Path | None = None
) -> dict[ConfigKey, Judgments]:
    """Return the judgments of the configs of results, by data set and config.

    They are those of a file, else those in the data sets that are here. Raises
    :class:`InputError` for a file that is broken or about other configs.
    """
    keys = list(dict.fromkeys((r.run["data"], r.run["config"]) for r in results))
    if path is None:
        return {key: some for key in keys if (some := _beside(*key))}
    read = read_judgments(path)
    found = {key: read[name] for key in keys for name in (key[1], "") if name in read}
    known = {uid for result in results for uid in result.summary["by"]["UID"]}
    fitting = {key: some for key, some in found.items() if known & set(some.accuracy)}
    if not fitting:
        near = candidates("paradigms", sorted(known))
        raise fail(f"the judgments are of none of the paradigms of these results {near}", path)
    return fitting


def _beside(data: str, config: str) -> Judgments | None:
    """Return the judgments in the folder of a data set, if it is here and has any."""
    read = [read_judgments(file) for file in _files_beside(data, config)]
    if not read:
        return None
    merged = Judgments({}, {})
    for some in (judgments for found in read for judgments in found.values()):
        merged.accuracy.update(some.accuracy)
        merged.n.update(some.n)
    return merged


def _files_beside(data: str, config: str) -> tuple[Path, ...]:
    """Return the files of the judgments of a config, none where the data set is not here."""
    if folder_of_data(data) is None:
        return ()
    try:
        return listed_items(f"{data}/{config}-judgments").files
    except InputError:
        return ()


def ratings_of_pairs(data: str, config: str) -> dict[str, float]:
    """Return what people say of each pair of a config, by id: the gap of ratings, else accuracy.

    There is nothing where the data set is not here, or has no judgments of pairs.
    """
    found: dict[str, float] = {}
    for path in _files_beside(data, config):
        with reading_parquet(path):
            table = pq.read_table(path)
        if {"id", "accuracy"} <= set(table.column_names):
            for row in table.to_pylist():
                gap = row.get("gap")
                found[row["id"]] = row["accuracy"] if gap is None else gap
    return found


def people_columns(
    results: Sequence[Result], judgments: Mapping[ConfigKey, Judgments], by: str
) -> list[FigureColumn]:
    """Return a column of what people decide for each config, by config one for all of them.

    By anything but ``UID``, ``phenomenon``, ``construction`` and ``config`` there is none.
    """
    if by != "config" and by not in COLUMNS:
        return []
    made = {
        key: _cells(_groups([r for r in results if _key(r) == key], by), some)
        for key, some in judgments.items()
    }
    if by != "config":
        return [
            FigureColumn(PEOPLE, {"model": PEOPLE, "data": data, "config": config}, cells, ())
            for (data, config), cells in made.items()
        ]
    cells = {config: made[data, config][ALL] for data, config in made}
    return [FigureColumn(PEOPLE, {"model": PEOPLE}, cells, ())] if cells else []


def _key(result: Result) -> ConfigKey:
    return result.run["data"], result.run["config"]


def _groups(results: Sequence[Result], by: str) -> dict[str, list[str]]:
    """Return the paradigms of each group of a grouping."""
    if by == "config":
        return {r.run["config"]: list(r.summary["by"]["UID"]) for r in results[:1]}
    found: dict[str, dict[str, None]] = {}
    for result in results[:1]:
        some = result.read(["UID", COLUMNS[by]])
        pairs = pa.table({"uid": some["UID"], "group": some[COLUMNS[by]]})
        for row in pairs.group_by(["group", "uid"], use_threads=False).aggregate([]).to_pylist():
            if row["group"] is not None:
                found.setdefault(row["group"], {})[row["uid"]] = None
    return {group: list(uids) for group, uids in found.items()}


def _cells(groups: Mapping[str, Sequence[str]], judgments: Judgments) -> dict[str, FigureCell]:
    found = {group: cell for group, uids in groups.items() if (cell := judgments.cell(uids))}
    values = [cell.value for cell in found.values()]
    total = judgments.cell(dict.fromkeys(uid for uids in groups.values() for uid in uids))
    if total is None:
        return {}
    found[ALL] = total
    if len(values) > 1:
        found[MEAN] = FigureCell(sum(values) / len(values), None, None, total.n)
    return found
