"""Sentences as token ids with character offsets, and the tokens that a stretch of text is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from solecism.scoring.models import Loaded

__all__ = ["Encoded", "Span", "encode", "find_span"]

Ids = np.ndarray[Any, np.dtype[np.int32]]
_BATCH = 1024


@dataclass(frozen=True, eq=False)
class Encoded:
    """A tokenised text.

    ``ids``: int32; ``offsets``: characters of ``text`` (end exclusive) of each token; ``special``: whether
    the tokenizer added it; ``words``: number of the word it belongs to (``None`` for added ones).
    """

    text: str
    ids: Ids
    offsets: list[tuple[int, int]]
    special: list[int]
    words: list[int | None]


@dataclass(frozen=True)
class Span:
    """Tokens ``start`` to ``stop`` (exclusive); ``aligned``: they cover the text asked for and no more."""

    start: int
    stop: int
    aligned: bool

    def __len__(self) -> int:
        return self.stop - self.start


def encode(loaded: Loaded, texts: Sequence[str]) -> Iterator[Encoded]:
    """Tokenise texts in batches, special tokens added, nothing cut off."""
    for start in range(0, len(texts), _BATCH):
        batch = list(texts[start : start + _BATCH])
        found = loaded.tokenizer(
            batch, add_special_tokens=True, padding=False, truncation=False, verbose=False
        )
        for text, one in zip(batch, found.encodings, strict=True):
            ids = np.array(one.ids, np.int32)
            words = _words(text, one.offsets, one.special_tokens_mask, one.word_ids)
            yield Encoded(text, ids, one.offsets, one.special_tokens_mask, words)


def _words(
    text: str, offsets: list[tuple[int, int]], special: list[int], given: list[int | None]
) -> list[int | None]:
    """The tokenizer's own words; those between blanks where it tells none apart."""
    numbers = {w for w, added in zip(given, special, strict=True) if not added}
    if numbers - {None} and (len(numbers) > 1 or len(text.split()) < 2):
        return given
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    places = (_trim(text, *offset)[0] for offset in offsets)
    found = np.searchsorted(starts, list(places), side="right").tolist()
    return [None if added else n for n, added in zip(found, special, strict=True)]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Take the blanks off both ends: some tokenizers count the blank before a word as part of it."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def find_span(encoded: Encoded, start: int, end: int) -> Span | None:
    """Find the tokens of the characters ``start`` to ``end``, among them a mark of a word's beginning that
    is a token of its own (a lone ``▁``); ``None`` where no token overlaps them.
    """
    trimmed = [_trim(encoded.text, *offset) for offset in encoded.offsets]
    inside = [
        n
        for n, (first, last) in enumerate(trimmed)
        if first < end and last > start and first < last and not encoded.special[n]
    ]
    if not inside:
        return None
    low, high = inside[0], inside[-1] + 1
    aligned = trimmed[low][0] == start and max(trimmed[n][1] for n in inside) == end
    while low and not encoded.special[low - 1] and trimmed[low - 1][0] == trimmed[low - 1][1]:
        low -= 1
    return Span(low, high, aligned)
