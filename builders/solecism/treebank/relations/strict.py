"""The preset ``strict``: the two ends overtly share a value.

A value is overt in the target where its lemma has another form that differs in that value alone and is
spelt differently, and where neither end's form leaves the value open. An end that is not annotated for a
feature does not agree in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import numpy as np

from solecism.treebank.arrays import Flags, Ints
from solecism.treebank.cloze import Found
from solecism.treebank.conllu import Tokens
from solecism.treebank.features import (
    AGREEMENT,
    ALL_VALUES,
    Bits,
    bits_of,
    conflicts,
    shares,
    somewhere,
)
from solecism.treebank.forms import Inventory, Word, distinct_words
from solecism.treebank.languages import Language, left_open, rules_of_forms
from solecism.treebank.relations.filters import FILTERS, KINDS, Candidates, find_candidates

__all__ = ["SWITCHES", "TESTS", "find_strictly"]

_NAMED = {"auxiliary": "verb", "copula": "verb"}
"""Kinds that are of another name in the table of languages."""

TESTS = {
    "disagree": "the ends differ in a feature in which they should agree: the annotation is wrong",
    "unshared": "the ends share no value of a feature in which they should agree",
    "neutralised": "by the rule of the language the form of an end leaves the shared value open",
    "uniform": "the target's lemma has no other form that differs in the shared value alone",
    "syncretic": "the form of an end leaves the shared value open: it is spelt the same with another",
    "multiword": "the masked word is a part of a multiword token",
}
"""The filters that look at values and forms, with their descriptions."""

SWITCHES = [*FILTERS, *(name for name in TESTS if name != "unshared")]
"""The filters that can be switched off."""


class _Sieve:
    """Removes candidates, filter by filter, and counts them."""

    def __init__(self, size: int, without: frozenset[str]) -> None:
        self.left = np.ones(size, bool)
        self.dropped: Counter[str] = Counter()
        self._without = without

    def remove(self, name: str, flags: Flags) -> bool:
        """Remove what has the flag; tell whether the filter is switched on."""
        if name in self._without:
            return False
        self.dropped[name] += int((self.left & flags).sum())
        self.left &= ~flags
        return True


def find_strictly(
    tokens: Tokens, language: Language, inventory: Inventory | None, without: frozenset[str]
) -> tuple[Found, Counter[str]]:
    """Find the pairs of a block that overtly agree; count those that every filter removes.

    A pair counts for the first filter that removes it; ``multiword`` counts, for every end, the pairs in
    which it may not be masked. Filters in ``without`` are switched off.
    """
    found = find_candidates(tokens, language)
    sieve = _Sieve(len(found), without)
    for name, filter_ in FILTERS.items():
        sieve.remove(name, filter_(found))
    bits = bits_of(tokens.feats, ALL_VALUES)
    shared = _unneutralised(found, _compare(found, bits, sieve), bits, sieve)
    if inventory is not None:
        shared = _overt(found, shared, inventory, sieve)
    ends = np.array([found.pairs.controller, found.pairs.target])
    kept = np.repeat(sieve.left[None], len(ends), axis=0)
    if "multiword" not in without:
        kept &= ~_inside(tokens, ends, sieve)
    chosen = somewhere(kept)
    return Found(found.pairs[chosen], kept[:, chosen], shared[:, chosen], bits), sieve.dropped


def _compare(found: Candidates, bits: Bits, sieve: _Sieve) -> Flags:
    """Tell, a row a feature, which pairs share a value in a feature in which they should agree."""
    wanted = _wanted(found)
    target = tuple(f[found.pairs.target] * w for f, w in zip(bits, wanted, strict=True))
    controller = tuple(f[found.pairs.controller] * w for f, w in zip(bits, wanted, strict=True))
    sieve.remove("disagree", conflicts(target, controller))
    shared = shares(target, controller)
    sieve.remove("unshared", ~somewhere(shared))
    return shared


def _wanted(found: Candidates) -> Flags:
    """Tell, a row a feature, which pairs should agree in it: what the language says of their relation."""
    names = [_NAMED.get(kind, kind) for kind in KINDS]
    of_kind = np.array(
        [[name in found.language.features.get(kind, ()) for kind in names] for name in AGREEMENT]
    )
    return of_kind[:, found.kind]


def _unneutralised(found: Candidates, shared: Flags, bits: Bits, sieve: _Sieve) -> Flags:
    """Keep the features that neither end leaves open: by the rules of ``neutral.toml``, or by an annotation
    with several values (``Gender=Fem,Masc``)."""
    several = np.array([values & (values - np.uint64(1) * (values > 0)) > 0 for values in bits])
    open_ = several[:, found.pairs.target] | several[:, found.pairs.controller]
    if rules_of_forms(found.language.code):
        ask = partial(left_open, found.language.code)
        open_ |= _left_open(found, shared, sieve, ask)
    return shared & ~open_ if sieve.remove("neutralised", ~somewhere(shared & ~open_)) else shared


def _left_open(
    found: Candidates, shared: Flags, sieve: _Sieve, ask: Callable[[Word], frozenset[str]]
) -> Flags:
    """Ask which features either end leaves open; a row a feature, a column a pair."""
    rows = np.flatnonzero(sieve.left)
    open_ = np.zeros_like(shared)
    open_[:, rows] = _told(found.tokens, found.pairs.target[rows], ask)
    open_[:, rows] |= _told(found.tokens, found.pairs.controller[rows], ask)
    return open_


def _overt(found: Candidates, shared: Flags, inventory: Inventory, sieve: _Sieve) -> Flags:
    """Keep the features that the target shows by its form, and that neither end leaves open."""
    rows = np.flatnonzero(sieve.left)
    target = found.pairs.target[rows]
    shown = np.zeros_like(shared)
    shown[:, rows] = shared[:, rows] & _told(found.tokens, target, inventory.contrasts)
    if sieve.remove("uniform", ~somewhere(shown)):
        shared = shown
    open_ = _left_open(found, shared, sieve, inventory.ambiguous)
    if sieve.remove("syncretic", ~somewhere(shared & ~open_)):
        shared = shared & ~open_
    return shared


def _told(tokens: Tokens, rows: Ints, ask: Callable[[Word], frozenset[str]]) -> Flags:
    """Ask an inventory once for each distinct word; a row a feature, a column a word."""
    words, which = distinct_words(tokens, rows)
    table = np.array([[name in told for name in AGREEMENT] for told in map(ask, words)], bool)
    return table.reshape(-1, len(AGREEMENT))[which].T


def _inside(tokens: Tokens, ends: Ints, sieve: _Sieve) -> Flags:
    """Tell, a row a mask, which words to be masked are parts of a multiword token."""
    inside = tokens.words.multiword[ends]
    sieve.dropped["multiword"] += int((sieve.left & inside).sum())
    return inside
