"""Expressions of templates: Jinja's syntax trees, checked, analysed, and turned into functions.

Jinja parses; everything else happens here. A template cannot loop, assign, do arithmetic, reach
Python attributes or call anything but ``word`` and macros: :func:`refused` accepts only the nodes
that :data:`EXPRESSION` and :data:`PHRASE` list. :class:`Compiler` turns a tree into a function from
words to a value: a word, a text, a phrase of both, or a truth.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import TopologicalSorter
from math import inf
from pathlib import Path
from typing import Any

from jinja2 import nodes

from solecism.errors import candidates
from solecism.grammar.words import (
    FEATS,
    ROW,
    WHOLE,
    Phrase,
    TemplateFault,
    Word,
    joined,
    printed,
)
from solecism.inputs import unseen
from solecism.lexicon.lexicon import Hierarchy, Lexicon
from solecism.lexicon.typical import TYPICAL, Typical, Words

_KNOWN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
_PLAIN: dict[str, str] = _KNOWN["plain"]
"""What Jinja says of frequent mistakes, and what an author should look for."""


def in_plain_words(message: str | None) -> str:
    """Return what Jinja says of a mistake, with what to look for."""
    said = f"Jinja: {message}".rstrip(".")
    for pattern, words in _PLAIN.items():
        if re.search(pattern, said):
            return f"{said} ({words})"
    return said


TYPICAL_FORM = "x is typical(verb.Object)"

Uses = Mapping[str, frozenset[str]]
"""What is asked of each name: its properties, or ``WHOLE``, ``FEATS`` or ``ROW``."""

EXPRESSION: tuple[type[nodes.Node], ...] = (
    nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Filter, nodes.Call,
    nodes.Keyword, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Test,
    nodes.Concat, nodes.List, nodes.Tuple,
    nodes.Pair, nodes.Slice,  # these stand only in what is refused
)  # fmt: skip
PHRASE: tuple[type[nodes.Node], ...] = (
    *EXPRESSION, nodes.Template, nodes.Macro, nodes.If,
)  # fmt: skip

_DEEPEST = 60
"""The most expressions and blocks inside one another: more would be too many for the compiler."""
_TOO_DEEP = "too many expressions are inside one another"

LARGEST = 10_000
"""The most words and letters that a macro may print, and the most calls of macros inside it. Macros
of others may double one another."""

_QUOTED = r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_NAMES = re.compile(rf"{_QUOTED}|(?<![\w.])([^\W\d]\w*)\b(?!\s*=(?!=))")
"""Matches the quoted texts and the names in an expression, but not properties and keywords."""

_CALLED: dict[str, str] = _KNOWN["called"]


def renamed(source: str, names: Mapping[str, str]) -> str:
    """Return the source of an expression with other names in place of some of its names.

    >>> renamed('the.lemma == "the"', {"the": "it"})
    'it.lemma == "the"'
    """
    return _NAMES.sub(lambda match: match[1] or names.get(match[2], match[2]), source)


def parsed(parse: Callable[[], nodes.Node]) -> Any:
    """Return the syntax tree that a function of Jinja makes.

    Raises ``TemplateSyntaxError``, and :class:`TemplateFault` for a tree that is too deep.
    """
    try:
        tree = parse()
    except ValueError:
        raise TemplateFault("a number has thousands of digits") from None
    except RecursionError:
        raise TemplateFault(_TOO_DEEP) from None
    level: list[nodes.Node] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in node.iter_child_nodes()]
    if level:
        raise TemplateFault(_TOO_DEEP)
    return tree


def refused(tree: nodes.Node, allowed: tuple[type[nodes.Node], ...]) -> Iterator[tuple[int, str]]:
    """Yield line and message for nodes that are not ``allowed``; only names can be called."""
    for node in (tree, *tree.find_all(nodes.Node)):
        if message := _refusal(node, allowed):
            inner = (one.lineno for one in node.find_all(nodes.Node) if one.lineno)
            yield node.lineno or next(inner, 1), message  # some nodes have no line


def _refusal(node: nodes.Node, allowed: tuple[type[nodes.Node], ...]) -> str:
    keywords = [keyword.key for keyword in getattr(node, "kwargs", None) or ()]
    if not isinstance(node, allowed):
        return f"{_name(node)} is not allowed here"
    if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
        return f"attribute {node.attr!r} is not allowed"
    if isinstance(node, nodes.Call) and not isinstance(node.node, nodes.Name):
        return "only a macro and `word` can be called"
    if getattr(node, "dyn_args", None) or getattr(node, "dyn_kwargs", None):
        return "* and ** are not allowed here"
    if len(set(keywords)) < len(keywords):
        return "a keyword stands twice"
    hidden = unseen(str(node.value)) if isinstance(node, nodes.Const) else ()
    return "".join([f"{name} is not allowed" for _, name in hidden][:1])


def _name(node: nodes.Node) -> str:
    if isinstance(node, (nodes.BinExpr, nodes.UnaryExpr)):
        return "arithmetic"
    return _CALLED.get(type(node).__name__, type(node).__name__)


def wrong_calls(tree: nodes.Node, macros: Mapping[str, nodes.Macro]) -> Iterator[tuple[int, str]]:
    """Yield line and message for calls of macros with too many or too few arguments."""
    for call in tree.find_all(nodes.Call):
        macro = macros.get(call.node.name) if isinstance(call.node, nodes.Name) else None
        if macro is None:
            continue
        names = [argument.name for argument in macro.args]
        given = [*names[: len(call.args)], *(keyword.key for keyword in call.kwargs)]
        used = {name.name for name in macro.find_all(nodes.Name) if name.ctx == "load"}
        wanted = used & set(names[: len(names) - len(macro.defaults)])
        twice = len(set(given)) < len(given) or len(call.args) > len(names)
        if twice or not wanted <= set(given) <= set(names):
            listed = ", ".join(names) or "none"
            yield call.lineno, f"macro {macro.name!r} takes the arguments: {listed}"


def misplaced(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Yield line and message for what stands outside macros but is no macro or text."""
    for node in tree.body:
        if isinstance(node, nodes.Macro):
            for inner in node.find_all(nodes.Macro):
                yield inner.lineno, f"a macro inside macro {node.name!r}"
        elif not isinstance(node, nodes.Output) or any(
            not isinstance(inner, nodes.TemplateData) for inner in node.nodes
        ):
            yield node.lineno, "only macros may stand here"


