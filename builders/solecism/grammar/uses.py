"""What expressions ask of the words that they name, and which macros they call."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter

from jinja2 import nodes

from solecism.grammar.syntax import typical_asked
from solecism.grammar.words import FEATS, ROW, WHOLE, is_group
from solecism.lexicon.lexicon import Lexicon

Uses = Mapping[str, frozenset[str]]
"""What is asked of each name: its properties, or ``WHOLE``, ``FEATS`` or ``ROW``."""


LARGEST = 10_000
"""The most words and letters that a macro may print, and the most calls of macros inside it. Macros
of others may double one another."""


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


Macros = Mapping[str, Macro]
"""Macros by name."""


def calls_of(body: nodes.Node, macros: Macros) -> int:
    """Return how many calls of macros a body makes, those inside macros included."""
    return sum(1 + macros[name].calls for name in _called(body) if name in macros)


def _called(tree: nodes.Node) -> Iterator[str]:
    """Yield the names that are called, as often as they are."""
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name):
            yield call.node.name


def uses_of(node: nodes.Node, macros: Macros, lexicon: Lexicon) -> dict[str, frozenset[str]]:
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
    node: nodes.Node, macros: Macros, lexicon: Lexicon
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
    node: nodes.Node, macros: Macros, lexicon: Lexicon
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


def in_order(macros: Mapping[str, nodes.Macro]) -> list[str]:
    """Return the names of macros, in an order in which each comes after those that it calls.

    Raises ``graphlib.CycleError`` if a macro calls itself, directly or through others.
    """
    called = {name: set(_called(macro)) for name, macro in macros.items()}
    return [name for name in TopologicalSorter(called).static_order() if name in macros]
