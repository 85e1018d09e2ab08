"""Checks over the items of a paradigm, batch by batch; only hashes are kept of pairs: memory is flat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from solecism.check.batch import Batch, Memory
from solecism.check.finding import Finding, Hit
from solecism.check.registry import COUNT_CHECKS, ITEM_CHECKS, SUITE_CHECKS, Check
from solecism.check.suites import SuiteBatch, SuiteMemory
from solecism.grammar.paradigm import Counts, Paradigm

__all__ = ["ItemChecker", "SuiteChecker", "check_items", "checker_of"]

SHOWN = 3
"""How many pairs a finding shows."""


Checks = Sequence[Check[Callable[..., object]]]


@dataclass
class _Tally:
    """How many items a check flagged, and the first of them."""

    number: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, rows: Sequence[int], show: Callable[[int], str]) -> None:
        self.number += len(rows)
        self.examples += [_visible(show(row)) for row in rows[: SHOWN - len(self.examples)]]


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class ItemChecker:
    """Checks the pairs of one paradigm while they are made: :meth:`add` each table, then :meth:`finish`.

    Tables are of :func:`solecism.schema.pair_schema`, in any number and of any size.
    """

    checks: Checks = ITEM_CHECKS
    noun = "pairs"

    def __init__(self, paradigm: Paradigm) -> None:
        self.paradigm = paradigm
        self.pairs = 0
        self._memory = Memory()
        self._tallies = {check.code: _Tally() for check in self.checks}

    def add(self, table: pa.Table) -> None:
        """Check one batch."""
        if len(table):
            self.pairs += len(table)
            self._add(table)

    def _add(self, table: pa.Table) -> None:
        batch = Batch(self.paradigm, table, self._memory)

        def show(row: int) -> str:
            return f"{batch.good.values[row]} / *{batch.bad.values[row]}"

        for check in ITEM_CHECKS:
            self._tallies[check.code].add(np.flatnonzero(check.function(batch)).tolist(), show)

    def finish(self, counts: Counts | None = None) -> list[Finding]:
        """Give one finding for each check that flagged an item; with ``counts``, also what was left out."""
        found = [
            self._finding(check, self._described(tally))
            for check in self.checks
            if (tally := self._tallies[check.code]).number
        ]
        return found + list(self._count_findings(counts or Counts()))

    def _count_findings(self, counts: Counts) -> Iterator[Finding]:
        for check in COUNT_CHECKS:
            for detail in check.function(counts):
                yield self._finding(check, detail)

    def _described(self, tally: _Tally) -> str:
        return f"{tally.number} of {self.pairs} {self.noun}: {'; '.join(tally.examples)}"

    def _finding(self, check: Check[Callable[..., object]], detail: str) -> Finding:
        template = self.paradigm.template
        return check.finding(Hit(detail, template.path, template.conditions[0].line))


class SuiteChecker(ItemChecker):
    """Checks the items of a suite, tables of :data:`solecism.schema.SUITE`, in the same way."""

    checks: Checks = SUITE_CHECKS
    noun = "items"

    def __init__(self, paradigm: Paradigm) -> None:
        super().__init__(paradigm)
        self._seen = SuiteMemory()

    def _add(self, table: pa.Table) -> None:
        batch = SuiteBatch(self.paradigm, table.to_pylist(), self._seen)
        for check in SUITE_CHECKS:
            flags = check.function(batch)
            self._tallies[check.code].add([n for n, bad in enumerate(flags) if bad], batch.shown)


def checker_of(paradigm: Paradigm) -> ItemChecker:
    """Give the checker for a paradigm's kind of items."""
    return ItemChecker(paradigm) if paradigm.template.is_pair else SuiteChecker(paradigm)


def check_items(
    paradigm: Paradigm, tables: Iterable[pa.Table], counts: Counts | None = None
) -> list[Finding]:
    """Check the items of a paradigm, as :func:`~solecism.grammar.pairs.draw_pairs` yields them.

    ``counts`` are those that the draw fills in; they are read when all tables are drawn.
    """
    checker = checker_of(paradigm)
    for table in tables:
        checker.add(table)
    return checker.finish(counts)
