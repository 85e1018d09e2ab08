"""Wrong forms for a mined item: they differ in one feature and are wrong in the sentence.

Rules yield reasons against a form. A reason of :data:`DOUBTS` marks it: another reading might save
the wrong sentence. Any other reason drops it. For some languages nobody wrote down which words have
a second reading, which arguments may be dropped and what is not annotated (``careful`` in
``pairs.toml``); there more rules apply, which follow from what people found in samples of thirty
languages (dataset_cards/agreement.md).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain
from typing import ClassVar

import regex

from solecism.schema import ItemRow
from solecism.treebank.candidates import ALL_VALUES
from solecism.treebank.cloze import PREDICATIVE
from solecism.treebank.forms import AGREEING, LanguageForms, ParadigmCell, WordForm, alike, may_lack
from solecism.treebank.languages import PairRules, words_of
from solecism.treebank.relations import (
    AGREEMENT,
    Bundle,
    bundle,
    is_finite,
    layered,
    text_of,
)

Item = ItemRow
"""A row of :data:`solecism.schema.CLOZE` whose target is masked."""

DOUBTS = (
    "subject behind", "object of a dropped subject", "another subject", "pause between",
    "noun without case", "noun in another case", "pronoun or determiner", "plural of respect",
    "number not shown", "gender not sure", "noun addressed", "case alone", "neuter alone",
    "another word", "us or you", "subject of a converb", "subject of a verbal noun",
    "neuter predicate", "with somebody",
)  # fmt: skip
"""The reasons that mark a pair and do not drop it (dataset_cards/agreement.md has examples)."""

_OF_FORMS = frozenset({
    "not one plain word", "polite", "letters of two scripts", "another spelling", "differs in more",
    "right as another word", "another word", "a predicative case", "too unlike the right form",
    "persons share their forms", "spelling of neighbours", "right by another reading",
    "elided controller",
})  # fmt: skip
"""The reasons that are about one form, or its spelling: another form of the lemma may be wrong."""

LIKE = 0.6
"""The least share of the letters of the shorter of two forms that both must have.

