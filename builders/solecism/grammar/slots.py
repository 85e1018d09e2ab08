"""The words that a slot of a template may take: its domain."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, candidates
from solecism.grammar.expression import classes_above, classes_wanted
from solecism.grammar.template import Slot
from solecism.grammar.words import FEATS, ROW, WHOLE, Evaluation, TemplateFault, Word
from solecism.hashing import text_hashes
from solecism.lexicon.features import Feats
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import Row, Table

__all__ = ["Domain", "fill_slot"]

_TESTS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


@dataclass(frozen=True, eq=False)
class Domain:
    """The entries of a slot: words, each with the form drawn or (``cell`` None) free to agree.

    ``kin``: a slot of another name that has the same words; what is known of it is true of this one.
    """

    slot: Slot
    words: tuple[Word, ...]
    kin: Domain | None = None
    _groups: dict[frozenset[str], tuple[NDArray[np.intp], tuple[int, ...]]] = field(
        default_factory=dict
    )

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def names(self) -> list[str]:
        """A text for each entry that no other entry of the data set's slot has."""
        if self.kin:
            return self.kin.names
        texts = {cell: str(cell or "") for cell in {word.cell for word in self.words}}
        return [f"{w.table.name}:{w.row.lemma}:{texts[w.cell]}" for w in self.words]

    @cached_property
    def lemmas(self) -> tuple[tuple[tuple[str, str], ...], NDArray[np.intp]]:
        """The distinct words (table and lemma), and the place of each entry's among them."""
        if self.kin:
            return self.kin.lemmas
        keys = [(word.table.name, word.row.lemma) for word in self.words]
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        return tuple(places), np.array([places[key] for key in keys], dtype=np.intp)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit number for each entry, the same on every machine."""
        return text_hashes([f"{self.slot.name}={name}" for name in self.names])

    def groups(self, asked: frozenset[str]) -> tuple[NDArray[np.intp], tuple[int, ...]]:
        """Group the entries that an expression cannot tell apart by what it has ``asked``.

        Gives the group of each entry, and the first entry of each group.
        """
        if self.kin:
            return self.kin.groups(asked)
        if asked not in self._groups:
            self._groups[asked] = _group(self.words, asked)
        return self._groups[asked]


def _group(
    words: Sequence[Word], asked: frozenset[str]
) -> tuple[NDArray[np.intp], tuple[int, ...]]:
    if WHOLE in asked:
        return np.arange(len(words)), tuple(range(len(words)))
    answers = [_answers(words, name) for name in sorted(asked)]
    keys: list[Any] = answers[0] if len(answers) == 1 else list(zip(*answers, strict=True))
    keys = keys or [()] * len(words)
    firsts = dict(zip(reversed(keys), reversed(range(len(keys))), strict=True))
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    groups = np.array([numbers[key] for key in keys], dtype=np.intp)
    return groups, tuple([firsts[key] for key in numbers])


def _answers(words: Sequence[Word], name: str) -> list[Hashable]:
    """What each word answers; what depends on its form alone is asked once."""
    tables = {word.table.name: word.table for word in words}.values()
    if name == "lemma":
        return [word.row.shown for word in words]
    if all(name in t.columns and name not in t.feature_names for t in tables):
        return [word.row.properties[name] for word in words]
    if name in (FEATS, ROW) or any(name in table.columns for table in tables):
        return [word.answer(name) for word in words]
    forms = {(word.cell, word.row.upos): word for word in words}
    known = {form: word.answer(name) for form, word in forms.items()}
    return [known[word.cell, word.row.upos] for word in words]


def fill_slot(
    slot: Slot,
    asked: frozenset[str],
    lexicon: Lexicon,
    run: Evaluation,
    path: str,
    memo: dict[Any, Any] | None = None,
) -> Domain:
    """List the words a slot may take; ``asked`` is what the template's lines ask of it.

    ``memo`` keeps what the paradigms of a language have in common. Raises :class:`InputError` for an
    unknown table, column or value and where no word fits.
    """
    if slot.oneof:
        return _texts(slot, run)
    memo = {} if memo is None else memo
    tables = [lexicon.table(name) for name in slot.tables]
    features = {name for table in tables for name in table.feature_names}
    drawn = bool(asked & {WHOLE, FEATS} or asked & features)
    key = (Domain, slot.tables, tuple(slot.wants.items()), slot.under, drawn)
    if key not in memo:
        known = frozenset(n for t in tables for n in (*t.columns, *t.feature_names))
        entries = _all_entries(slot, tables, lexicon, drawn, path)
        words = [Word(r, t, cells, known, run, cell, slot.name) for r, t, cells, cell in entries]
        memo[key] = memo[slot.name, *key] = Domain(slot, tuple(words))
    if (slot.name, *key) not in memo:
        memo[slot.name, *key] = _renamed(memo[key], slot)
    domain: Domain = memo[slot.name, *key]
    return domain


def _renamed(kin: Domain, slot: Slot) -> Domain:
    words = [Word(w.row, w.table, w.cells, w.known, w.run, w.cell, slot.name) for w in kin.words]
    return Domain(slot, tuple(words), kin)


def _all_entries(
    slot: Slot, tables: Sequence[Table], lexicon: Lexicon, drawn: bool, path: str
) -> list[tuple[Row, Table, tuple[Feats, ...], Feats | None]]:
    problems = [*_problems(slot, tables, path), *_class_problems(slot, tables, lexicon, path)]
    if problems:
        raise InputError(problems)
    entries = [
        (row, table, cells, cell)
        for table in tables
        for row, cells, cell in _entries(table, slot, lexicon, drawn)
    ]
    if not entries:
        asked_of = {**slot.wants, **({"under": slot.under} if slot.under else {})}
        wants = ", ".join(f"{k}: {'|'.join(v)}" for k, v in asked_of.items())
        message = f"slot {slot.name!r}: no word of {', '.join(slot.tables)} fits {{{wants}}}"
        raise InputError(Problem(message, path, slot.line))
    return entries


def _texts(slot: Slot, run: Evaluation) -> Domain:
    rows = tuple(Row(text, {}, {}, "X") for text in slot.oneof)
    table = Table("", slot.name, (), (), rows)
    return Domain(
        slot, tuple(Word(row, table, (), frozenset(), run, None, slot.name) for row in rows)
    )


def _stands_under(row: Row, classes: tuple[str, ...], lexicon: Lexicon) -> bool:
    above = classes_above(row.properties.get("Class", ""), lexicon.hierarchy)
    return not above.isdisjoint(classes)


def _class_problems(
    slot: Slot, tables: Sequence[Table], lexicon: Lexicon, path: str
) -> Iterator[Problem]:
    try:
        classes_wanted(",".join(slot.under), lexicon.hierarchy)
    except TemplateFault as fault:
        yield Problem(f"slot {slot.name!r}: under: {fault}", path, slot.line)
    if slot.under and not any("Class" in table.columns for table in tables):
        where = " nor ".join(f"{t.name}.tsv" for t in tables)
        yield Problem(f"slot {slot.name!r}: under: {where} has no column 'Class'", path, slot.line)


def _problems(slot: Slot, tables: Sequence[Table], path: str) -> Iterator[Problem]:
    for name, wanted in slot.wants.items():
        having = [t for t in tables if name in ("lemma", *t.columns, *t.feature_names)]
        if not having:
            where = " nor ".join(f"{t.name}.tsv" for t in tables)
            columns = [n for t in tables for n in ("lemma", *t.columns, *t.feature_names)]
            near = candidates("columns", list(dict.fromkeys(columns)), name)
            yield Problem(
                f"slot {slot.name!r}: {where} has no column {name!r} {near}", path, slot.line
            )
            continue
        values = sorted({value for t in having for value in _values(t, name)})
        for value in wanted:
            if _limits([value]):
                if not any(map(_is_number, values)):
                    message = f"slot {slot.name!r}: {name} {value!r}: no word has a number there"
                    yield Problem(message, path, slot.line)
            elif value not in values:
                near = candidates("values", values, value)
                message = f"slot {slot.name!r}: no word has {name} {value!r} {near}"
                yield Problem(message, path, slot.line)


def _values(table: Table, name: str) -> Iterator[str]:
    if name == "lemma":
        yield from table.by_lemma
    elif name in table.columns:
        for row in table.rows:
            yield from filter(None, row.properties[name].split(","))
    for cell in table.cells:
        yield from cell.get(name, ())


def _fitting(table: Table, slot: Slot, lexicon: Lexicon) -> list[Row]:
    """The rows, by lemma, that have the properties and the class wanted; forms are not looked at."""
    rows: Iterable[Row] = table.sorted_rows
    for name, wanted in slot.wants.items():
        if name == "lemma":
            rows = [row for row in rows if row.lemma in wanted]
        elif name in table.feature_names:
            rows = [r for r in rows if not _is_property(name, r, table)
                    or _passes(r.properties[name], wanted)]  # fmt: skip
        elif name in table.columns:
            rows = [row for row in rows if _passes(row.properties[name], wanted)]
    return [row for row in rows if not slot.under or _stands_under(row, slot.under, lexicon)]


def _is_property(name: str, row: Row, table: Table) -> bool:
    """Whether the word says it, not its forms; a word may leave to them what others say (Gender)."""
    return name in table.columns and (bool(row.properties[name]) or name not in table.feature_names)


@lru_cache(maxsize=1 << 14)
def _passes(value: str, wanted: tuple[str, ...]) -> bool:
    """Tell whether a property keeps all limits and is (one of its list is) one of the values wanted."""
    plain = set(wanted)
    for limit, test, number in _limits(wanted):
        plain.discard(limit)
        if not _is_number(value) or not test(float(value), number):
            return False
    return not plain or not plain.isdisjoint(value.split(","))


@lru_cache(maxsize=1 << 10)
def _limit(text: str) -> tuple[str, Callable[[float, float], bool], float] | None:
    match = re.fullmatch(r"(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)", text)
    return (text, _TESTS[match[1]], float(match[2])) if match else None


def _limits(wanted: Iterable[str]) -> list[tuple[str, Callable[[float, float], bool], float]]:
    """The limits among what is asked of a column: ``>=3.5`` as itself, its test and its number."""
    return [limit for limit in map(_limit, wanted) if limit]


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"-?\d+(?:\.\d+)?", text))


@dataclass(frozen=True)
class _Choice:
    """The forms of a table that a slot may take, in the order of the table and sorted."""

    cells: tuple[Feats, ...]
    sorted: tuple[Feats, ...]

    @classmethod
    def of(cls, table: Table, features: Mapping[str, tuple[str, ...]]) -> _Choice:
        asked = {n: set(v) for n, v in features.items() if n in table.feature_names}
        nothing: frozenset[str] = frozenset()
        cells = [c for c in table.cells if all(c.get(n, nothing) & v for n, v in asked.items())]
        return cls(tuple(cells), tuple(sorted(cells, key=str)))


def _entries(
    table: Table, slot: Slot, lexicon: Lexicon, drawn: bool
) -> Iterator[tuple[Row, tuple[Feats, ...], Feats | None]]:
    """Give the words that fit, each with the forms that it may take and, if ``drawn``, one of them."""
    choices: dict[frozenset[str], _Choice] = {}
    for row in _fitting(table, slot, lexicon):
        if not table.cells:
            yield row, (), None
            continue
        names = frozenset(n for n in slot.wants if n != "lemma" and not _is_property(n, row, table))
        if names not in choices:
            choices[names] = _Choice.of(table, {name: slot.wants[name] for name in names})
        cells = tuple(cell for cell in choices[names].cells if cell in row.forms)
        if drawn:
            yield from ((row, cells, c) for c in choices[names].sorted if c in row.forms)
        elif cells:
            yield row, cells, None
