"""The chart of accuracy against something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from solecism.score.report_curves import Curve, Point
from solecism.score.svg import (
    FAINT,
    GRID,
    INK,
    colour_of,
    drawing,
    legend,
    line,
    marker,
    round_ticks,
    words,
)

__all__ = ["curve_chart"]


def curve_chart(
    title: str,
    axis: str,
    some: Sequence[Curve],
    diagonal: bool = False,
    width: float = 370,
    height: float = 280,
) -> str:
    """Points with their intervals, joined by lines: accuracy against ``x``; shapes and colours by curve.

    ``diagonal`` draws the line of perfect calibration (x from 0.5 to 1).
    """
    names = [curve.name for curve in some]
    keys, top = legend(names, 44, width, marker) if len(some) > 1 else ([], 8.0)
    points = [point for curve in some for point in curve.points]
    frame = _Frame(44, width - 14, top, top + height - 60, points, diagonal)
    body = [*keys, *_upwards(frame), *_bottom(frame, axis)]
    for number, curve in enumerate(some):
        body.append(_curve(curve, number, (number - (len(some) - 1) / 2) * 3, frame))
    about = f"Accuracy in per cent against {axis}: " + "; ".join(map(_told, some)) + "."
    return drawing(width, frame.bottom + 42, title, about, body)


@dataclass(frozen=True)
class _Frame:
    """Where the points go: ends of the plot in pixels, and its scales."""

    left: float
    right: float
    top: float
    bottom: float
    points: Sequence[Point]
    diagonal: bool

    @cached_property
    def floor(self) -> float:
        """The lowest accuracy shown."""
        return min(0.5, math.floor(10 * min(point.low for point in self.points)) / 10)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Least and greatest ``x`` shown."""
        if self.diagonal:
            return 0.5, 1.0
        low, high = min(p.x for p in self.points), max(p.x for p in self.points)
        return low, high if high > low else low + 1

    def up(self, value: float) -> float:
        """Pixels from the top of an accuracy."""
        return self.bottom - (self.bottom - self.top) * (value - self.floor) / (1 - self.floor)

    def across(self, x: float) -> float:
        """Pixels from the left; few points stand well inside."""
        edge = 70 if len({p.x for p in self.points}) < 4 else 16
        low, high = self.ends
        return self.left + edge + (self.right - self.left - 2 * edge) * (x - low) / (high - low)


def _told(curve: Curve) -> str:
    return f"{curve.name}: " + ", ".join(f"{p.label}: {100 * p.value:.0f}" for p in curve.points)


def _ticks(frame: _Frame) -> list[tuple[float, str]]:
    """The points' own labels where there are few, else round numbers."""
    named = {p.x: p.label for p in frame.points}
    if not frame.diagonal and len(named) <= 10 and all(x == int(x) for x in named):
        return sorted(named.items())
    return [(x, f"{x:g}") for x in round_ticks(*frame.ends)]


def _bottom(frame: _Frame, axis: str) -> list[str]:
    """What stands below the plot; and the diagonal of calibration."""
    end = frame.bottom
    parts = [words((frame.left + frame.right) / 2, end + 34, axis, "middle", FAINT)]
    for x, label in _ticks(frame):
        at = frame.across(x)
        parts += [line(at, end, at, end + 4, FAINT), words(at, end + 17, label, "middle", FAINT)]
    if frame.diagonal:
        ends = (frame.across(0.5), frame.up(0.5), frame.across(1), frame.up(1))
        parts.append(line(*ends, FAINT, ' stroke-dasharray="2 3"'))
    return parts


def _upwards(frame: _Frame) -> list[str]:
    """Grid and scale of per cents; chance dashed."""
    parts = []
    for tenth in range(round(10 * frame.floor), 11, 1 if frame.floor > 0.35 else 2):
        y = frame.up(tenth / 10)
        dashed = ' stroke-dasharray="4 3"' if tenth == 5 else ""
        parts.append(line(frame.left, y, frame.right, y, FAINT if dashed else GRID, dashed))
        parts.append(words(frame.left - 6, y + 4, f"{10 * tenth}", "end", FAINT))
    return parts


def _curve(curve: Curve, number: int, shift: float, frame: _Frame) -> str:
    """A line with its points, moved aside a little so that curves do not hide each other."""
    points = sorted(curve.points, key=lambda p: p.x)
    spots = [(frame.across(p.x) + shift, frame.up(p.value)) for p in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    colour = colour_of(number)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>']
    for p, (x, y) in zip(points, spots, strict=True):
        shown = f"{curve.name}, {p.label}: {100 * p.value:.1f} % of {p.n:,} pairs"
        whisker = line(x, frame.up(p.low), x, frame.up(p.high), INK)
        parts.append(f"<g><title>{escape(shown)}</title>{whisker}{marker(x, y, number)}</g>")
    return "".join(parts)
