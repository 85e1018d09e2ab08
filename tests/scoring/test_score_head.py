"""The head in blocks of the vocabulary gives what a log softmax over all logits gives."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from solecism.scoring.engines import causal as module
from solecism.scoring.engines.causal import Head

ROW, TOKEN = np.array([0, 0, 2, 4, 4, 4]), np.array([1, 36, 0, 5, 5, 20])


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of two rows, blocks of four words: 37 words and 5 rows leave a rest of each."""
    monkeypatch.setitem(module.MAX_HEAD_ROWS, "cpu", 2)
    monkeypatch.setitem(module.MAX_LOGITS, "cpu", 8)


def layer(bias: bool = True, scale: float = 1.0) -> torch.nn.Linear:
    torch.manual_seed(3)
    made = torch.nn.Linear(7, 37, bias=bias)
    made.weight.data *= scale
    return made


def wanted(logits: torch.Tensor) -> np.ndarray:
    return torch.log_softmax(logits.double(), dim=-1)[ROW, TOKEN].numpy()


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("after", [None, lambda x: 3 * torch.tanh(x / 3), lambda x: x / 2])
@torch.inference_mode()
def test_equals_log_softmax(bias: bool, after: Callable[..., torch.Tensor] | None) -> None:
    states, head = torch.randn(5, 7), Head(layer(bias), after)
    assert np.allclose(head.log_probs(states, ROW, TOKEN), wanted(head(states)), atol=1e-5)


@pytest.mark.parametrize("shift", [200.0, -200.0])
@torch.inference_mode()
def test_logits_whose_exponentials_overflow_or_vanish(shift: float) -> None:
    states, head = torch.randn(5, 7), Head(layer())
    head.layer.bias.data += shift
    assert np.allclose(head.log_probs(states, ROW, TOKEN), wanted(head(states)), atol=1e-4)
