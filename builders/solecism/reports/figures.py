"""The figures of a report, whatever they are printed as: columns of accuracies, and curves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import candidates, fail
from solecism.inputs import reading_parquet
from solecism.scoring.results import Result, feature
from solecism.scoring.summary import COLUMNS, Tally, group_column, tally, wilson

__all__ = [
    "ALL", "MEAN", "AccuracyCurve", "AccuracyPoint", "ColumnBlock", "FigureCell", "FigureColumn", "columns",
    "curves", "grid", "labels", "model_labels", "row_names", "seedless", "systems",
]  # fmt: skip

ALL, MEAN = "all pairs", "mean of rows"
"""The last rows of a table: every pair counted once; every row counted once."""

_SEED = re.compile(r"[-_./]*seed[-_]?\d+", re.IGNORECASE)
_DATA = ("data", "config")


@dataclass(frozen=True)
class FigureCell:
    """An accuracy (0 to 1) with its 95 % Wilson interval, or the mean of ``seeds`` results.

    A mean has the standard ``deviation`` of the seeds in place of an interval. ``n``: the pairs
    that were scored (of all seeds), ``ties`` among them.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    ties: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    deviation: float | None = None
    seeds: int = 1

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval, or the mean less and plus the deviation; None if there is neither."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        half = self.deviation
        return None if half is None else (self.value - half, self.value + half)

    @property
    def spread(self) -> str:
        """The interval in per cent, as ``92.7–93.5``, or the deviation over seeds, as ``±1.2``."""
        if self.low is not None and self.high is not None:
            return f"{100 * self.low:.1f}–{100 * self.high:.1f}"
        return "" if self.deviation is None else f"±{100 * self.deviation:.1f}"


@dataclass(frozen=True)
class FigureColumn:
    """The figures of a model (on a config): rows by name; ``fields``: what they are a result of."""

    label: str
    fields: Mapping[str, str]
    cells: Mapping[str, FigureCell]
    results: tuple[Result, ...]


@dataclass(frozen=True)
class ColumnBlock:
    """Columns that stand together under a title (empty if there is only one block)."""

    title: str
    columns: tuple[FigureColumn, ...]


def identity(result: Result) -> dict[str, str]:
    """Return what tells a result from others, as model, options and config."""
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
Key = tuple[tuple[str, str], ...]


def labels(fields: Sequence[Mapping[str, str]]) -> list[str]:
    """Return short names of columns: the model, and what differs between columns of one model."""
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


def model_labels(fields: Sequence[Mapping[str, str]]) -> list[str]:
    """Return short names as :func:`labels`, always with the model in them."""
    made = labels(fields)
    models = {found.get("model", "") for found in fields}
    if len(models) == 1 and len(fields) > 1:
        (short,) = labels([{"model": models.pop()}])
        made = [f"{short} {name}" for name in made]
    return made


def _varies(key: str, fields: Sequence[Mapping[str, str]]) -> bool:
    seen: dict[str, set[str]] = {}
    for found in fields:
        seen.setdefault(found.get("model", ""), set()).add(found.get(key, ""))
    return any(len(values) > 1 for values in seen.values())


def _short(models: Iterable[str]) -> dict[str, str]:
    """Return the last parts of paths and hub names, as many as keep them apart."""
    distinct = list(dict.fromkeys(models))
    for length in range(1, 9):
        names = ["/".join(name.rstrip("/").split("/")[-length:]) for name in distinct]
        if len(set(names)) == len(distinct):
            return dict(zip(distinct, names, strict=True))
    return {name: name for name in distinct}


def systems(results: Sequence[Result]) -> list[tuple[Fields, list[Result]]]:
    """Return results of one model, method and options together, whatever their configs."""
    found: dict[Key, list[Result]] = {}
    for result in results:
        found.setdefault(_key(identity(result), _DATA), []).append(result)
    return [(dict(key), some) for key, some in found.items()]


def _key(fields: Mapping[str, str], without: Sequence[str]) -> Key:
    return tuple((k, v) for k, v in fields.items() if k not in without)


def columns(results: Sequence[Result], by: str, group: bool = False) -> list[FigureColumn]:
    """Arrange results as columns: one a result, or (by config) one a model with a row a config.

    ``group`` puts the seeds of a model (``lstm/seed-0``, ``lstm/seed-1``) into one column. Raises
    :class:`InputError` for an unknown grouping and for results that are there twice.
    """
    _refuse_twice(results)
    prefixed = len({identity(r)["data"] for r in results}) > 1
    series: dict[Key, list[Result]] = {}
    for result in results:
        key = _key(identity(result), _DATA if by == "config" else ())
        series.setdefault(key, []).append(result)
    made = [(dict(key), _series(some, by, prefixed), some) for key, some in series.items()]
    if group:
        made = _grouped(made)
    names = labels([fields for fields, _, _ in made])
    return [
        FigureColumn(name, fields, cells, tuple(some))
        for name, (fields, cells, some) in zip(names, made, strict=True)
    ]


