"""Doubts about wrong forms in languages for which nobody wrote down rules (``pairs.toml``).

What a reader of such a language would know is not known here: which words have a second reading,
which arguments may be dropped, what is not annotated. So whatever might make the wrong sentence
right, or wrong for another reason, speaks against a form. The rules answer what blind readers of
thirty languages found (docs/mining.md).
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from solecism.treebank.candidates import is_finite
from solecism.treebank.feature_bits import AGREEMENT, bundle
from solecism.treebank.forms import AGREEING, Bundle, LanguageForms, ParadigmCell, alike
from solecism.treebank.languages import words_of

__all__ = ["LIKE", "between_ends", "doubt_of_form", "doubt_of_item", "likeness"]

Item = dict[str, Any]

LIKE = 0.6
"""Forms that share less of the shorter one differ in more than a feature, or are of two stems."""

_CASES = frozenset({"Nom", "Acc"})
_PAUSE = re.compile(r"[,;:()\[\]\u2013\u2014«»“”„\"…/]|\s-\s")
_NOMINAL = ("determiner", "modifying")
_FAMILY = {"NOUN": ("NOUN",), "ADJ": ("ADJ", "DET"), "DET": ("DET", "ADJ", "PRON"),
           "VERB": ("VERB", "AUX"), "AUX": ("AUX", "VERB")}  # fmt: skip


def likeness(form: str, answer: str) -> float:
    """Return how alike two forms are: what is not annotated shows in the form (eu. *zuenez*).

    >>> likeness("ziren", "zen")
    0.75
    """
    return SequenceMatcher(None, form.casefold(), answer.casefold(), autojunk=False).ratio()


def doubt_of_item(item: Item, forms: LanguageForms) -> str:
    """Return why a sentence may be right with another form of the target, or an empty text."""
    words = words_of(item["text"])
    form = item["controller"]["form"]
    if words.count(form) > 1:
        return "the controller stands twice"
    if item["relation"] in _NOMINAL:
        return ""
    between = between_ends(item)
    if between is None or _PAUSE.search(between):
        return "a pause between the ends"
    finite = item["upos"] == "AUX"  # its own verb may stand there: eu. etorri da
    if any(_is_verb(word, forms, finite) for word in words_of(between)):
        return "another verb between the ends"
    return "" if item["relation"] == "possessor" else _case_doubt(item, forms)


def between_ends(item: Item) -> str | None:
    """Return the text between the two ends, None where the controller is not found."""
    word = _as_word(item["controller"]["form"])
    if item["controller"]["index"] < item["target"]["index"]:
        left = item["left"] or ""
        ends = [found.end() for found in word.finditer(left)]
        return left[ends[-1] :] if ends else None
    right = item["right"] or ""
    found = word.search(right)
    return right[: found.start()] if found else None


@lru_cache(maxsize=1 << 12)  # asked for each form that might be wrong
def _as_word(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(form)}(?!\w)")


def _is_verb(word: str, forms: LanguageForms, finite: bool) -> bool:
    readings = forms.paradigms.readings
    verbs = readings(word, "VERB", "AUX")
    if finite:
        verbs = [verb for verb in verbs if is_finite(verb)]
    return bool(verbs) and not readings(word, "NOUN", "PRON", "ADJ")


def _case_doubt(item: Item, forms: LanguageForms) -> str:
    """A noun that shows no case may be read as another argument, where one may be dropped."""
    end = item["controller"]
    feats = bundle(end["feats"] or "_")
    if "PronType" in feats:
        return "" if feats["PronType"] == {"Prs"} else "a pronoun that may be a determiner"
    if "Case" not in feats:
        return "a noun without case may be another argument"
    readings = forms.paradigms.readings(end["form"], "NOUN")
    cases = {case for reading in readings for case in reading.get("Case", ())}
    return "" if cases <= feats["Case"] else "the noun has the form of another case too"


def doubt_of_form(item: Item, feature: str, cell: ParadigmCell, forms: LanguageForms) -> str:
    """Return why a form may be right, or wrong for another reason, or an empty text."""
    ours, theirs = bundle(item["feats"] or "_"), bundle(cell.feats)
    if not _one_change(cell.form.casefold(), item["answer"].casefold()):
        return "too unlike the right form"
    if {n for n in set(ours) ^ set(theirs) if n not in AGREEMENT}:
        return "differs in more"
    if doubt := _doubt_of_value(item, feature, theirs):
        return doubt
    if _elsewhere(item, cell.form, forms):
        return "right as another word"
    if item["relation"] in _NOMINAL and _fits_between(item, cell, forms):
        return "another noun would license it"
    return ""


def _doubt_of_value(item: Item, feature: str, theirs: Bundle) -> str:
    controller = bundle(item["controller"]["feats"] or "_")
    if feature == "Case" and not theirs["Case"] <= _CASES:
        return "a case in which it may stand alone"
    if feature == "Gender" and theirs["Gender"] & {"Neut"}:
        return "a neuter may stand alone"
    if feature == "Person" and "PronType" not in controller:
        return "a noun may be addressed, or in apposition"
    if feature == "Person" and "2" in controller.get("Person", ()):
        return "a pronoun may be an address"
    return ""


def _one_change(form: str, answer: str) -> bool:
    """Return whether two forms differ in one place, and are alike in most of the shorter one."""
    shorter = min(len(form), len(answer))
    before = _shared(form, answer)
    after = _shared(form[before:][::-1], answer[before:][::-1])
    return shorter > 1 and before + after >= LIKE * shorter


def _shared(a: str, b: str) -> int:
    """Return how many letters two texts begin with alike."""
    return next(
        (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(map(len, (a, b)))
    )


def _elsewhere(item: Item, form: str, forms: LanguageForms) -> bool:
    """Return whether a form is attested as a word of another kind."""
    low = form.casefold()
    others = [part for part in AGREEING if part not in _FAMILY.get(item["upos"], ())]
    return low in forms.besides or bool(forms.paradigms.readings(low, *others))


def _fits_between(item: Item, cell: ParadigmCell, forms: LanguageForms) -> bool:
    """Return whether a noun beside the target, or before its own, goes with the form."""
    readings = forms.paradigms.readings
    if any(readings(word, "NOUN") for word in words_of(between_ends(item) or "")):
        return True  # a small treebank does not show what else the form can be
    near = words_of(item["left"] or "")[-1:] + words_of(item["right"] or "")[:1]
    nouns = [
        n for word in near if word != item["controller"]["form"] for n in readings(word, "NOUN")
    ]
    ours = [*readings(cell.form, *_FAMILY.get(item["upos"], ())), bundle(cell.feats)]
    return any(alike(r, n, ("Number", "Gender", "Case")) for r in ours for n in nouns)
