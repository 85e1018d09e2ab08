"""Balanced draws: each value of an expression as often as each other, and within it of the next.

Levels make a tree: its root's children are the values of the first, theirs those of the second within them.
What a node gives is taken in turn from its children, in an order of their hashes; a leaf gives the
combinations of words that have its values, each drawn by a number of its own. So a word that is added
takes a share of each level and leaves the other draws alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from operator import mul

import numpy as np
from numpy.typing import NDArray

from solecism.grammar.sampling.draw import draw_by_group
from solecism.grammar.sampling.elimination import Columns, Elimination, eliminate
from solecism.grammar.sampling.plan import Plan
from solecism.grouping import Ints, alike_rows, within
from solecism.hashing import Hashes, mix, text_hashes

__all__ = ["Level", "balanced"]

LISTED = 1 << 16
"""Spaces up to this size are listed, so that the last of their combinations is found too."""

CELLS = 1 << 18
"""Combinations of values that are told apart at most."""


@dataclass(frozen=True)
class Level:
    """An expression over one slot that a draw is balanced over.

    ``labels``: for each entry of the slot the place of its value in ``texts``.
    """

    slot: int
    labels: Ints
    texts: tuple[str, ...]

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit number for each value."""
        return text_hashes(self.texts)


def balanced(plan: Plan, levels: Sequence[Level], seed: Hashes, need: int) -> Iterator[Columns]:
    """Yield distinct combinations, balanced over the levels in any first part, in batches.

    ``need``: about how many will be taken. Levels below one that has more nodes than are needed have
    nothing to balance and are left out, as are those below more nodes than ``CELLS``.
    """
    tree = _Tree(plan, _useful(levels, need), seed)
    if tree.total <= LISTED:
        batches = list(plan.walk())
        columns = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
        if columns:
            yield _take(columns, tree.order_of_listed(columns))
        return
    seen: set[int] = set()
    wanted, idle = need + need // 16 + 16, 0
    while idle < 3:
        columns = tree.draw(wanted)
        numbers = plan.hashes(seed, columns)
        fresh = np.flatnonzero([number not in seen for number in numbers.tolist()])
        seen.update(numbers[fresh].tolist())
        idle = 0 if len(fresh) else idle + 1
        wanted *= 2
        yield _take(columns, fresh)


def _useful(levels: Sequence[Level], need: int) -> tuple[Level, ...]:
    nodes = [1, *accumulate((len(level.texts) for level in levels), mul)]
    kept = [a < 2 * need and b <= CELLS for a, b in pairwise(nodes)]
    return tuple(levels[: [*kept, False].index(False)])


def _take(columns: Columns, rows: Ints) -> Columns:
    return [column[rows] for column in columns]


