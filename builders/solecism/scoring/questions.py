"""Questions to masked models: the log probability of tokens in sentences with masks."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from solecism.scoring.encoding import Encoded
from solecism.scoring.results import without_nulls


class MaskedRow(NamedTuple):
    """Token ids with masks put in, and the place (from 0) whose distribution is wanted."""

    ids: tuple[int, ...]
    position: int


Variant = Literal["original", "within_word_l2r", "span"]

Question = tuple[MaskedRow, int]
"""What is the probability of this token at the place of this row?"""

Memo = dict[Question, float]
"""Answers that are known."""


def questions_about(
    encoded: Encoded, first: int, last: int, mask: int, variant: Variant
) -> Iterator[Question]:
    """Ask about each of the tokens ``first:last``, masked in turn; added tokens are not asked.

    ``original`` (Salazar et al. 2020, section 2) masks one token at a time; ``within_word_l2r``
    (Kauf and Ivanova 2023, section 3) masks the later tokens of the same word as well, ``span`` all
    up to ``last``.
    """
    ids, words = tuple(encoded.ids), encoded.words
    ends = [last if variant == "span" else place + 1 for place in range(len(ids))]
    if variant == "within_word_l2r":
        for place in range(len(words) - 2, -1, -1):
            if words[place] is not None and words[place] == words[place + 1]:
                ends[place] = ends[place + 1]
    for place in range(first, last):
        if not encoded.special[place]:
            end = ends[place]
            masked = (*ids[:place], *[mask] * (end - place), *ids[end:])
            yield MaskedRow(masked, place), ids[place]


class ScoredTexts:
    """What is noted of pairs beside their scores.

    ``tokens`` (2, items): the number of tokens of each side; ``texts``: the text of each side as it
    is scored; ``skipped``: why a pair is not scored, or None.
    """

    def __init__(self, count: int) -> None:
        self.skipped: list[str | None] = [None] * count
        self.tokens = np.zeros((2, count), np.int32)
        self.texts = [[""] * count, [""] * count]

    def measure(self, number: int, texts: tuple[str, str], tokens: Iterable[int]) -> None:
        """Note the scored texts of an item, and their numbers of tokens."""
        self.tokens[:, number] = list(tokens)
        self.texts[0][number], self.texts[1][number] = texts


def windows(tables: Iterable[pa.Table], rows: int) -> Iterator[tuple[pa.Table, Memo]]:
    """Yield tables in pieces of at most ``rows``; those of one table share what is known."""
    for table in tables:
        memo: Memo = {}
        for start in range(0, len(table), rows):
            yield without_nulls(table.slice(start, rows)), memo
