"""Spelling across words: tokens, and the rules and settings of ``orthography.tsv``."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from solecism.errors import InputError, Problem, candidates
from solecism.lexicon.table import read_tsv

FINAL = frozenset(".?!…。？！")
"""Marks that end a sentence."""

_MARKS = ".,;:!?…。，、；：？！»)]"
_SETTINGS = {"capital": ("yes", "no"), "space": ("yes", "no"), "stop": ()}


class Token(NamedTuple):
    """A word or a mark of a sentence.

    ``glued``: it is written together with the token before it. ``tags`` are the numbers of the
    words or regions that the token belongs to; spelling rules keep them. ``gloss``: its meaning;
    that of both where a rule made one word of two (``of.the``).
    """

    text: str
    glued: bool = False
    tags: tuple[int, ...] = ()
    gloss: str = ""


@lru_cache(maxsize=1 << 18)
def _matches(pattern: re.Pattern[str], word: str) -> bool:
    """Return whether a pattern matches the whole word."""
    return pattern.fullmatch(word) is not None


@dataclass(frozen=True, eq=False)
class SpellingRule:
    """A rewriting rule over two neighbouring words.

    It applies if ``left`` matches the whole left word and ``right`` the whole right one. They
    become ``new_left`` and ``new_right``; ``=`` keeps a word, ``\\1`` is the first group of its
    pattern. If ``new_right`` is None, the right word is dropped. ``glue`` writes the two
    words together.
    """

    name: str
    left: re.Pattern[str]
    right: re.Pattern[str]
    new_left: str
    new_right: str | None
    glue: bool

    def fires(self, left: str, right: str) -> bool:
        """Return whether the rule applies to two words."""
        return _matches(self.left, left) and _matches(self.right, right)

    def outcomes(self, word: str) -> set[str]:
        """Return the texts that the rule can replace a word with."""
        found = {_rewritten(self.left, self.new_left, word)} if _matches(self.left, word) else set()
        if _matches(self.right, word):
            right = self.new_right
            found.add(self.new_left if right is None else _rewritten(self.right, right, word))
        return found - {word}

    def rewrite(self, left: Token, right: Token) -> list[Token]:
        """Return what becomes of two words to which the rule applies (one token or two)."""
        word = _rewritten(self.left, self.new_left, left.text)
        if self.new_right is None:
            tags = tuple(dict.fromkeys(left.tags + right.tags))
            gloss = ".".join(filter(None, (left.gloss, right.gloss)))
            return [Token(word, left.glued, tags, gloss)]
        text = _rewritten(self.right, self.new_right, right.text)
        return [left._replace(text=word), Token(text, self.glue, right.tags, right.gloss)]

    def apply(self, tokens: list[Token]) -> list[Token]:
        """Apply the rule to all neighbouring words from left to right."""
        out: list[Token] = []
        for token in tokens:
            if out and not token.glued and self.fires(out[-1].text, token.text):
                out[-1:] = self.rewrite(out[-1], token)
            else:
                out.append(token)
        return out


def _rewritten(pattern: re.Pattern[str], result: str, word: str) -> str:
    """Return what becomes of a word that a pattern matches; few results ask for its groups."""
    if result == "=" or "\\" not in result:
        return word if result == "=" else result
    found = pattern.fullmatch(word)
    assert found
    return found.expand(result)


@dataclass(frozen=True, eq=False)
class Orthography:
    """The spelling of a language: rules in order, and three settings.

    ``capital``: sentences begin with a capital; ``stop``: the final mark of a sentence without one;
    ``space``: there are spaces between words.
    """

    rules: tuple[SpellingRule, ...] = ()
    capital: bool = False
    stop: str = ""
    space: bool = True

    def spell(self, tokens: Sequence[Token]) -> list[Token]:
        """Apply the rules, each over all neighbouring words from left to right."""
        return self.stages(tokens)[-1]

    def stages(self, tokens: Sequence[Token]) -> list[list[Token]]:
        """Return the words as they are, and then as they are after each rule that may apply."""
        out = [list(tokens)]
        pairs = [(a.text, b.text) for a, b in pairwise(tokens) if not b.glued]
        if not any(rule.fires(a, b) for a, b in pairs for rule in self._beginning(a)):
            return out
        ready = {rule for token in tokens for rule in self._beginning(token.text)}
        for rule in self.rules:
            if rule in ready:
                out.append(rule.apply(out[-1]))
                ready = {rule for token in out[-1] for rule in self._beginning(token.text)}
        return out

    @cached_property
    def _beginning(self) -> Callable[[str], tuple[SpellingRule, ...]]:
        """A function that returns the rules whose left pattern a word matches."""

        @cache
        def rules(word: str) -> tuple[SpellingRule, ...]:
            return tuple(rule for rule in self.rules if _matches(rule.left, word))

        return rules

    def touches(self, lefts: Iterable[str], rights: Iterable[str]) -> bool:
        """Return whether a rule could apply to a word of ``lefts`` before one of ``rights``."""
        after = {rule.right for word in lefts for rule in self._beginning(word)}
        return any(_matches(pattern, word) for pattern in after for word in rights)

    def begin(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens of a sentence, the first with a capital if the language has it."""
        if not self.capital or not tokens:
            return list(tokens)
        text = tokens[0].text
        return [tokens[0]._replace(text=text[:1].upper() + text[1:]), *tokens[1:]]

    def finish(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens of a sentence, with the stop added if they end in no final mark."""
        if not self.stop or (tokens and tokens[-1].text[-1:] in FINAL):
            return list(tokens)
        return [*tokens, Token(self.stop, glued=True)]


@lru_cache(maxsize=1 << 16)
def is_mark(text: str) -> bool:
    """Return whether a token is punctuation."""
    return bool(text) and not text.strip(_MARKS)


def tokenize(text: str, tags: tuple[int, ...] = (), glued: bool = False) -> list[Token]:
    """Split a text at spaces and before final punctuation.

    Marks are ``glued`` to what is before them. So is the first word if ``glued`` is true and the
    text does not begin with a space.
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
    """Return the spelling of ``orthography.tsv``; without that file there are only spaces.

    Raises :class:`InputError` with every problem of the file.
    """
    if not path.exists():
        return Orthography()
    _, *rows = read_tsv(path, ["rule", "left", "right", "result"])
    settings: dict[str, str] = {}
    rules: list[SpellingRule] = []
    problems: list[Problem] = []
    for line, (name, left, right, result, *_) in rows:
        try:
            if name in settings:
                raise ValueError("the setting stands twice")
            if name in _SETTINGS:
                allowed = _SETTINGS[name]
                if allowed and result not in allowed:
                    near = candidates("values", allowed, result)
                    raise ValueError(f"{result!r} is not a value {near}")
                settings[name] = result
            else:
                rules.append(_rule(name, left, right, result))
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


def _rule(name: str, left: str, right: str, result: str) -> SpellingRule:
    """Return the rule of a row; raises ``ValueError`` if something is wrong with it."""
    if not name or not left or not right or not result:
        near = candidates("settings", list(_SETTINGS), name)
        raise ValueError(f"rule, left, right and result must not be empty {near}")
    if stray := re.search(r"\\(?![1-9])|[{}|_<>]", result):
        raise ValueError(f"result {result!r}: {stray[0]!r} would be printed; write the word itself")
    parts = re.split(r"([ +])", result)
    if len(parts) not in (1, 3) or "" in parts:
        raise ValueError(f"result {result!r} is not one word, or two with a space or + between")
    try:
        patterns = re.compile(left), re.compile(right)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    new_right = parts[2] if len(parts) == 3 else None
    for pattern, text in zip(patterns, parts[::2], strict=False):
        groups = [int(digit) for digit in re.findall(r"\\(.)", text)]
        if groups and (new_right is None or max(groups) > pattern.groups):
            raise ValueError(f"result {result!r}: there is no such group of its own word")
    return SpellingRule(name, *patterns, parts[0], new_right, glue="+" in parts[1:2])
