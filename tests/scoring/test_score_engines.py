"""Engines give the numbers of the plain loop on every kind of architecture that can use them, and
their head what a log softmax over all logits gives."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from solecism.errors import InputError
from solecism.scoring.engines import ENGINES
from solecism.scoring.engines import causal as module
from solecism.scoring.engines.causal import (
    Head,
    Loop,
    Plain,
    SplitModel,
    Tree,
    probe,
    split_model,
)
from solecism.scoring.models import Loaded

V = 40
MARKS = {"vocab_size": V, "bos_token_id": 1, "eos_token_id": 2}
SMALL = {**MARKS, "hidden_size": 32, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 2, "intermediate_size": 48}
GROUPED = {**SMALL, **HEADS, "num_key_value_heads": 1}

MODELS: dict[str, Callable[[], Any]] = {
    "gpt2": lambda: transformers.GPT2Config(
        **MARKS, n_embd=32, n_layer=2, n_head=2, n_positions=32
    ),
    "rotary": lambda: transformers.LlamaConfig(**GROUPED),
    "rotary, other layout": lambda: transformers.GPTNeoXConfig(**SMALL, **HEADS),
    "learned positions with offset": lambda: transformers.OPTConfig(
        **SMALL, ffn_dim=48, num_attention_heads=2, word_embed_proj_dim=32
    ),
    "sliding window, wide": lambda: transformers.Gemma3TextConfig(
        **{**GROUPED, "num_hidden_layers": 6}, head_dim=16, sliding_window=64
    ),
    "sliding window, narrow": lambda: transformers.MistralConfig(**GROUPED, sliding_window=3),
    "soft-capped logits": lambda: transformers.Gemma2Config(
        **GROUPED, head_dim=16, sliding_window=64, query_pre_attn_scalar=16
    ),
    "ALiBi": lambda: transformers.BloomConfig(**MARKS, hidden_size=32, n_layer=2, n_head=2),
    "state space": lambda: transformers.MambaConfig(**SMALL, state_size=8),
    "recurrent": lambda: transformers.RwkvConfig(**SMALL, attention_hidden_size=32),
}
REFUSED = {
    "sliding window, narrow": {"tree"}, "ALiBi": {"tree"}, "state space": {"tree"},
    "recurrent": {"tree"},
}  # fmt: skip
"""The engines that an architecture cannot use."""


def model_of(kind: str) -> Any:
    """A small random model, the same each time."""
    torch.manual_seed(0)
    return transformers.AutoModelForCausalLM.from_config(MODELS[kind]()).eval()


def loaded(model: Any) -> Loaded:
    """Wrap a model that has no files."""
    return Loaded(model, None, "tiny", "none", "float32", "cpu")


def sequences(number: int = 40, seed: int = 0) -> list[list[int]]:
    """Random sequences that share prefixes, some of them twice."""
    rng = random.Random(seed)
    rows = [[1] + [rng.randrange(3, 7) for _ in range(rng.randrange(1, 12))] for _ in range(number)]
    return [*rows, rows[0], [1, 5]]


def worst(found: list[Any], wanted: list[Any]) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("kind", MODELS)
def test_engines_equal_the_plain_loop_or_are_refused(kind: str) -> None:
    model, rows = model_of(kind), sequences()
    wanted, refused = Loop(model, split_model(model, "cpu")).score(rows), set()
    for name in ("auto", *ENGINES):
        try:
            engine = probe(loaded(model), rows, name, tokens=64)
        except InputError:
            refused.add(name)
        else:
            assert worst(engine.score(rows), wanted) < 1e-4
    assert refused == REFUSED.get(kind, set())


class Counting:
    """A forward function that counts the places that go through it."""

    def __init__(self, forward: SplitModel) -> None:
        self.inner, self.places = forward, 0

    def __call__(self, **inputs: Any) -> Any:
        self.places += inputs["input_ids"].numel()
        return self.inner.body(**inputs)


def long_sequences(number: int, shared: int) -> list[list[int]]:
    """Sequences of some 200 to 600 tokens, of which each two share their first ``shared``."""
    rng = random.Random(1)
    rows: list[list[int]] = []
    for _ in range(number // 2):
        first = [1, *(rng.randrange(3, V) for _ in range(shared))]
        rests = ([rng.randrange(3, V) for _ in range(rng.randrange(200, 600))] for _ in "ab")
        rows += [first + rest for rest in rests]
    return rows


@pytest.mark.parametrize("engine", [Tree, Plain])
def test_long_sequences_go_through_the_model_about_once(engine: Any) -> None:
    config = transformers.GPT2Config(**MARKS, n_embd=128, n_layer=1, n_head=2, n_positions=700)
    model, rows = transformers.GPT2LMHeadModel(config).eval(), long_sequences(8, 50)
    forward = split_model(model, "cpu")
    counting = Counting(forward)
    found = engine(model, SplitModel(counting, forward.head, "cpu")).score(rows)
    assert worst(found, Loop(model, forward).score(rows)) < 1e-4
    assert counting.places < 1.5 * sum(map(len, rows))


@pytest.mark.parametrize(("shared", "best"), [(0, Plain), (400, Tree)])
def test_auto_takes_the_engine_with_the_least_work(shared: int, best: type) -> None:
    config = transformers.GPT2Config(**MARKS, n_embd=128, n_layer=1, n_head=2, n_positions=1100)
    model = transformers.GPT2LMHeadModel(config).eval()
    assert type(probe(loaded(model), long_sequences(8, shared))) is best


@pytest.mark.parametrize("tokens", [1, 7, 64, 4096])
@pytest.mark.parametrize("engine", [Tree, Plain])
def test_batch_size_changes_nothing(engine: Any, tokens: int) -> None:
    model, rows = model_of("gpt2"), sequences()
    forward = split_model(model, "cpu")
    found = engine(model, forward, tokens).score(rows)
    assert worst(found, Loop(model, forward).score(rows)) < 1e-4


def test_a_forced_engine_that_cannot_do_it_is_refused() -> None:
    with pytest.raises(InputError, match="tree: differs from the plain loop"):
        probe(loaded(model_of("sliding window, narrow")), sequences(), "tree")


class Failing:
    """A forward function that runs out of memory for large batches."""

    def __init__(self, forward: SplitModel, most: int) -> None:
        self.inner, self.most, self.calls = forward, most, 0

    def __call__(self, **inputs: Any) -> Any:
        self.calls += 1
        if inputs["input_ids"].numel() > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return self.inner.body(**inputs)


@pytest.mark.parametrize("engine", [Tree, Plain])
def test_batches_halve_themselves_when_memory_runs_out(engine: Any) -> None:
    model, rows = model_of("gpt2"), sequences()
    forward = split_model(model, "cpu")
    small = Failing(forward, 100)
    tight = SplitModel(small, forward.head, "cpu")
    found = engine(model, tight, 4096).score(rows * 20)
    assert worst(found, Loop(model, forward).score(rows) * 20) < 1e-4
    assert small.calls > 1


ROW, TOKEN = np.array([0, 0, 2, 4, 4, 4]), np.array([1, 36, 0, 5, 5, 20])


@pytest.fixture
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


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("after", [lambda x: x, lambda x: 3 * torch.tanh(x / 3), lambda x: x / 2])
@torch.inference_mode()
def test_equals_log_softmax(bias: bool, after: Callable[..., torch.Tensor]) -> None:
    states, head = torch.randn(5, 7), Head(layer(bias), after)
    assert np.allclose(head.log_probs(states, ROW, TOKEN), wanted(head(states)), atol=1e-5)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("shift", [200.0, -200.0])
@torch.inference_mode()
def test_logits_whose_exponentials_overflow_or_vanish(shift: float) -> None:
    states, head = torch.randn(5, 7), Head(layer())
    head.layer.bias.data += shift
    assert np.allclose(head.log_probs(states, ROW, TOKEN), wanted(head(states)), atol=1e-4)
