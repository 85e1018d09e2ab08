"""The order of the trials of a session and which side is first, from the session's seed.

The page computes the same (``page_files/order.js``), so an order can be made again from the seed
that is recorded with the answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from solecism.judge.design import Study

__all__ = ["mix", "session_order", "sides"]

_MASK = 0xFFFFFFFF


def mix(text: str) -> int:
    """Return a 32-bit hash of a text: FNV-1a, then the finalizer of MurmurHash3.

    >>> mix("0:a i1")
    3170127494
    """
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & _MASK
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        value = (value ^ value >> shift) * factor & _MASK
    return value


def session_order(study: Study, number: int, seed: str) -> list[str]:
    """Return the keys of list ``number`` (from 1) in the order of a session.

    Practice comes first. An expert reads one side of each pair before the other sides.
    """

    def rank(key: str) -> tuple[bool, int, int, str]:
        pair, _, side = key.partition("-")
        half = (mix(f"half {seed} {pair}") & 1) ^ (side == "bad") if study.design == "expert" else 0
        practice = study.items[key]["kind"] == "practice"
        place = study.lists[number - 1].index(key) if practice else mix(f"{seed} {key}")
        return not practice, 0 if practice else half, place, key

    return sorted(study.lists[number - 1], key=rank)


def sides(keys: Sequence[str], seed: str) -> dict[str, str]:
    """Return which side is first in each trial of a forced choice, ``good`` in half of them."""
    ranked = sorted(keys, key=lambda key: (mix(f"side {seed} {key}"), key))
    return {key: ("good", "bad")[rank % 2] for rank, key in enumerate(ranked)}
