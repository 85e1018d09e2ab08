"""The words that a slot of a template may take: its domain."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, candidates
from solecism.generate.hashing import text_hashes
from solecism.generate.template import Slot
from solecism.generate.values import FEATS, WHOLE, Evaluation, Word
from solecism.words.features import Feats
from solecism.words.language import Lexicon
from solecism.words.lexicon import Row, Table

__all__ = ["Domain", "fill_slot"]


@dataclass(frozen=True, eq=False)
class Domain:
    """The entries of a slot: words, each with the form drawn or (``cell`` None) free to agree."""

    slot: Slot
    words: tuple[Word, ...]
    _groups: dict[frozenset[str], tuple[NDArray[np.intp], tuple[int, ...]]] = field(
        default_factory=dict
    )

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def names(self) -> list[str]:
        """A text for each entry that no other entry of the data set's slot has."""
        return [f"{w.table.name}:{w.row.lemma}:{w.cell or ''}" for w in self.words]

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit number for each entry, the same on every machine."""
        return text_hashes(f"{self.slot.name}={name}" for name in self.names)

    def groups(self, asked: frozenset[str]) -> tuple[NDArray[np.intp], tuple[int, ...]]:
        """Group the entries that an expression cannot tell apart by what it has ``asked``.

        Gives the group of each entry, and the first entry of each group.
        """
        if asked not in self._groups:
            self._groups[asked] = _group(self.words, asked)
        return self._groups[asked]


def _group(
    words: Sequence[Word], asked: frozenset[str]
) -> tuple[NDArray[np.intp], tuple[int, ...]]:
    if WHOLE in asked:
        return np.arange(len(words)), tuple(range(len(words)))
    numbers: dict[Hashable, int] = {}
    firsts: list[int] = []
    keys = []
    for place, word in enumerate(words):
        key = word.identity(asked)
        if key not in numbers:
            numbers[key] = len(numbers)
            firsts.append(place)
        keys.append(numbers[key])
    return np.array(keys, dtype=np.intp), tuple(firsts)


def fill_slot(
    slot: Slot, asked: frozenset[str], lexicon: Lexicon, run: Evaluation, path: str
) -> Domain:
    """List the words a slot may take; ``asked`` is what the template's lines ask of it.

    Raises :class:`InputError` for an unknown table, column or value and where no word fits.
    """
    tables = [lexicon.table(name) for name in slot.tables]
    problems = list(_problems(slot, tables, path))
    if problems:
        raise InputError(problems)
    features = {name for table in tables for name in table.feature_names}
    drawn = bool(asked & {WHOLE, FEATS} or asked & features)
    known = frozenset(n for t in tables for n in (*t.columns, *t.feature_names))
    words = [
        Word(row, table, cells, known, run, cell, slot.name)
        for table in tables
        for row in sorted(table.rows, key=lambda row: row.lemma)
        if _fits(row, table, slot.wants)
        for cells, cell in _cells(row, table, slot.wants, drawn)
    ]
    if not words:
        wants = ", ".join(f"{k}: {'|'.join(v)}" for k, v in slot.wants.items())
        message = f"slot {slot.name!r}: no word of {', '.join(slot.tables)} fits {{{wants}}}"
        raise InputError(Problem(message, path, slot.line))
    return Domain(slot, tuple(words))


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
            if value not in values:
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


def _fits(row: Row, table: Table, wants: Mapping[str, tuple[str, ...]]) -> bool:
    for name, wanted in wants.items():
        if name == "lemma" and row.lemma not in wanted:
            return False
        if name in table.columns and not set(row.properties[name].split(",")) & set(wanted):
            return False
    return True


def _cells(
    row: Row, table: Table, wants: Mapping[str, tuple[str, ...]], drawn: bool
) -> Iterator[tuple[tuple[Feats, ...], Feats | None]]:
    features = {n: set(v) for n, v in wants.items() if n not in table.columns and n != "lemma"}
    cells = tuple(
        cell
        for cell in table.cells
        if cell in row.forms
        and all(
            cell.get(n, frozenset()) & v for n, v in features.items() if n in table.feature_names
        )
    )
    if not table.cells:
        yield (), None
    elif drawn:
        yield from ((cells, cell) for cell in sorted(cells, key=str))
    elif cells:
        yield cells, None
