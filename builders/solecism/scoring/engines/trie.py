"""Sequences of tokens as a prefix tree: each distinct prefix is one node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

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

    @cached_property
    def children(self) -> tuple[Ints, Ints]:
        """The nodes sorted by parent, and where the children of each inner node begin."""
        order = np.argsort(self.parent, kind="stable")
        order = order[self.parent[order] >= 0]
        starts = np.searchsorted(self.parent[order], self.inner)
        return order, np.append(starts, len(order))

    @cached_property
    def place_of(self) -> Ints:
        """The place of each node among the inner ones, -1 where it has no children."""
        out = np.full(len(self), -1, dtype=np.int64)
        out[self.inner] = np.arange(len(self.inner))
        return out

    def children_of(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Return the children of inner nodes, and the place of each one's parent in ``nodes``."""
        order, starts = self.children
        mine = self.place_of[nodes]
        counts = starts[mine + 1] - starts[mine]
        # The ranges starts[mine] ... starts[mine] + counts, one after the other, without a loop.
        row = np.repeat(np.arange(len(nodes)), counts)
        steps = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        return order[np.repeat(starts[mine], counts) + steps], row

    def path(self, node: int) -> Ints:
        """Return the nodes from the first token down to a node."""
        return self.node_of[self.row[node], : self.depth[node] + 1]

    def packs(self, size: int, start: int = 0) -> Iterator[Pack]:
        """Yield the inner nodes from ``start`` in packs of at most ``size`` nodes with ancestors.

        A pack is a run of nodes in depth-first order with the ancestors of its first node: those
        are all the ancestors that its nodes have outside the run.
        """
        while start < len(self.inner):
            above = self.path(int(self.inner[start]))[:-1]
            stop = min(start + max(size - len(above), 1), len(self.inner))
            yield Pack(self, np.concatenate([above, self.inner[start:stop]]), len(above), stop)
            start = stop


@dataclass(frozen=True)
class Pack:
    """Nodes that go through the model side by side; the first ``above`` only give context.

    ``end`` is the place after its last own node among the tree's inner nodes.
    """

    trie: Trie
    nodes: Ints
    above: int
    end: int

    def __len__(self) -> int:
        return len(self.nodes)

    def visible(self, size: int) -> NDArray[np.bool_]:
        """Return which node may look at which: (size, size), true for ancestors and itself.

        Padding sees itself.
        """
        local = np.full(len(self.trie), -1, dtype=np.int64)
        local[self.nodes] = np.arange(len(self.nodes))
        depths = self.trie.depth[self.nodes]
        # Each node looks at the depth + 1 nodes on its path, itself included.
        looker = np.repeat(np.arange(len(self.nodes)), depths + 1)
        steps = np.arange(len(looker)) - np.repeat(np.cumsum(depths + 1) - depths - 1, depths + 1)
        seen = local[self.trie.node_of[self.trie.row[self.nodes][looker], steps]]
        # A row of attention that sees nothing would be a softmax over nothing, which is NaN.
        out = np.eye(size, dtype=bool)
        out[looker, seen] = True
        return out
