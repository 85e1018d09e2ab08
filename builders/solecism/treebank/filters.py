"""The filters of ``strict`` that look at the tree or the text. They drop what may not agree.

The filters in :data:`FILTERS` take candidates and return flags of those to drop. :data:`FLAWS`
names the filters of whole texts. They drop what is not a sentence: fragments, headings, verse and
broken texts. RuBLiMP's guide for annotators calls these not applicable (Taktasheva et al. 2024).
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
"""The types of pronouns (``PronType``) that many languages do not inflect: *who*, *wer*, *kto*."""

_LOCAL = ("Ade", "Abl", "All", "Ine", "Ela", "Ill", "Loc", "Lat", "Sub", "Sup", "Del", "Ter")

_QUOTES = frozenset("\"'«»“”„‘’‹›‚״「『《") | {"''", "``"}
_NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "DET", "SYM", "X")


def typo(found: Candidates) -> Flags:
    """Find ends that are misspelt (``Typo=Yes``) or written in two parts (``goeswith``)."""
    rest = base(found.tokens, "goeswith")
    marked = with_value(found.tokens, "Typo", "Yes")
    return found.either(marked | rest | has_child(found.tokens, rest))


def foreign(found: Candidates) -> Flags:
    """Find ends that are foreign words (``Foreign=Yes``, UPOS X, ``flat:foreign``)."""
    flat = found.tokens.deprel.isin("flat:foreign")
    marked = with_value(found.tokens, "Foreign", "Yes") | found.tokens.upos.isin("X") | flat
    return found.either(marked | has_child(found.tokens, flat))


def abbreviation(found: Candidates) -> Flags:
    """Find ends that are abbreviations (``Abbr=Yes``, or words that end in a full stop)."""
    dotted = found.tokens.forms.table(lambda form: len(form) > 1 and form.endswith("."), bool)
    return found.either(dotted | with_value(found.tokens, "Abbr", "Yes"))


def digits(found: Candidates) -> Flags:
    """Find ends that have digits, or a dependent with digits: dates, years, amounts."""
    digit = found.tokens.forms.table(lambda form: any(map(str.isdigit, form)), bool)
    near = digit & base(found.tokens, "nummod", "amod", "nmod", "flat", "appos", "compound", "det")
    return found.either(digit | has_child(found.tokens, near))


def flat(found: Candidates) -> Flags:
    """Find ends that are part of a name or a fixed phrase (``flat``, ``fixed``)."""
    part = base(found.tokens, "flat", "fixed")
    return found.either(part | has_child(found.tokens, part))


def title(found: Candidates) -> Flags:
    """Find controllers that are titles, honorifics or in quotation marks.

    A title stands with a name (*Frau Müller*), an honorific without one (*Sa Majesté*). Quotation
    marks are often around names of works.
    """
    name = has_child(found.tokens, found.tokens.upos.isin("PROPN"))
    titled = found.tokens.lemmas.isin(*found.language.titles) & name
    titled |= found.tokens.lemmas.isin(*found.language.honorifics)
    mark = found.tokens.forms.isin(*_QUOTES) & base(found.tokens, "punct")
    return (titled | has_child(found.tokens, mark))[found.pairs.controller]


def name(found: Candidates) -> Flags:
    """Find subjects that are written like names: *Large Fries gives you four pieces*.

    These are nouns with a capital inside a sentence. At the beginning of a sentence or after a mark
    a noun is found only if the next word has a capital too.
    """
    tokens = found.tokens
    if found.language.capitals != "start":
        return np.zeros(len(found), bool)
    capital = tokens.forms.table(lambda form: form[:1].isupper(), bool)
    content = tokens.upos.isin("NOUN", "PROPN", "ADJ")
    named = np.append((capital & content)[1:] & (tokens.number[1:] > 1), False)
    starts = (tokens.number == 1) | np.append(True, tokens.upos.isin("PUNCT", "SYM")[:-1])
    like_name = capital & tokens.upos.isin("NOUN") & (~starts | named)
    subjects: Flags = found.subject & like_name[found.pairs.controller]
    return subjects


def ellipsis(found: Candidates) -> Flags:
    """Find ends and predicates that are or have an ``orphan``: beside it a word is left out."""
    orphan = base(found.tokens, "orphan")
    elided = orphan | has_child(found.tokens, orphan)
    return found.either(elided) | elided[found.clause]


def coordination(found: Candidates) -> Flags:
    """Find controllers, and attributive adjectives, that are coordinated.

    In *Ann and the boys sleep* the verb agrees with both conjuncts together; *the national and
    local plans* may be one national plan and one local plan.
    """
    conjunct = has_child(found.tokens, base(found.tokens, "conj"))
    several = found.of("modifying") & conjunct[found.pairs.target]
    return conjunct[found.pairs.controller] | several


def quantified(found: Candidates) -> Flags:
    """Find controllers that are counted, or that are nouns of quantity or of groups.

    Among subjects, these are nouns with a numeral, nouns of quantity with a complement (*a number
    of cats*), and collectives (*the police*). In every relation, these are nouns whose numeral
    governs their case (Russian *pyat'* with a genitive).
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
    """Find subjects of clauses that are existential (*es gibt*, Hebrew *yesh*) or have an
    expletive.

    Where the language lists ``dummy`` subjects, an existential verb counts only with one of these.
    """
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
    """Find subjects in a case in which verbs do not agree with them.

    Examples are the genitive of negation, Finnish partitives, dative subjects, and Hindi ergatives,
    which are marked by a case or by an adposition (*ne*). Some verbs agree with their object if
    they have one (``Language.ergative``): their subjects are found too. Pairs whose target has
    features of a layer (``Number[erg]``) are never found, as the layer tells the case.
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
    """Find participles that do not agree with the subject, as their auxiliary is not *be*.

    *Elles ont mangé* is found, *elles sont parties* is not; reflexive clauses are found too (*elles
    se sont parlé*). Only the name is French: this is for all languages with lemmas in ``be``.
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
    """Find copulas whose predicate is a clause, and all subjects of a predicate with several.

    There the tree does not tell which subject belongs to which verb: *the problem is that the keys
    are lost*.
    """
    tokens = found.tokens
    outer = tokens.deprel.isin("nsubj:outer", "csubj:outer")
    verb = tokens.upos.isin("VERB") & with_value(tokens, "VerbForm", "Fin")
    inner = np.flatnonzero(base(tokens, "nsubj", "csubj") & ~outer & (tokens.head >= 0))
    several = np.bincount(tokens.head[inner], minlength=len(tokens)) > 1
    clause = has_child(tokens, outer) | verb
    return found.of("copula") & clause[found.clause] | found.subject & several[found.clause]


def apart(found: Candidates) -> Flags:
    """Find determiners, adjectives and possessors with a finite verb between them and their noun.

    Such a word may stand by itself, or the tree may be wrong: Russian *odin* (one) may mean one of
    the things named before.
    """
    tokens = found.tokens
    verb = tokens.upos.isin("VERB", "AUX") & finite_words(tokens)
    count = np.cumsum(np.append(0, verb))
    low, high = np.sort([found.pairs.target, found.pairs.controller], axis=0)
    between: Flags = count[high] > count[low + 1]
    return found.of("determiner", "modifying", "possessor") & between


def local(found: Candidates) -> Flags:
    """Find predicative adjectives in a local case, used as adverbs: Finnish *raja on korkealla*."""
    return found.of("predicated") & with_value(found.tokens, "Case", *_LOCAL)[found.pairs.target]


def frozen(found: Candidates) -> Flags:
    """Find the pronoun in a fixed remark of pronoun and adjective: Polish *co ważniejsze*."""
    tokens = found.tokens
    remark = base(tokens, "parataxis", "discourse", "advcl", "appos") & tokens.upos.isin("ADJ")
    remark &= ~has_child(tokens, base(tokens, "cop", "aux"))
    pronoun = tokens.upos.isin("PRON") & with_value(tokens, "PronType", "Int", "Rel")
    return found.subject & remark[found.clause] & pronoun[found.pairs.controller]


def nonfinite(found: Candidates) -> Flags:
    """Find verbs that are not finite: the auxiliary agrees instead (*the cats have slept*)."""
    tokens, language = found.tokens, found.language
    carrier = with_value(tokens, "VerbForm", *language.verbforms) | finite_words(tokens)
    if not language.grammar or language.code in ("fa", "hi", "ur"):
        # Without a reference grammar the rules come from a profile, which may name a form that does
        # not agree where an auxiliary does: in Uyghur *körgen bolsa* the person is on *bolsa*.
        # Participles of Hindi and Urdu are left out beside such an auxiliary, too, and what follows
        # Persian *xāhad*, an infinitive that is annotated as finite.
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
"""The filters of candidates by name, in the order in which they run."""


HABIT = 2 / 3
"""The least share of sentences, or of nouns, that makes a way of writing a treebank's habit."""

_FINAL = ".!?…‽⸮\u0589。！？｡．︒؟۔।॥᥄៖។៕၊။።፧፨៚᠃᠉᙮\u037e꓿꘎꘏𑁇𑁈॰׃"
_CLOSING = "\"'»«”“’‘‹›)\\]}〉》」』】〕״\\s*_"
_OPENING = "\"'«»“”„‟‘’‚‹›(\\[{〈《「『【〔״¿¡\\s\\-–—―•·*_"
_ENDED = re.compile(
    rf"[{_FINAL}][{_CLOSING}]*$|[\u0530-\u058f][{_CLOSING}]*:$"
    rf"|[\u0370-\u03ff\u1f00-\u1fff][{_CLOSING}]*;$"
)
_GREEK_OR_ARMENIAN = re.compile(r"[\u0370-\u03ff\u0530-\u058f]$")
_AFTER_OPENING = re.compile(rf"[^{_OPENING}]")
_NEVER_FIRST = frozenset(",.;:!?…)]}%&/+=،؛؟。、，．")
"""Marks that no sentence begins with."""
_MARKUP = re.compile(
    r"``|''|&(?:#\d+|#x[0-9a-fA-F]+|\w{2,8});|</?\w[^<>]*>|https?:|www\.|\(\s*\)"
    r"|(?:^|\s)[#@]\w|\\\w|\ufffd|[^\W\d_]_[^\W\d_]|\w\u00a0\w|[?!]\.(?:\s|$)"
)
_SLASH = re.compile(r"[^\W\d_A-Z][.,;:!?]?\s//?\s[^\W\d_]")
"""A slash with blanks around it, as verse has it between lines that are printed in one line."""
_INNER = re.compile(r'(?<=\w)"(?=\w\b)|(?<=\w)״(?=\w)')
"""A quotation mark inside a word, as in Hebrew abbreviations: it has no other half."""
_PAIRED = ("()", "[]", "{}", "「」", "『』", "《》", "【】", "〈〉", "〔〕", "‹›")
_EVEN = ('"', "«»", "“”„‟")
_FUNCTION_WORDS = ("ADP", "CCONJ", "SCONJ", "PART", "ADV")
_PAUSE = ",;，،"


def unfinished(text: str, language: Language) -> bool:
    """Return whether a text lacks a mark at its end: ``. ! ? …`` or one of its script."""
    return language.marks and not _ENDED.search(text)


def cut(text: str, language: Language) -> bool:
    """Return whether a text lacks its beginning: it starts with a small letter, or with a mark
    that no sentence begins with."""
    if text.lstrip()[:1] in _NEVER_FIRST:
        return True
    found = _AFTER_OPENING.search(text)
    if language.capitals == "none" or not found:
        return False
    first = text[found.start() : found.start() + 2]
    # A single letter after an apostrophe is a short word: Dutch *'s avonds*.
    elided = text[: found.start()].endswith(("'", "’")) and not first[1:].isalpha()
    # Names may have their capital in the second place: *iPhone*.
    return first[:1].islower() and not first[1:].isupper() and not elided


def unbalanced(text: str, language: Language) -> bool:
    """Return whether a text has a bracket or a quotation mark without its other half."""
    text = _INNER.sub("", text)
    if any(text.count(pair[0]) != text.count(pair[1]) for pair in _PAIRED):
        return True
    return any(sum(map(text.count, marks)) % 2 for marks in _EVEN)


def markup(text: str, language: Language) -> bool:
    """Return whether a text has markup: quotation marks of TeX, entities, tags, addresses, empty
    brackets, hash tags or control sequences; words joined by ``_`` or by a hard blank, or a
    full stop behind another mark."""
    return bool(_MARKUP.search(text))


_OF_TEXT = (unfinished, cut, unbalanced, markup)
FLAWS = (*(test.__name__ for test in _OF_TEXT), "misfit", "spaced", "doubled", "heading", "verse")
"""The filters of whole texts by name, in their order: a text with such a flaw is not a sentence."""


def flaws_of(tokens: Tokens, language: Language, wanted: Flags) -> dict[str, Flags]:
    """Return for each of :data:`FLAWS` flags of the sentences that have it.

    Only sentences whose flag in ``wanted`` is set are looked at; the others have no flaw.
    """
    rows = np.flatnonzero(wanted)
    texts = texts_of(tokens, wanted)[0][rows].texts()
    found = {name: np.zeros(len(wanted), bool) for name in FLAWS}
    for test in _OF_TEXT:
        found[test.__name__][rows] = [test(text, language) for text in texts]
    given = [tokens.sentences.said[row].get("text", "") for row in rows.tolist()]
    found["misfit"][rows] = [
        bool(own) and own != text for own, text in zip(given, texts, strict=True)
    ]
    for name, words in (("spaced", spaced(tokens)), ("doubled", doubled(tokens))):
        found[name] |= (_number(tokens, words) > 0) & wanted
    found["heading"] |= _headings(tokens) & wanted
    # In one text, two slashes or two capitals are verse; one may be something else.
    if language.marks:
        found["verse"][rows] = [len(_SLASH.findall(text)) > 1 for text in texts]
    if language.capitals != "none":
        found["verse"] |= (_capitals_within(tokens) > 1) & wanted
    return found


def spaced(tokens: Tokens) -> Flags:
    """Return flags of hyphens with blanks around them between two parts of a word: *sul - coreano*.

    One part depends on the other, and is neither an apposition nor a clause of its own; or both
    have one relation to one word.
    """
    out = np.zeros(len(tokens), bool)
    rows = np.flatnonzero(tokens.forms.isin("-")[:-1])
    rows = rows[(tokens.number[rows] > 1) & (tokens.number[rows + 1] > 1)]
    before, after, written = rows - 1, rows + 1, tokens.written
    part = ~base(tokens, "appos", "parataxis", "conj", "list", "root", "punct")
    linked = part[before] & (tokens.head[before] == after)
    linked |= part[after] & (tokens.head[after] == before)
    beside = tokens.head[before] == tokens.head[after]
    linked |= part[after] & beside & (tokens.deprel.codes[before] == tokens.deprel.codes[after])
    out[rows] = linked & tokens.spaced[written[before]] & tokens.spaced[written[rows]]
    return out


def doubled(tokens: Tokens) -> Flags:
    """Return flags of words that are written twice: adpositions, determiners, conjunctions,
    auxiliaries, finite verbs. Words of other kinds may be repeated to say more: *very very*."""
    low = tokens.forms.table(str.casefold, object)
    kind = tokens.upos.isin("ADP", "DET", "CCONJ", "SCONJ", "AUX")
    kind |= tokens.upos.isin("VERB") & finite_words(tokens)
    same = (low[1:] == low[:-1]) & (tokens.upos.codes[1:] == tokens.upos.codes[:-1])
    return np.append(False, same & (tokens.number[1:] > 1)) & kind


def _number(tokens: Tokens, words: Flags | Ints) -> Ints:
    """Return for each sentence how many of the words (flags or rows) are in it."""
    return np.bincount(tokens.sentence[words], minlength=len(tokens.sentences))


def _headings(tokens: Tokens) -> Flags:
    """Find texts without a main clause: headings, entries of lists.

    One kind has no clause at all: no subject, expletive, copula or auxiliary, no finite verb, and
    no verb as root. In the other kind the root is a noun without any of these below it, whose only
    clause is a relative clause, say: *Die Katzen, die schliefen.*
    """
    verb, root = tokens.upos.isin("VERB", "AUX"), tokens.head < 0
    clause = base(tokens, "nsubj", "csubj", "expl", "cop", "aux")
    no_clause: Flags = _number(tokens, clause | verb & (finite_words(tokens) | root)) == 0
    clause |= verb & base(tokens, "parataxis", "conj", "ccomp", "xcomp", "advcl")
    noun = tokens.upos.isin("NOUN", "PROPN", "PRON", "NUM") & ~has_child(tokens, clause)
    return no_clause | (_number(tokens, root & noun) > 0)


def _capitals_within(tokens: Tokens) -> Ints:
    """Count, for each sentence, function words and adverbs with a capital inside the sentence.

    They begin lines of verse. Words after a mark that is not a comma or a semicolon are not
    counted: a quoted sentence may begin there.
    """
    titled = tokens.forms.table(lambda form: form[:1].isupper() and not form[1:].isupper(), bool)
    rows = np.flatnonzero(titled & (tokens.number > 1) & tokens.upos.isin(*_FUNCTION_WORDS))
    mark = tokens.upos.isin("PUNCT", "SYM") & ~tokens.forms.isin(*_PAUSE)
    return _number(tokens, rows[~mark[rows - 1]])


def count_habits(tokens: Tokens) -> Counter[str]:
    """Count what tells the habits of writing and annotation in a chunk.

    ``marked``: sentences that end with a mark; ``cased``: sentences whose first letter is large or
    small; ``capital``: those in which it is large; ``nouns``: nouns inside sentences that begin
    with a letter, large or small; ``capital_nouns``: those that begin with a large one; the
    ``misfits`` of :class:`~solecism.treebank.conllu.Sentences`; how many hyphens are
    :func:`spaced` and how many words :func:`doubled`.
    """
    sentences, forms = tokens.sentences, tokens.forms
    last, first = sentences.end - 1, sentences.start
    final = forms.table(lambda form: bool(_ENDED.search(form)) or form in ":;", bool)
    closing = forms.table(lambda form: len(form) == 1 and not form.isalnum(), bool)
    last = np.where(closing[last] & ~final[last] & (last > first), last - 1, last)
    # A semicolon is the Greek question mark, a colon the Armenian full stop. Elsewhere they do not
    # end a sentence.
    ends_with_them = forms.table(lambda form: bool(_GREEK_OR_ARMENIAN.search(form)), bool)
    colon = forms.isin(":", ";")[last] & ~ends_with_them[last - 1]
    upper = forms.table(lambda form: form[:1].isupper(), bool)
    cased = upper | forms.table(lambda form: form[:1].islower(), bool)
    noun = tokens.upos.isin("NOUN") & (tokens.number > 1) & cased
    return Counter(
        sentences=len(sentences), marked=int((final[last] & ~colon).sum()),
        cased=int(cased[first].sum()), capital=int(upper[first].sum()),
        nouns=int(noun.sum()), capital_nouns=int((noun & upper).sum()), misfits=sentences.misfits,
        spaced=int(spaced(tokens).sum()), doubled=int(doubled(tokens).sum()),
    )  # fmt: skip


def marks_by(habits: Mapping[str, int]) -> bool:
    """Return whether sentences usually end with a mark."""
    return habits["marked"] >= HABIT * habits["sentences"]


def capitals_by(habits: Mapping[str, int]) -> str:
    """Return what usually has a capital: ``none``, ``start`` (of sentences) or ``nouns`` too."""
    if habits["capital"] < HABIT * habits["cased"]:
        return "none"
    nouns = habits["nouns"] and habits["capital_nouns"] >= HABIT * habits["nouns"]
    return "nouns" if nouns else "start"
