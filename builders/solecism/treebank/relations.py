"""Pairs of a target and its controller: joins of the words with their heads, as the paper has them.

Source: Bacon and Regier (2019), *Does BERT agree?*, and the program published with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from solecism.grouping import first_rows
from solecism.treebank.conllu import Flags, Ints, Tokens
from solecism.treebank.feature_bits import PAPER_VALUES, Bits, bits_of, conflicts, shares, somewhere

__all__ = [
    "PAPER_RELATIONS", "RELATIONS", "AgreeingPairs", "WordPairs", "above", "find_as_paper", "first_below",
]  # fmt: skip

PAPER_RELATIONS = ("determiner", "modifying", "predicated", "verb")
"""The relations of the paper: determiner and noun, attributive adjective and noun, predicative
adjective and subject, verb and subject."""

RELATIONS = (*PAPER_RELATIONS, "object", "indirect_object", "possessor")
"""Ours beside those: verb and object, verb and indirect object, noun and its possessor."""


@dataclass(frozen=True)
class WordPairs:
    """Rows of targets and of their controllers; ``relation`` is a place in :data:`RELATIONS`."""

    target: Ints
    controller: Ints
    relation: Ints

    def __len__(self) -> int:
        return len(self.target)

    def __getitem__(self, rows: Ints | Flags) -> WordPairs:
        return WordPairs(self.target[rows], self.controller[rows], self.relation[rows])


@dataclass(frozen=True)
class AgreeingPairs:
    """The pairs of a chunk that agree.

    ``kept``: which pairs are items when the controller (first row), or the target (second), is
    masked; ``shared``: a row for each feature, which pairs agree in it; ``bits``: values of all
    words. ``decides``: for either masked end, a row for each feature, which pairs have it among
    what tells the end's form; ``layer``: a place in ``layers``, the layer of the target's features.
    """

    pairs: WordPairs
    kept: Flags
    shared: Flags
    bits: Bits
    decides: Flags
    layer: Ints
    layers: tuple[str, ...] = ("",)


def above(tokens: Tokens, flags: Flags) -> Flags:
    """Return for every word whether its head has the flag; no root's has."""
    return (tokens.head >= 0) & flags[tokens.head]


def first_below(tokens: Tokens, flags: Flags) -> Ints:
    """Return for every word the first of its dependents that has the flag, -1 where none has."""
    rows = np.flatnonzero(flags & (tokens.head >= 0))
    first = first_rows(tokens.head[rows], len(tokens))
    return np.where(first >= 0, np.append(rows, -1)[first], -1)


def find_as_paper(
    tokens: Tokens, relations: Collection[str], to_the_letter: bool
) -> tuple[AgreeingPairs, Counter[str]]:
    """Find pairs that disagree in no feature, where the masked word has one.

    ``to_the_letter``: as the published program does it; see :func:`_paper_pairs`. Also returns how
    many pairs were dropped, by reason: ``relation`` (not one of ``relations``), ``disagree``,
    ``no feature`` (neither end has any).
    """
    pairs = _paper_pairs(tokens, to_the_letter)
    known = np.isin(pairs.relation, [RELATIONS.index(name) for name in relations])
    dropped = Counter(relation=int((~known).sum()))
    pairs = pairs[known]
    bits = bits_of(tokens.feats, PAPER_VALUES)
    target = tuple(feature[pairs.target] for feature in bits)
    controller = tuple(feature[pairs.controller] for feature in bits)
    agrees = ~conflicts(target, controller)
    valued = np.array([somewhere([f > 0 for f in end]) for end in (controller, target)])
    dropped["disagree"] = int((~agrees).sum())
    dropped["no feature"] = int((agrees & ~somewhere(valued)).sum())
    shared = shares(target, controller)
    layer = np.zeros(len(pairs), np.int64)
    both = np.array([shared, shared])
    return AgreeingPairs(pairs, agrees & valued, shared, bits, both, layer), dropped


def _paper_pairs(tokens: Tokens, to_the_letter: bool) -> WordPairs:
    """Return the pairs in the order of the dependents.

    The paper means that a copula or an auxiliary agrees with the first subject of its head. The
    program, ``to_the_letter``, looks for that subject below the copula or auxiliary itself, where
    UD hardly ever attaches it.
    """
    upos, deprel, head = tokens.upos, tokens.deprel, tokens.head
    noun, adjective, verb = (above(tokens, upos.isin(tag)) for tag in ("NOUN", "ADJ", "VERB"))
    subject = deprel.isin("nsubj") & upos.isin("NOUN", "PRON")
    determiner = np.flatnonzero(upos.isin("DET") & deprel.isin("det", "det:predet") & noun)
    modifying = np.flatnonzero(upos.isin("ADJ") & deprel.isin("amod") & noun)
    predicated = np.flatnonzero(subject & adjective)
    of_verb = np.flatnonzero(subject & verb)
    copula = deprel.isin("cop") & (head >= 0) & ~adjective
    carrier = np.flatnonzero(copula | upos.isin("AUX") & deprel.isin("aux", "aux:pass") & verb)
    theirs = first_below(tokens, subject)[carrier if to_the_letter else head[carrier]]
    carrier, theirs = carrier[theirs >= 0], theirs[theirs >= 0]
    found = (
        (determiner, "determiner", determiner, head[determiner]),
        (modifying, "modifying", modifying, head[modifying]),
        (predicated, "predicated", head[predicated], predicated),
        (of_verb, "verb", head[of_verb], of_verb),
        (carrier, "verb", carrier, theirs),
    )
    order = np.argsort(np.concatenate([dependent for dependent, *_ in found]), kind="stable")
    relation = [np.full(len(rows), RELATIONS.index(name)) for rows, name, _, _ in found]
    pairs = WordPairs(
        np.concatenate([target for *_, target, _ in found]),
        np.concatenate([controller for *_, controller in found]),
        np.concatenate(relation),
    )
    return pairs[order]
