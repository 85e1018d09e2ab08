"""Which combinations of words a paradigm has, and the order in which a draw takes them.

``where`` tests become truth tables over the few properties they ask for (:class:`Clause`). For
``draw: all``, :meth:`DrawPlan.walk` joins the slots one by one and drops what a table forbids as
soon as it can. For ``draw: n``, :meth:`DrawPlan.sample` yields distinct combinations in a fixed
order, of which as many are taken as are needed; ``docs/sampling.md`` explains the method.

A balanced draw is a tree with a *level* for each expression of ``balance``. The children of the
root are the values of the first expression; the children of each of these are the values of the
second expression that occur with it, and so on. A leaf (*cell*) has the combinations of words that
have all its values. A node takes combinations from its children in turn, in the order of their
hashes. So all values are drawn equally often, in any first part of the draw. A word that is added
to a lexicon replaces only its share of a draw; the other combinations stay. A draw without
``balance`` is a tree of one leaf.

To draw, each cell makes *attempts*, which are numbered: attempt 3 of a cell always gives the same
combination, however many are made.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import accumulate, pairwise
from math import prod
from operator import mul

import numpy as np
from numpy.typing import NDArray

from solecism.grammar.sampling.draw import draw
from solecism.grammar.sampling.elimination import Clause, Columns, Elimination, eliminate
from solecism.grammar.slots import Domain
from solecism.grouping import Ints, alike_rows, pack_columns, rank_in_group
from solecism.hashing import Hashes, combine, mix, text_hashes, unit_interval

BATCH = 1 << 17
"""Combinations listed at a time."""

LISTED = 1 << 16
"""If there are no more combinations than this, all are listed and sorted: so none is missed."""

COUNTED = 1 << 25
"""Up to so many combinations are listed to count those that repeat no lemma."""

CELLS = 1 << 18
"""The largest number of combinations of values that a draw is balanced over."""


@dataclass(frozen=True)
class BalanceLevel:
    """An expression over one slot that a draw is balanced over.

    ``labels``: for each entry of the slot the place of its value in ``texts``. ``weights``: how
    often each value is drawn, relative to the others.
    """

    slot: int
    labels: Ints
    texts: tuple[str, ...]
    weights: Ints

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit number for each value."""
        return text_hashes(self.texts)


@dataclass(frozen=True)
class DrawPlan:
    """The slots of a paradigm and what holds between them.

    ``clauses``: the tests of ``where``; ``apart``: pairs of slots that must differ in lemma.
    """

    domains: Sequence[Domain]
    clauses: Sequence[Clause] = ()
    apart: Sequence[tuple[int, int]] = field(default=())
    path: str = ""

    @cached_property
    def lemmas(self) -> list[Ints]:
        """For each slot, the number of each entry's lemma (the same in all slots)."""
        numbers: dict[tuple[str, str], int] = {}
        out = []
        for domain in self.domains:
            words, places = domain.lemmas
            mine = [numbers.setdefault(word, len(numbers)) for word in words]
            out.append(np.array(mine, dtype=np.intp)[places])
        return out

    def walk(self, batch: int = BATCH) -> Iterator[Columns]:
        """Yield all combinations in order (the last slot changes fastest), in batches."""
        yield from self._extend([], 1, 0, batch)

    def _extend(self, columns: Columns, rows: int, slot: int, batch: int) -> Iterator[Columns]:
        """Yield the combinations that continue ``columns``.

        ``columns`` have ``rows`` choices of words for the slots before ``slot``.
        """
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
        """Drop the combinations that a clause forbids, and those that repeat a lemma.

        Only what has ``slot`` as its last slot is tested: the rest was tested before, or cannot be
        tested yet.
        """
        masks = [c.allows(columns) for c in self.clauses if max(c.scope) == slot]
        apart = [pair for pair in self.apart if max(pair) == slot]
        masks += [self.lemmas[a][columns[a]] != self.lemmas[b][columns[b]] for a, b in apart]
        if not masks:
            return columns
        mask = reduce(np.logical_and, masks)
        return columns if mask.all() else [column[mask] for column in columns]

    @cached_property
    def elimination(self) -> Elimination:
        """The counts of all combinations; weights do not matter in it."""
        return eliminate(list(map(len, self.domains)), self.clauses, {}, self.path)

    @cached_property
    def weights(self) -> dict[int, Ints]:
        """The weights of the entries, for each slot that has any weight above 1."""
        return {n: d.weights for n, d in enumerate(self.domains) if (d.weights > 1).any()}

    @property
    def bound(self) -> int:
        """The number of combinations, including those that repeat a lemma."""
        return round(min(self.elimination.total, sys.float_info.max))

    def size(self) -> int:
        """Return the number of combinations, or :attr:`bound` if there are too many to list."""
        if not self.apart or self.bound > COUNTED:
            return self.bound
        return sum(len(columns[0]) for columns in self.walk())

    def hashes(self, start: Hashes, columns: Columns) -> Hashes:
        """Hash combinations by their words."""
        pairs = zip(self.domains, columns, strict=True)
        return combine(start, (domain.hashes[column] for domain, column in pairs))

    def repeats(self, columns: Columns) -> NDArray[np.bool_]:
        """Return for each combination whether slots of a pair in ``apart`` have the same lemma."""
        pairs = [self.lemmas[a][columns[a]] == self.lemmas[b][columns[b]] for a, b in self.apart]
        return reduce(np.logical_or, pairs, np.zeros(len(columns[0]), dtype=bool))

    def sample(
        self, seed: Hashes, need: int, levels: Sequence[BalanceLevel] = ()
    ) -> Iterator[Columns]:
        """Yield distinct combinations in batches, in an order fixed by ``seed`` and the words.

        Any first part of them is balanced over the levels. ``need`` (about how many will be taken)
        decides how many are made at a time, and whether all combinations are listed. Levels that
        cannot be balanced are left out (:func:`_useful`).
        """
        tree = _LevelTree(self, _useful(levels, need), seed)
        if tree.is_small(max(LISTED, 4 * need)):
            batches = list(self.walk())
            columns = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
            if columns:
                yield _take(columns, tree.order_of_listed(columns))
            return
        # A combination may be drawn several times, and is taken the first time. A larger draw
        # repeats the attempts of a smaller one: what was seen before is skipped. After three draws
        # without anything new, all combinations are taken to be found.
        seen: set[int] = set()
        wanted, effort, idle = need + need // 16 + 16, 1, 0
        while idle < 3 and tree.counts.any():
            columns = tree.draw(wanted, effort)
            numbers = self.hashes(seed, columns)
            fresh = np.flatnonzero([number not in seen for number in numbers.tolist()])
            seen.update(numbers[fresh].tolist())
            wanted *= 2
            idle, effort = (0, effort) if len(fresh) else (idle + 1, 2 * effort)
            yield _take(columns, fresh)


