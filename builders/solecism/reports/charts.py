"""Charts as SVG: bars of accuracies, heat maps of correlations, intervals, curves."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from solecism.reports.figures import AccuracyCurve, AccuracyPoint, FigureCell

__all__ = ["bar_chart", "bar_keys", "curve_chart", "forest_chart", "heat_map"]

COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c", "#f0e442",
)  # fmt: skip
"""The palette of Okabe & Ito (2008), which most colour-blind readers tell apart."""

_SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-3.6,-3.6h7.2v7.2h-7.2z", "M0,-4.8L4.6,3.6H-4.6z",
    "M0,-5L5,0L0,5L-5,0z", "M0,4.8L4.6,-3.6H-4.6z",
    "M-4,-1.3h2.7v-2.7h2.7v2.7h2.7v2.7h-2.7v2.7h-2.7v-2.7h-2.7z",
)  # fmt: skip
"""Markers by series, for readers who do not see the colours."""

INK, FAINT, GRID = "var(--ink, #1a1a1a)", "var(--faint, #595959)", "var(--grid, #d9d9d9)"
"""Colours of a page, which has others in the dark; a picture alone has those behind the comma."""

BLACK, PALE = "#1a1a1a", "#d9d9d9"
CHAR = 6.8
"""Mean width of a character at 12 pixels."""


def _words(
    x: float, y: float, text: str, anchor: str = "start", colour: str = INK, more: str = ""
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>'
        f"{escape(text)}</text>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = GRID, more: str = "") -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'
    )


def _drawing(width: float, height: float, title: str, about: str, body: Sequence[str]) -> Markup:
    number = f"{zlib.crc32(''.join([title, about, *body]).encode()):08x}"
    return Markup(
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" '
        f'aria-labelledby="t{number} d{number}" font-size="12">'
        f'<title id="t{number}">{escape(title)}</title><desc id="d{number}">{escape(about)}</desc>'
        + "".join(body)
        + "</svg>"
    )


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _marker(x: float, y: float, number: int) -> str:
    shape = _SHAPES[number % len(_SHAPES)]
    return (
        f'<path d="{shape}" transform="translate({x:.1f},{y:.1f})" fill="{_colour(number)}" '
        f'stroke="{INK}" stroke-width=".6"/>'
    )


def _legend(
    names: Sequence[str], left: float, width: float, key: Callable[[float, float, int], str]
) -> tuple[list[str], float]:
    """Return names with their keys, in as many lines as needed, and the height that they take."""
    parts, x, y = list[str](), left, 12.0
    for number, whole in enumerate(names):
        name = _shortened(whole, width - left - 16)
        wide = 26 + len(name) * CHAR
        if x + wide > width and x > left:
            x, y = left, y + 18
        parts += [key(x + 6, y - 4, number), _words(x + 16, y, name)]
        x += wide
    return parts, y + 12


def _shortened(text: str, width: float) -> str:
    most = int((width - 12) / CHAR) + 1
    return text if len(text) <= most else text[: most - 1] + "…"


def _round_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * f for f in (1, 2, 5, 10) if unit * f >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 10) for n in range(first, math.floor(high / step + 1e-9) + 1)]


SHARE = 86
"""How many per cent of the width of a chart are an accuracy of 1; numbers stand on the right."""


def _across(share: float) -> str:
    """Return where an accuracy stands in a chart that is as wide as its page."""
    return f"{SHARE * min(max(share, 0.0), 1.0):.2f}%"


def bar_chart(
    title: str,
    rows: Sequence[str],
    series: Mapping[str, Mapping[str, FigureCell]],
    people: Mapping[str, FigureCell] | None = None,
) -> Markup:
    """Draw horizontal bars of accuracy with their intervals: a group a row, a bar a series.

    A line across the bars of a row is what ``people`` decide. The chart is as wide as its page, so
    that its letters have the size of the page's; the names of the colours are :func:`bar_keys`.
    """
    ceiling = people or {}
    shown = [row for row in rows if any(_has(cells, row) for cells in series.values())]
    thick = 15.0 if len(series) == 1 else 12.0
    body, y = list[str](), 4.0
    for row in shown:
        pairs = [cells[row].n for cells in series.values() if _has(cells, row)]
        body.append(_row_name(row, y + 13, f"{pairs[0]:,} pairs" if len(series) == 1 else ""))
        top = y + 18
        y = top
        for number, (name, cells) in enumerate(series.items()):
            if _has(cells, row):
                body.append(_bar(y, thick, cells[row], number, name, row))
                y += thick
        if _has(ceiling, row):
            body.append(_ceiling(top, y, ceiling[row], row))
        y += 9
    about = f"Bars, per cent right from 0 to 100. {_bars_described(shown, series, ceiling)}"
    return _fluid(y + 34, title, about, [*_grid(y), *body])


def bar_keys(names: Sequence[str], people: bool = False) -> Markup:
    """Return the colours of series with their names, as a list that wraps."""
    keys = [
        (f'<rect width="12" height="12" fill="{_colour(n)}"/>', name)
        for n, name in enumerate(names)
    ]
    if people:
        keys.append((f'<path d="M6,0v12" stroke="{INK}" stroke-width="2.5"/>', "people"))
    items = (
        f'<li><svg width="12" height="12" aria-hidden="true">{drawn}</svg> {escape(name)}</li>'
        for drawn, name in keys
    )
    return Markup(f'<ul class="keys">{"".join(items)}</ul>')


def _fluid(height: float, title: str, about: str, body: Sequence[str]) -> Markup:
    """Return a drawing that is as wide as its page."""
    made = _drawing(0, height, title, about, body)
    return Markup(
        re.sub(r'viewBox="[^"]*" width="0"', f'width="100%" height="{height:.0f}"', made, count=1)
    )


def _row_name(row: str, y: float, note: str = "") -> str:
    """Return the name of a row, which lines of the grid do not cross, with a note beside it."""
    clear = 'stroke="var(--page, #ffffff)" stroke-width="4" paint-order="stroke"'
    beside = f'<tspan dx="8" fill="{FAINT}">{note}</tspan>' if note else ""
    return f'<text x="0" y="{y:.1f}" fill="{INK}" {clear}>{escape(row)}{beside}</text>'


def _bars_described(
    rows: Sequence[str],
    series: Mapping[str, Mapping[str, FigureCell]],
    people: Mapping[str, FigureCell],
) -> str:
    parts = []
    for row in rows:
        found = {
            name: cells for name, cells in [*series.items(), ("people", people)] if _has(cells, row)
        }
        parts.append(
            f"{row}: " + ", ".join(f"{n} {100 * c[row].value:.1f}" for n, c in found.items())
        )
    return "; ".join(parts) + "."


def _has(cells: Mapping[str, FigureCell], row: str) -> bool:
    return row in cells and cells[row].n > 0


def _grid(bottom: float) -> list[str]:
    """Return grid and scale of per cents from left to right, chance dashed."""
    parts = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        dashed = ' stroke-dasharray="4 3"' if tick == 0.5 else ""
        anchor = "middle" if tick else "start"
        parts.append(
            f'<line x1="{_across(tick)}" y1="0" x2="{_across(tick)}" y2="{bottom:.1f}" '
            f'stroke="{FAINT if dashed else GRID}"{dashed}/>'
            f'<text x="{_across(tick)}" y="{bottom + 15:.1f}" text-anchor="{anchor}" '
            f'fill="{FAINT}">{100 * tick:.0f}</text>'
        )
    label = f'<text x="{SHARE / 2}%" y="{bottom + 30:.1f}" text-anchor="middle" fill="{FAINT}">'
    return [*parts, f"{label}accuracy (%)</text>"]


def _bar(y: float, thick: float, cell: FigureCell, number: int, name: str, row: str) -> str:
    half = cell.half or 0.0
    low = cell.value - half if cell.low is None else cell.low
    high = cell.value + half if cell.high is None else cell.high
    middle, percent = y + (thick - 2) / 2, 100 * cell.value
    shown = escape(f"{name}, {row}: {percent:.1f} % of {cell.n:,} pairs")
    return (
        f"<g><title>{shown}</title>"
        f'<rect x="0" y="{y:.1f}" width="{_across(cell.value)}" height="{thick - 2:.1f}" '
        f'fill="{_colour(number)}"/>'
        f'<line x1="{_across(low)}" y1="{middle:.1f}" x2="{_across(high)}" y2="{middle:.1f}" '
        f'stroke="{INK}" stroke-width="1.3"/>'
        f'<text x="{SHARE + 3}%" y="{middle + 4:.1f}" font-size="11" '
        f'fill="{INK}">{percent:.1f}</text></g>'
    )


def _ceiling(top: float, bottom: float, cell: FigureCell, row: str) -> str:
    shown, x = escape(f"people, {row}: {100 * cell.value:.1f} %"), _across(cell.value)
    return (
        f'<g><title>{shown}</title><line x1="{x}" y1="{top - 3:.1f}" x2="{x}" '
        f'y2="{bottom + 1:.1f}" stroke="{INK}" stroke-width="2.5"/></g>'
    )


def heat_map(
    title: str, names: Sequence[str], values: np.ndarray[Any, Any], cell: float = 52
) -> Markup:
    """Draw a square of correlations with their numbers: blue above zero, orange below."""
    left = min(240.0, 14 + CHAR * max(map(len, names)))
    cell = cell if len(names) <= 10 else 34
    size, top = cell * len(names), 6.0
    body = []
    for i, name in enumerate(names):
        body.append(_words(left - 8, top + cell * (i + 0.5) + 4, _shortened(name, left), "end"))
        body.append(_slanted(left + cell * (i + 0.5), top + size + 10, _shortened(name, left)))
        for j, other in enumerate(names):
            shown = f"{name} and {other}"
            body.append(
                _square_of(left + cell * j, top + cell * i, cell, float(values[i, j]), shown)
            )
    about = "; ".join(
        f"{a} and {b}: {values[i, j]:.2f}"
        for i, a in enumerate(names) for j, b in enumerate(names) if j < i
    )  # fmt: skip
    drop = 0.75 * min(left, CHAR * max(map(len, names))) + 24
    return _drawing(left + size + 16, top + size + drop, title, about or "One model.", body)


def _slanted(x: float, y: float, text: str) -> str:
    return _words(x, y, text, "end", INK, f' transform="rotate(-45 {x:.1f} {y:.1f})"')


def _square_of(x: float, y: float, size: float, value: float, shown: str) -> str:
    known = not math.isnan(value)
    text = f"{value:.2f}" if known else "–"
    strength = abs(value) if known else 0.0
    end = (0, 73, 136) if value >= 0 or not known else (190, 90, 0)
    red, green, blue = (round(255 + (c - 255) * strength) for c in end)
    ink = "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < 140 else BLACK
    return (
        f"<g><title>{escape(shown)}: {text}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{size - 1:.1f}" height="{size - 1:.1f}" '
        f'fill="rgb({red},{green},{blue})" stroke="{PALE}"/>'
        + _words(x + size / 2, y + size / 2 + 4, text, "middle", ink, ' font-size="11"')
        + "</g>"
    )


def forest_chart(
    title: str, rows: Mapping[str, tuple[float, float, float]], sides: tuple[str, str]
) -> Markup:
    """Draw differences (value, low, high) with their intervals around a line at zero."""
    most = max([0.01, *(abs(end) for ends in rows.values() for end in ends)])

    def at(value: float) -> str:
        return f"{50 + 47 * value / most:.2f}%"

    bottom = 26.0 + 38 * len(rows)
    body = [
        f'<text x="50%" dx="-8" y="14" text-anchor="end" fill="{FAINT}">'
        f"← {escape(_shortened(sides[1], 110))} better</text>"
        f'<text x="50%" dx="8" y="14" fill="{FAINT}">{escape(_shortened(sides[0], 110))} better →</text>',
        *_around_zero(at, most, bottom),
    ]
    for number, (row, ends) in enumerate(rows.items()):
        body += _forest_row(at, row, ends, 40 + 38.0 * number)
    about = "; ".join(f"{row}: {100 * ends[0]:+.1f}" for row, ends in rows.items())
    return _fluid(bottom + 36, title, about, body)


def _around_zero(at: Callable[[float], str], most: float, bottom: float) -> list[str]:
    label = f'<text x="50%" y="{bottom + 30:.1f}" text-anchor="middle" fill="{FAINT}">'
    parts = [f"{label}difference (points)</text>"]
    for tick in _round_ticks(-100 * most, 100 * most):
        x = at(tick / 100)
        parts.append(
            f'<line x1="{x}" y1="20" x2="{x}" y2="{bottom:.1f}" stroke="{GRID if tick else FAINT}"/>'
            f'<text x="{x}" y="{bottom + 15:.1f}" text-anchor="middle" fill="{FAINT}">'
            f"{f'{tick:+g}' if tick else '0'}</text>"
        )
    return parts


def _forest_row(
    at: Callable[[float], str], row: str, ends: tuple[float, float, float], y: float
) -> list[str]:
    value, low, high = map(at, ends)
    return [
        _row_name(row, y),
        f'<line x1="{low}" y1="{y + 12:.1f}" x2="{high}" y2="{y + 12:.1f}" stroke="{INK}" '
        f'stroke-width="1.6"/><circle cx="{value}" cy="{y + 12:.1f}" r="4.5" fill="{_colour(0)}" '
        f'stroke="{INK}" stroke-width=".6"/>',
    ]


def curve_chart(
    title: str,
    axis: str,
    some: Sequence[AccuracyCurve],
    diagonal: bool = False,
    width: float = 370,
    height: float = 280,
    ticks: Sequence[tuple[float, str]] = (),
) -> Markup:
    """Draw curves of accuracy against ``x``: points with their intervals, joined by lines.

    ``diagonal`` draws the line of perfect calibration (x from 0.5 to 1); ``ticks`` are the places
    of ``x`` that are named.
    """
    names = [curve.name for curve in some]
    keys, top = _legend(names, 44, width, _marker) if len(some) > 1 else ([], 8.0)
    points = [point for curve in some for point in curve.points]
    bottom = top + height - 60
    frame = _PlotFrame(44, width - 14, top, bottom, points, diagonal, tuple(ticks))
    body = [*keys, *_upwards(frame), *_bottom(frame, axis)]
    for number, curve in enumerate(some):
        body.append(_curve(curve, number, (number - (len(some) - 1) / 2) * 3, frame))
    about = f"Accuracy in per cent against {axis}: " + "; ".join(map(_described, some)) + "."
    return _drawing(width, frame.bottom + 42, title, about, body)


@dataclass(frozen=True)
class _PlotFrame:
    """The frame of a plot: its ends in pixels, and its scales."""

    left: float
    right: float
    top: float
    bottom: float
    points: Sequence[AccuracyPoint]
    diagonal: bool
    ticks: Sequence[tuple[float, str]] = ()

    @cached_property
    def floor(self) -> float:
        """The lowest accuracy that is shown."""
        return min(0.5, math.floor(10 * min(point.low for point in self.points)) / 10)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest ``x`` that is shown."""
        if self.diagonal:
            return 0.5, 1.0
        low, high = min(p.x for p in self.points), max(p.x for p in self.points)
        return low, high if high > low else low + 1

    def up(self, value: float) -> float:
        """Return the pixels from the top of an accuracy."""
        return self.bottom - (self.bottom - self.top) * (value - self.floor) / (1 - self.floor)

    def across(self, x: float) -> float:
        """Return the pixels from the left of ``x``; few points stand well inside."""
        edge = 70 if len({p.x for p in self.points}) < 4 else 16
        low, high = self.ends
        return self.left + edge + (self.right - self.left - 2 * edge) * (x - low) / (high - low)


