"""What an input may ask for and hold.

The limits are so wide that no author meets them, and keep any input from taking all time or memory.
Each is named in the message that it gives and listed in ``docs/formats.md``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import yaml

__all__ = [
    "CALLS", "CARD", "CELLS", "DEPTH", "DRAW", "FILE", "LETTERS", "LINES", "PARTS", "REPEATS", "RULES",
    "SECONDS", "SETS", "STEPS", "TOKENS", "WEIGHT", "WORD", "TooDeepError", "check_nesting", "too_deep",
    "unseen",
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

WEIGHT = 1000
"""The largest weight of a word, a form or a text."""

CELLS = 1 << 26
"""Numbers that the tables of ``where`` tests may hold at a time while combinations are counted (512
MB); to fill them may take 32 times as many steps."""

RULES = 1_000
"""Rules of an ``orthography.tsv``, and lines of an attribute-varying grammar."""

PARTS = 100
"""Slots, lines, ``where`` tests, features and so on that a template may have of each kind."""

LINES = 10_000_000
"""Sentences that an attribute-varying grammar may make."""

REPEATS = 1_000
"""Repetitions that a regular expression of ``orthography.tsv`` may ask for, multiplied."""

SECONDS = 1.0
"""Seconds that regular expressions of ``orthography.tsv`` may lose on slow words."""

FILE = 200_000
"""Characters of a template, a file of macros, a card or a catalogue."""

CARD = 10_000_000
"""Characters of a card when it is made; a text put together in it may have a hundredth."""

STEPS = 1_000_000
"""Turns of loops and things looked at by filters that a card may take."""


def too_deep(top: T, inner: Callable[[T], Iterable[T]], most: int = DEPTH) -> bool:
    """Return whether a tree has more than ``most`` levels (without recursion)."""
    level = [top]
    for _ in range(most):
        level = [child for node in level for child in inner(node)]
        if not level:
            return False
    return True


def check_nesting(text: str) -> None:
    """Raise :class:`TooDeepError` where YAML is nested deeper than ``DEPTH``.

    Call this before reading anybody's YAML: libyaml ends the process where it is nested very deep.
    """
    message = f"more than {DEPTH} lists and mappings in one another"
    depth = 0
    event: Any
    try:
        for event in yaml.parse(text, Loader=_FAST):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEPTH:
                raise TooDeepError(None, None, message, event.start_mark)
    except yaml.scanner.ScannerError as error:
        if "nesting depth" not in str(error.problem):  # what PyYAML 6.0.4 says of it
            raise
        raise TooDeepError(None, None, message, error.problem_mark) from None


class TooDeepError(yaml.MarkedYAMLError):
    """YAML is nested too deep."""


_FAST = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters (but for tab and line end, which are structure)
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # directions and separators
    "\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # without width
    "\ue000-\uf8ff\U000f0000-\U0010ffff"  # private use
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # no characters
    "\u200c\u200d"  # joiners: see below
    "]"
)
_JOINERS = "\u200c\u200d"


def unseen(text: str) -> Iterator[tuple[int, str]]:
    """Yield place and name of each character that no text may hold, because nobody sees it or
    because it changes what is seen.

    These are control, direction, zero-width and private-use characters. The joiners of Persian and
    the scripts of India may follow a letter or a mark.
    """
    for match in _UNSEEN.finditer(text):
        before = text[match.start() - 1 : match.start()]
        if match[0] in _JOINERS and before and unicodedata.category(before)[0] in "LM":
            continue
        name = unicodedata.name(match[0], "")
        yield match.start(), f"U+{ord(match[0]):04X}" + (f" ({name.lower()})" if name else "")
