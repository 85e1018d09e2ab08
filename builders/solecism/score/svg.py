"""Parts of drawings as SVG text: words, lines, markers, legends."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from html import escape

__all__ = [
    "CHAR",
    "COLOURS",
    "FAINT",
    "GRID",
    "INK",
    "colour_of",
    "drawing",
    "legend",
    "line",
    "marker",
    "round_ticks",
    "shortened",
    "square",
    "words",
]

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


def words(
    x: float, y: float, text: str, anchor: str = "start", colour: str = INK, more: str = ""
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>'
        f"{escape(text)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str = GRID, more: str = "") -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'
    )


def drawing(width: float, height: float, title: str, about: str, body: Sequence[str]) -> str:
    number = f"{zlib.crc32(''.join([title, about, *body]).encode()):08x}"
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" '
        f'aria-labelledby="t{number} d{number}" font-size="12">'
        f'<title id="t{number}">{escape(title)}</title><desc id="d{number}">{escape(about)}</desc>'
        + "".join(body)
        + "</svg>"
    )


def colour_of(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def marker(x: float, y: float, number: int) -> str:
    shape = _SHAPES[number % len(_SHAPES)]
    return (
        f'<path d="{shape}" transform="translate({x:.1f},{y:.1f})" fill="{colour_of(number)}" '
        f'stroke="{INK}" stroke-width=".6"/>'
    )


def square(x: float, y: float, number: int) -> str:
    return (
        f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="{colour_of(number)}" '
        f'stroke="{INK}" stroke-width=".6"/>'
    )


def legend(
    names: Sequence[str], left: float, width: float, key: Callable[[float, float, int], str]
) -> tuple[list[str], float]:
    """Names with their keys, in as many lines as needed; and the height they take."""
    parts, x, y = list[str](), left, 12.0
    for number, whole in enumerate(names):
        name = shortened(whole, width - left - 16)
        wide = 26 + len(name) * CHAR
        if x + wide > width and x > left:
            x, y = left, y + 18
        parts += [key(x + 6, y - 4, number), words(x + 16, y, name)]
        x += wide
    return parts, y + 12


def shortened(text: str, width: float) -> str:
    most = int((width - 12) / CHAR) + 1
    return text if len(text) <= most else text[: most - 1] + "…"


def round_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * f for f in (1, 2, 5, 10) if unit * f >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 10) for n in range(first, math.floor(high / step + 1e-9) + 1)]
