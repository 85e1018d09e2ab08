"""Draw a minimal pair with a model's surprisal of each word, for light and for dark pages.

Usage: python scripts/draw_pair.py ID --model MODEL --data clams/en --out docs/pictures/pair

writes pair-light.svg and pair-dark.svg. Tokens are added up to words. The picture of README.md:

    solecism build clams en
    python scripts/draw_pair.py 6b632961c3aa3922 --model SmolLM2-135M-Instruct --data clams/en \\
        --out docs/pictures/pair
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from solecism import explain
from solecism.contrast import differing_span
from solecism.files import write_text
from solecism.scoring.explanation import ExplainedPair, ExplainedSentence

WIDTH, LEFT, RIGHT, ROW, TOP, BAR = 720, 60, 10, 140, 26, 62
THEMES = {
    "light": {
        "text": "#1f2328", "quiet": "#59636e", "bar": "#afb8c1", "good": "#1a7f37", "bad": "#c62828",
        "good-mark": "#d7f5dd", "bad-mark": "#ffe0dd",
    },
    "dark": {
        "text": "#f0f6fc", "quiet": "#9198a1", "bar": "#484f58", "good": "#4cc764", "bad": "#ff8178",
        "good-mark": "#12361f", "bad-mark": "#4a1a1c",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Word:
    """A word as it stands in a sentence, with its surprisal in bits."""

    text: str
    surprisal: float


def words_of(sentence: ExplainedSentence) -> list[Word]:
    """Return the words of a sentence, the surprisals of their tokens added up."""
    words: list[Word] = []
    for token in sentence.tokens:
        bits = token.surprisal or 0.0
        if token.starts_word or not words:
            words.append(Word(token.text.strip(), bits))
        else:
            words[-1] = Word(words[-1].text + token.text, words[-1].surprisal + bits)
    return words


def picture(pair: ExplainedPair, theme: str) -> str:
    """Return the picture as SVG, with the colours of a theme."""
    colours = THEMES[theme]
    good, bad = words_of(pair.good), words_of(pair.bad)
    spans = differing_span([word.text for word in good], [word.text for word in bad])
    highest = max(word.surprisal for word in good + bad)
    height = TOP + 2 * ROW
    title = f"good: {pair.good.text} bad: {pair.bad.text}"
    sums = f"{pair.good.surprisal:.1f} and {pair.bad.surprisal:.1f} in all"
    caption = f"bits of surprisal of each word, {sums}: {Path(pair.model).name}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"',
        f' height="{height}" role="img" font-family="system-ui, -apple-system, sans-serif">',
        f"<title>{escape(title)}</title>",
        *_row(0, "good", good, spans[0], highest, colours),
        *_row(1, "bad", bad, spans[1], highest, colours),
        _text(LEFT + 6, height - 8, caption, colours["quiet"], 14),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _row(
    number: int,
    side: str,
    words: Sequence[Word],
    span: slice,
    highest: float,
    colours: dict[str, str],
) -> list[str]:
    y = TOP + number * ROW
    sign = {"good": "✓", "bad": "✗"}[side]
    parts = [_text(LEFT / 2, y + 2, sign, colours[side], 22, "middle")]
    column = (WIDTH - LEFT - RIGHT) / len(words)
    for place, word in enumerate(words):
        left, differs = LEFT + place * column, place in range(*span.indices(len(words)))
        middle, tall = left + column / 2, BAR * word.surprisal / highest
        if differs:
            mark = colours[f"{side}-mark"]
            parts.append(_box(left + 3, y - 20, column - 6, 29, mark, radius=5))
        ink = colours[side if differs else "text"]
        bar = colours[side if differs else "bar"]
        parts += [
            _text(middle, y, word.text, ink, 19, "middle", bold=differs),
            _box(middle - 15, y + 16, 30, tall, bar, radius=2),
            _text(middle, y + 34 + tall, f"{word.surprisal:.1f}", ink, 14, "middle", bold=differs),
        ]
    return parts


def _text(
    x: float, y: float, text: str, ink: str, size: int, anchor: str = "start", bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{ink}" font-size="{size}"{weight}>{escape(text)}</text>'


def _box(x: float, y: float, wide: float, tall: float, ink: str, radius: int) -> str:
    size = f'width="{wide:.1f}" height="{tall:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} rx="{radius}" fill="{ink}"/>'


def main() -> None:
    """Write both pictures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("identifier", metavar="ID")
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", default=None)
    parser.add_argument("--out", required=True, help="the pictures without -light.svg, -dark.svg")
    given = parser.parse_args()
    pair = explain(given.identifier, given.model, given.data)
    for theme in THEMES:
        write_text(Path(f"{given.out}-{theme}.svg"), picture(pair, theme))


if __name__ == "__main__":
    main()
