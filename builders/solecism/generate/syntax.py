"""Jinja's syntax trees: what may stand in an expression or a macro, and what it asks of its names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from jinja2 import nodes

from solecism.generate.values import FEATS, ROW, WHOLE

__all__ = [
    "EXPRESSION", "PHRASE", "ArgumentUse", "Uses", "circle", "compared_texts", "misplaced", "refused", "walk",
    "wrong_calls",
]  # fmt: skip

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


def refused(tree: nodes.Node, allowed: tuple[type[nodes.Node], ...]) -> Iterator[tuple[int, str]]:
    """Yield line and message for everything in a tree that is not ``allowed``."""
    for node in _nodes(tree):
        if not isinstance(node, allowed):
            yield node.lineno, f"{_name(node)} is not allowed here"
        elif isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
            yield node.lineno, f"attribute {node.attr!r} is not allowed"
        elif isinstance(node, nodes.Call) and not isinstance(node.node, nodes.Name):
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
    for child in node.iter_child_nodes():
        yield from _nodes(child)


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


def circle(macros: Mapping[str, nodes.Macro]) -> str:
    """Give the name of a macro that calls itself, be it through others, or ``""``."""
    calls = {
        name: {c.node.name for c in macro.find_all(nodes.Call) if isinstance(c.node, nodes.Name)}
        for name, macro in macros.items()
    }
    for start in calls:
        reached: set[str] = set()
        stack = list(calls[start])
        while stack:
            name = stack.pop()
            if name not in reached:
                reached.add(name)
                stack += calls.get(name, ())
        if start in reached:
            return start
    return ""
