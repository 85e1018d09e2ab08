"""Drawing words by their weights, so that a word's chance does not depend on the other words.

A draw is a *turn*, a 64-bit number. In every turn each word has a key of its own, a hash of turn
and word, and the word with the lowest key wins. The keys are -log(u) / w, where w is the weight of
the word and u is uniform in (0, 1). Then word i has the lowest key with a probability of
w_i / sum(w), as with exponential variables of rate w (Efraimidis and Spirakis 2006). A word that is
added does not change the keys of the others: it wins some turns, and all other turns stay as they
are (rendezvous hashing; Thaler and Ravishankar 1998).

Words that no clause and no label tells apart have the same weight. They are drawn as one *group*,
by a key of the group, and then a word of the group by a key of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solecism.grammar.sampling.elimination import Columns, Elimination, SlotWeights
from solecism.grouping import Groups, Ints, alike_rows
from solecism.hashing import Hashes, mix, unit_interval

Drawn = dict[int, NDArray[np.int32]]
"""For each slot the entry drawn in each turn; for slots with labels, the label wanted."""

_BLOCK = 1 << 17
"""Numbers worked on at a time, so that they stay in the cache."""


def draw(
    elimination: Elimination,
    words: Sequence[Hashes],
    turns: Hashes,
    given: Drawn,
    labels: Mapping[int, Ints],
) -> Columns:
    """Draw an entry of each slot for each turn.

    ``words`` are the hashes of each slot's entries. ``labels`` are the labels of the entries of
    some slots, ``given`` those wanted in each turn (see
    :func:`solecism.grammar.sampling.elimination.eliminate`).
    """
    # Slots are drawn in the reverse of the order in which they were summed out: then all that the
    # weights of a slot depend on is drawn already.
    drawn = dict(given)
    for step in reversed(elimination.steps):
        mine = words[step.slot]
        groups = _WeightedGroups.of(step, mine, labels.get(step.slot))
        wanted = given.get(len(words) + step.slot)
        blocks = _blocks(len(turns), len(groups.marks))
        chosen = np.concatenate([groups.draw(turns, drawn, wanted, rows) for rows in blocks])
        drawn[step.slot] = _members(groups.entries, chosen, turns, mine)
    return [drawn[slot] for slot in range(len(words))]


def _members(groups: Groups, chosen: Ints, turns: Hashes, words: Hashes) -> NDArray[np.int32]:
    """Draw a word of the group ``chosen`` in each turn: all are equally likely."""
    out = groups.firsts[chosen].astype(np.int32)  # most groups have one word
    sizes = groups.sizes[chosen]
    several = np.flatnonzero(sizes > 1)
    for part in _blocks(len(several), int(sizes.max(initial=1))):
        here = several[part]
        rows, members = groups.pairs(chosen[here])
        out[here] = members[_lowest(mix(turns[here][rows] ^ words[members]), rows)]
    return out


def _blocks(rows: int, width: int) -> list[Ints]:
    """Cut rows into blocks that have about ``_BLOCK`` numbers, ``width`` a row."""
    size = max(1, _BLOCK // width)
    return [np.arange(start, min(start + size, rows)) for start in range(0, rows, size)]


@dataclass(frozen=True)
class _WeightedGroups:
    """The groups of words that a slot is drawn from, each with its kind and a hash (``marks``).

    ``sizes``: the words of each group, each counted as often as it weighs. ``labelled``: the groups
    by their label, if the words have labels.
    """

    weights: SlotWeights
    entries: Groups
    sizes: Ints
    kinds: Ints
    marks: Hashes
    labelled: Groups | None

    @classmethod
    def of(cls, step: SlotWeights, words: Hashes, labels: Ints | None) -> _WeightedGroups:
        """Mark each group by the lowest hash of its words, so that others may join it."""
        entries = Groups.of(step.groups)
        marks = np.minimum.reduceat(words[entries.order], entries.starts)
        labelled = None if labels is None else Groups.of(labels[entries.firsts])
        sizes = entries.sizes * step.own[entries.firsts]
        return cls(step, entries, sizes, step.kinds[step.slot][entries.firsts], marks, labelled)

    def draw(
        self, turns: Hashes, drawn: Drawn, wanted: NDArray[np.int32] | None, rows: Ints
    ) -> Ints:
        """Draw a group for each of ``rows``, of the label ``wanted`` if there are labels."""
        if self.labelled is None or wanted is None:
            return self._of_all(turns[rows], drawn, rows)
        place, group = self.labelled.pairs(wanted[rows].astype(np.intp))
        weights = self.weights.of_kinds(drawn, rows, place, self.kinds[group])
        weights *= self.sizes[group]
        # Words of weight 0 must not win, and log(u) / 0 is no key.
        kept = np.flatnonzero(weights)
        place, group = place[kept], group[kept]
        chances = unit_interval(mix(turns[rows[place]] ^ self.marks[group]))
        return group[_lowest(-np.log(chances) / weights[kept], place)]

    def _of_all(self, turns: Hashes, drawn: Drawn, rows: Ints) -> Ints:
        """Draw a group whatever its label.

        Groups of the same kind and size (a *class*) have the same weight. Among these the highest u
        gives the lowest key, so logarithms are needed only for the best group of each class.
        """
        firsts, number = alike_rows([self.kinds, self.sizes], len(self.marks))
        classes = Groups.of(number)
        weights = self.weights.of_all_kinds(drawn, rows)[:, self.kinds[firsts]]
        weights *= self.sizes[firsts]
        # Hashes are compared in place of u: both have the same order.
        chances = mix(turns[:, None] ^ self.marks[None, classes.order])
        best = np.maximum.reduceat(chances, classes.starts, axis=1)
        with np.errstate(divide="ignore"):
            number = np.argmin(-np.log(unit_interval(best)) / weights, axis=1)
        # Find the group that has the winning hash.
        won = best[np.arange(len(rows)), number]
        return np.asarray(classes.order[np.argmax(chances == won[:, None], axis=1)])


def _lowest(values: NDArray[np.float64] | Hashes, rows: Ints) -> Ints:
    """Return the place of the lowest value of each row; the values of a row stand together."""
    starts = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    sizes = np.diff(np.append(starts, len(rows)))
    places = np.flatnonzero(values == np.repeat(np.minimum.reduceat(values, starts), sizes))
    if len(places) == len(starts):
        return places
    met = rows[places]
    return np.asarray(places[np.append(True, met[1:] != met[:-1])])
