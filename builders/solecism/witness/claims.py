"""The forms that a lexicon claims, and what a word list says of them."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from solecism.lexicon.features import Feats, agree
from solecism.lexicon.table import Row, Table
from solecism.witness.sources import WordList, fold
from solecism.works.unimorph import Attested

RATIO = 10
"""A treebank with less than the minimum for a form, and so many times more against it, errs."""

SAME_UPOS = {"VERB": ("VERB", "AUX"), "AUX": ("AUX", "VERB")}
LIKE_UPOS = {"DET": ("DET", "PRON"), "PRON": ("PRON", "DET"), "ADP": ("ADP", "ADV")}
"""Closed classes: sources differ in UPOS and lemma, so the form alone is looked up."""

FREE = frozenset(
    ("Aspect", "Emph", "ExtPos", "HebBinyan", "HebSource", "NumForm", "PronType", "VerbType")
)
DEFAULTS = frozenset(
    ("Degree=Pos", "Definite=Ind", "Mood=Ind", "Person=1,2,3", "Polarity=Pos", "VerbForm=Fin",
     "Voice=Act", "Voice=Mid")
)  # fmt: skip
"""What one source writes and another leaves out: it makes no other bundle of features."""

FINITE = Feats.parse("Mood=Ind|VerbForm=Fin")


class Claim(NamedTuple):
    """A form that a lexicon lists, in a cell of a row of a table."""

    table: Table
    row: Row
    cell: Feats
    form: str

    @property
    def upos(self) -> str:
        """The part of speech; treebanks take prepositions with suffixes for pronouns (Hebrew)."""
        suffixed = self.row.upos == "ADP" and "Person" in self.table.feature_names
        return "PRON" if suffixed else self.row.upos

    def says(self, cell: Feats) -> Feats:
        """Return what a form in a cell of the row expresses.

        An adposition's ``Case`` is what it governs, not its own. A verb with a tense or a person,
        but without a verb form, is finite (Hebrew past), and without a mood in the indicative.
        """
        feats = Feats() if self.upos == "ADP" else self.row.inherent.updated(cell)
        tensed = self.upos in SAME_UPOS and ("Tense" in feats or "Person" in feats)
        finite = tensed and "Fin" in feats.get("VerbForm", "Fin")
        return FINITE.updated(feats) if finite else feats


class Verdict(NamedTuple):
    """How often a source has a form, and what it has instead."""

    times: int = 0
    objection: str = ""


@cache
def skeleton(text: str) -> str:
    """Return the same text for all orthographic variants of a word."""
    plain = fold(text).casefold().replace("ß", "ss").replace("œ", "oe")
    plain = unicodedata.normalize("NFD", plain).replace("\u0302", "")
    return re.sub(r"(?<=[א-ת])[וי]", "", unicodedata.normalize("NFC", plain))


def parts(claim: Claim) -> list[tuple[str, str]]:
    """Return lemma and form of what is looked up: the word, or of several words those that inflect.

    A lemma ``""`` stands for words none of which inflects: they only have to exist. Of a verb with
    a separable prefix (the column ``Prefix``) the verb without it is looked up, as its forms stand.
    """
    if prefix := claim.row.properties.get("Prefix", ""):
        return [(claim.row.shown.removeprefix(prefix), claim.form)]
    if " " not in claim.form:
        return [(claim.row.shown, claim.form)]
    words = claim.form.split(" ")
    lemmas, *forms = (text.split(" ") for text in (claim.row.shown, *claim.row.forms.values()))
    if {len(form) for form in (lemmas, *forms)} != {len(words)}:
        return [("", word) for word in words]
    inflecting = [i for i, each in enumerate(zip(*forms, strict=True)) if len({*each}) > 1]
    return [(lemmas[i], words[i]) for i in inflecting] or [("", word) for word in words]


def judge(source: WordList, claim: Claim) -> Verdict:
    """Ask a source about a form: about each word looked up and each value of the column."""
    verdicts = [
        max(_judge(source, claim, lemma, form), key=lambda v: (v.objection > "", v.times))
        for lemma, form in parts(claim)
    ]
    return min(verdicts, key=lambda v: (not v.objection, v.times))


def _judge(source: WordList, claim: Claim, lemma: str, form: str) -> Iterator[Verdict]:
    """Yield what a source says of a word for each value of the column: ``Person=1,2`` has two."""
    if not lemma:
        yield Verdict(_total(source.by_form.get(fold(form), ())))
        return
    known, same = _look_up(source, claim.upos, lemma, form)
    invariable = len(set(claim.row.forms.values())) <= 1
    feats = claim.says(claim.cell)
    for values in product(*(sorted(values) for _, values in feats.pairs)):
        wanted = Feats.of(dict(zip(feats, values, strict=True)))
        alike = [a for a in same if agree(a.feats, wanted)]
        # Without any of the features it says nothing, but of a word that has one form only.
        named = set() if invariable else set(wanted)
        support = _total(a for a in alike if not named or named & a.feats.keys())
        others = _others(known, wanted, form, claim.upos)
        if support and (support >= source.minimum or _total(others) < RATIO * support):
            yield Verdict(support)
        elif _total(others) >= source.minimum:
            yield Verdict(objection=_list(others))
        elif _at_odds(source, same, claim, form):
            yield Verdict(objection=f"{claim.form} ({min(str(a.feats) for a in same)})")
        else:
            yield Verdict()


def _look_up(
    source: WordList, upos: str, lemma: str, form: str
) -> tuple[list[Attested], list[Attested]]:
    """Return what a source has of a lemma, and of a form (of any lemma if it lacks this one)."""
    upos_too = LIKE_UPOS.get(upos) or SAME_UPOS.get(upos) or (upos,)
    known = [a for a in source.by_lemma.get(fold(lemma), ()) if a.upos in upos_too]
    alike = [a for a in source.by_form.get(fold(form), ()) if a.upos in upos_too]
    if upos in LIKE_UPOS or not known:
        return known, alike
    return known, [a for a in alike if fold(a.lemma) == fold(lemma)]


def _total(found: Iterable[Attested]) -> int:
    return sum(a.times for a in found)


def _others(known: Sequence[Attested], wanted: Feats, form: str, upos: str) -> list[Attested]:
    """Return the other forms that a source has for a lemma and the very same features.

    None where one of them is a variant of the form.
    """
    names = _bundle(wanted, upos)
    asked = names & {name for a in known for name in a.feats}
    if names and not asked:
        return []
    found = [a for a in known if _bundle(a.feats, upos) == asked and agree(a.feats, wanted)]
    others = [a for a in found if fold(a.form) != fold(form)]
    return [] if any(skeleton(a.form) == skeleton(form) for a in others) else others


@cache
def _bundle(feats: Feats, upos: str) -> frozenset[str]:
    """Return the names of the features in which the forms of a word differ."""
    inherent = {"Gender", "Animacy"} if upos in ("NOUN", "PROPN") else set()
    names = frozenset(name for name in feats if f"{name}={feats.text(name)}" not in DEFAULTS)
    return names - FREE - inherent


def _at_odds(source: WordList, same: Sequence[Attested], claim: Claim, form: str) -> bool:
    """Return whether a source has a form only with features that no cell of the row gives it.

    A form that also has a function for which the table has no column says nothing, unless it is
    at odds with a property of the word (Gender).
    """
    if not source.knows_forms or _total(same) < source.minimum:
        return False
    inherent = claim.says(Feats())
    if any(_outside(a.feats, claim) and agree(a.feats, inherent) for a in same):
        return False
    cells = [cell for cell, text in claim.row.forms.items() if form in text.split(" ")] or [Feats()]
    return not any(agree(a.feats, claim.says(cell)) for a in same for cell in cells)


def _outside(feats: Feats, claim: Claim) -> bool:
    table = claim.table
    if _bundle(feats, claim.upos) - {*table.feature_names, *claim.says(claim.cell)}:
        return True
    return any(n in feats and feats[n].isdisjoint(table.values(n)) for n in table.feature_names)


def _list(found: Iterable[Attested]) -> str:
    """Return the most frequent forms, two at most."""
    forms = (form for _, form in sorted((-a.times, a.form) for a in found))
    return ", ".join([*dict.fromkeys(forms)][:2])
