"""Which engine a model can use: found out on a few sequences, never assumed from its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solecism.errors import candidates, fail
from solecism.score.engines import ENGINES, Engine, Loop
from solecism.score.forward import is_out_of_memory, make_forward
from solecism.score.models import Loaded

__all__ = ["TOLERANCE", "Probed", "probe"]

TOLERANCE = {"float32": 1e-4, "bfloat16": 0.25, "float16": 0.05}
"""How far a token's log probability may be from the plain loop's, by dtype."""

SEQUENCES = 8


@dataclass(frozen=True)
class Probed:
    """The engine chosen, and why the faster ones were not."""

    engine: Engine
    refused: dict[str, str] = field(default_factory=dict)


def probe(
    loaded: Loaded, rows: Sequence[Sequence[int]], name: str = "auto", tokens: int = 4096
) -> Probed:
    """Take the fastest engine that equals the plain loop on a few of ``rows``, the longest among them.

    ``name`` forces an engine; raises :class:`InputError` if there is none of that name or it does not give
    the plain loop's numbers.
    """
    if name not in ("auto", *ENGINES):
        near = candidates("engines", ["auto", *ENGINES], name)
        raise fail(f"there is no engine {name!r} {near}")
    forward = make_forward(loaded.model, loaded.device)
    some = _chosen(rows)
    wanted = Loop(loaded.model, forward).score(some)
    refused: dict[str, str] = {}
    for key, kind in ENGINES.items():
        if name not in ("auto", key):
            continue
        engine = kind(loaded.model, forward, tokens)
        reason = _difference(engine, some, wanted, TOLERANCE[loaded.dtype])
        if not reason:
            return Probed(kind(loaded.model, forward, tokens), refused)
        refused[key] = reason
    why = "; ".join(f"{key}: {reason}" for key, reason in refused.items())
    raise fail(f"model {loaded.name!r} cannot be scored ({why})")


def _chosen(rows: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """The longest sequences, and neighbours (which share prefixes) from the beginning."""
    longest = sorted(rows, key=len)[-SEQUENCES // 2 :]
    return [*longest, *rows[: SEQUENCES // 2]]


def _difference(
    engine: Engine,
    rows: Sequence[Sequence[int]],
    wanted: Sequence[NDArray[np.float64]],
    tolerance: float,
) -> str:
    """Say how an engine fails to give the wanted numbers; ``""`` if it does."""
    try:
        found = engine.score(rows)
    except Exception as error:  # a model may refuse in any way
        if is_out_of_memory(error):
            raise
        reason = str(error).strip().splitlines()
        return f"{type(error).__name__}: {reason[0][:80] if reason else ''}"
    pairs = zip(found, wanted, strict=True)
    worst = max(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs)
    return "" if worst <= tolerance else f"differs from the plain loop by {worst:.2g}"
