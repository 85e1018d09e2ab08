"""Expressions of templates: Jinja's syntax trees, checked, and compiled to Python functions over words."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any, cast

from jinja2 import Environment, StrictUndefined, Undefined, nodes
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment

from solecism.characters import unseen
from solecism.errors import candidates
from solecism.grammar.words import FEATS, ROW, WHOLE, Evaluation, TemplateFault, Word, printed
from solecism.lexicon.classes import Hierarchy
from solecism.limits import CALLS, DEPTH, LETTERS, too_deep

__all__ = [
    "EXPRESSION",
    "PHRASE",
    "TOO_DEEP",
    "ArgumentUse",
    "Called",
    "Closure",
    "Closures",
    "Sandboxed",
    "Uses",
    "WordEnvironment",
    "calls_of",
    "classes_above",
    "classes_wanted",
    "compared_texts",
    "filters",
    "in_order",
    "misplaced",
    "refused",
    "under",
    "walk",
    "wrong_calls",
]


_USAGE = {"agree": "agree(x)", "clash": 'clash(x, "Number")', "form": 'form(Number="Plur")'}


class Sandboxed(ImmutableSandboxedEnvironment):
    """What every template of others runs in: nothing can be called, filtered, tested or changed but what a
    subclass names, and no attribute begins with an underscore."""

    def __init__(self, **options: Any) -> None:
        super().__init__(undefined=StrictUndefined, autoescape=False, **options)
        self.globals, self.filters, self.tests = {}, {}, {}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return not attr.startswith("_") and super().is_safe_attribute(obj, attr, value)

    def is_safe_callable(self, obj: Any) -> bool:
        return False


class WordEnvironment(Sandboxed):
    """Words have the columns of their table as attributes; nothing else has any."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, Word):
            return obj.lookup(attribute)
        raise TemplateFault(f"{attribute!r}: only words have properties")

    def getitem(self, obj: Any, argument: Any) -> Any:
        raise TemplateFault("[...] is not allowed in a template")

    def is_safe_callable(self, obj: Any) -> bool:
        return isinstance(obj, Macro) or obj is self.globals.get("word")


def filters() -> dict[str, Callable[..., Word]]:
    """The filters by name."""
    return {name: _filter(name) for name in _USAGE}


def _filter(name: str) -> Callable[..., Word]:
    """Make the filter ``name`` of the method of words with that name."""

    def call(word: object, *models: object, **wanted: object) -> Word:
        if not isinstance(word, Word):
            raise TemplateFault(f"{name}: {word!r} is no word")
        try:
            return getattr(word, name)(*models, **wanted)  # type: ignore[no-any-return]
        except TypeError:
            raise TemplateFault(f"{name}: write it as {_USAGE[name]}") from None

    return call


TOO_DEEP = f"more than {DEPTH} brackets, operations or conditions in one another"

Uses = Mapping[str, frozenset[str]]
"""What is asked of each name: properties, or the three names of ``values``."""

ArgumentUse = Callable[[nodes.Call, int | str], frozenset[str]]
"""What a called macro asks of an argument, given by its place or its name."""

EXPRESSION: tuple[type[nodes.Node], ...] = (
    nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Getattr, nodes.Filter, nodes.Call,
    nodes.Keyword, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Test,
    nodes.Concat, nodes.List, nodes.Tuple,
    nodes.Pair, nodes.Slice,  # these stand only in what is refused
)  # fmt: skip
PHRASE: tuple[type[nodes.Node], ...] = (
    *EXPRESSION, nodes.Template, nodes.Macro, nodes.If, nodes.FromImport,
)  # fmt: skip

_COMPARING = {"eq": nodes.Const, "ne": nodes.Const, "in": nodes.List, "notin": nodes.List}

_CALLED = {
    "For": "a loop", "Assign": "set", "AssignBlock": "set", "Include": "include", "Extends": "extends",
    "Import": "`import FILE as` (write `from FILE import MACRO`)", "Block": "a block", "With": "with",
    "CallBlock": "call", "FilterBlock": "a filter block", "Getitem": "[...]", "Dict": "{...}",
}  # fmt: skip


def compared_texts(test: nodes.Compare) -> frozenset[str] | None:
    """The texts of ``x == "text"``, ``x in ["text", ...]`` and their opposites; none for any other test."""
    operand, *more = test.ops
    if more or _COMPARING.get(operand.op) is not type(operand.expr):
        return None
    items = operand.expr.items if isinstance(operand.expr, nodes.List) else [operand.expr]
    texts = [i.value for i in items if isinstance(i, nodes.Const) and type(i.value) is str]
    return frozenset(texts) if len(texts) == len(items) else None


