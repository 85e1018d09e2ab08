"""From characters to tokens: tokenised texts, and the tokens of the words that a method compares.

A tokenizer may merge characters across the boundary of a word. The span of a word is then widened
to the smallest one that begins and ends between tokens, in all texts that are compared by the same
characters. Where there is none, the item cannot be compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

__all__ = ["Encoded", "TokenSpan", "covering", "encode", "exactly", "shared_spans", "words_of"]

Place = tuple[int, int]
"""Characters of a text, end exclusive."""

_BATCH = 1024


@dataclass(frozen=True, eq=False)
class Encoded:
    """A tokenised text.

    ``offsets`` are the characters of each token (end exclusive). ``special`` marks the tokens that
    the tokenizer added, ``words`` has the number of each token's word (None for an added one); both
    are empty where no special tokens were asked for.
    """

    text: str
    ids: Sequence[int]
    offsets: Sequence[Place]
    special: Sequence[int] = ()
    words: Sequence[int | None] = ()


@dataclass(frozen=True)
class TokenSpan:
    """Tokens ``first:last`` of a text, which cover its characters ``start:stop``."""

    first: int
    last: int
    start: int
    stop: int

    def __len__(self) -> int:
        return self.last - self.first


def encode(
    tokenizer: Any, texts: Sequence[str], *, special: bool = False, offsets: bool = True
) -> list[Encoded]:
    """Tokenise texts, each distinct one once and whole.

    ``special``: with the tokens that the tokenizer adds; ``offsets``: with the characters of each.
    """
    distinct = list(dict.fromkeys(texts))
    made = _with_special(tokenizer, distinct) if special else _plain(tokenizer, distinct, offsets)
    known = dict(zip(distinct, made, strict=True))
    return [known[text] for text in texts]


def _plain(tokenizer: Any, texts: list[str], offsets: bool) -> list[Encoded]:
    if not texts:
        return []
    found = tokenizer(
        texts,
        add_special_tokens=False,
        return_offsets_mapping=offsets,
        return_attention_mask=False,
        return_token_type_ids=False,
    )
    places = found["offset_mapping"] if offsets else repeat(())
    return [Encoded(*each) for each in zip(texts, found["input_ids"], places, strict=False)]


def _with_special(tokenizer: Any, texts: list[str]) -> list[Encoded]:
    made = []
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        found = tokenizer(
            batch, add_special_tokens=True, padding=False, truncation=False, verbose=False
        )
        for text, one in zip(batch, found.encodings, strict=True):
            added = one.special_tokens_mask
            words = _words(text, one.offsets, added, one.word_ids)
            made.append(Encoded(text, one.ids, one.offsets, added, words))
    return made


def _words(
    text: str, offsets: Sequence[Place], special: Sequence[int], given: Sequence[int | None]
) -> Sequence[int | None]:
    """Return the tokenizer's own words, or what stands between blanks where it has none."""
    numbers = {w for w, added in zip(given, special, strict=True) if not added}
    if numbers - {None} and (len(numbers) > 1 or len(text.split()) < 2):
        return given
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    places = (_trimmed(text, *offset)[0] for offset in offsets)
    found = np.searchsorted(starts, list(places), side="right").tolist()
    return [None if added else n for n, added in zip(found, special, strict=True)]


def _trimmed(text: str, start: int, stop: int) -> Place:
    """Return a place without the blanks at its ends."""
    while start < stop and text[start].isspace():
        start += 1
    while start < stop and text[stop - 1].isspace():
        stop -= 1
    return start, stop


def words_of(words: Sequence[str]) -> Encoded:
    """Return words as the tokens of a text with a space between them."""
    offsets, start = [], 0
    for word in words:
        offsets.append((start, start + len(word)))
        start += len(word) + 1
    return Encoded(" ".join(words), list(range(len(words))), offsets)


def covering(encoded: Encoded, start: int, stop: int) -> TokenSpan | None:
    """Return the smallest span of tokens that covers characters ``start:stop``, or None.

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
    # Tokens that share a character; added ones, at (0, 0), overlap nothing.
    while last < len(encoded.offsets) and max(encoded.offsets[last][0], start) < min(
        encoded.offsets[last][1], stop
    ):
        stop = max(stop, encoded.offsets[last][1])
        last += 1
    return TokenSpan(first, last, start, stop)


def exactly(encoded: Encoded, start: int, stop: int) -> TokenSpan | None:
    """Return the tokens that cover characters ``start:stop`` and no others, blanks aside.

    A mark of the beginning of a word that is a token of its own (a lone ``▁``) is among them.
    """
    found = covering(encoded, start, stop)
    if found is None or _trimmed(encoded.text, found.start, found.stop) != (start, stop):
        return None
    first = found.first
    while first and not encoded.special[first - 1]:
        if encoded.text[slice(*encoded.offsets[first - 1])].strip():
            break
        first -= 1
    return TokenSpan(first, found.last, encoded.offsets[first][0], found.stop)


def shared_spans(texts: Sequence[Encoded], given: Sequence[Place]) -> list[TokenSpan] | None:
    """Return the token span of a place of each text, all widened by the same characters.

    These are the smallest such spans: what one text needs, all are given. Space at the edges does
    not count. None where there are no such spans.
    """
    wanted = list(given)
    for _ in range(sum(len(text.text) for text in texts) + 1):
        spans = [covering(text, *place) for text, place in zip(texts, wanted, strict=True)]
        found = [span for span in spans if span is not None]
        if len(found) < len(texts):
            return None
        edges = [_edges(*each) for each in zip(texts, given, found, strict=True)]
        if len(set(edges)) <= 1:
            return found
        left, right = (max((edge[side] for edge in edges), key=len) for side in (0, 1))
        wider = [_widened(t.text, g, left, right) for t, g in zip(texts, given, strict=True)]
        wanted = [place for place in wider if place is not None]
        if len(wanted) < len(texts):
            return None
    return None


def _edges(encoded: Encoded, given: Place, found: TokenSpan) -> tuple[str, str]:
    """Return the characters by which a span is wider than the place that was given."""
    left = encoded.text[min(found.start, given[0]) : given[0]].lstrip()
    return left, encoded.text[given[1] : max(found.stop, given[1])].rstrip()


def _widened(text: str, given: Place, left: str, right: str) -> Place | None:
    """Return a place widened by these characters, None where the text has others there."""
    start, stop = given[0] - len(left), given[1] + len(right)
    fits = start >= 0 and text[start : given[0]] == left and text[given[1] : stop] == right
    return (start, stop) if fits else None
