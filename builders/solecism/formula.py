"""The language of predictions: SyntaxGym's, and the short form of templates.

``(5;%match%) < (5;%mismatch%)`` and ``mismatch.verb > match.verb`` say which surprisal is lower. A
region of a condition is given by number (from 1) or name; ``*`` is the whole sentence. Operators,
those that bind most first: ``+`` and ``-`` (from left to right), one of ``<`` ``>`` ``=``
(``1<2<0`` is an error), ``&``, ``|``. Parentheses group. Put spaces around operators, as a name may
hold ``-``.

The language is that of syntaxgym-core (``prediction.py``; Hu et al. 2020, section 3) with names,
``|``, ``*``, and a ``-`` that binds like ``+``.

>>> prediction = parse("mismatch.verb > match.verb")
>>> prediction(lambda condition, region: 9.5 if condition == "mismatch" else 4.0)
1.0
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Literal

from solecism.errors import InputError, Problem, candidates
from solecism.limits import DEPTH, TOKENS

__all__ = ["WHOLE", "Formula", "Lookup", "Outcome", "Term", "parse", "place_of", "unknown_terms"]

WHOLE = "*"
"""The region that is the whole sentence."""

RELATIVE, ABSOLUTE = 1e-5, 1e-3
"""Two surprisals are ``=`` up to these (syntaxgym-core)."""

TIE = 1e-9
"""Surprisals closer than this are equal for ``<`` and ``>``: sums may differ by rounding."""

Term = tuple[str, str]
"""A condition and one of its regions."""

Lookup = Callable[[str, str], float]
"""A function that returns the surprisal of a region (condition, region)."""

Outcome = float
"""1: holds, 0: does not, 0.5: a tie of ``<`` or ``>``."""


@dataclass(frozen=True)
class Formula:
    """A prediction. ``terms``: the regions it speaks of, in order; ``text`` as written."""

    text: str
    terms: tuple[Term, ...]
    root: _Node

    def __call__(self, surprisal: Lookup) -> Outcome:
        """Return whether the prediction holds; ``&`` takes the lower, ``|`` the higher outcome."""
        return self.root.value(surprisal)

    @property
    def comparison(self) -> tuple[int, int] | None:
        """Of a prediction that only compares two regions: the places in ``terms`` of the one that
        should be less surprising and of the other; of any other prediction None."""
        root = self.root
        if not isinstance(root, _Binary) or root.operator not in "<>":
            return None
        if not isinstance(root.left, _Region) or not isinstance(root.right, _Region):
            return None
        return (0, 1) if root.operator == "<" else (1, 0)

    def syntaxgym(self, number: Callable[[str, str], int | str]) -> str:
        """Write the prediction in SyntaxGym's form; ``number`` gives the number of a region."""
        return self.root.write(number)


@dataclass(frozen=True)
class _Region:
    condition: str
    region: str
    kind: Literal["number"] = "number"

    def value(self, surprisal: Lookup) -> float:
        return surprisal(self.condition, self.region)

    def write(self, number: Callable[[str, str], int | str]) -> str:
        return f"({number(self.condition, self.region)};%{self.condition}%)"


@dataclass(frozen=True)
class _Amount:
    amount: float
    kind: Literal["number"] = "number"

    def value(self, surprisal: Lookup) -> float:
        return self.amount

    def write(self, number: Callable[[str, str], int | str]) -> str:
        return repr(self.amount).removesuffix(".0")


@dataclass(frozen=True)
class _Binary:
    operator: str
    left: _Node
    right: _Node

    @property
    def kind(self) -> Literal["number", "truth"]:
        return "number" if self.operator in "+-" else "truth"

    def value(self, surprisal: Lookup) -> float:
        return _APPLY[self.operator](self.left.value(surprisal), self.right.value(surprisal))

    def write(self, number: Callable[[str, str], int | str]) -> str:
        sides = (
            f"({side.write(number)})" if isinstance(side, _Binary) else side.write(number)
            for side in (self.left, self.right)
        )
        return f" {self.operator} ".join(sides)


_Node = _Region | _Amount | _Binary


def _less(a: float, b: float) -> Outcome:
    return 0.5 if a == b or abs(a - b) <= TIE else float(a < b)


_APPLY: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "<": _less,
    ">": lambda a, b: _less(b, a),
    "=": lambda a, b: float(isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)),
    "&": min,
    "|": max,
}

_NAME = r"[^\W\d][\w-]*"
_TOKENS = re.compile(
    r"\s*(?:"
    r"\(\s*(?P<number>\*|[\w-]+)\s*;\s*%(?P<named>[\w-]+)%\s*\)"
    rf"|(?P<condition>{_NAME})\.(?P<region>\*|[\w-]+)"
    r"|(?P<amount>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)"
    r"|(?P<operator>[-+<>=&|()])"
    r")"
)
_LEVELS: tuple[str, ...] = ("|", "&", "<>=", "+-")
_WANTS = {"|": "truth", "&": "truth", "<>=": "number", "+-": "number"}


