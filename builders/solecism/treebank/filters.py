"""The filters of ``strict`` that look at the tree or the text: what cannot be told to agree.

Those of :data:`FILTERS` take candidates and return which of them to drop. Those of :data:`FLAWS`
are about sentences that are none: fragments, headings, verse and broken texts, which are not
applicable, as the guide of RuBLiMP's annotators has it (Taktasheva et al. 2024).
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from solecism.treebank.candidates import (
    Candidates,
    base,
    finite_words,
    has_child,
    layered_words,
    with_any,
    with_value,
)
from solecism.treebank.cloze import texts_of
from solecism.treebank.conllu import Flags, Ints, Tokens
from solecism.treebank.languages import Language

PROFORMS = ("Int", "Rel", "Ind", "Neg", "Tot", "Exc", "Rcp")
"""The types of pronouns that many languages do not inflect: *who*, *wer*, *kto*."""

_LOCAL = ("Ade", "Abl", "All", "Ine", "Ela", "Ill", "Loc", "Lat", "Sub", "Sup", "Del", "Ter")

_QUOTES = frozenset("\"'«»“”„‘’‹›‚״「『《") | {"''", "``"}
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "DET", "SYM", "X")


def typo(found: Candidates) -> Flags:
    """Find ends that are misspelt (``Typo=Yes``) or written apart (``goeswith``)."""
    apart = base(found.tokens, "goeswith")
    marked = with_value(found.tokens, "Typo", "Yes")
    return found.either(marked | apart | has_child(found.tokens, apart))


def foreign(found: Candidates) -> Flags:
    """Find ends that are foreign words (``Foreign=Yes``, UPOS X, ``flat:foreign``)."""
    flat = found.tokens.deprel.isin("flat:foreign")
    marked = with_value(found.tokens, "Foreign", "Yes") | found.tokens.upos.isin("X") | flat
    return found.either(marked | has_child(found.tokens, flat))


def abbreviation(found: Candidates) -> Flags:
    """Find ends that are abbreviated (``Abbr=Yes``, or written with a full stop)."""
    dotted = found.tokens.forms.table(lambda form: len(form) > 1 and form.endswith("."), bool)
    return found.either(dotted | with_value(found.tokens, "Abbr", "Yes"))


def digits(found: Candidates) -> Flags:
    """Find ends with digits, or with a dependent that has some: dates, years, amounts."""
    digit = found.tokens.forms.table(lambda form: any(map(str.isdigit, form)), bool)
    near = digit & base(found.tokens, "nummod", "amod", "nmod", "flat", "appos", "compound", "det")
    return found.either(digit | has_child(found.tokens, near))


def flat(found: Candidates) -> Flags:
    """Find ends that are part of a name or a fixed phrase (``flat``, ``fixed``)."""
    part = base(found.tokens, "flat", "fixed")
    return found.either(part | has_child(found.tokens, part))


def title(found: Candidates) -> Flags:
    """Find controllers that are titles, honorifics or in quotation marks.

    Titles have a name (*Frau Müller*), honorifics none (*Sa Majesté*); names of works are quoted.
    """
    name = has_child(found.tokens, found.tokens.upos.isin("PROPN"))
    titled = found.tokens.lemmas.isin(*found.language.titles) & name
    titled |= found.tokens.lemmas.isin(*found.language.honorifics)
    mark = found.tokens.forms.isin(*_QUOTES) & base(found.tokens, "punct")
    return (titled | has_child(found.tokens, mark))[found.pairs.controller]


def name(found: Candidates) -> Flags:
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
    like_name = capital & tokens.upos.isin("NOUN") & (~starts | named)
    written_so: Flags = found.subject & like_name[found.pairs.controller]
    return written_so


def ellipsis(found: Candidates) -> Flags:
    """Find ends and predicates beside which something is left out (``orphan``)."""
    orphan = base(found.tokens, "orphan")
    elided = orphan | has_child(found.tokens, orphan)
    return found.either(elided) | elided[found.clause]


def coordination(found: Candidates) -> Flags:
    """Find coordinated controllers and adjectives.

    *Ann and the boys sleep* agrees with all of it, *the national and local plans* may be two.
    """
    conjunct = has_child(found.tokens, base(found.tokens, "conj"))
    several = found.of("modifying") & conjunct[found.pairs.target]
    return conjunct[found.pairs.controller] | several


def quantified(found: Candidates) -> Flags:
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


def expletive(found: Candidates) -> Flags:
    """Find clauses that are existential (*es gibt*, Hebrew *yesh*) or have an expletive."""
    expletive = found.tokens.deprel.isin("expl", "expl:subj", "expl:impers")
    existential = found.tokens.lemmas.isin(*found.language.existential)
    existential |= with_value(found.tokens, "HebExistential", "Yes", "True")
    existential &= found.tokens.upos.isin("VERB")
    dummies = found.language.dummy
    dummy = found.tokens.forms.table(lambda form: not dummies or form.lower() in dummies, bool)
    there: Flags = has_child(found.tokens, expletive)[found.clause]
    there |= existential[found.clause] & dummy[found.pairs.controller]
    return found.subject & there


def oblique(found: Candidates) -> Flags:
    """Find subjects in a case in which nothing agrees with them.

    Genitive of negation, Finnish partitive, Hindi ergative (a case or an adposition, *ne*), dative
    subjects. With what agrees in a layer (``Number[erg]``) the layer tells the case. Where past or
    perfective verbs agree with their object, subjects of those that have one.
    """
    tokens = found.tokens
    straight = with_value(tokens, "Case", *found.language.cases) | ~with_any(tokens, "Case")
    straight &= ~has_child(tokens, base(tokens, "case") & tokens.upos.isin("ADP"))
    away = ~straight[found.pairs.controller]
    if found.language.ergative:  # Hindi perfectives, Kurmanji past tenses
        name, _, value = found.language.ergative.partition("=")
        ergative = with_value(tokens, name, value) & has_child(tokens, base(tokens, "obj"))
        away |= ergative[found.clause]
    return found.subject & ~layered_words(tokens)[found.pairs.target] & away


def avoir(found: Candidates) -> Flags:
    """Find participles with another auxiliary than the one with which they agree.

    *Elles ont mangé* against *elles sont parties*; reflexive ones too (*elles se sont parlé*).
    """
    tokens, be = found.tokens, found.language.be
    if not be:
        return np.zeros(len(found), bool)
    agrees = has_child(tokens, base(tokens, "aux") & tokens.lemmas.isin(*be))
    agrees &= ~has_child(tokens, with_value(tokens, "Reflex", "Yes"))
    return found.of("participle") & ~agrees[found.clause]


def nominal(found: Candidates) -> Flags:
    """Find copulas that may agree with their predicate instead: *das sind meine Freunde*."""
    return found.of("copula") & found.tokens.upos.isin(*_NOMINAL)[found.clause]


def clausal(found: Candidates) -> Flags:
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


def apart(found: Candidates) -> Flags:
    """Find determiners and adjectives that a finite verb parts from their noun.

    They stand by themselves, or the tree is wrong: *odin*, said of something before.
    """
    tokens = found.tokens
    verb = tokens.upos.isin("VERB", "AUX") & finite_words(tokens)
    count = np.cumsum(np.append(0, verb))
    low, high = np.sort([found.pairs.target, found.pairs.controller], axis=0)
    between: Flags = count[high] > count[low + 1]
    return found.in_relation("determiner", "modifying", "possessor") & between


def local(found: Candidates) -> Flags:
    """Find predicates in a local case, which are adverbs: Finnish *raja on korkealla*."""
    return found.of("predicated") & with_value(found.tokens, "Case", *_LOCAL)[found.pairs.target]


def frozen(found: Candidates) -> Flags:
    """Find comments of a pronoun and an adjective: Polish *co ważniejsze*."""
    tokens = found.tokens
    comment = base(tokens, "parataxis", "discourse", "advcl", "appos") & tokens.upos.isin("ADJ")
    comment &= ~has_child(tokens, base(tokens, "cop", "aux"))
    pronoun = tokens.upos.isin("PRON") & with_value(tokens, "PronType", "Int", "Rel")
    return found.subject & comment[found.clause] & pronoun[found.pairs.controller]


def nonfinite(found: Candidates) -> Flags:
    """Find verbs that are not finite: the auxiliary agrees instead (*the cats have slept*)."""
    tokens, language = found.tokens, found.language
    carrier = with_value(tokens, "VerbForm", *language.verbforms) | finite_words(tokens)
    if not language.grammar or language.code in ("hi", "ur"):
        # Only a profile tells what agrees: in Uyghur *körgen bolsa* the person is on *bolsa*.
        shows = with_any(tokens, "Person") | with_any(tokens, "Number")
        carrier &= ~has_child(tokens, shows & base(tokens, "aux", "cop"))
    return found.of("verb") & ~carrier[found.clause]


FILTERS: Mapping[str, Callable[[Candidates], Flags]] = {
    filter_.__name__: filter_
    for filter_ in (
        typo, foreign, abbreviation, digits, flat, title, ellipsis, coordination,
        quantified, expletive, oblique, nominal, clausal, nonfinite, avoir,
        name, apart, local, frozen,
    )
}  # fmt: skip
"""The filters that look at the tree alone, in the order in which they run."""


HABIT = 2 / 3
"""The share of sentences, or of nouns, from which on a treebank is said to do something."""

_FINAL = ".!?…‽⸮\u0589。！？｡．︒؟۔।॥᥄៖។៕၊။።፧፨៚᠃᠉᙮\u037e꓿꘎꘏𑁇𑁈॰׃"
_CLOSING = "\"'»«”“’‘‹›)\\]}〉》」』】〕״\\s*_"
_OPENING = "\"'«»“”„‟‘’‚‹›(\\[{〈《「『【〔״¿¡\\s\\-–—―•·*_"
_ENDED = re.compile(
    rf"[{_FINAL}][{_CLOSING}]*$|[\u0530-\u058f][{_CLOSING}]*:$"
    rf"|[\u0370-\u03ff\u1f00-\u1fff][{_CLOSING}]*;$"
)
_GREEK_OR_ARMENIAN = re.compile(r"[\u0370-\u03ff\u0530-\u058f]$")
_AFTER_OPENING = re.compile(rf"[^{_OPENING}]")
_BROKEN_OFF = frozenset(",.;:!?…)]}%&/+=،؛؟。、，．")
_MARKUP = re.compile(
    r"``|''|&(?:#\d+|#x[0-9a-fA-F]+|\w{2,8});|</?\w[^<>]*>|https?:|www\.|\(\s*\)"
    r"|(?:^|\s)[#@]\w|\\\w|\ufffd"
)
_SLASH = re.compile(r"[^\W\d_A-Z][.,;:!?]?\s//?\s[^\W\d_]")
_INNER = re.compile(r'(?<=\w)"(?=\w\b)|(?<=\w)״(?=\w)')
_PAIRED = ("()", "[]", "{}", "「」", "『』", "《》", "【】", "〈〉", "〔〕", "‹›")
_EVEN = ('"', "«»", "“”„‟")
_SMALL = ("ADP", "CCONJ", "SCONJ", "PART", "ADV")
_PAUSE = ",;，،"


def unfinished(text: str, language: Language) -> bool:
    """No mark ends it: ``. ! ? …`` or one of its script."""
    return language.marks and not _ENDED.search(text)


def cut(text: str, language: Language) -> bool:
    """Its beginning is missing: it starts with a small letter, a comma, a closing mark."""
    if text.lstrip()[:1] in _BROKEN_OFF:
        return True
    found = _AFTER_OPENING.search(text)
    if language.capitals == "none" or not found:
        return False
    first = text[found.start() : found.start() + 2]
    elided = text[: found.start()].endswith(("'", "’")) and not first[1:].isalpha()
    return first[:1].islower() and not first[1:].isupper() and not elided


def unbalanced(text: str, language: Language) -> bool:
    """A bracket or a quotation mark has no other half."""
    text = _INNER.sub("", text)
    if any(text.count(pair[0]) != text.count(pair[1]) for pair in _PAIRED):
        return True
    return any(sum(map(text.count, marks)) % 2 for marks in _EVEN)


def markup(text: str, language: Language) -> bool:
    """It has quotation marks of TeX, entities, tags, addresses, or empty brackets."""
    return bool(_MARKUP.search(text))


_OF_TEXT = (unfinished, cut, unbalanced, markup)
FLAWS = (*(test.__name__ for test in _OF_TEXT), "heading", "verse")
"""What makes a sentence none, in the order in which it is looked for."""


def flaws_of(tokens: Tokens, language: Language, wanted: Flags) -> dict[str, Flags]:
    """Return for each of :data:`FLAWS` which sentences have it; only those wanted are looked at."""
    rows = np.flatnonzero(wanted)
    texts = texts_of(tokens, wanted)[0][rows].texts()
    found = {name: np.zeros(len(wanted), bool) for name in FLAWS}
    for test in _OF_TEXT:
        found[test.__name__][rows] = [test(text, language) for text in texts]
    found["heading"] |= _headings(tokens) & wanted
    if language.marks:
        found["verse"][rows] = [len(_SLASH.findall(text)) > 1 for text in texts]
    if language.capitals != "none":
        found["verse"] |= (_capitals_within(tokens) > 1) & wanted
    return found


def _number(tokens: Tokens, words: Flags | Ints) -> Ints:
    """Return how many of some words every sentence has."""
    return np.bincount(tokens.sentence[words], minlength=len(tokens.sentences))


def _headings(tokens: Tokens) -> Flags:
    """Find sentences without a finite verb, a subject or a verb as root: headings, entries.

    So are nouns whose only clauses stand below them: *Die Katzen, die schliefen.*
    """
    verb, root = tokens.upos.isin("VERB", "AUX"), tokens.head < 0
    clause = base(tokens, "nsubj", "csubj", "expl", "cop", "aux")
    none: Flags = _number(tokens, clause | verb & (finite_words(tokens) | root)) == 0
    clause |= verb & base(tokens, "parataxis", "conj", "ccomp", "xcomp", "advcl")
    noun = tokens.upos.isin("NOUN", "PROPN", "PRON", "NUM") & ~has_child(tokens, clause)
    return none | (_number(tokens, root & noun) > 0)


def _capitals_within(tokens: Tokens) -> Ints:
    """Count small words with a capital within a sentence, which begin the lines of verse."""
    titled = tokens.forms.table(lambda form: form[:1].isupper() and not form[1:].isupper(), bool)
    rows = np.flatnonzero(titled & (tokens.number > 1) & tokens.upos.isin(*_SMALL))
    mark = tokens.upos.isin("PUNCT", "SYM") & ~tokens.forms.isin(*_PAUSE)
    return _number(tokens, rows[~mark[rows - 1]])


def count_habits(tokens: Tokens) -> Counter[str]:
    """Count in a chunk how sentences begin and end, and which nouns have a capital."""
    sentences, forms = tokens.sentences, tokens.forms
    last, first = sentences.end - 1, sentences.start
    final = forms.table(lambda form: bool(_ENDED.search(form)) or form in ":;", bool)
    closing = forms.table(lambda form: len(form) == 1 and not form.isalnum(), bool)
    last = np.where(closing[last] & ~final[last] & (last > first), last - 1, last)
    greek = forms.table(lambda form: bool(_GREEK_OR_ARMENIAN.search(form)), bool)
    colon = forms.isin(":", ";")[last] & ~greek[last - 1]
    upper = forms.table(lambda form: form[:1].isupper(), bool)
    cased = upper | forms.table(lambda form: form[:1].islower(), bool)
    noun = tokens.upos.isin("NOUN") & (tokens.number > 1) & cased
    return Counter(
        sentences=len(sentences), marked=int((final[last] & ~colon).sum()),
        cased=int(cased[first].sum()), capital=int(upper[first].sum()),
        nouns=int(noun.sum()), names=int((noun & upper).sum()),
    )  # fmt: skip


def marks_by(habits: Mapping[str, int]) -> bool:
    """Return whether sentences end with a mark."""
    return habits["marked"] >= HABIT * habits["sentences"]


def capitals_by(habits: Mapping[str, int]) -> str:
    """Return what is written with a capital: ``none``, ``start`` (of sentences) or ``nouns``."""
    if habits["capital"] < HABIT * habits["cased"]:
        return "none"
    nouns = habits["nouns"] and habits["names"] >= HABIT * habits["nouns"]
    return "nouns" if nouns else "start"
