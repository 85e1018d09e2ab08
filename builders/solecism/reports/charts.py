"""Charts as SVG: bars of accuracies, heat maps of correlations, intervals, curves."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from solecism.reports.figures import AccuracyCurve, AccuracyPoint, FigureCell

__all__ = ["bar_chart", "curve_chart", "forest_chart", "heat_map"]

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

INK, FAINT, GRID = "#1a1a1a", "#595959", "#d9d9d9"
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


def _square(x: float, y: float, number: int) -> str:
    return (
        f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="{_colour(number)}" '
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


def bar_chart(
    title: str,
    rows: Sequence[str],
    series: Mapping[str, Mapping[str, FigureCell]],
    width: float = 760,
) -> Markup:
    """Draw horizontal bars of accuracy with their intervals: a group a row, a bar a series."""
    left = min(300.0, 16 + CHAR * max(map(len, rows), default=0))
    thick = 14.0 if len(series) == 1 else 9.0
    keys, top = _legend(list(series), left, width, _square) if len(series) > 1 else ([], 6.0)
    present = {
        row: [n for n, cells in enumerate(series.values()) if _has(cells, row)] for row in rows
    }
    heights = {row: len(found) * thick + 12 for row, found in present.items() if found}
    bottom = top + sum(heights.values())
    right = width - 40

    def at(value: float) -> float:
        return left + (right - left) * value

    body = [*keys, *_across(at, top, bottom)]
    y = top + 6
    for row, height in heights.items():
        body.append(_words(left - 8, y + height / 2 - 2, _shortened(row, left), "end"))
        for place, number in enumerate(present[row]):
            cell = list(series.values())[number][row]
            body.append(_bar(at, y + place * thick, thick, cell, number, list(series)[number], row))
        y += height
    about = f"Horizontal bars, per cent right from 0 to 100, of {', '.join(series)}; by {', '.join(rows)}."
    return _drawing(width, bottom + 34, title, about, body)


def _has(cells: Mapping[str, FigureCell], row: str) -> bool:
    return row in cells and cells[row].n > 0


def _across(at: Callable[[float], float], top: float, bottom: float) -> list[str]:
    """Return grid and scale of per cents from left to right, chance dashed."""
    parts = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        dashed = ' stroke-dasharray="4 3"' if tick == 0.5 else ""
        parts.append(_line(at(tick), top, at(tick), bottom, FAINT if dashed else GRID, dashed))
        parts.append(_words(at(tick), bottom + 15, f"{100 * tick:.0f}", "middle", FAINT))
    return [*parts, _words((at(0) + at(1)) / 2, bottom + 30, "accuracy (%)", "middle", FAINT)]


def _bar(
    at: Callable[[float], float],
    y: float,
    thick: float,
    cell: FigureCell,
    number: int,
    name: str,
    row: str,
) -> str:
    half = cell.half or 0.0
    low = at(max(0, cell.value - half if cell.low is None else cell.low))
    high = at(min(1, cell.value + half if cell.high is None else cell.high))
    middle, percent = y + thick / 2 - 0.5, 100 * cell.value
    shown = escape(f"{name}, {row}: {percent:.1f} % of {cell.n:,} pairs")
    end = _words(high + 4, y + thick - 2, f"{percent:.0f}", "start", FAINT, ' font-size="9"')
    whisker = _line(low, middle, high, middle, INK, ' stroke-width="1.2"')
    return (
        f"<g><title>{shown}</title>"
        f'<rect x="{at(0):.1f}" y="{y:.1f}" width="{at(cell.value) - at(0):.1f}" '
        f'height="{thick - 1.5:.1f}" fill="{_colour(number)}"/>'
        f"{whisker}{end}</g>"
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
    ink = "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < 140 else INK
    return (
        f"<g><title>{escape(shown)}: {text}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{size - 1:.1f}" height="{size - 1:.1f}" '
        f'fill="rgb({red},{green},{blue})" stroke="{GRID}"/>'
        + _words(x + size / 2, y + size / 2 + 4, text, "middle", ink, ' font-size="11"')
        + "</g>"
    )


def forest_chart(
    title: str,
    rows: Mapping[str, tuple[float, float, float]],
    sides: tuple[str, str],
    width: float = 760,
) -> Markup:
    """Draw differences (value, low, high) with their intervals around a line at zero."""
    left = min(300.0, 16 + CHAR * max(map(len, rows), default=0))
    most = max([0.01, *(abs(end) for ends in rows.values() for end in ends)])
    middle, half = (left + width - 20) / 2, (width - 20 - left) / 2 - 10
    bottom = 30.0 + 22 * len(rows)

    def at(value: float) -> float:
        return middle + half * value / most

    body = [
        _words(middle - 8, 14, f"← {sides[1]} better", "end", FAINT),
        _words(middle + 8, 14, f"{sides[0]} better →", "start", FAINT),
        *_around_zero(at, most, bottom),
    ]
    for number, (row, ends) in enumerate(rows.items()):
        body += _forest_row(at, row, ends, left, 36 + 22 * number)
    about = "; ".join(f"{row}: {100 * ends[0]:+.1f}" for row, ends in rows.items())
    return _drawing(width, bottom + 36, title, about, body)


def _around_zero(at: Callable[[float], float], most: float, bottom: float) -> list[str]:
    parts = [_words(at(0), bottom + 30, "difference (points)", "middle", FAINT)]
    for tick in _round_ticks(-100 * most, 100 * most):
        x = at(tick / 100)
        parts.append(_line(x, 20, x, bottom, GRID if tick else FAINT))
        parts.append(_words(x, bottom + 15, f"{tick:+g}" if tick else "0", "middle", FAINT))
    return parts


def _forest_row(
    at: Callable[[float], float], row: str, ends: tuple[float, float, float], left: float, y: float
) -> list[str]:
    value, low, high = map(at, ends)
    return [
        _words(left - 8, y + 4, _shortened(row, left), "end"),
        _line(low, y, high, y, INK, ' stroke-width="1.6"'),
        _marker(value, y, 0),
    ]


def curve_chart(
    title: str,
    axis: str,
    some: Sequence[AccuracyCurve],
    diagonal: bool = False,
    width: float = 370,
    height: float = 280,
) -> Markup:
    """Draw curves of accuracy against ``x``: points with their intervals, joined by lines.

    ``diagonal`` draws the line of perfect calibration (x from 0.5 to 1).
    """
    names = [curve.name for curve in some]
    keys, top = _legend(names, 44, width, _marker) if len(some) > 1 else ([], 8.0)
    points = [point for curve in some for point in curve.points]
    frame = _PlotFrame(44, width - 14, top, top + height - 60, points, diagonal)
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
    """Return the labels of the points where there are few, else round numbers."""
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