def _described(curve: AccuracyCurve) -> str:
    return f"{curve.name}: " + ", ".join(f"{p.label}: {100 * p.value:.0f}" for p in curve.points)


def _ticks(frame: _PlotFrame) -> list[tuple[float, str]]:
    """Return the ticks that are given, or the labels of few points, else round numbers."""
    if frame.ticks:
        return list(frame.ticks)
    named = {p.x: p.label for p in frame.points}
    if not frame.diagonal and len(named) <= 10 and all(x == int(x) for x in named):
        return sorted(named.items())
    return [(x, f"{x:g}") for x in _round_ticks(*frame.ends)]


def _bottom(frame: _PlotFrame, axis: str) -> list[str]:
    """Return what stands below the plot, and the diagonal of calibration."""
    end = frame.bottom
    parts = [_words((frame.left + frame.right) / 2, end + 34, axis, "middle", FAINT)]
    for x, label in _ticks(frame):
        at = frame.across(x)
        parts += [_line(at, end, at, end + 4, FAINT), _words(at, end + 17, label, "middle", FAINT)]
    if frame.diagonal:
        ends = (frame.across(0.5), frame.up(0.5), frame.across(1), frame.up(1))
        parts.append(_line(*ends, FAINT, ' stroke-dasharray="2 3"'))
    return parts


