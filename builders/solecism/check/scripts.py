"""Scripts whose letters look alike, and characters that cannot be seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

__all__ = ["INVISIBLE", "SCRIPTS", "main_script", "mixed_words"]

SCRIPTS = {
    "Latin": "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f",
}
"""The scripts that have letters in common to the eye, as ranges of a regular expression."""

INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u200b\u200e\u200f\u202a-\u202f\u2060-\u206f\ufeff\ue000-\uf8ff]"
)
"""Control, private-use and invisible characters (but for U+200C and U+200D, which some scripts need)."""

_LETTERS = {name: re.compile(f"[{ranges}]") for name, ranges in SCRIPTS.items()}
_WORDS = re.compile(r"\w+")


def _scripts(word: str) -> set[str]:
    return {name for name, letters in _LETTERS.items() if letters.search(word)}


def main_script(texts: Iterable[str]) -> str:
    """Give the script that most of the texts are (partly) written in; ``""`` for none of the three."""
    counts = Counter(name for text in texts for name in _scripts(text))
    return counts.most_common(1)[0][0] if counts else ""


def mixed_words(texts: Iterable[str], own: str) -> Iterator[str]:
    """Yield words that mix scripts, and words of one letter that is not of the script ``own``."""
    for text in texts:
        for word in _WORDS.findall(text):
            found = _scripts(word)
            if len(found) > 1 or (own and len(word) == 1 and found - {own}):
                yield word
