"""Drawing words for slots: a plan, not a search.

``where`` clauses become truth tables over the few distinct properties they ask for. ``walk`` joins the
slots one by one and drops what a table forbids as soon as it can; ``sample`` draws from a space of any
size without listing it, from exact weights (variable elimination over the truth tables).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from solecism.generate.hashing import Hashes, combine, mix, unit_interval
from solecism.generate.slots import Domain

__all__ = ["Clause", "Columns", "Plan"]

Columns = list[NDArray[np.int32]]
"""Combinations: one array for each slot, of places in its domain."""

BATCH = 1 << 17
LISTED = 1 << 20
"""Spaces up to this size are listed and the draw takes the combinations with the lowest hashes."""


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
class Plan:
    """The slots of a paradigm with what holds between them. ``apart``: pairs that share no lemma."""

    domains: Sequence[Domain]
    clauses: Sequence[Clause] = ()
    apart: Sequence[tuple[int, int]] = field(default=())

    @cached_property
    def lemmas(self) -> list[NDArray[np.intp]]:
        """For each slot, the number of each entry's lemma (the same in all slots)."""
        numbers: dict[tuple[str, str], int] = {}
        return [
            np.array(
                [numbers.setdefault((w.table.name, w.row.lemma), len(numbers)) for w in d.words],
                dtype=np.intp,
            )
            for d in self.domains
        ]

    def walk(self, batch: int = BATCH) -> Iterator[Columns]:
        """Yield all combinations in order (the last slot changes fastest), in batches."""
        yield from self._extend([], 1, 0, batch)

    def _extend(self, columns: Columns, rows: int, slot: int, batch: int) -> Iterator[Columns]:
        if slot == len(self.domains):
            yield columns
            return
        size = len(self.domains[slot])
        step = max(1, batch // size)
        for start in range(0, rows, step):
            block = [column[start : start + step] for column in columns]
            count = min(step, rows - start)
            wide = [np.repeat(column, size) for column in block]
            wide.append(np.tile(np.arange(size, dtype=np.int32), count))
            kept = self._keep(wide, slot)
            if len(kept[0]):
                yield from self._extend(kept, len(kept[0]), slot + 1, batch)

    def _keep(self, columns: Columns, slot: int) -> Columns:
        masks = [c.allows(columns) for c in self.clauses if max(c.scope) == slot]
        masks += [
            self.lemmas[a][columns[a]] != self.lemmas[b][columns[b]]
            for a, b in self.apart
            if max(a, b) == slot
        ]
        if not masks:
            return columns
        mask = reduce(np.logical_and, masks)
        return columns if mask.all() else [column[mask] for column in columns]

    @property
    def bound(self) -> int:
        """The number of combinations, those that repeat a lemma counted too."""
        return round(self._elimination.total)

    def size(self) -> int:
        """Count the combinations: exactly where no lemma can repeat or the space is small, else ``bound``."""
        if not self.apart or self.bound > 32 * LISTED:
            return self.bound
        return sum(len(columns[0]) for columns in self.walk())

    def sample(self, seed: Hashes, need: int) -> Iterator[Columns]:
        """Yield distinct combinations in an order fixed by ``seed`` and the words alone, in batches.

        Adding a word changes only the draws that take it. ``need`` (about how many will be taken) only
        decides whether listing the space is worth while.
        """
        if self.bound <= max(LISTED, 4 * need):
            yield from self._sample_listed(seed)
        else:
            yield from self._sample_weighted(seed, max(need, 256))

    def hashes(self, start: Hashes, columns: Columns) -> Hashes:
        """Hash combinations by their words."""
        pairs = zip(self.domains, columns, strict=True)
        return combine(start, (domain.hashes[column] for domain, column in pairs))

    def _sample_listed(self, seed: Hashes) -> Iterator[Columns]:
        batches = list(self.walk())
        if not batches:
            return
        columns = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
        order = np.argsort(self.hashes(seed, columns), kind="stable")
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            yield [column[chosen] for column in columns]

    def _sample_weighted(self, seed: Hashes, size: int) -> Iterator[Columns]:
        seen: set[int] = set()
        first, idle = 0, 0
        size = min(size, BATCH)
        while idle < 20:
            columns = self._draw(seed, first, size)
            first += size
            hashes = self.hashes(seed, columns)
            _, places = np.unique(hashes, return_index=True)
            fresh = np.array([p for p in np.sort(places) if int(hashes[p]) not in seen], dtype=int)
            seen.update(hashes[fresh].tolist())
            idle = 0 if len(fresh) else idle + 1
            yield [column[fresh] for column in columns]

    def _draw(self, seed: Hashes, first: int, size: int) -> Columns:
        turns = mix(np.arange(first, first + size, dtype=np.uint64) ^ seed)
        drawn: dict[int, NDArray[np.int32]] = {}
        for step in reversed(self._elimination.steps):
            words = self.domains[step.slot].hashes
            block = max(1, (1 << 22) // len(words))
            parts = [
                _rendezvous(turns[s : s + block], words, step.weights(drawn, s, s + block))
                for s in range(0, size, block)
            ]
            drawn[step.slot] = np.concatenate(parts)
        columns = [drawn[slot] for slot in range(len(self.domains))]
        masks = [self.lemmas[a][columns[a]] != self.lemmas[b][columns[b]] for a, b in self.apart]
        return [c[reduce(np.logical_and, masks)] for c in columns] if masks else columns

    @cached_property
    def _elimination(self) -> _Elimination:
        return _eliminate([len(d) for d in self.domains], self.clauses)


def _rendezvous(turns: Hashes, words: Hashes, weights: NDArray[np.float64]) -> NDArray[np.int32]:
    """For each turn take the word with the lowest key, word i with probability ~ its weight.

    Weighted rendezvous hashing: a word's key does not depend on the other words (Efraimidis & Spirakis
    2006 give the keys).
    """
    chances = unit_interval(mix(turns[:, None] ^ words[None, :]))
    with np.errstate(divide="ignore"):
        lowest: NDArray[np.int32] = np.argmin(-np.log(chances) / weights, axis=1).astype(np.int32)
    return lowest


@dataclass(frozen=True)
class _Step:
    """One slot taken out: ``table`` has the axes ``others`` (their keys), then the slot's keys."""

    slot: int
    others: tuple[int, ...]
    table: NDArray[np.float64]
    keys: Sequence[NDArray[np.intp]]

    def weights(
        self, drawn: dict[int, NDArray[np.int32]], start: int, stop: int
    ) -> NDArray[np.float64]:
        """Weight of each entry of the slot, given the slots drawn already: shape (draws or 1, entries)."""
        places = tuple(self.keys[other][drawn[other][start:stop]] for other in self.others)
        rows = self.table[places] if places else self.table[None, :]
        return np.asarray(rows[:, self.keys[self.slot]])


@dataclass(frozen=True)
class _Elimination:
    steps: Sequence[_Step]
    total: float


def _eliminate(sizes: Sequence[int], clauses: Sequence[Clause]) -> _Elimination:
    keys, factors = _common_keys(sizes, clauses)
    counts = [np.bincount(key).astype(np.float64) for key in keys]
    steps: list[_Step] = []
    total = 1.0
    left = set(range(len(sizes)))
    while left:
        slot = min(left, key=lambda s: (_cost(s, factors, counts), s))
        left.remove(slot)
        mine = [f for f in factors if slot in f[0]]
        factors = [f for f in factors if slot not in f[0]]
        others = tuple(sorted({s for scope, _ in mine for s in scope} - {slot}))
        table = _product(mine, (*others, slot), counts)
        steps.append(_Step(slot, others, table, keys))
        message = table @ counts[slot]
        if others:
            factors.append((others, message))
        else:
            total *= float(message)
    return _Elimination(steps, total)


Factor = tuple[tuple[int, ...], NDArray[np.float64]]


def _cost(slot: int, factors: Sequence[Factor], counts: Sequence[NDArray[np.float64]]) -> int:
    scope = {s for names, _ in factors if slot in names for s in names} | {slot}
    return int(np.prod([len(counts[s]) for s in scope]))


def _product(
    factors: Sequence[Factor], axes: tuple[int, ...], counts: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    out = np.ones([len(counts[axis]) for axis in axes])
    for scope, table in factors:
        order = sorted(scope, key=axes.index)
        moved = table.transpose([scope.index(axis) for axis in order])
        shape = [len(counts[axis]) if axis in scope else 1 for axis in axes]
        out = out * moved.reshape(shape)
    return out


def _common_keys(
    sizes: Sequence[int], clauses: Sequence[Clause]
) -> tuple[list[NDArray[np.intp]], list[Factor]]:
    """Group the entries of each slot by all clauses at once; give the clauses over those groups."""
    keys: list[NDArray[np.intp]] = []
    members: list[NDArray[np.intp]] = []
    for slot, size in enumerate(sizes):
        columns = [c.keys[c.scope.index(slot)] for c in clauses if slot in c.scope]
        stacked = np.stack([np.zeros(size, dtype=np.intp), *columns], axis=1)
        _, member, key = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
        keys.append(key.reshape(-1))
        members.append(member)
    factors = [
        (
            clause.scope,
            clause.table[
                np.ix_(*(k[members[s]] for s, k in zip(clause.scope, clause.keys, strict=True)))
            ].astype(np.float64),
        )
        for clause in clauses
    ]
    return keys, factors
