"""What a report shows: results arranged as columns of figures, whatever they are printed as."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from solecism.errors import candidates, fail
from solecism.scoring.results import Result
from solecism.scoring.statistics import mean_deviation
from solecism.scoring.summary import COLUMNS, Tally, group_column, tally

__all__ = [
    "ALL", "MEAN", "Block", "Cell", "Column", "columns", "grid", "identity", "labels", "row_names",
    "systems",
]  # fmt: skip

ALL, MEAN = "all pairs", "mean of rows"
"""The last rows of a table: every pair counted once; every row counted once."""

_SEED = re.compile(r"[-_./]*seed[-_]?\d+", re.IGNORECASE)
_DATA = ("data", "config")


@dataclass(frozen=True)
class Cell:
    """An accuracy (0 to 1) with its 95 % Wilson interval, or the mean of ``seeds`` results and their
    standard ``deviation`` (then without an interval); ``n`` pairs scored (all seeds), ``ties`` of them."""

    value: float
    low: float | None
    high: float | None
    n: int
    ties: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    deviation: float | None = None
    seeds: int = 1

    @property
    def half(self) -> float | None:
        """The longer side of the interval, or the standard deviation over seeds."""
        if self.low is None or self.high is None:
            return self.deviation
        return max(self.value - self.low, self.high - self.value)


@dataclass(frozen=True)
class Column:
    """The figures of a model (on a config): rows by name; ``fields`` tells what it is a result of."""

    label: str
    fields: Mapping[str, str]
    cells: Mapping[str, Cell]
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Block:
    """Columns that stand together under a title (empty if there is only one block)."""

    title: str
    columns: tuple[Column, ...]


def identity(result: Result) -> dict[str, str]:
    """What distinguishes a result from others: model, revision, method, options, dtype, data, config."""
    run = result.run
    data = f"{run['data']}@{run['version']}" + (f"#{run['digest'][:8]}" if run["digest"] else "")
    return {
        "model": run["model"],
        "revision": run["revision"],
        "method": run["method"],
        **{k: f"{k}:{v}" for k, v in run["options"].items()},
        "dtype": run["dtype"],
        "solecism": run["solecism"],
        "data": data,
        "config": run["config"],
    }


Fields = dict[str, str]


def labels(fields: Sequence[Mapping[str, str]]) -> list[str]:
    """Short names that tell columns apart: the model, and whatever differs between columns of one model."""
    models = [f.get("model", "") for f in fields]
    keys = list(dict.fromkeys(k for f in fields for k in f if k != "model"))
    telling = [key for key in keys if _varies(key, fields)]
    short = _short(models)
    out = []
    for found in fields:
        parts = [found[key] for key in telling if found.get(key)]
        alone = len(short) == 1 and parts
        out.append(" ".join(parts if alone else [short[found.get("model", "")], *parts]))
    return out


def _varies(key: str, fields: Sequence[Mapping[str, str]]) -> bool:
    seen: dict[str, set[str]] = {}
    for found in fields:
        seen.setdefault(found.get("model", ""), set()).add(found.get(key, ""))
    return any(len(values) > 1 for values in seen.values())


def _short(models: Iterable[str]) -> dict[str, str]:
    """The last parts of paths and hub names, as many as keep them apart."""
    distinct = list(dict.fromkeys(models))
    for length in range(1, 9):
        names = ["/".join(name.rstrip("/").split("/")[-length:]) for name in distinct]
        if len(set(names)) == len(distinct):
            return dict(zip(distinct, names, strict=True))
    return {name: name for name in distinct}


def systems(results: Sequence[Result]) -> list[tuple[Fields, list[Result]]]:
    """Results of one model, method and options, over whatever configs, put together."""
    found: dict[tuple[tuple[str, str], ...], list[Result]] = {}
    for result in results:
        found.setdefault(_key(identity(result), _DATA), []).append(result)
    return [(dict(key), some) for key, some in found.items()]


def _key(fields: Mapping[str, str], without: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((k, v) for k, v in fields.items() if k not in without)


def columns(results: Sequence[Result], by: str, group: bool = False) -> list[Column]:
    """Arrange results as columns: one a result, or (by config) one a model with a row a config.

    ``group`` puts the seeds of a model (``lstm/seed-0``, ``lstm/seed-1``) into one column. Raises
    :class:`InputError` for an unknown grouping and for results that are there twice.
    """
    _refuse_twice(results)
    prefixed = len({identity(r)["data"] for r in results}) > 1
    series: dict[tuple[tuple[str, str], ...], list[Result]] = {}
    for result in results:
        key = _key(identity(result), _DATA if by == "config" else ())
        series.setdefault(key, []).append(result)
    made = [(dict(key), _series(some, by, prefixed), some) for key, some in series.items()]
    if group:
        made = _grouped(made)
    names = labels([fields for fields, _, _ in made])
    return [
        Column(name, fields, cells, tuple(some))
        for name, (fields, cells, some) in zip(names, made, strict=True)
    ]


def _refuse_twice(results: Sequence[Result]) -> None:
    seen: dict[tuple[tuple[str, str], ...], Result] = {}
    for result in results:
        other = seen.setdefault(_key(identity(result), ()), result)
        if other is not result:
            raise fail(f"has the same signature as {other.path}: {result.signature}", result.path)


def _series(results: Sequence[Result], by: str, prefixed: bool) -> dict[str, Cell]:
    tallies: dict[str, Tally] = {}
    for result in results:
        run = result.run
        name = f"{run['data']}/{run['config']}" if prefixed else run["config"]
        for key, part in _tallies(result, by, name).items():
            tallies.setdefault(key, Tally()).add(part)
    overall = Tally()
    for result in results:
        overall.add(_from_json(result.summary["overall"]))
    cells = {key: _cell(part) for key, part in tallies.items() if part.n or part.skipped}
    found = [cell.value for cell in cells.values() if cell.n]
    cells[ALL] = _cell(overall)
    if len(found) > 1:
        cells[MEAN] = Cell(sum(found) / len(found), None, None, overall.n)
    return cells


def _tallies(result: Result, by: str, config: str) -> dict[str, Tally]:
    """By the summary where it has this grouping, else counted from the table."""
    if by == "config":
        return {config: _from_json(result.summary["overall"])}
    known = result.summary["by"]
    if by in known:
        return {key: _from_json(found) for key, found in known[by].items()}
    features = [f.name for f in result.table.schema.field("features").type]
    if by not in features and by not in COLUMNS:
        choices = ["config", *dict.fromkeys([*COLUMNS, *known, *features])]
        raise fail(f"no grouping {by!r} {candidates('groupings', choices, by)}", result.path)
    return tally(group_column(result.table, by), result.table)


def _from_json(found: Mapping[str, Any]) -> Tally:
    right = (found["accuracy"] or 0.0) * found["n"]
    return Tally(round(2 * right) / 2, found["n"], found["ties"], dict(found["skipped"]))


def _cell(part: Tally) -> Cell:
    at = part.interval
    return Cell(at.value, at.low, at.high, part.n, part.ties, part.skipped)


Made = tuple[Fields, dict[str, Cell], list[Result]]


def _grouped(made: Sequence[Made]) -> list[Made]:
    families: dict[tuple[tuple[str, str], ...], list[Made]] = {}
    for fields, cells, some in made:
        family = {**fields, "model": _SEED.sub("", fields["model"]) or fields["model"]}
        without = ("revision",) if family["model"] != fields["model"] else ()
        families.setdefault(_key(family, without), []).append((fields, cells, some))
    return [(dict(key), *_family(members)) for key, members in families.items()]


def _family(members: Sequence[Made]) -> tuple[dict[str, Cell], list[Result]]:
    if len(members) == 1:
        return members[0][1], members[0][2]
    rows = dict.fromkeys(key for _, cells, _ in members for key in cells)
    cells = {}
    for row in rows:
        some = [cells[row] for _, cells, _ in members if row in cells and cells[row].n]
        if some:
            cells[row] = _mean(some)
    return cells, [result for _, _, some in members for result in some]


def _mean(cells: Sequence[Cell]) -> Cell:
    mean, deviation = mean_deviation([cell.value for cell in cells])
    skipped = Tally()
    for cell in cells:
        skipped.add(Tally(skipped=dict(cell.skipped)))
    ties = sum(cell.ties for cell in cells)
    known = None if len(cells) < 2 else deviation
    return Cell(
        mean, None, None, sum(cell.n for cell in cells), ties, skipped.skipped, known, len(cells)
    )


def row_names(some: Iterable[Column]) -> list[str]:
    """The rows of a table, in the order of the first column that has them, the totals last."""
    names = dict.fromkeys(key for column in some for key in column.cells)
    return [n for n in names if n not in (ALL, MEAN)] + [n for n in (ALL, MEAN) if n in names]


def grid(some: Sequence[Column]) -> list[Block]:
    """Columns in blocks: a block a model where there are several models on several configs."""
    blocks: dict[tuple[tuple[str, str], ...], list[Column]] = {}
    for column in some:
        blocks.setdefault(_key(column.fields, _DATA), []).append(column)
    if len(blocks) == 1 or all(len(block) == 1 for block in blocks.values()):
        return [Block("", tuple(some))]
    titles = labels([dict(key) for key in blocks])
    return [
        Block(title, tuple(_relabelled(block)))
        for title, block in zip(titles, blocks.values(), strict=True)
    ]


def _relabelled(block: Sequence[Column]) -> list[Column]:
    names = labels([{k: c.fields[k] for k in _DATA if k in c.fields} for c in block])
    if len(block) == 1:
        names = [block[0].fields.get("config", block[0].label)]
    return [
        Column(name, c.fields, c.cells, c.results) for name, c in zip(names, block, strict=True)
    ]
