"""Accuracy against what may make an item hard: attractor match, distance, length; and against margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.reports.figures import Column
from solecism.scoring.results import feature
from solecism.scoring.statistics import wilson

__all__ = ["Curve", "Point", "curves"]

BINS = 8
"""Lengths are put into this many classes of about equally many pairs."""

FEWEST = 5
"""Points of fewer pairs than this are not drawn."""

Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Point:
    """Accuracy (0 to 1, with its Wilson interval) of the ``n`` pairs at ``x``."""

    x: float
    label: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Curve:
    """The points of one model."""

    name: str
    points: tuple[Point, ...]


def curves(some: Sequence[Column]) -> dict[str, list[Curve]]:
    """Curves of each column (its results pooled): ``match``, ``distance``, ``length``, ``margin``.

    ``length``: bytes of the good sentence's scored text, in classes common to all columns. ``margin``: the
    probability that the model gives the sentence of the pair it prefers, the logistic of ``|margin|``, in
    classes of 0.05; a model that is calibrated is right as often. A plot without any point is left out.
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
        name: [Curve(label, make(table)) for label, table in read] for name, make in makers.items()
    }
    return {name: some for name, some in found.items() if any(curve.points for curve in some)}


def _read(column: Column) -> pa.Table:
    """Scored rows of all the results of a column."""
    tables = []
    for result in column.results:
        table = result.read(["decision", "margin", "bytes_good", "features"])
        features = table["features"]
        flat = {name: table[name] for name in ("decision", "margin", "bytes_good")}
        flat |= {name: feature(features, name) for name in ("match", "distance")}
        tables.append(pa.table(flat).filter(table["decision"].is_valid()))
    return pa.concat_tables(tables)


def _points(
    classes: Numbers, x: Numbers, decision: Numbers, names: Sequence[str] | None = None
) -> tuple[Point, ...]:
    """A point a class (an integer an item), at the mean of its ``x``."""
    points = []
    for one in np.unique(classes):
        at = classes == one
        n = int(at.sum())
        if n >= FEWEST:
            found = wilson(float(decision[at].sum()), n)
            label = names[int(one)] if names else f"{x[at].mean():g}"
            points.append(Point(float(x[at].mean()), label, found.value, found.low, found.high, n))
    return tuple(points)


def _by_match(table: pa.Table) -> tuple[Point, ...]:
    kinds = ["match", "mismatch"]
    classes = pc.index_in(table["match"], value_set=pa.array(kinds))
    known = classes.is_valid()
    at = classes.filter(known).to_numpy().astype(np.int64)
    return _points(at, at.astype(np.float64), table["decision"].filter(known).to_numpy(), kinds)


def _by_distance(table: pa.Table) -> tuple[Point, ...]:
    known = table["distance"].is_valid()
    at = table["distance"].filter(known).to_numpy().astype(np.int64)
    return _points(at, at.astype(np.float64), table["decision"].filter(known).to_numpy())


def _by_length(table: pa.Table, edges: Numbers) -> tuple[Point, ...]:
    table = table.filter(table["bytes_good"].is_valid())
    length = table["bytes_good"].to_numpy().astype(np.float64)
    classes = np.searchsorted(edges[1:-1], length, side="right")
    return _points(classes, length, table["decision"].to_numpy())


def _by_margin(table: pa.Table) -> tuple[Point, ...]:
    table = table.filter(table["margin"].is_valid())
    preferred = 1 / (1 + np.exp(-np.abs(table["margin"].to_numpy())))
    classes = np.minimum((preferred - 0.5) // 0.05, 9).astype(np.int64)
    return _points(classes, preferred, table["decision"].to_numpy())