def _refuse_twice(results: Sequence[Result]) -> None:
    seen: dict[Key, Result] = {}
    for result in results:
        other = seen.setdefault(_key(identity(result), ()), result)
        if other is not result:
            raise fail(f"has the same signature as {other.path}: {result.signature}", result.path)


def _series(results: Sequence[Result], by: str, prefixed: bool) -> dict[str, FigureCell]:
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
        cells[MEAN] = FigureCell(sum(found) / len(found), None, None, overall.n)
    return cells


def _tallies(result: Result, by: str, config: str) -> dict[str, Tally]:
    """Return the tallies of the summary where it has this grouping, else of the table."""
    if by == "config":
        return {config: _from_json(result.summary["overall"])}
    known = result.summary["by"]
    if by in known:
        return {key: _from_json(found) for key, found in known[by].items()}
    features = [f.name for f in result.table.schema.field("features").type]
    if by not in features and by not in COLUMNS:
        choices = list(dict.fromkeys(["config", *COLUMNS, *known, *features]))
        raise fail(f"no grouping {by!r} {candidates('groupings', choices, by)}", result.path)
    return tally(group_column(result.table, by), result.table)


def _from_json(found: Mapping[str, Any]) -> Tally:
    right = (found["accuracy"] or 0.0) * found["n"]
    return Tally(round(2 * right) / 2, found["n"], found["ties"], dict(found["skipped"]))


def _cell(part: Tally) -> FigureCell:
    at = part.interval
    return FigureCell(at.value, at.low, at.high, part.n, part.ties, part.skipped)


Made = tuple[Fields, dict[str, FigureCell], list[Result]]


def seedless(model: str) -> str:
    """Return the name of a model without its seed.

    >>> seedless("lstm/seed-0")
    'lstm'
    """
    return _SEED.sub("", model) or model


def _grouped(made: Sequence[Made]) -> list[Made]:
    families: dict[Key, list[Made]] = {}
    for fields, cells, some in made:
        family = {**fields, "model": seedless(fields["model"])}
        without = ("revision",) if family["model"] != fields["model"] else ()
        families.setdefault(_key(family, without), []).append((fields, cells, some))
    return [(dict(key), *_family(members)) for key, members in families.items()]


def _family(members: Sequence[Made]) -> tuple[dict[str, FigureCell], list[Result]]:
    if len(members) == 1:
        return members[0][1], members[0][2]
    rows = dict.fromkeys(key for _, cells, _ in members for key in cells)
    cells = {}
    for row in rows:
        some = [cells[row] for _, cells, _ in members if row in cells and cells[row].n]
        if some:
            cells[row] = _mean(some)
    return cells, [result for _, _, some in members for result in some]


def _mean(cells: Sequence[FigureCell]) -> FigureCell:
    """Return the mean of seeds and the sample standard deviation (over n - 1)."""
    values = np.array([cell.value for cell in cells])
    total = Tally()
    for cell in cells:
        total.add(Tally(0.0, cell.n, cell.ties, dict(cell.skipped)))
    known = float(values.std(ddof=1)) if len(cells) > 1 else None
    mean = float(values.mean())
    return FigureCell(mean, None, None, total.n, total.ties, total.skipped, known, len(cells))


def row_names(some: Iterable[FigureColumn]) -> list[str]:
    """Return the rows of a table, in the order of the first column that has them, totals last."""
    names = dict.fromkeys(key for column in some for key in column.cells)
    return [n for n in names if n not in (ALL, MEAN)] + [n for n in (ALL, MEAN) if n in names]


def grid(some: Sequence[FigureColumn]) -> list[ColumnBlock]:
    """Return columns in blocks: one for each model where there are several models and configs."""
    blocks: dict[Key, list[FigureColumn]] = {}
    for column in some:
        blocks.setdefault(_key(column.fields, _DATA), []).append(column)
    if len(blocks) == 1 or all(len(block) == 1 for block in blocks.values()):
        return [ColumnBlock("", tuple(some))]
    titles = labels([dict(key) for key in blocks])
    return [
        ColumnBlock(title, tuple(_relabelled(block)))
        for title, block in zip(titles, blocks.values(), strict=True)
    ]


