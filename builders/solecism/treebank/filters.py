"""The filters of ``strict`` that look at the tree alone: which candidates cannot be told to agree.

Each takes candidates and returns which of them to drop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from solecism.treebank.candidates import (
    Candidates,
    base,
    finite_words,
    has_child,
    with_any,
    with_value,
)
from solecism.treebank.conllu import Flags
from solecism.treebank.languages import Language

__all__ = ["FILTERS", "PROFORMS"]

PROFORMS = ("Int", "Rel", "Ind", "Neg", "Tot", "Exc", "Rcp")
"""The types of pronouns that many languages do not inflect: *who*, *wer*, *kto*."""

_LOCAL = ("Ade", "Abl", "All", "Ine", "Ela", "Ill", "Loc", "Lat", "Sub", "Sup", "Del", "Ter")

_QUOTES = frozenset("\"'«»“”„‘’‹›‚״「『《") | {"''", "``"}
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "DET", "SYM", "X")


def _typo(found: Candidates) -> Flags:
    """Find ends that are misspelt (``Typo=Yes``) or written apart (``goeswith``)."""
    apart = base(found.tokens, "goeswith")
    typo = with_value(found.tokens, "Typo", "Yes")
    return found.either(typo | apart | has_child(found.tokens, apart))


def _foreign(found: Candidates) -> Flags:
    """Find ends that are foreign words (``Foreign=Yes``, UPOS X, ``flat:foreign``)."""
    flat = found.tokens.deprel.isin("flat:foreign")
    foreign = with_value(found.tokens, "Foreign", "Yes") | found.tokens.upos.isin("X") | flat
    return found.either(foreign | has_child(found.tokens, flat))


def _abbreviation(found: Candidates) -> Flags:
    """Find ends that are abbreviated (``Abbr=Yes``, or written with a full stop)."""
    dotted = found.tokens.forms.table(lambda form: len(form) > 1 and form.endswith("."), bool)
    return found.either(dotted | with_value(found.tokens, "Abbr", "Yes"))


def _digits(found: Candidates) -> Flags:
    """Find ends with digits, or with a dependent that has some: dates, years, amounts."""
    digits = found.tokens.forms.table(lambda form: any(map(str.isdigit, form)), bool)
    near = digits & base(found.tokens, "nummod", "amod", "nmod", "flat", "appos", "compound", "det")
    return found.either(digits | has_child(found.tokens, near))


def _flat(found: Candidates) -> Flags:
    """Find ends that are part of a name or a fixed phrase (``flat``, ``fixed``)."""
    flat = base(found.tokens, "flat", "fixed")
    return found.either(flat | has_child(found.tokens, flat))


def _title(found: Candidates) -> Flags:
    """Find controllers that are titles, honorifics or in quotation marks.

    Titles have a name (*Frau Müller*), honorifics none (*Sa Majesté*); names of works are quoted.
    """
    name = has_child(found.tokens, found.tokens.upos.isin("PROPN"))
    title = found.tokens.lemmas.isin(*found.language.titles) & name
    title |= found.tokens.lemmas.isin(*found.language.honorifics)
    mark = found.tokens.forms.isin(*_QUOTES) & base(found.tokens, "punct")
    return (title | has_child(found.tokens, mark))[found.pairs.controller]


def _name(found: Candidates) -> Flags:
    """Find subjects written as names are: *Large Fries gives you four pieces*.

    A noun with a capital within a sentence; one at its beginning, if its neighbour has one too.
    """
    tokens = found.tokens
    if found.language.capitals != "start":
        return np.zeros(len(found), bool)
    capital = tokens.forms.table(lambda form: form[:1].isupper(), bool)
    content = tokens.upos.isin("NOUN", "PROPN", "ADJ")
    named = np.append((capital & content)[1:] & (tokens.number[1:] > 1), False)
    opened = np.append(True, tokens.upos.isin("PUNCT", "SYM")[:-1])
    starts = (tokens.number == 1) | opened
    name = capital & tokens.upos.isin("NOUN") & (~starts | named)
    named_so: Flags = name[found.pairs.controller]
    return found.subject & named_so


def _ellipsis(found: Candidates) -> Flags:
    """Find ends and predicates beside which something is left out (``orphan``)."""
    orphan = base(found.tokens, "orphan")
    elided = orphan | has_child(found.tokens, orphan)
    return found.either(elided) | elided[found.clause]


def _coordination(found: Candidates) -> Flags:
    """Find coordinated controllers and adjectives.

    *Ann and the boys sleep* agrees with all of it, *the national and local plans* may be two.
    """
    conjunct = has_child(found.tokens, base(found.tokens, "conj"))
    several = found.of("modifying") & conjunct[found.pairs.target]
    return conjunct[found.pairs.controller] | several


def _quantified(found: Candidates) -> Flags:
    """Find controllers that are counted, or nouns of quantity or of groups.

    A subject with a numeral, a noun of quantity with a complement (*a number of cats*), a
    collective; elsewhere a noun in the case that its numeral governs (Russian *pyat'* and a
    genitive).
    """
    governs = has_child(found.tokens, found.tokens.deprel.isin("nummod:gov", "det:numgov"))
    counted = has_child(found.tokens, base(found.tokens, "nummod"))
    counted |= has_child(found.tokens, found.tokens.deprel.isin("det:nummod"))
    complement = has_child(found.tokens, base(found.tokens, "nmod", "compound", "acl"))
    counted |= found.tokens.lemmas.isin(*found.language.quantity) & complement
    counted |= found.tokens.lemmas.isin(*found.language.collective)
    controller = found.pairs.controller
    return governs[controller] | found.subject & counted[controller]


def _expletive(found: Candidates) -> Flags:
    """Find clauses that are existential (*es gibt*, Hebrew *yesh*) or have an expletive."""
    expletive = found.tokens.deprel.isin("expl", "expl:subj", "expl:impers")
    existential = found.tokens.lemmas.isin(*found.language.existential)
    existential |= with_value(found.tokens, "HebExistential", "Yes", "True")
    existential &= found.tokens.upos.isin("VERB")
    dummy = found.tokens.forms.table(lambda form: _is_dummy(form, found.language), bool)
    there: Flags = has_child(found.tokens, expletive)[found.clause]
    there |= existential[found.clause] & dummy[found.pairs.controller]
    return found.subject & there


def _is_dummy(form: str, language: Language) -> bool:
    return not language.dummy or form.lower() in language.dummy


def _oblique(found: Candidates) -> Flags:
    """Find subjects in a case in which nothing agrees with them.

    Genitive of negation, Finnish partitive, Hindi ergative (a case or an adposition, *ne*), dative
    subjects. With what agrees in a layer (``Number[erg]``) the layer tells the case. Where past or
    perfective verbs agree with their object, subjects of those that have one.
    """
    straight = with_value(found.tokens, "Case", *found.language.cases)
    straight |= ~with_any(found.tokens, "Case")
    marked = base(found.tokens, "case") & found.tokens.upos.isin("ADP")
    straight &= ~has_child(found.tokens, marked)
    plain = ~found.layered
    away = ~straight[found.pairs.controller] | _ergative(found)[found.clause]
    return found.subject & plain & away


def _ergative(found: Candidates) -> Flags:
    """Find verbs that agree with their object: Hindi perfectives, Kurmanji past tenses."""
    tokens = found.tokens
    name, _, value = found.language.ergative.partition("=")
    if not name:
        return np.zeros(len(tokens), bool)
    return with_value(tokens, name, value) & has_child(tokens, base(tokens, "obj"))


def _avoir(found: Candidates) -> Flags:
    """Find participles with another auxiliary than the one with which they agree.

    *Elles ont mangé* against *elles sont parties*; reflexive ones too (*elles se sont parlé*).
    """
    tokens, be = found.tokens, found.language.be
    if not be:
        return np.zeros(len(found), bool)
    agrees = has_child(tokens, base(tokens, "aux") & tokens.lemmas.isin(*be))
    agrees &= ~has_child(tokens, with_value(tokens, "Reflex", "Yes"))
    return found.of("participle") & ~agrees[found.clause]


def _nominal(found: Candidates) -> Flags:
    """Find copulas that may agree with their predicate instead: *das sind meine Freunde*."""
    return found.of("copula") & found.tokens.upos.isin(*_NOMINAL)[found.clause]


def _clausal(found: Candidates) -> Flags:
    """Find copulas of a clause (*the problem is that the keys are lost*), and second subjects.

    Which subject belongs to which verb cannot be known.
    """
    tokens = found.tokens
    outer = tokens.deprel.isin("nsubj:outer", "csubj:outer")
    verb = tokens.upos.isin("VERB") & with_value(tokens, "VerbForm", "Fin")
    inner = np.flatnonzero(base(tokens, "nsubj", "csubj") & ~outer & (tokens.head >= 0))
    double = np.bincount(tokens.head[inner], minlength=len(tokens)) > 1
    clausal = has_child(tokens, outer) | verb
    return found.of("copula") & clausal[found.clause] | found.subject & double[found.clause]


def _apart(found: Candidates) -> Flags:
    """Find determiners and adjectives that a finite verb parts from their noun.

    They stand by themselves, or the tree is wrong: *odin*, said of something before.
    """
    tokens = found.tokens
    verb = tokens.upos.isin("VERB", "AUX") & finite_words(tokens)
    count = np.cumsum(np.append(0, verb))
    low = np.minimum(found.pairs.target, found.pairs.controller)
    high = np.maximum(found.pairs.target, found.pairs.controller)
    between: Flags = count[high] > count[low + 1]
    return ~found.clausal & between


def _local(found: Candidates) -> Flags:
    """Find predicates in a local case, which are adverbs: Finnish *raja on korkealla*."""
    return found.of("predicated") & with_value(found.tokens, "Case", *_LOCAL)[found.pairs.target]


def _frozen(found: Candidates) -> Flags:
    """Find comments of a pronoun and an adjective: Polish *co ważniejsze*."""
    tokens = found.tokens
    comment = base(tokens, "parataxis", "discourse", "advcl", "appos") & tokens.upos.isin("ADJ")
    comment &= ~has_child(tokens, base(tokens, "cop", "aux"))
    pronoun = tokens.upos.isin("PRON") & with_value(tokens, "PronType", "Int", "Rel")
    return found.subject & comment[found.clause] & pronoun[found.pairs.controller]


def _nonfinite(found: Candidates) -> Flags:
    """Find verbs that are not finite: the auxiliary agrees instead (*the cats have slept*)."""
    forms = found.language.verbforms
    carrier = with_value(found.tokens, "VerbForm", *forms) | finite_words(found.tokens)
    return found.of("verb") & (~carrier | _beside(found))[found.clause]


def _beside(found: Candidates) -> Flags:
    """Return which words have an auxiliary that shows person or number, where only a profile tells
    what agrees: in Uyghur *körgen bolsa* the person is on *bolsa*."""
    tokens = found.tokens
    if found.language.grammar and found.language.code not in ("hi", "ur"):
        return np.zeros(len(tokens), bool)
    shows = with_any(tokens, "Person") | with_any(tokens, "Number")
    return has_child(tokens, shows & base(tokens, "aux", "cop"))


FILTERS: Mapping[str, Callable[[Candidates], Flags]] = {
    filter_.__name__.removeprefix("_"): filter_
    for filter_ in (
        _typo, _foreign, _abbreviation, _digits, _flat, _title, _ellipsis, _coordination,
        _quantified, _expletive, _oblique, _nominal, _clausal, _nonfinite, _avoir,
        _name, _apart, _local, _frozen,
    )
}  # fmt: skip
"""The filters that look at the tree alone, in the order in which they run."""
