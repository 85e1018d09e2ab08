"""Counting combinations by variable elimination, and the exact weights to draw them by.

The method is that of bucket elimination (Dechter 1999; Koller and Friedman 2009, chapter 9), with
truth tables in place of probabilities. The number of combinations of words is a sum of products,

    N = sum over x1, ..., xn of  prod over clauses c of  c(words that c names),

and each slot is summed out as soon as nothing else names it: what it leaves behind is a table over
the slots that shared a clause with it, which says how many words of the slot go with them. Going
back through the slots, the same tables are the weights by which a word is drawn given those drawn
before: the weight of a word is the number of combinations that have it. So every combination is
equally likely, whatever the order. ``docs/sampling.md`` has an example.

The axes of tables do not have a place for each word but for each *kind*: words that go with the
same others. A slot that a draw is balanced over (its entries have *labels*) is summed out like the
others, but the table that it leaves behind keeps an axis for its labels. The number of that axis is
``slots + s``, where ``slots`` is the number of slots and ``s`` that of the slot.
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

Columns = list[NDArray[np.int32]]
"""Combinations: one array for each slot, of places in its domain."""

Counts = NDArray[np.float64]
"""Numbers of combinations: floats, so that 10^30 have a place; exact up to 2^53."""

Factor = tuple[tuple[int, ...], Counts]
"""The numbers of slots (or of axes of labels), and a table with one axis for each."""

CELLS = 1 << 26
"""Numbers that the tables of ``where`` tests may hold at a time while combinations are counted (512
MB); to fill them may take 32 times as many steps."""


@dataclass(frozen=True)
class Clause:
    """A condition on some slots: ``keys[i]`` groups the entries of slot ``scope[i]``; ``table`` has
    one axis for each slot and is true where the groups go together."""

    scope: tuple[int, ...]
    keys: tuple[Ints, ...]
    table: NDArray[np.bool_]

    def allows(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether the clause holds for each combination."""
        places = tuple(key[columns[slot]] for slot, key in zip(self.scope, self.keys, strict=True))
        return np.asarray(self.table[places])

    def merged(self) -> Clause:
        """Return the clause with fewer groups: those with equal rows in the table become one."""
        table, keys = self.table, []
        for axis, key in enumerate(self.keys):
            rows = np.moveaxis(table, axis, 0).reshape(table.shape[axis], -1)
            rows = np.ascontiguousarray(np.packbits(rows, axis=1))
            kinds = rows.view(f"V{rows.shape[1]}").ravel() if rows.shape[1] > 1 else rows.ravel()
            _, members, number = np.unique(kinds, return_index=True, return_inverse=True)
            table = table.take(members, axis)
            keys.append(number.reshape(-1)[key])
        return Clause(self.scope, tuple(keys), table)


@dataclass(frozen=True)
class SlotWeights:
    """The weights of the words of a slot, given the words of the slots that are summed out later.

    ``factors``: the tables that name the slot. ``kinds[s]``: the kind of each entry of slot ``s``
    (-1: it goes with no others). ``groups``: the group of each entry of this slot; the entries of a
    group are the same in all that clauses ask of them, and so of one kind. ``own``: the weight that
    each entry has by itself, the same within a group.
    """

    slot: int
    factors: Sequence[Factor]
    kinds: Sequence[Ints]
    groups: Ints
    own: Ints

    @cached_property
    def tables(self) -> list[Factor]:
        """The tables, each with the axis of the slot moved to the end."""
        return [
            (scope, np.ascontiguousarray(np.moveaxis(table, scope.index(self.slot), -1)))
            for scope, table in self.factors
        ]

    def of_all_kinds(self, drawn: Mapping[int, NDArray[np.int32]], rows: Ints) -> Counts:
        """Return the weight of each kind in each of ``rows``, given what is ``drawn``."""
        out = np.ones((len(rows), int(self.kinds[self.slot].max()) + 1))
        for scope, table in self.tables:
            out *= table[self._known(drawn, rows, scope)]
        return out

    def of_kinds(
        self, drawn: Mapping[int, NDArray[np.int32]], rows: Ints, place: Ints, kinds: Ints
    ) -> Counts:
        """Return the weight of an entry of each of ``kinds``, given what is ``drawn`` in its row.

        The row of each is the one of ``rows`` at its ``place``.
        """
        out = np.ones(len(place))
        for scope, table in self.tables:
            known = [kind[place] for kind in self._known(drawn, rows, scope)]
            out *= table[(*known, kinds)]
        return out

    def _known(
        self, drawn: Mapping[int, NDArray[np.int32]], rows: Ints, scope: Sequence[int]
    ) -> tuple[Ints, ...]:
        """Return the kinds drawn for the other slots of a table's ``scope``."""
        return tuple(self.kinds[s][drawn[s][rows]] for s in scope if s != self.slot)


