"""Causal models: how sequences of tokens are run through them, each prefix only once if possible.

There are three engines (:class:`Tree`, :class:`Plain`, :class:`Loop`). To find out which of them a
model can use, :func:`probe` compares their numbers with those of :class:`Loop`.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel

from solecism.baselines.corpus import is_word_level, vocabulary_of
from solecism.errors import fail
from solecism.scoring.encoding import Encoded, encode
from solecism.scoring.engines import ENGINES
from solecism.scoring.engines.trie import Pack, Trie, pad_rows
from solecism.scoring.models import Decoder, Loaded
from solecism.scoring.results import is_out_of_memory
from solecism.scoring.word_starts import of_words, word_starts
from solecism.terminal import Tell

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = Sequence[Sequence[int]]

MAX_HEAD_ROWS = {"cpu": 512, "other": 8192}
"""The most rows that go through the head at a time."""
MAX_LOGITS = {"cpu": 1 << 18, "other": 1 << 28}
"""The most logits that are held at a time: on a processor as many as its cache holds."""
MIN_SAFE_SUM = 1e-30
"""A smaller sum of exponentials has lost digits: that row is done again, its largest logit
subtracted."""


@dataclass(frozen=True)
class Head:
    """The end of a model: it makes logits (rows, vocabulary) of hidden states (rows, width).

    ``layer`` is the output layer (None: the states are the logits); ``after`` changes each logit
    that the layer returns (by a soft cap or a scale). With ``starts``, ids of tokens, log
    probabilities are those of any of them in place of the one that comes next.
    """

    layer: nn.Module | None
    after: Callable[[Tensor], Tensor] = lambda logits: logits
    starts: Tensor | None = None

    def __call__(self, states: Tensor) -> Tensor:
        return self.after(states if self.layer is None else self.layer(states))

    def log_probs(self, states: Tensor, row: Ints, token: Ints) -> NDArray[np.float64]:
        """Return the natural log probability of each ``token`` after its row of ``states``.

        ``states`` is (rows, width); ``row`` (ascending) has the row that each of ``token`` follows.
        """
        out = np.empty(len(token))
        step = MAX_HEAD_ROWS[_kind(states)]
        for start in range(0, len(states), step):
            first, last = np.searchsorted(row, (start, start + step))
            if first < last:
                rows = torch.as_tensor(row[first:last] - start, device=states.device)
                tokens = torch.as_tensor(token[first:last], device=states.device)
                found = self._log_probs(states[start : start + step], rows, tokens)
                out[first:last] = found.cpu().numpy()
        return out

    def _log_probs(self, states: Tensor, rows: Tensor, tokens: Tensor) -> Tensor:
        """Return log probabilities; sum over the vocabulary in blocks, so that memory suffices."""
        if self.starts is not None:
            at_once = max(MAX_LOGITS[_kind(states)] // len(self.starts), 1)
            blocks = (self(part).double() for part in torch.split(states, at_once))
            found = [each[:, self.starts].logsumexp(-1) - each.logsumexp(-1) for each in blocks]
            return torch.cat(found)[rows]
        if type(self.layer) is not nn.Linear:
            logits = self(states).float()
            return logits[rows, tokens].double() - logits.double().logsumexp(dim=-1)[rows]
        weight, bias = self.layer.weight, self.layer.bias
        wanted = (states[rows].float() * weight[tokens].float()).sum(dim=-1)
        if bias is not None:
            wanted = wanted + bias[tokens].float()
        wanted = self.after(wanted.to(states.dtype)).float().double()
        sums = torch.zeros(len(states), dtype=torch.float64, device=states.device)
        step = max(MAX_LOGITS[_kind(states)] // len(states), 1)
        for start in range(0, len(weight), step):
            part = slice(start, start + step)
            block = nn.functional.linear(states, weight[part], None if bias is None else bias[part])
            sums += self.after(block).float().exp_().sum(dim=-1)
        total = sums.log()
        unsafe = ~((sums > MIN_SAFE_SUM) & sums.isfinite())
        if unsafe.any():
            total[unsafe] = self(states[unsafe]).double().logsumexp(dim=-1)
        return wanted - total[rows]


def _kind(states: Tensor) -> str:
    return "cpu" if states.device.type == "cpu" else "other"


_AFTER_HEAD: dict[str, Callable[[float, Tensor], Tensor]] = {
    "final_logit_softcapping": lambda cap, logits: cap * torch.tanh(logits / cap),
    "logit_scale": lambda scale, logits: scale * logits,
    "logits_scaling": lambda divisor, logits: logits / divisor,
}
"""How a model may change each logit, by the name of the number for it in the model's config."""


