"""Group rows of numbers: find equal rows, the first of each group, and the members of groups.

The columns hold places in some list (words of a slot, distinct texts of a column). Work that
depends on a row alone is then done once for all equal rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]

MAX_CODE = 1 << 62
"""Numbers of rows are at most so large, so that they fit in 64 bits with a bit to spare."""


def distinct_codes(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the distinct codes below ``size`` in order, and the place of each code among them.

    Codes that do not fit in 64 bits are an array of Python's integers.

    >>> distinct_codes(np.array([7, 3, 7]), 8)
    (array([3, 7]), array([1, 0, 1]))
    """
    if codes.dtype == object or size > max(1 << 14, 8 * len(codes)):
        unique, inverse = np.unique(codes, return_inverse=True)
        return unique, inverse.reshape(-1)
    table = np.zeros(size, dtype=np.int32)
    table[codes] = 1
    unique = np.flatnonzero(table)
    table[unique] = np.arange(len(unique), dtype=np.int32)
    return unique, table[codes].astype(np.intp)


def pack_columns(columns: Iterable[Ints], rows: int) -> tuple[Ints, int]:
    """Return a number for each row, the same for equal rows, and a number above all of them."""
    code, size = np.zeros(rows, dtype=np.intp), 1
    for column in columns:
        count = int(column.max(initial=0)) + 1
        if size * count > MAX_CODE:
            unique, code = distinct_codes(code, size)
            size = len(unique)
        code, size = code * count + column, size * count
    return code, size


def alike_rows(columns: Iterable[Ints], rows: int) -> tuple[Ints, Ints]:
    """Group the rows that are alike in all columns.

    Return the first row of each group, and the group of each row.

    >>> alike_rows([np.array([0, 1, 0]), np.array([1, 1, 1])], 3)
    (array([0, 1]), array([0, 1, 0]))
    """
    unique, inverse = distinct_codes(*pack_columns(columns, rows))
    return first_rows(inverse, len(unique)), inverse


def first_rows(groups: Ints, size: int) -> Ints:
    """Return the first row of each of ``size`` groups, -1 for a group without rows."""
    firsts = np.full(size, -1, dtype=np.intp)
    firsts[groups[::-1]] = np.arange(len(groups))[::-1]
    return firsts


def rank_in_group(groups: NDArray[np.intp] | NDArray[np.uint64]) -> Ints:
    """Number the members of each group (equal neighbours) from 0.

    >>> rank_in_group(np.array([5, 5, 2, 5]))
    array([0, 1, 0, 0])
    """
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    sizes = np.diff(np.append(starts, len(groups)))
    return np.arange(len(groups)) - np.repeat(starts, sizes)


@dataclass(frozen=True)
class Groups:
    """The members of groups; those of ``g`` are ``order[starts[g] : starts[g] + sizes[g]]``."""

    order: Ints
    starts: Ints
    sizes: Ints

    @classmethod
    def of(cls, keys: Ints) -> Groups:
        """Return a group for each key; members with a negative key are in no group."""
        sizes = np.bincount(keys[keys >= 0])
        order = np.argsort(keys, kind="stable")[len(keys) - int(sizes.sum()) :]
        return cls(order, np.cumsum(sizes) - sizes, sizes)

    @property
    def firsts(self) -> Ints:
        """The first member of each group; no group may be empty."""
        return self.order[self.starts]

    def pairs(self, groups: Ints) -> tuple[Ints, Ints]:
        """Return all members of some groups, one after another.

        The first array has for each member the place of its group in ``groups``, the second the
        member itself.
        """
        sizes = self.sizes[groups]
        place = np.repeat(np.arange(len(groups)), sizes)
        shift = self.starts[groups] - (np.cumsum(sizes) - sizes)
        return place, self.order[shift[place] + np.arange(len(place))]
