"""What two sequences share at their beginning."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["shared_start"]


def shared_start(ours: Sequence[object], theirs: Sequence[object]) -> int:
    """Count the items that two sequences have alike before the first that differs."""
    pairs = zip(ours, theirs, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