def refused(
    tree: nodes.Node, allowed: tuple[type[nodes.Node], ...], methods: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield line and message for everything in a tree that is not ``allowed``, or that it is too deep.

    Only names can be called, with ``methods`` their attributes too.
    """
    if too_deep(tree, nodes.Node.iter_child_nodes):
        return iter([(_deep_line(tree), TOO_DEEP)])
    called = (nodes.Name, nodes.Getattr) if methods else nodes.Name
    return _refused(tree, allowed, called)


def _deep_line(tree: nodes.Node) -> int:
    """The line in which a tree is too deep: that of the expression in an output of a template."""
    for level in (1, 2):
        inner = tree.iter_child_nodes()
        tree = next(n for n in inner if too_deep(n, nodes.Node.iter_child_nodes, DEPTH - level))
    return tree.lineno or 1


def _refused(
    tree: nodes.Node,
    allowed: tuple[type[nodes.Node], ...],
    called: type[nodes.Node] | tuple[type[nodes.Node], ...],
) -> Iterator[tuple[int, str]]:
    for const in tree.find_all(nodes.Const):
        yield from (
            (const.lineno, f"{name} is not allowed") for _, name in unseen(str(const.value))
        )
    for node in _nodes(tree):
        if not isinstance(node, allowed):
            yield node.lineno, f"{_name(node)} is not allowed here"
        elif isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
            yield node.lineno, f"attribute {node.attr!r} is not allowed"
        elif isinstance(node, nodes.Call) and not isinstance(node.node, called):
            yield node.lineno, "only a macro and `word` can be called"
        elif getattr(node, "dyn_args", None) or getattr(node, "dyn_kwargs", None):
            yield node.lineno, "* and ** are not allowed here"
        elif len({k.key for k in _keywords(node)}) < len(_keywords(node)):
            yield node.lineno, "a keyword stands twice"


def _keywords(node: nodes.Node) -> list[nodes.Keyword]:
    return list(getattr(node, "kwargs", None) or ())


def _name(node: nodes.Node) -> str:
    if isinstance(node, (nodes.BinExpr, nodes.UnaryExpr)):
        return "arithmetic"
    return _CALLED.get(type(node).__name__, type(node).__name__)


def _nodes(node: nodes.Node) -> Iterator[nodes.Node]:
    yield node
    yield from node.find_all(nodes.Node)


def wrong_calls(tree: nodes.Node, macros: Mapping[str, nodes.Macro]) -> Iterator[tuple[int, str]]:
    """Yield line and message for calls of macros with too many arguments or without one that they use."""
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
        elif not isinstance(node, nodes.FromImport) and set(map(type, _nodes(node))) - _TEXT:
            yield node.lineno, "only macros and imports may stand here"


_TEXT = {nodes.Output, nodes.TemplateData}


def walk(node: nodes.Node, argument_use: ArgumentUse) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield every name of an expression with what is asked of it at that place."""
    if isinstance(node, nodes.Name):
        yield node.name, frozenset({WHOLE})
        return
    special = _special(node, argument_use)
    yield from special.values()
    for child in node.iter_child_nodes():
        called = isinstance(node, nodes.Call) and child is node.node
        if id(child) not in special and not called:
            yield from walk(child, argument_use)


def _special(node: nodes.Node, argument_use: ArgumentUse) -> dict[int, tuple[str, frozenset[str]]]:
    """The children of a node that are names of which less than their form is asked."""
    pairs: list[tuple[nodes.Node, frozenset[str]]] = []
    if isinstance(node, nodes.Getattr):
        pairs = [(node.node, frozenset({node.attr}))]
    elif isinstance(node, nodes.Filter) and node.name in ("agree", "clash") and node.node:
        pairs = [(node.node, frozenset({ROW})), *((a, frozenset({FEATS})) for a in node.args[:1])]
    elif isinstance(node, nodes.Test) and node.name == "under":
        pairs = [(node.node, frozenset({"Class"}))]
    elif isinstance(node, nodes.Call):
        pairs = [(a, argument_use(node, i)) for i, a in enumerate(node.args)]
        pairs += [(k, argument_use(node, k.key)) for k in node.kwargs]
    return {
        id(child): (name.name, use)
        for child, use in pairs
        if isinstance(
            name := child.value if isinstance(child, nodes.Keyword) else child, nodes.Name
        )
    }


def in_order(macros: Mapping[str, nodes.Macro]) -> list[str]:
    """List macros, those that are called before those that call them.

    Raises ``graphlib.CycleError`` where one calls itself, be it through others.
    """
    return [name for name in TopologicalSorter(calls_of(macros)).static_order() if name in macros]


def calls_of(macros: Mapping[str, nodes.Macro]) -> dict[str, set[str]]:
    """The names that each macro calls."""
    return {
        name: {c.node.name for c in macro.find_all(nodes.Call) if isinstance(c.node, nodes.Name)}
        for name, macro in macros.items()
    }


Called = dict[str, Callable[..., Any]]
"""What expressions may call, by name: ``word`` and macros."""

Closure = Callable[[Mapping[str, Any]], Any]
"""Gives the value of an expression for the values of its names."""

_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "lteq": operator.le, "gt": operator.gt,
    "gteq": operator.ge, "in": lambda a, b: a in b, "notin": lambda a, b: a not in b,
}  # fmt: skip


