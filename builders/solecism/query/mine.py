"""Make items and minimal pairs of what the requests of tests find.

The bad side has the target in another form; reasons why it may be right after all drop a pair or
become its doubts, as those of mined agreement do (:mod:`solecism.treebank.wrong_forms`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from solecism.hashing import digest_of
from solecism.query.graph import Graphs
from solecism.query.match import find_maps
from solecism.query.tests import OTHER, Test
from solecism.schema import CLOZE
from solecism.treebank.candidates import ALL_VALUES, AgreeingPairs, WordPairs, bits_of
from solecism.treebank.cloze import items_of, texts_of
from solecism.treebank.conllu import Ints, Tokens, read_tokens, tokens_of
from solecism.treebank.filters import flaws_of
from solecism.treebank.forms import LanguageForms, ParadigmCell, WordForm, alike, read_inventory
from solecism.treebank.languages import Language, rules_of, words_of
from solecism.treebank.mining import MiningCounts
from solecism.treebank.profile import Evidence, language_of, profile_of
from solecism.treebank.relations import AGREEMENT, Bundle, bundle, text_of, third_person
from solecism.treebank.wrong_forms import DOUBTS, LIKE, Item, WrongForm, WrongForms, shared_letters
from solecism.works.sources import LocalSource

OFTEN = 0.05
"""A value alternates if a frame has it in more than this share of the cases."""
RARE = 0.02
"""A case that a smaller share of the nouns has is no case of objects or of adnominal nouns."""
SURE = 8
"""So many nouns tell by their ending what a form cannot be."""
SEEN = 5
"""A frame that is seen less often tells nothing where the value is not rare in all frames."""
_MARKS = (
    "seldom seen", "two forms", "form twice", "name or quotation", "other cell not known",
)  # fmt: skip
"""Reasons that mark a pair, beside those of mined agreement (docs/query.md has examples)."""
_QUOTE = re.compile(r'["“”„«»‹›「」]')
_PARTS = ("NOUN", "PROPN", "PRON", "DET", "ADJ", "NUM", "VERB", "AUX", "ADV", "ADP")
_PARTNERS = ("det", "amod", "nummod", "acl")
_NAMED = ("flat", "appos")
_STRAIGHT = frozenset({"Nom", "Abs"})
_OBLIQUE = frozenset({"Acc", "Dat", "Gen", "Par"})
_FIXED = ("en",)
"""Languages in which an object never stands before the verb with the subject behind it."""
Frame = tuple[str, tuple[str, ...]]
"""A test, and the relation of its target with the lemmas of the words that are linked to it."""


@dataclass(frozen=True)
class _Match:
    """A word that a test found: its row, those of its head and of its controller, its frame, and
    the rows of the names that are kept."""

    test: Test
    graphs: Graphs
    row: int
    head: int
    controller: int
    frame: Frame
    kept: Mapping[str, int]

    @property
    def tokens(self) -> Tokens:
        """The words of the chunk."""
        return self.graphs.tokens

    def word(self, row: int) -> WordForm:
        """Return a word of the chunk."""
        columns = (self.tokens.forms, self.tokens.lemmas, self.tokens.upos, self.tokens.feats)
        return WordForm(*(column.values[column.codes[row]] for column in columns))

    def relation(self, row: int) -> str:
        """Return the relation of a word, without its subtype."""
        deprel = self.tokens.deprel
        return str(deprel.values[deprel.codes[row]].partition(":")[0])

    def columns(self) -> dict[str, str]:
        """Return form, lemma, features and ID of the words whose names are kept, by column."""
        found = dict[str, str]()
        for name, row in self.kept.items():
            form, lemma, _, feats = self.word(row)
            values = (form, lemma, feats, str(self.tokens.number[row]))
            for column, value in zip(("form", "lemma", "feats", "index"), values, strict=True):
                found[f"{name}_{column}"] = value
        return found

    def dependents(self, row: int, *relations: str) -> list[int]:
        """Return the dependents of a word with one of the relations; -1 has none."""
        if row < 0:
            return []
        order, first = self.graphs.dependents
        node = self.graphs.node[row]
        rows = self.graphs.row[order[first[node] : first[node + 1]]].tolist()
        return [one for one in rows if self.relation(one) in relations]


@dataclass(frozen=True)
class QueryForms(WrongForms):
    """The wrong forms of what tests find: :meth:`see` each chunk, then take :meth:`tables`.

    ``frames``: how often a target has which values in each frame; ``examples``: a bad sentence for
    each reason; ``matches``: how many words each test found; ``kept``: the columns of each item for
    the names that its test keeps.
    """

    marks: ClassVar[tuple[str, ...]] = (*DOUBTS, *_MARKS)
    tests: Sequence[Test] = ()
    evidence: Evidence = field(default_factory=Evidence)
    frames: dict[Frame, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    examples: dict[str, str] = field(default_factory=dict)
    matches: Counter[str] = field(default_factory=Counter)
    kept: dict[str, dict[str, str]] = field(default_factory=dict)
    _found: dict[str, tuple[list[WrongForm], dict[str, set[str]]]] = field(default_factory=dict)

    def see(self, tokens: Tokens) -> None:
        """Count the values that the targets of a chunk have, whatever they are, by frame."""
        self.evidence.add(tokens)
        graphs = Graphs(tokens)
        for test in self.tests:
            for match in _matches(graphs, test, free=True):
                feats = bundle(match.word(match.row).feats)
                self.frames[match.frame][_values(feats, test)] += 1

    def mine_source(self, found: LocalSource, counts: MiningCounts) -> Iterator[pa.Table]:
        """Yield the items of a treebank (:meth:`tables`)."""
        source = found.origin
        origin = {
            "treebank": source.name,
            "licence": source.licence,
            "genre": ", ".join(source.genre),
        }
        for tokens in (tokens for path in found.files for tokens in read_tokens(path)):
            counts.sentences += len(tokens.sentences)
            counts.words += len(tokens)
            yield from self.tables(tokens, origin)

    def tables(self, tokens: Tokens, origin: Mapping[str, str]) -> Iterator[pa.Table]:
        """Yield the items of a chunk, a table for each test (:data:`solecism.schema.CLOZE`)."""
        graphs = Graphs(tokens)
        for test in self.tests:
            if not (found := list(_matches(graphs, test))):
                continue
            wanted = np.zeros(len(tokens.sentences), bool)
            wanted[[tokens.sentence[match.row] for match in found]] = True
            flaws = flaws_of(tokens, self._language, wanted)
            kept = []
            for match in found:
                sentence = tokens.sentence[match.row]
                names = [name for name, flags in flaws.items() if flags[sentence]]
                names += ["written in one with others"] if tokens.multiword[match.row] else []
                self.skipped.update(names[:1])
                kept += [] if names else [match]
            self.matches[test.id] += len(found)
            if kept:
                yield self._items(kept, origin)

    @cached_property
    def terms(self) -> Mapping[str, str]:
        """The phenomenon of each test."""
        return {test.id: test.phenomenon for test in self.tests}

    @cached_property
    def _language(self) -> Language:
        return language_of(self.rules.code, profile_of(self.evidence, self.rules.code))

    def _items(self, found: Sequence[_Match], origin: Mapping[str, str]) -> pa.Table:
        tokens, test = found[0].tokens, found[0].test
        rows = np.array([[match.row, match.controller] for match in found]).T
        none = np.zeros((4, len(found)), bool)
        kept = np.array([[False], [True]]).repeat(len(found), axis=1)
        pairs = WordPairs(rows[0], rows[1], np.zeros(len(found), np.int64))
        bits, layer = bits_of(tokens.feats, ALL_VALUES), np.zeros(len(found), np.int64)
        agreeing = AgreeingPairs(pairs, kept, none, bits, np.array([none, none]), layer)
        items = items_of(tokens, agreeing, ("target",), self._language, origin, self.forms)
        ids = [digest_of(f"{test.id} {one}") for one in items["id"].to_pylist()]
        self.kept.update(zip(ids, map(_Match.columns, found), strict=True))
        relation, asked = [test.id] * len(found), [test.features] * len(found)
        same = {"id": ids, "relation": relation, "agrees_in": asked, "decides": asked}
        for name, values in same.items():
            kind = CLOZE.field(name)
            items = items.set_column(CLOZE.names.index(name), kind, pa.array(values, kind.type))
        wanted = np.zeros(len(tokens.sentences), bool)
        wanted[tokens.sentence[rows[0]]] = True
        starts = texts_of(tokens, wanted)[1]
        self._judge_all(items.to_pylist(), found, starts)
        return items

    def _judge_all(self, items: Sequence[Item], found: Sequence[_Match], starts: Ints) -> None:
        """Look for the wrong forms of the items of a test."""
        tried = [
            (item, match, cell)
            for item, match in zip(items, found, strict=True) for cell in self._wanted(match)
        ]  # fmt: skip
        again = self._found_again([(match, cell) for _, match, cell in tried])
        judged: dict[str, list[tuple[ParadigmCell, frozenset[str] | str, Any]]] = defaultdict(list)
        for (item, match, cell), second in zip(tried, again, strict=True):
            reasons = ["another reading"] if second else []
            around, lost = self._partners(item, match, cell, starts)
            reasons += [lost] if lost else []
            verdict = self._judged([*reasons, *self._reasons(item, match, cell)])
            judged[item["id"]].append((cell, verdict, around))
            said = [verdict] if isinstance(verdict, str) else verdict
            sentence = f"{item['left'] or ''}[{cell.form}]{item['right'] or ''}"
            for reason in said:
                self.examples.setdefault(reason, sentence)
        for item in items:
            self._found[item["id"]] = self._chosen(item, judged[item["id"]])

    def _chosen(
        self, item: Item, judged: Sequence[tuple[ParadigmCell, frozenset[str] | str, Any]]
    ) -> tuple[list[WrongForm], dict[str, set[str]]]:
        """Return the best wrong form of an item, and all doubts by feature."""
        good = [(cell, doubts) for cell, doubts, _ in judged if not isinstance(doubts, str)]
        doubts = {doubt for _, one in good for doubt in one}
        if not good:
            self.skipped[str(judged[0][1]) if judged else "no other form"] += 1
            return [], {}
        best = self._best_form(item, item["decides"][0], good)
        around = next(a for cell, _, a in judged if cell.form.casefold() == best.form.casefold())
        term = self.terms[item["relation"]]
        return [replace(best, around=around, term=term)], dict.fromkeys(item["decides"], doubts)

    def judge(self, item: Item) -> tuple[list[WrongForm], dict[str, set[str]]]:
        """Return what :meth:`tables` found of an item."""
        return self._found[item["id"]]

    def of_masked(self, item: Item) -> Iterator[str]:
        """A request says what the form is: there are no reasons against the item itself."""
        yield from ()

    def _wanted(self, match: _Match) -> list[ParadigmCell]:
        """Return the forms of a target's lemma with the values of a change, the frequent first."""
        cells = []
        for change in match.test.changes:
            cells += self._cells_of(match.word(match.row), change, match.test.forms)
        return cells

    def _cells_of(
        self, word: WordForm, change: Mapping[str, str], source: str = "both"
    ) -> list[ParadigmCell]:
        ours = bundle(word.feats)
        word = word._replace(form=word.form if word.lemma[:1].isupper() else word.form.lower())
        cells = self.forms.paradigms.others(word, change.keys())
        return [
            cell for cell in cells
            if source == "both" or (source == "unimorph") == (cell.source == "UniMorph")
            if all(
                text_of(bundle(cell.feats), name) == value
                or (value == OTHER and not bundle(cell.feats)[name] & ours.get(name, frozenset()))
                for name, value in change.items()
            )
        ]  # fmt: skip

    def _found_again(self, tried: Sequence[tuple[_Match, ParadigmCell]]) -> list[bool]:
        """Return whether the request finds the target of each match in any other reading of its
        bad form, with the same sentence around it."""
        texts, owner = list[str](), list[int]()
        for number, (match, cell) in enumerate(tried):
            for upos in _PARTS:
                for reading in self.forms.paradigms.readings(cell.form, upos):
                    feats = "|".join(f"{n}={text_of(reading, n)}" for n in sorted(reading)) or "_"
                    texts.append(_sentence(match, (cell.form, upos, feats)))
                    owner.append(number)
        again = [False] * len(tried)
        if texts:
            graphs = Graphs(tokens_of("\n".join(texts).encode()))
            test = tried[0][0].test
            for maps in find_maps(graphs, test.request):
                node = maps[test.target]
                for sentence, place in zip(maps[""], graphs.position[node], strict=True):
                    match = tried[owner[sentence]][0]
                    again[owner[sentence]] |= place == match.tokens.number[match.row]
        return again

    def _reasons(self, item: Item, match: _Match, cell: ParadigmCell) -> Iterator[str]:
        """Yield reasons against a bad form: those that drop it, and doubts."""
        yield from self._of_spelling(item, match, cell)
        word, theirs = match.word(match.row), bundle(cell.feats)
        ours = bundle(word.feats)
        layer = item["decides"][0].partition("[")[2].removesuffix("]")
        if not self.rules.replaces(item["answer"], ours, cell.form, theirs, layer):
            yield "differs in more"
        readings = self.forms.paradigms.readings(cell.form, word.upos)
        if any(alike(reading, ours) for reading in readings):
            yield "form of the wanted cell"
        if (
            word.upos == "NOUN"
            and "Case" in item["decides"]
            and self._may_be_other(word, cell, ours)
        ):
            yield "other cell not known"
        yield from self._of_frame(match, cell)
        yield from self._of_sentence(item, match, cell)
        if "Case" in item["decides"]:
            yield from self._of_role(match, cell)
        if match.test.controller and "Gender" in item["decides"]:
            yield from self._of_gender(item["controller"], nominal=True)

    def _may_be_other(self, word: WordForm, cell: ParadigmCell, ours: Bundle) -> bool:
        """Return whether a bad form may be that of the good case in the other number."""
        noun = word._replace(form=cell.form, feats=cell.feats)
        numbers = {"Sing", "Plur"} - ours.get("Number", frozenset())
        asked = product(ours["Case"], numbers)
        return not all(self._is_otherwise(noun, one) for one in asked)

    def _of_spelling(self, item: Item, match: _Match, cell: ParadigmCell) -> Iterator[str]:
        """Yield why a form cannot stand in the sentence, however it is meant."""
        answer, rules, upos = item["answer"], self.rules, match.word(match.row).upos
        if not (rules.is_plain(answer) and rules.is_plain(cell.form)):
            yield "not one plain word"
        if _plain(rules.spelt(cell.form)) == _plain(rules.spelt(answer)):
            yield "another spelling"  # grc. ónomá, with the accent of the next word
        like = shared_letters(cell.form, answer) >= LIKE * min(len(cell.form), len(answer))
        if upos in ("NOUN", "ADJ") and not like:
            yield "too unlike the right form"
        if not rules.fits(item["left"] or "", answer, cell.form, item["right"] or "", False):
            yield "spelling of neighbours"

    def _of_frame(self, match: _Match, cell: ParadigmCell) -> Iterator[str]:
        """Yield whether the frame has the other value, too, or one that the bad form may have, or
        tells too little."""
        if match.test.controller:
            return
        value = _values(bundle(cell.feats), match.test)
        own = self.frames[match.frame]
        word = match.word(match.row)
        cases = {
            one.removeprefix("Case=") for one in own.keys() - {value} if one.startswith("Case=")
        }
        cases -= bundle(word.feats).get("Case", frozenset())
        if any(self._may_be(word._replace(form=cell.form, feats=cell.feats), one) for one in cases):
            yield "other cell not known"  # be. na ruki, which may be accusative
        if own[value] > OFTEN * own.total():
            yield "alternates"
        elif own.total() < SEEN and self._shares[match.test.id][value] > OFTEN:
            yield "seldom seen"

    @cached_property
    def _shares(self) -> Mapping[str, Mapping[str, float]]:
        """The share of each value among the targets of a test."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for (test, _), values in self.frames.items():
            counts[test].update(values)
        return {
            test: defaultdict(float, {v: n / own.total() for v, n in own.items()})
            for test, own in counts.items()
        }

    def _of_sentence(self, item: Item, match: _Match, cell: ParadigmCell) -> Iterator[str]:
        """Yield doubts that the sentence gives."""
        words = [word.casefold() for word in words_of(item["text"])]
        if cell.form.casefold() in words or words.count(item["answer"].casefold()) > 1:
            yield "form twice"
        word = match.word(match.row)
        named = match.relation(match.row) in _NAMED or match.dependents(match.row, *_NAMED)
        quoted = len(_QUOTE.findall(item["left"] or "")) % 2
        if quoted or named or word.upos == "PROPN" or "Foreign" in word.feats:
            yield "name or quotation"
        for feats, form in ((word.feats, item["answer"]), (cell.feats, cell.form)):
            known = self.forms.of_lemma(word.upos, word.lemma)
            same = {
                other.casefold() for other, theirs in known if theirs == _read(feats, word.upos)
            }
            if same - {form.casefold()}:
                yield "two forms"
                return

    def _of_role(self, match: _Match, cell: ParadigmCell) -> Iterator[str]:
        """Yield whether the target may have another role in its bad form.

        An object may be the subject, where the verb can agree with it and no subject is there that
        is surely one; a subject the object, where another word may be the subject, or nobody need
        be. What is a genitive, too, may go with another noun.
        """
        theirs = bundle(cell.feats)
        relation, case = match.relation(match.row), theirs.get("Case", frozenset())
        if relation == "case" or match.dependents(match.row, "case"):
            return
        word = match.word(match.row)
        bad = word._replace(form=cell.form, feats=cell.feats)
        other = "Gen" not in (text_of(bundle(word.feats), "Case") or "") and "Erg" not in case
        if other and self._may_be(bad, "Gen"):
            known = any("Gen" in one.get("Case", ()) for one in self._readings_of(bad))
            yield "may be a genitive" if known else "other cell not known"
        subjects, objects = (match.dependents(match.head, name) for name in ("nsubj", "obj"))
        others = [row for row in objects if row != match.row]
        fixed = self.rules.code in _FIXED
        if case & _STRAIGHT and relation != "nsubj" and not fixed:
            sure = any(self._is_nominative(match.word(row)._asdict()) for row in subjects)
            if not sure and self._may_govern(match, theirs):
                yield "may be the subject"
        elif relation == "nsubj" and not case & _STRAIGHT and self.rules.drops and not others:
            yield "object of a dropped subject"
        if case & _OBLIQUE and not fixed:
            words = [match.word(row) for row in others]
            straight = [bundle(one.feats) for one in words if self._may_be(one, "Nom")]
            if any(self._may_govern(match, feats) for feats in straight):
                yield "may be the object"

    def _may_govern(self, match: _Match, feats: Bundle) -> bool:
        """Return whether the verb and its auxiliaries can agree with a word, by some reading."""
        asked, names = third_person(feats), ("Number", "Person", "Gender")
        return all(
            any(alike(reading, asked, names) for reading in self._readings_of(match.word(row)))
            for row in (match.head, *match.dependents(match.head, "aux", "cop"))
        )

    def _readings_of(self, word: WordForm) -> list[Bundle]:
        parts = ("VERB", "AUX") if word.upos in ("VERB", "AUX") else (word.upos,)
        return [bundle(word.feats), *self.forms.paradigms.readings(word.form, *parts)]

    def _may_be(self, word: WordForm, case: str) -> bool:
        """Return whether a word may be in a case: by a reading, or as nothing tells of a noun that
        it is spelt otherwise there, in either number."""
        readings = self._readings_of(word)
        if any(case in reading.get("Case", (case,)) for reading in readings):
            return True
        usual = self._nouns_in[case] >= RARE * len(self._cells_of_nouns)
        return (
            word.upos == "NOUN"
            and usual
            and not all(self._is_otherwise(word, (case, number)) for number in ("Sing", "Plur"))
        )

    @cached_property
    def _nouns_in(self) -> Counter[str]:
        """How many nouns have a form in which case."""
        cases = ({case for case, _ in cells} for cells in self._cells_of_nouns.values())
        return Counter(case for own in cases for case in own)

    def _is_otherwise(self, noun: WordForm, cell: tuple[str, str]) -> bool:
        """Return whether a noun is surely spelt otherwise in a case and number: its form there is
        known, or no noun with its ending has that ending there, of :data:`SURE` or more."""
        form, known = noun.form.casefold(), self._cells_of_nouns.get(noun.lemma, {})
        if cell in known:
            return form not in known[cell]
        totals = (self._endings[form[-size:], cell] for size in (4, 3, 2) if len(form) > size)
        return next((alike for alike, total in totals if total >= SURE), 1) == 0

    @cached_property
    def _cells_of_nouns(self) -> Mapping[str, Mapping[tuple[str, str], set[str]]]:
        """The forms of each noun by case and number."""
        found: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
        for word in (*self.forms.attested, *(self.forms.unimorph or ())):
            feats = bundle(word.feats) if word.upos == "NOUN" else {}
            for cell in product(feats.get("Case", ()), feats.get("Number", ())):
                found[word.lemma][cell].add(word.form.casefold())
        return found

    @cached_property
    def _endings(self) -> Mapping[tuple[str, tuple[str, str]], tuple[int, int]]:
        """Of the nouns that have a form with an ending, and a form in a case and number: how many
        have that ending there, and how many there are."""
        counts: dict[tuple[str, tuple[str, str]], list[int]] = defaultdict(lambda: [0, 0])
        for cells in self._cells_of_nouns.values():
            forms = {form for own in cells.values() for form in own}
            endings = {form[-size:] for form in forms for size in (4, 3, 2) if len(form) > size}
            for (cell, own), ending in product(cells.items(), endings):
                counts[ending, cell][0] += any(form.endswith(ending) for form in own)
                counts[ending, cell][1] += 1
        return defaultdict(lambda: (0, 0), {key: (a, b) for key, (a, b) in counts.items()})

    def _partners(
        self, item: Item, match: _Match, cell: ParadigmCell, starts: Ints
    ) -> tuple[tuple[str, str] | None, str]:
        """Return the text around the target in which its partners have changed with it, and why a
        pair cannot be made."""
        ours, theirs = bundle(match.word(match.row).feats), bundle(cell.feats)
        both = ours.keys() & theirs.keys()
        names = [n for n in AGREEMENT if n in both and not ours[n] & theirs[n]]
        changed = dict[int, str]()
        for row in _family(match, (*_PARTNERS, *match.test.agreeing)):
            word = match.word(row)
            feats = bundle(word.feats)
            shared = {
                n: text_of(theirs, n) or "" for n in names if n in feats and feats[n] & ours[n]
            }
            if not shared:
                continue
            if (
                match.relation(row) not in (*match.test.agreeing, "conj")
                or match.tokens.multiword[row]
            ):
                return None, "a partner would change"
            wanted = {**feats, **{name: theirs[name] for name in shared}}
            if any(alike(r, wanted) for r in self.forms.paradigms.readings(word.form, word.upos)):
                continue
            if not (cells := self._cells_of(word, shared)):
                return None, "a partner has no form"
            changed[row] = cells[0].form
        left, right = item["left"] or "", item["right"] or ""
        for row in sorted(changed, reverse=True):
            at, old = int(starts[match.tokens.written[row]]), match.word(row).form
            new = changed[row].capitalize() if old[:1].isupper() else changed[row]
            if row < match.row:
                left = left[:at] + new + left[at + len(old) :]
            else:
                at -= len(item["left"] or "") + len(item["answer"])
                right = right[:at] + new + right[at + len(old) :]
        return ((left, right) if changed else None), ""


def query_forms(
    code: str, tests: Sequence[Test], treebanks: Sequence[LocalSource], unimorph: LocalSource | None
) -> QueryForms:
    """Return the wrong forms of what tests find in a language, from treebanks and a UniMorph list.

    The list is read if some test wants it.
    """
    asked = QueryForms(rules_of(code), LanguageForms(code, {}), tests=tests)
    wanted = unimorph if any(test.forms != "treebank" for test in tests) else None
    return replace(asked, forms=read_inventory(code, treebanks, wanted, asked.see))


def _family(match: _Match, relations: Sequence[str]) -> Iterator[int]:
    """Yield the dependents of a target with some relations, and what is coordinated with them."""
    for row in match.dependents(match.row, *relations):
        yield row
        yield from match.dependents(row, "conj")


def _matches(graphs: Graphs, test: Test, free: bool = False) -> Iterator[_Match]:
    """Yield the words that a test finds, each once, in the order of the text."""
    request, linked = test.free if free else test.request, test.linked
    deprel, lemmas = graphs.tokens.deprel, graphs.tokens.lemmas
    found = dict[int, _Match]()
    for maps in find_maps(graphs, request):
        names = {test.target, *linked, *test.keep, test.controller or test.target}
        rows = {name: graphs.row[maps[name]].tolist() for name in names}
        for number, row in enumerate(rows[test.target]):
            near = [rows[name][number] for name in linked]
            frame = (
                deprel.values[deprel.codes[row]],
                *(lemmas.values[lemmas.codes[n]] for n in near),
            )
            head = int(graphs.tokens.head[row])
            rulers = [rows[test.controller][number]] if test.controller else [*near, head, row]
            ruler = next(one for one in rulers if one >= 0)
            kept = {name: rows[name][number] for name in test.keep}
            found.setdefault(row, _Match(test, graphs, row, head, ruler, (test.id, frame), kept))
    return (found[row] for row in sorted(found) if row >= 0)


def _values(feats: Bundle, test: Test) -> str:
    """Return the values of the features that a test changes."""
    return "|".join(f"{name}={text_of(feats, name)}" for name in test.features)


def _plain(form: str) -> str:
    """Return a form without accents."""
    return re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", form))


def _read(feats: str, upos: str) -> Bundle:
    return third_person(bundle(feats)) if upos == "NOUN" else bundle(feats)


def _sentence(match: _Match, instead: tuple[str, str, str]) -> str:
    """Return a match's sentence as CoNLL-U, with another form, part of speech and FEATS of the
    target."""
    tokens = match.tokens
    sentence = tokens.sentence[match.row]
    start, end = tokens.sentences.start[sentence], tokens.sentences.end[sentence]
    lines = []
    for row in range(start, end):
        form, lemma, upos, feats = match.word(row)
        if row == match.row:
            form, upos, feats = instead
        head = tokens.head[row] - start + 1 if tokens.head[row] >= 0 else 0
        relation = tokens.deprel.values[tokens.deprel.codes[row]]
        xpos = tokens.xpos.values[tokens.xpos.codes[row]]
        cells = (tokens.number[row], form, lemma, upos, xpos, feats, head, relation, "_", "_")
        lines.append("\t".join(map(str, cells)) + "\n")
    return "".join(lines)
