"""The n-grams of one order as sorted arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Ints", "Level"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Level:
    """All n-grams of one order. An n-gram's index is its place here; its key is ``index of the history among
    the n-grams one shorter * vocabulary size + id of the last word``, and ``keys`` are in ascending order.
    ``logp`` and ``backoff`` are log10; the highest order has no ``backoff``."""

    keys: Ints
    logp: Floats
    backoff: Floats = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, history: Ints, words: Ints, size: int) -> Ints:
        """Give the indices of n-grams, -1 where there is none; a history of -1 has none."""
        if not len(self.keys):
            return np.full(len(words), -1)
        keys = history * size + words
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where((history >= 0) & (self.keys[places] == keys), places, -1)

    def backoff_of(self, index: Ints) -> Floats:
        """Give the back-off weights of n-grams by index: 0 for -1, which is not listed."""
        return np.where(index >= 0, self.backoff[index], 0.0)

    def split(self, size: int) -> tuple[Ints, Ints]:
        """Give the history's index and the last word of every n-gram."""
        return self.keys // size, self.keys % size
