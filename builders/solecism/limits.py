"""How much an input may ask for: so much that no author meets a limit, and no input takes all time or memory.

Each limit is named in the message that it gives and listed in ``docs/formats.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import yaml

__all__ = [
    "CALLS", "CARD", "CELLS", "DEPTH", "DRAW", "FILE", "LETTERS", "LINES", "PARTS", "REPEATS", "RULES",
    "SECONDS", "SETS", "STEPS", "TOKENS", "WORD", "TooDeepError", "check_nesting", "too_deep",
]  # fmt: skip

T = TypeVar("T")

CALLS = 1_000
"""Calls of macros that an expression may make for one sentence."""

DEPTH = 50
"""How deep brackets, conditions, lists and macros that call macros may stand in one another."""

LETTERS = 5_000
"""Characters that an expression may give."""

TOKENS = 500
"""Tokens (words and marks) that a sentence may have."""

SETS = 200
"""Sentences that a line may make of the same words (by ``clash``)."""

WORD = 1_000
"""Characters of a cell of a lexicon table."""

DRAW = 10**9
"""What the number of ``draw`` must be below."""

CELLS = 1 << 26
"""Numbers that the tables of ``where`` tests may hold at a time while combinations are counted (512 MB); to
fill them may take 32 times as many steps."""

RULES = 1_000
"""Rules of an ``orthography.tsv``, and lines of an attribute-varying grammar."""

PARTS = 100
"""Slots, lines, ``where`` tests, features and so on that a template may have of each kind."""

LINES = 10_000_000
"""Sentences that an attribute-varying grammar may make."""

REPEATS = 1_000
"""How often a regular expression of ``orthography.tsv`` may ask for something again: its counts multiplied."""

SECONDS = 1.0
"""Seconds that the regular expressions of ``orthography.tsv`` may lose on words that they match slowly."""

FILE = 200_000
"""Characters of a template, a file of macros, a card or a catalogue."""

CARD = 10_000_000
"""Characters of a card when it is made; any text that is put together in it may have a hundredth of them."""

STEPS = 1_000_000
"""Turns of loops and things looked at by filters that a card may take."""


def too_deep(top: T, inner: Callable[[T], Iterable[T]], most: int = DEPTH) -> bool:
    """Tell whether a tree has more than ``most`` levels; looks at it level by level, without recursion."""
    level = [top]
    for _ in range(most):
        level = [child for node in level for child in inner(node)]
        if not level:
            return False
    return True


def check_nesting(text: str) -> None:
    """Raise :class:`TooDeepError` where YAML is nested deeper than ``DEPTH``.

    To be called before YAML of others is read: libyaml ends the process where it is nested very deep.
    """
    depth = 0
    event: Any
    for event in yaml.parse(text, Loader=_FAST):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH:
            said = f"more than {DEPTH} lists and mappings in one another"
            raise TooDeepError(None, None, said, event.start_mark)


class TooDeepError(yaml.MarkedYAMLError):
    """YAML is nested too deep."""


_FAST = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
