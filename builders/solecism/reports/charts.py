"""Charts: bars of accuracies, curves, learning curves, and how figures of matplotlib are written.

The same data give the same bytes, as SVG or PDF.
"""

from __future__ import annotations

import io
import math
import re
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup, escape

from solecism.errors import fail, visible
from solecism.reports.figures import (
    ALL,
    AccuracyPoint,
    Curves,
    FigureCell,
    FigureColumn,
    columns,
    group_names,
)
from solecism.scoring.options import step_of
from solecism.scoring.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Draw = Callable[["Axes"], None]
"""Draws into the axes of a figure."""

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a7a7a")
"""The palette of Okabe & Ito (2008), which most colour-blind readers tell apart."""

INK, FAINT, GRID = "#1a1a1a", "#595959", "#d9d9d9"
"""The colours of text, of axes and of the grid; on a page those of its light or dark theme."""


def figure_bytes(draws: Sequence[Draw], size: tuple[float, float], kind: str = "svg") -> bytes:
    """Return drawings below each other, each ``size`` inches large, as ``svg`` or ``pdf``."""
    import matplotlib as mpl
    from cycler import cycler
    from matplotlib.figure import Figure

    settings: Any = {
        "svg.hashsalt": "solecism", "svg.fonttype": "none", "pdf.fonttype": 42, "font.size": 9,
        "text.parse_math": False, "axes.spines.top": False, "axes.spines.right": False,
        "axes.titlesize": 10, "legend.frameon": False,
        "axes.prop_cycle": cycler(linestyle=["-", "--", ":"]) * cycler(color=list(COLOURS)),
    }  # fmt: skip
    out = io.BytesIO()
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font lacks: the reader's font has them
        figure = Figure(figsize=(size[0], size[1] * len(draws)), layout="constrained")
        for draw, axes in zip(draws, figure.subplots(len(draws), squeeze=False).flat, strict=True):
            draw(axes)
        dates = {"Date": None} if kind == "svg" else {"CreationDate": None}
        figure.savefig(out, format=kind, metadata=dates)
    return out.getvalue()


def inline_svg(draw: Draw, size: tuple[float, float], title: str, about: str) -> Markup:
    """Return a drawing for a page: as wide as its place, with a description for screen readers.

    Styles become attributes, as a site may forbid styles in its pages (content security policy).
    """
    svg = figure_bytes([draw], size).decode()
    body = svg[svg.index("</defs>") + len("</defs>") :]
    body = re.sub(r' clip-path="[^"]*"|<defs>\s*<clipPath.*?</defs>', "", body, flags=re.DOTALL)
    body = re.sub(r' id="(?:[a-zA-Z]+_)?[a-zA-Z0-9.]+_\d+"', "", body)
    body = re.sub(r'style="([^"]*)"', lambda found: _attributes(found[1]), body)
    for colour, name in ((INK, "ink"), (FAINT, "faint"), (GRID, "grid")):
        body = body.replace(colour, f"var(--{name}, {colour})")
    body = body.replace("xlink:href", "href").strip()
    number = f"{zlib.crc32(body.encode()):08x}"
    return Markup(
        f'<svg viewBox="0 0 {72 * size[0]:.0f} {72 * size[1]:.0f}" role="img" '
        f'aria-labelledby="t{number} d{number}"><title id="t{number}">{escape(title)}</title>'
        f'<desc id="d{number}">{escape(about)}</desc>{body}'
    )


