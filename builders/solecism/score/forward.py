"""One forward pass: hidden states of chosen rows, and the log probabilities of chosen tokens after them.

Only the needed rows go through the language-model head. How a model's head works is not assumed: the
variants are tried against its full logits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from solecism.score.head import Head, candidate_heads

__all__ = ["Forward", "is_out_of_memory", "make_forward"]


@dataclass(frozen=True)
class Forward:
    """A model as two functions: ``body(**inputs)`` gives an output whose hidden states ``states`` picks,
    ``head`` makes logits of them. ``whole`` is true where body gives logits and head does nothing."""

    body: Callable[..., Any]
    head: Head
    whole: bool
    device: str

    def states(self, output: Any) -> torch.Tensor:
        """The states that the head works on: (batch, places, width)."""
        states: torch.Tensor = output.logits if self.whole else output.last_hidden_state
        return states


def make_forward(model: Any, device: str) -> Forward:
    """Find the cheapest head that gives the model's own logits, else use the whole model."""
    whole = Forward(model, Head(None), True, device)
    base, embeddings = getattr(model, "base_model", None), model.get_output_embeddings()
    if base is None or base is model or embeddings is None:
        return whole
    for head in candidate_heads(model.config.get_text_config(), embeddings):
        forward = Forward(base, head, False, device)
        if _same_logits(model, forward):
            return forward
    return whole


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


_FULL = ("out of memory", "can't allocate", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means that a batch was too large."""
    said = str(error).lower()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError) and any(words in said for words in _FULL)
    )