def parse(text: str) -> Formula:
    """Read a prediction; raises :class:`InputError` that says where it is wrong."""
    reader = _Parser(text)
    root = reader.expression(0)
    if reader.here is not None:
        raise reader.wrong(f"{reader.here!r} was not expected")
    if root.kind != "truth":
        raise reader.wrong("compares nothing: it has no <, > or =")
    return Formula(text, tuple(_terms(root)), root)


def _terms(node: _Node) -> Iterator[Term]:
    if isinstance(node, _Region):
        yield node.condition, node.region
    elif isinstance(node, _Binary):
        yield from _terms(node.left)
        yield from _terms(node.right)


class _Parser:
    """Reads tokens one by one, from the operators that bind least to those that bind most."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.tokens = list(self._cut())

    def _cut(self) -> Iterator[re.Match[str]]:
        place, end = 0, len(self.text.rstrip())
        depth = number = 0
        while place < end:
            match = _TOKENS.match(self.text, place)
            if match is None:
                raise self.wrong(f"cannot be read from {self.text[place:].strip()!r}")
            depth += {"(": 1, ")": -1}.get(match["operator"], 0)
            number += 1
            if depth > DEPTH or number > TOKENS:
                most = f"{TOKENS} names and signs, or {DEPTH} parentheses in one another"
                raise self.wrong(f"has more than {most}")
            yield match
            place = match.end()

    @property
    def here(self) -> str | None:
        """The token to be read next."""
        return self.tokens[self.place][0].strip() if self.place < len(self.tokens) else None

    def wrong(self, message: str) -> InputError:
        """An error that quotes the prediction."""
        shown = self.text if len(self.text) < 200 else f"{self.text[:200]} ..."
        return InputError(Problem(f"prediction {shown!r}: {message}"))

    def expression(self, level: int) -> _Node:
        """Read what binds at least as strongly as the operators of a level."""
        if level == len(_LEVELS):
            return self._atom()
        left = self.expression(level + 1)
        while self.here is not None and self.here in _LEVELS[level]:
            operator = self.tokens[self.place]["operator"]
            if _LEVELS[level] == "<>=" and isinstance(left, _Binary) and left.kind == "truth":
                raise self.wrong(
                    f"{operator!r} after a comparison: write `a < b & b < c` for `a < b < c`"
                )
            self.place += 1
            right = self.expression(level + 1)
            self._check(operator, _WANTS[_LEVELS[level]], left, right)
            left = _Binary(operator, left, right)
        return left

    def _check(self, operator: str, wanted: str, *sides: _Node) -> None:
        if any(side.kind != wanted for side in sides):
            what = {"truth": "comparisons", "number": "surprisals"}[wanted]
            raise self.wrong(f"{operator!r} stands between {what}")

    def _atom(self) -> _Node:
        if self.here is None:
            raise self.wrong("ends too early")
        token = self.tokens[self.place]
        self.place += 1
        if token["named"]:
            return _Region(token["named"], token["number"])
        if token["condition"]:
            return _Region(token["condition"], token["region"])
        if token["amount"]:
            return _Amount(float(token["amount"]))
        if token["operator"] == "-":
            return self._negative()
        if token["operator"] == "(":
            inner = self.expression(0)
            if self.here != ")":
                raise self.wrong(f"a parenthesis is not closed before {self.here or 'the end'!r}")
            self.place += 1
            return inner
        raise self.wrong(f"{token['operator']!r} was not expected")

    def _negative(self) -> _Node:
        token = self.tokens[self.place] if self.here is not None else None
        if token is None or not token["amount"]:
            raise self.wrong(f"{self.here or 'the end'!r} was not expected")
        self.place += 1
        return _Amount(-float(token["amount"]))


def place_of(region: str, names: Sequence[str]) -> int | None:
    """Return the place of a region, named or numbered from 1, among those of a condition.

    None where the condition does not have it.

    >>> place_of("2", ["subject", "verb"])
    1
    """
    if region in names:
        return names.index(region)
    number = int(region) if region.isdecimal() and len(region) < 10 else 0
    return number - 1 if 0 < number <= len(names) else None


def unknown_terms(formula: Formula, regions: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield messages on the conditions and regions of a formula that an item lacks.

    ``regions``: the names of each condition's regions.
    """
    for condition, region in formula.terms:
        if condition not in regions:
            near = candidates("conditions", list(regions), condition)
            yield f"prediction {formula.text!r}: there is no condition {condition!r} {near}"
        elif region != WHOLE and place_of(region, regions[condition]) is None:
            near = candidates("regions", list(regions[condition]), region)
            yield (
                f"prediction {formula.text!r}: condition {condition!r} has no region {region!r} {near}"
            )
