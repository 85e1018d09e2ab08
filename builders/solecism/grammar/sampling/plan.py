"""Drawing words for slots: a plan, not a search.

``where`` clauses become truth tables over the few distinct properties they ask for. ``walk`` joins the
slots one by one and drops what a table forbids as soon as it can; ``sample`` draws from a space of any
size without listing it, from exact weights (variable elimination over the truth tables).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from solecism.grammar.sampling.draw import draw
from solecism.grammar.sampling.elimination import Clause, Columns, Elimination, eliminate
from solecism.grammar.slots import Domain
from solecism.hashing import Hashes, combine, mix

__all__ = ["Clause", "Columns", "Plan"]

BATCH = 1 << 17
LISTED = 1 << 20
"""Spaces up to this size are listed and the draw takes the combinations with the lowest hashes."""


@dataclass(frozen=True)
class Plan:
    """The slots of a paradigm with what holds between them. ``apart``: pairs that share no lemma."""

    domains: Sequence[Domain]
    clauses: Sequence[Clause] = ()
    apart: Sequence[tuple[int, int]] = field(default=())
    path: str = ""

    @cached_property
    def lemmas(self) -> list[NDArray[np.intp]]:
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
        return round(min(self._elimination.total, sys.float_info.max))

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

    def repeats(self, columns: Columns) -> NDArray[np.bool_]:
        """Tell for each combination whether slots that must not have the same lemma do."""
        pairs = [self.lemmas[a][columns[a]] == self.lemmas[b][columns[b]] for a, b in self.apart]
        return reduce(np.logical_or, pairs, np.zeros(len(columns[0]), dtype=bool))

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
        columns = draw(self._elimination, [domain.hashes for domain in self.domains], turns)
        keep = ~self.repeats(columns)
        return [column[keep] for column in columns]

    @cached_property
    def _elimination(self) -> Elimination:
        return eliminate([len(d) for d in self.domains], self.clauses, path=self.path)
