"""From characters to tokens: which tokens of two texts carry the words that a method compares.

A tokenizer may merge across the boundary of a word; the span is then widened to the smallest one that
begins and ends between tokens in both texts and widens both alike, else the item cannot be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Encoded", "TokenSpan", "aligned", "shared_by_all", "shared_spans", "words_of"]

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


def words_of(words: Sequence[str]) -> Encoded:
    """Words as the tokens of a text with a space between them."""
    offsets, start = [], 0
    for word in words:
        offsets.append((start, start + len(word)))
        start += len(word) + 1
    return Encoded(" ".join(words), list(range(len(words))), offsets)


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
    start, stop = encoded.offsets[first][0], encoded.offsets[last - 1][1]
    while first and encoded.offsets[first - 1][1] > start:
        first -= 1  # tokens that share a character (byte-level vocabularies)
        start = min(start, encoded.offsets[first][0])
    while last < len(encoded.offsets) and encoded.offsets[last][0] < stop:
        stop = max(stop, encoded.offsets[last][1])
        last += 1
    return TokenSpan(first, last, start, stop)


def shared_spans(
    ours: Encoded, theirs: Encoded, our_span: tuple[int, int], their_span: tuple[int, int]
) -> tuple[TokenSpan, TokenSpan] | None:
    """Align the spans of two texts so that both are widened by the same characters, or give None.

    Space at the edges does not count.
    """
    found = shared_by_all([ours, theirs], [our_span, their_span])
    return (found[0], found[1]) if found else None


def shared_by_all(
    texts: Sequence[Encoded], given: Sequence[tuple[int, int]]
) -> list[TokenSpan] | None:
    """Align a span of each text so that all are widened by the same characters, or give None.

    These are the smallest such spans: whatever one text needs, all are given. Space at the edges does not
    count.
    """
    wanted = list(given)
    for _ in range(sum(len(text.text) for text in texts) + 1):
        spans = [aligned(text, *span) for text, span in zip(texts, wanted, strict=True)]
        found = [span for span in spans if span is not None]
        if len(found) < len(texts):
            return None
        edges = [_edges(*each) for each in zip(texts, given, found, strict=True)]
        if len(set(edges)) <= 1:
            return found
        left, right = (max((edge[side] for edge in edges), key=len) for side in (0, 1))
        wider = [_widened(t.text, g, left, right) for t, g in zip(texts, given, strict=True)]
        wanted = [span for span in wider if span is not None]
        if len(wanted) < len(texts):
            return None
    return None


def _edges(encoded: Encoded, given: tuple[int, int], found: TokenSpan) -> tuple[str, str]:
    left = encoded.text[min(found.start, given[0]) : given[0]].lstrip()
    return left, encoded.text[given[1] : max(found.stop, given[1])].rstrip()


def _widened(text: str, given: tuple[int, int], left: str, right: str) -> tuple[int, int] | None:
    start, stop = given[0] - len(left), given[1] + len(right)
    fits = start >= 0 and text[start : given[0]] == left and text[given[1] : stop] == right
    return (start, stop) if fits else None
