"""Which words an expression can tell apart: it is evaluated once for each group that it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from solecism.grammar.phrases import Uses
from solecism.grammar.slots import Domain
from solecism.grammar.words import Word

__all__ = ["Scope", "alike_rows", "distinct", "first_rows", "merge_uses", "packed"]

Ints = NDArray[np.intp]
MOST = 1 << 62
"""Codes up to this fit in 64 bits."""


def merge_uses(many: Iterable[Uses]) -> dict[str, frozenset[str]]:
    """Put together what several expressions ask of each slot."""
    out: dict[str, frozenset[str]] = {}
    for uses in many:
        for name, asked in uses.items():
            out[name] = out.get(name, frozenset()) | asked
    return out


def distinct(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """Give the distinct codes below ``size`` in order, and each code's place among them."""
    if codes.dtype == object or size > max(1 << 22, 8 * len(codes)):
        unique, inverse = np.unique(codes, return_inverse=True)
        return unique, inverse.reshape(-1)
    table = np.zeros(size, dtype=np.int32)
    table[codes] = 1
    unique = np.flatnonzero(table)
    table[unique] = np.arange(len(unique), dtype=np.int32)
    return unique, table[codes].astype(np.intp)


def packed(columns: Iterable[tuple[Ints, int]], rows: int) -> tuple[Ints, int]:
    """Number the rows of some columns of places (each with the number of its places), alike rows alike."""
    code, size = np.zeros(rows, dtype=np.intp), 1
    for column, count in columns:
        if size * count > MOST:
            unique, code = distinct(code, size)
            size = len(unique)
        code, size = code * count + column, size * count
    return code, size


def alike_rows(columns: Iterable[tuple[Ints, int]], rows: int) -> tuple[Ints, Ints]:
    """Group the rows that are alike in all columns: the first row of each group, and each row's group."""
    unique, inverse = distinct(*packed(columns, rows))
    return first_rows(inverse, len(unique)), inverse


def first_rows(groups: Ints, size: int) -> Ints:
    """Give the first row of each of ``size`` groups."""
    firsts = np.zeros(size, dtype=np.intp)
    firsts[groups[::-1]] = np.arange(len(groups))[::-1]
    return firsts


@dataclass(frozen=True)
class Scope:
    """The slots that an expression names, each entry with its group (``keys``), and one entry for each
    group (``firsts``). A *code* numbers a combination of groups."""

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
        return prod(len(first) for first in self.firsts)

    def codes(self, columns: Sequence[NDArray[np.int32]], rows: int) -> Ints:
        """Give the code of each combination of entries (one array for each slot of the template)."""
        out = np.zeros(rows, dtype=np.intp if self.size <= MOST else object)
        for slot, key, first in zip(self.slots, self.keys, self.firsts, strict=True):
            out = out * len(first) + key[columns[slot]]
        return out

    def places(self, code: int) -> dict[int, int]:
        """Give an entry for each slot that stands for the code (slot number: entry)."""
        out: dict[int, int] = {}
        for slot, first in zip(reversed(self.slots), reversed(self.firsts), strict=True):
            code, group = divmod(code, len(first))
            out[slot] = first[group]
        return out

    def each(self, codes: Sequence[int]) -> Iterator[dict[str, Word]]:
        """Give, for each code, words that stand for it by the name of the slot."""
        names, columns = [], []
        left = np.array(codes, dtype=np.intp if self.size <= MOST else object)
        for slot, first in zip(reversed(self.slots), reversed(self.firsts), strict=True):
            left, group = left // len(first), left % len(first)
            words = self.domains[slot].words
            names.append(self.domains[slot].slot.name)
            columns.append([words[first[place]] for place in group.tolist()])
        if not names:
            return iter([{} for _ in codes])
        return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))

    def words(self, places: Mapping[int, int]) -> dict[str, Word]:
        """Give the words at these entries by the name of the slot."""
        return {self.domains[s].slot.name: self.domains[s].words[places[s]] for s in self.slots}
