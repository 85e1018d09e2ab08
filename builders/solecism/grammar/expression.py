"""Expressions of templates: Jinja's syntax trees, checked, analysed, and turned into functions.

Jinja parses; everything else happens here. A template cannot loop, assign, do arithmetic, reach
Python attributes or call anything but ``word`` and macros: :func:`refused` accepts only the nodes
that :data:`EXPRESSION` and :data:`PHRASE` list. :class:`Compiler` turns a tree into a function from
words to a value: a word, a text, a phrase of both, or a truth.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

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
from solecism.lexicon.lexicon import Hierarchy, Lexicon
from solecism.lexicon.typical import TYPICAL, Key, Typical

_PLAIN = (
    (r"after the end of the expression|got '='|unexpected char", "filters have | before them, texts "
     'straight quotes ("), comparisons =='),
    (r"(?<!un)expected '(.)'|expected token '([(,])'", "a bracket or a comma is missing"),
    (r"unexpected end of template, expected 'name'|expected name", "a name is missing after | or ."),
    (r"unexpected 'end of template'", "the expression ends too early"),
    (r"unexpected '\}'", "an expression ends with }}, a block with %}"),
    (r"unexpected '[)\]]'", "a bracket is closed that was not opened"),
    (r"following tags: '(\w+)'", "the block before is not closed"),
)  # fmt: skip
"""What Jinja says of frequent mistakes, and what an author should look for."""


def in_plain_words(message: str | None) -> str:
    """Return what Jinja says of a mistake, with what to look for."""
    said = f"Jinja: {message}".rstrip(".")
    for pattern, words in _PLAIN:
        if re.search(pattern, said):
            return f"{said} ({words})"
    return said


TYPICAL_FORM = "x is typical(verb.Object)"

Uses = Mapping[str, frozenset[str]]
"""What is asked of each name: properties, or the three names of :mod:`solecism.grammar.words`."""

EXPRESSION: tuple[type[nodes.Node], ...] = (
    nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Filter, nodes.Call,
    nodes.Keyword, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Test,
    nodes.Concat, nodes.List, nodes.Tuple,
    nodes.Pair, nodes.Slice,  # these stand only in what is refused
)  # fmt: skip
PHRASE: tuple[type[nodes.Node], ...] = (
    *EXPRESSION, nodes.Template, nodes.Macro, nodes.If, nodes.FromImport,
)  # fmt: skip

_QUOTED = r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_NAMES = re.compile(rf"{_QUOTED}|(?<![\w.])([^\W\d]\w*)\b(?!\s*=(?!=))")
"""The texts in quotes of an expression, and its names (not those of properties and keywords)."""

_CALLED = {
    "For": "a loop", "Assign": "set", "AssignBlock": "set", "Include": "include", "Extends": "extends",
    "Import": "`import FILE as` (write `from FILE import MACRO`)", "Block": "a block", "With": "with",
    "CallBlock": "call", "FilterBlock": "a filter block", "Getitem": "[...]", "Dict": "{...}",
}  # fmt: skip


def renamed(source: str, names: Mapping[str, str]) -> str:
    """Return the source of an expression with other names in place of some of its names.

    >>> renamed('the.lemma == "the"', {"the": "it"})
    'it.lemma == "the"'
    """
    return _NAMES.sub(lambda match: match[1] or names.get(match[2], match[2]), source)


def refused(tree: nodes.Node, allowed: tuple[type[nodes.Node], ...]) -> Iterator[tuple[int, str]]:
    """Yield line and message for nodes that are not ``allowed``; only names can be called."""
    for node in (tree, *tree.find_all(nodes.Node)):
        keywords = [keyword.key for keyword in getattr(node, "kwargs", None) or ()]
        if not isinstance(node, allowed):
            yield node.lineno, f"{_name(node)} is not allowed here"
        elif isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
            yield node.lineno, f"attribute {node.attr!r} is not allowed"
        elif isinstance(node, nodes.Call) and not isinstance(node.node, nodes.Name):
            yield node.lineno, "only a macro and `word` can be called"
        elif getattr(node, "dyn_args", None) or getattr(node, "dyn_kwargs", None):
            yield node.lineno, "* and ** are not allowed here"
        elif len(set(keywords)) < len(keywords):
            yield node.lineno, "a keyword stands twice"


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
    """Yield line and message for what stands outside macros but is no macro, import or text."""
    for node in tree.body:
        if isinstance(node, nodes.Macro):
            for inner in node.find_all((nodes.Macro, nodes.FromImport)):
                yield inner.lineno, f"a macro or an import inside macro {node.name!r}"
        elif not isinstance(node, (nodes.FromImport, nodes.Output)) or any(
            not isinstance(inner, nodes.TemplateData) for inner in getattr(node, "nodes", ())
        ):
            yield node.lineno, "only macros and imports may stand here"


@dataclass(frozen=True, eq=False)
class Macro:
    """A macro that expressions may call.

    ``uses`` is what it asks of its arguments.
    """

    node: nodes.Macro
    call: Callable[..., object]
    uses: Uses

    def use(self, argument: int | str) -> frozenset[str]:
        """Return what it asks of an argument, given by place or name."""
        names = [name.name for name in self.node.args]
        if isinstance(argument, int):
            argument = names[argument] if argument < len(names) else ""
        return self.uses.get(argument, frozenset()) if argument else frozenset({WHOLE})


def uses_of(
    node: nodes.Node, macros: Mapping[str, Macro], lexicon: Lexicon
) -> dict[str, frozenset[str]]:
    """Return what an expression, or the body of a macro, asks of each name in it."""
    return merge_uses({name: asked} for name, asked in _asked(node, macros, lexicon))


def merge_uses(many: Iterable[Uses]) -> dict[str, frozenset[str]]:
    """Put together what several expressions ask of each slot."""
    out: dict[str, frozenset[str]] = {}
    for uses in many:
        for name, asked in uses.items():
            out[name] = out.get(name, frozenset()) | asked
    return out


def _asked(
    node: nodes.Node, macros: Mapping[str, Macro], lexicon: Lexicon
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield every name of an expression with what is asked of it at that place."""
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
    """Return the children of a node that are names of which less than their form is asked."""
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
            pairs = [(value, macro.use(place)) for place, value in enumerate(node.args)]
            pairs += [(k.value, macro.use(k.key)) for k in node.kwargs]
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
    """List macros, those that are called before those that call them.

    Raises ``graphlib.CycleError`` where one calls itself, directly or through others.
    """
    called = {name: called_names(macro) for name, macro in macros.items()}
    return [name for name in TopologicalSorter(called).static_order() if name in macros]


