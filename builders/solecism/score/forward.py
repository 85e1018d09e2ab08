"""One forward pass: hidden states of chosen rows, and the log probabilities of chosen tokens after them.

Only the needed rows go through the language-model head. How a model's head works is not assumed: the
variants are tried against its full logits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

__all__ = ["Forward", "is_out_of_memory", "make_forward"]

Ints = NDArray[np.int64]
HEAD_ROWS = 128
"""Rows that go through the head at a time: enough to keep the cores busy, few enough for the cache."""


@dataclass(frozen=True)
class Forward:
    """A model as two functions: ``body(**inputs)`` gives an output whose hidden states ``states`` picks,
    ``head`` makes logits of them. ``whole`` is true where body gives logits and head does nothing."""

    body: Callable[..., Any]
    head: Callable[[torch.Tensor], torch.Tensor]
    whole: bool
    device: str

    def states(self, output: Any) -> torch.Tensor:
        """The states that the head works on: (batch, places, width)."""
        states: torch.Tensor = output.logits if self.whole else output.last_hidden_state
        return states

    def log_probs(self, states: torch.Tensor, row: Ints, token: Ints) -> NDArray[np.float64]:
        """Log probabilities of tokens after states: ``states`` (rows, width); ``row`` ascending says after
        which row each of ``token`` comes. Natural logarithm."""
        out = np.empty(len(token))
        for start in range(0, len(states), HEAD_ROWS):
            first, last = np.searchsorted(row, (start, start + HEAD_ROWS))
            if first == last:
                continue
            logits = self.head(states[start : start + HEAD_ROWS]).float()
            rows = torch.as_tensor(row[first:last] - start, device=logits.device)
            tokens = torch.as_tensor(token[first:last], device=logits.device)
            found = logits[rows, tokens]
            out[first:last] = (found - _total(logits)[rows]).double().cpu().numpy()
        return out


def _total(logits: torch.Tensor) -> torch.Tensor:
    """Log of the sum of exponentials of each row; spends ``logits``, which saves a copy of them."""
    most = logits.amax(dim=-1, keepdim=True)
    return logits.sub_(most).exp_().sum(dim=-1).log_().add_(most[:, 0])


def make_forward(model: Any, device: str) -> Forward:
    """Find the cheapest head that gives the model's own logits, else use the whole model."""
    whole = Forward(model, lambda states: states, True, device)
    base, embeddings = getattr(model, "base_model", None), model.get_output_embeddings()
    if base is None or base is model or embeddings is None:
        return whole
    for head in _heads(model, embeddings):
        forward = Forward(base, head, False, device)
        if _same_logits(model, forward):
            return forward
    return whole


def _heads(model: Any, embeddings: Any) -> list[Callable[[torch.Tensor], torch.Tensor]]:
    config = model.config.get_text_config()
    heads: list[Callable[[torch.Tensor], torch.Tensor]] = [embeddings]
    cap = getattr(config, "final_logit_softcapping", None)
    if cap:
        heads.append(lambda states: cap * torch.tanh(embeddings(states) / cap))
    scale = getattr(config, "logit_scale", None)
    if scale:
        heads.append(lambda states: scale * embeddings(states))
    divisor = getattr(config, "logits_scaling", None)
    if divisor:
        heads.append(lambda states: embeddings(states) / divisor)
    return heads


@torch.inference_mode()
def _same_logits(model: Any, forward: Forward) -> bool:
    ids = (
        torch.arange(4, device=forward.device)[None, :] % model.config.get_text_config().vocab_size
    )
    try:
        wanted = model(input_ids=ids).logits.float()
        found = forward.head(forward.states(forward.body(input_ids=ids))).float()
    except (RuntimeError, TypeError, AttributeError, ValueError):
        return False
    return found.shape == wanted.shape and torch.allclose(found, wanted, rtol=1e-4, atol=1e-4)


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means that a batch was too large."""
    said = str(error).lower()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError) and ("out of memory" in said or "can't allocate" in said)
    )
