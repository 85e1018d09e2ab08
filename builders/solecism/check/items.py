"""Checks over the pairs of a paradigm, batch by batch and with flat memory (hashes only are kept)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from solecism.check.batch import Batch, Flags, Memory
from solecism.check.finding import Finding, Hit
from solecism.check.registry import COUNT_CHECKS, ITEM_CHECKS, Check
from solecism.generate.pairs import Counts
from solecism.generate.paradigm import Paradigm

__all__ = ["ItemChecker", "check_items"]

SHOWN = 3
"""How many pairs a finding shows."""


@dataclass
class _Tally:
    """How many pairs a check flagged, and the first of them."""

    number: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, flags: Flags, batch: Batch) -> None:
        rows = np.flatnonzero(flags)
        self.number += len(rows)
        for row in rows[: SHOWN - len(self.examples)].tolist():
            pair = f"{batch.good.values[row]} / *{batch.bad.values[row]}"
            self.examples.append(_visible(pair))


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class ItemChecker:
    """Checks the pairs of one paradigm while they are made: :meth:`add` each table, then :meth:`finish`.

    Tables are of :func:`solecism.items.pair_schema`, in any number and of any size.
    """

    def __init__(self, paradigm: Paradigm) -> None:
        self.paradigm = paradigm
        self.pairs = 0
        self._memory = Memory()
        self._tallies = {check.code: _Tally() for check in ITEM_CHECKS}

    def add(self, table: pa.Table) -> None:
        """Check one batch of pairs."""
        if not len(table):
            return
        batch = Batch(self.paradigm, table, self._memory)
        self.pairs += len(batch)
        for check in ITEM_CHECKS:
            self._tallies[check.code].add(check.function(batch), batch)

    def finish(self, counts: Counts | None = None) -> list[Finding]:
        """Give one finding for each check that flagged a pair; with ``counts``, also what was left out."""
        found = [
            self._finding(check, self._described(tally))
            for check in ITEM_CHECKS
            if (tally := self._tallies[check.code]).number
        ]
        return found + list(self._count_findings(counts or Counts()))

    def _count_findings(self, counts: Counts) -> Iterator[Finding]:
        for check in COUNT_CHECKS:
            for detail in check.function(counts):
                yield self._finding(check, detail)

    def _described(self, tally: _Tally) -> str:
        return f"{tally.number} of {self.pairs} pairs: {'; '.join(tally.examples)}"

    def _finding(self, check: Check[Callable[..., object]], detail: str) -> Finding:
        template = self.paradigm.template
        return check.finding(Hit(detail, template.path, template.conditions[0].line))


def check_items(
    paradigm: Paradigm, tables: Iterable[pa.Table], counts: Counts | None = None
) -> list[Finding]:
    """Check the pairs of a paradigm, as :func:`~solecism.generate.pairs.draw_pairs` yields them.

    ``counts`` are those that the draw fills in; they are read when all tables are drawn.
    """
    checker = ItemChecker(paradigm)
    for table in tables:
        checker.add(table)
    return checker.finish(counts)
