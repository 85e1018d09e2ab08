"""Variable elimination over truth tables: how many combinations there are, and exact weights to draw by.

A slot that a draw is balanced over (it has *labels*) is taken out like the others, but what it leaves
behind is a table with one row for each label. In these tables the labels of slot ``s`` have the number
``slots + s``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grouping import Ints, alike_rows
from solecism.limits import CELLS

__all__ = ["Clause", "Columns", "Elimination", "Factor", "eliminate", "product"]

Columns = list[NDArray[np.int32]]
"""Combinations: one array for each slot, of places in its domain."""

Factor = tuple[tuple[int, ...], NDArray[np.float64]]
"""Slots (or labels) and a table with one axis for each."""


@dataclass(frozen=True)
class Clause:
    """A condition on some slots: ``keys[i]`` groups the entries of slot ``scope[i]``; ``table`` has
    one axis for each slot and is true where the groups go together."""

    scope: tuple[int, ...]
    keys: tuple[NDArray[np.intp], ...]
    table: NDArray[np.bool_]

    def allows(self, columns: Columns) -> NDArray[np.bool_]:
        """Tell for each combination whether the clause holds."""
        places = tuple(key[columns[slot]] for slot, key in zip(self.scope, self.keys, strict=True))
        return np.asarray(self.table[places])


@dataclass(frozen=True)
class Step:
    """One slot taken out, with the tables that name it.

    ``keys`` gives the kind of the entries of every slot: those of a kind go with the same others (-1: with
    none). ``groups`` numbers those of this slot by all that any clause asks of them; a group is of one kind.
    """

    slot: int
    factors: Sequence[Factor]
    keys: Sequence[NDArray[np.intp]]
    groups: NDArray[np.intp]

    @cached_property
    def tables(self) -> list[Factor]:
        """The tables, each with the axis of the slot moved to the end."""
        return [
            (scope, np.ascontiguousarray(np.moveaxis(table, scope.index(self.slot), -1)))
            for scope, table in self.factors
        ]

    def weights(self, drawn: Mapping[int, NDArray[np.int32]], draws: Ints) -> NDArray[np.float64]:
        """Weight of an entry of each kind in each of ``draws`` (rows), given what is drawn already."""
        out = np.ones((len(draws), int(self.keys[self.slot].max()) + 1))
        for scope, last in self.tables:
            out *= last[self._known(drawn, draws, scope)]
        return out

    def weights_of(
        self, drawn: Mapping[int, NDArray[np.int32]], draws: Ints, kinds: Ints
    ) -> NDArray[np.float64]:
        """Weight of an entry of one of ``kinds`` in each of ``draws``."""
        out = np.ones(len(draws))
        for scope, last in self.tables:
            out *= last[(*self._known(drawn, draws, scope), kinds)]
        return out

    def _known(
        self, drawn: Mapping[int, NDArray[np.int32]], draws: Ints, scope: Sequence[int]
    ) -> tuple[Ints, ...]:
        """The kinds drawn for the other slots of a table's ``scope``."""
        return tuple(self.keys[s][drawn[s][draws]] for s in scope if s != self.slot)


@dataclass(frozen=True)
class Elimination:
    """The steps in the order in which slots are taken out (drawing goes the other way round).

    ``total``: the number of combinations; ``left``: tables over labels, the number of combinations of
    labels being their product times ``rest``.
    """

    steps: Sequence[Step]
    keys: Sequence[NDArray[np.intp]]
    rest: float
    left: Sequence[Factor] = field(default=())

    def joint(self, axes: tuple[int, ...]) -> NDArray[np.float64]:
        """Count the combinations for each combination of the labels ``axes``; may be too large to make."""
        counts = [np.ones(int(key.max()) + 1 if len(key) else 0) for key in self.keys]
        return self.rest * product(self.left, axes, counts)

    @property
    def total(self) -> float:
        """The number of combinations, those that repeat a lemma counted too."""
        axes = tuple(sorted({axis for scope, _ in self.left for axis in scope}))
        return float(self.joint(axes).sum())


def eliminate(
    sizes: Sequence[int],
    clauses: Sequence[Clause],
    labels: Mapping[int, NDArray[np.intp]] | None = None,
    path: str = "",
) -> Elimination:
    """Take out the slots, the cheapest first. ``labels``: for some slots the label of each entry.

    Raises :class:`InputError` where the clauses link so many words that it would take too long.
    """
    labels = labels or {}
    asked = [
        alike_rows(_columns(slot, clauses, labels), size)[1] for slot, size in enumerate(sizes)
    ]
    merged = [_merged(clause) for clause in clauses]
    keys, members, factors = _possible(*_common_keys(sizes, merged, labels))
    groups = [_numbered(group, key >= 0) for group, key in zip(asked, keys, strict=True)]
    widths = [int(group.max()) + 1 for group in asked]
    own = {slot: label[members[slot]] for slot, label in labels.items()}
    every = [
        *keys,
        *(np.arange(int(labels[s].max()) + 1 if s in labels else 0) for s in range(len(sizes))),
    ]
    counts = [np.bincount(key[key >= 0]).astype(np.float64) for key in every]
    widths += [len(count) for count in counts[len(sizes) :]]
    steps: list[Step] = []
    rest, left, work = 1.0, set(range(len(sizes))), 0
    while left:
        slot = min(left, key=lambda s: (_cost(s, factors, widths), s))
        left.remove(slot)
        mine = [f for f in factors if slot in f[0]]
        factors = [f for f in factors if slot not in f[0]]
        others = tuple(sorted({s for scope, _ in mine for s in scope} - {slot}))
        summed = len(others) <= 2 and slot not in own  # never multiplied out
        held = prod(len(counts[s]) for s in others)
        work += held * len(counts[slot])
        held *= 1 if summed else len(counts[slot])
        if held > CELLS or work > 32 * CELLS:
            raise fail("where: the tests link too many words; compare properties instead", path)
        steps.append(Step(slot, mine, every, groups[slot]))
        if slot in own:
            table = product(mine, (*others, slot), counts) * counts[slot]
            labelled = _by_label(table, own[slot], widths[len(sizes) + slot])
            factors.append(((*others, len(sizes) + slot), labelled))
        elif others:
            factors.append((others, _summed(mine, slot, others, counts[slot])))
        else:
            rest *= float(_summed(mine, slot, (), counts[slot]))
    return Elimination(steps, every, rest, factors)


