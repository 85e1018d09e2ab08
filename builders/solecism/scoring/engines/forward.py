"""One forward pass: hidden states of chosen rows, and the head on chosen tokens in blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

__all__ = ["Forward", "Head", "candidate_heads", "make_forward"]


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


Ints = NDArray[np.int64]
ROWS = {"cpu": 1024, "other": 8192}
"""Rows that go through the head at a time."""
LOGITS = {"cpu": 1 << 20, "other": 1 << 28}
"""Logits that are held at a time."""
LEAST = 1e-30
"""A smaller sum of exponentials lost digits: that row is done again, its largest logit taken off first."""


@dataclass(frozen=True)
class Head:
    """From hidden states (rows, width) to logits (rows, vocabulary): a layer, then ``after`` on each logit
    (a soft cap, a scale). ``layer`` is None where the states are the logits already."""

    layer: nn.Module | None
    after: Callable[[Tensor], Tensor] | None = None

    def __call__(self, states: Tensor) -> Tensor:
        logits = states if self.layer is None else self.layer(states)
        return logits if self.after is None else self.after(logits)

    def log_probs(self, states: Tensor, row: Ints, token: Ints) -> NDArray[np.float64]:
        """Log probabilities of tokens after states: ``states`` (rows, width); ``row`` ascending says after
        which row each of ``token`` comes. Natural logarithm."""
        out = np.empty(len(token))
        step = ROWS[_kind(states)]
        for start in range(0, len(states), step):
            first, last = np.searchsorted(row, (start, start + step))
            if first < last:
                rows = torch.as_tensor(row[first:last] - start, device=states.device)
                tokens = torch.as_tensor(token[first:last], device=states.device)
                found = self._chunk(states[start : start + step], rows, tokens)
                out[first:last] = found.cpu().numpy()
        return out

    def _chunk(self, states: Tensor, rows: Tensor, tokens: Tensor) -> Tensor:
        if type(self.layer) is nn.Linear:
            return self._wanted(self.layer, states[rows], tokens) - self._total(states)[rows]
        logits = self(states).float()
        return logits[rows, tokens].double() - logits.double().logsumexp(dim=-1)[rows]

    def _wanted(self, layer: nn.Linear, states: Tensor, tokens: Tensor) -> Tensor:
        products = states.float() * layer.weight[tokens].float()
        logits = products.sum(dim=-1)
        if layer.bias is not None:
            logits = logits + layer.bias[tokens].float()
        return self._finish(logits.to(states.dtype)).double()

    def _total(self, states: Tensor) -> Tensor:
        """Log of the sum of exponentials of each row's logits."""
        assert isinstance(self.layer, nn.Linear)
        step = max(LOGITS[_kind(states)] // len(states), 1)
        sums = torch.zeros(len(states), dtype=torch.float64, device=states.device)
        for start in range(0, len(self.layer.weight), step):
            sums += self._block(self.layer, states, slice(start, start + step)).exp_().sum(dim=-1)
        total = sums.log()
        unsafe = ~((sums > LEAST) & sums.isfinite())
        if unsafe.any():
            total[unsafe] = self(states[unsafe]).double().logsumexp(dim=-1)
        return total

    def _block(self, layer: nn.Linear, states: Tensor, part: slice) -> Tensor:
        bias = None if layer.bias is None else layer.bias[part]
        return self._finish(nn.functional.linear(states, layer.weight[part], bias))

    def _finish(self, logits: Tensor) -> Tensor:
        return (logits if self.after is None else self.after(logits)).float()


def _kind(states: Tensor) -> str:
    return "cpu" if states.device.type == "cpu" else "other"


def candidate_heads(config: Any, embeddings: nn.Module) -> list[Head]:
    """The heads that a model may have: the output layer alone, or with the cap or scale of its config."""
    heads = [Head(embeddings)]
    cap = getattr(config, "final_logit_softcapping", None)
    if cap:
        heads.append(Head(embeddings, lambda logits: cap * torch.tanh(logits / cap)))
    scale = getattr(config, "logit_scale", None)
    if scale:
        heads.append(Head(embeddings, lambda logits: scale * logits))
    divisor = getattr(config, "logits_scaling", None)
    if divisor:
        heads.append(Head(embeddings, lambda logits: logits / divisor))
    return heads
