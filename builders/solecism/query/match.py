"""Find the maps of a request: the nodes of a treebank that its names may stand for.

Maps are grown name by name, thousands at a time: along an edge or to the next word where a clause
leads there, else to all nodes of the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from solecism.query.graph import Graphs, Maps, spread
from solecism.query.request import Clause, Item, Request
from solecism.treebank.conllu import Flags, Ints

_MOST = 1 << 16
"""How many maps are looked at at once."""
_ORIGIN = "#"
"""The name of the rows of the maps that a ``with`` or ``without`` extends."""
Grow = Callable[[Graphs, Maps], tuple[Ints, Ints]]
"""Returns the numbers of the maps that are continued, and the new node of each."""


def find_maps(graphs: Graphs, request: Request) -> Iterator[Maps]:
    """Yield the maps of a request in a chunk, some at a time; two names are two nodes, but for
    names that end in ``$``."""
    for maps in _extended(graphs, request.pattern, {"": np.arange(len(graphs.anchor))}):
        kept = maps
        for item in request.filters:
            size = len(kept[""])
            found = np.zeros(size, bool)
            for more in _extended(graphs, item, {**kept, _ORIGIN: np.arange(size)}):
                found[more[_ORIGIN]] = True
            kept = _where(kept, found == (item.kind == "with"))
        if len(kept[""]):
            yield kept


def _where(maps: Maps, rows: Flags | Ints) -> Maps:
    return {name: nodes[rows] for name, nodes in maps.items()}


@dataclass(frozen=True)
class _Step:
    """How maps are continued by a node with a name; the clauses are those that this completes."""

    name: str
    grow: Grow
    fits: Flags
    clauses: Sequence[Clause]


def _extended(graphs: Graphs, item: Item, maps: Maps) -> Iterator[Maps]:
    """Yield maps that are continued by the names of an item so that its clauses hold."""
    bound = set(maps)
    kept = np.ones(len(maps[""]), bool)
    for clause in item.clauses:
        if bound.issuperset(clause.names):
            kept &= clause.holds(graphs, maps)
    yield from _grown(graphs, _where(maps, kept), _plan(graphs, item, bound))


def _plan(graphs: Graphs, item: Item, bound: set[str]) -> list[_Step]:
    """Return the steps to the names that are not bound, the rarest nodes first."""
    every = {name: np.arange(graphs.size) for name in item.names}
    fits = {name: np.ones(graphs.size, bool) for name in item.names if name not in bound}
    for clause in item.clauses:
        if len(clause.names) == 1 and clause.names[0] in fits:
            fits[clause.names[0]] &= clause.holds(graphs, every)
        if clause.marks and clause.names[-1] in fits:
            fits[clause.names[-1]] &= clause.marks(graphs)
    rarest = sorted(fits, key=lambda name: int(fits[name].sum()))
    left = [c for c in item.clauses if len(c.names) > 1 and not bound.issuperset(c.names)]
    steps = []
    while rarest:
        links = (_link(left, name, bound) for name in rarest)
        name, grow = next(
            ((name, grow) for name, grow in zip(rarest, links, strict=True) if grow),
            (rarest[0], _members(fits[rarest[0]])),
        )
        rarest.remove(name)
        bound = bound | {name}
        done = [clause for clause in left if bound.issuperset(clause.names)]
        left = [clause for clause in left if clause not in done]
        steps.append(_Step(name, grow, fits[name], done))
    return steps


def _link(clauses: Iterable[Clause], name: str, bound: Collection[str]) -> Grow | None:
    """Return how a bound name leads to another one, if it does."""
    for clause in clauses:
        if clause.link and name in clause.names:
            first, second = clause.names if len(clause.names) == 2 else clause.names * 2
            if name == first and second in bound:
                return _head(second) if clause.link == "edge" else _neighbour(second, -1)
            if name == second and first in bound:
                return _dependents(first) if clause.link == "edge" else _neighbour(first, 1)
    return None


def _head(below: str) -> Grow:
    return lambda graphs, maps: _there(graphs.head[maps[below]])


def _there(nodes: Ints) -> tuple[Ints, Ints]:
    rows = np.flatnonzero(nodes >= 0)
    return rows, nodes[rows]


def _neighbour(beside: str, step: int) -> Grow:
    def grow(graphs: Graphs, maps: Maps) -> tuple[Ints, Ints]:
        nodes = maps[beside] + step
        inside = (nodes >= 0) & (nodes < graphs.size)
        same = graphs.sentence[np.where(inside, nodes, 0)] == maps[""]
        return _there(np.where(inside & same, nodes, -1))

    return grow


def _dependents(above: str) -> Grow:
    def grow(graphs: Graphs, maps: Maps) -> tuple[Ints, Ints]:
        order, first = graphs.dependents
        start = first[maps[above]]
        row, place = spread(first[maps[above] + 1] - start)
        return row, order[start[row] + place]

    return grow


def _members(fits: Flags) -> Grow:
    nodes = np.flatnonzero(fits)

    def grow(graphs: Graphs, maps: Maps) -> tuple[Ints, Ints]:
        first = np.searchsorted(nodes, np.append(graphs.anchor, graphs.size))
        start = first[maps[""]]
        row, place = spread(first[maps[""] + 1] - start)
        return row, nodes[start[row] + place]

    return grow


def _grown(graphs: Graphs, maps: Maps, steps: Sequence[_Step]) -> Iterator[Maps]:
    """Yield maps after all steps; too many are looked at in halves."""
    size = len(maps[""])
    if not size:
        return
    if not steps:
        yield maps
        return
    step = steps[0]
    if size > _MOST:
        for half in np.array_split(np.arange(size), 2):
            yield from _grown(graphs, _where(maps, half), steps)
        return
    row, node = step.grow(graphs, maps)
    kept = step.fits[node]
    for name, nodes in maps.items():
        if name not in ("", _ORIGIN) and not (name + step.name).count("$"):
            kept &= nodes[row] != node
    row, node = row[kept], node[kept]
    grown = {**_where(maps, row), step.name: node}
    kept = np.ones(len(node), bool)
    for clause in step.clauses:
        kept &= clause.holds(graphs, grown)
    yield from _grown(graphs, _where(grown, kept), steps[1:])
