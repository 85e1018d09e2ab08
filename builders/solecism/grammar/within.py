"""Which words of a paradigm can be printed within limits, before anything is drawn.

What one expression of a line prints is tried for all words that it can have, and becomes a truth
table as a test of ``where`` does. So a draw seldom meets a word outside. What the tables do not say
(expressions over very many words; what rules of spelling change between two expressions; how
frequent the words are that differ) is seen when a line is written.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from solecism.grammar.phrases import Phrases
from solecism.grammar.render import LineExpression, Unspelt, read_units
from solecism.grammar.sampling.elimination import Clause
from solecism.grammar.slots import Domain, Scope
from solecism.grammar.template import Template, TemplateLine
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.orthography import Orthography
from solecism.lexicon.vocabulary import Vocabulary, words_of

LARGEST = 1 << 12
"""The most combinations of words of an expression that are tried."""


def limit_clauses(
    template: Template, phrases: Phrases, domains: Sequence[Domain]
) -> Iterator[Clause]:
    """Yield what the vocabulary of a draw allows of the words of expressions; without, nothing."""
    vocabulary = phrases.lexicon.limits.vocabulary
    if vocabulary is None:
        return
    lines = template.conditions
    # Of several bad lines, one that can be made is enough.
    for line in lines if not template.is_pair or len(lines) == 2 else lines[:1]:
        units = _rendered(line, template, phrases, domains)
        for place, (unit, scope) in enumerate(units):
            if unit is None or not scope.slots:
                continue
            before, after = (
                _may_change(units, n, phrases.lexicon.orthography) for n in (place, place + 1)
            )
            key = Clause, unit.key, not place, before, after, *(domains[n] for n in scope.slots)
            if key not in phrases.memo:
                cut = slice(int(before), -1 if after else None)
                phrases.memo[key] = _table(unit, scope, phrases.lexicon, vocabulary, not place, cut)
            if not phrases.memo[key].all():
                yield Clause(scope.slots, scope.keys, phrases.memo[key])


_Units = Sequence[tuple[LineExpression | None, Scope]]
"""The expressions of a line with all their values, None for those of too many words."""


def _rendered(
    line: TemplateLine, template: Template, phrases: Phrases, domains: Sequence[Domain]
) -> _Units:
    """Evaluate the expressions of a line for all their words."""
    found: list[tuple[LineExpression | None, Scope]] = []
    for unit in read_units(line, template.path, phrases, template.slot_names):
        scope = Scope.of(unit.uses, domains)
        key = LineExpression, unit.key, *(domains[n] for n in scope.slots)
        if key not in phrases.memo and scope.size <= LARGEST:
            for code, words in enumerate(scope.each(range(scope.size))):
                unit.render(code, words)
            phrases.memo[key] = unit
        found.append((phrases.memo.get(key), scope))
    return found


def _may_change(units: _Units, place: int, spelling: Orthography) -> bool:
    """Return whether spelling may change the words before and after a ``place`` between units."""
    if place in (0, len(units)):
        return False
    left, right = units[place - 1][0], units[place][0]
    if left is None or right is None:
        return True
    loose = left.ends.empty or left.ends.spaced or right.ends.empty
    return loose or spelling.touches(left.ends.tails, right.ends.heads)


def _table(
    unit: LineExpression,
    scope: Scope,
    lexicon: Lexicon,
    vocabulary: Vocabulary,
    first: bool,
    cut: slice,
) -> NDArray[np.bool_]:
    """Return the truth table of an expression, with an axis for the groups of each slot.

    ``cut``: the words of a value that nothing can change. Values that cannot be made pass.
    """
    spelling = lexicon.orthography

    def is_known(pieces: Sequence[Unspelt]) -> bool:
        spelt = (spelling.spell(piece.tokens) for piece in pieces)
        whole = (words_of(spelling.begin(t) if first else t, spelling.space) for t in spelt)
        return any(vocabulary.knows_all(words[cut], first) for words in whole)

    found = (unit.cache[code] for code in range(scope.size))
    values = [isinstance(pieces, str) or is_known(pieces) for pieces in found]
    return np.array(values, dtype=bool).reshape([len(f) for f in scope.firsts])