@dataclass(frozen=True)
class _Tree:
    """The tree of a plan's levels. A *cell* is a leaf: a combination of values that words can have."""

    plan: Plan
    levels: tuple[Level, ...]
    seed: Hashes

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The slots that have levels."""
        return tuple(sorted({level.slot for level in self.levels}))

    @cached_property
    def combined(self) -> dict[int, tuple[Ints, Ints]]:
        """For each such slot the label of each entry (all its levels at once), and an entry for each."""
        out = {}
        for slot in self.slots:
            columns = [level.labels for level in self.levels if level.slot == slot]
            firsts, labels = alike_rows(columns, len(self.plan.domains[slot]))
            out[slot] = labels, firsts
        return out

    @cached_property
    def labels(self) -> dict[int, Ints]:
        """The label of each entry of the slots that have levels."""
        return {slot: labels for slot, (labels, _) in self.combined.items()}

    @cached_property
    def elimination(self) -> Elimination:
        """The counts to draw by, apart for each cell."""
        sizes = [len(domain) for domain in self.plan.domains]
        return eliminate(sizes, self.plan.clauses, self.labels, self.plan.path)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """The number of combinations of each combination of labels: one axis for each slot."""
        return self.elimination.joint(tuple(len(self.plan.domains) + s for s in self.slots))

    @cached_property
    def total(self) -> float:
        """The number of combinations of words."""
        return float(self.counts.sum())

    @cached_property
    def cells(self) -> tuple[Ints, ...]:
        """For each slot with levels, its label in each cell."""
        return np.nonzero(self.counts > 0)

    def paths(self, entries: dict[int, Ints]) -> list[Hashes]:
        """Hash the way from the root to each combination's cell, one array for each level.

        ``entries``: for each slot with levels, an entry that has the values.
        """
        size = len(next(iter(entries.values())))
        out = [np.repeat(self.seed, size)]
        for level in self.levels:
            out.append(mix(out[-1] ^ level.hashes[level.labels[entries[level.slot]]]))
        return out

    def draw(self, wanted: int) -> Columns:
        """Draw about ``wanted`` distinct combinations, in order."""
        places = dict(zip(self.slots, self.cells, strict=True))
        paths = self.paths({s: self.combined[s][1][place] for s, place in places.items()})
        order, shares = _shares(paths, wanted)
        room = self.counts[self.cells][order]
        times = _times(shares, room)
        cell = np.repeat(order, times)
        turn = np.arange(len(cell)) - np.repeat(np.cumsum(times) - times, times)
        turns = mix(paths[-1][cell] ^ mix(turn.astype(np.uint64)))
        slots = len(self.plan.domains)
        given = {slots + s: place[cell].astype(np.int32) for s, place in places.items()}
        words = [domain.hashes for domain in self.plan.domains]
        columns = draw_by_group(self.elimination, words, turns, given, self.labels)
        numbers = self.plan.hashes(self.seed, columns)
        numbers[self.plan.repeats(columns)] = 0
        _, firsts = np.unique(numbers, return_index=True)
        rows = np.sort(firsts[numbers[firsts] > 0])
        ranks = within(cell[rows])
        return _take(columns, rows[_in_turn([path[cell[rows]] for path in paths], ranks)])

    def order_of_listed(self, columns: Columns) -> Ints:
        """Put all combinations in the order in which they are taken."""
        paths = self.paths({slot: columns[slot].astype(np.intp) for slot in self.slots})
        order = np.lexsort((self.plan.hashes(self.seed, columns), paths[-1]))
        sorted_paths = [path[order] for path in paths]
        return order[_in_turn(sorted_paths, within(sorted_paths[-1]))]


def _times(shares: Ints, room: NDArray[np.float64]) -> Ints:
    """How often to draw for so many distinct combinations: more often where there are few."""
    share = np.minimum(shares, room)
    return np.asarray(share + np.rint(share * np.minimum(3 * share / room, 4)), dtype=np.intp)


def _shares(paths: Sequence[Hashes], wanted: int) -> tuple[Ints, Ints]:
    """Share out a number at each node among its children, some of which get one more.

    Gives the cells that get something, and how much.
    """
    order = np.lexsort(paths[::-1])
    share = np.full(len(order), wanted)
    for above, here in pairwise(paths):
        parent, child = above[order], here[order]
        first = np.append(True, child[1:] != child[:-1])
        number = np.cumsum(first) - 1
        rank = within(parent[first])
        top = np.cumsum(np.append(True, parent[first][1:] != parent[first][:-1])) - 1
        siblings = np.bincount(top)[top]
        mine = share[first]
        share = (mine // siblings + (rank < mine % siblings))[number]
        order, share = order[share > 0], share[share > 0]
    return order, share


def _in_turn(paths: Sequence[Hashes], ranks: Ints) -> Ints:
    """Order combinations so that each node takes its children in turn; ``ranks``: their order in the cell."""
    for above, here in zip(reversed(paths[:-1]), reversed(paths), strict=False):
        order = np.lexsort((here, ranks, above))
        new = np.empty_like(ranks)
        new[order] = within(above[order])
        ranks = new
    return np.argsort(ranks, kind="stable")
