"""From characters to tokens: which tokens of two texts carry the words that a method compares.

A tokenizer may merge across the boundary of a word; the span is then widened to the smallest one that
begins and ends between tokens in both texts and widens both alike, else the item cannot be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Encoded", "TokenSpan", "aligned", "shared_spans"]

Offsets = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Encoded:
    """A text with its tokens and the characters ``offsets[i] = (start, stop)`` that each covers."""

    text: str
    ids: Sequence[int]
    offsets: Offsets


@dataclass(frozen=True)
class TokenSpan:
    """Tokens ``first:last`` of a text, which cover its characters ``start:stop``."""

    first: int
    last: int
    start: int
    stop: int


def aligned(encoded: Encoded, start: int, stop: int) -> TokenSpan | None:
    """Give the smallest token-aligned span that covers characters ``start:stop`` (None: no such tokens).

    Space before a word belongs to it where the tokenizer says so.
    """
    touching = [
        i
        for i, (a, b) in enumerate(encoded.offsets)
        if b > start and a < stop and encoded.text[max(a, start) : min(b, stop)].strip()
    ]
    if not touching:
        return None
    first, last = touching[0], touching[-1] + 1
    while first and encoded.offsets[first - 1] == encoded.offsets[first]:
        first -= 1  # several tokens of one character (byte-level vocabularies)
    while last < len(encoded.offsets) and encoded.offsets[last - 1] == encoded.offsets[last]:
        last += 1
    return TokenSpan(first, last, encoded.offsets[first][0], encoded.offsets[last - 1][1])


def shared_spans(
    ours: Encoded, theirs: Encoded, our_span: tuple[int, int], their_span: tuple[int, int]
) -> tuple[TokenSpan, TokenSpan] | None:
    """Align the spans of two texts so that both are widened by the same characters, or give None.

    Space at the edges does not count.
    """
    spans = list(our_span), list(their_span)
    for _ in range(len(ours.text) + len(theirs.text)):
        mine, other = aligned(ours, *spans[0]), aligned(theirs, *spans[1])
        if mine is None or other is None:
            return None
        edges = [_edges(ours, our_span, mine), _edges(theirs, their_span, other)]
        if edges[0] == edges[1]:
            return mine, other
        left, right = (max((e[side] for e in edges), key=len) for side in (0, 1))
        for encoded, span, given in zip((ours, theirs), spans, (our_span, their_span), strict=True):
            wider = _widened(encoded.text, given, left, right)
            if wider is None:
                return None
            span[:] = wider
    return None


def _edges(encoded: Encoded, given: tuple[int, int], found: TokenSpan) -> tuple[str, str]:
    left = encoded.text[min(found.start, given[0]) : given[0]].lstrip()
    return left, encoded.text[given[1] : max(found.stop, given[1])].rstrip()


def _widened(text: str, given: tuple[int, int], left: str, right: str) -> list[int] | None:
    start, stop = given[0] - len(left), given[1] + len(right)
    fits = start >= 0 and text[start : given[0]] == left and text[given[1] : stop] == right
    return [start, stop] if fits else None
