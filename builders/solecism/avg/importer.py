"""From an attribute-varying grammar to templates and lexicon tables, to start from.

Source of the grammar's format: Mueller et al. (2020), section 3; of what is written:
``docs/formats.md``. ``docs/avg.md`` says how the one becomes the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path

from solecism.avg.grammar import Grammar, Rule, Symbol, read_grammar
from solecism.avg.tables import (
    WordTable,
    identifier,
    nfc,
    ud_features,
    word_tables,
)
from solecism.errors import InputError, Problem, fail
from solecism.files import add_texts
from solecism.lexicon.features import UNIVERSAL, Feats, agree, clash
from solecism.lexicon.table import table_text

__all__ = ["import_avg"]

_NOMINAL = ("NOUN", "PRON")


def import_avg(grammar_path: Path, out: Path, language: str, dataset: str) -> list[Path]:
    """Write templates and lexicon tables that make a grammar's sentences; return their paths.

    ``common.avg`` beside the grammar is read too. Under ``out`` come
    ``templates/<dataset>/<language>/`` and ``lexicons/<language>/``. Nothing is overwritten: raises
    :class:`InputError` listing the files that are there already (one that would come out the
    same is left alone), or with every problem of the grammar.
    """
    for name in (language, dataset):
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise fail(f"{name!r} cannot be the name of a folder")
    common = grammar_path.with_name("common.avg")
    grammar = read_grammar(grammar_path, common if common.is_file() else None)
    _refuse(grammar)
    tables = word_tables(grammar)
    drafts = _merged(_drafts(grammar, tables))
    if not drafts:
        raise fail("no sentence has an ungrammatical one: there is no minimal pair", grammar_path)
    folder, lexicons = out / "templates" / dataset / language, out / "lexicons" / language
    texts = {lexicons / f"{words.name}.tsv": table_text(words.table()) for words in tables.values()}
    for number, draft in enumerate(drafts, 1):
        uid = grammar.name if len(drafts) == 1 else f"{grammar.name}_{number}"
        texts[folder / f"{uid}.jinja"] = draft.text(uid, grammar_path.name)
    return add_texts(out, dict(sorted(texts.items())))


def _refuse(grammar: Grammar) -> None:
    marked = [d for d in grammar.definitions if any("#" in terminal for terminal in d.terminals)]
    if marked:
        message = "a lexicon's words cannot hold '#', which tells homonyms apart"
        raise InputError(Problem(f"{d.left}: {message}", d.path, d.line) for d in marked)


@dataclass(frozen=True)
class _Place:
    """A preterminal of a template as a slot; ``noun`` is the one that it agrees with, if any."""

    slot: str
    words: WordTable
    good: Rule
    wrong: tuple[Rule, ...]
    noun: _Place | None = None

    @property
    def cell(self) -> Feats:
        """The features of the good form."""
        return self.words.cells[self.good]

    @property
    def model(self) -> Feats:
        """The features that others agree with, as the engine sees them."""
        third = {"Person": "3"} if self.words.upos == "NOUN" else {}
        known = {n: v for n, v in self.words.properties[self.good].items() if n in UNIVERSAL}
        return Feats.of({**third, **known}).updated(self.cell)

    @property
    def names(self) -> list[str]:
        """The features in which wrong forms differ from the good one."""
        wrong = [self.words.cells[rule] for rule in self.wrong]
        return [n for n in self.cell if any(cell.get(n) != self.cell[n] for cell in wrong)]

    def follows(self, noun: _Place) -> bool:
        """Tell whether agreement with a noun picks just the good form, and a clash the wrong ones."""
        kin, wrong = self.words.kin(self.good), [self.words.cells[rule] for rule in self.wrong]
        right = [c for c in kin if agree(c, noun.model) and set(c) & set(noun.model)]
        others = [c for c in kin if clash(c, noun.model, self.names)]
        others = [c for c in others if agree(c, self.cell, ignoring=self.names)]
        return right == [self.cell] and others == wrong

    @property
    def right(self) -> str:
        """The expression that prints the good form."""
        return f"{self.slot} | agree({self.noun.slot})" if self.noun else self.slot

    @property
    def bad(self) -> list[str]:
        """The expressions that print the wrong forms."""
        if self.noun and self.wrong:
            return [f"{self.slot} | clash({self.noun.slot}, {json.dumps(self.names)[1:-1]})"]
        return [f"{self.slot} | form({self._moved(self.words.cells[rule])})" for rule in self.wrong]

    def _moved(self, wrong: Feats) -> str:
        new = Feats(tuple(pair for pair in wrong.pairs if pair not in self.cell.pairs))
        asked, kin = self.cell.updated(new), self.words.kin(self.good)
        found = [c for c in kin if set(new) <= set(c) and agree(c, asked)]
        wanted = new if found == [wrong] else wrong
        return ", ".join(f'{name}="{wanted.text(name)}"' for name in wanted)

    @property
    def wants(self) -> dict[str, list[str]]:
        """What the slot asks of its words and, where it does not agree, of their forms."""
        known = {n: v.split(",") for n, v in self.words.properties[self.good].items()}
        kin = self.words.kin(self.good)
        telling = [
            p for p in self.cell.pairs if p[0] == "Number" or any(p not in c.pairs for c in kin)
        ]
        forms = {} if self.noun else {n: sorted(v) for n, v in telling}
        return {"from": [self.words.name], **known, **forms}


@dataclass(frozen=True)
class _Draft:
    """A template to be written, without its name: what its slots ask, its sentences, more front
    matter, and the grammar's lines that it was made from."""

    slots: Mapping[str, Mapping[str, list[str]]]
    sentences: tuple[str, ...]
    front: tuple[str, ...]
    lines: tuple[int, ...]

    @property
    def frame(self) -> str:
        """What drafts have in common that differ in number alone."""
        slots = {k: {**w, "Number": "Number" in w} for k, w in self.slots.items()}
        return json.dumps([slots, self.sentences])

    @property
    def numbers(self) -> dict[str, str]:
        """The number asked of each slot's form."""
        return {name: ",".join(wants.get("Number", ())) for name, wants in self.slots.items()}

    def text(self, uid: str, source: str) -> str:
        """The template file."""
        lines = ", ".join(map(str, sorted(set(self.lines))))
        about = f"Imported from {source}, line {lines}; say here what is tested."
        slots = [f"  {slot}: {{{', '.join(_flow(w))}}}" for slot, w in self.slots.items()]
        head = [f"id: {_yaml(uid)}", f"about: {_yaml(about)}", *self.front, "slots:", *slots]
        return "\n".join(["---", *head, "---", *self.sentences, ""])


