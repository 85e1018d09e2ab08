"""Sequences of tokens as a prefix tree: each distinct prefix is one node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def pad_rows(rows: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Return token ids as a matrix (rows, longest), padded with -1, and the lengths."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    out = np.full((len(rows), int(lengths.max(initial=1))), -1, dtype=np.int64)
    out[np.arange(out.shape[1]) < lengths[:, None]] = np.fromiter(
        (token for row in rows for token in row), dtype=np.int64, count=int(lengths.sum())
    )
    return out, lengths


class Pack(NamedTuple):
    """Nodes that go through the model side by side; the first ``above`` only give context.

    Its own nodes are those at the places ``start:end`` of the tree's inner nodes.
    """

    nodes: Ints
    above: int
    start: int
    end: int


@dataclass(frozen=True)
class Trie:
    """A prefix tree of token sequences, its nodes in depth-first order.

    ``node_of[row, place]`` is the node of a token (-1 after the end); for each node: its ``token``,
    its ``parent`` (-1 for a first token), its ``depth`` (0 for a first token) and a ``row`` it
    stands in.
    """

    node_of: Ints
    token: Ints
    parent: Ints
    depth: Ints
    row: Ints

    @classmethod
    def build(cls, ids: Ints, lengths: Ints) -> Trie:
        """Return the tree of padded rows of token ids."""
        # In sorted order, rows that begin alike are neighbours: a token is a new node unless the
        # row before has the same tokens up to this place. The nodes come in depth-first order.
        order = np.lexsort(ids.T[::-1])
        rows, sizes = ids[order], lengths[order]
        inside = np.arange(ids.shape[1]) < sizes[:, None]
        same = np.zeros_like(inside)
        same[1:] = np.logical_and.accumulate((rows[1:] == rows[:-1]) & inside[1:], axis=1)
        fresh = inside & ~same
        numbers = np.full(ids.shape, -1, dtype=np.int64)
        numbers[fresh] = np.arange(fresh.sum())
        # A token that is no new node has the node that was made last in its column.
        nodes = np.where(inside, np.maximum.accumulate(numbers, axis=0), -1)
        where_row, depth = np.nonzero(fresh)
        parent = np.where(depth > 0, nodes[where_row, np.maximum(depth - 1, 0)], -1)
        node_of = np.empty_like(nodes)
        node_of[order] = nodes
        return cls(node_of, rows[fresh], parent, depth, order[where_row])

    def __len__(self) -> int:
        return len(self.token)

    @cached_property
    def inner(self) -> Ints:
        """The nodes that have children, in depth-first order: only these need the model."""
        return np.unique(self.parent[self.parent >= 0])

    def children_of(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Return the children of nodes, and the place of each one's parent in ``nodes``."""
        place = np.full(len(self) + 1, -1)  # the last one is of the first tokens' parent, -1
        place[nodes] = np.arange(len(nodes))
        rows = place[self.parent]
        found = np.flatnonzero(rows >= 0)
        order = np.argsort(rows[found], kind="stable")
        return found[order], rows[found[order]]

    @cached_property
    def lengths(self) -> Ints:
        """The number of tokens of each row."""
        return np.asarray((self.node_of >= 0).sum(axis=1))

    @cached_property
    def whole(self) -> Ints:
        """The rows that have every node of the tree together."""
        return np.unique(self.row)

    def packs(self, size: int, start: int = 0, end: int | None = None) -> Iterator[Pack]:
        """Yield the inner nodes of ``start:end`` in packs of about ``size`` nodes with ancestors.

        A pack is a run of nodes in depth-first order with the ancestors of its first node: those
        are all the ancestors that its nodes have outside the run. It ends where the next one has
        the fewest ancestors, in its last half. At least half of ``size`` are its own nodes, so
        that a long sequence is no more than some packs.
        """
        end = len(self.inner) if end is None else end
        depths = self.depth[self.inner]
        while start < end:
            first = self.inner[start]
            above = self.node_of[self.row[first], : self.depth[first]]
            stop = min(start + max(size - len(above), size // 2, 1), end)
            if stop < end:
                later = depths[(start + stop) // 2 + 1 : stop + 1]
                stop -= int(np.argmin(later[::-1]))
            yield Pack(np.concatenate([above, self.inner[start:stop]]), len(above), start, stop)
            start = stop

    def visible(self, nodes: Ints, size: int) -> NDArray[np.bool_]:
        """Return which node of a pack may look at which: true for ancestors and itself.

        The array is (size, size); padding sees itself.
        """
        # A row of attention that sees nothing would be a softmax over nothing, which is NaN.
        out = np.eye(size, dtype=bool)
        places = {node: place for place, node in enumerate(nodes.tolist())}
        for place, parent in enumerate(self.parent[nodes].tolist()):
            if parent >= 0:
                out[place] |= out[places[parent]]
        return out
