"""Catch trials: sentences whose words stand in no order, made from the data.

A person who reads cannot take them for sentences, whatever is thought of the pairs themselves. So
they say who read, and they teach nobody the labels of the data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from solecism.hashing import text_hashes

__all__ = ["LEAST", "scramble", "words_of_sentence"]

LEAST = 4
"""The fewest words that make a catch trial."""

_END = re.compile(r"[\s.!?。！？…]+$")
_TRIES = 200


def words_of_sentence(sentence: str, tokens: str | None = None) -> list[str]:
    """Return the words between spaces; of a text without spaces its tokens, else its characters.

    >>> words_of_sentence("The pilot laughs.")
    ['The', 'pilot', 'laughs']
    """
    text = _END.sub("", sentence)
    words = text.split()
    if len(words) > 1:
        return words
    parts = [token for token in (tokens or "").split() if token in text]
    return parts if len(parts) > 1 else list(text)


def scramble(sentence: str, tokens: str | None = None, seed: int = 0) -> str | None:
    """Return the words of a sentence in an order that leaves no two neighbours together.

    The shortest word, which is mostly a function word, comes last, the first word is another one,
    and the mark at the end stays. None: the sentence has too few words, or too few that differ.

    >>> scramble("The author near the pilots laughs.")
    'Pilots the laughs near author the.'
    """
    words = words_of_sentence(sentence, tokens)
    lowered = [words[0][:1].lower() + words[0][1:], *words[1:]] if words else []
    if len(set(lowered)) < LEAST:
        return None
    last = min(range(len(lowered)), key=lambda place: (len(lowered[place]), -place))
    for attempt in range(_TRIES):
        order = _order(lowered, f"{seed} {attempt} {sentence}", last)
        if _apart(order, lowered):
            return _written([lowered[place] for place in order], sentence)
    return None


def _order(words: Sequence[str], salt: str, last: int) -> list[int]:
    hashes = text_hashes(f"{salt} {place}" for place in range(len(words))).tolist()
    places = [place for place in range(len(words)) if place != last]
    return [*sorted(places, key=lambda place: hashes[place]), last]


def _apart(order: Sequence[int], words: Sequence[str]) -> bool:
    """Return whether no two neighbours were neighbours before, and the first word is a new one."""
    before = set(pairwise(words))
    now = [words[place] for place in order]
    return now[0] != words[0] and not before & set(pairwise(now))


def _written(words: Sequence[str], like: str) -> str:
    """Return words as a text with the spaces, the capital and the end of another."""
    text = (" " if " " in _END.sub("", like) else "").join(words)
    end = _END.search(like)
    first = text[:1].upper() if like[:1].isupper() else text[:1]
    return first + text[1:] + (end[0] if end else "")
