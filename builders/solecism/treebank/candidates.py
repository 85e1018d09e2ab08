"""Pairs of words that may agree, found in the tree by our rules or by those of the paper.

The paper is Bacon and Regier (2019), *Does BERT agree?*; its rules are also in the program that was
published with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from solecism.grouping import first_rows
from solecism.hashing import Hashes
from solecism.inputs import read_toml
from solecism.treebank.conllu import Coded, Flags, Ints, Tokens
from solecism.treebank.forms import inflected_adpositions
from solecism.treebank.languages import Language, Rule
from solecism.treebank.relations import AGREEMENT, KINDS, RELATIONS, bundle, is_finite, layered

Values = Mapping[str, Sequence[str]]

_KNOWN = read_toml(Path(__file__).with_name("values.toml"))
PAPER_VALUES: Values = _KNOWN["paper"]
ALL_VALUES: Values = _KNOWN["all"]
SPECIAL = ("Com", "Coll", "Ptan", "Count", "Inv")
"""Values that may agree with another, plain one: a noun with ``Com``, a target with ``Masc``."""

_NAMES = tuple(KINDS)
_RELATION = np.array([RELATIONS.index(relation) for relation in KINDS.values()])


def bits_of(feats: Coded, values: Values, layer: str = "") -> Hashes:
    """Return the values of all words as bits, a row for each feature of :data:`AGREEMENT`.

    ``feats``: the FEATS of the words; bit ``n`` is set if a word has the ``n``-th of ``values``.
    ``layer``: the layer of the features that are read, ``""`` for those without one.
    """

    def bits(text: str, feature: str) -> int:
        found = bundle(text).get(layered(feature, layer), ())
        return sum(1 << place for place, value in enumerate(values[feature]) if value in found)

    table = [[bits(text, feature) for text in feats.values] for feature in AGREEMENT]
    return np.array(table, np.uint64)[:, feats.codes]


def conflicts(a: Hashes, b: Hashes) -> Flags:
    """Return flags of the pairs whose ends both have some feature, but no value of it in common.

    ``a`` and ``b``: the values of the ends, as :func:`bits_of` returns them.
    """
    found: Flags = np.any((a > 0) & (b > 0) & (a & b == 0), axis=0)
    return found


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
    """The pairs of a chunk that agree, and what is known of them.

    ``kept``: flags of the pairs that are items if the controller (first row) or the target (second
    row) is masked; ``shared``: a row for each feature, with flags of the pairs that agree in it;
    ``bits``: the values of all words (:func:`bits_of`); ``decides``: for controller and target, the
    flags of ``shared`` in whose features the form of this end is told by the other; ``layer``: the
    layer of each target's features, as a place in ``layers``.
    """

    pairs: WordPairs
    kept: Flags
    shared: Flags
    bits: Hashes
    decides: Flags
    layer: Ints
    layers: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Candidates:
    """Pairs that may agree.

    ``kind``: a place in :data:`KINDS`; ``clause``: the row of the predicate for subjects and
    objects, of the noun for determiners, adjectives, adpositions and possessors.
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
        """Flags of the pairs whose controller is a subject."""
        return self.of("predicated", "verb", "auxiliary", "copula", "participle")

    @property
    def first(self) -> Flags:
        """Flags of the pairs whose controller stands before the target."""
        return self.pairs.controller < self.pairs.target

    def meet(self, rule: Rule) -> Flags:
        """Return flags of the pairs whose controller has what a rule asks: side, part of speech and
        value. Nouns without a person are third person."""
        out = np.ones(len(self), bool)
        if rule.side:
            out &= self.first == (rule.side == "before")
        if rule.of:
            out &= self.tokens.upos.isin(rule.of)[self.pairs.controller]
        if rule.value:
            having = with_value(self.tokens, rule.feature, rule.value)
            if rule.feature == "Person" and rule.value == "3":
                having |= self.tokens.upos.isin("NOUN") & ~with_any(self.tokens, "Person")
            out &= having[self.pairs.controller]
        return out

    def of(self, *kinds: str) -> Flags:
        """Return flags of the pairs that are of one of the kinds."""
        return np.isin(self.kind, [_NAMES.index(kind) for kind in kinds])

    def either(self, flags: Flags) -> Flags:
        """Return flags of the pairs of which either end has the flag of a word."""
        return flags[self.pairs.target] | flags[self.pairs.controller]


