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

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from solecism.errors import InputError, candidates, fail

WHOLE = "*"
"""The region that is the whole sentence."""

RELATIVE, ABSOLUTE = 1e-5, 1e-3
"""The relative and absolute differences up to which ``=`` holds (as in syntaxgym-core)."""

TIE = 1e-9
"""Up to this difference ``<`` and ``>`` are ties, as sums of surprisals are rounded."""

MOST_TOKENS = 500
"""The most names and signs of a prediction."""

Term = tuple[str, str]
"""A condition and one of its regions."""

Lookup = Callable[[str, str], float]
"""A function that returns the surprisal of a region (condition, region)."""

Outcome = float
"""1 if a prediction holds, 0 if it does not, 0.5 for a tie of ``<`` or ``>``."""

_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Lt: "<", ast.Gt: ">", ast.Eq: "=", ast.And: "&", ast.Or: "|",
}  # fmt: skip
_PYTHON = {"=": "==", "&": "and", "|": "or", "[": "(", "]": ")"}
"""The signs that Python writes in another way; its parser is used to read predictions."""

_NAME = r"[^\W\d][\w-]*"
_TOKENS = re.compile(
    r"\s*(?:"
    r"\(\s*(?P<number>\*|[\w-]+)\s*;\s*%(?P<named>[\w-]+)%\s*\)"
    rf"|(?P<condition>{_NAME})\.(?P<region>\*|[\w-]+)"
    r"|(?P<amount>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)"
    r"|(?P<sign>[-+<>=&|()\[\]])"
    r")"
)


@dataclass(frozen=True)
class Formula:
    """A prediction.

    ``text``: as written. ``terms``: the regions that it names, in order. ``tree``: its syntax tree,
    in which the first term has the name ``t0``, the second ``t1``, and so on.
    """

    text: str
    terms: tuple[Term, ...]
    tree: ast.expr

    def __call__(self, surprisal: Lookup) -> Outcome:
        """Return the outcome; ``&`` gives the lower, ``|`` the higher outcome of its sides."""
        return _value(self.tree, [surprisal(*term) for term in self.terms])

    @property
    def comparison(self) -> tuple[int, int] | None:
        """The two terms of a prediction that only compares two regions; None for any other.

        They are given by their places in ``terms``; the one with the lower surprisal comes first.
        """
        match self.tree:
            case ast.Compare(ast.Name(), [ast.Lt()], [ast.Name()]):
                return 0, 1
            case ast.Compare(ast.Name(), [ast.Gt()], [ast.Name()]):
                return 1, 0
        return None

    def syntaxgym(self, number: Callable[[str, str], int | str]) -> str:
        """Write the prediction in SyntaxGym's form; ``number`` gives the number of a region."""
        return _written(self.tree, [f"({number(*term)};%{term[0]}%)" for term in self.terms])


def parse(text: str) -> Formula:
    """Read a prediction; raises :class:`InputError` that says what is wrong with it."""
    terms, tokens = _read(text)
    if len(tokens) > MOST_TOKENS:
        raise _wrong(text, f"has more than {MOST_TOKENS} names and signs")
    try:
        tree = ast.parse(" ".join(tokens), mode="eval").body
    except SyntaxError as error:
        raise _wrong(text, f"cannot be read: {error.msg}") from None
    for node in ast.walk(tree):
        _check(text, node)
    if not _is_truth(tree):
        raise _wrong(text, "compares nothing: it has no <, > or =")
    return Formula(text, tuple(terms), tree)


def _read(text: str) -> tuple[list[Term], list[str]]:
    """Return the terms of a prediction, and its names, numbers and signs as Python writes them."""
    terms: list[Term] = []
    tokens: list[str] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKENS.match(text, place)
        if match is None:
            raise _wrong(text, f"cannot be read from {text[place:].strip()!r}")
        condition = match["named"] or match["condition"]
        if condition:
            tokens.append(f"t{len(terms)}")
            terms.append((condition, match["number"] or match["region"]))
        elif match["amount"]:
            tokens.append(repr(float(match["amount"])))
        else:
            tokens.append(_PYTHON.get(match["sign"], match["sign"]))
        place = match.end()
    return terms, tokens


