"""The preset ``strict``: the two ends overtly share a value.

A value is overt in the target where its lemma has another form that differs in that value alone and
is spelt differently, and where neither end's form leaves the value open. An end that is not
annotated for a feature does not agree in it. First come the filters that look at the tree alone,
then those that look at values and forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from solecism.treebank.agreement import (
    AGREEMENT,
    ALL_VALUES,
    Bits,
    bits_of,
    bundle,
    conflicts,
    shares,
    somewhere,
)  # fmt: skip
from solecism.treebank.conllu import Flags, Ints, Tokens
from solecism.treebank.forms import Morphology, WordForm, distinct_words
from solecism.treebank.languages import Language, left_open, rules_of_forms
from solecism.treebank.relations import AgreeingPairs, WordPairs, above, first_below

__all__ = ["FILTERS", "SWITCHES", "TESTS", "find_strictly"]

_KINDS = ("determiner", "modifying", "predicated", "verb", "auxiliary", "copula", "participle")
"""How the two ends hang together; the last four are all of the relation ``verb``."""

_RELATION = np.array([0, 1, 2, 3, 3, 3, 3])
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:cop")
_Rows = tuple[Ints, Ints, Ints]


@dataclass(frozen=True)
class _Candidates:
    """Pairs that may agree.

    ``kind``: a place in :data:`_KINDS`; ``clause``: the row of the predicate, or, for determiners
    and attributive adjectives, of the noun.
    """

    tokens: Tokens
    language: Language
    pairs: WordPairs
    kind: Ints
    clause: Ints

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def subject(self) -> Flags:
        """Which controllers are subjects."""
        return self.kind >= _KINDS.index("predicated")

    def of(self, *kinds: str) -> Flags:
        """Return which pairs are of one of the kinds."""
        return np.isin(self.kind, [_KINDS.index(kind) for kind in kinds])

    def either(self, flags: Flags) -> Flags:
        """Return which pairs have an end with the flag."""
        return flags[self.pairs.target] | flags[self.pairs.controller]


def _base(tokens: Tokens, *names: str) -> Flags:
    """Return which words have one of the relations, with or without a subtype."""
    return tokens.deprel.table(lambda text: text.partition(":")[0] in names, bool)


def _has_child(tokens: Tokens, flags: Flags) -> Flags:
    """Return which words have a dependent with the flag."""
    out = np.zeros(len(tokens), bool)
    out[tokens.head[flags & (tokens.head >= 0)]] = True
    return out


def _with_value(tokens: Tokens, feature: str, *values: str) -> Flags:
    """Return which words have a feature with one of the values."""
    wanted = frozenset(values)
    return tokens.feats.table(
        lambda text: not wanted.isdisjoint(bundle(text).get(feature, ())), bool
    )


def _with_any(tokens: Tokens, feature: str) -> Flags:
    """Return which words have a feature."""
    return tokens.feats.table(lambda text: feature in bundle(text), bool)


def _finite_words(tokens: Tokens) -> Flags:
    """Return which words are finite; without VerbForm, those that have a person or a mood."""
    unmarked = ~_with_any(tokens, "VerbForm") & (
        _with_any(tokens, "Person") | _with_any(tokens, "Mood")
    )
    return _with_value(tokens, "VerbForm", "Fin") | unmarked


def _find_candidates(tokens: Tokens, language: Language) -> _Candidates:
    """Join the words with their heads.

    Determiners and attributive adjectives of a noun; subjects (nouns and pronouns) of a predicate:
    of an adjective, of a verb, of the verb's or the predicate's first finite auxiliary, of its
    finite copula, and of a participle with an auxiliary. A verb that is neither finite nor such a
    participle is a candidate too; the filter ``nonfinite`` removes it.
    """
    upos = tokens.upos
    noun, adjective, verb = (above(tokens, upos.isin(tag)) for tag in ("NOUN", "ADJ", "VERB"))
    determiner = upos.isin("DET") & _base(tokens, "det") & noun
    modifying = upos.isin("ADJ") & _base(tokens, "amod") & noun
    subject = upos.isin("NOUN", "PRON") & tokens.deprel.isin(*_SUBJECTS) & (tokens.head >= 0)
    inflected = _participle(tokens, language)[tokens.head]
    return _join(
        tokens,
        language,
        {
            "determiner": _of_noun(tokens, determiner),
            "modifying": _of_noun(tokens, modifying),
            "predicated": _of_predicate(tokens, subject & adjective),
            "verb": _of_predicate(tokens, subject & verb & ~inflected),
            "auxiliary": _of_carrier(tokens, subject, "aux"),
            "copula": _of_carrier(tokens, subject, "cop"),
            "participle": _of_predicate(tokens, subject & verb & inflected),
        },
    )


def _participle(tokens: Tokens, language: Language) -> Flags:
    """Return the participles that may agree beside an auxiliary, if the language has such."""
    if not language.features.get("participle"):
        return np.zeros(len(tokens), bool)
    carrier = _with_value(tokens, "VerbForm", *language.verbforms)
    return (
        _with_value(tokens, "VerbForm", "Part")
        & ~carrier
        & _has_child(tokens, _base(tokens, "aux"))
    )


def _of_noun(tokens: Tokens, flags: Flags) -> _Rows:
    rows = np.flatnonzero(flags)
    return rows, tokens.head[rows], tokens.head[rows]


def _of_predicate(tokens: Tokens, flags: Flags) -> _Rows:
    rows = np.flatnonzero(flags)
    return tokens.head[rows], rows, tokens.head[rows]


def _of_carrier(tokens: Tokens, subject: Flags, relation: str) -> _Rows:
    """Return subjects with the first finite auxiliary or copula of their predicate."""
    rows = np.flatnonzero(subject)
    carries = _base(tokens, relation) & tokens.upos.isin("AUX", "VERB")
    finite = carries & _finite_words(tokens)
    carrier = first_below(tokens, finite)[tokens.head[rows]]
    rows, carrier = rows[carrier >= 0], carrier[carrier >= 0]
    return carrier, rows, tokens.head[rows]


def _join(tokens: Tokens, language: Language, found: dict[str, _Rows]) -> _Candidates:
    """Join (targets, controllers, clauses) of every kind in the order of the text."""
    kind = np.repeat(
        [_KINDS.index(name) for name in found], [len(rows) for rows, *_ in found.values()]
    )
    target, controller, clause = (np.concatenate(c) for c in zip(*found.values(), strict=True))
    order = np.lexsort((kind, target, controller))
    pairs = WordPairs(target[order], controller[order], _RELATION[kind[order]])
    return _Candidates(tokens, language, pairs, kind[order], clause[order])


_QUOTES = frozenset("\"'«»“”„‘’‹›‚״「『《") | {"''", "``"}
_DIRECT = ("Nom", "Abs")
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "DET", "SYM", "X")


def _typo(found: _Candidates) -> Flags:
    """Find ends that are misspelt (``Typo=Yes``) or written apart (``goeswith``)."""
    apart = _base(found.tokens, "goeswith")
    typo = _with_value(found.tokens, "Typo", "Yes")
    return found.either(typo | apart | _has_child(found.tokens, apart))


def _foreign(found: _Candidates) -> Flags:
    """Find ends that are foreign words (``Foreign=Yes``, UPOS X, ``flat:foreign``)."""
    flat = found.tokens.deprel.isin("flat:foreign")
    foreign = _with_value(found.tokens, "Foreign", "Yes") | found.tokens.upos.isin("X") | flat
    return found.either(foreign | _has_child(found.tokens, flat))


def _abbreviation(found: _Candidates) -> Flags:
    """Find ends that are abbreviated (``Abbr=Yes``, or written with a full stop)."""
    dotted = found.tokens.forms.table(lambda form: len(form) > 1 and form.endswith("."), bool)
    return found.either(dotted | _with_value(found.tokens, "Abbr", "Yes"))


def _digits(found: _Candidates) -> Flags:
    """Find ends with digits, or with a dependent that has some: dates, years, amounts."""
    digits = found.tokens.forms.table(lambda form: any(map(str.isdigit, form)), bool)
    near = digits & _base(
        found.tokens, "nummod", "amod", "nmod", "flat", "appos", "compound", "det"
    )
    return found.either(digits | _has_child(found.tokens, near))


def _flat(found: _Candidates) -> Flags:
    """Find ends that are part of a name or a fixed phrase (``flat``, ``fixed``)."""
    flat = _base(found.tokens, "flat", "fixed")
    return found.either(flat | _has_child(found.tokens, flat))


def _title(found: _Candidates) -> Flags:
    """Find controllers that are titles, honorifics or in quotation marks.

    Titles have a name (*Frau Müller*), honorifics none (*Sa Majesté*); names of works are quoted.
    """
    name = _has_child(found.tokens, found.tokens.upos.isin("PROPN"))
    title = found.tokens.lemmas.isin(*found.language.titles) & name
    title |= found.tokens.lemmas.isin(*found.language.honorifics)
    mark = found.tokens.forms.isin(*_QUOTES) & _base(found.tokens, "punct")
    return (title | _has_child(found.tokens, mark))[found.pairs.controller]


def _ellipsis(found: _Candidates) -> Flags:
    """Find ends and predicates beside which something is left out (``orphan``)."""
    orphan = _base(found.tokens, "orphan")
    elided = orphan | _has_child(found.tokens, orphan)
    return found.either(elided) | elided[found.clause]


def _coordination(found: _Candidates) -> Flags:
    """Find coordinated controllers: *Ann and the boys sleep* agrees with all of it."""
    conjunct = _has_child(found.tokens, _base(found.tokens, "conj"))
    return conjunct[found.pairs.controller]


def _quantified(found: _Candidates) -> Flags:
    """Find controllers that are counted, or nouns of quantity or of groups.

    A subject with a numeral, a noun of quantity with a complement (*a number of cats*), a
    collective; elsewhere a noun in the case that its numeral governs (Russian *pyat'* and a
    genitive).
    """
    governs = _has_child(found.tokens, found.tokens.deprel.isin("nummod:gov", "det:numgov"))
    counted = _has_child(found.tokens, _base(found.tokens, "nummod"))
    counted |= _has_child(found.tokens, found.tokens.deprel.isin("det:nummod"))
    complement = _has_child(found.tokens, _base(found.tokens, "nmod", "compound", "acl"))
    counted |= found.tokens.lemmas.isin(*found.language.quantity) & complement
    counted |= found.tokens.lemmas.isin(*found.language.collective)
    controller = found.pairs.controller
    return governs[controller] | found.subject & counted[controller]


def _expletive(found: _Candidates) -> Flags:
    """Find clauses that are existential (*es gibt*, Hebrew *yesh*) or have an expletive."""
    expletive = found.tokens.deprel.isin("expl", "expl:subj", "expl:impers")
    existential = found.tokens.lemmas.isin(*found.language.existential)
    existential |= _with_value(found.tokens, "HebExistential", "Yes", "True")
    existential &= found.tokens.upos.isin("VERB")
    dummy = found.tokens.forms.table(lambda form: _is_dummy(form, found.language), bool)
    there: Flags = _has_child(found.tokens, expletive)[found.clause]
    there |= existential[found.clause] & dummy[found.pairs.controller]
    return found.subject & there


def _is_dummy(form: str, language: Language) -> bool:
    return not language.dummy or form.lower() in language.dummy


def _oblique(found: _Candidates) -> Flags:
    """Find subjects that are not nominative, so nothing agrees with them.

    Genitive of negation, Finnish partitive, Hindi ergative, dative subjects.
    """
    straight = _with_value(found.tokens, "Case", *_DIRECT) | ~_with_any(found.tokens, "Case")
    return found.subject & ~straight[found.pairs.controller]


def _avoir(found: _Candidates) -> Flags:
    """Find participles with another auxiliary than the one with which they agree.

    *Elles ont mangé* against *elles sont parties*; reflexive ones too (*elles se sont parlé*).
    """
    tokens, be = found.tokens, found.language.be
    if not be:
        return np.zeros(len(found), bool)
    agrees = _has_child(tokens, _base(tokens, "aux") & tokens.lemmas.isin(*be))
    agrees &= ~_has_child(tokens, _with_value(tokens, "Reflex", "Yes"))
    return found.of("participle") & ~agrees[found.clause]


def _nominal(found: _Candidates) -> Flags:
    """Find copulas that may agree with their predicate instead: *das sind meine Freunde*."""
    return found.of("copula") & found.tokens.upos.isin(*_NOMINAL)[found.clause]


def _clausal(found: _Candidates) -> Flags:
    """Find copulas of a clause (*the problem is that the keys are lost*), and second subjects.

    Which subject belongs to which verb cannot be known.
    """
    tokens = found.tokens
    outer = tokens.deprel.isin("nsubj:outer", "csubj:outer")
    verb = tokens.upos.isin("VERB") & _with_value(tokens, "VerbForm", "Fin")
    inner = np.flatnonzero(_base(tokens, "nsubj", "csubj") & ~outer & (tokens.head >= 0))
    double = np.bincount(tokens.head[inner], minlength=len(tokens)) > 1
    clausal = _has_child(tokens, outer) | verb
    return found.of("copula") & clausal[found.clause] | found.subject & double[found.clause]


def _nonfinite(found: _Candidates) -> Flags:
    """Find verbs that are not finite: the auxiliary agrees instead (*the cats have slept*)."""
    forms = found.language.verbforms
    carrier = _with_value(found.tokens, "VerbForm", *forms) | _finite_words(found.tokens)
    return found.of("verb") & ~carrier[found.clause]


FILTERS: Mapping[str, Callable[[_Candidates], Flags]] = {
    filter_.__name__.removeprefix("_"): filter_
    for filter_ in (
        _typo, _foreign, _abbreviation, _digits, _flat, _title, _ellipsis, _coordination,
        _quantified, _expletive, _oblique, _nominal, _clausal, _nonfinite, _avoir,
    )
}  # fmt: skip
"""The filters that look at the tree alone, in the order in which they run."""

_NAMED = {"auxiliary": "verb", "copula": "verb"}
"""Kinds that are of another name in the table of languages."""

TESTS = {
    "disagree": "the ends differ in a feature in which they should agree: the annotation is wrong",
    "unshared": "the ends share no value of a feature in which they should agree",
    "neutralised": "by the rule of the language the form of an end leaves the shared value open",
    "uniform": "the target's lemma has no other form that differs in the shared value alone",
    "syncretic": "the form of an end leaves the shared value open: another is spelt the same",
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
        """Remove what has the flag; return whether the filter is switched on."""
        if name in self._without:
            return False
        self.dropped[name] += int((self.left & flags).sum())
        self.left &= ~flags
        return True


def find_strictly(
    tokens: Tokens, language: Language, forms: Morphology | None, without: frozenset[str]
) -> tuple[AgreeingPairs, Counter[str]]:
    """Find the pairs of a chunk that overtly agree, and count those that every filter removes.

    A pair counts for the first filter that removes it; ``multiword`` counts, for either end, the
    pairs in which it may not be masked. Filters in ``without`` are switched off.
    """
    found = _find_candidates(tokens, language)
    sieve = _Sieve(len(found), without)
    for name, filter_ in FILTERS.items():
        sieve.remove(name, filter_(found))
    bits = bits_of(tokens.feats, ALL_VALUES)
    shared = _unneutralised(found, _compare(found, bits, sieve), bits, sieve)
    if forms is not None:
        shared = _overt(found, shared, forms, sieve)
    ends = np.array([found.pairs.controller, found.pairs.target])
    kept = np.repeat(sieve.left[None], len(ends), axis=0)
    if "multiword" not in without:
        sieve.dropped["multiword"] += int((kept & tokens.multiword[ends]).sum())
        kept &= ~tokens.multiword[ends]
    chosen = somewhere(kept)
    return AgreeingPairs(
        found.pairs[chosen], kept[:, chosen], shared[:, chosen], bits
    ), sieve.dropped


def _compare(found: _Candidates, bits: Bits, sieve: _Sieve) -> Flags:
    """Return, a row a feature, which pairs share a value where they should."""
    wanted = _wanted(found)
    target = tuple(f[found.pairs.target] * w for f, w in zip(bits, wanted, strict=True))
    controller = tuple(f[found.pairs.controller] * w for f, w in zip(bits, wanted, strict=True))
    sieve.remove("disagree", conflicts(target, controller))
    shared = shares(target, controller)
    sieve.remove("unshared", ~somewhere(shared))
    return shared


def _wanted(found: _Candidates) -> Flags:
    """Return, a row a feature, which pairs should agree in it by the table of languages."""
    names = [_NAMED.get(kind, kind) for kind in _KINDS]
    of_kind = np.array(
        [[name in found.language.features.get(kind, ()) for kind in names] for name in AGREEMENT]
    )
    return of_kind[:, found.kind]


def _unneutralised(found: _Candidates, shared: Flags, bits: Bits, sieve: _Sieve) -> Flags:
    """Keep the features that neither end leaves open.

    A feature is open by a rule of ``neutral.toml``, or when it is annotated with several values
    (``Gender=Fem,Masc``).
    """
    several = np.array([values & (values - np.uint64(1) * (values > 0)) > 0 for values in bits])
    open_ = several[:, found.pairs.target] | several[:, found.pairs.controller]
    if rules_of_forms(found.language.code):
        ask = partial(left_open, found.language.code)
        open_ |= _left_open(found, shared, sieve, ask)
    return shared & ~open_ if sieve.remove("neutralised", ~somewhere(shared & ~open_)) else shared


def _left_open(
    found: _Candidates, shared: Flags, sieve: _Sieve, ask: Callable[[WordForm], frozenset[str]]
) -> Flags:
    """Ask which features either end leaves open; a row a feature, a column a pair."""
    rows = np.flatnonzero(sieve.left)
    open_ = np.zeros_like(shared)
    open_[:, rows] = _ask(found.tokens, found.pairs.target[rows], ask)
    open_[:, rows] |= _ask(found.tokens, found.pairs.controller[rows], ask)
    return open_


def _overt(found: _Candidates, shared: Flags, forms: Morphology, sieve: _Sieve) -> Flags:
    """Keep the features that the target shows by its form, and that neither end leaves open."""
    rows = np.flatnonzero(sieve.left)
    target = found.pairs.target[rows]
    shown = np.zeros_like(shared)
    shown[:, rows] = shared[:, rows] & _ask(found.tokens, target, forms.contrasts)
    if sieve.remove("uniform", ~somewhere(shown)):
        shared = shown
    open_ = _left_open(found, shared, sieve, forms.ambiguous)
    if sieve.remove("syncretic", ~somewhere(shared & ~open_)):
        shared = shared & ~open_
    return shared


def _ask(tokens: Tokens, rows: Ints, ask: Callable[[WordForm], frozenset[str]]) -> Flags:
    """Return for every word which features are named; each distinct word is asked for once."""
    words, which = distinct_words(tokens, rows)
    table = np.array(
        [[name in features for name in AGREEMENT] for features in map(ask, words)], bool
    )
    return table.reshape(-1, len(AGREEMENT))[which].T