def base(tokens: Tokens, *names: str) -> Flags:
    """Return flags of the words with one of the UD relations, with or without a subtype."""
    return tokens.deprel.table(lambda text: text.partition(":")[0] in names, bool)


def has_child(tokens: Tokens, flags: Flags) -> Flags:
    """Return flags of the words that have a dependent with the flag."""
    out = np.zeros(len(tokens), bool)
    out[tokens.head[flags & (tokens.head >= 0)]] = True
    return out


def with_value(tokens: Tokens, feature: str, *values: str) -> Flags:
    """Return flags of the words that have a feature with one of the values."""
    wanted = frozenset(values)
    return tokens.feats.table(
        lambda text: not wanted.isdisjoint(bundle(text).get(feature, ())), bool
    )


def with_any(tokens: Tokens, feature: str) -> Flags:
    """Return flags of the words that have a feature, whatever its value."""
    return tokens.feats.table(lambda text: feature in bundle(text), bool)


def finite_words(tokens: Tokens) -> Flags:
    """Return flags of the finite words (:func:`~solecism.treebank.relations.is_finite`)."""
    return tokens.feats.table(lambda text: is_finite(bundle(text)), bool)


def layered_words(tokens: Tokens) -> Flags:
    """Return flags of the verbs and auxiliaries that have features of a layer."""
    layered: Flags = tokens.feats.table(lambda text: "[" in text, bool)
    return tokens.upos.isin("VERB", "AUX") & layered


def _below(tokens: Tokens, *tags: str) -> Flags:
    """Return flags of the words whose head has one of the parts of speech."""
    return (tokens.head >= 0) & tokens.upos.isin(*tags)[tokens.head]


def _first_below(tokens: Tokens, flags: Flags) -> Ints:
    """Return for each word the row of its first dependent with the flag, -1 if there is none."""
    rows = np.flatnonzero(flags & (tokens.head >= 0))
    first = first_rows(tokens.head[rows], len(tokens))
    return np.where(first >= 0, np.append(rows, -1)[first], -1)


def find_candidates(tokens: Tokens, language: Language) -> Candidates:
    """Return the pairs of words that may agree by the tree.

    Determiners and attributive adjectives are paired with their noun, adpositions that have a
    person with their noun or pronoun. Subjects (nouns and pronouns) are paired with what may agree
    with them in their predicate: the adjective, the verb, a participle with an auxiliary, the first
    finite auxiliary and the first finite copula. Verbs that are not finite are paired too; the
    filter ``nonfinite`` drops them. Objects are paired with
    verbs and auxiliaries that have features in a layer, possessors with nouns that have features in
    the layer ``psor``.
    """
    upos, head = tokens.upos, tokens.head
    noun, adjective, verb = (_below(tokens, tag) for tag in ("NOUN", "ADJ", "VERB"))
    nominal = upos.isin("NOUN", "PRON") & (head >= 0)
    subject = nominal & tokens.deprel.isin("nsubj", "nsubj:pass", "nsubj:cop")
    participle = np.zeros(len(tokens), bool)
    if language.agrees.get("participle"):
        participle = with_value(tokens, "VerbForm", "Part") & has_child(tokens, base(tokens, "aux"))
        participle &= ~with_value(tokens, "VerbForm", *language.verbforms)
    inflected = verb & participle[head]
    itself = np.arange(len(tokens))
    adposition = inflected_adpositions(tokens) & base(tokens, "case")
    carries = upos.isin("AUX", "VERB") & finite_words(tokens)
    auxiliary = _first_below(tokens, carries & base(tokens, "aux"))
    copula = _first_below(tokens, carries & base(tokens, "cop"))
    links = [
        ("predicated", subject & adjective, head, itself),
        ("verb", subject & verb & ~inflected, head, itself),
        ("auxiliary", subject, auxiliary[head], itself),
        ("copula", subject, copula[head], itself),
        ("participle", subject & inflected, head, itself),
        ("determiner", upos.isin("DET") & base(tokens, "det") & noun, itself, head),
        ("modifying", upos.isin("ADJ") & base(tokens, "amod") & noun, itself, head),
        ("adposition", adposition & _below(tokens, "NOUN", "PRON"), itself, head),
    ]
    layered = layered_words(tokens)
    carrier = np.where(layered[auxiliary], auxiliary, -1)[head]
    for name, relation in (("object", "obj"), ("indirect_object", "iobj")):
        argument = nominal & base(tokens, relation) & verb
        links.append((name, argument & layered[head], head, itself))
        links.append((f"{name}_auxiliary", argument, carrier, itself))
    owned = upos.isin("NOUN") & tokens.feats.table(lambda text: "[psor]" in text, bool)
    owner = nominal & base(tokens, "nmod", "det") & owned[head]
    if language.owners:
        owner &= with_value(tokens, "Case", *language.owners)
    links.append(("possessor", owner, head, itself))
    dependent, kind, target, controller = _join(links)
    order = np.lexsort((kind, target, controller))
    pairs = WordPairs(target[order], controller[order], _RELATION[kind[order]])
    return Candidates(tokens, language, pairs, kind[order], head[dependent[order]])