@dataclass(frozen=True, eq=False)
class Macro:
    """A macro that expressions may call.

    ``uses``: what it asks of each of its arguments; ``calls``: how many calls of macros it makes,
    those of the macros that it calls included.
    """

    node: nodes.Macro
    call: Callable[..., object]
    uses: Uses
    calls: int


def calls_of(body: nodes.Node, macros: Mapping[str, Macro]) -> int:
    """Return how many calls of macros a body makes, those inside macros included."""
    return sum(1 + macros[name].calls for name in _called(body) if name in macros)


def _called(tree: nodes.Node) -> Iterator[str]:
    """Yield the names that are called, as often as they are."""
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name):
            yield call.node.name


def uses_of(
    node: nodes.Node, macros: Mapping[str, Macro], lexicon: Lexicon
) -> dict[str, frozenset[str]]:
    """Return what an expression, or the body of a macro, asks of each name in it."""
    return merge_uses({name: asked} for name, asked in _asked(node, macros, lexicon))


def merge_uses(many: Iterable[Uses]) -> dict[str, frozenset[str]]:
    """Return what several expressions together ask of each slot."""
    out: dict[str, frozenset[str]] = {}
    for uses in many:
        for name, asked in uses.items():
            out[name] = out.get(name, frozenset()) | asked
    return out


