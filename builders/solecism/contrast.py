"""Where two sentences differ.

Sentences are sequences of words (or of characters, or of whatever else can be compared). Only
:func:`count_differing` works on whole columns at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import regex
from numpy.typing import NDArray

from solecism.grouping import Ints
from solecism.texts import TextBytes, pieces

__all__ = [
    "count_changes", "count_differing", "differing_parts", "differing_span", "differing_words",
    "shared_start", "surplus",
]  # fmt: skip

_PIECES = regex.compile(
    r"(?s)[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*|[\w\p{M}]+?"
    r"(?=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[^\w\p{M}]|$)|."
)
"""Words, characters of scripts without spaces, and each other character."""

T = TypeVar("T", bound=Hashable)


def shared_start(a: Sequence[object], b: Sequence[object]) -> int:
    """Return the number of items that two sequences share before the first that differs."""
    count = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        count += 1
    return count


def differing_span(a: Sequence[object], b: Sequence[object]) -> tuple[slice, slice]:
    """Return the part of each sequence between the start and the end that both share.

    An item belongs to the shared start rather than to the shared end where it could be in either.

    >>> differing_span("no dog sleeps here".split(), "dogs sleep here".split())
    (slice(0, 3, None), slice(0, 2, None))
    """
    start = shared_start(a, b)
    most = min(len(a), len(b)) - start
    end = shared_start(a[-1 : -most - 1 : -1], b[-1 : -most - 1 : -1]) if most else 0
    return slice(start, len(a) - end), slice(start, len(b) - end)


def surplus(a: Sequence[T], b: Sequence[T]) -> tuple[list[T], list[T]]:
    """Return the items that one sequence has more often than the other, sorted by their text.

    >>> surplus("a dog saw the dog".split(), "the dog saw".split())
    (['a', 'dog'], [])
    """
    ours, theirs = Counter(a), Counter(b)
    return sorted((ours - theirs).elements(), key=str), sorted((theirs - ours).elements(), key=str)


def differing_words(a: Sequence[str], b: Sequence[str]) -> set[str]:
    """Return the words that one sentence has more often than the other.

    Of sentences with the same words in another order, return the words that changed places.

    >>> sorted(differing_words("the author laughs".split(), "the author laugh".split()))
    ['laugh', 'laughs']
    """
    ours, theirs = differing_span(a, b)
    a, b = a[ours], b[theirs]
    more, less = surplus(a, b)
    pairs = zip(a, b, strict=False)
    return {*more, *less} or {word for pair in pairs if pair[0] != pair[1] for word in pair}


def differing_parts(a: str, b: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Return two sentences in parts, each with whether it differs from the other sentence.

    A part is words, or characters where a script has no spaces, as many as differ or are shared.

    >>> differing_parts("The author laughs.", "The author laugh.")[1]
    [('The author ', False), ('laugh', True), ('.', False)]
    """
    ours, theirs = (_PIECES.findall(text) for text in (a, b))
    parts: tuple[list[tuple[str, bool]], list[tuple[str, bool]]] = ([], [])
    for kind, *ends in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        texts = "".join(ours[ends[0] : ends[1]]), "".join(theirs[ends[2] : ends[3]])
        for side, text in zip(parts, texts, strict=True):
            if text:
                side.append((text, kind != "equal"))
    return parts


def count_changes(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the number of places in which words are replaced, added or left out.

    >>> count_changes("the dog sleeps here".split(), "a dog sleep here".split())
    2
    """
    codes = SequenceMatcher(a=a, b=b, autojunk=False).get_opcodes()
    return sum(code[0] != "equal" for code in codes)


def count_differing(good: pa.StringArray, bad: pa.StringArray) -> NDArray[np.int64]:
    """Return, row by row, how many words differ in the same place (words are split at spaces).

    The number is -1 where the two sentences have not the same number of words.

    >>> count_differing(pa.array(["a dog sleeps", "a"]), pa.array(["a dog sleep", "a dog"]))
    array([ 1, -1])
    """
    (ours, count), (theirs, other) = _words(good), _words(bad)
    same = count == other
    if not same.all():
        ours = ours.filter(pa.array(np.repeat(same, count)))
        theirs = theirs.filter(pa.array(np.repeat(same, other)))
    out = np.full(len(good), -1, dtype=np.int64)
    if same.any():
        differ = pc.not_equal(ours, theirs).to_numpy(zero_copy_only=False)
        ends = np.cumsum(count[same])
        out[same] = np.add.reduceat(differ.astype(np.int64), ends - count[same])
    return out


def _words(texts: pa.StringArray) -> tuple[pa.StringArray, Ints]:
    """Return all words, each with the space before it, and the number of words of each text."""
    data, bounds = TextBytes.of(texts)
    spaces = np.flatnonzero(data == ord(" "))
    # a text begins after all spaces of the texts before it, and so many words
    firsts = np.searchsorted(spaces, bounds) + np.arange(len(bounds))
    inside = np.ones(len(spaces) + len(bounds), dtype=bool)
    inside[firsts] = False
    starts = np.empty(len(inside), dtype=np.intp)
    starts[firsts], starts[inside] = bounds, spaces
    return pieces(data, starts), np.diff(firsts)
