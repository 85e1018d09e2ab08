"""Requests in Grew's language, read into clauses that are tested on many maps at once.

Source: https://grew.fr/doc/request. Commands, rules, lexicons and enhanced edges are refused.
"""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import regex
from numpy.typing import NDArray

from solecism.errors import InputError, candidates, fail
from solecism.query.graph import Graphs, Maps, label_features, passing, spread
from solecism.treebank.conllu import Coded, Flags, Ints

ITEMS = ("pattern", "with", "without", "global")
_REFUSED = {"commands", "rule", "package", "strat", "whether", "from", "import", "include"}
_COMPARE: dict[str, Callable[[Any, Any], Flags]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_NAME = regex.compile(r"[^\W\d][\w']*\$?")
_FEATURE = regex.compile(r"\w+")
_BARE = regex.compile(r"[\w'.\-]+")
_LABEL = regex.compile(r"[\w:@.'\-~+]+?(?=\s*(?:\||\]))")
_STRING = regex.compile(r'"((?:[^"\\]|\\.)*)"', regex.DOTALL)
_SLASHED = regex.compile(r"/((?:[^/\\\n]|\\.)+)/(i?)")
_NUMBER = regex.compile(r"-?\d+(?:\.\d+)?")
_PATH = regex.compile(r"[^\W\d][\w']*\$?\.\w+")
_WHOLE = regex.compile(r"-?\d+")
_SIGN = regex.compile(r"<>|<=|>=|<|>|=")
_OPERATOR = regex.compile(r"<<|>>|><|<>|<=|>=|<|>|=")
_ARROW = regex.compile(r"->>|->|-\[")
_PART = regex.compile(r"!\s*\w+|\w+\s*(?:=|<>)")
_NAMED = regex.compile(
    r"([^\W\d][\w']*)\s*:\s*([^\W\d][\w']*\$?|\*)\s*-(?:\[[^;{}]*?\]-)?>\s*([^\W\d][\w']*\$?|\*)"
)
_BLANK = regex.compile(r"(?:\s|%[^\n]*)*")

Pattern: TypeAlias = regex.Pattern[str]
Test = Callable[[str], bool]
NodeTest = Callable[[Graphs], Flags]
"""Tells of all nodes whether they pass."""
Column = Callable[[Graphs, Maps], Coded]
"""Tells the values of a feature, map by map."""


@dataclass(frozen=True)
class Clause:
    """A condition on nodes.

    ``names``: the names of the nodes (none: a condition on the sentence); ``holds``: tells which
    maps meet it; ``link``: how one node leads to the other (``edge``: from the first down to the
    second; ``next``: the second is right behind the first); ``binds``: whether names are declared;
    ``marks``: tells of all nodes whether they can be the last of the names.
    """

    names: tuple[str, ...]
    holds: Callable[[Graphs, Maps], Flags]
    link: str = ""
    binds: bool = False
    marks: NodeTest | None = None


@dataclass
class Item:
    """A part of a request.

    ``tests``: what is asked of a node's feature; ``used``: names that others must declare, with
    their places; ``compared``: nodes and features, and with which node they are compared.
    """

    kind: str
    clauses: list[Clause] = field(default_factory=list)
    tests: dict[tuple[str, str], str] = field(default_factory=dict)
    used: list[tuple[str, int]] = field(default_factory=list)
    compared: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names that its clauses declare, in their order."""
        return list(dict.fromkeys(n for one in self.clauses if one.binds for n in one.names))


@dataclass(frozen=True)
class Request:
    """A request: all its patterns as one item, and each ``with`` and ``without``.

    ``edges``: source and target of the edges with a name; ``asked``: the features that it names,
    each with an empty text and with its values.
    """

    text: str
    pattern: Item
    filters: list[Item]
    edges: dict[str, tuple[str, str]]
    asked: frozenset[tuple[str, str]]


def read_request(
    text: str, path: str = "", line: int = 1, free: Collection[tuple[str, str]] = ()
) -> Request:
    """Read a request, which begins at a line of a file; ``free``: names and features of which
    nothing is asked.

    Raises :class:`InputError` with line, column and what could have been meant.
    """
    return _Reader(unicodedata.normalize("NFC", text), path, line, free).read()


class _Reader:
    """Reads a request from left to right. ``at``: the place of the next letter."""

    def __init__(self, text: str, path: str, line: int, free: Collection[tuple[str, str]]) -> None:
        self.text, self.path, self.line, self.free, self.at = text, path, line, free, 0
        plain = regex.sub(r"%[^\n]*", "", text)
        self.edges = {name: (first, second) for name, first, second in _NAMED.findall(plain)}
        self.asked: set[tuple[str, str]] = set()
        self.item = Item("pattern")

    def error(self, message: str, at: int | None = None) -> InputError:
        at = self.at if at is None else at
        column, line = at - self.text.rfind("\n", 0, at), self.text.count("\n", 0, at)
        return fail(f"column {column}: {message}", self.path, self.line + line)

    def unknown(
        self, what: str, wrong: str, kind: str, names: Iterable[str], at: int
    ) -> InputError:
        return self.error(f"{what} {wrong!r} {candidates(kind, list(names), wrong)}", at)

    def skip(self) -> int:
        """Skip blanks and comments, and return the place of the next letter."""
        self.at = _BLANK.match(self.text, self.at).end()
        return self.at

    def take(self, wanted: str | Pattern) -> str:
        """Return the next letters if they are wanted, else an empty text."""
        self.skip()
        if isinstance(wanted, str):
            found = wanted if self.text.startswith(wanted, self.at) else ""
        else:
            found = match[0] if (match := wanted.match(self.text, self.at)) else ""
        self.at += len(found)
        return found

    def need(self, wanted: str | Pattern, what: str = "") -> str:
        """Return the next letters, which must be wanted."""
        if found := self.take(wanted):
            return found
        here = self.text[self.at : self.at + 12].partition("\n")[0]
        raise self.error(
            f"{what or wanted} expected, " + (f"not {here!r}" if here else "at the end")
        )

    def read(self) -> Request:
        pattern, filters = self.item, list[Item]()
        while self.skip() < len(self.text):
            at, kind = self.at, self.need(_NAME, " or ".join(ITEMS))
            if kind in _REFUSED:
                raise self.error(f"{kind!r} is not for searching: write {', '.join(ITEMS)}", at)
            if kind not in ITEMS:
                raise self.unknown("there is no part", kind, "parts", ITEMS, at)
            self.item = Item(kind) if kind in ("with", "without") else pattern
            filters += [self.item] if self.item is not pattern else []
            self._clauses(self._global if kind == "global" else self._clause)
        for item in (pattern, *filters):
            known = dict.fromkeys([*pattern.names, *item.names])
            for name, at in item.used:
                if name not in known:
                    raise self.unknown("no clause declares", name, "names", known, at)
        return Request(self.text, pattern, filters, self.edges, frozenset(self.asked))

    def _clauses(self, clause: Callable[[], None]) -> None:
        opened = self.skip()
        self.need("{")
        while not self.take("}"):
            if self.at == len(self.text):
                raise self.error("this { is never closed", opened)
            clause()
            more = self.skip() < len(self.text)
            if more and not self.take(";") and not self.text.startswith("}", self.at):
                self.need(";", "; or }")

    def _add(
        self, names: tuple[str, ...], holds: Callable[[Graphs, Maps], Flags], at: int,
        link: str = "", binds: bool = False, marks: NodeTest | None = None,
    ) -> None:  # fmt: skip
        self.item.clauses.append(Clause(names, holds, link, binds, marks))
        self.item.used += [] if binds else [(name, at) for name in names]

    def _clause(self) -> None:
        at = self.skip()
        if self.take("!"):
            name = self.need(_NAME, "a name")
            self.need(".")
            self._feature(name, at, there=False)
        elif self.take("*"):
            self._edge("*", at)
        else:
            name = self.need(_NAME, "a clause")
            if name in ("length", "delta") and self.take("("):
                self._distance(name, at)
            elif self.take("["):
                self._node(name, at)
            elif self.take("."):
                self._feature(name, at)
            elif self.take(":"):
                self._edge("*" if self.take("*") else self.need(_NAME, "a node"), at, name)
            elif self.text.startswith("-", self.at):
                self._edge(name, at)
            else:
                self._order(name, at)

    def _node(self, name: str, at: int) -> None:
        """Read what is behind ``X [``, with alternatives."""
        structures = [self._structure(name)]
        while self.take("|"):
            self.need("[")
            structures.append(self._structure(name))
        if len(structures) == 1:
            for feature, asked, place, _ in structures[0]:
                if self.item.tests.setdefault((name, feature), asked) != asked:
                    message = f"{name}.{feature} has two constraints: put one in `with`"
                    raise self.error(message, place)
        tests = [
            [test for feature, *_, test in structure if (name, feature) not in self.free]
            for structure in structures
        ]

        def holds(graphs: Graphs, maps: Maps) -> Flags:
            found = np.zeros(len(maps[name]), bool)
            for structure in tests:
                meets = np.ones(len(found), bool)
                for test in structure:
                    meets &= test(graphs)[maps[name]]
                found |= meets
            return found

        self._add((name,), holds, at, binds=True)

    def _structure(self, name: str) -> list[tuple[str, str, int, NodeTest]]:
        """Read constraints up to ``]``: feature, text, place, and a test of all nodes."""
        found = []
        while not self.take("]"):
            at = self.skip()
            feature, test = self._constraint()
            while self.take("/"):  # what counts if the first feature is not there
                test = _otherwise(feature, test, self._constraint()[1])
            found.append((feature, regex.sub(r"\s", "", self.text[at : self.at]), at, test))
            if not self.take(",") and not self.text.startswith("]", self.at):
                self.need(",", "a comma or ]")
        return found

    def _constraint(self) -> tuple[str, NodeTest]:
        absent = self.take("!")
        feature = self._feature_name()
        sign = "" if absent else self.take("=") or self.take("<>")
        if not sign:
            return feature, lambda graphs: graphs.flags(feature, bool) != bool(absent)
        if self.take("*"):
            return feature, lambda graphs: graphs.flags(feature, bool)
        test = self._values(sign, feature)
        return feature, lambda graphs: graphs.flags(feature, test)

    def _feature_name(self) -> str:
        feature = self.need(_FEATURE, "a feature")
        self.asked.add((feature, ""))
        return feature

    def _values(self, sign: str, feature: str = "", bare: Pattern = _BARE) -> Test:
        """Read values with ``|`` between them; return the test of one of them, or of none.

        ``feature``: whose they are (``label`` for labels); empty if nothing is to be told of them.
        """
        tests = [self._value(feature, bare)]
        while self.take("|"):
            tests.append(self._value(feature, bare))
        return lambda value: any(test(value) for test in tests) == (sign == "=")

    def _value(self, feature: str, bare: Pattern) -> Test:
        at = self.skip()
        if self.text.startswith('re"', at):
            self.at += 2
            return self._expression(_of_str(_unquoted(self.need(_STRING, "a string"))), "", at)
        if slashed := self.take(_SLASHED):
            body, _, mark = slashed[1:].rpartition("/")
            return self._expression(body, mark, at)
        if self.text.startswith('"', at):
            text = _unquoted(self.need(_STRING, 'a closing "'))
        else:
            text = self.need(bare, "a value")
        if feature:
            self.asked.add((feature, text))
        return lambda value: value == text

    def _expression(self, body: str, mark: str, at: int) -> Test:
        try:
            compiled = regex.compile(body, regex.IGNORECASE if mark else 0)
        except regex.error as error:
            raise self.error(f"no regular expression: {error}", at) from None
        return lambda value: compiled.fullmatch(value) is not None

    def _edge(self, source: str, at: int, name: str = "") -> None:
        """Read what is behind the source of an edge."""
        arrow = self.need(_ARROW, "-> or -[")
        label = self._label() if arrow == "-[" else _has_head
        target = "*" if self.take("*") else self.need(_NAME, "a node")
        names = tuple(one for one in (source, target) if one != "*")
        if not names or (len(names) < 2 and (name or arrow == "->>")):
            raise self.error("an edge like this needs a name at each end", at)

        def holds(graphs: Graphs, maps: Maps) -> Flags:
            fits = label(graphs)
            if target == "*":
                above = np.zeros(graphs.size, bool)
                above[graphs.head[fits]] = True
                return above[maps[source]]
            below = maps[target]
            return fits[below] & (source == "*" or graphs.head[below] == maps[source])

        if arrow == "->>":
            self._add(names, _dominates(source, target), at, binds=True)
        else:
            link, marks = ("edge", label) if len(names) == 2 else ("", None)
            self._add(names, holds, at, link, binds=True, marks=marks)

    def _label(self) -> NodeTest:
        """Read a label up to ``]->``; return flags of the nodes with such a relation."""
        if _PART.match(self.text, self.skip()):
            parts = [self._label_part()]
            while self.take(","):
                parts.append(self._label_part())
            test: Test = lambda label: all(part(label_features(label)) for part in parts)  # noqa: E731
        else:
            negated = self.take("^")
            test = self._values("<>" if negated else "=", "label", _LABEL)
        self.need("]->")
        return lambda graphs: passing(graphs.labels, test)

    def _label_part(self) -> Callable[[Mapping[str, str]], bool]:
        """Read a feature of a label: ``1=aux``, ``2<>pass``, ``!deep``, ``2=*``."""
        absent = self.take("!")
        name = self.need(_FEATURE, "a part of a label")
        if absent:
            return lambda parts: name not in parts
        sign = self.take("=") or self.need("<>", "= or <>")
        test = bool if self.take("*") else self._values(sign)
        return lambda parts: name in parts and test(parts[name])

    def _feature(self, name: str, at: int, there: bool = True) -> None:
        """Read what is behind ``X.`` or ``!X.``: a feature, and what it is compared with."""
        if name in ("meta", "global"):
            self._sentence(there)
            return
        names, feature, column = self._column(name, at)
        sign = self.take(_OPERATOR) if there else ""
        if sign in ("<<", ">>", "><"):
            raise self.error(f"features are compared with {', '.join(_COMPARE)}, not {sign}", at)
        if not sign:
            self._add(names, lambda graphs, maps: passing(column(graphs, maps)) == there, at)
            return
        place = self.skip()
        if self.take(_PATH):
            self.at = place
            other = self.need(_NAME)
            self.need(".")
            more, their, theirs = self._column(other, place)
            compare = partial(_compared, sign, column, theirs)
            self._add(tuple(dict.fromkeys((*names, *more))), compare, at)
            self.item.compared |= {(name, feature): other, (other, their): name}
        elif sign in ("=", "<>"):
            test = self._values(sign, feature)
            if "|" in self.text[place : self.at] and not self.text.startswith(
                ('"', "/", "re"), place
            ):
                raise self.error("no | in a comparison: write X [feature=a|b]", place)
            self._add(names, lambda graphs, maps: passing(column(graphs, maps), test), at)
        else:
            number = float(self.need(_NUMBER, "a number or X.feature"))
            holds = lambda graphs, maps: _COMPARE[sign](_numbers(column(graphs, maps)), number)  # noqa: E731
            self._add(names, holds, at)

    def _column(self, name: str, at: int) -> tuple[tuple[str, ...], str, Column]:
        """Read a feature of a node, or the label of an edge: the names, it, and its values."""
        if name not in self.edges:
            feature = self._feature_name()
            return (name,), feature, lambda graphs, maps: graphs.column(feature)[maps[name]]
        if (feature := self.need(_FEATURE, "label")) != "label":
            raise self.unknown("an edge has no", feature, "features", ["label"], at)
        below = self.edges[name][1]
        return self.edges[name], feature, lambda graphs, maps: graphs.labels[maps[below]]

    def _global(self) -> None:
        self._sentence(not self.take("!"))

    def _sentence(self, there: bool) -> None:
        """Read a condition on a sentence: a comment of it, or the shape of its tree."""
        at = self.skip()
        name = self.need(_FEATURE, "a comment's name")
        if name.startswith("is_"):
            shape = name.replace("is_not_", "is_")
            if shape not in _SHAPES:
                raise self.unknown("there is no", name, "shapes", _SHAPES, at)
            is_so = _SHAPES[shape]
            self._add((), lambda g, maps: (is_so(g) == (shape == name))[maps[""]], at)
            return
        sign = self.take("=") or self.take("<>")
        if sign and not there:
            raise self.error("! asks whether a comment is there: leave out the value", at)
        test = self._values(sign) if sign and not self.take("*") else bool

        def holds(graphs: Graphs, maps: Maps) -> Flags:
            said = graphs.tokens.sentences.said
            found = [(name in one and test(one[name])) == there for one in said]
            return np.array(found, bool)[maps[""]]

        self._add((), holds, at)

    def _distance(self, kind: str, at: int) -> None:
        """Read what is behind ``length(`` or ``delta(``."""
        first = self.need(_NAME, "a node")
        self.need(",")
        second = self.need(_NAME, "a node")
        self.need(")")
        sign = self.need(_SIGN, " or ".join(_COMPARE))
        number = int(self.need(_WHOLE, "a whole number"))

        def holds(graphs: Graphs, maps: Maps) -> Flags:
            delta = maps[second] - maps[first]
            return _COMPARE[sign](np.abs(delta) if kind == "length" else delta, number)

        self._add((first, second), holds, at)

    def _order(self, name: str, at: int) -> None:
        """Read what is behind a node or an edge that is compared by its place."""
        sign = self.need(_OPERATOR, "[, ., ->, -[, <, >, << or >>")
        other = self.need(_NAME, "a node or an edge")
        ours, theirs = self.edges.get(name), self.edges.get(other)
        if ours and theirs and sign in _EDGES:
            meets = _EDGES[sign]
            names = tuple(dict.fromkeys((*ours, *theirs)))
            self._add(names, lambda g, m: meets(*_span(m, ours), *_span(m, theirs)), at)
        elif theirs and not ours and sign == "<<":
            names = tuple(dict.fromkeys((name, *theirs)))
            self._add(names, lambda g, m: _inside(m[name], *_span(m, theirs)), at)
        elif ours or theirs or sign not in ("<", ">", "<<", ">>"):
            kinds = ("an edge" if one else "a node" for one in (ours, theirs))
            raise self.error(f"{sign} is not for {' and '.join(kinds)}", at)
        else:
            first, second = (name, other) if sign[0] == "<" else (other, name)
            near = len(sign) == 1

            def holds(graphs: Graphs, maps: Maps) -> Flags:
                gap = maps[second] - maps[first]
                return gap == 1 if near else gap > 0

            self._add((first, second), holds, at, "next" if near else "")


def _has_head(graphs: Graphs) -> Flags:
    return graphs.head >= 0


def _otherwise(feature: str, test: NodeTest, other: NodeTest) -> NodeTest:
    """Return a test of nodes with a feature, and another one of those without it."""
    return lambda graphs: np.where(graphs.flags(feature, bool), test(graphs), other(graphs))


def _unquoted(text: str) -> str:
    return str(regex.sub(r'\\(["\\])', r"\1", text[1:-1]))


def _of_str(text: str) -> str:
    r"""Return a regular expression of OCaml's Str as one of Perl's.

    There groups and alternatives have a backslash, and plain marks have none.

    >>> _of_str(r"(a\|b)+"), _of_str(r"\(a\|b\)+")
    ('\\(a|b\\)+', '(a|b)+')
    """
    return str(regex.sub(r"(\[\^?\]?[^\]]*\])|\\(.)|([(){}|\\])", _of_mark, text))


def _of_mark(found: regex.Match[str]) -> str:
    letters, quoted, plain = found.groups()
    if letters:
        return "[" + str(letters[1:-1]).replace("\\", "\\\\").replace("[", "\\[") + "]"
    if quoted:
        known = quoted in "b123456789"
        return str(quoted if quoted in "(|)" else found[0] if known else regex.escape(quoted))
    return f"\\{plain}"


def _numbers(column: Coded) -> NDArray[np.float64]:
    """Return a column's values as numbers, NaN where there is none."""
    return column.table(lambda text: float(text) if _NUMBER.fullmatch(text) else np.nan, float)


def _compared(sign: str, ours: Column, theirs: Column, graphs: Graphs, maps: Maps) -> Flags:
    """Return whether two columns compare; a value that is not there never does."""
    left, right = ours(graphs, maps), theirs(graphs, maps)
    if sign not in ("=", "<>"):
        return _COMPARE[sign](_numbers(left), _numbers(right))
    places = {value: place for place, value in enumerate(left.values) if value}
    same = left.codes == right.table(lambda value: places.get(value, -1), np.int64)
    found: Flags = passing(left) & passing(right) & (same == (sign == "="))
    return found


def _dominates(above: str, below: str) -> Callable[[Graphs, Maps], Flags]:
    """Return the test whether one node is above another, however far."""

    def holds(graphs: Graphs, maps: Maps) -> Flags:
        at = graphs.head[maps[below]]
        found: Flags = at == maps[above]
        while (at >= 0).any():
            at = np.where(at >= 0, graphs.head[at], -1)
            found |= at == maps[above]
        return found

    return holds


def _span(maps: Maps, edge: tuple[str, str]) -> tuple[Ints, Ints]:
    """Return the first and the last node of an edge."""
    ends = maps[edge[0]], maps[edge[1]]
    return np.minimum(*ends), np.maximum(*ends)


def _inside(node: Ints, low: Ints, high: Ints) -> Flags:
    return (low < node) & (node < high)


_EDGES: dict[str, Callable[[Ints, Ints, Ints, Ints], Flags]] = {
    "><": lambda a, b, low, high: _inside(a, low, high) & (b > high) | _inside(b, low, high) & (a < low),
    "<<": lambda a, b, low, high: (low <= a) & (b <= high),
    "<>": lambda a, b, low, high: (b <= low) | (high <= a),
}  # fmt: skip
"""How two edges lie, by the first and last node of each."""


def _projective(graphs: Graphs) -> Flags:
    """Return flags of the sentences without two edges that cross, that of a root included."""
    found = np.ones(len(graphs.anchor), bool)
    head = graphs.head[graphs.node]
    low, high = np.minimum(head, graphs.node), np.maximum(head, graphs.node)
    count = np.maximum(high - low - 1, 0)
    edge, place = spread(count)
    inside = low[edge] + 1 + place
    out = (graphs.head[inside] < low[edge]) | (graphs.head[inside] > high[edge])
    found[graphs.sentence[inside[out]]] = False
    return found


_SHAPES: dict[str, NodeTest] = {
    "is_projective": _projective,
    **dict.fromkeys(("is_tree", "is_forest"), lambda graphs: np.ones(len(graphs.anchor), bool)),
    "is_cyclic": lambda graphs: np.zeros(len(graphs.anchor), bool),
}
"""Flags of the sentences of a shape; files with cycles are refused when they are read."""
