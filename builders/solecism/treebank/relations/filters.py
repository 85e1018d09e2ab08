"""The filters of ``strict``: where agreement may be, and what removes a candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from solecism.treebank.arrays import Flags, Ints
from solecism.treebank.conllu import Tokens
from solecism.treebank.features import bundle
from solecism.treebank.languages import Language
from solecism.treebank.relations.pairs import Pairs, above, first_below

__all__ = [
    "FILTERS",
    "KINDS",
    "Candidates",
    "Filter",
    "base",
    "find_candidates",
    "finite_words",
    "has_child",
    "with_any",
    "with_value",
]


KINDS = ("determiner", "modifying", "predicated", "verb", "auxiliary", "copula", "participle")
"""How the two ends hang together; the last four are all of the relation ``verb``."""

_RELATION = np.array([0, 1, 2, 3, 3, 3, 3])
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:cop")
_Rows = tuple[Ints, Ints, Ints]


@dataclass(frozen=True)
class Candidates:
    """Pairs that may agree: ``kind`` is a place in :data:`KINDS`; ``clause`` the row of the predicate, of
    determiners and attributive adjectives that of the noun."""

    tokens: Tokens
    language: Language
    pairs: Pairs
    kind: Ints
    clause: Ints

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def subject(self) -> Flags:
        """Which controllers are subjects."""
        return self.kind >= KINDS.index("predicated")

    def of(self, *kinds: str) -> Flags:
        """Which pairs are of one of the kinds."""
        return np.isin(self.kind, [KINDS.index(kind) for kind in kinds])

    def either(self, flags: Flags) -> Flags:
        """Tell which pairs have an end with the flag."""
        return flags[self.pairs.target] | flags[self.pairs.controller]


def base(tokens: Tokens, *names: str) -> Flags:
    """Tell which words have one of the relations, with or without a subtype."""
    return tokens.deprel.table(lambda text: text.partition(":")[0] in names, bool)


def has_child(tokens: Tokens, flags: Flags) -> Flags:
    """Tell which words have a dependent with the flag."""
    out = np.zeros(len(tokens), bool)
    out[tokens.head[flags & (tokens.head >= 0)]] = True
    return out


def with_value(tokens: Tokens, feature: str, *values: str) -> Flags:
    """Tell which words have a feature with one of the values."""
    wanted = frozenset(values)
    return tokens.feats.table(
        lambda text: not wanted.isdisjoint(bundle(text).get(feature, ())), bool
    )


def with_any(tokens: Tokens, feature: str) -> Flags:
    """Tell which words have a feature."""
    return tokens.feats.table(lambda text: feature in bundle(text), bool)


def finite_words(tokens: Tokens) -> Flags:
    """Tell which words are finite; where a treebank has no VerbForm, a person or a mood tells it."""
    unmarked = ~with_any(tokens, "VerbForm") & (
        with_any(tokens, "Person") | with_any(tokens, "Mood")
    )
    return with_value(tokens, "VerbForm", "Fin") | unmarked


def find_candidates(tokens: Tokens, language: Language) -> Candidates:
    """Join the words with their heads.

    Determiners and attributive adjectives of a noun; subjects (nouns and pronouns) of a predicate: of
    an adjective, of a verb, of the verb's or the predicate's first finite auxiliary, of its finite
    copula, and of a participle with an auxiliary. A verb that is neither finite nor such a participle
    is a candidate too; the filter ``nonfinite`` removes it.
    """
    upos = tokens.upos
    noun, adjective, verb = (above(tokens, upos.isin(tag)) for tag in ("NOUN", "ADJ", "VERB"))
    determiner = upos.isin("DET") & base(tokens, "det") & noun
    modifying = upos.isin("ADJ") & base(tokens, "amod") & noun
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
    """Participles that may agree beside an auxiliary, where the language has such."""
    if not language.features.get("participle"):
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


def _of_carrier(tokens: Tokens, subject: Flags, relation: str) -> _Rows:
    """Subjects with the first finite auxiliary or copula of their predicate."""
    rows = np.flatnonzero(subject)
    carries = base(tokens, relation) & tokens.upos.isin("AUX", "VERB")
    finite = carries & finite_words(tokens)
    carrier = first_below(tokens, finite)[tokens.head[rows]]
    rows, carrier = rows[carrier >= 0], carrier[carrier >= 0]
    return carrier, rows, tokens.head[rows]


def _join(tokens: Tokens, language: Language, found: dict[str, _Rows]) -> Candidates:
    """Join (targets, controllers, clauses) of every kind in the order of the text."""
    kind = np.repeat(
        [KINDS.index(name) for name in found], [len(rows) for rows, *_ in found.values()]
    )
    target, controller, clause = (np.concatenate(c) for c in zip(*found.values(), strict=True))
    order = np.lexsort((kind, target, controller))
    pairs = Pairs(target[order], controller[order], _RELATION[kind[order]])
    return Candidates(tokens, language, pairs, kind[order], clause[order])


Filter = Callable[[Candidates], Flags]

_QUOTES = frozenset("\"'«»“”„‘’‹›‚״「『《") | {"''", "``"}
_DIRECT = ("Nom", "Abs")
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "DET", "SYM", "X")


def _typo(found: Candidates) -> Flags:
    """An end is misspelt (``Typo=Yes``) or written apart (``goeswith``)."""
    apart = base(found.tokens, "goeswith")
    typo = with_value(found.tokens, "Typo", "Yes")
    return found.either(typo | apart | has_child(found.tokens, apart))


def _foreign(found: Candidates) -> Flags:
    """An end is a foreign word (``Foreign=Yes``, UPOS X, ``flat:foreign``)."""
    flat = found.tokens.deprel.isin("flat:foreign")
    foreign = with_value(found.tokens, "Foreign", "Yes") | found.tokens.upos.isin("X") | flat
    return found.either(foreign | has_child(found.tokens, flat))


def _abbreviation(found: Candidates) -> Flags:
    """An end is abbreviated (``Abbr=Yes``, or written with a full stop)."""
    dotted = found.tokens.forms.table(lambda form: len(form) > 1 and form.endswith("."), bool)
    return found.either(dotted | with_value(found.tokens, "Abbr", "Yes"))


def _digits(found: Candidates) -> Flags:
    """An end is written with digits or has a dependent that is: dates, years, amounts."""
    digits = found.tokens.forms.table(lambda form: any(map(str.isdigit, form)), bool)
    near = digits & base(found.tokens, "nummod", "amod", "nmod", "flat", "appos", "compound", "det")
    return found.either(digits | has_child(found.tokens, near))


def _flat(found: Candidates) -> Flags:
    """An end is part of a name or a fixed phrase (``flat``, ``fixed``)."""
    flat = base(found.tokens, "flat", "fixed")
    return found.either(flat | has_child(found.tokens, flat))


def _title(found: Candidates) -> Flags:
    """The controller is a title with a name (*Frau Müller*), an honorific (*Sa Majesté*), or stands in
    quotation marks, as the names of works do."""
    name = has_child(found.tokens, found.tokens.upos.isin("PROPN"))
    title = found.tokens.lemmas.isin(*found.language.titles) & name
    title |= found.tokens.lemmas.isin(*found.language.honorifics)
    mark = found.tokens.forms.isin(*_QUOTES) & base(found.tokens, "punct")
    return (title | has_child(found.tokens, mark))[found.pairs.controller]


def _ellipsis(found: Candidates) -> Flags:
    """Something is left out beside an end or the predicate (``orphan``)."""
    orphan = base(found.tokens, "orphan")
    elided = orphan | has_child(found.tokens, orphan)
    return found.either(elided) | elided[found.clause]


def _coordination(found: Candidates) -> Flags:
    """The controller is coordinated: *Ann and the boys sleep* agrees with all of it."""
    conjunct = has_child(found.tokens, base(found.tokens, "conj"))
    return conjunct[found.pairs.controller]


def _quantified(found: Candidates) -> Flags:
    """A subject that is counted by a numeral, is a noun of quantity with a complement (*a number of cats*) or a
    collective; elsewhere a noun in the case that its numeral governs (Russian *pyat'* and a genitive)."""
    governs = has_child(found.tokens, found.tokens.deprel.isin("nummod:gov", "det:numgov"))
    counted = has_child(found.tokens, base(found.tokens, "nummod"))
    counted |= has_child(found.tokens, found.tokens.deprel.isin("det:nummod"))
    complement = has_child(found.tokens, base(found.tokens, "nmod", "compound", "acl"))
    counted |= found.tokens.lemmas.isin(*found.language.quantity) & complement
    counted |= found.tokens.lemmas.isin(*found.language.collective)
    controller = found.pairs.controller
    return governs[controller] | found.subject & counted[controller]


def _expletive(found: Candidates) -> Flags:
    """The clause has an expletive (*there is a cat*) or is existential (German *es gibt*, Hebrew *yesh*)."""
    expletive = found.tokens.deprel.isin("expl", "expl:subj", "expl:impers")
    existential = found.tokens.lemmas.isin(*found.language.existential)
    existential |= with_value(found.tokens, "HebExistential", "Yes", "True")
    existential &= found.tokens.upos.isin("VERB")
    dummy = found.tokens.forms.table(lambda form: _is_dummy(form, found.language), bool)
    said: Flags = has_child(found.tokens, expletive)[found.clause]
    said |= existential[found.clause] & dummy[found.pairs.controller]
    return found.subject & said


def _is_dummy(form: str, language: Language) -> bool:
    return not language.dummy or form.lower() in language.dummy


def _oblique(found: Candidates) -> Flags:
    """A subject in another case than the nominative, with which nothing agrees: genitive of negation,
    Finnish partitive, Hindi ergative, dative subjects."""
    straight = with_value(found.tokens, "Case", *_DIRECT) | ~with_any(found.tokens, "Case")
    return found.subject & ~straight[found.pairs.controller]


def _avoir(found: Candidates) -> Flags:
    """A participle with another auxiliary than the one with which it agrees: *elles ont mangé* against
    *elles sont parties*; reflexive ones too (*elles se sont parlé*)."""
    tokens, be = found.tokens, found.language.be
    if not be:
        return np.zeros(len(found), bool)
    agrees = has_child(tokens, base(tokens, "aux") & tokens.lemmas.isin(*be))
    agrees &= ~has_child(tokens, with_value(tokens, "Reflex", "Yes"))
    return found.of("participle") & ~agrees[found.clause]


def _nominal(found: Candidates) -> Flags:
    """A copula with a nominal predicate, with which it may agree instead: *das sind meine Freunde*."""
    return found.of("copula") & found.tokens.upos.isin(*_NOMINAL)[found.clause]


def _clausal(found: Candidates) -> Flags:
    """A copula between a subject and a clause (*the problem is that the keys are lost*), or a clause with two
    subjects: which belongs to which cannot be told."""
    tokens = found.tokens
    outer = tokens.deprel.isin("nsubj:outer", "csubj:outer")
    verb = tokens.upos.isin("VERB") & with_value(tokens, "VerbForm", "Fin")
    inner = np.flatnonzero(base(tokens, "nsubj", "csubj") & ~outer & (tokens.head >= 0))
    double = np.bincount(tokens.head[inner], minlength=len(tokens)) > 1
    clausal = has_child(tokens, outer) | verb
    return found.of("copula") & clausal[found.clause] | found.subject & double[found.clause]


def _nonfinite(found: Candidates) -> Flags:
    """A verb that is not finite: its auxiliary carries the agreement (*the cats have slept*)."""
    forms = found.language.verbforms
    carrier = with_value(found.tokens, "VerbForm", *forms) | finite_words(found.tokens)
    return found.of("verb") & ~carrier[found.clause]


FILTERS: Mapping[str, Filter] = {
    "typo": _typo,
    "foreign": _foreign,
    "abbreviation": _abbreviation,
    "digits": _digits,
    "flat": _flat,
    "title": _title,
    "ellipsis": _ellipsis,
    "coordination": _coordination,
    "quantified": _quantified,
    "expletive": _expletive,
    "oblique": _oblique,
    "nominal": _nominal,
    "clausal": _clausal,
    "nonfinite": _nonfinite,
    "avoir": _avoir,
}
"""The filters that look at the tree alone; :data:`.strict.TESTS` has those of values and forms."""
