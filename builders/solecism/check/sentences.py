"""Checks of how the sentences of pairs are written: each flags the pairs of a batch that it concerns.

The docstring of a check is its message and, below, what to do about it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from solecism.check.batch import Batch, Flags, Ints, Text
from solecism.check.scripts import SCRIPTS
from solecism.words.orthography import FINAL

__all__ = ["bad_spacing", "marker_left", "mixed_letters", "no_capital", "no_final_mark", "not_nfc"]

SPACE = 32
MARKS = ",.;:!?…)。，、；：？！»"
SPACED = {"fr": ";:!?»"}
"""Marks that a language writes with a space before them."""


def _either(batch: Batch, judge: Callable[[Text], Flags]) -> Flags:
    good, bad = batch.sentences
    return judge(good) | judge(bad)


def _codes(text: str) -> Ints:
    return np.array([ord(char) for char in text], dtype=np.int64)


def marker_left(batch: Batch) -> Flags:
    """A sentence holds characters of the private use area.

    They mark words while a sentence is made and should be gone: a fault of the engine, or of a lexicon
    that holds such characters (U+E000 to U+F8FF). Report it with the template.
    """

    def judge(text: Text) -> Flags:
        if text.highest < 0xE000:
            return batch.none()
        return text.flags(np.flatnonzero((text.chars >= 0xE000) & (text.chars <= 0xF8FF)))

    tokens = judge(batch.text("tokens_good")) | judge(batch.text("tokens_bad"))
    return _either(batch, judge) | tokens


def not_nfc(batch: Batch) -> Flags:
    """A sentence is not in Unicode normal form C.

    A combining mark meets a letter where two words are written together. Write the letter composed.
    """

    def judge(text: Text) -> Flags:
        if unicodedata.is_normalized("NFC", text.joined):
            return batch.none()
        return np.array([not unicodedata.is_normalized("NFC", value) for value in text.values])

    return _either(batch, judge)


def bad_spacing(batch: Batch) -> Flags:
    """A sentence has a space too many.

    Two spaces in a row, one at an end, or one before a mark of punctuation (French `;`, `:`, `!`, `?` and
    `»` may have one). Look for spaces inside a form or a property that is printed.
    """
    marks = _codes("".join(set(MARKS) - set(SPACED.get(batch.paradigm.language, ""))))
    wrong = np.append(marks, SPACE)

    def judge(text: Text) -> Flags:
        places = np.flatnonzero(text.chars == SPACE)
        inside = places[places + 1 < len(text.chars)]
        inside = inside[np.isin(text.chars[inside + 1], wrong)]
        inside = inside[text.rows(inside) == text.rows(inside + 1)]
        flags = text.flags(inside)
        flags |= (_ends(text, 0) == SPACE) | (_ends(text, -1) == SPACE)
        return flags

    return _either(batch, judge)


def _ends(text: Text, place: int) -> Ints:
    """The first (0) or last (-1) character of each text; 0 where it is empty."""
    out = np.zeros(len(text), dtype=np.int64)
    full = text.lengths > 0
    at = text.starts if place == 0 else text.starts + text.lengths - 1
    out[full] = text.chars[at[full]]
    return out


def no_final_mark(batch: Batch) -> Flags:
    """A sentence ends without a full stop.

    The orthography has a stop, and the sentence ends in no mark of `.?!…。？！`. An empty sentence is
    reported here too.
    """
    if not batch.spelling.stop:
        return _either(batch, lambda text: text.lengths == 0)
    marks = _codes("".join(FINAL) + batch.spelling.stop[-1:])
    return _either(batch, lambda text: ~np.isin(_ends(text, -1), marks))


def no_capital(batch: Batch) -> Flags:
    """A sentence begins with a small letter.

    The orthography asks for capitals (`capital yes`). Look at what the line begins with.
    """
    if not batch.spelling.capital:
        return batch.none()

    def judge(text: Text) -> Flags:
        first, which = np.unique(_ends(text, 0), return_inverse=True)
        small = np.array([_has_capital(chr(code)) for code in first.tolist()])
        return np.asarray(small[which])

    return _either(batch, judge)


def _has_capital(char: str) -> bool:
    upper = char.upper()
    return char.islower() and len(upper) == 1 and upper != char


def mixed_letters(batch: Batch) -> Flags:
    """A word of a sentence mixes Latin, Greek and Cyrillic letters.

    Letters that look alike are not the same to a model. Type the word anew, in the lexicon or in the
    line of the template.
    """

    def judge(text: Text) -> Flags:
        if text.highest < 0x370:
            return batch.none()
        kind = _script_numbers()[np.minimum(text.chars, 0x1FFF)]
        mixed = (kind[:-1] != kind[1:]) & (kind[:-1] > 0) & (kind[1:] > 0)
        places = np.flatnonzero(mixed)
        return text.flags(places[text.rows(places) == text.rows(places + 1)])

    return _either(batch, judge)


@cache
def _script_numbers() -> NDArray[np.uint8]:
    """The number of the script of each code point below U+2000 (0: none of the three)."""
    out = np.zeros(0x2000, dtype=np.uint8)
    for number, ranges in enumerate(SCRIPTS.values(), 1):
        for first, last in zip(ranges[::3], ranges[2::3], strict=True):
            out[ord(first) : ord(last) + 1] = number
    out[0x1FFF] = 0
    return out