def _flow(wants: Mapping[str, list[str]]) -> Iterator[str]:
    for name, values in wants.items():
        texts = ", ".join(map(_yaml, values))
        yield f"{name}: {texts}" if len(values) == 1 else f"{name}: [{texts}]"


def _yaml(text: str) -> str:
    return text if re.fullmatch(r"\w+", text) else json.dumps(text, ensure_ascii=False)


def _drafts(grammar: Grammar, tables: Mapping[str, WordTable]) -> Iterator[_Draft]:
    controllers = _controllers(grammar, tables)
    for template in grammar.templates:
        for rules in product(*(grammar.fitting(symbol) for symbol in template.symbols)):
            places = _places(grammar, template, rules, tables)
            nouns = [place for place in places if place.words.upos in _NOMINAL]
            found = [_attached(place, nouns, controllers) for place in places]
            if any(place.wrong for place in found):
                yield _draft(template, found, nouns)


def _places(
    grammar: Grammar, template: Rule, rules: Iterable[Rule], tables: Mapping[str, WordTable]
) -> list[_Place]:
    places: list[_Place] = []
    for symbol, rule in zip(template.symbols, rules, strict=True):
        words = tables[symbol.name]
        slot = identifier(words.name, [place.slot for place in places])
        places.append(_Place(slot, words, rule, grammar.wrong(symbol)))
    return places


