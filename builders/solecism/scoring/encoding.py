"""From characters to tokens: tokenised texts, and the tokens of the words that a method compares.

A tokenizer may merge characters across the boundary of a word. The span of the word is then widened
until it begins and ends between tokens, by as little as possible, and by the same characters in all
texts that are compared. If that is impossible, the item cannot be compared. The critical word of a
minimal pair is the one in which its sentences differ.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import repeat, takewhile
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.contrast import differing_span, differing_words
from solecism.schema import ItemRow

Place = tuple[int, int]
"""The first and the last character (exclusive) of a part of a text."""

_BATCH = 1024
_PAIR_COLUMNS = (
    "sentence_good", "sentence_bad", "one_prefix_method", "one_prefix_prefix",
    "one_prefix_word_good", "one_prefix_word_bad", "tokens_good", "tokens_bad",
)  # fmt: skip


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
    """Return each of the texts tokenised; texts that are equal are tokenised once.

    ``special``: include the tokens that the tokenizer adds, such as BOS; ``offsets``: include the
    characters of each token.
    """
    distinct = list(dict.fromkeys(texts))
    known: dict[str, Encoded] = {}
    for start in range(0, len(distinct), _BATCH):
        batch = distinct[start : start + _BATCH]
        found = tokenizer(
            batch,
            add_special_tokens=special,
            return_offsets_mapping=offsets,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
        places = found["offset_mapping"] if offsets else repeat(())
        for text, ids, at, one in zip(batch, found["input_ids"], places, found.encodings):  # noqa: B905
            known[text] = Encoded(text, ids, at)
            if special:
                added = one.special_tokens_mask
                words = _words(text, one.offsets, added, one.word_ids)
                known[text] = Encoded(text, ids, at, added, words)
    return [known[text] for text in texts]


def _words(
    text: str, offsets: Sequence[Place], special: Sequence[int], given: Sequence[int | None]
) -> Sequence[int | None]:
    """Return the number of each token's word, None for tokens that the tokenizer added.

    Words are the tokenizer's own, ``given``. If it gives none, or calls a text of several words
    one word, they are what stands between blanks.
    """
    numbers = {w for w, added in zip(given, special, strict=True) if not added}
    if numbers - {None} and (len(numbers) > 1 or len(text.split()) < 2):
        return given
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    places = (_trimmed(text, *offset)[0] for offset in offsets)
    found = np.searchsorted(starts, list(places), side="right").tolist()
    return [None if added else n for n, added in zip(found, special, strict=True)]


def _trimmed(text: str, start: int, stop: int) -> Place:
    """Return the place ``start:stop`` of a text without the blanks at its ends."""
    while start < stop and text[start].isspace():
        start += 1
    while start < stop and text[stop - 1].isspace():
        stop -= 1
    return start, stop


def words_of(words: Sequence[str]) -> Encoded:
    """Return a text of the words, with spaces between them, of which each word is a token."""
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
    first, last = touching[0], touching[-1]
    wider = encoded.offsets[first][0], encoded.offsets[last][1]
    if wider != (start, stop):  # others may share a character with these (byte-level vocabularies)
        return covering(encoded, *wider)
    return TokenSpan(first, last + 1, start, stop)


def exactly(encoded: Encoded, start: int, stop: int) -> TokenSpan | None:
    """Return the tokens that cover characters ``start:stop`` and no others, blanks aside.

    If the mark of a word's beginning is a token of its own (a lone ``▁``), it is included.
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
    """Return the tokens that cover the ``given`` place of each text, or None if they do not exist.

    If a place must be widened to reach the edge of a token, the places of all texts are widened by
    the same characters, as few as possible. Space at the edges does not count. The result is None
    where another text does not have these characters.
    """
    left = right = ""
    for _ in range(sum(len(text.text) for text in texts) + 1):
        spans, edges = [], []
        for encoded, (start, stop) in zip(texts, given, strict=True):
            text, first, last = encoded.text, start - len(left), stop + len(right)
            fits = first >= 0 and text[first:start] == left and text[stop:last] == right
            span = covering(encoded, first, last) if fits else None
            if span is None:
                return None
            spans.append(span)
            before, after = text[min(span.start, start) : start], text[stop : max(span.stop, stop)]
            edges.append((before.lstrip(), after.rstrip()))
        if len(set(edges)) <= 1:
            return spans
        left, right = (max((edge[side] for edge in edges), key=len) for side in (0, 1))
    return None