def _wrong(text: str, message: str) -> InputError:
    """Return an error that quotes a prediction."""
    shown = text if len(text) < 200 else f"{text[:200]} ..."
    return fail(f"prediction {shown!r}: {message}")


def _is_truth(node: ast.expr) -> bool:
    """Return whether a part of a prediction is true or false, not a number."""
    return isinstance(node, ast.Compare | ast.BoolOp)


def _check(text: str, node: ast.AST) -> None:
    """Raise :class:`InputError` if a part of a prediction has parts of the wrong kind."""
    match node:
        case ast.Compare() if len(node.ops) > 1 or any(
            map(_is_truth, [node.left, *node.comparators])
        ):
            sign = _SIGNS[type(node.ops[-1])]
            message = f"{sign!r} after a comparison: write `a < b & b < c` for `a < b < c`"
            raise _wrong(text, message)
        case ast.BoolOp() if not all(map(_is_truth, node.values)):
            raise _wrong(text, f"{_SIGNS[type(node.op)]!r} is for comparisons")
        case ast.BinOp() if _is_truth(node.left) or _is_truth(node.right):
            raise _wrong(text, f"{_SIGNS[type(node.op)]!r} is for surprisals")
        case ast.Call():
            raise _wrong(text, "cannot be read: a sign is missing before '('")
        case ast.UnaryOp() if not isinstance(node.operand, ast.Constant):
            raise _wrong(text, "a sign without a number after it")


def _value(node: ast.expr, terms: Sequence[float]) -> float:
    """Return the surprisal or the outcome of a part, given the surprisals of the terms."""
    match node:
        case ast.Name(name):
            return terms[int(name[1:])]
        case ast.Constant(float(amount)):
            return amount
        case ast.UnaryOp(op, operand):
            value = _value(operand, terms)
            return -value if isinstance(op, ast.USub) else value
        case ast.BinOp(left, op, right):
            other = _value(right, terms)
            return _value(left, terms) + (other if isinstance(op, ast.Add) else -other)
        case ast.BoolOp(op, sides):
            values = (_value(side, terms) for side in sides)
            return min(values) if isinstance(op, ast.And) else max(values)
        case ast.Compare(left, [op], [right]):
            return _compared(op, _value(left, terms), _value(right, terms))
    raise TypeError(node)


def _compared(sign: ast.cmpop, a: float, b: float) -> Outcome:
    if isinstance(sign, ast.Eq):
        return float(isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE))
    if a == b or abs(a - b) <= TIE:
        return 0.5
    return float(a < b if isinstance(sign, ast.Lt) else a > b)


def _written(node: ast.expr, terms: Sequence[str]) -> str:
    """Return a part as text, given the texts of the terms."""
    match node:
        case ast.Name(name):
            return terms[int(name[1:])]
        case ast.Constant(amount):
            return repr(amount).removesuffix(".0")
        case ast.UnaryOp(_, operand):
            return f"-{_written(operand, terms)}"
        case ast.BinOp(left, op, right) | ast.Compare(left, [op], [right]):
            sides = [left, right]
        case ast.BoolOp(op, sides):
            pass
        case _:
            raise TypeError(node)
    simple = (ast.Name, ast.Constant, ast.UnaryOp)
    texts = (_written(side, terms) for side in sides)
    parts = (t if isinstance(s, simple) else f"({t})" for s, t in zip(sides, texts, strict=True))
    return f" {_SIGNS[type(op)]} ".join(parts)


def place_of(region: str, names: Sequence[str]) -> int | None:
    """Return the place of a region, named or numbered from 1, among those of a condition.

    Return None if the condition does not have the region.

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
            lacking = f"condition {condition!r} has no region {region!r} {near}"
            yield f"prediction {formula.text!r}: {lacking}"
