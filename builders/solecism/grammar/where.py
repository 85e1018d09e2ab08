"""Turn the ``where`` tests of a template into truth tables, and ``balance`` into levels."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product

import numpy as np
from jinja2 import nodes
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grammar.phrases import Phrases
from solecism.grammar.sampling.elimination import Clause
from solecism.grammar.sampling.plan import BalanceLevel
from solecism.grammar.slots import Domain, Scope
from solecism.grammar.syntax import typical_asked
from solecism.grammar.template import Template
from solecism.grammar.words import FAULTS, Skip, TemplateFault, Word, typical_of
from solecism.lexicon.typical import Key

LARGEST_CLAUSE = 1 << 22
"""The most combinations of groups that the truth table of one test may have."""

Truth = NDArray[np.bool_]


def read_where(template: Template, phrases: Phrases, domains: Sequence[Domain]) -> list[Clause]:
    """Turn the ``where`` tests into truth tables over groups of words; raises
    :class:`InputError`."""
    clauses: list[Clause] = []
    for text in template.tests:
        with _explained("where", text, template):
            clauses.append(_clause(text, phrases, domains))
        if sum(clause.table.size for clause in clauses) > 4 * LARGEST_CLAUSE:
            line = template.lines.get("where", template.lines.get("slots"))
            raise fail("where: the tests compare too many words together", template.path, line)
    return clauses


def read_balance(
    template: Template, phrases: Phrases, domains: Sequence[Domain]
) -> list[BalanceLevel]:
    """Evaluate ``balance`` for each word of a slot; raises :class:`InputError`."""
    if template.balance and template.draw is None:
        line = template.lines["balance"]
        raise fail("balance: there is nothing to balance with `draw: all`", template.path, line)
    levels: list[BalanceLevel] = []
    for text in template.balance:
        with _explained("balance", text, template):
            levels.append(_level(text, phrases, domains))
    return levels


@contextmanager
def _explained(key: str, text: str, template: Template) -> Iterator[None]:
    """Turn what goes wrong with an expression into an :class:`InputError` with its place."""
    place = template.path, template.lines.get(key, template.lines.get("slots"))
    try:
        yield
    except FAULTS as error:
        raise fail(f"{key}: {error}", *place) from None
    except Skip as skip:
        raise fail(f"{key}: {text!r}: a form is {skip.reason}", *place) from None


def _clause(text: str, phrases: Phrases, domains: Sequence[Domain]) -> Clause:
    """Return the clause of a test.

    Its table is kept in ``phrases.memo``: templates with the same slots share it.
    """
    scope = Scope.of(phrases.uses(text), domains)
    if not scope.slots:
        raise TemplateFault(f"{text!r} asks nothing of any slot")
    key = Clause, text, *(domains[slot] for slot in scope.slots)
    if key not in phrases.memo:
        phrases.memo[key] = _table(text, phrases, scope)
    return Clause(scope.slots, scope.keys, phrases.memo[key])


def _table(text: str, phrases: Phrases, scope: Scope) -> Truth:
    """Return the truth table of a test, with an axis for the groups of each slot.

    Raises :class:`TemplateFault` if the table would be too large, or if no words pass.
    """
    if scope.size > LARGEST_CLAUSE:
        raise TemplateFault(f"{text!r} compares too many words; compare properties instead")
    _check_marks(tree := phrases.tree(text))
    shape = tuple(map(len, scope.words.values()))
    try:
        table = np.broadcast_to(_truth(tree, phrases, scope.words), shape)
    except (*FAULTS, Skip):  # a part may be for other words alone; the whole tells what is wrong
        table = _evaluated(tree, phrases, scope.words)
    if not table.any():
        raise TemplateFault(f"no words pass {text!r}")
    return table


def _truth(tree: nodes.Node, phrases: Phrases, words: Mapping[str, Sequence[Word]]) -> Truth:
    """Return the truth table of a test, with an axis for each slot; an axis has one entry if the
    test does not ask of the slot.

    Parts of a test ask of fewer slots than the whole, so there are fewer combinations to look at.
    """
    match tree:
        case nodes.And() | nodes.Or():
            sides = [_truth(part, phrases, words) for part in (tree.left, tree.right)]
            return sides[0] & sides[1] if isinstance(tree, nodes.And) else sides[0] | sides[1]
        case nodes.Not():
            return ~_truth(tree.node, phrases, words)
        case nodes.CondExpr() if tree.expr2:
            parts = (tree.test, tree.expr1, tree.expr2)
            test, first, second = (_truth(part, phrases, words) for part in parts)
            return np.where(test, first, second)
    named = {
        node.name for node in (tree, *tree.find_all(nodes.Name)) if isinstance(node, nodes.Name)
    }
    own = {name: some for name, some in words.items() if name in named}
    if (asked := typical_asked(tree)) and len(own) == 2:
        table = _typical(*asked, phrases, own)
    elif (compared := _properties_compared(tree)) and len(own) == 2:
        left, right = (np.array([w.lookup(p) for w in own[n]]) for n, p in compared)
        unequal = any(part.op == "ne" for part in tree.find_all(nodes.Operand))
        table = (left[:, None] == right) != unequal
        table = table if next(iter(own)) == compared[0][0] else table.T
    else:
        table = _evaluated(tree, phrases, own)
    return table.reshape([len(some) if name in own else 1 for name, some in words.items()])


def _evaluated(tree: nodes.Node, phrases: Phrases, words: Mapping[str, Sequence[Word]]) -> Truth:
    """Return the truth table of a test that is evaluated for each combination of words."""
    function, run = phrases.function(tree), phrases.run
    rows = product(*words.values())
    values = [bool(run.first(function, dict(zip(words, row, strict=True)))) for row in rows]
    return np.array(values, dtype=bool).reshape([len(some) for some in words.values()])


def _properties_compared(tree: nodes.Node) -> list[tuple[str, str]]:
    """Return ``a``, ``lemma`` and ``b``, ``lemma`` of ``a.lemma != b.lemma``; nothing of others.

    Such tests often compare thousands of words with thousands.
    """
    if not isinstance(tree, nodes.Compare) or [o.op for o in tree.ops] not in (["eq"], ["ne"]):
        return []
    sides = [side for side in (tree.expr, tree.ops[0].expr) if isinstance(side, nodes.Getattr)]
    found = [(s.node.name, s.attr) for s in sides if isinstance(s.node, nodes.Name)]
    return found if len(found) == 2 else []


def _check_marks(tree: nodes.Node) -> None:
    """Refuse ``x.lemma == "tip#2"``, which would never be true."""
    for test in (tree, *tree.find_all(nodes.Compare)):
        if isinstance(test, nodes.Compare) and getattr(test.expr, "attr", "") == "lemma":
            marked = [c.value for c in test.find_all(nodes.Const) if "#" in str(c.value)]
            if marked:
                plain = marked[0].partition("#")[0]
                raise TemplateFault(f"{marked[0]!r}: a lemma is without its mark here: {plain!r}")


def _typical(
    name: str, head: str, role: str, phrases: Phrases, words: Mapping[str, Sequence[Word]]
) -> Truth:
    """Return the truth table of ``NAME is typical(HEAD.ROLE)``."""
    rows: dict[Key, list[int]] = {}
    for number, word in enumerate(words[name]):
        rows.setdefault(word.key, []).append(number)
    table = np.zeros((len(words[name]), len(words[head])), dtype=bool)
    for column, word in enumerate(words[head]):
        found = typical_of(word, role, phrases.lexicon.typical)
        met = (key for key in rows if key in found) if len(rows) < len(found) else found
        table[[row for key in met for row in rows.get(key, ())], column] = True
    return table if next(iter(words)) == name else table.T


def _level(text: str, phrases: Phrases, domains: Sequence[Domain]) -> BalanceLevel:
    """Return the level of an expression: its value for each entry of the slot that it names."""
    scope = Scope.of(phrases.uses(text), domains)
    if len(scope.slots) != 1:
        raise TemplateFault(f"{text!r} must ask something of one slot")
    (slot,) = scope.slots
    domain, function = domains[slot], phrases.compiled(text)
    texts: dict[str, int] = {}
    numbers = []
    for first, words in zip(scope.firsts[0], scope.each(range(scope.size)), strict=True):
        value = phrases.run.first(function, words)
        shown = domain.names[first] if isinstance(value, Word) else str(value)
        numbers.append(texts.setdefault(shown, len(texts)))
    labels = np.array(numbers, dtype=np.intp)[scope.keys[0]]
    # A value has the weight of its heaviest word, not the sum: words of one value share its draws.
    weights = np.zeros(len(texts), dtype=np.intp)
    np.maximum.at(weights, labels, domain.weights)
    return BalanceLevel(slot, labels, tuple(f"{text}={value}" for value in texts), weights)
