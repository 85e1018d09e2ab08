"""What a model hands on from token to token: caches of keys and values, recurrent states."""

from __future__ import annotations

import copy
from typing import Any

import torch

__all__ = ["State", "select_state", "state_of"]

State = tuple[str, Any]
"""The argument that a model takes a state by, and the state."""


def state_of(output: Any) -> State:
    """Find what a model's output gives on to the next token; raises ``TypeError`` if nothing."""
    for name in ("past_key_values", "cache_params", "state"):
        value = getattr(output, name, None)
        if value is not None:
            return name, value
    raise TypeError("the model gives no cache and no state")


def select_state(state: State, rows: torch.Tensor) -> State:
    """Copy a cache or recurrent state for the chosen rows of its batch."""
    name, value = state
    layers = getattr(value, "layers", None)
    if layers is None:
        return name, _select(value, rows)
    value = copy.copy(value)
    value.layers = [_select_layer(layer, rows) for layer in layers]
    return name, value


def _select_layer(layer: Any, rows: torch.Tensor) -> Any:
    chosen = copy.copy(layer)
    for key, held in vars(layer).items():
        setattr(chosen, key, _select(held, rows))
    return chosen


def _select(value: Any, rows: torch.Tensor) -> Any:
    """Select along the first dimension of every tensor that has one."""
    if isinstance(value, torch.Tensor):
        return value.index_select(0, rows) if value.dim() > 1 else value.clone()
    if isinstance(value, dict):
        return {key: _select(inner, rows) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_select(inner, rows) for inner in value)
    return value
