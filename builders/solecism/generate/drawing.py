"""Drawing the words of slots, given weights: stable, for a word's chance does not depend on the others.

Weighted rendezvous hashing: for each turn each word has a key of its own, and the lowest is taken
(Efraimidis & Spirakis 2006 give keys that make word i win with a probability ~ its weight).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solecism.generate.elimination import Columns, Elimination, Step, alike
from solecism.hashing import Hashes, mix, unit_interval

__all__ = ["Drawn", "Grouped", "draw", "draw_by_group", "within"]

Drawn = dict[int, NDArray[np.int32]]
"""The entries drawn for each slot, and the labels that slots with labels shall have."""

Ints = NDArray[np.intp]

_BLOCK = 1 << 17
"""Numbers worked on at a time, so that they stay in the cache."""


def draw(elimination: Elimination, words: Sequence[Hashes], turns: Hashes) -> Columns:
    """Draw an entry of each slot for each turn, each by a key of its own.

    ``words``: the hashes of each slot's entries.
    """
    drawn: Drawn = {}
    for step in reversed(elimination.steps):
        entries = Grouped.of(step.keys[step.slot])
        size = max(1, _BLOCK // len(words[step.slot]))
        out = np.empty(len(turns), dtype=np.int32)
        for start in range(0, len(turns), size):
            rows = np.arange(start, min(start + size, len(turns)))
            out[rows] = _best(step, entries, words[step.slot], turns, drawn, rows)
        drawn[step.slot] = out
    return [drawn[slot] for slot in range(len(words))]


def _best(
    step: Step, entries: Grouped, words: Hashes, turns: Hashes, drawn: Drawn, rows: Ints
) -> Ints:
    """Words of a group have the same weight, so logarithms are needed only for the best of each."""
    order = entries.order
    chances = mix(turns[rows, None] ^ words[None, order])
    best = unit_interval(np.maximum.reduceat(chances, entries.starts, axis=1))
    weights = step.weights(drawn, rows)
    with np.errstate(divide="ignore"):
        group = np.argmin(-np.log(best) / weights, axis=1)
    chances[step.keys[step.slot][None, order] != group[:, None]] = 0
    return np.asarray(order[np.argmax(chances, axis=1)])


@dataclass(frozen=True)
class Grouped:
    """The members of groups: ``order[starts[g] : starts[g] + sizes[g]]``."""

    order: Ints
    starts: Ints
    sizes: Ints

    @property
    def firsts(self) -> Ints:
        """The first member of each group."""
        return self.order[self.starts]

    @classmethod
    def of(cls, keys: Ints) -> Grouped:
        """Sort by group; every group has members."""
        sizes = np.bincount(keys)
        return cls(np.argsort(keys, kind="stable"), np.cumsum(sizes) - sizes, sizes)

    def pairs(self, groups: Ints) -> tuple[Ints, Ints]:
        """Give, for each of ``groups``, its place and each of its members."""
        sizes = self.sizes[groups]
        place = np.repeat(np.arange(len(groups)), sizes)
        return place, self.order[self.starts[groups][place] + within(place)]


def draw_by_group(
    elimination: Elimination,
    words: Sequence[Hashes],
    turns: Hashes,
    given: Drawn,
    labels: dict[int, Ints],
) -> Columns:
    """Draw an entry of each slot for each turn: first a group of words of the same weight, then a word of it.

    ``given`` are the labels wanted, and ``labels`` the label of each entry of the slots that have them
    (see :func:`solecism.generate.elimination.eliminate`).
    """
    drawn = dict(given)
    for step in reversed(elimination.steps):
        mine = words[step.slot]
        entries = Grouped.of(step.keys[step.slot])
        size = max(1, 8 * _BLOCK // len(entries.sizes))
        blocks = [np.arange(n, min(n + size, len(turns))) for n in range(0, len(turns), size)]
        label = labels.get(step.slot, np.zeros(len(mine), dtype=np.intp))
        wanted = given.get(len(words) + step.slot, np.zeros(len(turns), dtype=np.int32))
        group = [_group(step, entries, mine, turns, drawn, label, wanted, b) for b in blocks]
        rows, members = entries.pairs(np.concatenate(group))
        taken = members[_lowest(mix(turns[rows] ^ mine[members]), rows)]
        drawn[step.slot] = taken.astype(np.int32)
    return [drawn[slot] for slot in range(len(words))]


def _group(
    step: Step,
    entries: Grouped,
    words: Hashes,
    turns: Hashes,
    drawn: Drawn,
    label: Ints,
    wanted: NDArray[np.int32],
    block: Ints,
) -> Ints:
    """Draw a group for each turn of a block. Turns that have the same words so far weigh groups alike."""
    known = [wanted[block].astype(np.intp), *(column[block] for column in step.known(drawn))]
    member, context = alike(known, len(block))
    weights = step.weights(drawn, block[member]) * entries.sizes
    weights *= label[entries.firsts] == wanted[block[member], None]
    contexts, open_groups = np.nonzero(weights)
    row, place = Grouped.of(contexts).pairs(context)
    groups = open_groups[place]
    marks = np.minimum.reduceat(words[entries.order], entries.starts)
    chances = unit_interval(mix(turns[block][row] ^ marks[groups]))
    ages = -np.log(chances) / weights[contexts[place], groups]
    return groups[_lowest(ages, row)]


def _lowest(values: NDArray[np.float64] | Hashes, rows: Ints) -> Ints:
    """The place of the lowest value of each row; ``rows`` (neighbours belong together) has them all."""
    starts = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    lowest = np.minimum.reduceat(values, starts)[rows]
    places = np.flatnonzero(values == lowest)
    return np.asarray(places[np.unique(rows[places], return_index=True)[1]])


def within(groups: Ints | Hashes) -> Ints:
    """Number the members of each group (equal neighbours) from 0."""
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    sizes = np.diff(np.append(starts, len(groups)))
    return np.arange(len(groups)) - np.repeat(starts, sizes)
