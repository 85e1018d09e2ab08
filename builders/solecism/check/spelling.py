"""Spelling and scripts, as several checks need them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from solecism.contrast import differing_span, shared_start
from solecism.lexicon.orthography import Orthography, tokenize

__all__ = [
    "INVISIBLE", "SCRIPTS", "main_script", "mixed_words", "one_slip", "printed_as", "respellings",
    "words_apart",
]  # fmt: skip


def one_slip(a: str, b: str) -> bool:
    """Return whether two texts differ by one slip of the keyboard (Damerau 1964).

    That is a letter too many, too few or a wrong one, or two neighbours exchanged. Texts that
    differ in a digit are numbered, not misspelt.

    >>> one_slip("feminine", "femniine"), one_slip("set1", "set2")
    (True, False)
    """
    short, long = sorted((a, b), key=len)
    lead = shared_start(short, long)
    x, y = short[lead:], long[lead:]
    if a == b or (x[:1] + y[:1]).strip("0123456789") != x[:1] + y[:1]:
        return False
    if len(long) > len(short):
        return x == y[1:]
    return len(long) == len(short) and (x[1:] == y[1:] or (x[:2] == y[1::-1] and x[2:] == y[2:]))


@lru_cache(maxsize=1 << 14)
def respellings(word: str, spelling: Orthography) -> frozenset[str]:
    """Return a word and the texts that spelling rules can replace it with."""
    found = {word}
    for rule in spelling.rules:
        found |= {text for known in found for text in rule.outcomes(known)}
    return frozenset(found)


def _same_word(a: str, b: str, spelling: Orthography) -> bool:
    """Return whether two printed words are the same, perhaps respelt (``je``, ``j'``)."""
    return b in respellings(a, spelling) or a in respellings(b, spelling)


def _contractions(spelling: Orthography) -> frozenset[str]:
    """Return the words that stand for two (``du``)."""
    return frozenset(r.new_left for r in spelling.rules if r.new_right is None) - {"="}


def words_apart(good: Sequence[str], bad: Sequence[str], spelling: Orthography) -> int:
    """Return in how many words two sentences differ apart from spelling rules."""
    spans = differing_span(good, bad)
    mine, other = good[spans[0]], bad[spans[1]]
    if len(mine) != len(other):
        mine, other = (_expanded(side, spelling) for side in (mine, other))
    if len(mine) != len(other):
        return max(len(mine), len(other))
    return sum(not _same_word(a, b, spelling) for a, b in zip(mine, other, strict=True))


def _expanded(words: Sequence[str], spelling: Orthography) -> list[str]:
    double = _contractions(spelling)
    return [copy for word in words for copy in [word] * (1 + (word in double))]


def printed_as(form: str, printed: str, first: bool, spelling: Orthography) -> bool:
    """Return whether ``printed`` is a form as spelling rules may have left it.

    ``first``: it begins the sentence, so a capital makes no difference.
    """
    shown = {printed}
    if first and spelling.capital:
        shown.add(printed[:1].lower() + printed[1:])
    return any(_written(form, text, spelling) for text in shown)


def _written(form: str, text: str, spelling: Orthography) -> bool:
    words, shown = form.split(), text.split()
    if len(words) == len(shown):
        return all(b in respellings(a, spelling) for a, b in zip(words, shown, strict=True))
    tokens = spelling.spell(tokenize(form))
    return text == "".join(f"{'' if t.glued else ' '}{t.text}" for t in tokens).strip()


SCRIPTS = {
    "Latin": "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f",
}
"""The scripts that have letters in common to the eye, as ranges of a regular expression."""

INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u200b\u200e\u200f\u202a-\u202f\u2060-\u206f\ufeff\ue000-\uf8ff]"
)
"""Control, private-use and invisible characters, except the joiners that some scripts need."""

_LETTERS = {name: re.compile(f"[{ranges}]") for name, ranges in SCRIPTS.items()}
_WORDS = re.compile(r"\w+")


def _scripts(word: str) -> set[str]:
    return {name for name, letters in _LETTERS.items() if letters.search(word)}


def main_script(texts: Iterable[str]) -> str:
    """Return the script that most texts are (partly) written in; ``""`` for none of the three."""
    counts = Counter(name for text in texts for name in _scripts(text))
    return counts.most_common(1)[0][0] if counts else ""


def mixed_words(texts: Iterable[str], own: str) -> Iterator[str]:
    """Yield words that mix scripts, and words of one letter that is not of the script ``own``."""
    for text in texts:
        for word in _WORDS.findall(text):
            found = _scripts(word)
            if len(found) > 1 or (own and len(word) == 1 and found - {own}):
                yield word