@dataclass(frozen=True)
class Critical:
    """Both sentences of a pair, and the characters of the word in which they differ."""

    good: str
    bad: str
    good_at: Place
    bad_at: Place


def critical_words(pairs: pa.Table) -> list[Critical | None]:
    """Return the critical word of each pair, or None if its sentences differ in more than one word.

    The words come from the columns of the one-prefix method where the pair has them, else from the
    words of the sentences (in a script without blanks, from ``tokens_good`` and ``tokens_bad``).
    """
    names = [name for name in _PAIR_COLUMNS if name in pairs.column_names]
    return [
        _same_beside(row, _given_words(row)) or _same_beside(row, _only_different_words(row))
        for row in pairs.select(names).to_pylist()
    ]


def _same_beside(row: ItemRow, places: tuple[Place, Place] | None) -> Critical | None:
    """Return the words at ``places`` as critical if all before and after them is the same."""
    if places is None:
        return None
    good, bad, (one, other) = row["sentence_good"], row["sentence_bad"], places
    same = good[: one[0]] == bad[: other[0]] and good[one[1] :] == bad[other[1] :]
    return Critical(good, bad, one, other) if same else None


def _given_words(row: ItemRow) -> tuple[Place, Place] | None:
    """Return where the words of the one-prefix columns stand, or None if they do not follow it."""
    prefix = row.get("one_prefix_prefix") if row.get("one_prefix_method") else None
    places = []
    for side in ("good", "bad"):
        text, word = row[f"sentence_{side}"], row.get(f"one_prefix_word_{side}")
        if prefix is None or not word or not text.startswith(prefix):
            return None
        start = len(text) - len(text[len(prefix) :].lstrip())
        if not text.startswith(word, start):
            return None
        places.append((start, start + len(word)))
    return places[0], places[1]


def _only_different_words(row: ItemRow) -> tuple[Place, Place] | None:
    """Return where the only differing word stands in each sentence, or None if there are more.

    Punctuation at its edges that both sides share is left out.
    """
    sides = [(row[f"sentence_{side}"], row.get(f"tokens_{side}")) for side in ("good", "bad")]
    (good, bad), (ours, theirs) = (side[0] for side in sides), (_places(*side) for side in sides)
    apart = differing_span([good[slice(*at)] for at in ours], [bad[slice(*at)] for at in theirs])
    one, other = ours[apart[0]], theirs[apart[1]]
    if len(one) != 1 or len(other) != 1:
        return None
    (start, end), (begin, stop) = one[0], other[0]
    left = _shared_marks(good[start:end], bad[begin:stop])
    right = _shared_marks(good[start + left : end][::-1], bad[begin + left : stop][::-1])
    return (start + left, end - right), (begin + left, stop - right)


def _shared_marks(one: str, other: str) -> int:
    """Return how many punctuation marks two words share at their beginning.

    The last character of each word is never counted, so that something of the word is left.
    """
    both = takewhile(lambda pair: pair[0] == pair[1], zip(one[:-1], other[:-1], strict=False))
    return sum(1 for _ in takewhile(lambda pair: not re.match(r"\w", pair[0]), both))


def _places(text: str, tokens: str | None) -> list[Place]:
    """Return where each word of a text stands, its punctuation included.

    ``tokens`` separates the words of a text without blanks. If it is not of this text, the whole
    text is one word.
    """
    if not tokens or " " not in tokens or re.search(r"\s", text.strip()):
        return [match.span() for match in re.finditer(r"\S+", text)]
    places, end = [], 0
    for token in tokens.split():
        start = text.find(token, end)
        if start < 0:
            return [(0, len(text))]
        end = start + len(token)
        places.append((start, end))
    return places


OUT_OF_VOCABULARY = "out of vocabulary"
"""The reason given for skipping a pair with an unknown critical word."""


def unknown_critical(pairs: pa.Table, vocabulary: Container[str]) -> NDArray[np.bool_]:
    """Return a Boolean array that marks pairs with a critical word outside the vocabulary.

    Words are those of the columns ``tokens_good`` and ``tokens_bad``. To a word-level model a
    word outside its vocabulary is ``<unk>``, so a score would say nothing of its form (Mueller et
    al. 2020, appendix D); unknown words that both sentences share do no harm. Null tokens count as
    unknown.
    """
    columns = (pairs[name].to_pylist() for name in ("tokens_good", "tokens_bad"))
    found = (
        not good
        or not bad
        or any(word not in vocabulary for word in differing_words(good.split(), bad.split()))
        for good, bad in zip(*columns, strict=True)
    )
    return np.fromiter(found, bool, pairs.num_rows)
