"""Figures of matplotlib as SVG or PDF. The same data give the same bytes."""

from __future__ import annotations

import io
import re
import warnings
import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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

    It has no styles, which the rules of a site forbid, but attributes.
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
