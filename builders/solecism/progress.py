"""How functions report their progress to whoever called them."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress", "no_progress"]

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, the amount that is done, and the whole amount (0: unknown)."""


def no_progress(name: str, done: int, total: int) -> None:
    """Report nothing."""