def _attributes(style: str) -> str:
    pairs = (part.split(": ", 1) for part in style.split("; "))
    return " ".join(f'{name}="{value}"' for name, value in pairs if name != "font-family")


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
    """Draw horizontal bars of accuracy with their intervals, a row for each group.

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

    said = {r: f | ({"people": ceiling[r]} if r in ceiling else {}) for r, f in shown.items()}
    about = "; ".join(
        f"{row}: " + ", ".join(f"{name} {100 * cell.value:.1f}" for name, cell in found.items())
        for row, found in said.items()
    )
    keys = LINE * (len(names) + bool(ceiling)) if len(names) > 1 or ceiling else 0.0
    height = LINE * lines + 0.7 + keys
    return inline_svg(draw, (WIDTH, height), title, f"Accuracy in per cent. {about}.")


def _has(cells: Cells, row: str) -> bool:
    return row in cells and cells[row].n > 0


def _label(name: str) -> str:
    text = visible(name)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _percents(axes: Axes, axis: Axis) -> None:
    """Put a scale of per cents on an axis, with a grid below the data and chance dashed."""
    ticks = [0, 0.25, 0.5, 0.75, 1] if axis is axes.xaxis else [n / 10 for n in range(11)]
    axis.set_ticks(ticks, [f"{100 * tick:.0f}" for tick in ticks])
    across = axes.axvline if axis is axes.xaxis else axes.axhline
    for tick in ticks:
        style = (0, (4, 3)) if tick == 0.5 else "-"
        colour = FAINT if tick == 0.5 else GRID
        across(tick, color=colour, linewidth=0.8, linestyle=style, zorder=0)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelcolor=FAINT, labelsize=8)
    axes.patch.set_alpha(0)
    axes.figure.patch.set_alpha(0)


def _legend(axes: Axes, colours: Mapping[str, str], people: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    line = Line2D([], [], color=INK, linewidth=2, linestyle="-", label="people")
    patches = [Patch(color=c, label=_label(name)) for name, c in colours.items()]
    keys = [*patches, line] if people else patches
    axes.legend(handles=keys, loc="lower left", bbox_to_anchor=(0, 1), labelcolor=INK, fontsize=8)


Ticks = Sequence[tuple[float, str]]


def curve_chart(
    title: str, axis: str, curves: Curves, diagonal: bool = False, ticks: Ticks = ()
) -> Markup:
    """Draw curves of accuracy against ``x``: points with their intervals, joined by lines.

    ``diagonal`` draws the line of perfect calibration (x from 0.5 to 1); ``ticks`` are the places
    of ``x`` that are named.
    """
    about = f"Accuracy in per cent against {axis}: " + "; ".join(
        f"{name}: " + ", ".join(f"{p.label}: {100 * p.value:.0f}" for p in points)
        for name, points in curves.items()
    )
    size = (0.8 * WIDTH, 2.8 + LINE * len(curves))
    return inline_svg(curve_drawing(axis, curves, diagonal, ticks), size, title, f"{about}.")


def curve_drawing(axis: str, curves: Curves, diagonal: bool = False, ticks: Ticks = ()) -> Draw:
    """Return what draws a :func:`curve_chart`."""
    every = [point for points in curves.values() for point in points]

    def draw(axes: Axes) -> None:
        for number, (name, some) in enumerate(curves.items()):
            points = sorted(some, key=lambda point: point.x)
            x, y = [p.x for p in points], [p.value for p in points]
            errors = [[p.value - p.low for p in points], [p.high - p.value for p in points]]
            colour, marker = COLOURS[number % len(COLOURS)], _MARKERS[number % len(_MARKERS)]
            axes.errorbar(
                x, y, yerr=np.abs(errors), color=colour, marker=marker, markersize=4, linewidth=1.2,
                elinewidth=0.7, linestyle="-", label=_label(name),
            )  # fmt: skip
        if diagonal:
            axes.plot([0.5, 1], [0.5, 1], color=FAINT, linewidth=0.8, linestyle=":")
        named = {p.x: p.label for p in every}
        if ticks or (not diagonal and len(named) <= 10 and all(x == int(x) for x in named)):
            axes.set_xticks(*zip(*(ticks or sorted(named.items())), strict=True))
        lowest = min([0.5, *(p.low for p in every)])
        _percents(axes, axes.yaxis)
        axes.set_ylim(math.floor(10 * lowest) / 10, 1.01)
        axes.set_xlabel(axis, color=FAINT)
        axes.set_ylabel("accuracy (%)", color=FAINT)
        if len(curves) > 1:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), labelcolor=INK, fontsize=8)

    return draw


WIDEST = 20
"""If the last step is so many times the first, the axis is logarithmic."""

MOST_TICKS = 6
"""The most checkpoints that are named below a plot."""


@dataclass(frozen=True)
class CheckpointCurves:
    """The curves of a model on a config, a line for each row of the grouping."""

    title: str
    curves: Curves
    ticks: Ticks

    @property
    def chart(self) -> Markup:
        """The curves as a drawing for a page."""
        return curve_chart(self.title, "checkpoint", self.curves, ticks=self.ticks)

    def draw(self, axes: Axes) -> None:
        """Draw the curves with their title."""
        curve_drawing("checkpoint", self.curves, ticks=self.ticks)(axes)
        axes.set_title(self.title, loc="left")
        axes.figure.patch.set_alpha(1)


def checkpoint_curves(results: Sequence[Result], by: str = "phenomenon") -> list[CheckpointCurves]:
    """Return the curves of each model and config of which there are at least two checkpoints.

    A checkpoint is a result of a named revision (``solecism score --revisions``). Where a config
    has several such models, a last chart has a curve of all pairs for each of them. Raises
    :class:`InputError` for an unknown grouping.
    """
    configs: dict[str, dict[str, list[Result]]] = {}
    for result in results:
        if checkpoint_of(result):
            runs = configs.setdefault(f"{result.run['data']}/{result.run['config']}", {})
            runs.setdefault(result.run["model"], []).append(result)
    found = []
    for config, models in configs.items():
        tables = {}
        for model, some in models.items():
            if len(some) > 1:
                title = f"{model} on {config}: accuracy by {by} over checkpoints"
                places = _places(some)
                some = sorted(some, key=lambda result: places[checkpoint_of(result)])
                by_checkpoint = dict(zip(places, columns(some, by), strict=True))
                rows = group_names(by_checkpoint.values())
                names = [*rows, ALL] if len(rows) > 1 else [ALL]
                lines = {row: _curve(row, by_checkpoint, places) for row in names}
                found.append(CheckpointCurves(title, lines, _ticks(places)))
                tables[model] = by_checkpoint
        if len(tables) > 1:
            places = _places([result for model in tables for result in models[model]])
            lines = {model: _curve(ALL, table, places) for model, table in tables.items()}
            title = f"all runs on {config}: accuracy over checkpoints"
            found.append(CheckpointCurves(title, lines, _ticks(places)))
    return found


def checkpoint_page(results: Sequence[Result], by: str = "phenomenon") -> str:
    """Return the charts one below the other, as one SVG.

    Raises :class:`InputError` where there are no two checkpoints of one model.
    """
    charts = checkpoint_curves(results, by)
    if not charts:
        raise fail("there are no two checkpoints of one model (solecism score --revisions 'step*')")
    return figure_bytes([chart.draw for chart in charts], (1.5 * WIDTH, 4.5)).decode()


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


def _curve(
    row: str, by_checkpoint: Mapping[str, FigureColumn], places: Mapping[str, float]
) -> list[AccuracyPoint]:
    """Return the curve of a row of the grouping."""
    cells = {checkpoint: column.cells.get(row) for checkpoint, column in by_checkpoint.items()}
    return [
        AccuracyPoint(places[at], at, cell.value, *(cell.ends or (0.0, 1.0)), cell.n)
        for at, cell in cells.items()
        if cell and cell.n
    ]


def _ticks(places: Mapping[str, float]) -> Ticks:
    shown = list(places.items())[:: -(-len(places) // MOST_TICKS)]
    return tuple((place, name) for name, place in shown)
