"""The words that a slot may take, and which of them an expression can tell apart."""

from __future__ import annotations

import operator
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, candidates, fail
from solecism.grammar.phrases import Phrases
from solecism.grammar.template import WEIGHT, Slot
from solecism.grammar.uses import Uses
from solecism.grammar.words import FEATS, ROW, WHOLE, TemplateFault, Word, classes_wanted
from solecism.grouping import MAX_CODE, Ints, first_rows
from solecism.hashing import Hashes, text_hashes
from solecism.lexicon.features import Feats
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import Row, Table

_TESTS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


@dataclass(frozen=True, eq=False)
class Domain:
    """The entries of a slot: the words that it may take.

    If forms are drawn too, a word has an entry for each form; else its ``cell`` is None, and the
    sentence decides on the form.
    """

    slot: Slot
    words: tuple[Word, ...]
    _groups: dict[frozenset[str], tuple[Ints, tuple[int, ...]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def names(self) -> list[str]:
        """A text for each entry; no two entries of the slot have the same."""
        texts = {cell: str(cell or "") for cell in {word.cell for word in self.words}}
        return [f"{w.table.key}:{w.row.lemma}:{texts[w.cell]}" for w in self.words]

    @cached_property
    def lemmas(self) -> tuple[tuple[tuple[str, str], ...], Ints]:
        """The distinct words (table and lemma), and for each entry the place of its word."""
        numbers = {id(word.row): word for word in self.words}
        places = dict(zip(numbers, range(len(numbers)), strict=True))
        found = [places[id(word.row)] for word in self.words]
        keys = tuple((word.table.main, word.row.lemma) for word in numbers.values())
        return keys, np.array(found, dtype=np.intp)

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit number for each entry, the same on every machine."""
        return text_hashes([f"{self.slot.name}={name}" for name in self.names])

    @cached_property
    def weights(self) -> Ints:
        """How often each entry is drawn, relative to the others: 1 unless the slot has weights."""
        return np.array([_weight(word, self.slot) for word in self.words], dtype=np.intp)

    def groups(self, asked: frozenset[str]) -> tuple[Ints, tuple[int, ...]]:
        """Group the entries that an expression cannot tell apart by what it has ``asked``.

        Return the group of each entry, and the first entry of each group.
        """
        if asked not in self._groups:
            self._groups[asked] = _group(self.words, asked)
        return self._groups[asked]


def _weight(word: Word, slot: Slot) -> int:
    """Multiply the weights of a word's table, lemma, properties and features."""
    weight = 1
    for name, weights in slot.weights.items():
        if name in ("from", "oneof", "lemma"):
            weight *= weights[word.table.name if name == "from" else word.row.lemma]
        elif name in word.known:
            met = [weights[value] for value in word.lookup(name).split(",") if value in weights]
            weight *= max(met, default=1)
    own = word.row.properties.get(slot.weight, "")
    return weight * (int(own) if own else 1)


def _group(words: Sequence[Word], asked: frozenset[str]) -> tuple[Ints, tuple[int, ...]]:
    """Return the group of each word and the first word of each group (:meth:`Domain.groups`)."""
    if WHOLE in asked:
        return np.arange(len(words)), tuple(range(len(words)))
    answers = [_answers(words, name) for name in sorted(asked)]
    numbers: dict[tuple[Hashable, ...], int] = {}
    keys = zip(*answers, strict=True) if answers else [()] * len(words)
    groups = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)
    return groups, tuple(first_rows(groups, len(numbers)).tolist())


def _answers(words: Sequence[Word], name: str) -> list[Hashable]:
    """Return the value of ``name`` for each word, looked up once for equal forms if possible."""
    if name in (ROW, "lemma"):  # all entries of a row have the same forms to choose from
        return [id(word.row) if name == ROW else word.row.shown for word in words]
    tables = {word.table.name: word.table for word in words}.values()
    if name == FEATS or any(name in table.columns for table in tables):
        return [word.answer(name) for word in words]
    forms = {(word.cell, word.row.upos): word for word in words}
    known = {form: word.answer(name) for form, word in forms.items()}
    return [known[word.cell, word.row.upos] for word in words]


@dataclass(frozen=True)
class Scope:
    """The slots that an expression names, with their entries grouped by what it asks of them.

    For each slot, ``keys`` has the group of each entry, and ``firsts`` one entry of each group. The
    expression has the same value for all words of a group. So it is evaluated once for each
    combination of groups. The number of a combination is its *code*.
    """

    slots: tuple[int, ...]
    keys: tuple[Ints, ...]
    firsts: tuple[tuple[int, ...], ...]
    domains: Sequence[Domain]

    @classmethod
    def of(cls, uses: Uses, domains: Sequence[Domain]) -> Scope:
        """Group the entries of the slots that ``uses`` names by what it asks of them."""
        slots = tuple(n for n, domain in enumerate(domains) if domain.slot.name in uses)
        groups = [domains[n].groups(uses[domains[n].slot.name]) for n in slots]
        return cls(slots, tuple(k for k, _ in groups), tuple(f for _, f in groups), domains)

    @cached_property
    def size(self) -> int:
        """The number of codes."""
        return prod(map(len, self.firsts))

    @cached_property
    def words(self) -> dict[str, list[Word]]:
        """A word for each group, by the name of the slot."""
        pairs = zip(self.slots, self.firsts, strict=True)
        found = [(self.domains[slot], firsts) for slot, firsts in pairs]
        return {domain.slot.name: [domain.words[n] for n in firsts] for domain, firsts in found}

    def codes(self, columns: Sequence[NDArray[np.int32]], rows: int) -> Ints:
        """Return the code of each combination of entries (one array for each slot)."""
        out = np.zeros(rows, dtype=np.intp if self.size <= MAX_CODE else object)
        for slot, key, first in zip(self.slots, self.keys, self.firsts, strict=True):
            out = out * len(first) + key[columns[slot]]
        return out

    def each(self, codes: Sequence[int]) -> Iterator[dict[str, Word]]:
        """Yield for each code one word of each of its groups, by the name of the slot."""
        columns: dict[str, list[Word]] = {}
        left = np.array(codes, dtype=np.intp if self.size <= MAX_CODE else object)
        for name, words in reversed(self.words.items()):
            left, group = left // len(words), left % len(words)
            columns[name] = [words[place] for place in group.tolist()]
        rows = zip(*columns.values(), strict=True) if columns else [()] * len(codes)
        return (dict(zip(columns, row, strict=True)) for row in rows)


def fill_slot(slot: Slot, asked: frozenset[str], phrases: Phrases, path: str) -> Domain:
    """Return the words a slot may take; ``asked`` is what the template's lines ask of it.

    Forms are drawn only if the lines ask for something that depends on them. Raises
    :class:`InputError` for an unknown table, column or value and where no word fits.
    """
    if slot.oneof:
        rows = tuple(Row(text, {}, {}, "X") for text in slot.oneof)
        table = Table("", slot.name, (), (), rows)
        none = frozenset[str]()
        words = (Word(row, table, (), none, phrases.run, None, slot.name) for row in rows)
        return Domain(slot, tuple(words))
    tables = [phrases.lexicon.table(name) for name in slot.tables]
    features = {name for table in tables for name in table.feature_names}
    drawn = bool(asked & {WHOLE, FEATS} or asked & features)
    key = Domain, drawn, repr(replace(slot, line=0))
    if key not in phrases.memo:
        phrases.memo[key] = Domain(slot, _all_words(slot, tables, phrases, drawn, path))
    domain: Domain = phrases.memo[key]
    return domain


def _all_words(
    slot: Slot, tables: Sequence[Table], phrases: Phrases, drawn: bool, path: str
) -> tuple[Word, ...]:
    """Return the words of a slot from all its tables; raises :class:`InputError`."""
    lexicon = phrases.lexicon
    problems = [*_problems(slot, tables), *_class_problems(slot.under, tables, lexicon)]
    problems += _class_problems(slot.without.get("under", ()), tables, lexicon)
    if problems:
        raise InputError(Problem(f"slot {slot.name!r}: {p}", path, slot.line) for p in problems)
    known = lexicon.columns.union(*((*t.columns, *t.feature_names) for t in tables))
    words = [
        Word(row, table, cells, known, phrases.run, cell, slot.name)
        for table in tables
        for row, cells, cell in _entries(table, slot, lexicon, drawn)
    ]
    if not words:
        asked_of = {**slot.wants, **({"under": slot.under} if slot.under else {})}
        wants = ", ".join(f"{k}: {'|'.join(v)}" for k, v in asked_of.items())
        message = f"slot {slot.name!r}: no word of {', '.join(slot.tables)} fits {{{wants}}}"
        raise fail(message, path, slot.line)
    return tuple(words)


def _stands_under(row: Row, table: Table, names: tuple[str, ...], lexicon: Lexicon) -> bool:
    """Return whether a word is in one of these groups or classes, or in a class below one."""
    above = lexicon.hierarchy.above(row.properties.get("Class", ""))
    groups, key = lexicon.typical.groups, (table.name, row.lemma)
    return not above.isdisjoint(names) or any(key in groups.get(name, ()) for name in names)


def _class_problems(
    classes: tuple[str, ...], tables: Sequence[Table], lexicon: Lexicon
) -> Iterator[str]:
    """Yield a message if a class is unknown, or if no table has classes."""
    classes = tuple(name for name in classes if name not in lexicon.typical.groups)
    try:
        classes_wanted(",".join(classes), lexicon.hierarchy)
    except TemplateFault as fault:
        yield f"under: {fault}"
    if classes and not any("Class" in table.columns for table in tables):
        yield f"under: {_named(tables)} has no column 'Class'"


def _problems(slot: Slot, tables: Sequence[Table]) -> Iterator[str]:
    """Yield what is wrong with the columns, values and weights that a slot names."""
    for name, wanted in slot.wants.items():
        yield from _value_problems(name, wanted, tables, forms=True)
    for name, unwanted in slot.without.items():
        if name != "under":
            yield from _value_problems(name, unwanted, tables, forms=False)
    if slot.weight:
        values = {v for t in tables if slot.weight in t.columns for v in t.values(slot.weight)}
        wrong = sorted(v for v in values if not v.isdecimal() or not 0 < int(v[:9]) <= WEIGHT)
        if wrong or not values:
            found = repr(wrong[0]) if wrong else "nothing"
            yield f"weight: a column of numbers from 1 to {WEIGHT:,}, not {found}"


def _value_problems(
    name: str, wanted: Sequence[str], tables: Sequence[Table], forms: bool
) -> Iterator[str]:
    """Yield a message if no table has the column ``name``, and for each value that no word has.

    ``forms``: features of the forms count as columns.
    """
    names = {t.name: ("lemma", *t.columns, *(t.feature_names if forms else ())) for t in tables}
    having = [t for t in tables if name in names[t.name]]
    if not having:
        known = dict.fromkeys(column for columns in names.values() for column in columns)
        near = candidates("columns", list(known), name)
        yield f"{_named(tables)} has no column {name!r} {near}"
        return
    values = frozenset[str]().union(*(t.values(name) for t in having))
    empty = any(not row.properties.get(name, "x") for t in having for row in t.rows)
    for value in wanted if not empty else filter(None, wanted):
        if not _limit(value) and value not in values:
            yield f"no word has {name} {value!r} {candidates('values', sorted(values), value)}"
        elif _limit(value) and not any(map(_NUMBER.fullmatch, values)):
            yield f"{name} {value!r}: no word has a number there"


def _named(tables: Sequence[Table]) -> str:
    return " nor ".join(f"{table.name}.tsv" for table in tables)


def _fitting(table: Table, slot: Slot, lexicon: Lexicon) -> list[Row]:
    """Return the rows, sorted by lemma, that have the properties and the class wanted."""
    rows: Iterable[Row] = table.sorted_rows
    for name, wanted in slot.wants.items():
        if name == "lemma":
            rows = [row for row in rows if row.lemma in wanted]
        elif name in table.feature_names:
            rows = [r for r in rows if not _is_property(name, r, table)
                    or _passes(r.properties[name], wanted)]  # fmt: skip
        elif name in table.columns:
            rows = [row for row in rows if _passes(row.properties[name], wanted)]
    if slot.under:
        rows = [row for row in rows if _stands_under(row, table, slot.under, lexicon)]
    for name, unwanted in slot.without.items():
        if name == "under":
            rows = [row for row in rows if not _stands_under(row, table, unwanted, lexicon)]
        else:
            found = [(r.lemma if name == "lemma" else r.properties.get(name, ""), r) for r in rows]
            named = [(text or "" in unwanted) and _passes(text, unwanted) for text, _ in found]
            rows = [row for (_, row), out in zip(found, named, strict=True) if not out]
    return list(rows)


def _is_property(name: str, row: Row, table: Table) -> bool:
    """Return whether the row of a word decides on ``name``, not its forms.

    A name such as Gender may be both a column and a feature of the forms; if its column is empty,
    the forms decide.
    """
    return name in table.columns and (bool(row.properties[name]) or name not in table.feature_names)


@lru_cache(maxsize=1 << 14)
def _passes(value: str, wanted: tuple[str, ...]) -> bool:
    """Return whether a property is within all limits, and equals a plain value if any is wanted.

    If the property is a list with commas, one of its values is enough.
    """
    plain = [text for text in wanted if not _limit(text)]
    for match in filter(None, map(_limit, wanted)):
        if not _NUMBER.fullmatch(value) or not _TESTS[match[1]](float(value), float(match[2])):
            return False
    return not plain or not set(plain).isdisjoint(value.split(","))


_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _limit(text: str) -> re.Match[str] | None:
    """Match a limit such as ``>=3.5``; None if the text is no limit."""
    return re.fullmatch(rf"(>=|<=|>|<)\s*({_NUMBER.pattern})", text)


_NO = frozenset[str]()


def _entries(
    table: Table, slot: Slot, lexicon: Lexicon, drawn: bool
) -> Iterator[tuple[Row, tuple[Feats, ...], Feats | None]]:
    """Yield the words that fit, each with the forms it may take and, if ``drawn``, one of them."""
    choices: dict[frozenset[str], tuple[list[Feats], list[Feats]]] = {}
    for row in _fitting(table, slot, lexicon):
        if not table.cells:
            yield row, (), None
            continue
        names = frozenset(n for n in slot.wants if n != "lemma" and not _is_property(n, row, table))
        if names not in choices:
            known = {n: set(slot.wants[n]) for n in names if n in table.feature_names}
            usual = table.usual_cells(names)
            fitting = [c for c in usual if all(c.get(n, _NO) & v for n, v in known.items())]
            choices[names] = fitting, sorted(fitting, key=str)
        in_order, by_name = choices[names]
        cells = tuple(cell for cell in in_order if cell in row.forms)
        if drawn:
            yield from ((row, cells, cell) for cell in by_name if cell in row.forms)
        elif cells:
            yield row, cells, None
