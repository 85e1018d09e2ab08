"""Turns an attribute-varying grammar into templates and lexicon tables, for people to edit.

Mueller et al. (2020), section 3, describe the grammar, ``docs/formats.md`` describes templates and
tables, and ``docs/avg.md`` how the one becomes the other.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count, permutations, product
from math import prod
from pathlib import Path

from solecism.avg.grammar import Grammar, GrammarRule, Symbol, read_grammar
from solecism.errors import InputError, Problem, fail
from solecism.files import add_texts
from solecism.inputs import read_text, read_toml
from solecism.lexicon.features import UNIVERSAL, Feats, agree, clash, subset
from solecism.lexicon.table import UPOS, Row, Table, table_text

_NOMINAL = ("NOUN", "PRON")

_KNOWN = read_toml(Path(__file__).with_suffix(".toml"))
_FEATURES: dict[str, tuple[str, str]] = _KNOWN["features"]
_GUESSES: dict[str, str] = _KNOWN["guesses"]
_RESERVED: list[str] = _KNOWN["reserved"]

Family = tuple[GrammarRule, ...]
"""Definitions whose terminals are, position by position, forms of the same words."""


def import_avg(grammar_path: Path, out: Path, language: str, dataset: str) -> list[Path]:
    """Write templates and lexicon tables that make a grammar's sentences; return their paths.

    A file ``common.avg`` beside the grammar is read too. The files are written into
    ``templates/<dataset>/<language>/`` and ``lexicons/<language>/`` of the folder ``out``. Raises
    :class:`InputError` with every problem of the grammar, or with all files that are there already
    with another text: nothing is overwritten. Words are added to tables that are there.
    """
    for name in (language, dataset):
        if not re.fullmatch(r"\w[\w.-]*", name):
            raise fail(f"{name!r} cannot be the name of a folder")
    common = grammar_path.with_name("common.avg")
    grammar = read_grammar(grammar_path, common if common.is_file() else None)
    if marked := [d for d in grammar.definitions if any("#" in text for text in d.terminals)]:
        message = "a lexicon's words cannot hold '#', which tells homonyms apart"
        raise InputError(Problem(f"{d.left}: {message}", d.path, d.line) for d in marked)
    tables = _word_tables(grammar)
    drafts = _merged(_drafts(grammar, tables))
    if not drafts:
        raise fail("no sentence has an ungrammatical one: there is no minimal pair", grammar_path)
    folder, lexicons = out / "templates" / dataset / language, out / "lexicons" / language
    tables_of = {lexicons / f"{words.name}.tsv": words.table() for words in tables.values()}
    texts = {path: _with_words(table_text(table), path) for path, table in tables_of.items()}
    for number, draft in enumerate(drafts, 1):
        uid = grammar.name if len(drafts) == 1 else f"{grammar.name}_{number}"
        texts[folder / f"{uid}.jinja"] = draft.text(uid, grammar_path.name)
    return add_texts(
        out, dict(sorted(texts.items())), lambda path: texts[path].startswith(read_text(path))
    )


def _with_words(new: str, path: Path) -> str:
    """Return the text of a table, with the words of a table of the same columns that is there
    first; raise :class:`InputError` for lemmas that have other cells there."""
    old = read_text(path) if path.is_file() else ""
    if not old.startswith(new.partition("\n")[0] + "\n"):
        return new
    known, rows = (
        {row.partition("\t")[0]: row for row in text.splitlines()} for text in (old, new)
    )
    if other := [lemma for lemma, row in rows.items() if known.get(lemma, row) != row]:
        message = "is there already with other cells"
        raise InputError(Problem(f"lemma {lemma!r} {message}", str(path)) for lemma in other)
    return old + "".join(f"{row}\n" for lemma, row in rows.items() if lemma not in known)


@dataclass(frozen=True)
class _WordTable:
    """The lexicon table that a preterminal becomes.

    ``families``: its definitions, grouped by words; ``cells``: the features of each definition's
    forms; ``properties``: the values of columns that each definition's words have.
    """

    name: str
    upos: str
    families: tuple[Family, ...]
    cells: Mapping[GrammarRule, Feats]
    properties: Mapping[GrammarRule, Mapping[str, str]]

    def kin(self, rule: GrammarRule) -> list[Feats]:
        """Return the features of all forms of a definition's words, itself included."""
        return [self.cells[r] for family in self.families if rule in family for r in family]

    def table(self) -> Table:
        """Return the lexicon table."""
        cells = tuple(cell for cell in dict.fromkeys(self.cells.values()) if cell)
        names = dict.fromkeys(name for known in self.properties.values() for name in known)
        columns = (*(["UPOS"] if self.name not in UPOS else []), *names)
        seen: Counter[str] = Counter()
        rows = []
        for family in self.families:
            first = next((rule for rule in family if "s" in rule.left.attributes), family[0])
            known = {"UPOS": self.upos, **self.properties[first]}
            for i, lemma in enumerate(map(_nfc, first.terminals)):
                seen[lemma] += 1
                name = lemma if seen[lemma] == 1 else f"{lemma}#{seen[lemma]}"
                forms = {self.cells[rule]: _nfc(rule.terminals[i]) for rule in family}
                more = {column: known.get(column, "") for column in columns}
                rows.append(Row(name, forms, more, self.upos))
        return Table("", self.name, cells, columns, tuple(rows))


