"""The wrong form for a mined item: one feature changed, and surely wrong where it stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import regex

from solecism.treebank.doubts import between_ends, doubt_of_form, doubt_of_item, likeness
from solecism.treebank.feature_bits import AGREEMENT, bundle, layered
from solecism.treebank.forms import Bundle, LanguageForms, ParadigmCell, WordForm, alike
from solecism.treebank.languages import PairRules, words_of

__all__ = ["WrongForm", "WrongForms"]

Item = dict[str, Any]

_NOMINAL = ("determiner", "modifying")
_FAMILY = {
    "determiner": ("DET", "ADJ"),
    "modifying": ("ADJ", "VERB", "DET"),
    "predicated": ("ADJ", "VERB"),
    "verb": ("VERB", "AUX"),
    "object": ("VERB", "AUX"),
    "indirect_object": ("VERB", "AUX"),
    "possessor": ("NOUN",),
}
"""As which parts of speech a form could be right in the place of a target."""
_OF_PHRASE = ("Number", "Gender", "Case", "Animacy")
_OF_CLAUSE = ("Number", "Gender", "Person")
_LETTERS = r"[\p{L}\p{M}\u200c\u200d]+"
_PLAIN = regex.compile(rf"{_LETTERS}(?:[-\u05be\u2010]{_LETTERS})*")
_CLAUSE = re.compile(r"[,;:.!?()«»“”„\"\u2013\u2014]")
_AMOUNT = re.compile(r"[\d%€$£]")
_NEAR = 8
_WIDTH = 40
_THIRD = frozenset({"3"})
_DOUBTED = "readers of the language doubted such pairs"
_PREDICATIVE = frozenset({"Ess", "Tra"})
_ASKING = frozenset({"Int", "Rel", "Ind", "Tot", "Neg"})
_SCRIPTS = tuple(
    regex.compile(rf"\p{{{name}}}") for name in ("Latin", "Cyrillic", "Greek", "Armenian")
)


@dataclass(frozen=True)
class WrongForm:
    """A wrong form for an item's target: the feature in which it is wrong and its value there.

    ``source``: who has it; ``frequency``: how often the treebanks do.
    """

    feature: str
    form: str
    source: str
    value: str
    frequency: int


@dataclass(frozen=True)
class WrongForms:
    """A maker of wrong forms for a language; ``skipped`` counts those in doubt, by reason.

    ``mixed``: relations and features in which the treebanks themselves often disagree.
    """

    rules: PairRules
    forms: LanguageForms
    mixed: frozenset[tuple[str, str]] = frozenset()
    skipped: Counter[str] = field(default_factory=Counter)

    def of_item(self, item: Item) -> Iterator[WrongForm]:
        """Yield a wrong form for each feature in which the item agrees, if one is beyond doubt.

        ``item`` is a row of :data:`solecism.schema.CLOZE` whose target is masked.
        """
        reason = self._unfit(item)
        if reason:
            self.skipped[reason] += 1
            return
        for feature in item["agrees_in"]:
            if (item["relation"], feature) in self.mixed:
                self.skipped["the treebank itself mixes it"] += 1
                continue
            found = self._best_form(item, feature)
            if isinstance(found, WrongForm):
                yield found
            else:
                self.skipped[found] += 1

    def _unfit(self, item: Item) -> str:
        """Return why an item can make no pair at all, or an empty text."""
        if not _PLAIN.fullmatch(item["answer"]):
            return "not one plain word"
        if item["polite"]:
            return "polite"
        target_first = item["target"]["index"] < item["controller"]["index"]
        if item["relation"] in self.rules.doubted:
            return _DOUBTED
        if item["relation"] not in _NOMINAL and target_first and self.rules.drops:
            return "subject may be dropped"
        return doubt_of_item(item, self.forms) if self.rules.careful else ""

    def _best_form(self, item: Item, feature: str) -> WrongForm | str:
        """Return the most frequent wrong form in a feature, or why there is none."""
        word = WordForm(item["answer"], item["lemma"], item["upos"], item["feats"] or "_")
        cells = self.forms.paradigms.others(word, layered(feature, item["layer"] or ""))
        if not cells:
            return "no other form"
        if self.rules.careful:  # if the form most like it is in doubt, none is taken
            cells = [max(cells, key=lambda cell: likeness(cell.form, item["answer"]))]
        if reason := self._doubtful(item, feature):
            return reason
        reasons = [self._wrong(item, feature, cell) for cell in cells]
        good = (cell for cell, reason in zip(cells, reasons, strict=True) if not reason)
        best = next(good, None)
        if best is None:
            return reasons[0]
        sources = sorted({cell.source for cell in cells if cell.form == best.form})
        value = ",".join(sorted(bundle(best.feats)[layered(feature, item["layer"] or "")]))
        source = sources[0] if len(sources) == 1 else "both"
        frequency = self.forms.frequency(best.form)
        return WrongForm(feature, _capital(best.form, item["answer"]), source, value, frequency)

    def _doubtful(self, item: Item, feature: str) -> str:
        """Return why a value of the controller does not bind the target, or an empty text."""
        end = item["controller"]
        if item["relation"] not in _NOMINAL and (reason := _doubtful_pronoun(end, feature)):
            return reason
        names = {(end["lemma"] or "").casefold(), end["form"].casefold()}
        if feature == "Number" and names & self.rules.unsure_nouns:
            return "number may follow meaning"
        if end["form"].endswith(("'", "’")):
            return "elided controller"
        if feature == "Number" and not self._number_sure(end):
            return "noun may be of either number"
        if feature == "Number" and self.rules.honours and item["relation"] not in _NOMINAL:
            return "a plural verb may honour one person"
        if feature == "Person":
            return self._doubtful_person(end)
        if feature == "Gender" and not self._gender_sure(end):
            return "noun may be of either gender"
        return ""

    def _doubtful_person(self, end: Item) -> str:
        feats = bundle(end["feats"] or "_")
        if "PronType" in feats:
            return ""
        if "Sing" not in feats.get("Number", ()):  # las mujeres trabajamos
            return "a plural noun may stand for us or you"
        readings = self.forms.paradigms.readings(end["form"], "NOUN")
        accusative = any("Acc" in reading.get("Case", ("Acc",)) for reading in readings)
        if self.rules.drops and self.rules.free and accusative:  # pl. projekt
            return "a noun may be the object of a dropped subject"
        return ""

    def _number_sure(self, end: Item) -> bool:
        feats = bundle(end["feats"] or "_")
        kinds = feats.get("PronType", frozenset())
        if kinds - _ASKING or (not kinds and self.rules.varies(end["form"])):
            return True
        parts = ("PRON", "DET") if kinds else ("NOUN",)  # who is of either number, which is not
        words = (WordForm(end["form"], end["lemma"] or "", p, end["feats"] or "_") for p in parts)
        return any("Number" in self.forms.contrasts(word) for word in words)

    def _gender_sure(self, end: Item) -> bool:
        feats = bundle(end["feats"] or "_")
        genders = feats.get("Gender", frozenset())
        if "PronType" in feats:
            return True
        if end["lemma"] and end["lemma"].casefold() in {w.casefold() for w in self.rules.double}:
            return False
        if feats.get("Animacy") in (frozenset({"Inan"}), frozenset({"Nhum"})):
            return True
        if not self.rules.sure:
            return self.forms.has_one_gender(end["lemma"] or "")
        return any(self.rules.is_sure(g, end["form"], end["lemma"] or "") for g in genders)

    def _wrong(self, item: Item, feature: str, cell: ParadigmCell) -> str:
        """Return why a form may be right after all in the place of the target, or an empty text."""
        ours = _of_layer(item, bundle(item["feats"] or "_"))
        theirs = _of_layer(item, bundle(cell.feats))
        controller = bundle(item["controller"]["feats"] or "_")
        if reason := self._doubtful_form(item, feature, cell):
            return reason
        others = (n for n in AGREEMENT if n != feature and n in ours and n in theirs)
        narrower = [n for n in others if not ours[n] <= theirs[n]]
        if not alike(theirs, controller, [*narrower, *(n for n in theirs if n not in ours)]):
            return "differs in more"
        if self.rules.careful and (doubt := doubt_of_form(item, feature, cell, self.forms)):
            return doubt
        left, right = item["left"] or "", item["right"] or ""
        if not self.rules.joins(left, item["answer"], cell.form, right, item["upos"] == "DET"):
            return "spelling of neighbours"
        readings = self._readings(item, cell)
        if any(self._agree(item, r, c) for r in readings for c in self._controllers(item)):
            return "right by another reading"
        if self._irrealis(item, feature, cell):
            return "subjunctive"
        if self._licensed(item, readings, cell):
            return "another noun would license it"
        return ""

    def _doubtful_form(self, item: Item, feature: str, cell: ParadigmCell) -> str:
        """Return why a form is none to take in any language, or an empty text."""
        if not _PLAIN.fullmatch(cell.form):
            return "not one plain word"
        if sum(bool(script.search(cell.form)) for script in _SCRIPTS) > 1:
            return "letters of two scripts"
        if self._doubted(item, feature, cell):
            return _DOUBTED
        if item["upos"] not in ("DET", "PRON") and self.forms.paradigms.readings(cell.form, "PRON"):
            return "right as another word"
        return _doubtful_value(item, feature, cell)

    def _doubted(self, item: Item, feature: str, cell: ParadigmCell) -> bool:
        """Return whether readers doubted changes of this kind (``verb Plur>Sing``)."""
        name = layered(feature, item["layer"] or "")
        values = (
            ",".join(sorted(bundle(f).get(name, ()))) for f in (item["feats"] or "_", cell.feats)
        )
        return f"{item['relation']} {'>'.join(values)}" in self.rules.doubted

    def _readings(self, item: Item, cell: ParadigmCell) -> list[Bundle]:
        """Return all that a form can be in the place of the target, itself included."""
        family = _FAMILY[item["relation"]]
        kind = bundle(item["feats"] or "_").get("VerbForm")
        found = self.forms.paradigms.readings(cell.form, *family)
        same = [r for r in found if kind is None or not r.get("VerbForm") or kind & r["VerbForm"]]
        return [_of_layer(item, reading) for reading in (*same, bundle(cell.feats))]

    def _controllers(self, item: Item) -> list[Bundle]:
        """Return all that the controller's form can be, in a clause only what has its case.

        A noun is third person.
        """
        end = item["controller"]
        own = bundle(end["feats"] or "_")
        if "PronType" in own:
            return [own]
        found = [own, *self.forms.paradigms.readings(end["form"], "NOUN")]
        if item["relation"] not in _NOMINAL:
            found = [r for r in found if alike(own, r, ("Case",))]
        return [{"Person": _THIRD, **reading} for reading in found]

    def _agree(self, item: Item, reading: Bundle, controller: Bundle) -> bool:
        """Return whether a reading of a form may go with one of the controller.

        Within a noun phrase a difference in case counts only where the noun is known to be spelt
        otherwise in the case of the form, and not where any noun may have an attribute in that
        case.
        """
        if item["relation"] not in _NOMINAL:
            return alike(reading, controller, _OF_CLAUSE)
        if self.rules.attributive and reading.get("Case", frozenset()) & {*self.rules.attributive}:
            return True
        if not alike(reading, controller, ("Number", "Gender", "Animacy")):
            return False
        return alike(reading, controller, ("Case",)) or not self._declines(item, reading["Case"])

    def _declines(self, item: Item, case: frozenset[str]) -> bool:
        """Return whether the controller's lemma is known to have another form in a case."""
        end = item["controller"]
        word = WordForm(end["form"], end["lemma"] or "", "NOUN", end["feats"] or "_")
        others = self.forms.paradigms.others(word, "Case")
        return any(case & bundle(other.feats)["Case"] for other in others)

    def _irrealis(self, item: Item, feature: str, cell: ParadigmCell) -> bool:
        """Return whether the form could be a subjunctive here.

        In English that is a bare stem or *were*, elsewhere what has the ending of one of another
        person.
        """
        ending = self.rules.subjunctive
        if feature == "Person" and ending and re.search(ending, cell.form.casefold()):
            return True
        stem = cell.form.casefold() in ((item["lemma"] or "").casefold(), "were")
        before = {word.casefold() for word in words_of(item["left"] or "")}
        return stem and bool(before & set(self.rules.irrealis))

    def _licensed(self, item: Item, readings: list[Bundle], cell: ParadigmCell) -> bool:
        """Return whether another noun of the clause would make the form right."""
        if item["relation"] in _NOMINAL:
            if item["target"]["index"] < item["controller"]["index"]:
                near = words_of(item["left"] or "")[-1:] + words_of(between_ends(item) or "")
                return any(self._could_license(w, readings, _OF_PHRASE) for w in near)
            near = words_of(item["left"] or "")[-_NEAR:]
            if _AMOUNT.search((item["left"] or "")[-_WIDTH:]):
                return True
        elif self.rules.free or item["layer"]:
            before, after = item["left"] or "", item["right"] or ""
            near = words_of(_CLAUSE.split(before)[-1]) + words_of(_CLAUSE.split(after)[0])
        else:
            return False
        others = [word for word in near if word != item["controller"]["form"]]
        names = _OF_PHRASE if item["relation"] in _NOMINAL else _OF_CLAUSE
        return any(self._could_license(word, readings, names) for word in others)

    def _could_license(self, form: str, readings: list[Bundle], names: tuple[str, ...]) -> bool:
        bare = [form]  # a word, and what is left of it without letters written onto the next
        while len(bare) < 4 and len(bare[-1]) > 2 and bare[-1][0] in self.rules.prefixes:
            bare.append(bare[-1][1:])
        readings_of = self.forms.paradigms.readings
        nouns = [noun for name in bare for noun in readings_of(name, "NOUN", "PRON")]
        if names is _OF_CLAUSE:
            straight = {"Case": frozenset({"Nom", "Abs"})}
            nouns = [{"Person": _THIRD, **n} for n in nouns if alike(straight, n)]
        known = readings_of(form, "DET", "ADJ", "VERB", "AUX", "PRON")
        if not nouns and form[:1].isupper() and not known:
            nouns = [{"Number": frozenset({"Sing"}), "Person": _THIRD}]
        return any(alike(r, n, names) for r in readings for n in nouns)


