"""The charts of pages: bars of accuracies, and curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from solecism.errors import visible
from solecism.plots import COLOURS, FAINT, GRID, INK, Draw, inline_svg
from solecism.reports.figures import AccuracyCurve, FigureCell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bar_chart", "curve_chart", "curve_drawing"]

WIDTH, LINE = 5.6, 0.19
"""Inches: the width of a chart, and the height of a line of text or a bar in it."""

SHOWN = 48
"""The most characters of a name in a chart."""

_MARKERS = "os^DvP"
"""Markers by series, for readers who do not see the colours."""

Cells = Mapping[str, FigureCell]


def bar_chart(
    title: str, rows: Sequence[str], series: Mapping[str, Cells], people: Cells | None = None
) -> Markup:
    """Draw horizontal bars of accuracy with their intervals: a group a row, a bar a series.

    The colour of a series is that of its place in ``series``, which names all models of a page
    even if some have no bar here. A line across the bars of a row is what ``people`` decide.
    """
    shown = {row: {n: c[row] for n, c in series.items() if _has(c, row)} for row in rows}
    shown = {row: found for row, found in shown.items() if found}
    if not shown:
        return Markup()
    ceiling = {row: people[row] for row in shown if people and _has(people, row)}
    colours = {name: COLOURS[n % len(COLOURS)] for n, name in enumerate(series)}
    names = [name for name in series if any(name in found for found in shown.values())]
    lines = sum(len(found) + 1.6 for found in shown.values())

    def draw(axes: Axes) -> None:
        y = 0.0
        for row, found in shown.items():
            axes.text(0, y, _label(row), va="center", color=INK)
            top = y
            for name, cell in found.items():
                y -= 1
                axes.barh(y, cell.value, height=0.84, color=colours[name])
                if cell.ends:
                    axes.hlines(y, *cell.ends, color=INK, linewidth=1.1)
                axes.text(1.02, y, f"{100 * cell.value:.1f}", va="center", color=INK, fontsize=8)
            if row in ceiling:
                axes.vlines(ceiling[row].value, y - 0.5, top - 0.5, color=INK, linewidth=2)
            y -= 1.6
        axes.set_ylim(y + 0.8, 0.6)
        axes.set_xlim(0, 1.12)
        axes.set_yticks([])
        _percents(axes, axes.xaxis)
        axes.set_xlabel("accuracy (%)", color=FAINT)
        if len(names) > 1 or ceiling:
            _legend(axes, {name: colours[name] for name in names}, bool(ceiling))

    about = "; ".join(
        f"{row}: " + ", ".join(f"{name} {100 * cell.value:.1f}" for name, cell in found.items())
        for row, found in ({r: {**f, **_people(ceiling, r)} for r, f in shown.items()}).items()
    )
    keys = LINE * (len(names) + bool(ceiling)) if len(names) > 1 or ceiling else 0.0
    height = LINE * lines + 0.7 + keys
    return inline_svg(draw, (WIDTH, height), title, f"Accuracy in per cent. {about}.")


def _has(cells: Cells, row: str) -> bool:
    return row in cells and cells[row].n > 0


def _people(ceiling: Cells, row: str) -> Cells:
    return {"people": ceiling[row]} if row in ceiling else {}


def _label(name: str) -> str:
    text = visible(name)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _percents(axes: Axes, axis: Any) -> None:
    """Put a scale of per cents on an axis, with a grid below the data and chance dashed."""
    ticks = [0, 0.25, 0.5, 0.75, 1] if axis is axes.xaxis else [n / 10 for n in range(11)]
    axis.set_ticks(ticks, [f"{100 * tick:.0f}" for tick in ticks])
    across = axes.axvline if axis is axes.xaxis else axes.axhline
    for tick in ticks:
        style = (0, (4, 3)) if tick == 0.5 else "-"
        colour = FAINT if tick == 0.5 else GRID
        across(tick, color=colour, linewidth=0.8, linestyle=style, zorder=0)
    _plain(axes)


def _plain(axes: Axes) -> None:
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelcolor=FAINT, labelsize=8)
    axes.patch.set_alpha(0)
    axes.figure.patch.set_alpha(0)


def _legend(axes: Axes, colours: Mapping[str, str], people: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    keys: list[Any] = [Patch(color=c, label=_label(name)) for name, c in colours.items()]
    if people:
        keys.append(Line2D([], [], color=INK, linewidth=2, linestyle="-", label="people"))
    axes.legend(handles=keys, loc="lower left", bbox_to_anchor=(0, 1), labelcolor=INK, fontsize=8)


Ticks = Sequence[tuple[float, str]]


def curve_chart(
    title: str,
    axis: str,
    curves: Sequence[AccuracyCurve],
    diagonal: bool = False,
    ticks: Ticks = (),
) -> Markup:
    """Draw curves of accuracy against ``x``: points with their intervals, joined by lines.

    ``diagonal`` draws the line of perfect calibration (x from 0.5 to 1); ``ticks`` are the places
    of ``x`` that are named.
    """
    about = f"Accuracy in per cent against {axis}: " + "; ".join(
        f"{curve.name}: " + ", ".join(f"{p.label}: {100 * p.value:.0f}" for p in curve.points)
        for curve in curves
    )
    size = (0.8 * WIDTH, 2.8 + LINE * len(curves))
    return inline_svg(curve_drawing(axis, curves, diagonal, ticks), size, title, f"{about}.")


def curve_drawing(
    axis: str, curves: Sequence[AccuracyCurve], diagonal: bool = False, ticks: Ticks = ()
) -> Draw:
    """Return what draws a :func:`curve_chart`."""

    def draw(axes: Axes) -> None:
        for number, curve in enumerate(curves):
            points = sorted(curve.points, key=lambda point: point.x)
            x, y = [p.x for p in points], [p.value for p in points]
            errors = [[p.value - p.low for p in points], [p.high - p.value for p in points]]
            colour, marker = COLOURS[number % len(COLOURS)], _MARKERS[number % len(_MARKERS)]
            axes.errorbar(
                x, y, yerr=np.abs(errors), color=colour, marker=marker, markersize=4, linewidth=1.2,
                elinewidth=0.7, linestyle="-", label=_label(curve.name),
            )  # fmt: skip
        if diagonal:
            axes.plot([0.5, 1], [0.5, 1], color=FAINT, linewidth=0.8, linestyle=":")
        named = {p.x: p.label for curve in curves for p in curve.points}
        if ticks or (not diagonal and len(named) <= 10 and all(x == int(x) for x in named)):
            axes.set_xticks(*zip(*(ticks or sorted(named.items())), strict=True))
        lowest = min([0.5, *(p.low for curve in curves for p in curve.points)])
        _percents(axes, axes.yaxis)
        axes.set_ylim(math.floor(10 * lowest) / 10, 1.01)
        axes.set_xlabel(axis, color=FAINT)
        axes.set_ylabel("accuracy (%)", color=FAINT)
        if len(curves) > 1:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), labelcolor=INK, fontsize=8)

    return draw
