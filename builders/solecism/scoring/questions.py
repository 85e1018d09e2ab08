"""Questions to masked models: the log probability of tokens in sentences with masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from solecism.scoring.encoding import Encoded
from solecism.scoring.results import scores_table, without_nulls

Ids = np.ndarray[Any, np.dtype[np.int32]]


class MaskedRow(NamedTuple):
    """Token ids with masks put in, and the place (from 0) whose distribution is wanted."""

    ids: Ids
    position: int


Memo = dict[tuple[bytes, int], float]
"""Answers that are known, by row and token."""


@dataclass(eq=False)
class Questions:
    """Questions of ``count`` owners (sentences, or items), each about a token in a row.

    Question ``i`` is about ``tokens[i]`` in the row ``places[i]``; its owner is ``owners[i]``.
    Equal rows are one row.
    """

    count: int
    rows: list[MaskedRow] = field(default_factory=list)
    index: dict[bytes, int] = field(default_factory=dict)
    places: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)

    def ask(self, owner: int, ids: Ids, position: int, token: int) -> None:
        """Add a question; ``ids`` is a fresh array with the masks put in."""
        key = ids.tobytes() + position.to_bytes(4, "little")
        number = self.index.setdefault(key, len(self.rows))
        if number == len(self.rows):
            self.rows.append(MaskedRow(ids, position))
        self.places.append(number)
        self.tokens.append(token)
        self.owners.append(owner)


def ask_words(
    questions: Questions, owner: int, encoded: Encoded, first: int, last: int, mask: int,
    variant: Literal["original", "within_word_l2r", "span"],
) -> None:  # fmt: skip
    """Ask about each of the tokens ``first:last``, masked in turn; added tokens are not asked.

    ``original`` (Salazar et al. 2020, section 2) masks one token at a time; ``within_word_l2r``
    (Kauf and Ivanova 2023, section 3) masks the later tokens of the same word as well, ``span`` all
    up to ``last``.
    """
    ids, words = np.array(encoded.ids, np.int32), encoded.words
    ends = list(range(1, len(ids) + 1))
    if variant == "within_word_l2r":
        for place in range(len(words) - 2, -1, -1):
            if words[place] is not None and words[place] == words[place + 1]:
                ends[place] = ends[place + 1]
    for place in range(first, last):
        if not encoded.special[place]:
            masked = ids.copy()
            masked[place : last if variant == "span" else ends[place]] = mask
            questions.ask(owner, masked, place, int(ids[place]))


@dataclass(eq=False)
class PairScores:
    """The good and the bad sides of items.

    ``tokens``, ``size`` (bytes) and ``chars`` are (2, items), and so is ``unigrams``, log P under a
    unigram model, if there is one.
    """

    skipped: list[str | None]
    tokens: np.ndarray[Any, Any]
    size: np.ndarray[Any, Any]
    chars: np.ndarray[Any, Any]
    unigrams: np.ndarray[Any, Any] | None = None

    @classmethod
    def of(cls, count: int) -> PairScores:
        """Return ``count`` items of which nothing is known."""
        return cls([None] * count, *(np.zeros((2, count), np.int32) for _ in range(3)))

    def measure(self, number: int, good: str, bad: str) -> None:
        """Note the lengths of the scored texts of an item."""
        self.size[:, number] = len(good.encode()), len(bad.encode())
        self.chars[:, number] = len(good), len(bad)

    def table(self, pairs: pa.Table, method: str, logp: np.ndarray[Any, Any]) -> pa.Table:
        """Return the rows of a result; ``logp`` is (2, items), too."""
        out = np.array([reason is not None for reason in self.skipped], bool)
        tokens, sizes, chars = (
            np.where(out, 0, counts) for counts in (self.tokens, self.size, self.chars)
        )
        return scores_table(
            pairs, method, np.where(out, np.nan, logp), tokens, sizes, self.skipped,
            chars=chars, unigrams=self.unigrams,
        )  # fmt: skip


def windows(tables: Iterable[pa.Table], rows: int) -> Iterator[tuple[pa.Table, Memo]]:
    """Yield tables in pieces of at most ``rows``; those of one table share what is known."""
    for table in tables:
        memo: Memo = {}
        for start in range(0, len(table), rows):
            yield without_nulls(table.slice(start, rows)), memo
