"""Learning curves: the accuracy of the checkpoints of a model."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
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

TICKS = 6
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


def checkpoint_curves(results: Sequence[Result], by: str = "phenomenon") -> list[CheckpointCurves]:
    """Return the curves of each model and config of which there are at least two checkpoints.

    A checkpoint is a result of a named revision (``solecism score --revisions``). Raises
    :class:`InputError` for an unknown grouping.
    """
    found = []
    for (model, config), some in _families(results).items():
        steps = sorted(some, key=lambda result: _order(checkpoint_of(result)))
        curves = tuple(AccuracyCurve(row, tuple(points)) for row, points in _points(steps, by))
        title = f"{model} on {config}: accuracy by {by} over checkpoints"
        found.append(CheckpointCurves(title, curves, tuple(_ticks(steps))))
    return found


def checkpoint_page(results: Sequence[Result], by: str = "phenomenon") -> str:
    """Return the charts one below the other, as one SVG.

    Raises :class:`InputError` where there are no two checkpoints of one model.
    """
    charts = checkpoint_curves(results, by)
    if not charts:
        raise fail("there are no two checkpoints of one model (solecism score --revisions 'step*')")
    return figure_bytes(list(map(_titled, charts)), (1.5 * WIDTH, 4.5)).decode()


def _titled(chart: CheckpointCurves) -> Draw:
    def draw(axes: Axes) -> None:
        curve_drawing("checkpoint", chart.curves, ticks=chart.ticks)(axes)
        axes.set_title(chart.title, loc="left")
        axes.figure.patch.set_alpha(1)

    return draw


def _families(results: Sequence[Result]) -> dict[tuple[str, str], list[Result]]:
    """Return the checkpoints of each model on each config, where there are several."""
    found: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if checkpoint_of(result):
            run = result.run
            found.setdefault((run["model"], f"{run['data']}/{run['config']}"), []).append(result)
    return {key: some for key, some in found.items() if len(some) > 1}


def checkpoint_of(result: Result) -> str:
    """Return the named revision that was scored, "" where none was named."""
    return str(result.run["options"].get("checkpoint", ""))


def _order(name: str) -> tuple[float, str]:
    step = step_of(name)
    return (math.inf if step is None else step), name


def _places(steps: Sequence[Result]) -> list[float]:
    """Return where checkpoints stand on the axis: by their numbers, else one after the other."""
    numbers = [step_of(checkpoint_of(result)) for result in steps]
    known = [number for number in numbers if number is not None]
    if len(known) < len(steps):
        return [float(place) for place in range(len(steps))]
    wide = known[0] > 0 and known[-1] > WIDEST * known[0]
    return [math.log10(number) for number in known] if wide else known


def _ticks(steps: Sequence[Result]) -> list[tuple[float, str]]:
    chosen = range(len(steps)) if len(steps) <= TICKS else _spread(_places(steps))
    places = _places(steps)
    return [(places[n], _number(checkpoint_of(steps[n]))) for n in chosen]


def _number(name: str) -> str:
    """Return ``10M`` of ``chck_10M``; a name without a number as it is."""
    found = re.search(r"\d.*", name)
    return found[0] if found else name


def _spread(places: Sequence[float]) -> list[int]:
    """Return the numbers of few places, about evenly over the axis, with both ends."""
    low, high = places[0], places[-1]
    wanted = [low + (high - low) * n / (TICKS - 1) for n in range(TICKS)]
    nearest = (min(range(len(places)), key=lambda n: abs(places[n] - x)) for x in wanted)
    return list(dict.fromkeys(nearest))


def _points(steps: Sequence[Result], by: str) -> Iterator[tuple[str, list[AccuracyPoint]]]:
    """Yield the points of each row, and those of all pairs together."""
    some = columns(steps, by)
    rows = [row for row in row_names(some) if row not in (ALL, MEAN)]
    for row in [*rows, ALL] if len(rows) > 1 else [ALL]:
        yield (
            row,
            [
                AccuracyPoint(
                    x, checkpoint_of(result), cell.value, cell.low or 0.0, cell.high or 1.0, cell.n
                )
                for x, result, column in zip(_places(steps), steps, some, strict=True)
                if (cell := column.cells.get(row)) and cell.n
            ],
        )