@dataclass(frozen=True)
class Elimination:
    """What is known after all slots were summed out.

    ``steps``: the slots in the order in which they were summed out; drawing goes the other way
    round. ``left``: the tables that remain, over labels alone. ``rest``: a factor from the slots
    that are linked to no labels. The number of combinations with some labels is the product of the
    values of these tables and ``rest``.
    """

    steps: Sequence[SlotWeights]
    kinds: Sequence[Ints]
    rest: float
    left: Sequence[Factor] = field(default=())

    def joint(self, axes: tuple[int, ...]) -> Counts:
        """Count the combinations for each combination of the labels ``axes``."""
        ones = [np.ones(int(key.max()) + 1 if len(key) else 0) for key in self.kinds]
        found = self.rest * _product(self.left, axes, ones)
        for place, axis in enumerate(axes):  # labels that no word can have are of kind -1
            found = np.insert(found, found.shape[place], 0, place).take(self.kinds[axis], place)
        return found

    @property
    def total(self) -> float:
        """The number of combinations, including those that repeat a lemma."""
        axes = tuple(sorted({axis for scope, _ in self.left for axis in scope}))
        return float(self.joint(axes).sum())


def eliminate(
    sizes: Sequence[int],
    clauses: Sequence[Clause],
    labels: Mapping[int, Ints] | None = None,
    path: str = "",
    weights: Mapping[int, Ints] | None = None,
) -> Elimination:
    """Sum out the slots one by one, the cheapest first.

    ``sizes``: the number of entries of each slot. ``labels``: for some slots the label of each
    entry. ``weights``: for some slots the weight of each entry (otherwise 1). A combination counts
    as often as the product of the weights of its entries says. Raises :class:`InputError` if the
    clauses link so many words that it would take too long.
    """
    labels = labels or {}
    entries, factors = _kinds_of_entries(sizes, clauses, labels)
    own = [(weights or {}).get(s, np.ones(size, dtype=np.intp)) for s, size in enumerate(sizes)]
    columns = [_columns(slot, clauses, labels) for slot in range(len(sizes))]
    for slot in weights or {}:
        columns[slot].append(own[slot])
    asked = [alike_rows(cs, size)[1] for cs, size in zip(columns, sizes, strict=True)]
    groups = [_numbered(a, key >= 0) for a, (key, _) in zip(asked, entries, strict=True)]
    # axes: the kinds of each slot, then the labels of each slot (none for a slot without labels)
    kinds = [key for key, _ in entries]
    kinds += [_labels_met(labels.get(s), members) for s, (_, members) in enumerate(entries)]
    pairs = zip(kinds, own, strict=False)
    counts: list[Counts] = [np.bincount(k[k >= 0], w[k >= 0]).astype(float) for k, w in pairs]
    counts += [np.ones(int(key.max()) + 1 if len(key) else 0) for key in kinds[len(sizes) :]]
    widths = [int(group.max()) + 1 for group in asked] + [len(k) for k in kinds[len(sizes) :]]
    steps: list[SlotWeights] = []
    rest, left, work = 1.0, set(range(len(sizes))), 0
    while left:
        # Every order counts the same; the cheapest next slot keeps the tables small.
        slot = min(left, key=lambda s: (_cost(s, factors, widths), s))
        left.remove(slot)
        # By distributivity only the tables that name the slot take part in its sum. The table that
        # it leaves behind names the other slots of those tables.
        mine = [f for f in factors if slot in f[0]]
        factors = [f for f in factors if slot not in f[0]]
        others = tuple(sorted({s for scope, _ in mine for s in scope} - {slot}))
        multiplied = len(others) > 2  # else einsum sums as it goes
        held = prod(len(counts[s]) for s in others)
        work += held * len(counts[slot])
        kept = held * len(counts[slot if multiplied else len(sizes) + slot])
        if kept > CELLS or work > 32 * CELLS:
            raise fail("where: the tests link too many words; compare properties instead", path)
        # The same tables are the weights to draw the slot by, once the others are drawn.
        steps.append(SlotWeights(slot, mine, kinds, groups[slot], own[slot]))
        if slot in labels:
            # Sum over the words of each label, but keep the label: the cells of a balanced draw
            # are counted by it at the end.
            own_labels = kinds[len(sizes) + slot][labels[slot][entries[slot][1]]]
            size = len(counts[len(sizes) + slot])
            by_label = _by_label(mine, slot, others, counts, own_labels, size)
            factors.append(((*others, len(sizes) + slot), by_label))
        elif others:
            factors.append((others, _summed(mine, slot, others, counts[slot])))
        else:  # nothing is linked to the slot any more: its sum is a plain factor
            rest *= float(_summed(mine, slot, (), counts[slot]))
    return Elimination(steps, kinds, rest, factors)


