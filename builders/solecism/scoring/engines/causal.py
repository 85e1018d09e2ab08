"""Causal models: how sequences of tokens are run through them, each prefix once where that can be.

There are four engines (:class:`Tree`, :class:`Cached`, :class:`Plain`, :class:`Loop`). Which one a
model can use is found out: :func:`probe` holds each against the plain loop.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from solecism.baselines.corpus import Vocabulary, is_word_level, vocabulary_of
from solecism.errors import candidates, fail
from solecism.scoring.encoding import Encoded, encode
from solecism.scoring.engines import BOS, ENGINES
from solecism.scoring.engines.trie import Pack, Trie, pad_rows
from solecism.scoring.models import Loaded
from solecism.scoring.results import is_out_of_memory

__all__ = [
    "CLASSES", "Cached", "CausalReader", "Engine", "Head", "Loop", "Plain", "Probed", "SplitModel", "Tree",
    "possible_heads", "probe", "split_model",
]  # fmt: skip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = Sequence[Sequence[int]]
Tell = Callable[[float], None]

MAX_HEAD_ROWS = {"cpu": 1024, "other": 8192}
"""The most rows that go through the head at a time."""
MAX_LOGITS = {"cpu": 1 << 20, "other": 1 << 28}
"""The most logits that are held at a time."""
MIN_SAFE_SUM = 1e-30
"""A smaller sum of exponentials has lost digits: that row is done again, its largest logit
subtracted."""


@dataclass(frozen=True)
class Head:
    """The end of a model: it makes logits (rows, vocabulary) of hidden states (rows, width).

    ``layer`` is the output layer (None: the states are the logits), ``after`` what is done to each
    logit after it (a soft cap, a scale).
    """

    layer: nn.Module | None
    after: Callable[[Tensor], Tensor] | None = None

    def __call__(self, states: Tensor) -> Tensor:
        logits = states if self.layer is None else self.layer(states)
        return logits if self.after is None else self.after(logits)

    def log_probs(self, states: Tensor, row: Ints, token: Ints) -> NDArray[np.float64]:
        """Return the natural log probability of each token after a row of states.

        ``states`` is (rows, width); ``row`` (ascending) has the row that each of ``token`` follows.
        The logits of the whole vocabulary are summed block by block and never held at once.
        """
        out = np.empty(len(token))
        step = MAX_HEAD_ROWS[_kind(states)]
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
        """Return the log of the sum of exponentials of each row's logits."""
        assert isinstance(self.layer, nn.Linear)
        step = max(MAX_LOGITS[_kind(states)] // len(states), 1)
        sums = torch.zeros(len(states), dtype=torch.float64, device=states.device)
        for start in range(0, len(self.layer.weight), step):
            sums += self._block(self.layer, states, slice(start, start + step)).exp_().sum(dim=-1)
        total = sums.log()
        unsafe = ~((sums > MIN_SAFE_SUM) & sums.isfinite())
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


def possible_heads(config: Any, embeddings: nn.Module) -> list[Head]:
    """Return the heads that a model may have: its output layer, alone or with a cap or scale."""
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


@dataclass(frozen=True)
class SplitModel:
    """A model in two parts: ``body(**inputs)`` returns states, ``head`` makes logits of them.

    So only the states that are needed go through the head. ``whole``: the body is the whole model,
    which returns logits, and the head does nothing.
    """

    body: Callable[..., Any]
    head: Head
    whole: bool
    device: str

    def states(self, output: Any) -> Tensor:
        """Return what the head works on, (batch, places, width), from an output of the body."""
        states: Tensor = output.logits if self.whole else output.last_hidden_state
        return states


def split_model(model: Any, device: str) -> SplitModel:
    """Split a model before the simplest head that gives its own logits, or take it whole."""
    whole = SplitModel(model, Head(None), True, device)
    base, embeddings = getattr(model, "base_model", None), model.get_output_embeddings()
    if base is None or base is model or embeddings is None:
        return whole
    for head in possible_heads(model.config.get_text_config(), embeddings):
        split = SplitModel(base, head, False, device)
        if _same_logits(model, split):
            return split
    return whole


@torch.inference_mode()
def _same_logits(model: Any, split: SplitModel) -> bool:
    size = model.config.get_text_config().vocab_size
    ids = torch.arange(4, device=split.device)[None, :] % size
    try:
        wanted = model(input_ids=ids).logits.float()
        found = split.head(split.states(split.body(input_ids=ids))).float()
    except (RuntimeError, TypeError, AttributeError, ValueError):
        return False
    return found.shape == wanted.shape and torch.allclose(found, wanted, rtol=1e-4, atol=1e-4)


MIN_PACK_NODES = 16
"""A pack never has fewer nodes than this (it must hold the ancestors too)."""


class Engine:
    """A way to find the log probability of each token of sequences, given those before it.

    ``tokens`` is about how many tokens go through the model at a time; it is halved when memory
    runs out. ``tell`` is called with the share of the work that is done, batch by batch.
    """

    name = "engine"

    def __init__(
        self, model: Any, split: SplitModel, tokens: int = 4096, tell: Tell = lambda share: None
    ) -> None:
        self.model, self.split, self.tokens, self.tell = model, split, tokens, tell

    @torch.inference_mode()
    def score(self, rows: Rows) -> list[Floats]:
        """Return for each sequence an array as long as it, whose first value is 0.

        Logarithms are natural. Raises ``MemoryError`` where not even the smallest batch fits.
        """
        ids, lengths = pad_rows(rows)
        values = self._values(ids, lengths)
        return [values[i, : lengths[i]] for i in range(len(rows))]

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        raise NotImplementedError

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.as_tensor(array, device=self.split.device)


class Loop(Engine):
    """The reference: a sequence at a time, all logits, log softmax in double precision."""

    name = "loop"

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        out = np.zeros(ids.shape)
        for row, length in enumerate(lengths.tolist()):
            tokens = self._tensor(ids[row : row + 1, :length])
            logits = self.model(input_ids=tokens).logits[0, :-1].double()
            found = torch.log_softmax(logits, dim=-1).gather(1, tokens[0, 1:, None])[:, 0]
            out[row, 1:length] = found.cpu().numpy()
            self.tell((row + 1) / len(ids))
        return out


class Plain(Engine):
    """Distinct sequences in batches of similar length, padded on the right."""

    name = "plain"

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        unique, inverse = np.unique(ids, axis=0, return_inverse=True)
        sizes = (unique >= 0).sum(axis=1)
        out = np.zeros(unique.shape)
        order = np.argsort(-sizes, kind="stable")
        start = 0
        while start < len(order):
            chosen = order[start : start + max(self.tokens // int(sizes[order[start]]), 1)]
            tokens = unique[chosen, : int(sizes[chosen].max())]
            row, place = np.nonzero(tokens[:, 1:] >= 0)
            try:
                out[chosen[row], place + 1] = self._padded(tokens, row, place)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error) or len(chosen) == 1:
                    raise
                self.tokens = max(self.tokens // 2, 1)
                continue
            start += len(chosen)
            self.tell(start / len(order))
        return np.asarray(out[inverse.reshape(-1)])

    def _padded(self, tokens: Ints, row: Ints, place: Ints) -> Floats:
        """Return the log probabilities of the tokens after each ``place`` of each ``row``."""
        inside = tokens >= 0
        output = self.split.body(
            input_ids=self._tensor(np.where(inside, tokens, 0)),
            attention_mask=self._tensor(inside.astype(np.int64)),
            use_cache=False,
        )
        states = self.split.states(output)[self._tensor(row), self._tensor(place)]
        return self.split.head.log_probs(states, np.arange(len(row)), tokens[row, place + 1])


class _OnTree(Engine):
    """An engine that runs each distinct prefix of the sequences once."""

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        trie = Trie.build(ids, lengths)
        of_node = np.zeros(len(trie) + 1)  # the last value is for places after the end
        self._fill(trie, of_node)
        return np.asarray(of_node[trie.node_of])

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        raise NotImplementedError


class Tree(_OnTree):
    """Packs of nodes of the prefix tree, under a mask that shows each its ancestors."""

    name = "tree"
    SIZE = 256
    """Nodes of a pack. With fewer, more ancestors are run again; with more, attention is dear."""

    def __init__(
        self, model: Any, split: SplitModel, tokens: int = 4096, tell: Tell = lambda share: None
    ) -> None:
        super().__init__(model, split, tokens, tell)
        self.size = min(self.SIZE, max(tokens, MIN_PACK_NODES))

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        start = 0
        while start < len(trie.inner):
            packs = list(islice(trie.packs(self.size, start), max(self.tokens // self.size, 1)))
            nodes, row = trie.children_of(trie.inner[start : packs[-1].end])
            try:
                of_node[nodes] = self._batch(trie, packs, nodes, row)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error) or not self._shrink():
                    raise
                continue
            start = packs[-1].end
            self.tell(start / len(trie.inner))

    def _shrink(self) -> bool:
        """Take fewer packs at a time, then smaller ones; return False if they cannot be smaller."""
        if self.tokens > self.size:
            self.tokens //= 2
            return True
        self.size //= 2
        return self.size >= MIN_PACK_NODES

    def _batch(self, trie: Trie, packs: list[Pack], nodes: Ints, row: Ints) -> Floats:
        """Return the log probabilities of ``nodes``, the children of the packs' own nodes."""
        width = max(map(len, packs))
        visible = np.stack([pack.visible(width) for pack in packs])[:, None]
        tokens = np.zeros((len(packs), width), dtype=np.int64)
        depths = np.zeros((len(packs), width), dtype=np.int64)
        for number, pack in enumerate(packs):
            tokens[number, : len(pack)] = trie.token[pack.nodes]
            depths[number, : len(pack)] = trie.depth[pack.nodes]
        # Positions are depths, not places in the pack: a node must get the position that it has in
        # its sentence. The mask is additive, as models expect one of four dimensions to be.
        kind = next(self.model.parameters()).dtype
        mask = torch.zeros(visible.shape, dtype=kind, device=self.split.device)
        mask.masked_fill_(self._tensor(~visible), torch.finfo(kind).min)
        output = self.split.body(
            input_ids=self._tensor(tokens),
            attention_mask=mask,
            position_ids=self._tensor(depths),
            use_cache=False,
        )
        own = [len(pack) - pack.above for pack in packs]
        of_pack = np.repeat(np.arange(len(packs)), own)
        place = np.concatenate([np.arange(pack.above, len(pack)) for pack in packs])
        states = self.split.states(output)[self._tensor(of_pack), self._tensor(place)]
        return self.split.head.log_probs(states, row, trie.token[nodes])


class Cached(_OnTree):
    """Token by token down the prefix tree, from the cache or recurrent state of each parent."""

    name = "cached"

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        most, done = max(self.tokens // 16, 1), 0
        tops = trie.inner[trie.parent[trie.inner] < 0]
        stack = [_Step(part, None) for part in _parts(tops, most)]
        # Depth first: states are held along one path, not for a whole level of the tree.
        while stack:
            step = stack.pop()
            states = self._run(trie, step)
            found, row = trie.children_of(step.nodes)
            of_node[found] = self.split.head.log_probs(states, row, trie.token[found])
            below = np.sort(found[trie.place_of[found] >= 0])
            stack += [_Step(part, step) for part in _parts(below, most)]
            done += len(step.nodes)
            self.tell(done / len(trie.inner))

    def _run(self, trie: Trie, step: _Step) -> Tensor:
        """Run the last tokens of nodes from the state of their parents, and keep their state."""
        inputs: dict[str, Any] = {"input_ids": self._tensor(trie.token[step.nodes][:, None])}
        if step.above is not None:
            # A parent has as many copies of its state as it has children in this step.
            rows = np.searchsorted(step.above.nodes, trie.parent[step.nodes])
            assert step.above.state is not None
            name, held = _select_state(step.above.state, self._tensor(rows))
            inputs[name] = held
        output = self.split.body(**inputs, use_cache=True)
        step.state, step.above = _state_of(self.split.body, output), None
        return self.split.states(output)[:, -1]


@dataclass
class _Step:
    """Some nodes of one depth (ascending), those of their parents, and the state after them."""

    nodes: Ints
    above: _Step | None
    state: State | None = None


def _parts(nodes: Ints, most: int) -> Iterator[Ints]:
    for start in range(0, len(nodes), most):
        yield nodes[start : start + most]


CLASSES: dict[str, type[Engine]] = dict(zip(ENGINES, (Tree, Cached, Plain, Loop), strict=True))
"""The engines by name, the fastest first."""

State = tuple[str, Any]
"""The name of the argument by which a model takes a state, and the state."""


def _state_of(body: Callable[..., Any], output: Any) -> State:
    """Return what a model hands on to the next token, and the argument that takes it.

    Raises ``TypeError`` if it is nothing.
    """
    # The output has the state under its older names, too, which not every model takes.
    taken = signature(getattr(body, "forward", body)).parameters
    for name in ("cache", "past_key_values", "cache_params", "state"):
        value = getattr(output, name, None)
        if value is not None and name in taken:
            return name, value
    raise TypeError("the model gives no cache and no state")


def _select_state(state: State, rows: Tensor) -> State:
    """Copy a cache or recurrent state for the chosen rows of its batch."""
    name, value = state
    layers = getattr(value, "layers", None)
    if layers is None:
        return name, _select(value, rows)
    value = copy.copy(value)
    value.layers = [_select_layer(layer, rows) for layer in layers]
    return name, value


def _select_layer(layer: Any, rows: Tensor) -> Any:
    chosen = copy.copy(layer)
    for key, held in vars(layer).items():
        setattr(chosen, key, _select(held, rows))
    return chosen


def _select(value: Any, rows: Tensor) -> Any:
    """Select rows of every tensor that has them."""
    # Tensors without a batch dimension (counters of a cache) are copied: they change in place.
    if isinstance(value, Tensor):
        return value.index_select(0, rows) if value.dim() > 1 else value.clone()
    if isinstance(value, dict):
        return {key: _select(inner, rows) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_select(inner, rows) for inner in value)
    return value


TOLERANCE = {"float32": 1e-4, "bfloat16": 0.25, "float16": 0.05}
"""How far a token's log probability may be from the plain loop's, by dtype."""

TRIED_SEQUENCES = 8
"""The number of sequences on which engines are tried."""

BATCH_OPERATIONS = 1e12
"""Floating-point operations of a batch on a processor: about 20 seconds of a slow core."""

MIN_BATCH_TOKENS = 64
"""The fewest tokens of a batch, however large the model."""


@dataclass(frozen=True)
class Probed:
    """The engine that was chosen, and why each faster one was not."""

    engine: Engine
    refused: dict[str, str] = field(default_factory=dict)


def probe(
    loaded: Loaded,
    rows: Rows,
    name: str = "auto",
    tokens: int = 4096,
    tell: Tell = lambda share: None,
) -> Probed:
    """Return the fastest engine that equals the plain loop on some of ``rows``.

    ``name`` forces an engine. Raises :class:`InputError` for an unknown one, and where none (or not
    the one that was named) gives the plain loop's numbers.
    """
    if name not in ("auto", *ENGINES):
        raise fail(f"unknown engine {name!r} {candidates('engines', ('auto', *ENGINES), name)}")
    _refuse_bidirectional(loaded)
    split = split_model(loaded.model, loaded.device)
    # Engines are tried on the longest sequences, and on neighbours, which share prefixes.
    some = [*sorted(rows, key=len)[-TRIED_SEQUENCES // 2 :], *rows[: TRIED_SEQUENCES // 2]]
    if loaded.device == "cpu":
        each = 2 * sum(parameter.numel() for parameter in loaded.model.parameters())
        tokens = min(tokens, max(int(BATCH_OPERATIONS / each), MIN_BATCH_TOKENS))
    wanted = Loop(loaded.model, split).score(some)
    refused: dict[str, str] = {}
    for key, kind in CLASSES.items():
        if name not in ("auto", key):
            continue
        engine = kind(loaded.model, split, tokens)
        reason = _difference(engine, some, wanted, TOLERANCE[loaded.dtype])
        if not reason:
            return Probed(kind(loaded.model, split, tokens, tell), refused)
        refused[key] = reason
    why = "; ".join(f"{key}: {reason}" for key, reason in refused.items())
    raise fail(f"model {loaded.name!r} cannot be scored ({why})")


@torch.inference_mode()
def _refuse_bidirectional(loaded: Loaded) -> None:
    """Raise :class:`InputError` if the probability of a token depends on those after it."""
    size = loaded.model.config.get_text_config().vocab_size
    texts = [[(7 * n + shift * (n > 3)) % size for n in range(8)] for shift in (0, 1, 3)]
    logits = [
        loaded.model(input_ids=torch.tensor([ids], device=loaded.device)).logits[0, :4].float()
        for ids in texts
    ]
    first, *others = (found.log_softmax(dim=-1) for found in logits)
    if max(float((first - other).abs().max()) for other in others) > TOLERANCE[loaded.dtype] / 10:
        raise fail(
            f"model {loaded.name!r} sees the tokens that come next, so it is no causal model "
            "(a masked one is scored with --method pll)"
        )


def _difference(engine: Engine, rows: Rows, wanted: Sequence[Floats], tolerance: float) -> str:
    """Return how an engine fails to give the wanted numbers, ``""`` if it gives them."""
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


@dataclass
class CausalReader:
    """A causal model that reads texts and returns the log probability of each of their tokens.

    ``bos``: one of :data:`solecism.scoring.engines.BOS`; ``eos``: texts end with the EOS token;
    ``tokens``: about how many tokens go through the model at a time. The engine is probed for each
    call of :meth:`log_probs`. Raises :class:`InputError` where the tokenizer lacks BOS or EOS and
    they are asked for.
    """

    loaded: Loaded
    bos: str = "auto"
    eos: bool = False
    engine: str = "auto"
    tokens: int = 4096
    tell: Tell = lambda share: None
    probed: Probed | None = None

    def __post_init__(self) -> None:
        if self.bos not in BOS:
            raise fail(f"unknown bos {self.bos!r} {candidates('values of --bos', BOS, self.bos)}")
        self._first = self._first_tokens()
        self.word_level = is_word_level(self.loaded.tokenizer)

    def _first_tokens(self) -> list[int]:
        tokenizer, lacks = (
            self.loaded.tokenizer,
            f"model {self.loaded.name!r}: its tokenizer has no",
        )
        if self.eos and tokenizer.eos_token_id is None:
            raise fail(f"{lacks} EOS token")
        if self.bos == "never":
            return []
        first = tokenizer.bos_token_id
        if first is None and self.bos == "always":
            raise fail(f"{lacks} BOS token (--bos auto|never)")
        first = tokenizer.eos_token_id if first is None else first
        return [] if first is None else [first]

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.loaded.name

    @property
    def longest(self) -> int:
        """The number of positions that the model has."""
        return self.loaded.longest

    @cached_property
    def window(self) -> int:
        """How many pairs are scored together."""
        return self.loaded.window(1 << 14, 1 << 11, tokens=12)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that a word-level model knows."""
        return vocabulary_of(self.loaded.tokenizer)

    def encode(self, texts: Sequence[str], offsets: bool = True) -> list[Encoded]:
        """Tokenise texts without special tokens; see :func:`solecism.scoring.encoding.encode`."""
        return encode(self.loaded.tokenizer, texts, offsets=offsets)

    def with_bos(self, ids: Sequence[int]) -> tuple[list[int], int]:
        """Return the ids after BOS (not put twice), and the first place with a probability."""
        if self._first and list(ids[:1]) != self._first:
            return [*self._first, *ids], 1
        return list(ids), 1 if ids else 0

    def whole(self, ids: Sequence[int]) -> tuple[list[int], int]:
        """Return the ids of a whole text as :meth:`with_bos` does, with EOS if it is scored."""
        return self.with_bos([*ids, *([self.loaded.tokenizer.eos_token_id] if self.eos else [])])

    def log_probs(self, rows: Rows) -> list[Floats]:
        """Return the natural log probability of every token of sequences, 0 for the first ones.

        Nothing is kept from one call to the next, so that a run which goes on gives the same
        digits.
        """
        self.probed = probe(self.loaded, rows, self.engine, self.tokens, self.tell)
        return self.probed.engine.score(rows)
