"""The words that a draw may print: a list of the user's, or the words of a text; how frequent they
are.

A *word* stands between spaces, without the signs at its beginning and end. A vocabulary knows a
word that it has as it is written; one that begins a sentence, also with a small letter; and one
with signs inside (*l'auteur*, *well-known*) if it knows all pieces between these, each with or
without the sign behind it.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from unicodedata import normalize

from solecism.contrast import surplus
from solecism.errors import InputError, Problem, fail
from solecism.inputs import MOST, read_source
from solecism.lexicon.orthography import Token

OUTSIDE = "outside the vocabulary"
"""Why words make no sentence: one of the forms printed is not in the vocabulary."""

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_PIECE = re.compile(r"([^\W_]+)([\W_]?)")


@dataclass(frozen=True)
class Limits:
    """What a draw may print: words of a vocabulary; words that differ and are equally frequent.

    ``apart``: by how much the Zipf frequencies of the words that differ may differ at most.
    """

    vocabulary: Vocabulary | None = None
    frequencies: Frequencies | None = None
    apart: float | None = None

    def matched(self, good: str, bad: str) -> bool:
        """Return whether what differs in two sentences is equally frequent, or is nothing."""
        if self.frequencies is None or self.apart is None:
            return True
        ours, theirs = self.frequencies.of_pair(good, bad) or (0.0, 0.0)
        return ours is not None and theirs is not None and abs(ours - theirs) <= self.apart

    @property
    def facts(self) -> dict[str, object]:
        """The entry of the manifest."""
        facts: dict[str, object] = {}
        if words := self.vocabulary:
            size = len(words.words)
            facts["vocabulary"] = {"of": words.said, "words": size, "sha256": words.digest}
        if table := self.frequencies:
            facts["frequency"] = {"of": table.said, "sha256": table.digest, "apart": self.apart}
        return facts

    @property
    def digest(self) -> str:
        """A digest of what is allowed: that of the vocabulary if there is nothing else."""
        if self.vocabulary and not self.frequencies:
            return self.vocabulary.digest
        return sha256(json.dumps(self.facts).encode()).hexdigest()


EVERYTHING = Limits()


class Vocabulary:
    """A set of words. ``said``: where they come from, for people."""

    def __init__(self, words: Iterable[str], said: str = "") -> None:
        self.words = frozenset(map(_plain, words)) - {""}
        self.said = said
        self._known: dict[str, bool] = {}

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the words, sorted, in hexadecimal."""
        return sha256("\n".join(sorted(self.words)).encode()).hexdigest()

    def knows(self, word: str) -> bool:
        """Return whether a word may be printed; what has neither letters nor numbers always may."""
        if word not in self._known:
            plain = _plain(word)
            known = all(not self.words.isdisjoint(piece) for piece in _pieces(plain))
            self._known[word] = known or plain in self.words
        return self._known[word]

    def knows_all(self, words: Sequence[str], first: bool = True) -> bool:
        """Return whether all of some words may be printed; ``first``: they begin a sentence."""
        if first and words and not self.knows(words[0]):
            words = [words[0][:1].lower() + words[0][1:], *words[1:]]
        return all(map(self.knows, words))


def words_of(tokens: Iterable[Token], spaces: bool = True) -> list[str]:
    """Return the words of some neighbouring tokens; those of a language without spaces are words.

    A word has the signs that are written together with it.
    """
    words: list[str] = []
    for token in tokens:
        if words and token.glued and spaces:
            words[-1] += token.text
        else:
            words.append(token.text)
    return words


def _plain(word: str) -> str:
    """Return a word in normal form C, without the signs around it, with straight apostrophes."""
    return _EDGES.sub("", normalize("NFC", word).replace("’", "'"))


def _pieces(word: str) -> list[tuple[str, str]]:
    """Return the pieces between the signs in a word, each without and with the sign behind it.

    A word without signs is a piece that is the word itself.
    """
    return [(piece, piece + sign) for piece, sign in _PIECE.findall(word)]


