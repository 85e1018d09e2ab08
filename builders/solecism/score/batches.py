"""Sentences as token ids, and batches of them: alike in length, in an order drawn anew for each epoch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerFast

__all__ = ["Sentences", "batches", "encode", "padded"]

_POOL = 100
_CHUNK = 10_000


@dataclass(frozen=True)
class Sentences:
    """Token ids of all sentences, each with ``<s>`` and ``</s>``, in one row; ``bounds`` stand between them.
    ``cut``: the number of sentences that were too long and lost their end."""

    ids: NDArray[np.int32]
    bounds: NDArray[np.int64]
    cut: int

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def tokens(self) -> int:
        """The number of tokens to predict: all but ``<s>``."""
        return len(self.ids) - len(self)


def encode(tokenizer: PreTrainedTokenizerFast, texts: pa.Array, longest: int) -> Sentences:
    """Turn sentences into token ids, ``longest`` words each at most; one that is cut has no ``</s>``."""
    fast = tokenizer.backend_tokenizer
    rows: list[NDArray[np.int32]] = []
    for start in range(0, len(texts), _CHUNK):
        found = fast.encode_batch_fast(texts.slice(start, _CHUNK).to_pylist())
        rows += [np.array([*row.ids, tokenizer.eos_token_id], np.int32) for row in found]
    cut = sum(len(row) > longest + 2 for row in rows)
    kept = [row[: longest + 2] if len(row) <= longest + 2 else row[: longest + 1] for row in rows]
    bounds = np.concatenate([[0], np.cumsum([len(row) for row in kept])])
    return Sentences(np.concatenate(kept), bounds.astype(np.int64), cut)


def batches(
    rows: Sentences, size: int, rng: np.random.Generator | None = None
) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of the sentences of each batch; without ``rng`` in the order of their lengths.

    With it sentences are shuffled, sorted by length within pools of 100 batches, and batches shuffled.
    """
    lengths = np.diff(rows.bounds)
    if rng is None:
        order = np.argsort(lengths, kind="stable")
        yield from (order[i : i + size] for i in range(0, len(order), size))
        return
    shuffled = rng.permutation(len(rows))
    for start in range(0, len(rows), size * _POOL):
        pool = shuffled[start : start + size * _POOL]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        parts = [pool[i : i + size] for i in range(0, len(pool), size)]
        yield from (parts[i] for i in rng.permutation(len(parts)))


def padded(
    rows: Sentences, chosen: NDArray[np.int64], pad: int, device: str | torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Give ids and targets (batch, length) of some sentences; targets are -100 at padding."""
    starts = rows.bounds[chosen]
    lengths = rows.bounds[chosen + 1] - starts
    place = np.arange(lengths.max())[None, :]
    inside = place < lengths[:, None]
    ids = np.where(inside, rows.ids[np.minimum(starts[:, None] + place, len(rows.ids) - 1)], pad)
    targets = np.where(inside, ids, -100)[:, 1:]
    made = (torch.from_numpy(part.astype(np.int64)).to(device) for part in (ids[:, :-1], targets))
    inputs, wanted = made
    return inputs, wanted
