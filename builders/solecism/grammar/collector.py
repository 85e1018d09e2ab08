"""No search for circular garbage while very many small objects are made that all stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_collecting"]


@contextmanager
def no_collecting() -> Iterator[None]:
    """Switch the cyclic garbage collector off, if it is on, and on again.

    What was made meanwhile is old then, as if it had been searched: the next search leaves it alone.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
