"""The critical word of a minimal pair, and whether a word-level model knows it."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.contrast import differing_span, differing_words

__all__ = ["OUT_OF_VOCABULARY", "Critical", "critical_words", "unknown_critical"]

Place = tuple[int, int]
_COLUMNS = (
    "sentence_good", "sentence_bad", "one_prefix_method", "one_prefix_prefix",
    "one_prefix_word_good", "one_prefix_word_bad", "tokens_good", "tokens_bad",
)  # fmt: skip


@dataclass(frozen=True)
class Critical:
    """Both sentences of a pair, and the characters of the word in which they differ."""

    good: str
    bad: str
    good_at: Place
    bad_at: Place


def critical_words(pairs: pa.Table) -> list[Critical | None]:
    """Return the critical word of each pair, None where the sentences differ in more than one word.

    They come from the columns of the one-prefix method where the pair has them, else from the words
    of the sentences (in a script without blanks, from ``tokens_good`` and ``tokens_bad``).
    """
    names = [name for name in _COLUMNS if name in pairs.column_names]
    return [_given(row) or _derived(row) for row in pairs.select(names).to_pylist()]


def _given(row: dict[str, Any]) -> Critical | None:
    """Return the words of the columns, if they follow the prefix and the rest is the same."""
    if not row.get("one_prefix_method") or row.get("one_prefix_prefix") is None:
        return None
    places = []
    for side in ("good", "bad"):
        word = row.get(f"one_prefix_word_{side}")
        place = word and _after(row[f"sentence_{side}"], row["one_prefix_prefix"], word)
        if not place:
            return None
        places.append(place)
    return _checked(row, *places)


def _after(text: str, prefix: str, word: str) -> Place | None:
    if not text.startswith(prefix):
        return None
    start = len(prefix)
    while start < len(text) and text[start].isspace():
        start += 1
    return (start, start + len(word)) if text.startswith(word, start) else None


def _checked(row: dict[str, Any], ours: Place, theirs: Place) -> Critical | None:
    """Return a critical word if the sentences are the same before and after it."""
    good, bad = row["sentence_good"], row["sentence_bad"]
    same = good[: ours[0]] == bad[: theirs[0]] and good[ours[1] :] == bad[theirs[1] :]
    return Critical(good, bad, ours, theirs) if same else None


def _words(text: str, tokens: str | None) -> list[Place]:
    """Return the places of the words, punctuation included."""
    if tokens and " " in tokens and not re.search(r"\s", text.strip()):
        return _located(text, tokens.split())
    return [match.span() for match in re.finditer(r"\S+", text)]


def _located(text: str, tokens: list[str]) -> list[Place]:
    """Return the places of tokens in a script without blanks, else the whole text."""
    places, end = [], 0
    for token in tokens:
        start = text.find(token, end)
        if start < 0:
            return [(0, len(text))]
        end = start + len(token)
        places.append((start, end))
    return places


def _derived(row: dict[str, Any]) -> Critical | None:
    """Return the only word that differs, without the punctuation that both sides share."""
    good, bad = row["sentence_good"], row["sentence_bad"]
    ours, theirs = _words(good, row.get("tokens_good")), _words(bad, row.get("tokens_bad"))
    apart = differing_span([good[slice(*at)] for at in ours], [bad[slice(*at)] for at in theirs])
    one, other = ours[apart[0]], theirs[apart[1]]
    if len(one) != 1 or len(other) != 1:
        return None
    return _checked(row, *_bare(good, bad, one[0], other[0]))


def _bare(good: str, bad: str, one: Place, other: Place) -> tuple[Place, Place]:
    """Take punctuation off both ends as long as both words have the same."""
    (start, end), (begin, stop) = one, other
    while _same_mark(good, bad, start, begin) and start + 1 < end and begin + 1 < stop:
        start, begin = start + 1, begin + 1
    while _same_mark(good, bad, end - 1, stop - 1) and start + 1 < end and begin + 1 < stop:
        end, stop = end - 1, stop - 1
    return (start, end), (begin, stop)


def _same_mark(good: str, bad: str, one: int, other: int) -> bool:
    return good[one] == bad[other] and not re.match(r"\w", good[one])


OUT_OF_VOCABULARY = "out of vocabulary"
"""The reason given for skipping a pair with an unknown critical word."""


def unknown_critical(pairs: pa.Table, vocabulary: Container[str]) -> NDArray[np.bool_]:
    """Mark the pairs (columns ``tokens_good``, ``tokens_bad``) of which a critical word is unknown.

    To a word-level model such a word is ``<unk>``, so a score would say nothing of its form
    (Mueller et al. 2020, appendix D); unknown words that both sentences share do no harm. Null
    tokens count as unknown.
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