class Closures:
    """Turns the nodes of an environment into functions; a macro may join ``called`` after its callers."""

    def __init__(self, env: Environment, called: Called, run: Evaluation) -> None:
        self.env, self.called, self.run = env, called, run

    def of(self, node: nodes.Node) -> Closure:
        """Give the function of an expression."""
        made: Closure = getattr(self, f"_{type(node).__name__.lower()}")(node)
        return made

    def macro(self, node: nodes.Macro) -> Callable[..., str]:
        """Give the function of a macro, called as the macro is."""
        names = [argument.name for argument in node.args]
        defaults = dict(zip(reversed(names), map(self.of, reversed(node.defaults)), strict=False))
        body = self.body(node.body)

        def complete(given: dict[str, Any]) -> None:
            for name in names:
                if name not in given:
                    default = defaults.get(name)
                    given[name] = self._missing(name) if default is None else default(given)

        run = self.run

        def call(*values: Any, **named: Any) -> str:
            run.calls += 1
            if run.calls > CALLS:
                raise TemplateFault(f"more than {CALLS:,} calls of macros")
            given = dict(zip(names, values, strict=False))
            if named or len(given) < len(names):
                given.update(named)
                complete(given)
            return body(given)

        return call

    def body(self, parts: Sequence[nodes.Node]) -> Callable[[Mapping[str, Any]], str]:
        """Give the function of text, outputs and conditions one after another."""
        made = [piece for part in parts for piece in self._pieces(part)]
        if len(made) == 1:
            return made[0]
        return lambda names: _together([piece(names) for piece in made])

    def _missing(self, name: str) -> Any:
        return self.env.undefined(f"parameter {name!r} was not provided", name=name)

    def _pieces(self, node: nodes.Node) -> list[Callable[[Mapping[str, Any]], str]]:
        if isinstance(node, nodes.If):
            return [self._if(node)]
        return [self._shown(part) for part in getattr(node, "nodes", ())]

    def _shown(self, node: nodes.Node) -> Callable[[Mapping[str, Any]], str]:
        if isinstance(node, nodes.TemplateData):
            text = node.data
            return lambda names: text
        value = self.of(node)

        def show(names: Mapping[str, Any]) -> str:
            shown = value(names)
            if type(shown) is Word:
                return shown.run.mark(shown)
            return shown if type(shown) is str else str(printed(shown))

        return show

    def _if(self, node: nodes.If) -> Callable[[Mapping[str, Any]], str]:
        cases = [(self.of(case.test), self.body(case.body)) for case in (node, *node.elif_)]
        otherwise = self.body(node.else_)

        def choose(names: Mapping[str, Any]) -> str:
            for test, body in cases:
                if test(names):
                    return body(names)
            return otherwise(names)

        name = _text_asked(node)
        if not name:
            return choose
        known: dict[str, Callable[[Mapping[str, Any]], str]] = {}

        def choose_by_text(names: Mapping[str, Any]) -> str:
            value = names[name]
            text = value.text if type(value) is Word else value
            if type(text) is not str:
                return choose(names)
            if text not in known:
                known[text] = next((body for test, body in cases if test(names)), otherwise)
            return known[text](names)

        return choose_by_text

    def _name(self, node: nodes.Name) -> Closure:
        return operator.itemgetter(node.name)

    def _const(self, node: nodes.Const) -> Closure:
        value = node.value
        return lambda names: value

    def _getattr(self, node: nodes.Getattr) -> Closure:
        value, column, env = self.of(node.node), node.attr, self.env

        def get(names: Mapping[str, Any]) -> Any:
            asked = value(names)
            return asked.lookup(column) if type(asked) is Word else env.getattr(asked, column)

        return get

    def _filter(self, node: nodes.Filter) -> Closure:
        assert node.node is not None
        return self._applied(self.env.filters[node.name], [node.node, *node.args], node.kwargs)

    def _test(self, node: nodes.Test) -> Closure:
        test = cast(Callable[..., Any], self.env.tests[node.name])
        return self._applied(test, [node.node, *node.args], node.kwargs)

    def _call(self, node: nodes.Call) -> Closure:
        assert isinstance(node.node, nodes.Name)
        name, called = node.node.name, self.called
        if name in called:
            return self._applied(called[name], node.args, node.kwargs)
        return self._applied(lambda *a, **k: called[name](*a, **k), node.args, node.kwargs)

    def _applied(
        self, function: Callable[..., Any], arguments: Sequence[nodes.Node], named: Any
    ) -> Closure:
        values = [self.of(argument) for argument in arguments]
        keywords = [(keyword.key, self.of(keyword.value)) for keyword in named or ()]
        if not keywords:
            return lambda names: function(*[value(names) for value in values])
        return lambda names: function(
            *[value(names) for value in values],
            **{key: value(names) for key, value in keywords},
        )

    def _condexpr(self, node: nodes.CondExpr) -> Closure:
        test, first = self.of(node.test), self.of(node.expr1)
        if node.expr2 is None:  # prints as nothing
            return lambda names: first(names) if test(names) else Undefined()
        second = self.of(node.expr2)
        return lambda names: first(names) if test(names) else second(names)

    def _compare(self, node: nodes.Compare) -> Closure:
        first = self.of(node.expr)
        rest = [(_COMPARED[operand.op], self.of(operand.expr)) for operand in node.ops]
        if len(rest) == 1:
            ((test, second),) = rest
            return lambda names: test(first(names), second(names))

        def compare(names: Mapping[str, Any]) -> Any:
            left, outcome = first(names), True
            for test, value in rest:
                right = value(names)
                outcome = test(left, right)
                if not outcome:
                    break
                left = right
            return outcome

        return compare

    def _and(self, node: nodes.And) -> Closure:
        left, right = self.of(node.left), self.of(node.right)
        return lambda names: left(names) and right(names)

    def _or(self, node: nodes.Or) -> Closure:
        left, right = self.of(node.left), self.of(node.right)
        return lambda names: left(names) or right(names)

    def _not(self, node: nodes.Not) -> Closure:
        value = self.of(node.node)
        return lambda names: not value(names)

    def _concat(self, node: nodes.Concat) -> Closure:
        values = [self.of(part) for part in node.nodes]
        return lambda names: _together([str(value(names)) for value in values])

    def _list(self, node: nodes.List) -> Closure:
        values = [self.of(item) for item in node.items]
        if all(isinstance(item, nodes.Const) for item in node.items):
            made = [value({}) for value in values]
            return lambda names: made
        return lambda names: [value(names) for value in values]

    def _tuple(self, node: nodes.Tuple) -> Closure:
        values = [self.of(item) for item in node.items]
        return lambda names: tuple(value(names) for value in values)


