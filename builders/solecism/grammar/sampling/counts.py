"""What pairs and suites share in drawing: blocks of combinations, and counts of what they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grammar.paradigm import Paradigm
from solecism.grammar.sampling.elimination import Columns

__all__ = ["LARGEST", "PATIENCE", "Counts", "blocks", "check_enough", "check_size"]

LARGEST = 10_000_000
"""Minimal sets that ``draw: all`` may make without being told to; a million take about 0.2 GB as text."""

PATIENCE = 1 << 20
"""Combinations that ``draw: n`` tries, at the least, before it gives up for want of any that make an item."""


@dataclass
class Counts:
    """What a draw made and left out. ``sets``: minimal sets; ``skipped``: combinations without a pair, by
    reason; ``syncretic_forms``: bad forms not emitted because they are spelt like the good one."""

    sets: int = 0
    pairs: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    syncretic_forms: int = 0

    @property
    def tried(self) -> int:
        """The combinations met so far."""
        return self.sets + self.skipped.total()

    def skip(
        self, made: NDArray[np.bool_], reasons: Iterable[Mapping[str, NDArray[np.bool_]]]
    ) -> None:
        """Count the combinations that were not ``made``, each under the first reason that it has."""
        left = ~made
        for by_reason in reasons:
            for reason, mask in by_reason.items():
                self._add(reason, mask[: len(left)] & left)
                left &= ~mask[: len(left)]
        self._add("equal", left)

    def _add(self, reason: str, mask: NDArray[np.bool_]) -> None:
        if mask.any():
            self.skipped[reason] += int(mask.sum())


def check_size(paradigm: Paradigm, most: int) -> None:
    """Raise :class:`InputError` where a template would make more than ``most`` minimal sets.

    The size is known before anything is drawn.
    """
    wanted = paradigm.template.draw
    size = paradigm.plan.bound if wanted is None else wanted
    if size > most:
        made = "`draw: all` makes up to" if wanted is None else "`draw` asks for"
        message = (
            f"{made} {size:,} minimal sets, more than {most:,}: "
            f"write `draw: {most}` or another number, or allow more (--most)"
        )
        raise fail(message, paradigm.template.path, paradigm.template.lines.get("draw", 1))


def check_enough(paradigm: Paradigm, counts: Counts) -> None:
    """Raise :class:`InputError` where the words make fewer minimal sets than wanted, or none."""
    wanted = paradigm.template.draw
    skipped = ", ".join(f"{n} {reason}" for reason, n in sorted(counts.skipped.items()))
    left_out = f" (left out: {skipped})" if skipped else ""
    if wanted is not None:
        made = f"the words allow {counts.sets}"
        if _hopeless(counts):
            made = f"the first {counts.tried:,} combinations of words make {counts.sets}"
        message = f"draw: {wanted} minimal sets are wanted, {made}{left_out}"
        raise fail(message, paradigm.template.path, paradigm.template.lines.get("draw"))
    if not counts.sets:
        line = paradigm.template.conditions[0].line
        raise fail(f"no words make a pair{left_out}", paradigm.template.path, line)


def blocks(paradigm: Paradigm, seed: int, counts: Counts) -> Iterator[Columns]:
    """Yield combinations, in blocks no larger than what is still wanted makes sensible.

    Gives up where next to none of very many combinations makes an item.
    """
    wanted = paradigm.template.draw
    for columns in paradigm.combinations(seed):
        if wanted is None:
            yield columns
            continue
        start, rows = 0, len(columns[0]) if columns else 1
        while start < rows and not _hopeless(counts):
            stop = start + max(wanted - counts.sets, counts.tried, 64)
            yield [column[start:stop] for column in columns]
            start = stop
        if _hopeless(counts):
            return


def _hopeless(counts: Counts) -> bool:
    return counts.tried > PATIENCE and 1000 * counts.sets < counts.tried
