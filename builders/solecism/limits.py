"""The limits on what an input may ask for, and the characters that no text may hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

__all__ = ["CELLS", "LINES", "unseen"]

CELLS = 1 << 26
"""Numbers that the tables of ``where`` tests may hold at a time while combinations are counted (512
MB); to fill them may take 32 times as many steps."""

LINES = 10_000_000
"""Sentences that an attribute-varying grammar may make."""

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