def _summed(
    factors: Sequence[Factor], slot: int, axes: tuple[int, ...], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Multiply tables and add up over a slot's entries (``counts`` in each group)."""
    number = {axis: place for place, axis in enumerate((*axes, slot))}
    tables: list[Any] = [
        x for scope, table in factors for x in (table, [number[axis] for axis in scope])
    ]
    out = np.einsum(*tables, counts, [number[slot]], list(range(len(axes))), optimize=True)
    return np.asarray(out)


def _by_label(
    table: NDArray[np.float64], labels: NDArray[np.intp], size: int
) -> NDArray[np.float64]:
    """Add up the last axis by label."""
    out = np.zeros((*table.shape[:-1], size))
    order = np.argsort(labels, kind="stable")
    met, starts = np.unique(labels[order], return_index=True)
    if len(met):
        out[..., met] = np.add.reduceat(table[..., order], starts, axis=-1)
    return out


def _cost(slot: int, factors: Sequence[Factor], widths: Sequence[int]) -> int:
    scope = {s for names, _ in factors if slot in names for s in names} | {slot}
    return prod(widths[s] for s in scope)


def product(
    factors: Sequence[Factor], axes: tuple[int, ...], counts: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Multiply tables to one with the axes ``axes``, whose lengths are those of ``counts``."""
    out = np.ones([len(counts[axis]) for axis in axes])
    for scope, table in factors:
        order = sorted(scope, key=axes.index)
        moved = table.transpose([scope.index(axis) for axis in order])
        shape = [len(counts[axis]) if axis in scope else 1 for axis in axes]
        out *= moved.reshape(shape)
    return out


def _columns(
    slot: int, clauses: Sequence[Clause], labels: Mapping[int, NDArray[np.intp]]
) -> list[NDArray[np.intp]]:
    """All that tells the entries of a slot apart."""
    columns = [c.keys[c.scope.index(slot)] for c in clauses if slot in c.scope]
    return columns + ([labels[slot]] if slot in labels else [])


def _merged(clause: Clause) -> Clause:
    """Put together the groups of which the table says the same."""
    table, keys = clause.table, []
    for axis, key in enumerate(clause.keys):
        rows = np.moveaxis(table, axis, 0).reshape(table.shape[axis], -1)
        rows = np.ascontiguousarray(np.packbits(rows, axis=1))
        kinds = rows.view(f"V{rows.shape[1]}").ravel() if rows.shape[1] > 1 else rows.ravel()
        _, members, number = np.unique(kinds, return_index=True, return_inverse=True)
        table = table.take(members, axis)
        keys.append(number.reshape(-1)[key])
    return Clause(clause.scope, tuple(keys), table)


def _common_keys(
    sizes: Sequence[int], clauses: Sequence[Clause], labels: Mapping[int, NDArray[np.intp]]
) -> tuple[list[NDArray[np.intp]], list[NDArray[np.intp]], list[Factor]]:
    """Group the entries of each slot by all clauses and its labels at once.

    Gives the group of each entry, an entry for each group, and the clauses over the groups.
    """
    found = [alike_rows(_columns(slot, clauses, labels), size) for slot, size in enumerate(sizes)]
    members, keys = [member for member, _ in found], [key for _, key in found]
    factors = [
        (
            clause.scope,
            clause.table[
                np.ix_(*(k[members[s]] for s, k in zip(clause.scope, clause.keys, strict=True)))
            ].astype(np.float64),
        )
        for clause in clauses
    ]
    return keys, members, factors


def _possible(
    keys: Sequence[Ints], members: Sequence[Ints], factors: Sequence[Factor]
) -> tuple[list[Ints], list[Ints], list[Factor]]:
    """Leave out the groups that a table forbids whatever the other slots have: they get the key -1."""
    alive = [np.ones(len(member), dtype=bool) for member in members]
    for scope, table in factors:
        for axis, slot in enumerate(scope):
            alive[slot] &= table.any(axis=tuple(n for n in range(len(scope)) if n != axis))
    return (
        [_numbered(key, mine[key]) for key, mine in zip(keys, alive, strict=True)],
        [member[mine] for member, mine in zip(members, alive, strict=True)],
        [(scope, table[np.ix_(*(alive[slot] for slot in scope))]) for scope, table in factors],
    )


def _numbered(groups: Ints, kept: NDArray[np.bool_]) -> Ints:
    """Number the groups anew that entries ``kept`` are in; the other entries get -1."""
    number = np.full(int(groups.max()) + 1, -1, dtype=np.intp)
    met = np.unique(groups[kept])
    number[met] = np.arange(len(met))
    return np.where(kept, number[groups], -1)
