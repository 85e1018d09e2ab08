"""The direction in which a text is written."""

from __future__ import annotations

from unicodedata import bidirectional

__all__ = ["direction"]


def direction(text: str) -> str:
    """Return ``rtl`` where the first letter of a text is of a script that runs right to left.

    >>> direction("«שלום»"), direction("1. dog")
    ('rtl', 'ltr')
    """
    strong = (kind for kind in map(bidirectional, text) if kind in ("L", "R", "AL"))
    return "rtl" if next(strong, "L") in ("R", "AL") else "ltr"