def read_vocabulary(path: Path, least: int = 0) -> Vocabulary:
    """Read a word list: a word a line, or a word, a tab and how often it occurs.

    ``least``: words that occur more seldom are left out. Raises :class:`InputError` for a count
    that is no number, and for a ``least`` without counts.
    """
    counts, problems = Counter[str](), list[Problem]()
    for number, line in enumerate(read_source(path).split("\n"), 1):
        word, tab, count = line.strip().partition("\t")
        if tab and not count.isdecimal():
            problems.append(Problem(f"{count!r} is no count of {word!r}", str(path), number))
        elif word and least and not tab:
            message = f"{word!r} has no count (word, tab, count), which --min-count asks for"
            problems.append(Problem(message, str(path), number))
        elif word:
            counts[word] += int(count or 1)
    if problems:
        raise InputError(problems[:MOST])
    return _frequent(counts, least, path.name, path)


def count_words(path: Path, least: int = 1) -> Vocabulary:
    """Return the words of a text that occur at least ``least`` times, and their pieces."""
    counts = Counter[str]()
    for chunk, times in Counter(read_source(path).split()).items():
        word = _plain(chunk)
        counts[word] += times
        for forms in _pieces(word):
            counts.update(dict.fromkeys({*forms} - {word}, times))
    return _frequent(counts, least, f"the text {path.name}", path)


def _frequent(counts: Counter[str], least: int, name: str, path: Path) -> Vocabulary:
    """Return the words that are frequent enough; raises :class:`InputError` if there are none."""
    often = f", {least} times or more" if least > 1 else ""
    found = Vocabulary((word for word, n in counts.items() if n >= least), name + often)
    if not found.words:
        raise fail(f"has no words{often}", path)
    return found


class Frequencies:
    """Zipf frequencies: the logarithm of how often a word occurs in a billion words.

    ``said``: where they come from, for people.
    """

    def __init__(self, values: Mapping[str, float], said: str = "") -> None:
        self.values, self.said = values, said

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of words and values, sorted, in hexadecimal."""
        lines = sorted(f"{word}\t{value}" for word, value in self.values.items())
        return sha256("\n".join(lines).encode()).hexdigest()

    def of(self, words: Iterable[str]) -> float | None:
        """Return the frequency of the rarest of some words, None if one is not known."""
        found = [self.values.get(word, self.values.get(word.lower())) for word in words]
        known = [value for value in found if value is not None]
        return min(known) if known and len(known) == len(found) else None

    def of_pair(self, good: str, bad: str) -> tuple[float | None, float | None] | None:
        """Return the frequencies of the words that one sentence has and the other has not.

        None if two sentences have the same words.
        """
        ours, theirs = ([*filter(None, map(_plain, text.split()))] for text in (good, bad))
        more, less = surplus([word.lower() for word in ours], [word.lower() for word in theirs])
        return (self.of(more), self.of(less)) if more or less else None


def read_frequencies(path: Path) -> Frequencies:
    """Read a table: a word, a tab and its Zipf frequency, or its count if the head says ``count``.

    A head is ``word``, a tab and ``zipf`` or ``count``. Raises :class:`InputError` for what is no
    number.
    """
    rows = [line.split("\t") for line in read_source(path).split("\n")]
    heads = [cells[1] for cells in rows[:1] if cells[0] == "word" and len(cells) == 2]
    values, problems = dict[str, float](), list[Problem]()
    for number, cells in enumerate(rows[len(heads) :], 1 + len(heads)):
        try:
            if cells != [""]:
                word, value = cells
                values[_plain(word)] = float(value)
        except ValueError:
            message = f"{cells} is not a word, a tab and a number"
            problems.append(Problem(message, str(path), number))
    if problems:
        raise InputError(problems[:MOST])
    if heads == ["count"]:
        total = math.log10(sum(values.values()) / 1e9)
        values = {word: math.log10(n) - total for word, n in values.items() if n > 0}
    return Frequencies(values, path.name)