@dataclass(frozen=True)
class SplitModel:
    """A model in two parts: ``body(**inputs)`` returns states, ``head`` makes logits of them.

    So only the states that are needed go through the head. Where the head has no layer, the body is
    the whole model, which returns logits.
    """

    body: Callable[..., Any]
    head: Head
    device: str

    def states(self, output: Any) -> Tensor:
        """Return what the head works on, (batch, places, width), from an output of the body."""
        whole = self.head.layer is None
        states: Tensor = output.logits if whole else output.last_hidden_state
        return states


def split_model(model: Any, device: str) -> SplitModel:
    """Split a model before the simplest head that gives its own logits, or take it whole."""
    whole = SplitModel(model, Head(None), device)
    base, embeddings = getattr(model, "base_model", None), model.get_output_embeddings()
    if base is None or base is model or embeddings is None:
        return whole
    config = model.config.get_text_config()
    numbers = ((change, getattr(config, name, None)) for name, change in _AFTER_HEAD.items())
    changed = (Head(embeddings, partial(change, number)) for change, number in numbers if number)
    for head in (Head(embeddings), *changed):
        split = SplitModel(base, head, device)
        if _same_logits(model, split):
            return split
    return whole


@torch.inference_mode()
def _same_logits(model: PreTrainedModel, split: SplitModel) -> bool:
    size = model.config.get_text_config().vocab_size
    ids = torch.arange(4, device=split.device)[None, :] % size
    try:
        wanted = model(input_ids=ids).logits.float()
        found = split.head(split.states(split.body(input_ids=ids))).float()
    except (RuntimeError, TypeError, AttributeError, ValueError):
        return False
    return found.shape == wanted.shape and torch.allclose(found, wanted, rtol=1e-4, atol=1e-4)


MIN_PACK_NODES = 16
"""The smallest size of a pack, since it must hold the ancestors of its nodes too."""


@dataclass
class Engine:
    """A way to find the log probability of each token of sequences, given those before it.

    ``tokens`` is about how many tokens go through the model at a time; it is halved when memory
    runs out. ``tell`` is called with the share of the work that is done, batch by batch.
    """

    model: Any
    split: SplitModel
    tokens: int = 4096
    tell: Tell = lambda share: None

    @torch.inference_mode()
    def score(self, rows: Rows) -> list[Floats]:
        """Return an array for each sequence: the log probability of each token, 0 for the first.

        Logarithms are natural. Raises ``MemoryError`` where not even the smallest batch fits.
        """
        ids, lengths = pad_rows(rows)
        values = self._values(ids, lengths)
        return [values[i, : lengths[i]] for i in range(len(rows))]

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        raise NotImplementedError

    def _tensor(self, array: NDArray[np.generic]) -> Tensor:
        return torch.as_tensor(array, device=self.split.device)


class Loop(Engine):
    """The engine that others are compared with: one sequence at a time, in double precision."""

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        out = np.zeros(ids.shape)
        for row, length in enumerate(lengths.tolist()):
            tokens = self._tensor(ids[row : row + 1, :length])
            logits = self.model(input_ids=tokens).logits[0, :-1]
            head = Head(None, starts=self.split.head.starts)
            out[row, 1:length] = head.log_probs(logits, np.arange(length - 1), ids[row, 1:length])
            self.tell((row + 1) / len(ids))
        return out


