"""Engines of causal models: tree, cached, plain, loop; which one a model can use is found out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from solecism.errors import candidates, fail
from solecism.scoring.engines.forward import Forward, make_forward
from solecism.scoring.engines.trie import Pack, Trie, pad_rows
from solecism.scoring.models import Loaded
from solecism.scoring.results import Journal, is_out_of_memory

__all__ = [
    "ENGINES",
    "TOLERANCE",
    "Cached",
    "Engine",
    "Loop",
    "Plain",
    "Probed",
    "State",
    "Tree",
    "probe",
    "select_state",
    "state_of",
]


SMALLEST = 16
"""A pack never has fewer nodes than this (it must hold the ancestors too)."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = Sequence[Sequence[int]]


class Engine:
    """Gives log probabilities: :meth:`score` of each token given those before it in its sequence.

    ``tokens`` is about how many tokens go through the model at a time; it is halved when memory runs out.
    What a batch holds depends on the sequences and on ``tokens`` alone: the ``journal`` counts on it.
    """

    name = "engine"

    def __init__(
        self, model: Any, forward: Forward, tokens: int = 4096, journal: Journal | None = None
    ) -> None:
        self.model, self.forward, self.tokens = model, forward, tokens
        self.journal = journal or Journal()

    @torch.inference_mode()
    def score(self, rows: Rows) -> list[Floats]:
        """Give for each sequence an array as long as it; its first value is 0: nothing comes before.

        Natural logarithm. Raises ``MemoryError`` where not even the smallest batch fits.
        """
        ids, lengths = pad_rows(rows)
        values = self._values(ids, lengths)
        return [values[i, : lengths[i]] for i in range(len(rows))]

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        raise NotImplementedError

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.as_tensor(array, device=self.forward.device)


class Loop(Engine):
    """The reference: one sequence at a time, full logits, log softmax in double precision."""

    name = "loop"

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        out = np.zeros(ids.shape)
        for row, length in enumerate(lengths.tolist()):
            ask = partial(self._sequence, ids[row : row + 1, :length])
            out[row, 1:length] = self.journal.answer(ask)
        return out

    def _sequence(self, ids: Ints) -> Floats:
        tokens = self._tensor(ids)
        logits = self.model(input_ids=tokens).logits[0, :-1].double()
        found = torch.log_softmax(logits, dim=-1).gather(1, tokens[0, 1:, None])[:, 0]
        return np.asarray(found.cpu().numpy())