def _relabelled(block: Sequence[FigureColumn]) -> list[FigureColumn]:
    names = labels([{k: c.fields[k] for k in _DATA if k in c.fields} for c in block])
    if len(block) == 1:
        names = [block[0].fields.get("config", block[0].label)]
    return [
        FigureColumn(name, c.fields, c.cells, c.results)
        for name, c in zip(names, block, strict=True)
    ]


BINS = 8
"""The number of classes of lengths, of about equally many pairs each."""

FEWEST = 5
"""Points of fewer pairs than this are not drawn."""

Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class AccuracyPoint:
    """Accuracy (0 to 1, with its Wilson interval) of the ``n`` pairs at ``x``."""

    x: float
    label: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class AccuracyCurve:
    """The points of one model."""

    name: str
    points: tuple[AccuracyPoint, ...]


def curves(some: Sequence[FigureColumn]) -> dict[str, list[AccuracyCurve]]:
    """Return curves of each column: by ``match``, ``distance``, ``length`` and ``margin``.

    ``length``: bytes of the good sentence's scored text, in classes common to all columns.
    ``margin``: the probability that the model gives the sentence of the pair it prefers, the
    logistic of ``|margin|``, in classes of 0.05; a model that is calibrated is right as often. A
    plot without any point is left out.
    """
    read = [(column.label, _read(column)) for column in some]
    lengths = np.concatenate([table["bytes_good"].drop_null().to_numpy() for _, table in read])
    edges = (
        np.unique(np.quantile(lengths, np.linspace(0, 1, BINS + 1))) if len(lengths) else lengths
    )
    makers = {
        "match": _by_match,
        "distance": _by_distance,
        "length": lambda table: _by_length(table, edges),
        "margin": _by_margin,
    }
    found = {
        name: [AccuracyCurve(label, make(table)) for label, table in read]
        for name, make in makers.items()
    }
    return {name: some for name, some in found.items() if any(curve.points for curve in some)}


def _read(column: FigureColumn) -> pa.Table:
    """Return the scored rows of all results of a column."""
    tables = []
    for result in column.results:
        table = result.read(["decision", "margin", "bytes_good", "features"])
        features = table["features"]
        flat = {name: table[name] for name in ("decision", "margin", "bytes_good")}
        with reading_parquet(result.path.with_suffix(".parquet")):
            flat["match"] = feature(features, "match").cast(pa.string())
            flat["distance"] = feature(features, "distance").cast(pa.int64())
        tables.append(pa.table(flat).filter(table["decision"].is_valid()))
    return pa.concat_tables(tables)


def _points(
    classes: Numbers, x: Numbers, decision: Numbers, names: Sequence[str] | None = None
) -> tuple[AccuracyPoint, ...]:
    """Return a point for each class (an integer an item), at the mean of its ``x``."""
    points = []
    for one in np.unique(classes):
        at = classes == one
        n = int(at.sum())
        if n >= FEWEST:
            found = wilson(float(decision[at].sum()), n)
            label = names[int(one)] if names else f"{x[at].mean():g}"
            points.append(
                AccuracyPoint(float(x[at].mean()), label, found.value, found.low, found.high, n)
            )
    return tuple(points)


def _by_match(table: pa.Table) -> tuple[AccuracyPoint, ...]:
    kinds = ["match", "mismatch"]
    classes = pc.index_in(table["match"], value_set=pa.array(kinds))
    known = classes.is_valid()
    at = classes.filter(known).to_numpy().astype(np.int64)
    return _points(at, at.astype(np.float64), table["decision"].filter(known).to_numpy(), kinds)


def _by_distance(table: pa.Table) -> tuple[AccuracyPoint, ...]:
    known = table["distance"].is_valid()
    at = table["distance"].filter(known).to_numpy().astype(np.int64)
    return _points(at, at.astype(np.float64), table["decision"].filter(known).to_numpy())


def _by_length(table: pa.Table, edges: Numbers) -> tuple[AccuracyPoint, ...]:
    table = table.filter(table["bytes_good"].is_valid())
    length = table["bytes_good"].to_numpy().astype(np.float64)
    classes = np.searchsorted(edges[1:-1], length, side="right")
    return _points(classes, length, table["decision"].to_numpy())


def _by_margin(table: pa.Table) -> tuple[AccuracyPoint, ...]:
    table = table.filter(table["margin"].is_valid())
    preferred = 1 / (1 + np.exp(-np.abs(table["margin"].to_numpy())))
    classes = np.minimum((preferred - 0.5) // 0.05, 9).astype(np.int64)
    return _points(classes, preferred, table["decision"].to_numpy())
