"""The pairs of the data set blimp, drawn once for all tests of a process."""

from functools import cache
from typing import Any

import pyarrow as pa

from release import CHECKOUT
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Counts, load_paradigm
from solecism.lexicon.lexicon import Lexicon
from solecism.root import Root

ROOT = Root(CHECKOUT)
LEXICON = Lexicon(ROOT.lexicon("en"))


@cache
def drawn(uid: str) -> tuple[list[dict[str, Any]], Counts]:
    """The pairs of a paradigm, and what was counted while drawing."""
    counts = Counts()
    paradigm = load_paradigm(ROOT.folder("blimp", "en") / f"{uid}.jinja", LEXICON)
    tables = draw_pairs(paradigm, counts=counts, extra=tuple(paradigm.template.features))
    return pa.concat_tables(tables).to_pylist(), counts