def _useful(levels: Sequence[BalanceLevel], need: int) -> tuple[BalanceLevel, ...]:
    """Return the first levels, as many as ``need`` items can be balanced over.

    A level is left out, with those below it, if the tree has ``2 * need`` nodes or more above it
    (there are too few items for its values), or if the tree would have more than ``CELLS`` leaves.
    """
    nodes = [1, *accumulate((len(level.texts) for level in levels), mul)]
    kept = [a < 2 * need and b <= CELLS for a, b in pairwise(nodes)]
    return tuple(levels[: [*kept, False].index(False)])


def _take(columns: Columns, rows: Ints) -> Columns:
    """Return some of the combinations, given by their numbers."""
    return [column[rows] for column in columns]


@dataclass(frozen=True)
class _LevelTree:
    """The tree of levels. A *cell* is a leaf: a combination of values that words can have."""

    plan: DrawPlan
    levels: tuple[BalanceLevel, ...]
    seed: Hashes

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The slots that have levels."""
        return tuple(sorted({level.slot for level in self.levels}))

    @cached_property
    def combined(self) -> dict[int, tuple[Ints, Ints]]:
        """For each slot with levels: one entry of each label, and the label of each entry.

        Entries have the same label if they have the same value on all levels of the slot.
        """
        return {
            slot: alike_rows(
                [level.labels for level in self.levels if level.slot == slot],
                len(self.plan.domains[slot]),
            )
            for slot in self.slots
        }

    @cached_property
    def labels(self) -> dict[int, Ints]:
        """The label of each entry of the slots that have levels."""
        return {slot: labels for slot, (_, labels) in self.combined.items()}

    @cached_property
    def elimination(self) -> Elimination:
        """The counts to draw by: weighted, and separate for each cell."""
        plan, labels = self.plan, self.labels
        if not labels and not plan.weights:
            return plan.elimination
        sizes = list(map(len, plan.domains))
        return eliminate(sizes, plan.clauses, labels, plan.path, plan.weights)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """The number of combinations of each cell, or fewer; an axis for the labels of each slot.

        If no word has a weight, it is the number, with those that repeat a lemma. Otherwise the
        weighted number is divided by the largest weight that a combination can have. In
        ``elimination`` the label of slot ``s`` is the variable ``s`` plus the number of slots.
        """
        heaviest = prod(int(weights.max()) for weights in self.plan.weights.values())
        axes = tuple(len(self.plan.domains) + s for s in self.slots)
        return self.elimination.joint(axes) / heaviest

    def is_small(self, most: int) -> bool:
        """Return whether there are no more than ``most`` combinations."""
        total = float(self.counts.sum())
        return total <= most and (not self.plan.weights or self.plan.bound <= most)

    def paths(self, entries: Mapping[int, Ints], size: int) -> list[Hashes]:
        """Return hashes of the nodes from the root to each combination's cell: an array a depth.

        ``entries``: for each slot with levels the entry in each combination.
        """
        out = [np.repeat(self.seed, size)]
        for level in self.levels:
            out.append(mix(out[-1] ^ level.hashes[level.labels[entries[level.slot]]]))
        return out

    def draw(self, wanted: int, effort: int = 1) -> Columns:
        """Draw about ``wanted`` distinct combinations, in order.

        ``effort`` multiplies the attempts of each cell: more of them find what is left.
        """
        cells = np.argwhere(self.counts > 0)
        labels = {slot: cells[:, place] for place, slot in enumerate(self.slots)}
        entries = {slot: self.combined[slot][0][label] for slot, label in labels.items()}
        paths = self.paths(entries, len(cells))
        order, shares = _shares(paths, self.level_weights(entries), wanted)
        times = effort * _attempts(shares, self.counts[self.counts > 0][order])
        cell = np.repeat(order, times)
        number = np.arange(len(cell)) - np.repeat(np.cumsum(times) - times, times)
        attempts = mix(paths[-1][cell] ^ mix(number.astype(np.uint64)))
        slots = len(self.plan.domains)
        given = {slots + slot: label[cell].astype(np.int32) for slot, label in labels.items()}
        words = [domain.hashes for domain in self.plan.domains]
        columns = draw(self.elimination, words, attempts, given, self.labels)
        # keep the first attempt that gave a combination, and none of those that repeat a lemma
        numbers = self.plan.hashes(self.seed, columns)
        numbers[self.plan.repeats(columns)] = 0
        _, firsts = np.unique(numbers, return_index=True)
        rows = np.sort(firsts[numbers[firsts] > 0])
        ranks = rank_in_group(cell[rows])
        drawn = cell[rows]
        weights = [level[drawn] for level in self.level_weights(entries)]
        return _take(columns, rows[_in_turn([path[drawn] for path in paths], weights, ranks)])

    def order_of_listed(self, columns: Columns) -> Ints:
        """Return the order in which combinations are taken if all of them are listed.

        Within a cell it is the order of their hashes. If words have weights, each hash becomes a
        key as in a draw (:mod:`solecism.grammar.sampling.draw`).
        """
        entries = {slot: columns[slot].astype(np.intp) for slot in self.slots}
        paths = self.paths(entries, len(columns[0]))
        hashes = self.plan.hashes(self.seed, columns)
        keys: Hashes | NDArray[np.float64] = hashes
        if self.plan.weights:
            weights = [w[columns[slot]] for slot, w in self.plan.weights.items()]
            keys = -np.log(unit_interval(hashes)) / reduce(np.multiply, weights)
        order = np.lexsort((keys, paths[-1]))
        sorted_paths = [path[order] for path in paths]
        level_weights = [level[order] for level in self.level_weights(entries)]
        return order[_in_turn(sorted_paths, level_weights, rank_in_group(sorted_paths[-1]))]

    def level_weights(self, entries: Mapping[int, Ints]) -> list[Ints]:
        """Return the weight of each combination's value, for each level."""
        return [level.weights[level.labels[entries[level.slot]]] for level in self.levels]


