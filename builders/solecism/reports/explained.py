"""The surprisals of a pair as bars: for a terminal, and as a web page."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from solecism.contrast import direction
from solecism.reports.pages import render_page
from solecism.scoring.explanation import ExplainedPair, ExplainedToken
from solecism.terminal import bar, isolated

_WORD, _BAR = 14, 16
"""The most columns of a token, and those of a bar: 80 for two sentences."""


class TokenRow(NamedTuple):
    """A row of tokens of the good and the bad sentence; ``same``: they are equal."""

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


def explained_parts(pair: ExplainedPair) -> Iterator[RenderableType]:
    """Yield what a terminal of 80 columns shows of a pair."""
    about = [pair.id, pair.data, pair.uid, pair.phenomenon]
    yield Text(" · ".join(dict.fromkeys(part for part in about if part)), style="bold")
    yield Text(f"surprisal in bits, {pair.method}, model {_model(pair)}", style="dim")
    yield Text("")
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for side in ("good", "", "bad"):
        table.add_column(side, max_width=_WORD, no_wrap=True, overflow="ellipsis")
        if side:
            table.add_column("", justify="right")
            table.add_column("", width=_BAR, no_wrap=True)
    most = most_bits(pair)
    for row in token_rows(pair):
        style = "" if row.same else "bold yellow"
        good, bad = (_cells(token, most, style) for token in (row.good, row.bad))
        table.add_row(*good, Text("" if row.same else "≠", style), *bad)
    sums = [f"{side.surprisal:.1f}" for side in (pair.good, pair.bad)]
    table.add_row("sum", sums[0], "", "", "sum", sums[1], "", style="bold")
    yield table
    yield Text("")
    yield Text(verdict(pair))
    for note in _notes(pair):
        yield Text(note, style="dim")
    if not all(token.starts_word for side in (pair.good, pair.bad) for token in side.tokens):
        yield Text("·: goes on with the word before.", style="dim")


def _cells(token: ExplainedToken | None, most: float, style: str) -> tuple[Text, Text, Text]:
    """Return a token, its surprisal and its bar; right-to-left text is isolated."""
    if token is None:
        return Text(), Text(), Text()
    text = token.text if token.starts_word else f"·{token.text}"
    text += f" ×{token.tokens}" if token.tokens > 1 else ""
    value = token.surprisal
    shown = Text("–" if value is None else f"{value:.1f}")
    drawn = Text(bar(value or 0.0, most, _BAR), style or "cyan")
    return Text(isolated(text), style), shown, drawn


def _notes(pair: ExplainedPair) -> Iterator[str]:
    tokens = [*pair.good.tokens, *pair.bad.tokens]
    if any(token.tokens > 1 for token in tokens):
        yield "×2: tokens that share a character are shown as one."
    if any(token.surprisal is None for token in tokens):
        yield "–: the model gives no probability for the first token."
    if unknown := sorted({t.text for t in tokens if t.note == "unknown word"}):
        yield f"not in the model's vocabulary: {', '.join(unknown)}"


def explained_page(pair: ExplainedPair) -> str:
    """Return a pair as a web page: one file, without scripts."""
    return render_page(
        "explained.html.jinja", pair=pair, rows=token_rows(pair), most=most_bits(pair),
        verdict=verdict(pair), notes=list(_notes(pair)), model=_model(pair),
        direction=direction(pair.good.text),
    )  # fmt: skip
