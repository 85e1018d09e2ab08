"""The pairs of the data set blimp, drawn once for all tests of a process."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa

from release import CHECKOUT
from solecism.datasets.from_templates import find_paradigm
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts
from solecism.root import Root

__all__ = ["ROOT", "drawn"]

ROOT = Root(CHECKOUT)


@cache
def drawn(uid: str) -> tuple[list[dict[str, Any]], Counts]:
    """The pairs of a paradigm, and what was counted while drawing."""
    counts = Counts()
    paradigm = find_paradigm(ROOT, "blimp", "en", uid)
    tables = draw_pairs(paradigm, counts=counts, extra=tuple(paradigm.template.features))
    return pa.concat_tables(tables).to_pylist(), counts