def called_names(macro: nodes.Macro) -> set[str]:
    """Return the names that a macro calls."""
    return {c.node.name for c in macro.find_all(nodes.Call) if isinstance(c.node, nodes.Name)}


Called = Mapping[str, Callable[..., object]]
"""What expressions may call, by name: ``word`` and macros."""

Function = Callable[[Mapping[str, object]], object]
"""Returns the value of an expression for the values of its names."""

Printer = Callable[[Mapping[str, object], list[str | Word]], None]
"""Adds what a part of a macro prints to a list."""

FILTERS = {"agree": "agree(x)", "clash": 'clash(x, "Number")', "form": 'form(Number="Plur")'}
"""The filters, which are methods of words, and how they are written."""

_COMPARED: dict[str, Callable[..., object]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "lteq": operator.le, "gt": operator.gt,
    "gteq": operator.ge, "in": lambda a, b: a in b, "notin": lambda a, b: a not in b,
}  # fmt: skip


class Compiler:
    """Turns syntax trees into functions that call ``called`` and apply ``tests``.

    There is one method for each type of node that :func:`refused` lets pass.
    """

    def __init__(self, called: Called, tests: Called) -> None:
        self.called, self.tests = called, tests

    def function(self, node: nodes.Node) -> Function:
        """Return the function of an expression."""
        make = getattr(self, f"_{type(node).__name__.lower()}", None)
        if make is None:
            raise TemplateFault(f"{_name(node)} is not allowed here")
        made: Function = make(node)
        return made

    def macro(self, node: nodes.Macro) -> Callable[..., object]:
        """Return the function of a macro, called as the macro is."""
        names = [argument.name for argument in node.args]
        optional = names[len(names) - len(node.defaults) :]
        defaults = dict(zip(optional, map(self.function, node.defaults), strict=True))
        printers = self._printers(node.body)

        def call(*values: object, **named: object) -> object:
            given = dict(zip(names, values, strict=False))
            given.update(named)
            for name, default in defaults.items():
                if name not in given:
                    given[name] = default(given)
            out: list[str | Word] = []
            for printer in printers:
                printer(given, out)
            return joined(out)

        return call

    def _printers(self, parts: Sequence[nodes.Node]) -> tuple[Printer, ...]:
        return tuple([printer for part in parts for printer in self._printers_of(part)])

    def _printers_of(self, node: nodes.Node) -> list[Printer]:
        if isinstance(node, nodes.If):
            return [self._if(node)]
        return [self._printer(part) for part in getattr(node, "nodes", ())]

    def _printer(self, node: nodes.Node) -> Printer:
        if isinstance(node, nodes.TemplateData):
            text = node.data
            return lambda names, out: out.append(text)
        value = self.function(node)
        return lambda names, out: out.extend(printed(value(names)))

    def _if(self, node: nodes.If) -> Printer:
        cases = [(self.function(c.test), self._printers(c.body)) for c in (node, *node.elif_)]
        otherwise = self._printers(node.else_)

        def chosen(names: Mapping[str, object]) -> tuple[Printer, ...]:
            return next((printers for test, printers in cases if test(names)), otherwise)

        def show(names: Mapping[str, object], out: list[str | Word]) -> None:
            for printer in chosen(names):
                printer(names, out)

        return show

    def _name(self, node: nodes.Name) -> Function:
        return operator.itemgetter(node.name)

    def _const(self, node: nodes.Const) -> Function:
        value = node.value
        return lambda names: value

    def _getattr(self, node: nodes.Getattr) -> Function:
        value, column = self.function(node.node), node.attr

        def get(names: Mapping[str, object]) -> object:
            word = value(names)
            if type(word) is not Word:
                raise TemplateFault(f"{column!r}: only words have properties")
            return word.lookup(column)

        return get

    def _filter(self, node: nodes.Filter) -> Function:
        assert node.node is not None
        return self._applied(_filter(node.name), [node.node, *node.args], node.kwargs)

    def _test(self, node: nodes.Test) -> Function:
        asked = typical_asked(node)
        if asked:
            (word, head, role), test = asked, self.tests[TYPICAL]
            return lambda names: test(names[word], names[head], role)
        return self._applied(self.tests[node.name], [node.node, *node.args], node.kwargs)

    def _call(self, node: nodes.Call) -> Function:
        called = self.called.get(getattr(node.node, "name", ""))
        if called is None:
            raise TemplateFault("only a macro and `word` can be called")
        return self._applied(called, node.args, node.kwargs)

    def _applied(
        self,
        function: Callable[..., object],
        arguments: Sequence[nodes.Node],
        named: Iterable[nodes.Node] | None,
    ) -> Function:
        values = [self.function(argument) for argument in arguments]
        keywords = [
            (keyword.key, self.function(keyword.value))
            for keyword in named or ()
            if isinstance(keyword, nodes.Keyword)
        ]
        if not keywords:
            return lambda names: function(*[value(names) for value in values])
        return lambda names: function(
            *[value(names) for value in values],
            **{key: value(names) for key, value in keywords},
        )

    def _condexpr(self, node: nodes.CondExpr) -> Function:
        test, first = self.function(node.test), self.function(node.expr1)
        second = self.function(node.expr2 or nodes.Const(""))
        return lambda names: first(names) if test(names) else second(names)

    def _compare(self, node: nodes.Compare) -> Function:
        first = self.function(node.expr)
        rest = [(_COMPARED[operand.op], self.function(operand.expr)) for operand in node.ops]

        def compare(names: Mapping[str, object]) -> object:
            left = first(names)
            for test, value in rest:
                right = value(names)
                if not test(left, right):
                    return False
                left = right
            return True

        return compare

    def _and(self, node: nodes.And) -> Function:
        left, right = self.function(node.left), self.function(node.right)
        return lambda names: left(names) and right(names)

    def _or(self, node: nodes.Or) -> Function:
        left, right = self.function(node.left), self.function(node.right)
        return lambda names: left(names) or right(names)

    def _not(self, node: nodes.Not) -> Function:
        value = self.function(node.node)
        return lambda names: not value(names)

    def _concat(self, node: nodes.Concat) -> Function:
        values = [self.function(part) for part in node.nodes]

        def concat(names: Mapping[str, object]) -> object:
            made = [value(names) for value in values]
            texts = [x if isinstance(x, (str, Word, Phrase)) else str(x) for x in made]
            return joined([part for text in texts for part in printed(text)])

        return concat

    def _list(self, node: nodes.List) -> Function:
        values = [self.function(item) for item in node.items]
        if all(isinstance(item, nodes.Const) for item in node.items):
            made = [value({}) for value in values]
            return lambda names: made
        return lambda names: [value(names) for value in values]

    def _tuple(self, node: nodes.Tuple) -> Function:
        values = [self.function(item) for item in node.items]
        return lambda names: tuple([value(names) for value in values])


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
    """Return whether a name is not of a class, but of a group of ``typical/groups.tsv``."""
    return name not in lexicon.hierarchy.parents and name in lexicon.typical.groups