def _upwards(frame: _PlotFrame) -> list[str]:
    """Return grid and scale of per cents, chance dashed."""
    parts = []
    for tenth in range(round(10 * frame.floor), 11, 1 if frame.floor > 0.35 else 2):
        y = frame.up(tenth / 10)
        dashed = ' stroke-dasharray="4 3"' if tenth == 5 else ""
        parts.append(_line(frame.left, y, frame.right, y, FAINT if dashed else GRID, dashed))
        parts.append(_words(frame.left - 6, y + 4, f"{10 * tenth}", "end", FAINT))
    return parts


def _curve(curve: AccuracyCurve, number: int, shift: float, frame: _PlotFrame) -> str:
    """Return a line with its points, moved aside a little so that curves do not hide each other."""
    points = sorted(curve.points, key=lambda p: p.x)
    spots = [(frame.across(p.x) + shift, frame.up(p.value)) for p in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    colour = _colour(number)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>']
    for p, (x, y) in zip(points, spots, strict=True):
        shown = f"{curve.name}, {p.label}: {100 * p.value:.1f} % of {p.n:,} pairs"
        whisker = _line(x, frame.up(p.low), x, frame.up(p.high), INK)
        parts.append(f"<g><title>{escape(shown)}</title>{whisker}{_marker(x, y, number)}</g>")
    return "".join(parts)