def _attached(place: _Place, nouns: list[_Place], controllers: Mapping[str, int]) -> _Place:
    number = controllers.get(place.slot, len(nouns))
    noun = nouns[number] if number < len(nouns) else None
    return replace(place, noun=noun) if noun and place.follows(noun) else place


def _controllers(grammar: Grammar, tables: Mapping[str, WordTable]) -> dict[str, int]:
    """For each slot that has, in all templates, the number of just one of the nouns: which one."""
    found: dict[str, set[int]] = {}
    for template in grammar.templates:
        places = _places(grammar, template, (Rule(s, ()) for s in template.symbols), tables)
        numbers = {place.slot: ud_features(place.good.left).get("Number") for place in places}
        nouns = [numbers[place.slot] for place in places if place.words.upos in _NOMINAL]
        for place in places:
            if place.words.upos not in _NOMINAL and (number := numbers[place.slot]):
                same = {k for k, other in enumerate(nouns) if other == number}
                found[place.slot] = found.get(place.slot, same) & same
    return {slot: min(same) for slot, same in found.items() if len(same) == 1}


def _draft(template: Rule, places: list[_Place], nouns: list[_Place]) -> _Draft:
    left = iter(places)
    parts = [next(left) if isinstance(part, Symbol) else part for part in template.right]
    words = [f"{{{{ {p.right} }}}}" if isinstance(p, _Place) else _literal(p) for p in parts]
    spots = [(i, p) for i, p in enumerate(parts) if isinstance(p, _Place)]
    bad = [[*words[:i], f"{{{{ {b} }}}}", *words[i + 1 :]] for i, p in spots for b in p.bad]
    sentences = [f"good: {' '.join(words)}", *(f"bad: {' '.join(sentence)}" for sentence in bad)]
    slots = {place.slot: place.wants for place in places}
    return _Draft(slots, tuple(sentences), _front(places, nouns), (template.line,))


def _front(places: list[_Place], nouns: list[_Place]) -> tuple[str, ...]:
    controllers = {p.noun.slot for p in places if p.wrong and p.noun}
    others = [noun.slot for noun in nouns if noun.slot not in controllers]
    tables = [place.words.name for place in places]
    twice = [place.slot for place in places if tables.count(place.words.name) > 1]
    front = {"may_repeat": twice, "attractors": others if len(controllers) == 1 else []}
    lines = [f"{key}: [{', '.join(slots)}]" for key, slots in front.items() if slots]
    lines += [f"controller: {slot}" for slot in controllers if len(controllers) == 1]
    verbs = all(place.words.upos == "VERB" and place.noun for place in places if place.wrong)
    return (*(["phenomenon: subject_verb_agreement"] if verbs else []), *lines)


def _literal(word: str) -> str:
    text = json.dumps(nfc(word), ensure_ascii=False)
    return f"{{{{ {text} }}}}" if re.search(r"[{}\\#]", word) else nfc(word)


def _merged(drafts: Iterable[_Draft]) -> list[_Draft]:
    """Join drafts that differ in number alone where together they have every combination."""
    groups: dict[str, list[_Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.frame, []).append(draft)
    return [draft for group in groups.values() for draft in _joined(group)]


def _joined(group: list[_Draft]) -> list[_Draft]:
    first = group[0].slots
    numbers = {slot: list(dict.fromkeys(draft.numbers[slot] for draft in group)) for slot in first}
    if len({tuple(d.numbers.values()) for d in group}) < prod(map(len, numbers.values())):
        return group
    wants = {
        k: {**w, **({"Number": numbers[k]} if "Number" in w else {})} for k, w in first.items()
    }
    return [replace(group[0], slots=wants, lines=tuple(n for d in group for n in d.lines))]