def _labels_met(labels: Ints | None, members: Ints) -> Ints:
    """Return a number for each label that the entries ``members`` have, and -1 for others."""
    if labels is None:
        return np.zeros(0, dtype=np.intp)
    every = np.arange(int(labels.max()) + 1)
    return _numbered(every, np.isin(every, labels[members]))


def _cost(slot: int, factors: Sequence[Factor], widths: Sequence[int]) -> int:
    """Return the size of the table that summing out a slot makes.

    It is measured by groups, not by kinds: which slot comes first must not depend on what the
    tables say, or a new word could change the order and with it every draw.
    """
    scope = {s for names, _ in factors if slot in names for s in names} | {slot}
    return prod(widths[s] for s in scope)


def _summed(factors: Sequence[Factor], slot: int, axes: tuple[int, ...], counts: Counts) -> Counts:
    """Multiply tables and add up over the entries of a slot (``counts`` of each kind)."""
    number = {axis: place for place, axis in enumerate((*axes, slot))}
    tables: list[Any] = [
        x for scope, table in factors for x in (table, [number[axis] for axis in scope])
    ]
    out = np.einsum(*tables, counts, [number[slot]], list(range(len(axes))), optimize=True)
    return np.asarray(out)


def _by_label(
    factors: Sequence[Factor],
    slot: int,
    axes: tuple[int, ...],
    counts: Sequence[Counts],
    labels: Ints,
    size: int,
) -> Counts:
    """Multiply tables and add up over the entries of a slot that have the same label."""
    if not 0 < size <= _FEW or not axes:
        table = _product(factors, (*axes, slot), counts) * counts[slot]
        out = np.zeros((*table.shape[:-1], size))
        order = np.argsort(labels, kind="stable")
        met, starts = np.unique(labels[order], return_index=True)
        if len(met):
            out[..., met] = np.add.reduceat(table[..., order], starts, axis=-1)
        return out
    # Few labels: the words of each are summed as in any other table, without the whole product.
    sums = [_summed(factors, slot, axes, counts[slot] * (labels == label)) for label in range(size)]
    return np.stack(sums, axis=-1)


_FEW = 16
"""Labels that a slot may have for their words to be summed label by label."""


def _product(factors: Sequence[Factor], axes: tuple[int, ...], counts: Sequence[Counts]) -> Counts:
    """Multiply tables to one with the axes ``axes``, whose lengths are those of ``counts``."""
    out = np.ones([len(counts[axis]) for axis in axes])
    for scope, table in factors:
        order = sorted(scope, key=axes.index)
        moved = table.transpose([scope.index(axis) for axis in order])
        out *= moved.reshape([len(counts[axis]) if axis in scope else 1 for axis in axes])
    return out


def _columns(slot: int, clauses: Sequence[Clause], labels: Mapping[int, Ints]) -> list[Ints]:
    """Return the groups of a slot's entries in each clause, and their labels if they have any."""
    columns = [c.keys[c.scope.index(slot)] for c in clauses if slot in c.scope]
    return columns + ([labels[slot]] if slot in labels else [])


def _kinds_of_entries(
    sizes: Sequence[int], clauses: Sequence[Clause], labels: Mapping[int, Ints]
) -> tuple[list[tuple[Ints, Ints]], list[Factor]]:
    """Group the entries of each slot by what the tables of all clauses say of them, and by label.

    Return for each slot the kind of each entry and an entry for each kind, and the tables over
    kinds. Entries that a table forbids whatever the other slots have are of kind -1.
    """
    merged = [clause.merged() for clause in clauses]
    found = [alike_rows(_columns(s, merged, labels), size) for s, size in enumerate(sizes)]
    factors: list[Factor] = []
    for clause in merged:
        pairs = zip(clause.scope, clause.keys, strict=True)
        axes = np.ix_(*(key[found[slot][0]] for slot, key in pairs))
        factors.append((clause.scope, clause.table[axes].astype(np.float64)))
    # A kind is alive if each table allows it with something. Dead kinds are dropped here, so that
    # no later table has an axis entry for words that can never be drawn.
    alive = [np.ones(len(members), dtype=bool) for members, _ in found]
    for scope, table in factors:
        for axis, slot in enumerate(scope):
            alive[slot] &= table.any(axis=tuple(n for n in range(len(scope)) if n != axis))
    kept = zip(found, alive, strict=True)
    entries = [(_numbered(key, mine[key]), members[mine]) for (members, key), mine in kept]
    return entries, [(s, table[np.ix_(*(alive[slot] for slot in s))]) for s, table in factors]


def _numbered(groups: Ints, kept: NDArray[np.bool_]) -> Ints:
    """Return the groups of entries ``kept``, numbered without gaps, and -1 for other entries."""
    number = np.full(int(groups.max()) + 1, -1, dtype=np.intp)
    met = np.unique(groups[kept])
    number[met] = np.arange(len(met))
    return np.where(kept, number[groups], -1)
