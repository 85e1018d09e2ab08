"""The critical word of a minimal pair, and whether a word-level model knows it."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.contrast import differing_span, differing_words

__all__ = [
    "OUT_OF_VOCABULARY",
    "Critical",
    "critical_words",
    "unknown_critical",
]


Place = tuple[int, int]
_COLUMNS = (
    "sentence_good", "sentence_bad", "one_prefix_method", "one_prefix_prefix",
    "one_prefix_word_good", "one_prefix_word_bad", "tokens_good", "tokens_bad",
)  # fmt: skip


@dataclass(frozen=True)
class Critical:
    """Both sentences of a pair and the characters (end exclusive) of the word in which they differ."""

    good: str
    bad: str
    good_at: Place
    bad_at: Place


def critical_words(pairs: pa.Table) -> list[Critical | None]:
    """Find the critical words; ``None`` where the sentences differ in more than one word.

    They come from the columns of the one-prefix method where the pair has them, else from the words
    of the sentences (in a script without blanks, from ``tokens_good`` and ``tokens_bad``).
    """
    count = len(pairs)
    columns = [
        pairs[name].to_pylist() if name in pairs.column_names else [None] * count
        for name in _COLUMNS
    ]
    return [_critical(*row) for row in zip(*columns, strict=True)]


def _critical(
    good: str, bad: str, one_prefix: bool | None, prefix: str | None,
    word_good: str | None, word_bad: str | None, tokens_good: str | None, tokens_bad: str | None,
) -> Critical | None:  # fmt: skip
    found = None
    if one_prefix and prefix is not None and word_good and word_bad:
        found = _given(good, bad, prefix, word_good, word_bad)
    if found is None:
        found = _derived(good, bad, _words(good, tokens_good), _words(bad, tokens_bad))
    return found


def _given(good: str, bad: str, prefix: str, word_good: str, word_bad: str) -> Critical | None:
    """The words of the columns, where they stand after the prefix and the rest is the same."""
    places = [_after(good, prefix, word_good), _after(bad, prefix, word_bad)]
    if places[0] is None or places[1] is None:
        return None
    return _checked(good, bad, places[0], places[1])


def _after(text: str, prefix: str, word: str) -> Place | None:
    if not text.startswith(prefix):
        return None
    start = len(prefix)
    while start < len(text) and text[start].isspace():
        start += 1
    return (start, start + len(word)) if text.startswith(word, start) else None


def _checked(good: str, bad: str, good_at: Place, bad_at: Place) -> Critical | None:
    same = good[: good_at[0]] == bad[: bad_at[0]] and good[good_at[1] :] == bad[bad_at[1] :]
    return Critical(good, bad, good_at, bad_at) if same else None


def _words(text: str, tokens: str | None) -> list[Place]:
    """The places of the words, punctuation included."""
    if tokens and " " in tokens and not re.search(r"\s", text.strip()):
        return _located(text, tokens.split())
    return [match.span() for match in re.finditer(r"\S+", text)]


def _located(text: str, tokens: list[str]) -> list[Place]:
    """The places of the tokens of a script without blanks; the whole text where they are not found."""
    places, end = [], 0
    for token in tokens:
        start = text.find(token, end)
        if start < 0:
            return [(0, len(text))]
        end = start + len(token)
        places.append((start, end))
    return places


def _derived(
    good: str, bad: str, words_good: list[Place], words_bad: list[Place]
) -> Critical | None:
    """The only words that differ, less the punctuation that they share."""
    ours, theirs = differing_span(
        [good[slice(*place)] for place in words_good], [bad[slice(*place)] for place in words_bad]
    )
    one, other = words_good[ours], words_bad[theirs]
    if len(one) != 1 or len(other) != 1:
        return None
    return _checked(good, bad, *_bare(good, bad, one[0], other[0]))


def _bare(good: str, bad: str, one: Place, other: Place) -> tuple[Place, Place]:
    """Take punctuation off both ends as long as both words have the same."""
    (start, end), (begin, stop) = one, other
    while _same_mark(good, bad, start, begin) and start + 1 < end and begin + 1 < stop:
        start, begin = start + 1, begin + 1
    while _same_mark(good, bad, end - 1, stop - 1) and start + 1 < end and begin + 1 < stop:
        end, stop = end - 1, stop - 1
    return (start, end), (begin, stop)


def _same_mark(good: str, bad: str, one: int, other: int) -> bool:
    return good[one] == bad[other] and not _of_word(good[one])


def _of_word(sign: str) -> bool:
    return bool(re.match(r"\w", sign))


OUT_OF_VOCABULARY = "out of vocabulary"
"""The reason given for skipping a pair with an unknown critical word."""


def unknown_critical(pairs: pa.Table, vocabulary: Container[str]) -> NDArray[np.bool_]:
    """Mark the pairs (columns ``tokens_good``, ``tokens_bad``) of which a critical word is unknown.

    To a word-level model such a word is ``<unk>``, so a score would say nothing of its form (Mueller et al.
    2020, appendix D); unknown words that both sentences share do no harm. Null tokens count as unknown.
    """
    known: dict[str, bool] = {}

    def unknown(word: str) -> bool:
        if word not in known:
            known[word] = word in vocabulary
        return not known[word]

    columns = (pairs[name].to_pylist() for name in ("tokens_good", "tokens_bad"))
    rows = zip(*columns, strict=True)
    found = (
        not g or not b or any(map(unknown, differing_words(g.split(), b.split()))) for g, b in rows
    )
    return np.fromiter(found, bool, pairs.num_rows)
