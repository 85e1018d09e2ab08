"""Pairs of a target and its controller: joins of the token table with itself on the head.

Source: Bacon and Regier (2019), *Does BERT agree?*, and the program published with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solecism.treebank.arrays import Flags, Ints, first_rows
from solecism.treebank.conllu import Tokens

__all__ = ["RELATIONS", "Pairs", "above", "first_below", "in_order", "letter_pairs", "meant_pairs"]

RELATIONS = ("determiner", "modifying", "predicated", "verb")
"""The relations of the paper: determiner and noun, attributive adjective and noun, predicative adjective
and subject, verb and subject."""


@dataclass(frozen=True)
class Pairs:
    """Rows of targets and of their controllers; ``relation`` is a place in :data:`RELATIONS`."""

    target: Ints
    controller: Ints
    relation: Ints

    def __len__(self) -> int:
        return len(self.target)

    def __getitem__(self, rows: Ints | Flags) -> Pairs:
        return Pairs(self.target[rows], self.controller[rows], self.relation[rows])


def letter_pairs(tokens: Tokens) -> Pairs:
    """Pair as the published program does, in the order of the dependents.

    The subject of a copula or an auxiliary is looked for below the copula or auxiliary itself, where
    UD hardly ever attaches it.
    """
    return _paper_pairs(tokens, below_head=False)


def meant_pairs(tokens: Tokens) -> Pairs:
    """Pair as the paper means it: a copula or an auxiliary with the first subject of its head."""
    return _paper_pairs(tokens, below_head=True)


def _paper_pairs(tokens: Tokens, below_head: bool) -> Pairs:
    upos, deprel, head = tokens.upos, tokens.deprel, tokens.head
    noun, adjective, verb = (above(tokens, upos.isin(tag)) for tag in ("NOUN", "ADJ", "VERB"))
    subject = deprel.isin("nsubj") & upos.isin("NOUN", "PRON")
    determiner = np.flatnonzero(upos.isin("DET") & deprel.isin("det", "det:predet") & noun)
    modifying = np.flatnonzero(upos.isin("ADJ") & deprel.isin("amod") & noun)
    predicated = np.flatnonzero(subject & adjective)
    of_verb = np.flatnonzero(subject & verb)
    copula = deprel.isin("cop") & (head >= 0) & ~adjective
    carrier = np.flatnonzero(copula | upos.isin("AUX") & deprel.isin("aux", "aux:pass") & verb)
    theirs = first_below(tokens, subject)[head[carrier] if below_head else carrier]
    carrier, theirs = carrier[theirs >= 0], theirs[theirs >= 0]
    return in_order(
        (determiner, "determiner", determiner, head[determiner]),
        (modifying, "modifying", modifying, head[modifying]),
        (predicated, "predicated", head[predicated], predicated),
        (of_verb, "verb", head[of_verb], of_verb),
        (carrier, "verb", carrier, theirs),
    )


def above(tokens: Tokens, flags: Flags) -> Flags:
    """Tell for every word whether its head has the flag; no root's has."""
    return (tokens.head >= 0) & flags[tokens.head]


def first_below(tokens: Tokens, flags: Flags) -> Ints:
    """Give for every word the first of its dependents that has the flag, -1 where none has."""
    rows = np.flatnonzero(flags & (tokens.head >= 0))
    first = first_rows(tokens.head[rows], len(tokens))
    return np.where(first >= 0, np.append(rows, -1)[first], -1)


def in_order(*found: tuple[Ints, str, Ints, Ints]) -> Pairs:
    """Join pairs, given as (words to sort them by, relation, targets, controllers)."""
    order = np.argsort(np.concatenate([by for by, *_ in found]), kind="stable")
    relation = np.repeat(
        [RELATIONS.index(name) for _, name, _, _ in found], [len(by) for by, *_ in found]
    )
    target = np.concatenate([rows for *_, rows, _ in found])
    controller = np.concatenate([rows for *_, rows in found])
    return Pairs(target[order], controller[order], relation[order])
