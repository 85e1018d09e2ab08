"""Columns of texts as the bytes that Arrow keeps, so that numpy works on all of them at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.grouping import Ints

__all__ = ["TextBytes", "pieces"]


class TextBytes(NamedTuple):
    """The UTF-8 bytes of texts, one after the other, and the places where texts begin.

    ``bounds`` has one place more, the end of the last text.
    """

    data: NDArray[np.uint8]
    bounds: Ints

    @classmethod
    def of(cls, texts: pa.StringArray) -> TextBytes:
        """Return the bytes of a column, which are not copied; null is as good as empty."""
        texts = pc.fill_null(texts, "") if texts.null_count else texts
        _, offsets, data = texts.buffers()
        if not len(texts) or data is None:
            return cls(np.empty(0, dtype=np.uint8), np.zeros(len(texts) + 1, dtype=np.intp))
        shown = slice(texts.offset, texts.offset + len(texts) + 1)
        bounds = np.frombuffer(offsets, dtype=np.int32)[shown].astype(np.intp)
        whole = np.frombuffer(data, dtype=np.uint8)
        return cls(whole[bounds[0] : bounds[-1]], bounds - bounds[0])


def pieces(data: NDArray[np.uint8], bounds: Ints) -> pa.StringArray:
    """Return the texts between neighbouring places in UTF-8 bytes, which are not copied."""
    offsets = pa.py_buffer(bounds.astype(np.int32))
    return pa.StringArray.from_buffers(len(bounds) - 1, offsets, pa.py_buffer(data))