class Plain(Engine):
    """Distinct sequences in batches of like length, padded on the right; needed rows through the head."""

    name = "plain"

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        unique, inverse = np.unique(ids, axis=0, return_inverse=True)
        sizes = (unique >= 0).sum(axis=1)
        out = np.zeros(unique.shape)
        order = np.argsort(-sizes, kind="stable")
        start = 0
        while start < len(order):
            size = max(self.tokens // int(sizes[order[start]]), 1)
            left = order[start:]
            start += self._smaller_on_failure(partial(self._batch, unique, sizes, out, left), size)
        return np.asarray(out[inverse.reshape(-1)])

    def _batch(self, ids: Ints, sizes: Ints, out: Floats, left: Ints, most: int) -> int:
        chosen = left[:most]
        width = int(sizes[chosen].max())
        tokens = ids[chosen, :width]
        row, place = np.nonzero(tokens[:, 1:] >= 0)
        found = self.journal.answer(partial(self._padded, tokens, row, place))
        out[chosen[row], place + 1] = found
        return len(chosen)

    def _padded(self, tokens: Ints, row: Ints, place: Ints) -> Floats:
        """Log probabilities of the tokens after each ``place`` of each ``row``."""
        inside = tokens >= 0
        output = self.forward.body(
            input_ids=self._tensor(np.where(inside, tokens, 0)),
            attention_mask=self._tensor(inside.astype(np.int64)),
            use_cache=False,
        )
        states = self.forward.states(output)[self._tensor(row), self._tensor(place)]
        return self.forward.head.log_probs(states, np.arange(len(row)), tokens[row, place + 1])

    def _smaller_on_failure(self, work: Callable[[int], int], size: int) -> int:
        """Do work of a size; halve it while memory runs out."""
        while True:
            try:
                return work(size)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error) or size <= 1:
                    raise
                size //= 2
                self.tokens = max(self.tokens // 2, 1)


class _OnTree(Engine):
    """What engines on the prefix tree share."""

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        trie = Trie.build(ids, lengths)
        of_node = np.zeros(len(trie) + 1)  # the last value is for places after the end
        self._fill(trie, of_node)
        return np.asarray(of_node[trie.node_of])

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        raise NotImplementedError


class Tree(_OnTree):
    """Packs of nodes under a tree attention mask."""

    name = "tree"
    SIZE = 256
    """Nodes of a pack: with fewer more ancestors are run again, with more the mask's attention costs more."""

    def __init__(
        self, model: Any, forward: Forward, tokens: int = 4096, journal: Journal | None = None
    ) -> None:
        super().__init__(model, forward, tokens, journal)
        self.size = min(self.SIZE, max(tokens, SMALLEST))

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        start = 0
        while start < len(trie.inner):
            packs = list(islice(trie.packs(self.size, start), max(self.tokens // self.size, 1)))
            nodes, row = _children(trie, slice(start, packs[-1].end))
            try:
                of_node[nodes] = self.journal.answer(partial(self._batch, trie, packs, nodes, row))
                start = packs[-1].end
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error) or not self._shrink():
                    raise

    def _shrink(self) -> bool:
        """Take fewer packs at a time, then smaller ones; False when they cannot be smaller."""
        if self.tokens > self.size:
            self.tokens //= 2
            return True
        self.size //= 2
        return self.size >= SMALLEST

    def _batch(self, trie: Trie, packs: list[Pack], nodes: Ints, row: Ints) -> Floats:
        """Log probabilities of ``nodes``, the children of the packs' own nodes by ``row``."""
        width = max(map(len, packs))
        visible = np.stack([pack.visible(width) for pack in packs])[:, None]
        tokens = np.zeros((len(packs), width), dtype=np.int64)
        depths = np.zeros((len(packs), width), dtype=np.int64)
        for number, pack in enumerate(packs):
            tokens[number, : len(pack)] = trie.token[pack.nodes]
            depths[number, : len(pack)] = trie.depth[pack.nodes]
        kind = next(self.model.parameters()).dtype
        mask = torch.zeros(visible.shape, dtype=kind, device=self.forward.device)
        mask.masked_fill_(self._tensor(~visible), torch.finfo(kind).min)
        output = self.forward.body(
            input_ids=self._tensor(tokens),
            attention_mask=mask,
            position_ids=self._tensor(depths),
            use_cache=False,
        )
        states = self._own(packs, self.forward.states(output))
        return self.forward.head.log_probs(states, row, trie.token[nodes])

    def _own(self, packs: list[Pack], states: torch.Tensor) -> torch.Tensor:
        own = [len(pack) - pack.above for pack in packs]
        number = np.repeat(np.arange(len(packs)), own)
        place = np.concatenate([np.arange(pack.above, len(pack)) for pack in packs])
        return states[self._tensor(number), self._tensor(place)]


def _children(trie: Trie, inner: slice) -> tuple[Ints, Ints]:
    """The children of a run of inner nodes, and of which of the run each is one."""
    order, starts = trie.children
    bounds = starts[inner.start : inner.stop + 1]
    return order[bounds[0] : bounds[-1]], np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))


class Cached(_OnTree):
    """Token by token down the tree: each node once, from the cache or recurrent state of its parent."""

    name = "cached"

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        most = max(self.tokens // 16, 1)
        tops = trie.inner[trie.parent[trie.inner] < 0]
        places = np.full(len(trie), -1, dtype=np.int64)
        places[trie.inner] = np.arange(len(trie.inner))
        stack = [
            _Step(self.forward, trie.token[part], part, None, trie.parent[part])
            for part in _parts(tops, most)
        ]
        while stack:
            step = stack.pop()
            found, row = _children_of(trie, places, step.nodes)
            ask = partial(self._answers, step, row, trie.token[found])
            of_node[found] = self.journal.answer(ask)
            below = np.sort(found[places[found] >= 0])
            stack += [
                _Step(self.forward, trie.token[part], part, step, trie.parent[part])
                for part in _parts(below, most)
            ]

    def _answers(self, step: _Step, row: Ints, tokens: Ints) -> Floats:
        return self.forward.head.log_probs(step.run(), row, tokens)


class _Step:
    """One token of each of some nodes, ascending and of one depth, from the state of their parents.

    The state after it is made when it is first asked for: where the journal knows the answers, only if
    nodes below are open.
    """

    def __init__(
        self, forward: Forward, tokens: Ints, nodes: Ints, above: _Step | None, parents: Ints
    ) -> None:
        self.nodes = nodes
        self._forward, self._tokens, self._above, self._parents = forward, tokens, above, parents
        self._state: State | None = None

    def run(self) -> torch.Tensor:
        """Run the tokens; return the hidden states after them."""
        device = self._forward.device
        inputs = {"input_ids": torch.as_tensor(self._tokens[:, None], device=device)}
        if self._above is not None:
            rows = np.searchsorted(self._above.nodes, self._parents)
            name, held = select_state(self._above.state(), torch.as_tensor(rows, device=device))
            inputs[name] = held
        output = self._forward.body(**inputs, use_cache=True)
        self._state, self._above = state_of(output), None
        return self._forward.states(output)[:, -1]

    def state(self) -> State:
        """What the model hands on."""
        if self._state is None:
            self.run()
        assert self._state is not None
        return self._state


def _parts(nodes: Ints, most: int) -> Iterator[Ints]:
    for start in range(0, len(nodes), most):
        yield nodes[start : start + most]


def _children_of(trie: Trie, places: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """The children of some inner nodes, and of which of them each is one; ``places``: among all inner ones."""
    order, starts = trie.children
    mine = places[nodes]
    counts = starts[mine + 1] - starts[mine]
    row = np.repeat(np.arange(len(nodes)), counts)
    steps = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[np.repeat(starts[mine], counts) + steps], row


ENGINES: dict[str, type[Engine]] = {engine.name: engine for engine in (Tree, Cached, Plain, Loop)}
"""The engines by name, the fastest first."""


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


TOLERANCE = {"float32": 1e-4, "bfloat16": 0.25, "float16": 0.05}
"""How far a token's log probability may be from the plain loop's, by dtype."""

SEQUENCES = 8

WORK = 1e12
"""Floating-point operations of a batch on a processor: about 20 seconds of a slow core."""
LEAST = 64
"""Tokens of a batch that a large model gets all the same."""


@dataclass(frozen=True)
class Probed:
    """The engine chosen, and why the faster ones were not."""

    engine: Engine
    refused: dict[str, str] = field(default_factory=dict)


def probe(
    loaded: Loaded,
    rows: Sequence[Sequence[int]],
    name: str = "auto",
    tokens: int = 4096,
    journal: Journal | None = None,
) -> Probed:
    """Take the fastest engine that equals the plain loop on a few of ``rows``, the longest among them.

    ``name`` forces an engine; raises :class:`InputError` if there is none of that name or it does not give
    the plain loop's numbers.
    """
    if name not in ("auto", *ENGINES):
        near = candidates("engines", ["auto", *ENGINES], name)
        raise fail(f"there is no engine {name!r} {near}")
    _refuse_bidirectional(loaded)
    forward = make_forward(loaded.model, loaded.device)
    some, tokens = _chosen(rows), _bounded(loaded, tokens)
    wanted = Loop(loaded.model, forward).score(some)
    refused: dict[str, str] = {}
    for key, kind in ENGINES.items():
        if name not in ("auto", key):
            continue
        engine = kind(loaded.model, forward, tokens)
        reason = _difference(engine, some, wanted, TOLERANCE[loaded.dtype])
        if not reason:
            return Probed(kind(loaded.model, forward, tokens, journal), refused)
        refused[key] = reason
    why = "; ".join(f"{key}: {reason}" for key, reason in refused.items())
    raise fail(f"model {loaded.name!r} cannot be scored ({why})")


def _bounded(loaded: Loaded, tokens: int) -> int:
    """Fewer tokens for a large model on a processor: what a batch gives is saved when it is whole."""
    if loaded.device != "cpu":
        return tokens
    each = 2 * sum(parameter.numel() for parameter in loaded.model.parameters())
    return min(tokens, max(int(WORK / each), LEAST))


@torch.inference_mode()
def _refuse_bidirectional(loaded: Loaded) -> None:
    """Raise where what the model says of a token depends on the tokens after it: it is no causal one."""
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


def _chosen(rows: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """The longest sequences, and neighbours (which share prefixes) from the beginning."""
    longest = sorted(rows, key=len)[-SEQUENCES // 2 :]
    return [*longest, *rows[: SEQUENCES // 2]]


def _difference(
    engine: Engine,
    rows: Sequence[Sequence[int]],
    wanted: Sequence[NDArray[np.float64]],
    tolerance: float,
) -> str:
    """Say how an engine fails to give the wanted numbers; ``""`` if it does."""
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
