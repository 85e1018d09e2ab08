"""Wrong forms for a mined item: they differ in one feature and are surely wrong in the sentence.

For some languages nobody wrote down which words have a second reading, which arguments may be
dropped and what is not annotated (``careful`` in ``pairs.toml``). There a form is passed over if
anything might make the wrong sentence right, or wrong for another reason. The rules for such
languages follow from what people found in samples of thirty languages (docs/mining.md).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

import regex

from solecism.treebank.forms import AGREEING, LanguageForms, ParadigmCell, WordForm, alike
from solecism.treebank.languages import PairRules, words_of
from solecism.treebank.relations import AGREEMENT, Bundle, bundle, is_finite, layered, text_of

Item = Mapping[str, Any]
"""A row of :data:`solecism.schema.CLOZE` whose target is masked."""

LIKE = 0.6
"""The least share of the letters of the shorter of two forms that both must have.

Forms that have less in common differ in more than a feature, or have different stems.
"""

_NOMINAL = ("determiner", "modifying")
_FAMILY = {
    "determiner": ("DET", "ADJ"),
    "modifying": ("ADJ", "VERB", "DET"),
    "predicated": ("ADJ", "VERB"),
    **dict.fromkeys(("verb", "object", "indirect_object"), ("VERB", "AUX")),
    "possessor": ("NOUN",),
}
"""For each relation, the parts of speech that a word in the place of the target may have."""
_KIN = {
    "NOUN": ("NOUN",), "ADJ": ("ADJ", "DET"), "DET": ("DET", "ADJ", "PRON"),
    "VERB": ("VERB", "AUX"), "AUX": ("AUX", "VERB"),
}  # fmt: skip
"""For each part of speech, those as which treebanks annotate the same form."""
_OF_PHRASE = ("Number", "Gender", "Case", "Animacy")
_OF_CLAUSE = ("Number", "Gender", "Person")
_LETTERS = r"[\p{L}\p{M}\u200c\u200d]+"
_PLAIN = regex.compile(rf"{_LETTERS}(?:[-\u05be\u2010]{_LETTERS})*")
_CLAUSE = re.compile(r"[,;:.!?()«»“”„\"\u2013\u2014]")
_PAUSE = re.compile(r"[,;:()\[\]\u2013\u2014«»“”„\"…/]|\s-\s")
_AMOUNT = re.compile(r"[\d%€$£]")
_NEAR = 8
"""How many words before a target behind its noun are searched for another noun."""
_WIDTH = 40
"""How many letters before it are searched for an amount."""
_THIRD = frozenset({"3"})
_DOUBTED = "readers of the language doubted such pairs"
_PREDICATIVE = frozenset({"Ess", "Tra"})
_ARGUMENT_CASES = frozenset({"Nom", "Acc"})
_ASKING = frozenset({"Int", "Rel", "Ind", "Tot", "Neg"})
_SCRIPTS = tuple(
    regex.compile(rf"\p{{{name}}}") for name in ("Latin", "Cyrillic", "Greek", "Armenian")
)


@dataclass(frozen=True)
class WrongForm:
    """A wrong form for an item's target.

    ``feature``: the feature in which it is wrong; ``value``: its value of that feature; ``source``:
    where the form is found: ``UD``, ``UniMorph`` or ``both``; ``frequency``: how often the
    treebanks have it.
    """

    feature: str
    form: str
    source: str
    value: str
    frequency: int


@dataclass(frozen=True)
class WrongForms:
    """A maker of wrong forms for a language.

    ``mixed``: relations and features in which ends often disagree in the treebanks themselves;
    ``skipped``: how often no form was found, by reason.
    """

    rules: PairRules
    forms: LanguageForms
    mixed: frozenset[tuple[str, str]] = frozenset()
    skipped: Counter[str] = field(default_factory=Counter)

    def of_item(self, item: Item) -> Iterator[WrongForm]:
        """Yield a wrong form for each feature in which the ends agree, if one is beyond doubt."""
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
        """Return why no wrong form can be found for an item, or an empty text."""
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
        """Return the most frequent wrong form in a feature, or the reason why there is none."""
        word = WordForm(item["answer"], item["lemma"], item["upos"], item["feats"] or "_")
        name = layered(feature, item["layer"])
        cells = self.forms.paradigms.others(word, name)
        if not cells:
            return "no other form"
        if self.rules.careful:  # only the form most like the right one is tried
            cells = [max(cells, key=lambda cell: likeness(cell.form, item["answer"]))]
        if reason := self._doubtful(item, feature):
            return reason
        reasons = [self._wrong(item, feature, cell) for cell in cells]
        if "" not in reasons:
            return reasons[0]
        best = cells[reasons.index("")]
        sources = {"UD" if cell.count else "UniMorph" for cell in cells if cell.form == best.form}
        source = "both" if len(sources) > 1 else sources.pop()
        form, answer = best.form, item["answer"]
        if answer.isupper() and len(answer) > 1:
            form = form.upper()
        elif answer[:1].isupper():
            form = form[:1].upper() + form[1:]
        value = text_of(bundle(best.feats), name) or ""
        return WrongForm(feature, form, source, value, self.forms.frequency(best.form))

    def _doubtful(self, item: Item, feature: str) -> str:
        """Return why the target may have another value than its controller, or an empty text."""
        end, nominal = item["controller"], item["relation"] in _NOMINAL
        if not nominal and (reason := _doubtful_pronoun(end, feature)):
            return reason
        names = {(end["lemma"] or "").casefold(), end["form"].casefold()}
        if feature == "Number" and names & self.rules.unsure_nouns:
            return "number may follow meaning"
        if end["form"].endswith(("'", "’")):
            return "elided controller"
        if feature == "Number" and not self._number_sure(end):
            return "noun may be of either number"
        if feature == "Number" and self.rules.honours and not nominal:
            return "a plural verb may honour one person"
        if feature == "Person":
            return self._doubtful_person(end)
        if feature == "Gender" and not self._gender_sure(end):
            return "noun may be of either gender"
        return ""

    def _doubtful_person(self, end: Item) -> str:
        """Return why a verb may be of another person than its subject, or an empty text."""
        feats = bundle(end["feats"])
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
        """Return whether the form of a controller shows its number."""
        kinds = bundle(end["feats"]).get("PronType", frozenset())
        if kinds - _ASKING or (not kinds and self.rules.varies(end["form"])):
            return True
        # English *who* has one form for both numbers; French *lequel* has a plural.
        parts = ("PRON", "DET") if kinds else ("NOUN",)
        words = (WordForm(end["form"], end["lemma"] or "", p, end["feats"] or "_") for p in parts)
        return any("Number" in self.forms.contrasts(word) for word in words)

    def _gender_sure(self, end: Item) -> bool:
        """Return whether a controller surely has one gender only."""
        feats, lemma = bundle(end["feats"]), end["lemma"] or ""
        if "PronType" in feats:
            return True
        if lemma and lemma.casefold() in self.rules.doubles:
            return False
        if feats.get("Animacy") in (frozenset({"Inan"}), frozenset({"Nhum"})):
            return True
        if not self.rules.sure:
            return self.forms.has_one_gender(lemma)
        return any(self.rules.is_sure(g, end["form"], lemma) for g in feats.get("Gender", ()))

    def _wrong(self, item: Item, feature: str, cell: ParadigmCell) -> str:
        """Return why a form may be right, or wrong for more than one reason, or an empty text."""
        if reason := self._doubtful_form(item, feature, cell):
            return reason
        ours, theirs = _of_layer(item, bundle(item["feats"])), _of_layer(item, bundle(cell.feats))
        others = (n for n in AGREEMENT if n != feature and n in ours and n in theirs)
        narrower = [n for n in others if not ours[n] <= theirs[n]]
        asked = [*narrower, *(n for n in theirs if n not in ours)]
        if not alike(theirs, bundle(item["controller"]["feats"]), asked):
            return "differs in more"
        if self.rules.careful and (doubt := doubt_of_form(item, feature, cell, self.forms)):
            return doubt
        left, right = item["left"] or "", item["right"] or ""
        if not self.rules.fits(left, item["answer"], cell.form, right, item["upos"] == "DET"):
            return "spelling of neighbours"
        readings = self._readings(item, cell)
        if any(self._agree(item, r, c) for r in readings for c in self._controllers(item)):
            return "right by another reading"
        if self._irrealis(item, feature, cell):
            return "subjunctive"
        if self._licensed(item, readings):
            return "another noun would license it"
        return ""

    def _doubtful_form(self, item: Item, feature: str, cell: ParadigmCell) -> str:
        """Return why a form cannot be taken, by rules for all languages, or an empty text."""
        ours, theirs = bundle(item["feats"]), bundle(cell.feats)
        if not _PLAIN.fullmatch(cell.form):
            return "not one plain word"
        if sum(bool(script.search(cell.form)) for script in _SCRIPTS) > 1:
            return "letters of two scripts"
        name = layered(feature, item["layer"])
        change = ">".join(text_of(feats, name) or "" for feats in (ours, theirs))
        if f"{item['relation']} {change}" in self.rules.doubted:
            return _DOUBTED
        if item["upos"] not in ("DET", "PRON") and self.forms.paradigms.readings(cell.form, "PRON"):
            return "right as another word"
        if feature == "Case" and theirs["Case"] & _PREDICATIVE:
            return "a case in which it may stand alone"  # fi. kolmantena istuva
        return "" if item["relation"] in _NOMINAL else _doubtful_value(feature, ours, theirs)

    def _readings(self, item: Item, cell: ParadigmCell) -> list[Bundle]:
        """Return the features of all readings of a form that are possible in the target's place.

        The last are the features of the cell itself.
        """
        kind = bundle(item["feats"]).get("VerbForm")
        found = self.forms.paradigms.readings(cell.form, *_FAMILY[item["relation"]])
        same = [r for r in found if kind is None or not r.get("VerbForm") or kind & r["VerbForm"]]
        return [_of_layer(item, reading) for reading in (*same, bundle(cell.feats))]

    def _controllers(self, item: Item) -> list[Bundle]:
        """Return the features of all readings of the controller's form; nouns are third person.

        For relations of a clause, these are only readings in the controller's case.
        """
        end = item["controller"]
        own = bundle(end["feats"])
        if "PronType" in own:
            return [own]
        found = [own, *self.forms.paradigms.readings(end["form"], "NOUN")]
        if item["relation"] not in _NOMINAL:
            found = [r for r in found if alike(own, r, ("Case",))]
        return [{"Person": _THIRD, **reading} for reading in found]

    def _agree(self, item: Item, reading: Bundle, controller: Bundle) -> bool:
        """Return whether a reading of a form agrees with a reading of the controller.

        Within a noun phrase, forms in another case agree too, unless the noun is known to be spelt
        otherwise in that case. Forms in an ``attributive`` case agree with every noun.
        """
        if item["relation"] not in _NOMINAL:
            return alike(reading, controller, _OF_CLAUSE)
        if reading.get("Case", frozenset()) & {*self.rules.attributive}:
            return True
        if not alike(reading, controller, ("Number", "Gender", "Animacy")):
            return False
        if alike(reading, controller, ("Case",)):
            return True
        end = item["controller"]
        word = WordForm(end["form"], end["lemma"] or "", "NOUN", end["feats"] or "_")
        others = self.forms.paradigms.others(word, "Case")
        return not any(reading["Case"] & bundle(other.feats)["Case"] for other in others)

    def _irrealis(self, item: Item, feature: str, cell: ParadigmCell) -> bool:
        """Return whether the form may be a subjunctive in this sentence.

        For English, that is a bare stem or *were* after a word of ``irrealis``. In other languages
        it is a form of another person that has the ending of a subjunctive.
        """
        ending = self.rules.subjunctive
        if feature == "Person" and ending and re.search(ending, cell.form.casefold()):
            return True
        stem = cell.form.casefold() in ((item["lemma"] or "").casefold(), "were")
        before = {word.casefold() for word in words_of(item["left"] or "")}
        return stem and bool(before & set(self.rules.irrealis))

    def _licensed(self, item: Item, readings: list[Bundle]) -> bool:
        """Return whether another noun nearby would make the form right.

        An amount before a target that follows its noun counts as such a noun.
        """
        before, after = item["left"] or "", item["right"] or ""
        names: tuple[str, ...] = _OF_PHRASE
        own = item["controller"]["form"]
        if item["relation"] not in _NOMINAL:
            if not (self.rules.free or item["layer"]):
                return False
            near = words_of(_CLAUSE.split(before)[-1]) + words_of(_CLAUSE.split(after)[0])
            names = _OF_CLAUSE
        elif item["target"]["index"] < item["controller"]["index"]:
            near = words_of(before)[-1:] + words_of(_between_ends(item) or "")
            own = ""
        elif _AMOUNT.search(before[-_WIDTH:]):
            return True
        else:
            near = words_of(before)[-_NEAR:]
        return any(self._could_license(word, readings, names) for word in near if word != own)

    def _could_license(self, form: str, readings: list[Bundle], names: tuple[str, ...]) -> bool:
        """Return whether a word can be a noun or pronoun that agrees with one of the readings."""
        bare = [form]  # the word, and what is left of it without its first letters as prefixes
        while len(bare) < 4 and len(bare[-1]) > 2 and bare[-1][0] in self.rules.prefixes:
            bare.append(bare[-1][1:])
        readings_of = self.forms.paradigms.readings
        nouns = [noun for name in bare for noun in readings_of(name, "NOUN", "PRON")]
        if names is _OF_CLAUSE:
            straight = {"Case": frozenset({"Nom", "Abs"})}
            nouns = [{"Person": _THIRD, **n} for n in nouns if alike(straight, n)]
        # An unknown word with a capital may be a name.
        known = readings_of(form, "DET", "ADJ", "VERB", "AUX", "PRON")
        if not nouns and form[:1].isupper() and not known:
            nouns = [{"Number": frozenset({"Sing"}), "Person": _THIRD}]
        return any(alike(r, n, names) for r in readings for n in nouns)


def _doubtful_pronoun(end: Item, feature: str) -> str:
    """Return why the target may have another value than its pronoun, or an empty text."""
    kinds = bundle(end["feats"]).get("PronType", frozenset())
    if "Dem" in kinds and feature in ("Number", "Gender"):
        return "a demonstrative may go with the predicate"  # ru. это были, de. das sind
    if feature == "Person" and kinds & _ASKING:
        return "who may be of any person"  # ro. cine ești
    return ""


def _doubtful_value(feature: str, ours: Bundle, theirs: Bundle) -> str:
    """Return why a value of a verb or predicate may be right with any subject, or an empty text."""
    if feature == "Number" and "Dual" in theirs.get("Number", ()) and "Plur" in ours["Number"]:
        return "a plural noun may stand for two"
    if feature == "Gender" and theirs["Gender"] == {"Neut"} and "Def" in ours.get("Definite", ()):
        return "a neuter may stand alone"  # bg. първото
    return ""


def _of_layer(item: Item, feats: Bundle) -> Bundle:
    """Return features in which those of the item's layer replace those without a layer.

    Those of other layers are left out; all are named without their layer.
    """
    if not item["layer"]:
        return feats
    own = {name: feats.get(layered(name, item["layer"])) for name in AGREEMENT}
    others = {name: values for name, values in feats.items() if "[" not in name}
    return {**others, **{name: values for name, values in own.items() if values}}


def likeness(form: str, answer: str) -> float:
    """Return how alike two forms are, from 0 to 1, in any capitals.

    Forms that differ in what is not annotated are less alike (Basque *zuenez*, with a suffix).

    >>> likeness("ziren", "zen")
    0.75
    """
    return SequenceMatcher(None, form.casefold(), answer.casefold(), autojunk=False).ratio()


def doubt_of_item(item: Item, forms: LanguageForms) -> str:
    """Return why a sentence may be right with another form of the target, or an empty text."""
    end, readings = item["controller"], forms.paradigms.readings
    if words_of(item["text"]).count(end["form"]) > 1:
        return "the controller stands twice"
    if item["relation"] in _NOMINAL:
        return ""
    between = _between_ends(item)
    if between is None or _PAUSE.search(between):
        return "a pause between the ends"
    for word in words_of(between):
        verbs = readings(word, "VERB", "AUX")
        if item["upos"] == "AUX":  # its own verb may stand there: eu. etorri da
            verbs = [verb for verb in verbs if is_finite(verb)]
        if verbs and not readings(word, "NOUN", "PRON", "ADJ"):
            return "another verb between the ends"
    return "" if item["relation"] == "possessor" else _case_doubt(end, forms)


def _case_doubt(end: Item, forms: LanguageForms) -> str:
    """Return why a controller may be read as another argument than it is, or an empty text.

    A noun that shows no case may be another argument where the subject may be dropped.
    """
    feats, readings = bundle(end["feats"]), forms.paradigms.readings
    if "PronType" in feats:
        return "" if feats["PronType"] == {"Prs"} else "a pronoun that may be a determiner"
    if "Case" not in feats:
        return "a noun without case may be another argument"
    cases = {case for reading in readings(end["form"], "NOUN") for case in reading.get("Case", ())}
    return "" if cases <= feats["Case"] else "the noun has the form of another case too"


def _between_ends(item: Item) -> str | None:
    """Return the text between the two ends, None where the controller is not found."""
    word = rf"(?<!\w){re.escape(item['controller']['form'])}(?!\w)"
    if item["controller"]["index"] < item["target"]["index"]:
        _, *rest = re.split(word, item["left"] or "")
        return rest[-1] if rest else None
    between, *rest = re.split(word, item["right"] or "", maxsplit=1)
    return between if rest else None


def doubt_of_form(item: Item, feature: str, cell: ParadigmCell, forms: LanguageForms) -> str:
    """Return why a form may be right, or wrong for another reason, in a ``careful`` language.

    Returns an empty text without such a doubt.
    """
    ours, theirs = bundle(item["feats"]), bundle(cell.feats)
    readings = forms.paradigms.readings
    if not _one_change(cell.form.casefold(), item["answer"].casefold()):
        return "too unlike the right form"
    if (set(ours) ^ set(theirs)) - {*AGREEMENT}:
        return "differs in more"
    if doubt := _doubt_of_value(bundle(item["controller"]["feats"]), feature, theirs):
        return doubt
    kin, low = _KIN.get(item["upos"], ()), cell.form.casefold()
    if low in forms.besides or readings(low, *(part for part in AGREEING if part not in kin)):
        return "right as another word"
    if item["relation"] in _NOMINAL:
        # A noun between the ends always is a doubt: a small treebank does not show what else the
        # form can be.
        nouns = [n for word in words_of(_between_ends(item) or "") for n in readings(word, "NOUN")]
        near = words_of(item["left"] or "")[-1:] + words_of(item["right"] or "")[:1]
        beside = [word for word in near if word != item["controller"]["form"]]
        could = [*readings(cell.form, *kin), bundle(cell.feats)]
        if nouns or any(
            alike(reading, noun, ("Number", "Gender", "Case"))
            for word in beside for noun in readings(word, "NOUN") for reading in could
        ):  # fmt: skip
            return "another noun would license it"
    return ""


def _doubt_of_value(controller: Bundle, feature: str, theirs: Bundle) -> str:
    """Return why a value of a wrong form may be right, or an empty text."""
    if feature == "Case" and not theirs["Case"] <= _ARGUMENT_CASES:
        return "a case in which it may stand alone"
    if feature == "Gender" and theirs["Gender"] & {"Neut"}:
        return "a neuter may stand alone"
    if feature == "Person" and "PronType" not in controller:
        return "a noun may be addressed, or in apposition"
    if feature == "Person" and "2" in controller.get("Person", ()):
        return "a pronoun may be an address"
    return ""


def _one_change(form: str, answer: str) -> bool:
    """Return whether two forms differ in one place only and share enough letters (:data:`LIKE`)."""
    shorter = min(len(form), len(answer))
    before = next((n for n in range(shorter) if form[n] != answer[n]), shorter)
    rest = shorter - before
    after = next((n for n in range(rest) if form[-1 - n] != answer[-1 - n]), rest)
    return shorter > 1 and before + after >= LIKE * shorter
