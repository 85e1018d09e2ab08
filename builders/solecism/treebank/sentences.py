"""Sentences that are none: fragments, headings, verse and broken texts.

They are not applicable, as the guide of RuBLiMP's annotators has it (Taktasheva et al. 2024). Each
test has a name, under which ``strict`` counts the pairs that it removes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from solecism.treebank.candidates import base, finite_words, has_child
from solecism.treebank.cloze import texts_of
from solecism.treebank.conllu import Flags, Ints, Tokens
from solecism.treebank.languages import Language

__all__ = ["FLAWS", "HABIT", "capitals_by", "count_habits", "flaws_of", "marks_by"]

HABIT = 2 / 3
"""The share of sentences, or of nouns, from which on a treebank is said to do something."""

_FINAL = ".!?…‽⸮\u0589。！？｡．︒؟۔।॥᥄៖។៕၊။።፧፨៚᠃᠉᙮\u037e꓿꘎꘏𑁇𑁈॰׃"
_CLOSING = "\"'»«”“’‘‹›)\\]}〉》」』】〕״\\s*_"
_OPENING = "\"'«»“”„‟‘’‚‹›(\\[{〈《「『【〔״¿¡\\s\\-–—―•·*_"
_ENDED = re.compile(
    rf"[{_FINAL}][{_CLOSING}]*$|[\u0530-\u058f][{_CLOSING}]*:$"
    rf"|[\u0370-\u03ff\u1f00-\u1fff][{_CLOSING}]*;$"
)
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
_PAUSE = frozenset(",;，،")


def _unfinished(text: str, language: Language) -> bool:
    """No mark ends it: ``. ! ? …`` or one of its script."""
    return language.marks and not _ENDED.search(text)


def _cut(text: str, language: Language) -> bool:
    """Its beginning is missing: it starts with a small letter, a comma, a closing mark."""
    if text.lstrip()[:1] in _BROKEN_OFF:
        return True
    found = _AFTER_OPENING.search(text)
    if language.capitals == "none" or not found:
        return False
    first = text[found.start() : found.start() + 2]
    elided = text[: found.start()].endswith(("'", "’")) and not first[1:].isalpha()
    return first[:1].islower() and not first[1:].isupper() and not elided


def _unbalanced(text: str, language: Language) -> bool:
    """A bracket or a quotation mark has no other half."""
    text = _INNER.sub("", text)
    if any(text.count(pair[0]) != text.count(pair[1]) for pair in _PAIRED):
        return True
    return any(sum(map(text.count, marks)) % 2 for marks in _EVEN)


def _markup(text: str, language: Language) -> bool:
    """It has quotation marks of TeX, entities, tags, addresses, or empty brackets."""
    return bool(_MARKUP.search(text))


def _slashed(text: str, language: Language) -> bool:
    return language.marks and len(_SLASH.findall(text)) > 1


class _Judged(NamedTuple):
    tokens: Tokens
    language: Language
    rows: Ints
    texts: list[str]

    def by_text(self, test: Callable[[str, Language], bool]) -> Flags:
        flags = np.zeros(len(self.tokens.sentences), bool)
        flags[self.rows] = [test(text, self.language) for text in self.texts]
        return flags

    def number(self, words: Flags) -> Ints:
        """Return how many of some words every sentence has."""
        size = len(self.tokens.sentences)
        return np.bincount(self.tokens.sentence[words], minlength=size)


def _of_text(test: Callable[[str, Language], bool]) -> Callable[[_Judged], Flags]:
    return lambda given: given.by_text(test)


def _heading(given: _Judged) -> Flags:
    """Find sentences without a finite verb, a subject or a verb as root: headings, entries.

    So are nouns whose only clauses stand below them: *Die Katzen, die schliefen.*
    """
    tokens = given.tokens
    verb = tokens.upos.isin("VERB", "AUX")
    clause = base(tokens, "nsubj", "csubj", "expl", "cop", "aux")
    none: Flags = given.number(clause | verb & (finite_words(tokens) | (tokens.head < 0))) == 0
    root = tokens.head < 0
    beside = clause | verb & base(tokens, "parataxis", "conj", "ccomp", "xcomp", "advcl")
    noun = tokens.upos.isin("NOUN", "PROPN", "PRON", "NUM") & ~has_child(tokens, beside)
    return none | (given.number(root & noun) > 0)


def _verse(given: _Judged) -> Flags:
    """Find verse: lines parted by slashes, or small words with a capital within a sentence."""
    slashed = given.by_text(_slashed)
    if given.language.capitals == "none":
        return slashed
    tokens = given.tokens
    inner = np.flatnonzero((tokens.number > 1) & tokens.upos.isin(*_SMALL))
    titled = tokens.forms.table(_is_titled, bool)
    inner = inner[titled[inner]]
    mark = tokens.upos.isin("PUNCT", "SYM")
    pause = tokens.forms.isin(*_PAUSE)
    inner = inner[~mark[inner - 1] | pause[inner - 1]]
    lines = np.zeros(len(tokens), bool)
    lines[inner] = True
    return slashed | (given.number(lines) > 1)


def _is_titled(form: str) -> bool:
    return form[:1].isupper() and not form[1:].isupper()


FLAWS: Mapping[str, Callable[[_Judged], Flags]] = {
    "unfinished": _of_text(_unfinished),
    "cut": _of_text(_cut),
    "unbalanced": _of_text(_unbalanced),
    "markup": _of_text(_markup),
    "heading": _heading,
    "verse": _verse,
}
"""What makes a sentence none, in the order in which it is looked for."""


def flaws_of(tokens: Tokens, language: Language, wanted: Flags) -> dict[str, Flags]:
    """Return for each of :data:`FLAWS` which sentences have it; only those wanted are looked at."""
    rows = np.flatnonzero(wanted)
    given = _Judged(tokens, language, rows, texts_of(tokens, wanted)[0][rows].texts())
    return {name: test(given) & wanted for name, test in FLAWS.items()}


def count_habits(tokens: Tokens) -> Counter[str]:
    """Count in a chunk how sentences begin and end, and which nouns have a capital."""
    sentences, forms = tokens.sentences, tokens.forms
    last, first = sentences.end - 1, sentences.start
    final = forms.table(lambda form: bool(_ENDED.search(form)) or form in ":;", bool)
    closing = forms.table(lambda form: len(form) == 1 and not form.isalnum(), bool)
    last = np.where(closing[last] & ~final[last] & (last > first), last - 1, last)
    colon = forms.isin(":", ";")[last] & ~forms.table(_is_armenian_or_greek, bool)[last - 1]
    upper = forms.table(lambda form: form[:1].isupper(), bool)
    cased = upper | forms.table(lambda form: form[:1].islower(), bool)
    noun = tokens.upos.isin("NOUN") & (tokens.number > 1) & cased
    return Counter(
        sentences=len(sentences), marked=int((final[last] & ~colon).sum()),
        cased=int(cased[first].sum()), capital=int(upper[first].sum()),
        nouns=int(noun.sum()), names=int((noun & upper).sum()),
    )  # fmt: skip


def _is_armenian_or_greek(form: str) -> bool:
    return "\u0370" <= form[-1:] <= "\u03ff" or "\u0530" <= form[-1:] <= "\u058f"


def marks_by(habits: Mapping[str, int]) -> bool:
    """Return whether sentences end with a mark."""
    return habits["marked"] >= HABIT * habits["sentences"]


def capitals_by(habits: Mapping[str, int]) -> str:
    """Return what is written with a capital: ``none``, ``start`` (of sentences) or ``nouns``."""
    if habits["capital"] < HABIT * habits["cased"]:
        return "none"
    nouns = habits["nouns"] and habits["names"] >= HABIT * habits["nouns"]
    return "nouns" if nouns else "start"
