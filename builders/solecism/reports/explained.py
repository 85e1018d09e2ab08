"""The surprisals of a pair as bars: for a terminal, and as a web page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from solecism.direction import direction
from solecism.reports.pages import render_page
from solecism.scoring.explanation import ExplainedPair, ExplainedToken
from solecism.terminal import bar

__all__ = ["explained_lines", "explained_page", "token_rows"]

_WORD, _BITS, _BAR, _GAP = 14, 6, 17, 4
"""Columns of a token, of its surprisal, of its bar, and between the two sentences: 80 in all."""

_ISOLATE, _END_ISOLATE = "\u2067", "\u2069"


@dataclass(frozen=True)
class TokenRow:
    """Tokens of the good and the bad sentence that stand side by side; ``same``: equal ones."""

    good: ExplainedToken | None
    bad: ExplainedToken | None
    same: bool


def token_rows(pair: ExplainedPair) -> list[TokenRow]:
    """Return the tokens of both sentences side by side, equal ones in the same row."""
    good, bad = pair.good.tokens, pair.bad.tokens
    ours, theirs = ([token.text for token in side] for side in (good, bad))
    rows = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        some = zip_longest(good[a:b], bad[c:d])
        rows += [TokenRow(one, other, kind == "equal") for one, other in some]
    return rows


def most_bits(pair: ExplainedPair) -> float:
    """Return the largest surprisal of a token, to which bars are drawn."""
    sides = (pair.good, pair.bad)
    return max((t.surprisal or 0.0 for side in sides for t in side.tokens), default=0.0)


def verdict(pair: ExplainedPair) -> str:
    """Return in a sentence which side the model prefers."""
    if abs(pair.margin) < 1e-6:
        return "Both sentences are equally surprising: a tie."
    less, more = ("good", "bad") if pair.margin > 0 else ("bad", "good")
    how = "right" if pair.margin > 0 else "wrong"
    return f"The {less} sentence is {abs(pair.margin):.2f} bits less surprising than the {more} one: {how}."


def _model(pair: ExplainedPair) -> str:
    """Return the last parts of a path or hub name."""
    return "/".join(pair.model.rstrip("/").split("/")[-2:])


def explained_lines(pair: ExplainedPair) -> Iterator[Text]:
    """Yield the lines of a pair for a terminal of 80 columns."""
    about = [pair.id, pair.data, pair.uid, pair.phenomenon]
    yield Text(" · ".join(dict.fromkeys(part for part in about if part)), style="bold")
    yield Text(f"surprisal in bits, {pair.method}, model {_model(pair)}", style="dim")
    yield Text("")
    yield Text.assemble(_cell("good", 37 + _GAP, "bold"), ("bad", "bold"))
    most = most_bits(pair)
    for row in token_rows(pair):
        style = "" if row.same else "bold yellow"
        line = Text("")
        _append(line, row.good, most, style)
        line.append("   " if row.same else " ≠ ", style)
        _append(line, row.bad, most, style)
        line.rstrip()
        yield line
    good, bad = (f"{'sum':{_WORD}}{side.surprisal:{_BITS}.1f}" for side in (pair.good, pair.bad))
    yield Text.assemble(_cell(good, 37 + _GAP, "bold"), (bad, "bold"))
    yield Text("")
    yield Text(verdict(pair))
    for note in _notes(pair):
        yield Text(note, style="dim")
    if not all(token.starts_word for side in (pair.good, pair.bad) for token in side.tokens):
        yield Text("·: goes on with the word before.", style="dim")


def _cell(text: str, width: int, style: str = "") -> tuple[str, str]:
    return set_cell_size(text, width), style


def _append(line: Text, token: ExplainedToken | None, most: float, style: str) -> None:
    """Append a token, its surprisal and its bar, 38 columns wide."""
    if token is None:
        line.append(" " * (_WORD + _BITS + _BAR + 1))
        return
    value = token.surprisal
    line.append(_shown(token), style)
    line.append(f"{value:{_BITS}.1f} " if value is not None else f"{'–':>{_BITS}} ")
    line.append(set_cell_size(bar(value or 0.0, most, _BAR), _BAR), style or "cyan")


def _shown(token: ExplainedToken) -> str:
    """Return a token in its column; right-to-left text is kept apart from what follows."""
    text = token.text if token.starts_word else f"·{token.text}"
    text += f" ×{token.tokens}" if token.tokens > 1 else ""
    if cell_len(text) >= _WORD:
        text = set_cell_size(text, _WORD - 2).rstrip() + "…"
    pad = " " * (_WORD - cell_len(text))
    return f"{_ISOLATE}{text}{_END_ISOLATE}{pad}" if direction(text) == "rtl" else text + pad


def _notes(pair: ExplainedPair) -> Iterator[str]:
    tokens = [*pair.good.tokens, *pair.bad.tokens]
    if any(token.tokens > 1 for token in tokens):
        yield "×2: tokens that share a character are shown as one."
    if any(token.surprisal is None for token in tokens):
        yield "–: the model gives no probability for the first token."
    if unknown := sorted({t.text for t in tokens if t.note == "unknown word"}):
        yield f"not in the model's vocabulary: {', '.join(unknown)}"


@dataclass(frozen=True)
class TokenBar:
    """A token of a page: ``height`` of its bar in per cent, ``marked`` where the sides differ."""

    token: ExplainedToken
    height: float
    marked: bool


def explained_page(pair: ExplainedPair) -> str:
    """Return a pair as a web page: one file, without scripts."""
    rows, most = token_rows(pair), most_bits(pair)
    sides = {
        "good": _bars([(row.good, row.same) for row in rows], most),
        "bad": _bars([(row.bad, row.same) for row in rows], most),
    }
    return render_page(
        "explained.html.jinja", pair=pair, sides=sides, verdict=verdict(pair),
        notes=list(_notes(pair)), model=_model(pair), direction=direction(pair.good.text), most=most,
    )  # fmt: skip


def _bars(some: Sequence[tuple[ExplainedToken | None, bool]], most: float) -> list[TokenBar]:
    return [
        TokenBar(token, 100 * (token.surprisal or 0.0) / most if most else 0.0, not same)
        for token, same in some
        if token is not None
    ]