Forms that have less in common differ in more than a feature, or have different stems.
"""
SHARED = 0.2
"""In a careful language, two persons of a tense are told apart by fewer lemmas than is safe if at
least this share of the lemmas has one form for both."""

_NOMINAL = ("determiner", "modifying")
_OF_NOUN = ("possessor", "adposition")
"""Relations whose controller is no argument of a verb."""
_FAMILY = {
    "determiner": ("DET", "ADJ"),
    "modifying": ("ADJ", "VERB", "DET"),
    "predicated": ("ADJ", "VERB"),
    **dict.fromkeys(("verb", "object", "indirect_object"), ("VERB", "AUX")),
    "possessor": ("NOUN",),
    "adposition": ("ADP",),
}
"""For each relation, the parts of speech that a word in the place of the target may have."""
_OF_PHRASE = ("Number", "Gender", "Case", "Animacy")
_OF_CLAUSE = ("Number", "Gender", "Person")
_CLAUSE = re.compile(r"[,;:.!?()«»“”„\"\u2013\u2014]")
_PAUSE = re.compile(r"[,;:()\[\]\u2013\u2014«»“”„\"…/،؛]|\s-\s")
_AMOUNT = re.compile(r"[\d%€$£]")
_FEW = 3
"""How many words behind a genitive are searched for its noun."""
_NEAR = 8
"""How many words before a target behind its noun are searched for another noun."""
_WIDTH = 40
"""How many letters before it are searched for an amount."""
_THIRD = frozenset({"3"})
_OF_THINGS: Bundle = {"Number": frozenset({"Sing"}), "Gender": frozenset({"Fem"})}
_NOMINATIVE = frozenset({"Nom", "Abs"})
_DOUBTED = "readers of the language doubted such pairs"
_LOCAL = frozenset({"Ine", "Ela", "Ill", "Ade", "Abl", "All"})
_ASKING = frozenset({"Int", "Rel", "Ind", "Tot", "Neg"})
_SCRIPTS = [regex.compile(rf"\p{{{name}}}") for name in ("Latin", "Cyrillic", "Greek", "Armenian")]


@dataclass(frozen=True)
class WrongForm:
    """A wrong form for an item's target.

    ``feature``: the feature in which it is wrong; ``value``: its value of that feature; ``source``:
    where the form is found: ``UD``, ``UniMorph`` or ``both``, or ``analogy``; ``frequency``: how
    often the treebanks have it; ``doubts``: reasons of :data:`DOUBTS` why it may be right;
    ``feats``: its FEATS; ``around``: what stands before and behind it, if other words change, too;
    ``term``: what it tests, if no relation says it.
    """

    feature: str
    form: str
    source: str
    value: str
    frequency: int
    doubts: tuple[str, ...] = ()
    feats: str = ""
    around: tuple[str, str] | None = None
    term: str = ""


@dataclass(frozen=True)
class WrongForms:
    """A maker of wrong forms for a language.

    ``marks``: the reasons that do not drop a form; ``analogy``: whether forms are made that no
    source has; ``skipped``: how often no form was found, by reason.
    """

    marks: ClassVar[tuple[str, ...]] = DOUBTS
    rules: PairRules
    forms: LanguageForms
    analogy: bool = True
    skipped: Counter[str] = field(default_factory=Counter)

    def judge(self, item: Item) -> tuple[list[WrongForm], dict[str, set[str]]]:
        """Return the wrong forms of an item, and why another form may be right, by feature.

        The reasons are those of :data:`DOUBTS`, and those that drop a form whatever it is.
        """
        forms, reasons, of_item = [], {}, [*self._of_item(item)]
        for feature in item["agrees_in"]:
            own = [*of_item, *self._of_controller(item, feature)]
            judged = [
                (cell, self._judged(chain(own, self._of_form(item, feature, cell))))
                for cell in self._cells(item, feature)
            ]
            found = [{each} if isinstance(each, str) else each for _, each in judged]
            reasons[feature] = {*own}.union(*found) - {*_OF_FORMS, *self.rules.undoubted}
            good = [(cell, doubts) for cell, doubts in judged if not isinstance(doubts, str)]
            if good:
                forms.append(self._best_form(item, feature, good))
            else:
                self.skipped[str(judged[0][1]) if judged else "no other form"] += 1
        return forms, reasons

    def _judged(self, reasons: Iterable[str]) -> frozenset[str] | str:
        """Return the first reason that drops a form; without one, the doubts."""
        doubts = set()
        for reason in reasons:
            if reason not in self.marks:
                return reason
            doubts.add(reason)
        return frozenset(doubts.difference(self.rules.undoubted))

    def _cells(self, item: Item, feature: str) -> list[ParadigmCell]:
        """Return the forms that are tried, the most frequent first."""
        answer, names = item["answer"], {layered(feature, item["layer"])}
        word = WordForm(answer, item["lemma"], item["upos"], item["feats"] or "_")
        known = self.forms.paradigms
        cells = known.others(word, names) or (known.by_analogy(word, names) if self.analogy else [])
        if self.rules.careful:  # only the form most like the right one is tried
            cells.sort(key=lambda c: -shared_letters(c.form, answer) / len(answer + c.form))
            cells = cells[:1]
        return cells

    def _best_form(
        self, item: Item, feature: str, good: list[tuple[ParadigmCell, frozenset[str]]]
    ) -> WrongForm:
        """Return the first form with the fewest doubts."""
        best, doubts = min(good, key=lambda pair: len(pair[1]))
        sources = {cell.source for cell, _ in good if cell.form == best.form}
        source = "both" if len(sources) > 1 else sources.pop()
        form, answer = best.form, item["answer"]
        if answer.isupper() and len(answer) > 1:
            form = form.upper()
        elif answer[:1].isupper():
            form = form[:1].upper() + form[1:]
        value = text_of(bundle(best.feats), layered(feature, item["layer"])) or ""
        frequency = self.forms.frequency(best.form)
        return WrongForm(feature, form, source, value, frequency, tuple(sorted(doubts)), best.feats)

    def of_masked(self, item: Item) -> Iterator[str]:
        """Yield why nothing tells an item's answer: a case alone may be another's (hr. *tu* for
        there), and a masked noun may have no part in what agrees with another one, too.
        """
        if item["decides"] == ["Case"] and "case alone" not in self.rules.undoubted:
            yield "case alone"
        behind = item["controller"]["index"] < item["target"]["index"]
        if item["masked"] == "controller" and item["relation"] in _NOMINAL and behind:
            feats = [bundle(item["target"]["feats"])]
            between = words_of(_between_ends(item))
            if any(self._could_license(word, feats, _OF_PHRASE) for word in between):
                yield "another noun would license it"

    def _of_item(self, item: Item) -> Iterator[str]:
        """Yield reasons against all forms of an item."""
        if not self.rules.is_plain(item["answer"]):
            yield "not one plain word"
        if item["polite"]:
            yield "polite"
        if item["relation"] in self.rules.doubted:
            yield _DOUBTED
        if item["relation"] == "possessor" and self.rules.verbal_nouns:
            yield "subject of a verbal noun"
        if item["relation"] not in _NOMINAL and self.rules.careful:
            yield from self._of_clause(item)

    def _subject_behind(self, item: Item, feature: str) -> Iterator[str]:
        """Yield why a subject behind its verb may be an object, and the subject be dropped.

        In a language with the verb first, nothing else can stand behind an auxiliary, nor can a
        pronoun be anything else. Elsewhere a word that is nominative alone has hardly another role,
        but beside a copula, and a word whose verb has features of a layer; it may be in apposition
        to a dropped subject of another person (*said I, the author*).
        """
        end = item["controller"]
        feats = bundle(end["feats"])
        first, auxiliary = self.rules.verb_first, item["upos"] == "AUX"
        if first and (auxiliary or "Prs" in feats.get("PronType", ())):
            return
        before = words_of(item["text"][: end["start"]])[-1:]
        sure = self._is_nominative(end) or {*map(str.casefold, before)} & {*self.rules.nominative}
        if item["layer"] or (sure and not auxiliary):
            if feature == "Person":
                yield "subject behind"
        else:
            yield "subject behind" if first else "subject may be dropped"

    def _cases(self, end: Item) -> set[str]:
        """Return all cases that the form of a controller can have; none if it shows no case."""
        part = "PRON" if self._is_pronoun(end) else "NOUN"
        readings = [bundle(end["feats"]), *self.forms.paradigms.readings(end["form"], part)]
        return {case for reading in readings for case in reading.get("Case", ())}

    def _is_pronoun(self, end: Item) -> bool:
        """Return whether a controller is a pronoun, by its type or by its form."""
        readings = self.forms.paradigms.readings
        by_form = readings(end["form"], "PRON") and not readings(end["form"], "NOUN")
        return "PronType" in bundle(end["feats"]) or bool(by_form)

    def _is_nominative(self, end: Item) -> bool:
        """Return whether a controller cannot be an object.

        All readings of its form are nominative, and a noun has an accusative that is spelt
        otherwise.
        """
        cases, number = self._cases(end), bundle(end["feats"]).get("Number")
        accusative = {"Case": frozenset({"Acc"}), **({"Number": number} if number else {})}
        told = self.forms.paradigms.spelt_otherwise(_noun(end), accusative)
        shown = (told and not self.rules.bare) or self._is_pronoun(end)
        return bool(cases) and cases <= _NOMINATIVE and shown

    def _of_clause(self, item: Item) -> Iterator[str]:
        """Yield reasons why a subject or object may belong to something else (careful)."""
        if _PAUSE.search(_between_ends(item)):
            yield "pause between"
        if item["relation"] not in _OF_NOUN:
            yield from self._of_case(item)

    def _is_apposed(self, item: Item) -> bool:
        """Return whether a plural pronoun has a noun behind it: fa. mā davandegān (we runners)."""
        end = item["controller"]
        behind = words_of(item["text"][end["end"] :])[:1]
        plural = "Plur" in bundle(end["feats"]).get("Number", ())
        return plural and any(self.forms.paradigms.readings(word, "NOUN") for word in behind)

    def _of_case(self, item: Item) -> Iterator[str]:
        """Yield reasons why a controller may be another argument (careful)."""
        end = item["controller"]
        feats = bundle(end["feats"])
        if self._is_pronoun(end):
            as_determiner = self.forms.paradigms.readings(end["form"], "DET")
            if feats.get("PronType", {"Prs"}) != {"Prs"} or as_determiner or self._is_apposed(item):
                yield "pronoun or determiner"
        elif "Case" not in feats:
            yield "noun without case"
        elif not self._cases(end) <= feats["Case"]:
            yield "noun in another case"

    def _of_controller(self, item: Item, feature: str) -> Iterator[str]:
        """Yield reasons why the target may have another value than its controller."""
        end = item["controller"]
        kinds = bundle(end["feats"]).get("PronType", frozenset())
        if item["relation"] not in _NOMINAL:
            yield from self._of_argument(item, feature, kinds)
        names = {(end["lemma"] or "").casefold(), end["form"].casefold()}
        if feature == "Number" and names & self.rules.unsure_nouns:
            yield "number may follow meaning"
        if end["form"].endswith(("'", "’")):
            yield "elided controller"
        if feature == "Number":
            yield from self._of_number(end)
        if feature == "Gender":
            yield from self._of_gender(end, item["relation"] in _NOMINAL)
        bare = self.rules.bare or item["layer"] == "abs"  # eu. pasaportea ateratzear naiz
        number = feature == "Number" and item["relation"] == "verb" and self.rules.bare
        person = feature == "Person" and (bare or not self.rules.careful)
        if (number or person) and not kinds:
            yield from self._of_object(end, bare)

    def _of_argument(self, item: Item, feature: str, kinds: frozenset[str]) -> Iterator[str]:
        """Yield why a verb or predicate may have another subject or object than the controller."""
        end, form = item["controller"], item["controller"]["form"]
        behind = item["target"]["index"] < end["index"] and item["relation"] != "adposition"
        if behind and self.rules.drops:
            yield from self._subject_behind(item, feature)
        if item["upos"] == "AUX" or form.casefold() not in self.rules.personal:
            yield from _of_pronoun(kinds, feature, item["upos"] == "AUX")
        if "Rel" in kinds and feature == "Gender" and "Case" not in bundle(end["feats"]):
            yield "another subject"  # ar. alladhi nasharat: that she published
        if feature == "Number" and _has(self.rules.converbs, _between_ends(item)):
            yield "subject of a converb"
        plural = "Plur" in bundle(end["feats"]).get("Number", ())
        if feature == "Gender" and behind and plural and self.rules.is_broken(form):
            yield "noun may be of either gender"  # ar. a verb before a broken plural

    def _of_object(self, end: Item, bare: bool) -> Iterator[str]:
        """Yield why a noun may be an object that stands first."""
        readings = self.forms.paradigms.readings(end["form"], "NOUN")
        accusative = bare or any("Acc" in reading.get("Case", ("Acc",)) for reading in readings)
        if self.rules.drops and self.rules.free and accusative:  # pl. projekt
            yield "object of a dropped subject"

    def _of_number(self, end: Item) -> Iterator[str]:
        """Yield why the form of a controller may not show its number."""
        kinds = bundle(end["feats"]).get("PronType", frozenset())
        if kinds - _ASKING or (not kinds and self.rules.varies(end["form"])):
            return
        # English *who* has one form for both numbers; French *lequel* has a plural.
        parts = ("PRON", "DET") if kinds else ("NOUN",)
        words = [WordForm(end["form"], end["lemma"] or "", p, end["feats"] or "_") for p in parts]
        if any("Number" in self.forms.contrasts(word) for word in words):
            return
        both = self.rules.invariable or any("Number" in self.forms.ambiguous(w) for w in words)
        yield "noun may be of either number" if kinds or both else "number not shown"

    def _of_gender(self, end: Item, nominal: bool) -> Iterator[str]:
        """Yield why a controller may have another gender.

        What is said of a person may be feminine although the noun is not: sr. *ministar je rekla*.
        """
        feats, lemma = bundle(end["feats"]), (end["lemma"] or "").casefold()
        if "PronType" in feats:
            return
        if lemma in self.rules.doubles:
            yield "noun may be of either gender"
        if feats.get("Animacy") in (frozenset({"Inan"}), frozenset({"Nhum"})):
            return
        fixed = nominal or "Masc" not in feats.get("Gender", ())
        if fixed and not self.rules.sure and self.forms.has_one_gender(lemma):
            return
        if any(self.rules.is_sure(g, end["form"], lemma) for g in feats.get("Gender", ())):
            return
        genders = [r.get("Gender") for r in self.forms.paradigms.readings(end["form"], "NOUN")]
        one = all(gender == feats.get("Gender") for gender in genders)
        known = one and "Animacy" not in feats and lemma
        yield "gender not sure" if known else "noun may be of either gender"

    def _of_form(self, item: Item, feature: str, cell: ParadigmCell) -> Iterator[str]:
        """Yield reasons why a form may be right, or wrong for more than one reason."""
        yield from self._unfit(item, feature, cell)
        ours, theirs = _of_layer(item, bundle(item["feats"])), _of_layer(item, bundle(cell.feats))
        others = (n for n in AGREEMENT if n != feature and n in ours and n in theirs)
        narrower = [n for n in others if not ours[n] <= theirs[n]]
        asked = [*narrower, *(n for n in theirs if n not in ours)]
        if not alike(theirs, bundle(item["controller"]["feats"]), asked):
            yield "differs in more"
        if item["relation"] not in _NOMINAL:
            yield from self._of_value(item, feature, ours, theirs)
        elif item["relation"] == "determiner" and self._is_subject(item, theirs):
            yield "pronoun or determiner"
        if self.rules.careful:
            yield from self._unlike(item, feature, cell)
        left, right = item["left"] or "", item["right"] or ""
        if not self.rules.fits(left, item["answer"], cell.form, right, item["upos"] == "DET"):
            yield "spelling of neighbours"
        readings = self._readings(item, cell)
        if any(self._agree(item, r, c) for r in readings for c in self._controllers(item)):
            yield "right by another reading"
        if self._irrealis(item, feature, cell):
            yield "subjunctive"
        yield from self._licensed(item, readings)

    def _is_subject(self, item: Item, theirs: Bundle) -> bool:
        """Return whether a determiner may be the subject, its noun the object: el. afínei énas."""
        never = "Prs" in theirs.get("PronType", ()) or "Def" in theirs.get("Definite", ())
        case = text_of(theirs, "Case") == "Nom" and "Acc" in self._cases(item["controller"])
        return self.rules.drops and case and not never

    def _unfit(self, item: Item, feature: str, cell: ParadigmCell) -> Iterator[str]:
        """Yield why a form cannot be taken, by rules for all languages."""
        ours, theirs, answer = bundle(item["feats"]), bundle(cell.feats), item["answer"]
        if not self.rules.is_plain(cell.form):
            yield "not one plain word"
        if sum(bool(script.search(cell.form)) for script in _SCRIPTS) > 1:
            yield "letters of two scripts"
        if self.rules.spelt(cell.form) == self.rules.spelt(answer):
            yield "another spelling"
        name = layered(feature, item["layer"])
        minimal = self.rules.replaces(answer, ours, cell.form, theirs, item["layer"])
        # No Person[subj]=Rel, a relative prefix of Abkhaz.
        if not theirs[name].issubset(ALL_VALUES[feature]) or not minimal:
            yield "differs in more"
        change = ">".join(text_of(feats, name) or "" for feats in (ours, theirs))
        if f"{item['relation']} {change}" in self.rules.doubted:
            yield _DOUBTED
        yield from self._another_word(item, cell)
        if feature == "Case" and theirs["Case"] & PREDICATIVE:
            yield "a predicative case"  # fi. kolmantena istuva
        first = not words_of(_CLAUSE.split(item["left"] or "")[-1])  # fi. toisessa, in the other
        if feature == "Case" and (self.rules.careful or (first and theirs["Case"] & _LOCAL)):
            yield "case alone"  # lt. pagrindinio turnyro nugalėtojas

    def _of_value(self, item: Item, feature: str, ours: Bundle, theirs: Bundle) -> Iterator[str]:
        """Yield why a value of a verb or predicate may be right with the controller."""
        end, careful = item["controller"], self.rules.careful
        feats = bundle(end["feats"])
        noun = not self._is_pronoun(end) or "Dem" in feats.get("PronType", ())  # fa. īnhā
        number = theirs.get("Number", frozenset())
        neuter = feature == "Gender" and "Neut" in theirs["Gender"]
        if neuter and (careful or "Def" in ours.get("Definite", ())):
            yield "neuter alone"  # lt. svarbu, bg. първото
        if neuter and item["relation"] == "predicated" and "Com" in ours.get("Gender", ()):
            yield "neuter predicate"  # sv. pannkakor är gott
        if feature == "Number":
            yield from self._of_plural(item, ours, number)
        second = feature == "Person" and "2" in theirs["Person"]
        if careful and noun and (second or "1" in feats.get("Person[psor]", ())):
            yield "noun addressed"  # tr. oğlum subay oldular
        plural = number - {"Sing"} and "Sing" not in feats.get("Number", ())
        if feature == "Person" and noun and plural:  # las mujeres trabajamos
            yield "us or you" if careful else "a plural noun may stand for us or you"

    def _of_plural(self, item: Item, ours: Bundle, number: frozenset[str]) -> Iterator[str]:
        """Yield why a number may be right with the controller."""
        feats = bundle(item["controller"]["feats"])
        if "Dual" in number and "Plur" in ours["Number"]:
            yield "a plural noun may stand for two"
        if "1" in feats.get("Person", ()) and _has(self.rules.comitative, item["text"]):
            yield "with somebody"  # tr. ben babamla gittik
        third = feats.get("Person", _THIRD) == _THIRD
        if self.rules.honours and third and "Plur" in number:
            yield "plural of respect"

    def _unlike(self, item: Item, feature: str, cell: ParadigmCell) -> Iterator[str]:
        """Yield why a form may be wrong for another reason, or be another word (careful)."""
        ours, theirs = bundle(item["feats"]), bundle(cell.feats)
        shorter = min(len(cell.form), len(item["answer"]))
        like = shared_letters(cell.form, item["answer"]) >= LIKE * shorter
        # Determiners are short, and auxiliaries suppletive. Those of Basque have no ``Tense``.
        tense = "Tense" in ours or bool(item["layer"] and self.rules.kept)
        suppletive = item["upos"] == "DET" or (item["upos"] == "AUX" and tense)
        if not suppletive and not like:
            yield "too unlike the right form"
        if not all(map(may_lack, set(ours) ^ set(theirs))):
            yield "differs in more"
        if feature == "Person" and self._share_forms(item["feats"] or "_", cell.feats):
            yield "persons share their forms"

    def _another_word(self, item: Item, cell: ParadigmCell) -> Iterator[str]:
        """Yield whether a form is also a pronoun (bg. *si*), or a neuter an adverb.

        In a careful language, any other part of speech gives a doubt.
        """
        low, readings = cell.form.casefold(), self.forms.paradigms.readings
        kin = [item["upos"], *_FAMILY[item["relation"]]]
        if item["upos"] == "DET":
            kin.append("PRON")
        neuter = "Neut" in bundle(cell.feats).get("Gender", ())
        never = low in self.forms.besides
        pronoun = "PRON" not in kin and readings(low, "PRON")
        closed = item["upos"] in ("AUX", "DET", "PRON")
        if closed and cell.source == "UniMorph":
            yield "too rare"  # uk. jesy
        if item["upos"] == "AUX" and readings(low, "ADJ", "DET"):
            yield "another word"  # hr. sam
        elif self.rules.careful and (never or readings(low, *{*AGREEING}.difference(kin))):
            yield "another word"
        elif (neuter and never) or pronoun:
            yield "right as another word"

    def _share_forms(self, ours: str, theirs: str) -> bool:
        """Return whether lemmas often have one form for two bundles of a verb (:data:`SHARED`)."""
        mine, others = self._verbs.get(ours, {}), self._verbs.get(theirs, {})
        both = [bool(mine[lemma] & others[lemma]) for lemma in mine.keys() & others.keys()]
        return sum(both) > 1 and sum(both) >= SHARED * len(both)

    @cached_property
    def _verbs(self) -> Mapping[str, Mapping[str, set[str]]]:
        """The forms of each verb of the treebanks, by FEATS and lemma."""
        found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for word in self.forms.attested:
            if word.upos in ("VERB", "AUX"):
                found[word.feats][word.lemma.casefold()].add(word.form.casefold())
        return found

    def _readings(self, item: Item, cell: ParadigmCell) -> list[Bundle]:
        """Return the features of all readings of a form that are possible in the target's place.

        The last are the features of the cell itself. A polite form is a plural of respect, which is
        a doubt by itself.
        """
        kind = bundle(item["feats"]).get("VerbForm")
        found = self.forms.paradigms.readings(cell.form, *_FAMILY[item["relation"]])
        if self.rules.honours:
            found = [r for r in found if "Form" not in r.get("Polite", ())]
        same = [r for r in found if kind is None or not r.get("VerbForm") or kind & r["VerbForm"]]
        more = [bundle(f) for f in self.rules.readings.get(cell.form.casefold(), ())]
        return [_of_layer(item, reading) for reading in (*same, *more, bundle(cell.feats))]

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
        case = {"Case": reading["Case"]}
        if "Number" in controller:
            case["Number"] = controller["Number"]
        return not self.forms.paradigms.spelt_otherwise(_noun(item["controller"]), case)

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

    def _licensed(self, item: Item, readings: list[Bundle]) -> Iterator[str]:
        """Yield whether another noun nearby would make the form right.

        An amount before a target that follows its noun counts as such a noun.
        """
        before, after = item["left"] or "", item["right"] or ""
        own = item["controller"]["form"]
        names: tuple[str, ...] = _OF_PHRASE
        reason = "another noun would license it"
        if item["relation"] not in _NOMINAL:
            verb, layer = item["relation"] == "verb", item["layer"]
            sure = verb and self._is_nominative(item["controller"])
            free = (self.rules.free or layer) and not sure
            if verb and (free or layer) and _AMOUNT.search(item["text"]):
                yield "another subject"  # ru. nabor dali ... 25 polkov, eu. 3.000 pezeta
            near = words_of(_CLAUSE.split(before)[-1]) + words_of(_CLAUSE.split(after)[0])
            near = near if free else []
            names, reason = _OF_CLAUSE, "another subject"
        elif item["target"]["index"] < item["controller"]["index"]:
            near, own = [*words_of(_between_ends(item)), *self._behind(item)], ""
            near += [] if self.rules.genitive else words_of(before)[-1:]
        elif self.rules.chain:  # the noun, what it is of, and what that is for
            near = self._since_verb(words_of(item["text"][: item["controller"]["start"]]))[-4:]
            near += words_of(_between_ends(item))
        else:
            near = self._since_verb(words_of(_CLAUSE.split(before)[-1])[-_NEAR:])
            if _AMOUNT.search(before[-_WIDTH:]):
                yield reason
        if any(self._could_license(word, readings, names) for word in near if word != own):
            yield reason

    def _since_verb(self, words: list[str]) -> list[str]:
        """Return the words behind the last verb: no noun before it has an adjective behind it."""
        readings = self.forms.paradigms.readings
        verbs = (
            n for n, word in enumerate(words, 1)
            if any(map(is_finite, readings(word, "VERB", "AUX"))) and not readings(word, "NOUN")
        )  # fmt: skip
        return words[max(verbs, default=0) :]

    def _behind(self, item: Item) -> list[str]:
        """Return the words behind the noun of a target that may be what the target goes with."""
        end = item["controller"]
        behind = words_of(_CLAUSE.split(item["text"][end["end"] :])[0])
        if "Gen" in bundle(end["feats"]).get("Case", ()) or "case alone" in self.rules.undoubted:
            return behind[:_FEW]  # ka. elekʼtʼromagnitʼur(i) tʼalɣata ... sičkare
        return behind[1 : 1 + _FEW] if behind[:1] and behind[0] in self.rules.genitive else []

    def _could_license(self, form: str, readings: list[Bundle], names: tuple[str, ...]) -> bool:
        """Return whether a word can be a noun or pronoun that agrees with one of the readings."""
        bare = [form]  # the word, and what is left of it without its first letters as prefixes
        while len(bare) < 4 and len(bare[-1]) > 2 and bare[-1][0] in self.rules.prefixes:
            bare.append(bare[-1][1:])
        readings_of = self.forms.paradigms.readings
        nouns = [noun for name in bare for noun in readings_of(name, "NOUN", "PRON")]
        if self.rules.sound and any("Plur" in noun.get("Number", ()) for noun in nouns):
            nouns.append(_OF_THINGS)  # ar. rasāʾil al-barīd al-iliktrūnī, al-iliktrūniyya
        if names is _OF_CLAUSE:
            straight = {"Case": frozenset({"Nom", "Abs"})}
            nouns = [{"Person": _THIRD, **n} for n in nouns if alike(straight, n)]
        # An unknown word with a capital may be a name.
        known = readings_of(form, "DET", "ADJ", "VERB", "AUX", "PRON")
        if not nouns and form[:1].isupper() and not known:
            nouns = [{"Number": frozenset({"Sing"}), "Person": _THIRD}]
        written = [name for name in names if name not in self.rules.unwritten]
        return any(alike(r, n, written) for r in readings for n in nouns)


def _noun(end: Item) -> WordForm:
    """Return a controller as a noun of the inventory."""
    return WordForm(end["form"], end["lemma"] or "", "NOUN", end["feats"] or "_")


def _of_pronoun(kinds: frozenset[str], feature: str, linked: bool) -> Iterator[str]:
    """Yield why a verb or predicate may have another value than a pronoun of such kinds."""
    if "Dem" in kinds and (linked or feature in ("Number", "Gender")):
        yield "a demonstrative may go with the predicate"  # ru. это были, de. das sind, ka. is var
    if feature == "Person" and kinds & _ASKING:
        yield "who may be of any person"  # ro. cine ești


def _of_layer(item: Item, feats: Bundle) -> Bundle:
    """Return features in which those of the item's layer replace those without a layer.

    Those of other layers are left out; all are named without their layer.
    """
    if not item["layer"]:
        return feats
    own = {name: feats.get(layered(name, item["layer"])) for name in AGREEMENT}
    others = {name: values for name, values in feats.items() if "[" not in name}
    return {**others, **{name: values for name, values in own.items() if values}}


def _has(pattern: str, text: str) -> bool:
    """Return whether a word of a text fits a regular expression, if there is one."""
    return bool(pattern) and any(re.search(pattern, word.casefold()) for word in words_of(text))


def _between_ends(item: Item) -> str:
    """Return the text between the two ends."""
    first, last = sorted((item[end]["start"], item[end]["end"]) for end in ("controller", "target"))
    return str(item["text"][first[1] : last[0]])


def shared_letters(form: str, answer: str) -> int:
    """Return how many letters two forms have in common, in their order and in any capitals.

    >>> shared_letters("ziren", "zen"), shared_letters("Zituen", "du")
    (3, 1)
    """
    matcher = SequenceMatcher(None, form.casefold(), answer.casefold(), autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())
