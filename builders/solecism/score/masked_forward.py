"""Forward passes of masked models: many rows, one wanted position in each, the head on those alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from solecism.errors import fail
from solecism.score.forward import is_out_of_memory
from solecism.score.models import Loaded

__all__ = ["Forward", "Output", "Row", "capacity", "open_forward", "run_rows"]

Ids = np.ndarray[Any, np.dtype[np.int32]]

TOLERANCE = 1e-4
"""How far logits of the head on single rows may be from those of the full pass (float32)."""

_TOKENS = {"cpu": 1024, "other": 65536}
_LOGITS = {"cpu": 1 << 23, "other": 1 << 28}


class Row(NamedTuple):
    """Token ids with masks put in, and the position (from 0) whose distribution is wanted."""

    ids: Ids
    position: int


class Output(NamedTuple):
    """What a batch gives: which rows, their logits (rows x vocabulary, float32), log of the sum of exp."""

    rows: list[int]
    logits: Tensor
    total: Tensor


@dataclass(frozen=True)
class Forward:
    """A masked model that gives the logits of one position a row.

    ``point``: the part of the model after which those positions alone go on (``None``: all of them go
    through to the end, and the others' logits are dropped). ``pads``: padding does not change the logits;
    else (a model that convolves over the sentence) only rows of one length go together.
    """

    model: Any
    device: str
    pad: int
    point: nn.Module | None
    pads: bool = True

    def __call__(self, rows: Sequence[Row]) -> Tensor:
        """Logits of the wanted positions: rows x vocabulary, float32, on the device."""
        longest = max(len(row.ids) for row in rows)
        ids = np.full((len(rows), longest), self.pad, np.int64)
        attended = np.zeros((len(rows), longest), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row.ids)] = row.ids
            attended[number, : len(row.ids)] = 1
        places = torch.tensor([row.position for row in rows], device=self.device)
        return self._logits(_tensor(ids, self.device), _tensor(attended, self.device), places)

    @torch.inference_mode()
    def _logits(self, ids: Tensor, attended: Tensor, places: Tensor) -> Tensor:
        if self.point is not None:
            with _only(self.point, places):
                found: Tensor = self.model(input_ids=ids, attention_mask=attended).logits
            return found[:, 0].float()
        found = self.model(input_ids=ids, attention_mask=attended).logits
        return found[torch.arange(len(places), device=found.device), places].float()


def _tensor(values: np.ndarray[Any, Any], device: str) -> Tensor:
    return torch.from_numpy(values).to(device)


@contextlib.contextmanager
def _only(point: nn.Module, places: Tensor) -> Iterator[None]:
    """Let ``point`` hand on one hidden state a row (rows x 1 x width), so that what follows sees no more."""

    def pick(_module: nn.Module, _inputs: Any, output: Any) -> Any:
        states = output if isinstance(output, Tensor) else output[0]
        kept = states[torch.arange(len(places), device=states.device), places].unsqueeze(1)
        if isinstance(output, Tensor):
            return kept
        if isinstance(output, tuple):
            return (kept, *output[1:])
        output.last_hidden_state = kept
        return output

    handle = point.register_forward_hook(pick)
    try:
        yield
    finally:
        handle.remove()


def open_forward(loaded: Loaded) -> Forward:
    """Find out on a few rows how early the model can go on with single positions alone: after the last
    layer's attention, after the last layer, or not at all; and whether it can be given padded batches."""
    pad = loaded.tokenizer.pad_token_id
    full = Forward(loaded.model, loaded.device, 0 if pad is None else pad, None, pads=False)
    rows = _probes(loaded)
    wanted = _one_by_one(full, rows)
    tolerance = TOLERANCE if loaded.dtype == "float32" else 0.05
    points = _points(loaded.model)
    tried = [replace(full, point=point, pads=pads) for pads in (True, False) for point in points]
    return next((f for f in tried if _same(f, rows, wanted, tolerance)), full)


def _points(model: Any) -> list[nn.Module | None]:
    """The last layer's attention with its residual (as BERT and its like have it), the last layer, none."""
    named = [part for name, part in model.named_modules() if name.endswith(".attention")]
    base = [] if model.base_model is model else [model.base_model]
    return [*named[-1:], *base, None]


def _one_by_one(forward: Forward, rows: list[Row]) -> Tensor:
    return torch.cat([forward([row]) for row in rows])


def _same(forward: Forward, rows: list[Row], wanted: Tensor, tolerance: float) -> bool:
    try:
        found = forward(rows) if forward.pads else _one_by_one(forward, rows)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, KeyError):
        return False
    return found.shape == wanted.shape and torch.allclose(
        found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True
    )


def _probes(loaded: Loaded) -> list[Row]:
    """Rows of two lengths with a mask at the start, inside and at the end."""
    tokenizer = loaded.tokenizer
    plain = [i for i in range(min(len(tokenizer), 400)) if i not in set(tokenizer.all_special_ids)]
    longest = min(7, capacity(loaded))
    rows = []
    for length, place in ((longest, 0), (longest, longest // 2), (max(longest - 3, 1), -1)):
        ids = np.array([plain[(7 * i + length) % len(plain)] for i in range(length)], np.int32)
        ids[place] = tokenizer.mask_token_id
        rows.append(Row(ids, place % length))
    return rows


def capacity(loaded: Loaded) -> int:
    """Number of tokens (specials included) that the model has positions for.

    RoBERTa's table of positions begins after the padding's, so two of its 514 can't be used.
    """
    tables = [
        module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1)
        for name, module in loaded.model.named_modules()
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding)
    ]
    return int(min([*tables, loaded.longest, loaded.tokenizer.model_max_length]))


def run_rows(
    forward: Forward,
    rows: Sequence[Row],
    name: Callable[[int], str],
    tokens: int | None = None,
) -> Iterator[Output]:
    """Run rows in batches of similar length; ``tokens`` bounds the (padded) tokens of a batch.

    A batch that does not fit into memory is halved, and later ones are no larger. Raises
    :class:`InputError` with the ``name`` of a row whose logits are not numbers.
    """
    kind = "cpu" if forward.device == "cpu" else "other"
    budget = tokens or _TOKENS[kind]
    most = max(1, _LOGITS[kind] // int(getattr(forward.model.config, "vocab_size", 1) or 1))
    waiting = sorted(range(len(rows)), key=lambda n: len(rows[n].ids), reverse=True)
    while waiting:
        longest = len(rows[waiting[0]].ids)
        batch = waiting[: min(most, max(1, budget // longest))]
        if not forward.pads:
            batch = [n for n in batch if len(rows[n].ids) == longest]
        count = len(batch)
        logits = _try(forward, [rows[n] for n in batch])
        if logits is None:
            most = max(count // 2, 1)
            continue
        waiting = waiting[count:]
        yield Output(batch, logits, _total(logits, batch, name))


def _try(forward: Forward, batch: list[Row]) -> Tensor | None:
    """Logits of a batch; ``None`` where memory ran out and the batch can still be halved."""
    try:
        return forward(batch)
    except (RuntimeError, MemoryError) as error:
        if len(batch) == 1 or not is_out_of_memory(error):
            raise
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None


def _total(logits: Tensor, batch: list[int], name: Callable[[int], str]) -> Tensor:
    total = logits.logsumexp(1)
    wrong = torch.nonzero(~torch.isfinite(total)).flatten().tolist()
    if wrong:
        raise fail(f"item {name(batch[wrong[0]])!r}: the model's logits are not numbers (NaN)")
    return total
