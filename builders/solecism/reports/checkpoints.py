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
from solecism.reports.figures import ALL, MEAN, AccuracyCurve, AccuracyPoint, columns, row_names
from solecism.scoring.checkpoints import step_of
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
    families: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if checkpoint_of(result):
            run = result.run
            families.setdefault((run["model"], f"{run['data']}/{run['config']}"), []).append(result)
    found = []
    for (model, config), some in families.items():
        if len(some) > 1:
            title = f"{model} on {config}: accuracy by {by} over checkpoints"
            found.append(_curves(title, some, by))
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


def _curves(title: str, results: Sequence[Result], by: str) -> CheckpointCurves:
    """Return the curve of each row, and one of all pairs together.

    Checkpoints are placed by their numbers; if one has no number, one after the other.
    """
    steps = {checkpoint_of(result): step_of(checkpoint_of(result)) for result in results}
    names = sorted(steps, key=lambda name: (math.inf if steps[name] is None else steps[name], name))
    order = sorted(results, key=lambda result: names.index(checkpoint_of(result)))
    known = [step for name in names if (step := steps[name]) is not None]
    x = [float(place) for place in range(len(order))]
    if len(known) == len(order):
        wide = known[0] > 0 and known[-1] > WIDEST * known[0]
        x = [math.log10(step) if wide else float(step) for step in known]
    some = columns(order, by)
    rows = [row for row in row_names(some) if row not in (ALL, MEAN)]
    curves = []
    for row in [*rows, ALL] if len(rows) > 1 else [ALL]:
        cells = [
            (place, name, c.cells.get(row)) for place, name, c in zip(x, names, some, strict=True)
        ]
        points = (
            AccuracyPoint(place, name, cell.value, cell.low or 0.0, cell.high or 1.0, cell.n)
            for place, name, cell in cells
            if cell and cell.n
        )
        curves.append(AccuracyCurve(row, tuple(points)))
    shown = range(0, len(x), -(-len(x) // MOST_TICKS))
    return CheckpointCurves(title, tuple(curves), tuple((x[n], names[n]) for n in shown))