def _join(links: Sequence[tuple[str, Flags, Ints, Ints]]) -> Ints:
    """Return pairs: the rows of their dependents, their kinds, targets and controllers.

    ``links``: for each kind flags of the dependents, and for each word the row of the target and of
    the controller if it is such a dependent, -1 if there is none.
    """
    found = []
    for kind, flags, target, controller in links:
        rows = np.flatnonzero(flags & (target >= 0) & (controller >= 0))
        kinds = np.full(len(rows), _NAMES.index(kind))
        found.append(np.array([rows, kinds, target[rows], controller[rows]]))
    return np.concatenate(found, axis=1)


def find_as_paper(
    tokens: Tokens, relations: Collection[str], to_the_letter: bool
) -> tuple[AgreeingPairs, Counter[str]]:
    """Return the pairs that disagree in no feature, and how many pairs were dropped, by reason.

    An end may only be masked if it has a feature. ``to_the_letter``: as the published program does
    it; see :func:`_paper_pairs`. The reasons are ``relation`` (it is not one of ``relations``),
    ``disagree``, and ``no feature`` (neither end has one).
    """
    pairs = _paper_pairs(tokens, to_the_letter)
    known = np.isin(pairs.relation, [RELATIONS.index(name) for name in relations])
    dropped = Counter(relation=int((~known).sum()))
    pairs = pairs[known]
    bits = bits_of(tokens.feats, PAPER_VALUES)
    target, controller = bits[:, pairs.target], bits[:, pairs.controller]
    agrees = ~conflicts(target, controller)
    valued = np.array([end.any(axis=0) for end in (controller, target)])
    dropped["disagree"] = int((~agrees).sum())
    dropped["no feature"] = int((agrees & ~valued.any(axis=0)).sum())
    shared = target & controller > 0
    layer = np.zeros(len(pairs), np.int64)
    both = np.array([shared, shared])
    return AgreeingPairs(pairs, agrees & valued, shared, bits, both, layer), dropped


def _paper_pairs(tokens: Tokens, to_the_letter: bool) -> WordPairs:
    """Return the pairs of the paper's relations, in the order of their dependents.

    In the paper, a copula or an auxiliary agrees with the first subject of its head. Its program
    (``to_the_letter``) takes the first subject that depends on the copula or auxiliary itself, of
    which UD has hardly any.
    """
    upos, deprel, head = tokens.upos, tokens.deprel, tokens.head
    noun, adjective, verb = (_below(tokens, tag) for tag in ("NOUN", "ADJ", "VERB"))
    subject = deprel.isin("nsubj") & upos.isin("NOUN", "PRON")
    itself = np.arange(len(tokens))
    copula = deprel.isin("cop") & (head >= 0) & ~adjective
    carrier = copula | upos.isin("AUX") & deprel.isin("aux", "aux:pass") & verb
    theirs = _first_below(tokens, subject)
    links = (
        ("determiner", upos.isin("DET") & deprel.isin("det", "det:predet") & noun, itself, head),
        ("modifying", upos.isin("ADJ") & deprel.isin("amod") & noun, itself, head),
        ("predicated", subject & adjective, head, itself),
        ("verb", subject & verb, head, itself),
        ("verb", carrier, itself, theirs if to_the_letter else theirs[head]),
    )
    dependent, kind, target, controller = _join(links)
    order = np.argsort(dependent, kind="stable")
    return WordPairs(target, controller, _RELATION[kind])[order]