def _asked(
    node: nodes.Node, macros: Mapping[str, Macro], lexicon: Lexicon
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each name in an expression, as often as it occurs, with what is asked of it there."""
    if isinstance(node, nodes.Name):
        yield node.name, frozenset({WHOLE})
        return
    asked = typical_asked(node)
    if asked:
        yield from ((name, frozenset({ROW})) for name in asked[:2])
        return
    special = {id(child): (child.name, use) for child, use in _less_asked(node, macros, lexicon)}
    yield from special.values()
    for child in node.iter_child_nodes():
        inner = child.value if isinstance(child, nodes.Keyword) else child
        called = isinstance(node, nodes.Call) and child is node.node
        if id(inner) not in special and not called:
            yield from _asked(child, macros, lexicon)


def _less_asked(
    node: nodes.Node, macros: Mapping[str, Macro], lexicon: Lexicon
) -> list[tuple[nodes.Name, frozenset[str]]]:
    """Return the children of a node that are names but whose form is not asked for.

    Each comes with what is asked of it in place of the form.
    """
    pairs: list[tuple[nodes.Node, frozenset[str]]] = []
    if isinstance(node, nodes.Getattr):
        pairs = [(node.node, frozenset({node.attr}))]
    elif isinstance(node, nodes.Filter) and node.name in ("agree", "clash") and node.node:
        pairs = [(node.node, frozenset({ROW})), *((a, frozenset({FEATS})) for a in node.args[:1])]
    elif isinstance(node, nodes.Test) and node.name == "under":
        constants = [str(a.value) for a in node.args if isinstance(a, nodes.Const)]
        named = [is_group(n, lexicon) for text in constants for n in text.split(",")] or [False]
        asked_of = {*({ROW} if any(named) else ()), *(() if all(named) else {"Class"})}
        pairs = [(node.node, frozenset(asked_of))]
    elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name):
        macro = macros.get(node.node.name)
        if macro:
            names = [argument.name for argument in macro.node.args]
            given = [*zip(names, node.args, strict=False), *((k.key, k.value) for k in node.kwargs)]
            pairs = [(value, macro.uses.get(name, frozenset())) for name, value in given]
    return [(child, use) for child, use in pairs if isinstance(child, nodes.Name)]


def typical_asked(test: nodes.Node) -> tuple[str, str, str] | None:
    """Return ``x``, ``y`` and ``Role`` of ``x is typical(y.Role)``; None for anything else."""
    if not isinstance(test, nodes.Test) or test.name != TYPICAL or test.kwargs:
        return None
    argument = test.args[0] if len(test.args) == 1 else None
    word, head = test.node, getattr(argument, "node", None)
    if not isinstance(argument, nodes.Getattr) or not isinstance(word, nodes.Name):
        return None
    return (word.name, head.name, argument.attr) if isinstance(head, nodes.Name) else None


def in_order(macros: Mapping[str, nodes.Macro]) -> list[str]:
    """Return the names of macros, in an order in which each comes after those that it calls.

    Raises ``graphlib.CycleError`` if a macro calls itself, directly or through others.
    """
    called = {name: set(_called(macro)) for name, macro in macros.items()}
    return [name for name in TopologicalSorter(called).static_order() if name in macros]


Called = Mapping[str, Callable[..., object]]
"""What expressions may call, by name: ``word`` and macros."""

Function = Callable[[Mapping[str, object]], object]
"""A function that returns the value of an expression, given the values of its names."""

FILTERS = {"agree": "agree(x)", "clash": 'clash(x, "Number")', "form": 'form(Number="Plur")'}
"""The filters, which are methods of :class:`Word`, with an example of each."""

_SIGNS = {
    "eq": "==", "ne": "!=", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=", "in": "in", "notin": "not in",
}  # fmt: skip


class Compiler:
    """Turns syntax trees into functions that call ``called`` and apply ``tests``.

    A tree is written as Python source, which can use only the few functions given to it here. No
    expression that :func:`refused` accepts can name anything else.
    """

    def __init__(self, called: Called, tests: Called) -> None:
        filters = {name: _filter(name) for name in FILTERS}
        self._called = called
        self._known: dict[str, object] = {
            "__builtins__": {}, "called": called, "tests": tests, "filters": filters, "inf": inf,
            "lookup": _lookup, "printed": printed, "joined": joined, "concat": _concat,
        }  # fmt: skip

    def function(self, node: nodes.Node) -> Function:
        """Return the function of an expression."""
        return self._made(self._python(node))

    def _made(self, source: str) -> Function:
        made: Function = eval(f"lambda names: {source}", self._known)
        return made

    def macro(self, node: nodes.Macro) -> Callable[..., object]:
        """Return the function of a macro, which takes the arguments of the macro."""
        names = [argument.name for argument in node.args]
        optional = names[len(names) - len(node.defaults) :]
        defaults = dict(zip(optional, map(self.function, node.defaults), strict=True))
        body = self._made(f"joined({self._list_of_printed(node.body)})")

        def call(*values: object, **named: object) -> object:
            given = dict(zip(names, values, strict=False)) | named
            for name, default in defaults.items():
                if name not in given:
                    given[name] = default(given)
            made = body(given)
            if sum(len(part) if type(part) is str else 1 for part in printed(made)) > LARGEST:
                raise TemplateFault(f"macro {node.name!r} makes over {LARGEST:,} letters")
            return made

        return call

    def _list_of_printed(self, body: Sequence[nodes.Node]) -> str:
        """Return Python source for a list of all that a part of a macro prints."""
        parts: list[str] = []
        for node in body:
            if isinstance(node, nodes.If):
                cases = [(c.test, self._list_of_printed(c.body)) for c in (node, *node.elif_)]
                chosen = "".join(f"{shown} if {self._python(test)} else " for test, shown in cases)
                parts.append(f"*({chosen}{self._list_of_printed(node.else_)})")
            for part in getattr(node, "nodes", ()):
                text = isinstance(part, nodes.TemplateData)
                parts.append(repr(part.data) if text else f"*printed({self._python(part)})")
        return f"[{', '.join(parts)}]"

    def _python(self, node: nodes.Node) -> str:
        """Return an expression as Python source."""
        match node:
            case nodes.Name():
                return f"names[{node.name!r}]"
            case nodes.Const():
                return repr(node.value)
            case nodes.Getattr():
                return f"lookup({self._python(node.node)}, {node.attr!r})"
            case nodes.Filter() | nodes.Test() | nodes.Call():
                return self._python_of_call(node)
            case nodes.CondExpr():
                other = self._python(node.expr2 or nodes.Const(""))
                return f"({self._python(node.expr1)} if {self._python(node.test)} else {other})"
            case nodes.Compare():
                signs = (f" {_SIGNS[o.op]} {self._python(o.expr)}" for o in node.ops)
                return f"({self._python(node.expr)}{''.join(signs)})"
        return self._python_of_parts(node)

    def _python_of_parts(self, node: nodes.Node) -> str:
        """Return Python source for ``and``, ``or``, ``not``, ``~``, a list or a tuple."""
        parts = [self._python(part) for part in node.iter_child_nodes()]
        match node:
            case nodes.And() | nodes.Or():
                return f"({parts[0]} {type(node).__name__.lower()} {parts[1]})"
            case nodes.Not():
                return f"(not {parts[0]})"
            case nodes.Concat():
                return f"concat({', '.join(parts)})"
            case nodes.List():
                return f"[{', '.join(parts)}]"
            case nodes.Tuple():
                return f"({''.join(f'{part}, ' for part in parts)})"
        raise TemplateFault(f"{_name(node)} is not allowed here")

    def _python_of_call(self, node: nodes.Filter | nodes.Test | nodes.Call) -> str:
        """Return Python source for a call of a filter, a test, a macro or ``word``."""
        values = [self._python(value) for value in node.args]
        if asked := typical_asked(node):
            values = [f"names[{asked[0]!r}]", f"names[{asked[1]!r}]", repr(asked[2])]
        elif not isinstance(node, nodes.Call):
            assert node.node is not None
            values.insert(0, self._python(node.node))
        name = getattr(node.node if isinstance(node, nodes.Call) else node, "name", "")
        if isinstance(node, nodes.Call) and name not in self._called:
            raise TemplateFault("only a macro and `word` can be called")
        values += [f"**{{{pair.key!r}: {self._python(pair.value)}}}" for pair in node.kwargs]
        kinds = {"Filter": "filters", "Test": "tests", "Call": "called"}
        return f"{kinds[type(node).__name__]}[{name!r}]({', '.join(values)})"


def _lookup(word: object, column: str) -> str:
    """Return the property of a word."""
    if not isinstance(word, Word):
        raise TemplateFault(f"{column!r}: only words have properties")
    return word.lookup(column)


def _concat(*values: object) -> object:
    """Join words, texts and other values, which become texts."""
    texts = [value if isinstance(value, (str, Word, Phrase)) else str(value) for value in values]
    return joined([part for text in texts for part in printed(text)])


def _filter(name: str) -> Callable[..., Word]:
    """Return the filter ``name``: the method of words with that name."""

    def call(word: object, *models: object, **wanted: object) -> Word:
        if not isinstance(word, Word):
            raise TemplateFault(f"{name}: {word!r} is no word")
        try:
            return getattr(word, name)(*models, **wanted)  # type: ignore[no-any-return]
        except TypeError:
            raise TemplateFault(f"{name}: write it as {FILTERS[name]}") from None

    return call


def is_group(name: str, lexicon: Lexicon) -> bool:
    """Return whether a name is that of a group in ``typical/groups.tsv``, and not of a class."""
    return name not in lexicon.hierarchy.parents and name in lexicon.typical.groups


def under(word: object, names: object = None, *, lexicon: Lexicon) -> bool:
    """Return whether a word is in one of some classes or groups.

    ``names``: their names, with commas; if it is empty, any word is.
    """
    if not isinstance(names, str):
        raise TemplateFault(f"under wants a property or a text, not {names!r}")
    classes, groups = _classes_and_groups(names, lexicon)
    if isinstance(word, Word) and any(word.key in group for group in groups):
        return True
    if not classes:
        return not names
    own = word.lookup("Class") if isinstance(word, Word) else str(word)
    return not classes.isdisjoint(lexicon.hierarchy.above(own))


@lru_cache(maxsize=1 << 10)
def _classes_and_groups(names: str, lexicon: Lexicon) -> tuple[frozenset[str], list[Words]]:
    """Return the classes in a text with commas, and the words of each group in it."""
    groups = {name for name in names.split(",") if is_group(name, lexicon)}
    classes = [name for name in names.split(",") if name not in groups]
    words = [lexicon.typical.groups[name] for name in groups]
    return classes_wanted(",".join(classes), lexicon.hierarchy), words


def typical(word: object, head: object, role: object = None, *, of: Typical) -> bool:
    """Return whether a word is a typical argument of ``head`` in a role."""
    if not isinstance(word, Word) or not isinstance(head, Word) or not isinstance(role, str):
        raise TemplateFault(f"write it as {TYPICAL_FORM}")
    return word.key in typical_of(head, role, of)


def typical_of(head: Word, role: str, typical: Typical) -> Words:
    """Return the words that are typical of ``head``; raises :class:`TemplateFault` for a role
    that its table does not have."""
    try:
        return typical.of(head.key, role)
    except ValueError as error:
        raise TemplateFault(str(error)) from None


def classes_wanted(text: str, hierarchy: Hierarchy) -> frozenset[str]:
    """Return the classes in a text with commas; raises :class:`TemplateFault` for unknown ones."""
    wanted = [name for name in text.split(",") if name]
    for name in wanted:
        if hierarchy.parents and name not in hierarchy.parents:
            near = candidates("classes", list(hierarchy.parents), name)
            raise TemplateFault(f"there is no class {name!r} {near}")
    return frozenset(wanted)
