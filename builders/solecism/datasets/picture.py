"""The picture of a data set: some of its pairs, with the words that differ, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from xml.sax.saxutils import escape

from solecism.contrast import differing_parts
from solecism.datasets.configs import BuiltConfig
from solecism.direction import direction

__all__ = ["drawn_pairs", "examples_svg"]

MOST, LONGEST = 4, 78
"""How many pairs are drawn, and the most characters of a sentence."""

_WIDTH, _LINE, _GAP = 760, 27, 16

_STYLE = """
text { font: 17px system-ui, "Segoe UI", "Noto Sans", "Noto Sans Hebrew", "Noto Sans CJK SC", sans-serif;
  fill: #1a1a1a; } .small { font-size: 12px; fill: #595959; }
.good { fill: #00684a; font-weight: 600; } .bad { fill: #a8240f; font-weight: 600; }
@media (prefers-color-scheme: dark) { text { fill: #e9e9e6; } .small { fill: #a9aeb7; }
  .good { fill: #5fd3a8; } .bad { fill: #ff9a85; } }
"""


def examples_svg(title: str, built: Sequence[BuiltConfig]) -> str:
    """Return a drawing of pairs of different configs and paradigms; empty where there are none."""
    pairs = drawn_pairs(built)
    if not pairs:
        return ""
    body, y = list[str](), 8
    for config, (good, bad) in pairs:
        body.append(f'<text class="small" x="12" y="{y + 12}">{escape(config)}</text>')
        y += 16
        for parts, side in zip(differing_parts(good, bad), ("good", "bad"), strict=True):
            y += _LINE
            body.append(_sentence(parts, side, y))
        y += _GAP
    said = escape("; ".join(f"{good} / *{bad}" for _, (good, bad) in pairs))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img">'
    lines = [head, f"<title>{escape(title)}</title>", f"<desc>{said}</desc>"]
    return "\n".join([*lines, f"<style>{_STYLE}</style>", *body, "</svg>", ""])


def drawn_pairs(built: Sequence[BuiltConfig]) -> list[tuple[str, tuple[str, str]]]:
    """Return the pairs that the picture shows, each with its config; without any there is none."""
    return list(islice(_chosen(built), MOST))


def _chosen(built: Sequence[BuiltConfig]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield pairs: one a config, each of another paradigm, short ones first in a config."""
    seen: set[str] = set()
    for config in built:
        if config.kind != "pair":
            continue
        for paradigm in sorted(config.paradigms, key=lambda p: (p.uid in seen, p.uid)):
            if len(paradigm.example) == 2 and all(
                len(text) <= LONGEST for text in paradigm.example
            ):
                seen.add(paradigm.uid)
                yield config.name, (paradigm.example[0], paradigm.example[1])
                break


def _sentence(parts: Sequence[tuple[str, bool]], side: str, y: int) -> str:
    mark = "✓" if side == "good" else "✗"
    text = "".join(
        f'<tspan class="{side}">{escape(part)}</tspan>' if differs else escape(part)
        for part, differs in parts
    )
    rtl = direction("".join(part for part, _ in parts)) == "rtl"
    place = f'x="{_WIDTH - 40}" direction="rtl"' if rtl else 'x="40"'
    sign = f'<text class="{side}" x="{_WIDTH - 24 if rtl else 14}" y="{y}">{mark}</text>'
    return f'{sign}<text xml:space="preserve" {place} y="{y}">{text}</text>'
