"""Spelling across words: tokens, and the rules and settings of ``orthography.tsv``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import prod
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import regex

from solecism.errors import InputError, Problem, candidates, fail
from solecism.lexicon.table import read_tsv
from solecism.limits import REPEATS, RULES, SECONDS

__all__ = [
    "FINAL", "Orthography", "SpellingRule", "Token", "is_mark", "read_orthography", "tokenize",
]  # fmt: skip

FINAL = frozenset(".?!…。？！")
"""Marks that end a sentence."""

_MARKS = ".,;:!?…。，、；：？！»)]"
_SETTINGS = {"capital": ("yes", "no"), "space": ("yes", "no"), "stop": ()}

_SLOW = 0.01
"""Seconds that no word takes unless the expression goes back again and again."""


class Token(NamedTuple):
    """A word or a mark of a sentence.

    ``glued``: written together with the token before it. ``tags`` are numbers that survive
    spelling: which word or region the token belongs to.
    """

    text: str
    glued: bool = False
    tags: tuple[int, ...] = ()


@dataclass(eq=False)
class Clock:
    """The seconds that the expressions of a file have lost on words that they match slowly."""

    path: str = ""
    lost: float = 0.0


@dataclass(frozen=True, eq=False)
class Pattern:
    """A regular expression of a spelling rule, which may lose only so much time by going back."""

    text: str
    compiled: regex.Pattern[str]
    clock: Clock
    line: int | None = None

    def matches(self, word: str) -> bool:
        """Return whether the expression describes all of a word.

        Raises :class:`InputError` where that takes too long.
        """
        return _matches(self, word)


@lru_cache(maxsize=1 << 18)
def _matches(pattern: Pattern, word: str) -> bool:
    clock, start = pattern.clock, perf_counter()
    try:
        found = pattern.compiled.fullmatch(word, timeout=max(SECONDS - clock.lost, 0.001))
    except (TimeoutError, MemoryError):
        message = f"{pattern.text!r} takes more than {SECONDS:g} seconds, at last on {word[:40]!r}"
        raise fail(message, clock.path, pattern.line) from None
    took = perf_counter() - start
    clock.lost += took if took > _SLOW else 0
    return found is not None


@dataclass(frozen=True, eq=False)
class SpellingRule:
    """A rewriting rule over two neighbouring words (see :meth:`fires`)."""

    name: str
    left: Pattern
    right: Pattern
    new_left: str
    new_right: str | None
    glue: bool

    def fires(self, left: str, right: str) -> bool:
        """Return whether the rule applies to two words."""
        return self.left.matches(left) and self.right.matches(right)

    def rewrite(self, left: Token, right: Token) -> list[Token]:
        """Return what becomes of two words to which the rule applies (one token or two)."""
        word = left.text if self.new_left == "=" else self.new_left
        if self.new_right is None:
            return [Token(word, left.glued, tuple(dict.fromkeys(left.tags + right.tags)))]
        text = right.text if self.new_right == "=" else self.new_right
        return [Token(word, left.glued, left.tags), Token(text, self.glue, right.tags)]

    def apply(self, tokens: list[Token]) -> list[Token]:
        """Apply the rule to all neighbouring words from left to right."""
        out: list[Token] = []
        for token in tokens:
            if out and not token.glued and self.fires(out[-1].text, token.text):
                out[-1:] = self.rewrite(out[-1], token)
            else:
                out.append(token)
        return out


class _Begun(dict[str, list[SpellingRule]]):
    """The words met so far, each with the rules of which it may be the left word."""

    def __init__(self, rules: Sequence[SpellingRule]) -> None:
        self.rules = rules

    def __missing__(self, word: str) -> list[SpellingRule]:
        self[word] = [rule for rule in self.rules if rule.left.matches(word)]
        return self[word]


@dataclass(frozen=True, eq=False)
class Orthography:
    """The spelling of a language: rules in order, and the three settings."""

    rules: tuple[SpellingRule, ...] = ()
    capital: bool = False
    stop: str = ""
    space: bool = True

    def spell(self, tokens: Sequence[Token]) -> list[Token]:
        """Apply the rules, each over all neighbouring words from left to right."""
        return self.stages(tokens)[-1]

    def stages(self, tokens: Sequence[Token]) -> list[list[Token]]:
        """Return the words as they are and then, if any rule applies, as rules leave them."""
        out = [list(tokens)]
        if len(tokens) < 2 or not self._any_fires(tokens):
            return out
        begun = self._all_begun(tokens)
        for rule in self.rules:
            if rule in begun:
                out.append(rule.apply(out[-1]))
                begun = self._all_begun(out[-1])
        return out

    def _all_begun(self, tokens: Sequence[Token]) -> set[SpellingRule]:
        return {rule for token in tokens for rule in self._begun[token.text]}

    def _any_fires(self, tokens: Sequence[Token]) -> bool:
        begun = self._begun
        return any(
            rule.right.matches(right.text)
            for left, right in pairwise(tokens)
            if not right.glued
            for rule in begun[left.text]
        )

    @cached_property
    def _begun(self) -> _Begun:
        return _Begun(self.rules)

    def touches(self, lefts: Iterable[str], rights: Iterable[str]) -> bool:
        """Return whether a rule could apply to a word of ``lefts`` before one of ``rights``."""
        after = {rule.right for word in lefts for rule in self._begun[word]}
        return any(pattern.matches(word) for pattern in after for word in rights)

    def finish(self, tokens: Sequence[Token]) -> list[Token]:
        """Add the final stop where the sentence has none."""
        if not self.stop or (tokens and tokens[-1].text[-1:] in FINAL):
            return list(tokens)
        return [*tokens, Token(self.stop, glued=True)]


@lru_cache(maxsize=1 << 16)
def is_mark(text: str) -> bool:
    """Return whether a token is punctuation."""
    return bool(text) and not text.strip(_MARKS)


def tokenize(text: str, tags: tuple[int, ...] = (), glued: bool = False) -> list[Token]:
    """Split a text at spaces and before final punctuation.

    Marks are written together with what they follow; so is the first word if ``glued`` and no space
    stands before it.
    """
    out: list[Token] = []
    for chunk in text.split():
        word = chunk.rstrip(_MARKS)
        parts = [part for part in (word, *chunk[len(word) :]) if part]
        mark = chunk[0] in _MARKS
        joined = mark or (not out and glued and not text[0].isspace())
        out += [Token(part, joined or i > 0, tags) for i, part in enumerate(parts)]
    return out


def read_orthography(path: Path) -> Orthography:
    """Read ``orthography.tsv``; a language without one is spelt with spaces and nothing else.

    Raises :class:`InputError` with every problem of the file.
    """
    if not path.exists():
        return Orthography()
    _, *rows = read_tsv(path, ["rule", "left", "right", "result"])
    if len(rows) > RULES:
        raise fail(f"more than {RULES} rules", path, rows[RULES][0])
    clock = Clock(str(path))
    patterns: dict[str, Pattern] = {}
    settings: dict[str, str] = {}
    rules: list[SpellingRule] = []
    problems: list[Problem] = []
    for line, (name, left, right, result, *_) in rows:
        try:
            if name in settings:
                raise ValueError("the setting stands twice")
            if name in _SETTINGS:
                settings[name] = _setting(name, result)
            else:
                before, after = (_pattern(text, patterns, clock, line) for text in (left, right))
                rules.append(_rule(name, before, after, result))
        except ValueError as error:
            problems.append(Problem(f"rule {name!r}: {error}", str(path), line))
    if problems:
        raise InputError(problems)
    return Orthography(
        tuple(rules),
        settings.get("capital") == "yes",
        settings.get("stop", ""),
        settings.get("space") != "no",
    )


def _setting(name: str, value: str) -> str:
    allowed = _SETTINGS[name]
    if allowed and value not in allowed:
        raise ValueError(f"{value!r} is no value {candidates('values', allowed, value)}")
    return value


def _pattern(text: str, known: dict[str, Pattern], clock: Clock, line: int) -> Pattern:
    """Return the pattern of a text, the same for all rules, so that it is tried once."""
    if text not in known:
        known[text] = Pattern(text, _compiled(text), clock, line)
    return known[text]


def _rule(name: str, left: Pattern, right: Pattern, result: str) -> SpellingRule:
    if not name or not left.text or not right.text or not result:
        near = candidates("settings", list(_SETTINGS), name)
        raise ValueError(f"rule, left, right and result must not be empty {near}")
    if stray := re.search(r"[\\{}|_<>]", result):
        raise ValueError(f"result {result!r}: {stray[0]!r} would be printed; write the word itself")
    parts = re.split(r"([ +])", result)
    if len(parts) not in (1, 3) or "" in parts:
        raise ValueError(f"result {result!r} is not one word, or two with a space or + between")
    new_right = parts[2] if len(parts) == 3 else None
    return SpellingRule(name, left, right, parts[0], new_right, glue="+" in parts[1:2])


_COUNTS = re.compile(r"\{(\d*)(?:,(\d*))?\}")


def _compiled(text: str) -> regex.Pattern[str]:
    """Compile what Python's own expressions may say (and not what `regex` knows beyond them)."""
    try:
        re.compile(text)
        if prod(max(int(n or 1) for n in found) for found in _COUNTS.findall(text)) > REPEATS:
            raise ValueError(f"{text!r} asks for something more than {REPEATS:,} times ({{...}})")
        return regex.compile(text)
    except (re.error, regex.error, OverflowError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    except RecursionError:
        raise ValueError("not a regular expression: it is too deep") from None
