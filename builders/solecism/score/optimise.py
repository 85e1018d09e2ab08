"""The training loop: epochs over shuffled sentences, a learning rate that falls when validation stalls."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from solecism.errors import fail
from solecism.score.batches import Sentences, batches, padded

__all__ = ["Epoch", "Hyperparameters", "Tick", "fit", "perplexity"]


class Hyperparameters(Protocol):
    """What the loop needs to know of the options."""

    @property
    def optimizer(self) -> str: ...
    @property
    def rate(self) -> float: ...
    @property
    def anneal(self) -> float: ...
    @property
    def clip(self) -> float: ...
    @property
    def batch(self) -> int: ...
    @property
    def epochs(self) -> int: ...


@dataclass(frozen=True)
class Tick:
    """Where training is: ``done`` of ``total`` tokens of an epoch, mean loss (nats), tokens a second."""

    epoch: int
    done: int
    total: int
    loss: float
    speed: float


@dataclass(frozen=True)
class Epoch:
    """What an epoch came to: its learning rate, training and validation perplexity, tokens a second."""

    number: int
    rate: float
    train_perplexity: float
    perplexity: float
    speed: float


def fit(
    model: Any,
    rows: Sentences,
    valid: Sentences,
    options: Hyperparameters,
    seed: int,
    on_tick: Callable[[Tick], None],
    on_epoch: Callable[[Epoch], None],
) -> list[Epoch]:
    """Train a model in place; it is left with the weights of the epoch of lowest validation perplexity.

    After an epoch without a lower perplexity than the epoch before, the learning rate is divided. Equal seeds
    give equal models on one machine. Raises :class:`InputError` when the loss is no number any more.
    """
    optimizer = _optimizer(model, options)
    rng = np.random.default_rng(seed)
    epochs: list[Epoch] = []
    best: dict[str, torch.Tensor] = {}
    for number in range(1, options.epochs + 1):
        rate = optimizer.param_groups[0]["lr"]
        loss, speed = _run(model, rows, optimizer, options, rng, number, on_tick)
        found = perplexity(model, valid, options.batch)
        if not epochs or found < min(epoch.perplexity for epoch in epochs):
            best = {
                name: value.detach().cpu().clone() for name, value in model.state_dict().items()
            }
        if epochs and found >= epochs[-1].perplexity:
            optimizer.param_groups[0]["lr"] = rate / options.anneal
        epochs.append(Epoch(number, rate, math.exp(min(loss, 700.0)), found, speed))
        on_epoch(epochs[-1])
    model.load_state_dict(best)
    model.eval()
    return epochs


def _optimizer(model: Any, options: Hyperparameters) -> torch.optim.Optimizer:
    if options.optimizer == "sgd":
        return torch.optim.SGD(model.parameters(), lr=options.rate)
    return torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.01)


def _run(
    model: Any,
    rows: Sentences,
    optimizer: torch.optim.Optimizer,
    options: Hyperparameters,
    rng: np.random.Generator,
    number: int,
    on_tick: Callable[[Tick], None],
) -> tuple[float, float]:
    """Train for one epoch; give the mean loss of a token and tokens a second."""
    model.train()
    began, done, total = time.perf_counter(), 0, 0.0
    for chosen in batches(rows, options.batch, rng):
        loss, tokens = _losses(model, rows, chosen)
        optimizer.zero_grad(set_to_none=True)
        (loss / tokens).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), options.clip)
        optimizer.step()
        done, total = done + tokens, total + loss.item()
        if not math.isfinite(total):
            raise fail(f"the loss is {total} in epoch {number}; take a lower learning rate")
        on_tick(Tick(number, done, rows.tokens, total / done, done / (time.perf_counter() - began)))
    return total / done, done / (time.perf_counter() - began)


def _losses(model: Any, rows: Sentences, chosen: Any) -> tuple[torch.Tensor, int]:
    """Give the summed loss of some sentences, and over how many tokens; padding is never looked at."""
    ids, targets = padded(rows, chosen, model.config.eos_token_id, model.device)
    logits = model(input_ids=ids, use_cache=False).logits
    loss = cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), reduction="sum")
    return loss, int((targets >= 0).sum())


@torch.no_grad()
def perplexity(model: Any, rows: Sentences, size: int) -> float:
    """Perplexity per token, ``</s>`` counted and ``<unk>`` taken for a word."""
    model.eval()
    total = sum(_losses(model, rows, chosen)[0].item() for chosen in batches(rows, size))
    return math.exp(min(total / rows.tokens, 700.0))
