"""Where two sentences differ, and the direction in which a text is written.

Sentences are sequences of words (or of characters, or of whatever else can be compared).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import TypeVar
from unicodedata import bidirectional

import regex

_PIECES = regex.compile(
    r"(?s)[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*|[\w\p{M}]+?"
    r"(?=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[^\w\p{M}]|$)|."
)
"""Matches a word, a character of a script without spaces, or any other character."""

T = TypeVar("T", bound=Hashable)


def _shared_start(a: Sequence[object], b: Sequence[object]) -> int:
    """Return the number of items that two sequences share before the first that differs."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((n for n, (x, y) in pairs if x != y), min(len(a), len(b)))


def differing_span(a: Sequence[object], b: Sequence[object]) -> tuple[slice, slice]:
    """Return the part of each sequence between the start and the end that both share.

    An item belongs to the shared start rather than to the shared end where it could be in either.

    >>> differing_span("no dog sleeps here".split(), "dogs sleep here".split())
    (slice(0, 3, None), slice(0, 2, None))
    """
    start = _shared_start(a, b)
    most = min(len(a), len(b)) - start
    end = _shared_start(a[-1 : -most - 1 : -1], b[-1 : -most - 1 : -1]) if most else 0
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

    A part has as many neighbouring words as differ or are shared; characters count as words in
    scripts without spaces.

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


def direction(text: str) -> str:
    """Return ``rtl`` if the first letter of a text is of a right-to-left script, otherwise ``ltr``.

    >>> direction("«שלום»"), direction("1. dog")
    ('rtl', 'ltr')
    """
    strong = (kind for kind in map(bidirectional, text) if kind in ("L", "R", "AL"))
    return "rtl" if next(strong, "L") in ("R", "AL") else "ltr"