@dataclass(frozen=True)
class _SlotDraft:
    """The slot that a preterminal of a template becomes.

    ``slot``: its name; ``good`` and ``wrong``: the definitions of its good and its wrong forms;
    ``noun``: the slot of the noun that it agrees with, if any.
    """

    slot: str
    words: _WordTable
    good: GrammarRule
    wrong: tuple[GrammarRule, ...]
    noun: _SlotDraft | None = None

    @property
    def cell(self) -> Feats:
        """The features of the good form."""
        return self.words.cells[self.good]

    @property
    def features(self) -> Feats:
        """The features with which other slots agree when templates are filled."""
        third = {"Person": "3"} if self.words.upos == "NOUN" else {}
        known = {n: v for n, v in self.words.properties[self.good].items() if n in UNIVERSAL}
        return Feats.of({**third, **known}).updated(self.cell)

    @property
    def changed(self) -> list[str]:
        """The names of the features in which wrong forms differ from the good one."""
        wrong = [self.words.cells[rule] for rule in self.wrong]
        return [n for n in self.cell if any(cell.get(n) != self.cell[n] for cell in wrong)]

    def follows(self, noun: _SlotDraft) -> bool:
        """Return whether ``agree`` with a noun gives just the good form, and ``clash`` with it
        just the wrong ones."""
        kin, wrong = self.words.kin(self.good), [self.words.cells[rule] for rule in self.wrong]
        right = [c for c in kin if agree(c, noun.features) and set(c) & set(noun.features)]
        others = [c for c in kin if clash(c, noun.features, self.changed)]
        others = [c for c in others if agree(c, self.cell, ignoring=self.changed)]
        return right == [self.cell] and others == wrong

    @property
    def right(self) -> str:
        """The expression that prints the good form."""
        return f"{self.slot} | agree({self.noun.slot})" if self.noun else self.slot

    @property
    def bad(self) -> list[str]:
        """The expressions that print the wrong forms."""
        if self.noun and self.wrong:
            return [f"{self.slot} | clash({self.noun.slot}, {json.dumps(self.changed)[1:-1]})"]
        cells = [self.words.cells[rule] for rule in self.wrong]
        asked = [", ".join(f'{name}="{cell.text(name)}"' for name in cell) for cell in cells]
        return [f"{self.slot} | form({features})" for features in asked]

    @property
    def wants(self) -> dict[str, list[str]]:
        """What the slot asks of its words and, if it agrees with no noun, of their forms."""
        known = {n: v.split(",") for n, v in self.words.properties[self.good].items()}
        kin = self.words.kin(self.good)
        same = set(self.cell.pairs).intersection(*(c.pairs for c in kin))
        telling = (p for p in self.cell.pairs if p[0] == "Number" or p not in same)
        forms = {} if self.noun else {n: sorted(v) for n, v in telling}
        return {"from": [self.words.name], **known, **forms}


@dataclass(frozen=True)
class _TemplateDraft:
    """A template to be written, without its name.

    ``slots``: what each slot asks; ``sentences``: its lines after the front matter; ``front``: more
    lines of front matter; ``lines``: the numbers of the grammar's lines that it was made from.
    """

    slots: Mapping[str, Mapping[str, list[str]]]
    sentences: tuple[str, ...]
    front: tuple[str, ...]
    lines: tuple[int, ...]

    def text(self, uid: str, source: str) -> str:
        """Return the text of the template file."""
        lines = ", ".join(map(str, sorted(set(self.lines))))
        about = f"Imported from {source}, line {lines}; say here what is tested."
        head = [f"id: {_yaml(uid)}", f"about: {_yaml(about)}", *self.front, "slots:"]
        for slot, wants in self.slots.items():
            texts = {name: ", ".join(map(_yaml, values)) for name, values in wants.items()}
            asked = [f"{n}: {t}" if len(wants[n]) == 1 else f"{n}: [{t}]" for n, t in texts.items()]
            head.append(f"  {slot}: {{{', '.join(asked)}}}")
        return "\n".join(["---", *head, "---", *self.sentences, ""])