def _together(texts: list[str]) -> str:
    """Join texts; raises :class:`TemplateFault` where the whole is too long."""
    if sum(map(len, texts)) > LETTERS:
        raise TemplateFault(f"more than {LETTERS:,} characters")
    return "".join(texts)


def _text_asked(node: nodes.If) -> str:
    """The name that all tests compare with texts and with nothing else, or ``""``."""
    names = {_compared(case.test) for case in (node, *node.elif_)}
    return names.pop() if len(names) == 1 else ""


def _compared(test: nodes.Node) -> str:
    """The name in ``name == "text"`` and ``name in ["text", ...]`` (and their opposites), or ``""``."""
    if not isinstance(test, nodes.Compare) or not isinstance(test.expr, nodes.Name):
        return ""
    return "" if compared_texts(test) is None else test.expr.name


def under(word: object, classes: object = None, *, hierarchy: Hierarchy) -> bool:
    """Tell whether the class of a word stands below one of ``classes`` (a list text; none: any)."""
    if not isinstance(classes, str):
        raise TemplateFault(f"under wants a property or a text, not {classes!r}")
    wanted = classes_wanted(classes, hierarchy)
    names = word.lookup("Class") if isinstance(word, Word) else str(word)
    return not wanted or not wanted.isdisjoint(classes_above(names, hierarchy))


def classes_wanted(text: str, hierarchy: Hierarchy) -> frozenset[str]:
    """Read a list of classes; raises :class:`TemplateFault` for one that there is not."""
    wanted = [name for name in text.split(",") if name]
    for name in wanted:
        if hierarchy.parents and name not in hierarchy.parents:
            near = candidates("classes", list(hierarchy.parents), name)
            raise TemplateFault(f"there is no class {name!r} {near}")
    return frozenset(wanted)


def classes_above(text: str, hierarchy: Hierarchy) -> frozenset[str]:
    """The classes of a word (a list text) and all above them."""
    return hierarchy.above(text)
