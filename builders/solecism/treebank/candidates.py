"""Pairs of words that may agree: words joined with their heads, by how they hang together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from solecism.treebank.conllu import Flags, Ints, Tokens
from solecism.treebank.feature_bits import bundle
from solecism.treebank.languages import Language, Rule
from solecism.treebank.relations import RELATIONS, WordPairs, above, first_below

__all__ = [
    "KINDS", "Candidates", "base", "find_candidates", "finite_words", "has_child",
    "is_finite", "layered_words", "with_any", "with_value",
]  # fmt: skip

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "determiner": "determiner",
        "modifying": "modifying",
        "predicated": "predicated",
        "verb": "verb",
        "auxiliary": "verb",
        "copula": "verb",
        "participle": "verb",
        "object": "object",
        "object_auxiliary": "object",
        "indirect_object": "indirect_object",
        "indirect_object_auxiliary": "indirect_object",
        "possessor": "possessor",
    }
)
"""How the two ends hang together, and the relation that it is a kind of."""

_NAMES = tuple(KINDS)
_RELATION = np.array([RELATIONS.index(relation) for relation in KINDS.values()])
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:cop")
_Rows = tuple[Ints, Ints, Ints]


@dataclass(frozen=True)
class Candidates:
    """Pairs that may agree.

    ``kind``: a place in :data:`KINDS`; ``clause``: the row of the predicate, or, for what agrees
    within a noun phrase, of the noun.
    """

    tokens: Tokens
    language: Language
    pairs: WordPairs
    kind: Ints
    clause: Ints

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, rows: Flags) -> Candidates:
        kind, clause = self.kind[rows], self.clause[rows]
        return Candidates(self.tokens, self.language, self.pairs[rows], kind, clause)

    @property
    def subject(self) -> Flags:
        """Which controllers are subjects."""
        return np.isin(self.pairs.relation, [RELATIONS.index(n) for n in ("predicated", "verb")])

    @property
    def layered(self) -> Flags:
        """Which targets have features of a layer."""
        return layered_words(self.tokens)[self.pairs.target]

    @property
    def clausal(self) -> Flags:
        """Which pairs are of a predicate and its argument."""
        within = ("determiner", "modifying", "possessor")
        return ~np.isin(self.pairs.relation, [RELATIONS.index(name) for name in within])

    @property
    def first(self) -> Flags:
        """Which controllers stand before their targets."""
        return self.pairs.controller < self.pairs.target

    def meet(self, rule: Rule) -> Flags:
        """Return which controllers stand where, and are what, a rule asks."""
        out = np.ones(len(self), bool)
        if rule.side:
            out &= self.first == (rule.side == "before")
        if rule.of:
            out &= self.tokens.upos.isin(rule.of)[self.pairs.controller]
        return out

    def of(self, *kinds: str) -> Flags:
        """Return which pairs are of one of the kinds."""
        return np.isin(self.kind, [_NAMES.index(kind) for kind in kinds])

    def either(self, flags: Flags) -> Flags:
        """Return which pairs have an end with the flag."""
        return flags[self.pairs.target] | flags[self.pairs.controller]


def base(tokens: Tokens, *names: str) -> Flags:
    """Return which words have one of the relations, with or without a subtype."""
    return tokens.deprel.table(lambda text: text.partition(":")[0] in names, bool)


def has_child(tokens: Tokens, flags: Flags) -> Flags:
    """Return which words have a dependent with the flag."""
    out = np.zeros(len(tokens), bool)
    out[tokens.head[flags & (tokens.head >= 0)]] = True
    return out


def with_value(tokens: Tokens, feature: str, *values: str) -> Flags:
    """Return which words have a feature with one of the values."""
    wanted = frozenset(values)
    return tokens.feats.table(
        lambda text: not wanted.isdisjoint(bundle(text).get(feature, ())), bool
    )


def with_any(tokens: Tokens, feature: str) -> Flags:
    """Return which words have a feature."""
    return tokens.feats.table(lambda text: feature in bundle(text), bool)


def finite_words(tokens: Tokens) -> Flags:
    """Return which words are finite (:func:`is_finite`)."""
    return tokens.feats.table(lambda text: is_finite(bundle(text)), bool)


def is_finite(feats: Mapping[str, frozenset[str]]) -> bool:
    """Return whether a bundle is of a finite word.

    Without VerbForm, that is what has a mood, a tense, or a person (of any layer but that of a
    possessor).
    """
    if "VerbForm" in feats:
        return "Fin" in feats["VerbForm"]
    return any(
        name in ("Mood", "Tense") or (name.startswith("Person") and name != "Person[psor]")
        for name in feats
    )


def find_candidates(tokens: Tokens, language: Language) -> Candidates:
    """Join the words with their heads.

    Determiners and attributive adjectives of a noun; subjects (nouns and pronouns) of a predicate:
    of an adjective, of a verb, of the verb's or the predicate's first finite auxiliary, of its
    finite copula, and of a participle with an auxiliary. A verb that is neither finite nor such a
    participle is a candidate too; the filter ``nonfinite`` removes it. Where a verb has features of
    another layer than the subject's, its objects too, and possessors of a noun that has features
    of theirs.
    """
    upos = tokens.upos
    noun, adjective, verb = (above(tokens, upos.isin(tag)) for tag in ("NOUN", "ADJ", "VERB"))
    nominal = upos.isin("NOUN", "PRON") & (tokens.head >= 0)
    subject = nominal & tokens.deprel.isin(*_SUBJECTS)
    inflected = _participle(tokens, language)[tokens.head]
    found = {
        "determiner": _of_noun(tokens, upos.isin("DET") & base(tokens, "det") & noun),
        "modifying": _of_noun(tokens, upos.isin("ADJ") & base(tokens, "amod") & noun),
        "predicated": _of_predicate(tokens, subject & adjective),
        "verb": _of_predicate(tokens, subject & verb & ~inflected),
        "auxiliary": _of_carrier(tokens, subject, "aux"),
        "copula": _of_carrier(tokens, subject, "cop"),
        "participle": _of_predicate(tokens, subject & verb & inflected),
    }
    layered = layered_words(tokens)
    if layered.any():
        for name, relation in (("object", "obj"), ("indirect_object", "iobj")):
            argument = nominal & base(tokens, relation) & verb
            found[name] = _of_predicate(tokens, argument & above(tokens, layered))
            rows = _of_carrier(tokens, argument, "aux")
            chosen = layered[rows[0]]
            found[f"{name}_auxiliary"] = rows[0][chosen], rows[1][chosen], rows[2][chosen]
    owned = upos.isin("NOUN") & tokens.feats.table(lambda text: "[psor]" in text, bool)
    if owned.any():
        owner = nominal & base(tokens, "nmod", "det") & above(tokens, owned)
        found["possessor"] = _of_predicate(tokens, owner)
    return _join(tokens, language, found)


def layered_words(tokens: Tokens) -> Flags:
    """Return the verbs and auxiliaries that have features of a layer."""
    carries = tokens.upos.isin("VERB", "AUX")
    layered: Flags = tokens.feats.table(lambda text: "[" in text, bool)
    return carries & layered


def _participle(tokens: Tokens, language: Language) -> Flags:
    """Return the participles that may agree beside an auxiliary, if the language has such."""
    if not language.agrees.get("participle"):
        return np.zeros(len(tokens), bool)
    carrier = with_value(tokens, "VerbForm", *language.verbforms)
    return (
        with_value(tokens, "VerbForm", "Part") & ~carrier & has_child(tokens, base(tokens, "aux"))
    )


def _of_noun(tokens: Tokens, flags: Flags) -> _Rows:
    rows = np.flatnonzero(flags)
    return rows, tokens.head[rows], tokens.head[rows]


def _of_predicate(tokens: Tokens, flags: Flags) -> _Rows:
    rows = np.flatnonzero(flags)
    return tokens.head[rows], rows, tokens.head[rows]


def _of_carrier(tokens: Tokens, argument: Flags, relation: str) -> _Rows:
    """Return subjects or objects with the first finite auxiliary or copula of their predicate."""
    rows = np.flatnonzero(argument)
    carries = base(tokens, relation) & tokens.upos.isin("AUX", "VERB")
    finite = carries & finite_words(tokens)
    carrier = first_below(tokens, finite)[tokens.head[rows]]
    rows, carrier = rows[carrier >= 0], carrier[carrier >= 0]
    return carrier, rows, tokens.head[rows]


def _join(tokens: Tokens, language: Language, found: Mapping[str, _Rows]) -> Candidates:
    """Join (targets, controllers, clauses) of every kind in the order of the text."""
    kind = np.repeat(
        [_NAMES.index(name) for name in found], [len(rows) for rows, *_ in found.values()]
    )
    target, controller, clause = (np.concatenate(c) for c in zip(*found.values(), strict=True))
    order = np.lexsort((kind, target, controller))
    pairs = WordPairs(target[order], controller[order], _RELATION[kind[order]])
    return Candidates(tokens, language, pairs, kind[order], clause[order])
