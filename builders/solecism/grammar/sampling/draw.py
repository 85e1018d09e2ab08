"""Drawing the words of slots, given weights: stable, for a word's chance does not depend on the others.

Weighted rendezvous hashing: for each turn each word has a key of its own, and the lowest is taken
(Efraimidis & Spirakis 2006 give keys that make word i win with a probability ~ its weight).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solecism.grammar.sampling.elimination import Columns, Elimination, Step
from solecism.grouping import Groups, Ints, alike_rows
from solecism.hashing import Hashes, mix, unit_interval

__all__ = ["Drawn", "draw", "draw_by_group"]

Drawn = dict[int, NDArray[np.int32]]
"""The entries drawn for each slot, and the labels that slots with labels shall have."""

_BLOCK = 1 << 17
"""Numbers worked on at a time, so that they stay in the cache."""


def draw(elimination: Elimination, words: Sequence[Hashes], turns: Hashes) -> Columns:
    """Draw an entry of each slot for each turn, each by a key of its own.

    ``words``: the hashes of each slot's entries.
    """
    drawn: Drawn = {}
    for step in reversed(elimination.steps):
        kinds = Groups.of(step.keys[step.slot])
        out = np.empty(len(turns), dtype=np.int32)
        for rows in _blocks(len(turns), _BLOCK // len(words[step.slot])):
            out[rows] = _best(kinds, step.weights(drawn, rows), words[step.slot], turns[rows])
        drawn[step.slot] = out
    return [drawn[slot] for slot in range(len(words))]


def _blocks(rows: int, size: int) -> list[Ints]:
    size = max(1, size)
    return [np.arange(start, min(start + size, rows)) for start in range(0, rows, size)]


def _best(kinds: Groups, weights: NDArray[np.float64], marks: Hashes, turns: Hashes) -> Ints:
    """Draw one of the members of kinds for each turn, by its mark; ``weights``: those of kinds in each turn.

    Members of a kind have the same weight, so logarithms are needed only for the best of each.
    """
    chances = mix(turns[:, None] ^ marks[None, kinds.order])
    best = np.maximum.reduceat(chances, kinds.starts, axis=1)
    with np.errstate(divide="ignore"):
        kind = np.argmin(-np.log(unit_interval(best)) / weights, axis=1)
    won = best[np.arange(len(turns)), kind]
    return np.asarray(kinds.order[np.argmax(chances == won[:, None], axis=1)])


def draw_by_group(
    elimination: Elimination,
    words: Sequence[Hashes],
    turns: Hashes,
    given: Drawn,
    labels: dict[int, Ints],
) -> Columns:
    """Draw an entry of each slot for each turn: first a group of words of the same weight, then a word of it.

    ``given`` are the labels wanted, and ``labels`` the label of each entry of the slots that have them
    (see :func:`solecism.grammar.sampling.elimination.eliminate`).
    """
    drawn = dict(given)
    for step in reversed(elimination.steps):
        mine = words[step.slot]
        groups = _DrawnGroups.of(step, mine, labels.get(step.slot))
        wanted = given.get(len(words) + step.slot)
        blocks = _blocks(len(turns), _BLOCK // len(groups.marks))
        group = [groups.draw(turns, drawn, wanted, rows) for rows in blocks]
        rows, members = groups.entries.pairs(np.concatenate(group))
        taken = members[_lowest(mix(turns[rows] ^ mine[members]), rows)]
        drawn[step.slot] = taken.astype(np.int32)
    return [drawn[slot] for slot in range(len(words))]


@dataclass(frozen=True)
class _DrawnGroups:
    """The groups of words that a step draws from, each with its kind and a number of its own (``marks``).

    ``labelled``: the groups by their label, if the words have labels.
    """

    step: Step
    entries: Groups
    kinds: Ints
    marks: Hashes
    labelled: Groups | None

    @classmethod
    def of(cls, step: Step, words: Hashes, labels: Ints | None) -> _DrawnGroups:
        """Mark each group by the lowest number of its words, so that others may join it."""
        entries = Groups.of(step.groups)
        marks = np.minimum.reduceat(words[entries.order], entries.starts)
        labelled = None if labels is None else Groups.of(labels[entries.firsts])
        return cls(step, entries, step.keys[step.slot][entries.firsts], marks, labelled)

    @cached_property
    def _weighed(self) -> tuple[Ints, Groups]:
        """Groups of one weight (of the same kind and size): one of each, and all of them."""
        member, number = alike_rows([self.kinds, self.entries.sizes], len(self.marks))
        return member, Groups.of(number)

    def draw(
        self, turns: Hashes, drawn: Drawn, wanted: NDArray[np.int32] | None, rows: Ints
    ) -> Ints:
        """Draw a group for each of ``rows``, of the label ``wanted`` if there are labels."""
        if self.labelled is None or wanted is None:
            return self._of_all(turns, drawn, rows)
        place, group = self.labelled.pairs(wanted[rows].astype(np.intp))
        weights = self.step.weights_of(drawn, rows[place], self.kinds[group])
        weights *= self.entries.sizes[group]
        kept = np.flatnonzero(weights)
        place, group = place[kept], group[kept]
        chances = unit_interval(mix(turns[rows[place]] ^ self.marks[group]))
        return group[_lowest(-np.log(chances) / weights[kept], place)]

    def _of_all(self, turns: Hashes, drawn: Drawn, rows: Ints) -> Ints:
        member, weighed = self._weighed
        weights = self.step.weights(drawn, rows)[:, self.kinds[member]] * self.entries.sizes[member]
        return _best(weighed, weights, self.marks, turns[rows])


def _lowest(values: NDArray[np.float64] | Hashes, rows: Ints) -> Ints:
    """The place of the lowest value of each row; ``rows`` (neighbours belong together) has them all."""
    starts = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    lowest = np.minimum.reduceat(values, starts)[rows]
    places = np.flatnonzero(values == lowest)
    return np.asarray(places[np.unique(rows[places], return_index=True)[1]])