def under(word: object, names: object = None, *, lexicon: Lexicon) -> bool:
    """Return whether a word is of one of these classes or groups (a list text; empty: any)."""
    if not isinstance(names, str):
        raise TemplateFault(f"under wants a property or a text, not {names!r}")
    classes: list[str] = []
    for name in filter(None, names.split(",")):
        if not is_group(name, lexicon):
            classes.append(name)
        elif isinstance(word, Word) and word.key in lexicon.typical.groups[name]:
            return True
    wanted = classes_wanted(",".join(classes), lexicon.hierarchy)
    if not wanted:
        return not names
    own = word.lookup("Class") if isinstance(word, Word) else str(word)
    return not wanted.isdisjoint(lexicon.hierarchy.above(own))


def typical(word: object, head: object, role: object = None, *, of: Typical) -> bool:
    """Return whether a word is typical of another in a role."""
    if not isinstance(word, Word) or not isinstance(head, Word) or not isinstance(role, str):
        raise TemplateFault(f"write it as {TYPICAL_FORM}")
    return word.key in typical_of(head, role, of)


def typical_of(head: Word, role: str, typical: Typical) -> frozenset[Key]:
    """Return the words that are typical of ``head``; raises :class:`TemplateFault` for a role
    that its table does not have."""
    try:
        return typical.of(head.key, role)
    except ValueError as error:
        raise TemplateFault(str(error)) from None


def classes_wanted(text: str, hierarchy: Hierarchy) -> frozenset[str]:
    """Read a list of classes; raises :class:`TemplateFault` for an unknown one."""
    wanted = [name for name in text.split(",") if name]
    for name in wanted:
        if hierarchy.parents and name not in hierarchy.parents:
            near = candidates("classes", list(hierarchy.parents), name)
            raise TemplateFault(f"there is no class {name!r} {near}")
    return frozenset(wanted)
