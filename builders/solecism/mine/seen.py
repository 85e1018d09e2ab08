"""A set of 64-bit numbers that takes eight bytes for each."""

from __future__ import annotations

import numpy as np

from solecism.hashing import Hashes
from solecism.mine.spans import Flags

__all__ = ["Seen"]


class Seen:
    """Remembers numbers: sorted arrays, merged as they grow."""

    def __init__(self) -> None:
        self._sorted: list[Hashes] = []

    def fresh(self, values: Hashes) -> Flags:
        """Tell which values stand for the first time, here and in all calls before; remember them."""
        new = np.zeros(len(values), bool)
        _, first = np.unique(values, return_index=True)
        new[first] = True
        for known in self._sorted:
            places = np.minimum(np.searchsorted(known, values), len(known) - 1)
            new &= known[places] != values
        self._remember(np.sort(values[new]))
        return new

    def _remember(self, values: Hashes) -> None:
        if not len(values):
            return
        while self._sorted and len(self._sorted[-1]) < 2 * len(values):
            values = np.sort(np.concatenate((self._sorted.pop(), values)))
        self._sorted.append(values)