def _doubtful_pronoun(end: Item, feature: str) -> str:
    """Return why a pronoun does not bind the verb or predicate, or an empty text."""
    kinds = bundle(end["feats"] or "_").get("PronType", frozenset())
    if "Dem" in kinds and feature in ("Number", "Gender"):
        return "a demonstrative may go with the predicate"  # ru. это были, de. das sind
    if feature == "Person" and kinds & _ASKING:
        return "who may be of any person"  # ro. cine ești
    return ""


def _doubtful_value(item: Item, feature: str, cell: ParadigmCell) -> str:
    """Return why a value may be right beside any controller, or an empty text."""
    ours, theirs = bundle(item["feats"] or "_"), bundle(cell.feats)
    if feature == "Case" and theirs["Case"] & _PREDICATIVE:
        return "a case in which it may stand alone"  # fi. kolmantena istuva
    if item["relation"] in _NOMINAL:
        return ""
    if feature == "Number" and "Dual" in theirs.get("Number", ()) and "Plur" in ours["Number"]:
        return "a plural noun may stand for two"
    if feature == "Gender" and theirs["Gender"] == {"Neut"} and "Def" in ours.get("Definite", ()):
        return "a neuter may stand alone"  # bg. първото
    return ""


def _of_layer(item: Item, feats: Bundle) -> Bundle:
    """Return a bundle with the features of the item's layer in place of those without one."""
    if not item["layer"]:
        return feats
    layer = {name: feats.get(layered(name, item["layer"])) for name in AGREEMENT}
    others = {name: values for name, values in feats.items() if "[" not in name}
    return {**others, **{name: values for name, values in layer.items() if values}}


def _capital(form: str, answer: str) -> str:
    """Return a form in the capitals of the answer."""
    if answer.isupper() and len(answer) > 1:
        return form.upper()
    return form[:1].upper() + form[1:] if answer[:1].isupper() else form