def _attempts(shares: Ints, room: NDArray[np.float64]) -> Ints:
    """Return the number of attempts of each cell: up to four times its share.

    ``room``: how many combinations a cell has. The larger the share of them that is wanted, the
    more attempts give a combination again.
    """
    share = np.minimum(shares, room)
    return np.asarray(share + np.rint(share * (3 * share / room)), dtype=np.intp)


def _shares(paths: Sequence[Hashes], weights: Sequence[Ints], wanted: int) -> tuple[Ints, Ints]:
    """Divide ``wanted`` among the cells: each node divides its share among its children by weight.

    Shares are rounded down. What is left over goes, one each, to the children that lost most by
    that, and among equals to those with the lowest hashes. Return the cells that get something, and
    how much.
    """
    order = np.lexsort(paths[::-1])
    share = np.full(len(order), wanted)
    for (above, here), weight in zip(pairwise(paths), weights, strict=True):
        parent, child = above[order], here[order]
        first = np.append(True, child[1:] != child[:-1])
        number = np.cumsum(first) - 1
        above_of = np.cumsum(np.append(True, parent[first][1:] != parent[first][:-1])) - 1
        own = weight[order][first]
        total = np.bincount(above_of, own)[above_of].astype(np.intp)
        mine = share[first] * own
        # Nodes of one parent are sorted by hash: a stable sort keeps that order among equals.
        by_loss = np.lexsort((-(mine % total), above_of))
        rank = np.empty_like(above_of)
        rank[by_loss] = rank_in_group(above_of[by_loss])
        given = np.bincount(above_of, mine // total)[above_of].astype(np.intp)
        share = (mine // total + (rank < share[first] - given))[number]
        order, share = order[share > 0], share[share > 0]
    return order, share


def _in_turn(paths: Sequence[Hashes], weights: Sequence[Ints], ranks: Ints) -> Ints:
    """Return the order of combinations in which each node takes from its children in turn.

    A heavier child has more turns. ``ranks``: the rank of each combination in its cell.
    """
    nodes = [np.unique(path, return_inverse=True)[1] for path in paths]
    for above, here, weight in zip(nodes[-2::-1], nodes[::-1], weights[::-1], strict=False):
        turn = ranks
        if weight.max(initial=1) > 1:
            turn = np.unique((ranks + 0.5) / weight, return_inverse=True)[1]
        order = np.argsort(pack_columns([above, turn, here], len(ranks))[0])  # no two are alike
        ranks = np.empty_like(ranks)
        ranks[order] = rank_in_group(above[order])
    return np.argsort(ranks)
