"""Learning curves: the accuracy of the checkpoints of a model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from solecism.errors import fail
from solecism.plots import Draw, figure_bytes
from solecism.reports.charts import WIDTH, curve_chart, curve_drawing
from solecism.reports.figures import (
    ALL,
    MEAN,
    AccuracyCurve,
    AccuracyPoint,
    FigureColumn,
    columns,
    row_names,
)
from solecism.scoring.options import step_of
from solecism.scoring.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CheckpointCurves", "checkpoint_curves", "checkpoint_of", "checkpoint_page"]

WIDEST = 20
"""If the last step is so many times the first, the axis is logarithmic."""

MOST_TICKS = 6
"""The most checkpoints that are named below a plot."""


@dataclass(frozen=True)
class CheckpointCurves:
    """The curves of a model on a config, a line for each row of the grouping."""

    title: str
    curves: tuple[AccuracyCurve, ...]
    ticks: tuple[tuple[float, str], ...]

    @property
    def chart(self) -> Markup:
        """The curves as a drawing for a page."""
        return curve_chart(self.title, "checkpoint", self.curves, ticks=self.ticks)

    @property
    def titled(self) -> Draw:
        """What draws the curves with their title."""

        def draw(axes: Axes) -> None:
            curve_drawing("checkpoint", self.curves, ticks=self.ticks)(axes)
            axes.set_title(self.title, loc="left")
            axes.figure.patch.set_alpha(1)

        return draw


def checkpoint_curves(results: Sequence[Result], by: str = "phenomenon") -> list[CheckpointCurves]:
    """Return the curves of each model and config of which there are at least two checkpoints.

    A checkpoint is a result of a named revision (``solecism score --revisions``). Raises
    :class:`InputError` for an unknown grouping.
    """
    configs: dict[str, dict[str, list[Result]]] = {}
    for result in results:
        if checkpoint_of(result):
            run = result.run
            runs = configs.setdefault(f"{run['data']}/{run['config']}", {})
            runs.setdefault(run["model"], []).append(result)
    found = []
    for config, models in configs.items():
        runs = {model: some for model, some in models.items() if len(some) > 1}
        for model, some in runs.items():
            title = f"{model} on {config}: accuracy by {by} over checkpoints"
            found.append(_curves(title, some, by))
        if len(runs) > 1:
            found.append(_all_runs(f"all runs on {config}: accuracy over checkpoints", runs, by))
    return found


def checkpoint_page(results: Sequence[Result], by: str = "phenomenon") -> str:
    """Return the charts one below the other, as one SVG.

    Raises :class:`InputError` where there are no two checkpoints of one model.
    """
    charts = checkpoint_curves(results, by)
    if not charts:
        raise fail("there are no two checkpoints of one model (solecism score --revisions 'step*')")
    return figure_bytes([chart.titled for chart in charts], (1.5 * WIDTH, 4.5)).decode()


def checkpoint_of(result: Result) -> str:
    """Return the named revision that was scored, "" where none was named."""
    return str(result.run["options"].get("checkpoint", ""))


def _places(results: Sequence[Result]) -> dict[str, float]:
    """Return where each checkpoint is on the axis, in order.

    Checkpoints are placed by their numbers; if one has no number, one after the other.
    """
    steps = {checkpoint_of(result): step_of(checkpoint_of(result)) for result in results}
    names = sorted(steps, key=lambda name: (math.inf if steps[name] is None else steps[name], name))
    known = [step for name in names if (step := steps[name]) is not None]
    places = [float(place) for place in range(len(names))]
    if len(known) == len(names):
        wide = known[0] > 0 and known[-1] > WIDEST * known[0]
        places = [math.log10(step) if wide else float(step) for step in known]
    return dict(zip(names, places, strict=True))


def _ordered(
    results: Sequence[Result], places: dict[str, float], by: str
) -> list[tuple[str, FigureColumn]]:
    """Return the checkpoints in order, each with its column of accuracies."""
    order = sorted(results, key=lambda result: places[checkpoint_of(result)])
    return list(zip(map(checkpoint_of, order), columns(order, by), strict=True))


def _curve(
    name: str, row: str, order: Sequence[tuple[str, FigureColumn]], places: dict[str, float]
) -> AccuracyCurve:
    """Return the curve of a row of the grouping."""
    points = []
    for checkpoint, column in order:
        cell = column.cells.get(row)
        if cell and cell.n:
            ends = cell.low or 0.0, cell.high or 1.0
            points.append(AccuracyPoint(places[checkpoint], checkpoint, cell.value, *ends, cell.n))
    return AccuracyCurve(name, tuple(points))


def _ticks(places: dict[str, float]) -> tuple[tuple[float, str], ...]:
    shown = list(places.items())[:: -(-len(places) // MOST_TICKS)]
    return tuple((place, name) for name, place in shown)


def _curves(title: str, results: Sequence[Result], by: str) -> CheckpointCurves:
    """Return the curve of each row, and one of all pairs together."""
    places = _places(results)
    order = _ordered(results, places, by)
    named = row_names([column for _, column in order])
    rows = [row for row in named if row not in (ALL, MEAN)]
    names = [*rows, ALL] if len(rows) > 1 else [ALL]
    curves = tuple(_curve(row, row, order, places) for row in names)
    return CheckpointCurves(title, curves, _ticks(places))


def _all_runs(title: str, runs: dict[str, list[Result]], by: str) -> CheckpointCurves:
    """Return the curve of all pairs of each run."""
    places = _places([result for some in runs.values() for result in some])
    curves = tuple(
        _curve(model, ALL, _ordered(some, places, by), places) for model, some in runs.items()
    )
    return CheckpointCurves(title, curves, _ticks(places))