class _OnTree(Engine):
    """An engine that finds the probability of each distinct prefix of the sequences once."""

    def _values(self, ids: Ints, lengths: Ints) -> Floats:
        trie = Trie.build(ids, lengths)
        of_node = np.zeros(len(trie) + 1)  # the last value is for places after the end
        self._fill(trie, of_node)
        return np.asarray(of_node[trie.node_of])

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        raise NotImplementedError

    def work(self, trie: Trie) -> float:
        """Return about how much work a tree is, in tokens that stand alone.

        What the head does is left out: it is the same for all engines.
        """
        raise NotImplementedError

    def _work(self, lengths: Sequence[int] | Ints) -> float:
        """Return the work of sequences of these lengths.

        In one of ``4 * width`` tokens, attention costs as much as all else (measured).
        """
        sizes = np.asarray(lengths)
        return float((sizes * (1 + sizes / (4 * self.width))).sum())

    @property
    def width(self) -> int:
        """The number of values that the model has of a token."""
        return int(self.model.get_input_embeddings().weight.shape[-1])


class Plain(_OnTree):
    """An engine that runs distinct sequences in batches of similar length, padded on the right."""

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        order = trie.whole[np.argsort(-trie.lengths[trie.whole], kind="stable")]
        start = 0
        while start < len(order):
            longest = int(trie.lengths[order[start]])
            chosen = np.sort(order[start : start + max(self.tokens // longest, 1)])
            inner = trie.inner[np.isin(trie.row[trie.inner], chosen)]
            nodes, row = trie.children_of(inner)
            try:
                states = self._padded(trie, trie.node_of[chosen, :longest])
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error) or len(chosen) == 1:
                    raise
                self.tokens = max(self.tokens // 2, 1)
                continue
            place = np.searchsorted(chosen, trie.row[inner]), trie.depth[inner]
            states = states[self._tensor(place[0]), self._tensor(place[1])]
            of_node[nodes] = self.split.head.log_probs(states, row, trie.token[nodes])
            start += len(chosen)
            self.tell(start / len(order))

    def _padded(self, trie: Trie, nodes: Ints) -> Tensor:
        """Return the states of rows of nodes, -1 after the end of each."""
        output = self.split.body(
            input_ids=self._tensor(np.where(nodes >= 0, trie.token[nodes], 0)),
            attention_mask=self._tensor((nodes >= 0).astype(np.int64)),
            use_cache=False,
        )
        return self.split.states(output)

    def work(self, trie: Trie) -> float:
        """Return the work of whole sequences."""
        return self._work(trie.lengths[trie.whole])


class Tree(_OnTree):
    """An engine that runs packs of nodes of the prefix tree; each node attends to its ancestors."""

    def _fill(self, trie: Trie, of_node: Floats) -> None:
        size = max(min(self._size(trie)[1], self.tokens), MIN_PACK_NODES)
        # The largest packs come first, those of a batch are of similar size.
        waiting = sorted(trie.packs(size), key=lambda pack: len(pack.nodes))
        done = 0
        while waiting:
            largest = waiting[-1]
            packs = waiting[-max(self.tokens // len(largest.nodes), 1) :]
            try:
                self._batch(trie, packs, of_node)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error) or self.tokens <= MIN_PACK_NODES:
                    raise
                self.tokens //= 2  # fewer packs at a time, then smaller ones
                if len(packs) == 1:
                    smaller = trie.packs(self.tokens, largest.start, largest.end)
                    waiting[-1:] = sorted(smaller, key=lambda pack: len(pack.nodes))
                continue
            del waiting[-len(packs) :]
            done += sum(pack.end - pack.start for pack in packs)
            self.tell(done / len(trie.inner))

    def _batch(self, trie: Trie, packs: list[Pack], of_node: Floats) -> None:
        """Fill in the log probabilities of the children of the packs' own nodes."""
        sizes = [len(pack.nodes) for pack in packs]
        width = max(sizes)
        visible = np.stack([trie.visible(pack.nodes, width) for pack in packs])[:, None]
        tokens = np.zeros((len(packs), width), dtype=np.int64)
        depths = np.zeros((len(packs), width), dtype=np.int64)
        for number, pack in enumerate(packs):
            tokens[number, : sizes[number]] = trie.token[pack.nodes]
            depths[number, : sizes[number]] = trie.depth[pack.nodes]
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
        own = [np.arange(pack.above, size) for pack, size in zip(packs, sizes, strict=True)]
        of_pack = np.repeat(np.arange(len(packs)), [len(places) for places in own])
        place = np.concatenate(own)
        states = self.split.states(output)[self._tensor(of_pack), self._tensor(place)]
        inner = np.concatenate([pack.nodes[pack.above :] for pack in packs])
        nodes, row = trie.children_of(inner)
        of_node[nodes] = self.split.head.log_probs(states, row, trie.token[nodes])

    def work(self, trie: Trie) -> float:
        """Return the work of packs of the best size."""
        return self._size(trie)[0]

    def _size(self, trie: Trie) -> tuple[float, int]:
        """Return the least work of packs, and the size of these.

        Smaller packs repeat more ancestors, in larger ones attention is slower.
        """
        sizes = [64]
        while sizes[-1] < max(256, 2 * int(trie.lengths.max(initial=0))):
            sizes.append(2 * sizes[-1])
        packs = ((size, [len(pack.nodes) for pack in trie.packs(size)]) for size in sizes)
        return min((self._work(nodes), size) for size, nodes in packs)


CLASSES: dict[str, type[Engine]] = dict(zip(ENGINES, (Tree, Plain, Loop), strict=True))
"""The engines by name."""


TOLERANCE = {"float32": 1e-4, "bfloat16": 0.25, "float16": 0.05}
"""How far a token's log probability may be from that of :class:`Loop`, by dtype."""

TRIED_SEQUENCES = 4
"""The number of sequences on which engines are tried."""

BATCH_OPERATIONS = 1e12
"""Floating-point operations of a batch on a CPU: about 20 seconds of a slow core."""

MIN_BATCH_TOKENS = 64
"""The smallest batch, in tokens, even for the largest model."""


def probe(
    loaded: Loaded,
    rows: Rows,
    name: str = "auto",
    tokens: int = 4096,
    tell: Tell = lambda share: None,
) -> Engine:
    """Return the engine with the least work that equals the plain loop on some of ``rows``.

    ``name`` forces an engine. Raises :class:`InputError` where none (or not the one that was named)
    gives the plain loop's numbers.
    """
    _refuse_bidirectional(loaded)
    split = split_model(loaded.model, loaded.device)
    # Engines are tried on the longest sequences, and on neighbours, which share prefixes.
    some = [*sorted(rows, key=len)[-TRIED_SEQUENCES // 2 :], *rows[: TRIED_SEQUENCES // 2]]
    if loaded.device == "cpu":
        each = 2 * sum(parameter.numel() for parameter in loaded.model.parameters())
        tokens = min(tokens, max(int(BATCH_OPERATIONS / each), MIN_BATCH_TOKENS))
    wanted = Loop(loaded.model, split).score(some)
    engines = {key: kind(loaded.model, split, tokens) for key, kind in CLASSES.items()}
    refused: list[str] = []
    for key in _by_work(engines, rows) if name == "auto" else [name]:
        reason = _difference(engines[key], some, wanted, loaded.dtype)
        if not reason:
            return CLASSES[key](loaded.model, split, tokens, tell)
        refused.append(f"{key}: {reason}")
    raise fail(f"model {loaded.name!r} cannot be scored ({'; '.join(refused)})")


def _by_work(engines: dict[str, Engine], rows: Rows) -> list[str]:
    """Return the names of engines, the one with the least work first and the plain loop last."""
    trie = Trie.build(*pad_rows(rows))
    work = {name: e.work(trie) for name, e in engines.items() if isinstance(e, _OnTree)}
    return [*sorted(work, key=lambda name: work[name]), "loop"]


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
        why = "sees the tokens that come next, so it is no causal model"
        raise fail(f"model {loaded.name!r} {why} (a masked one is scored with --method pll)")


def _difference(engine: Engine, rows: Rows, wanted: Sequence[Floats], dtype: str) -> str:
    """Return how an engine fails to give the wanted numbers, ``""`` if it gives them."""
    try:
        found = engine.score(rows)
    except Exception as error:  # a model may refuse in any way
        if is_out_of_memory(error):
            raise
        reason = str(error).strip().partition("\n")[0]
        return f"{type(error).__name__}: {reason[:80]}"
    pairs = zip(found, wanted, strict=True)
    worst = max(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs)
    return "" if worst <= TOLERANCE[dtype] else f"differs from the plain loop by {worst:.2g}"


@dataclass
class CausalReader:
    """A causal model that reads texts and returns the log probability of each of their tokens.

    ``bos``: one of :data:`solecism.scoring.engines.BOS`; ``eos``: texts end with the EOS token;
    ``tokens``: about how many tokens go through the model at a time; ``words``: log probabilities
    add up to those of words. Raises :class:`InputError` where the tokenizer lacks what is asked
    for: BOS, EOS, marks of the beginnings of words.
    """

    loaded: Loaded
    bos: str = "auto"
    eos: bool = False
    engine: str = "auto"
    tokens: int = 4096
    words: bool = False
    tell: Tell = lambda share: None

    def __post_init__(self) -> None:
        tokenizer = self.loaded.tokenizer
        self.name, self.longest = self.loaded.name, self.loaded.longest - self.words
        self._starts = word_starts(tokenizer, self.name) if self.words else None
        self.window = self.loaded.window(1 << 14, 1 << 11, tokens=12)
        self.word_level = is_word_level(tokenizer)
        self.vocabulary: Container[str] = vocabulary_of(tokenizer) if self.word_level else ()
        bos, eos = tokenizer.bos_token_id, tokenizer.eos_token_id
        for name, lacks in (("EOS", self.eos and eos is None),
                            ("BOS", self.bos == "always" and bos is None)):  # fmt: skip
            if lacks:
                raise fail(f"model {self.name!r}: its tokenizer has no {name} token")
        first = eos if bos is None else bos
        self._first = [] if first is None or self.bos == "never" else [first]
        if isinstance(self.loaded.model, Decoder):
            if self.bos != "auto":
                message = "its decoder has a start of its own: leave bos out"
                raise fail(f"model {self.name!r}: {message}")
            self.bos, self._first = "decoder_start", self.loaded.model.start

    def encode(self, texts: Sequence[str], offsets: bool = True) -> list[Encoded]:
        """Tokenise texts without special tokens; see :func:`solecism.scoring.encoding.encode`."""
        if self.words and not any(" " in text for text in texts):
            raise fail("word_correction is for texts with blanks between words, and there are none")
        return encode(self.loaded.tokenizer, texts, offsets=offsets)

    def with_bos(self, ids: Sequence[int]) -> tuple[list[int], int]:
        """Return the ids after BOS (not put twice), and the first place with a probability."""
        size = len(self._first)
        row = list(ids) if list(ids[:size]) == self._first else [*self._first, *ids]
        return row, min(max(size, 1), len(row))

    def whole(self, ids: Sequence[int]) -> tuple[list[int], int]:
        """Return the ids of a whole text as :meth:`with_bos` does, with EOS if it is scored."""
        return self.with_bos([*ids, *([self.loaded.tokenizer.eos_token_id] if self.eos else [])])

    def log_probs(self, rows: Rows) -> list[Floats]:
        """Return the natural log probability of every token of sequences, 0 for the first ones.

        Engines are tried at each call, so that a run which goes on gives the same digits.
        """
        engine = probe(self.loaded, rows, self.engine, self.tokens, self.tell)
        found = engine.score(rows)
        if self._starts is None:
            return found
        starts = torch.as_tensor(np.flatnonzero(self._starts), device=self.loaded.device)
        head = replace(engine.split.head, starts=starts)
        engine.split = replace(engine.split, head=head)
        # one token more, whatever it is: what follows the last one is asked, too
        masses = engine.score([[*row, 0] for row in rows])
        firsts = [1 + (list(row[:1]) == self._first) for row in rows]
        begins = [self._starts[list(row)] for row in rows]
        return list(map(of_words, found, masses, begins, firsts))
