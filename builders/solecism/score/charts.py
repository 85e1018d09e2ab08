"""Charts: bars of accuracies, heat maps of correlations, intervals of differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from solecism.score.report import Cell
from solecism.score.svg import (
    CHAR,
    FAINT,
    GRID,
    INK,
    colour_of,
    drawing,
    legend,
    line,
    marker,
    round_ticks,
    shortened,
    square,
    words,
)

__all__ = ["bar_chart", "forest_chart", "heat_map"]


def bar_chart(
    title: str, rows: Sequence[str], series: Mapping[str, Mapping[str, Cell]], width: float = 760
) -> str:
    """Horizontal bars of accuracy with their intervals: a group a row, a bar a series."""
    left = min(300.0, 16 + CHAR * max(map(len, rows), default=0))
    thick = 14.0 if len(series) == 1 else 9.0
    keys, top = legend(list(series), left, width, square) if len(series) > 1 else ([], 6.0)
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
        body.append(words(left - 8, y + height / 2 - 2, shortened(row, left), "end"))
        for place, number in enumerate(present[row]):
            cell = list(series.values())[number][row]
            body.append(_bar(at, y + place * thick, thick, cell, number, list(series)[number], row))
        y += height
    about = f"Horizontal bars, per cent right from 0 to 100, of {', '.join(series)}; by {', '.join(rows)}."
    return drawing(width, bottom + 34, title, about, body)


def _has(cells: Mapping[str, Cell], row: str) -> bool:
    return row in cells and cells[row].n > 0


def _across(at: Callable[[float], float], top: float, bottom: float) -> list[str]:
    """Grid and scale of per cents from left to right, chance dashed."""
    parts = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        dashed = ' stroke-dasharray="4 3"' if tick == 0.5 else ""
        parts.append(line(at(tick), top, at(tick), bottom, FAINT if dashed else GRID, dashed))
        parts.append(words(at(tick), bottom + 15, f"{100 * tick:.0f}", "middle", FAINT))
    return [*parts, words((at(0) + at(1)) / 2, bottom + 30, "accuracy (%)", "middle", FAINT)]


def _bar(
    at: Callable[[float], float],
    y: float,
    thick: float,
    cell: Cell,
    number: int,
    name: str,
    row: str,
) -> str:
    half = cell.half or 0.0
    low = at(max(0, cell.value - half if cell.low is None else cell.low))
    high = at(min(1, cell.value + half if cell.high is None else cell.high))
    middle, percent = y + thick / 2 - 0.5, 100 * cell.value
    shown = escape(f"{name}, {row}: {percent:.1f} % of {cell.n:,} pairs")
    end = words(high + 4, y + thick - 2, f"{percent:.0f}", "start", FAINT, ' font-size="9"')
    whisker = line(low, middle, high, middle, INK, ' stroke-width="1.2"')
    return (
        f"<g><title>{shown}</title>"
        f'<rect x="{at(0):.1f}" y="{y:.1f}" width="{at(cell.value) - at(0):.1f}" '
        f'height="{thick - 1.5:.1f}" fill="{colour_of(number)}"/>'
        f"{whisker}{end}</g>"
    )


def heat_map(
    title: str, names: Sequence[str], values: np.ndarray[Any, Any], cell: float = 52
) -> str:
    """A square of correlations with their numbers: blue above zero, orange below."""
    left = min(240.0, 14 + CHAR * max(map(len, names)))
    cell = cell if len(names) <= 10 else 34
    size, top = cell * len(names), 6.0
    body = []
    for i, name in enumerate(names):
        body.append(words(left - 8, top + cell * (i + 0.5) + 4, shortened(name, left), "end"))
        body.append(_slanted(left + cell * (i + 0.5), top + size + 10, shortened(name, left)))
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
    return drawing(left + size + 16, top + size + drop, title, about or "One model.", body)


def _slanted(x: float, y: float, text: str) -> str:
    return words(x, y, text, "end", INK, f' transform="rotate(-45 {x:.1f} {y:.1f})"')


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
        + words(x + size / 2, y + size / 2 + 4, text, "middle", ink, ' font-size="11"')
        + "</g>"
    )


def forest_chart(
    title: str,
    rows: Mapping[str, tuple[float, float, float]],
    sides: tuple[str, str],
    width: float = 760,
) -> str:
    """Differences (value, low, high) with their intervals around a line at zero."""
    left = min(300.0, 16 + CHAR * max(map(len, rows), default=0))
    most = max([0.01, *(abs(end) for ends in rows.values() for end in ends)])
    middle, half = (left + width - 20) / 2, (width - 20 - left) / 2 - 10
    bottom = 30.0 + 22 * len(rows)

    def at(value: float) -> float:
        return middle + half * value / most

    body = [
        words(middle - 8, 14, f"← {sides[1]} better", "end", FAINT),
        words(middle + 8, 14, f"{sides[0]} better →", "start", FAINT),
        *_around_zero(at, most, bottom),
    ]
    for number, (row, ends) in enumerate(rows.items()):
        body += _forest_row(at, row, ends, left, 36 + 22 * number)
    about = "; ".join(f"{row}: {100 * ends[0]:+.1f}" for row, ends in rows.items())
    return drawing(width, bottom + 36, title, about, body)


def _around_zero(at: Callable[[float], float], most: float, bottom: float) -> list[str]:
    parts = [words(at(0), bottom + 30, "difference (points)", "middle", FAINT)]
    for tick in round_ticks(-100 * most, 100 * most):
        x = at(tick / 100)
        parts.append(line(x, 20, x, bottom, GRID if tick else FAINT))
        parts.append(words(x, bottom + 15, f"{tick:+g}" if tick else "0", "middle", FAINT))
    return parts


def _forest_row(
    at: Callable[[float], float], row: str, ends: tuple[float, float, float], left: float, y: float
) -> list[str]:
    value, low, high = map(at, ends)
    return [
        words(left - 8, y + 4, shortened(row, left), "end"),
        line(low, y, high, y, INK, ' stroke-width="1.6"'),
        marker(value, y, 0),
    ]