def _yaml(text: str) -> str:
    """Return a text as YAML has it, in quotation marks if it needs them."""
    return text if re.fullmatch(r"\w+", text) else json.dumps(text, ensure_ascii=False)


def _drafts(grammar: Grammar, tables: Mapping[str, _WordTable]) -> Iterator[_TemplateDraft]:
    """Yield a draft for each choice of definitions in each template that has bad sentences."""
    controllers = _controllers(grammar, tables)
    for template in grammar.templates:
        for rules in product(*(grammar.fitting(symbol) for symbol in template.symbols)):
            places = _places(grammar, template, rules, tables)
            nouns = [place for place in places if place.words.upos in _NOMINAL]
            if any(place.wrong for place in places):
                attached = []
                for place in places:
                    noun = dict(enumerate(nouns)).get(controllers.get(place.slot, len(nouns)))
                    follows = noun is not None and place.follows(noun)
                    attached.append(replace(place, noun=noun) if follows else place)
                yield _draft(template, attached, nouns)


def _places(
    grammar: Grammar,
    template: GrammarRule,
    rules: Iterable[GrammarRule],
    tables: Mapping[str, _WordTable],
) -> list[_SlotDraft]:
    """Return the slots of a template, with ``rules`` as the definitions of their good forms."""
    places: list[_SlotDraft] = []
    for symbol, rule in zip(template.symbols, rules, strict=True):
        words = tables[symbol.name]
        slot = _identifier(words.name, [place.slot for place in places])
        places.append(_SlotDraft(slot, words, rule, grammar.wrong(symbol)))
    return places


def _controllers(grammar: Grammar, tables: Mapping[str, _WordTable]) -> dict[str, int]:
    """Return the noun, counted from 0, that each slot agrees with in number.

    That is the one noun that has the slot's number in all templates; slots without one are left
    out.
    """
    found: dict[str, set[int]] = {}
    for template in grammar.templates:
        places = _places(grammar, template, (GrammarRule(s, ()) for s in template.symbols), tables)
        numbers = {place.slot: _ud_features(place.good.left).get("Number") for place in places}
        nouns = [numbers[place.slot] for place in places if place.words.upos in _NOMINAL]
        for place in places:
            if place.words.upos not in _NOMINAL and (number := numbers[place.slot]):
                same = {k for k, other in enumerate(nouns) if other == number}
                found[place.slot] = found.get(place.slot, same) & same
    return {slot: min(same) for slot, same in found.items() if len(same) == 1}


def _draft(
    template: GrammarRule, places: list[_SlotDraft], nouns: list[_SlotDraft]
) -> _TemplateDraft:
    left = iter(places)
    parts = [next(left) if isinstance(part, Symbol) else part for part in template.right]
    words = [f"{{{{ {p.right} }}}}" if isinstance(p, _SlotDraft) else _literal(p) for p in parts]
    spots = [(i, p) for i, p in enumerate(parts) if isinstance(p, _SlotDraft)]
    bad = [[*words[:i], f"{{{{ {b} }}}}", *words[i + 1 :]] for i, p in spots for b in p.bad]
    sentences = [f"good: {' '.join(words)}", *(f"bad: {' '.join(sentence)}" for sentence in bad)]
    slots = {place.slot: place.wants for place in places}
    return _TemplateDraft(slots, tuple(sentences), _front(places, nouns), (template.line,))


def _front(places: list[_SlotDraft], nouns: list[_SlotDraft]) -> tuple[str, ...]:
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
    text = json.dumps(_nfc(word), ensure_ascii=False)
    return f"{{{{ {text} }}}}" if re.search(r"[{}\\#]", word) else _nfc(word)


def _merged(drafts: Iterable[_TemplateDraft]) -> list[_TemplateDraft]:
    """Return drafts; those that differ in number alone are joined if they have all combinations."""
    groups: dict[str, list[_TemplateDraft]] = {}
    for draft in drafts:
        slots = {slot: {**w, "Number": "Number" in w} for slot, w in draft.slots.items()}
        groups.setdefault(json.dumps([slots, draft.sentences]), []).append(draft)
    return [draft for group in groups.values() for draft in _joined(group)]


def _joined(group: list[_TemplateDraft]) -> list[_TemplateDraft]:
    slots = {slot: dict(wants) for slot, wants in group[0].slots.items()}
    given = [[",".join(w.get("Number", ())) for w in draft.slots.values()] for draft in group]
    numbers = [list(dict.fromkeys(of_slot)) for of_slot in zip(*given, strict=True)]
    if len(set(map(tuple, given))) < prod(map(len, numbers)):
        return group
    for wants, several in zip(slots.values(), numbers, strict=True):
        if "Number" in wants:
            wants["Number"] = several
    return [replace(group[0], slots=slots, lines=tuple(n for d in group for n in d.lines))]


def _word_tables(grammar: Grammar) -> dict[str, _WordTable]:
    """Return the table of each preterminal of the templates, by the preterminal's name."""
    tables: dict[str, _WordTable] = {}
    for name in (s.name for template in grammar.templates for s in template.symbols):
        if name not in tables:
            taken = [*_RESERVED, *(words.name for words in tables.values())]
            tables[name] = _words(grammar, name, _identifier(name, taken))
    return tables


def _identifier(name: str, taken: Iterable[str]) -> str:
    """Return a name that a table or slot can have, with a number if it is ``taken`` already."""
    base = re.sub(r"^(?![a-z])", "x_", re.sub(r"\W", "_", _nfc(name).lower()))
    numbered = (f"{base}_{number}" for number in count(2))
    return next(found for found in chain([base], numbered) if found not in taken)


def _words(grammar: Grammar, name: str, table: str) -> _WordTable:
    """Return the table, called ``table``, of the preterminal called ``name``."""
    families = _families(grammar, [d for d in grammar.definitions if d.left.name == name])
    known = {rule: _ud_features(rule.left) for family in families for rule in family}
    pairs = [pair for family in families for pair in permutations(family, 2)]
    unlike = {n for a, b in pairs for n in known[a] if known[a][n] != known[b].get(n)}
    forms = {"Number", "Person", *unlike}
    cells = {r: Feats.of({n: v for n, v in f.items() if n in forms}) for r, f in known.items()}
    words = {r: {n: ",".join(v) for n, v in f.items() if n not in forms} for r, f in known.items()}
    if any(subset(cells[a], cells[b]) for a, b in pairs) or len(set(map(bool, cells.values()))) > 1:
        marks = {r: Feats.of({"Form": str(i)}) for f in families for i, r in enumerate(f, 1)}
        cells = {rule: cell.updated(marks[rule]) for rule, cell in cells.items()}
    alike = any(words[f[0]].items() <= words[g[0]].items() for f, g in permutations(families, 2))
    if alike or any(set(rule.left.attributes) - set(_FEATURES) for rule in known):
        words = {r: {**words[r], "Variant": _variant(f, families)} for f in families for r in f}
    upos = UPOS.get(table) or _GUESSES.get(re.split("[^a-z]", name.lower())[0], "X")
    return _WordTable(table, upos, families, cells, words)


def _families(grammar: Grammar, rules: list[GrammarRule]) -> tuple[Family, ...]:
    """Return definitions grouped by words: a group varies, or differs in person and number only."""
    symbols = {s for template in grammar.templates for s in template.symbols}
    varied = {(a, b) for s in symbols for a in grammar.fitting(s) for b in grammar.wrong(s)}
    lexemes = {r: (set(r.left.attributes) - set("123sp"), len(r.terminals)) for r in rules}
    family = {rule: {rule} for rule in rules}
    for a, b in permutations(rules, 2):
        if (a, b) in varied or lexemes[a] == lexemes[b]:
            family[a] |= family[b]
            family.update((rule, family[a]) for rule in family[b])
    return tuple(dict.fromkeys(tuple(r for r in rules if r in family[rule]) for rule in rules))


def _variant(family: Family, families: tuple[Family, ...]) -> str:
    """Return a value that tells a family's words from those of others, made of its attributes."""
    strange = [[a for a in f[0].left.attributes if a not in _FEATURES] for f in families]
    clear = all(strange.count(attributes) == 1 for attributes in strange)
    attributes = strange[families.index(family)] if clear else family[0].left.attributes
    return "_".join(map(_nfc, attributes)) or "plain"


def _ud_features(symbol: Symbol) -> dict[str, list[str]]:
    """Return the UD features that a symbol's attributes mean; other attributes are left out."""
    found: dict[str, list[str]] = {}
    for name, value in (_FEATURES[a] for a in symbol.attributes if a in _FEATURES):
        found.setdefault(name, []).append(value)
    return found


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
