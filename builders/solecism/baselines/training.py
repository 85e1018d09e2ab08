"""Training word-level baselines: LSTM and Transformer models, several seeds each, and n-gram models."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from solecism.baselines.corpus import Wording, frequent_words, held_out, read_lines
from solecism.baselines.networks import WordLSTMConfig, WordLSTMForCausalLM, word_tokenizer
from solecism.baselines.ngram import estimate, save_ngram
from solecism.errors import candidates, fail
from solecism.files import replacing_folder
from solecism.version import __version__

__all__ = [
    "PRESETS",
    "Epoch",
    "Hyperparameters",
    "Options",
    "Sentences",
    "Texts",
    "Tick",
    "batches",
    "encode",
    "fit",
    "padded",
    "perplexity",
    "read_texts",
    "train",
    "train_seed",
]


_POOL = 100
_CHUNK = 10_000


@dataclass(frozen=True)
class Sentences:
    """Token ids of all sentences, each with ``<s>`` and ``</s>``, in one row; ``bounds`` stand between them.
    ``cut``: the number of sentences that were too long and lost their end."""

    ids: NDArray[np.int32]
    bounds: NDArray[np.int64]
    cut: int

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def tokens(self) -> int:
        """The number of tokens to predict: all but ``<s>``."""
        return len(self.ids) - len(self)


def encode(tokenizer: PreTrainedTokenizerFast, texts: pa.Array, longest: int) -> Sentences:
    """Turn sentences into token ids, ``longest`` words each at most; one that is cut has no ``</s>``."""
    fast = tokenizer.backend_tokenizer
    rows: list[NDArray[np.int32]] = []
    for start in range(0, len(texts), _CHUNK):
        found = fast.encode_batch_fast(texts.slice(start, _CHUNK).to_pylist())
        rows += [np.array([*row.ids, tokenizer.eos_token_id], np.int32) for row in found]
    cut = sum(len(row) > longest + 2 for row in rows)
    kept = [row[: longest + 2] if len(row) <= longest + 2 else row[: longest + 1] for row in rows]
    bounds = np.concatenate([[0], np.cumsum([len(row) for row in kept])])
    return Sentences(np.concatenate(kept), bounds.astype(np.int64), cut)


def batches(
    rows: Sentences, size: int, rng: np.random.Generator | None = None
) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of the sentences of each batch; without ``rng`` in the order of their lengths.

    With it sentences are shuffled, sorted by length within pools of 100 batches, and batches shuffled.
    """
    lengths = np.diff(rows.bounds)
    if rng is None:
        order = np.argsort(lengths, kind="stable")
        yield from (order[i : i + size] for i in range(0, len(order), size))
        return
    shuffled = rng.permutation(len(rows))
    for start in range(0, len(rows), size * _POOL):
        pool = shuffled[start : start + size * _POOL]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        parts = [pool[i : i + size] for i in range(0, len(pool), size)]
        yield from (parts[i] for i in rng.permutation(len(parts)))


def padded(
    rows: Sentences, chosen: NDArray[np.int64], pad: int, device: str | torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Give ids and targets (batch, length) of some sentences; targets are -100 at padding."""
    starts = rows.bounds[chosen]
    lengths = rows.bounds[chosen + 1] - starts
    place = np.arange(lengths.max())[None, :]
    inside = place < lengths[:, None]
    ids = np.where(inside, rows.ids[np.minimum(starts[:, None] + place, len(rows.ids) - 1)], pad)
    targets = np.where(inside, ids, -100)[:, 1:]
    made = (torch.from_numpy(part.astype(np.int64)).to(device) for part in (ids[:, :-1], targets))
    inputs, wanted = made
    return inputs, wanted


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


@dataclass(frozen=True)
class Options:
    """How a model is made and trained; the defaults are the LSTM of Mueller et al. (2020, section 5.1).

    ``hidden``, ``embedding``: width in units; ``batch``: sentences; ``rate``: the first learning rate, divided
    by ``anneal`` after an epoch without a lower validation perplexity; ``clip``: the longest gradient (L2);
    ``longest``: words of a sentence, what is beyond is cut off; ``vocabulary``: words kept; ``order``: length
    of n-grams.
    """

    arch: str = "lstm"
    hidden: int = 800
    embedding: int = 800
    layers: int = 2
    heads: int = 12
    dropout: float = 0.2
    optimizer: str = "sgd"
    rate: float = 20.0
    anneal: float = 4.0
    clip: float = 0.25
    batch: int = 128
    epochs: int = 40
    longest: int = 256
    vocabulary: int = 50_000
    order: int = 5
    lower: bool = False
    marks: bool = False

    @property
    def wording(self) -> Wording:
        """How the text is split into words."""
        return Wording(self.lower, self.marks)


_SMALL_LSTM = Options(
    hidden=200, embedding=200, optimizer="adamw", rate=2e-3, clip=1.0, batch=64, epochs=10
)
_GPT2 = Options(
    arch="transformer", hidden=768, embedding=768, layers=12, dropout=0.1,
    optimizer="adamw", rate=5e-4, clip=1.0, epochs=10,
)  # fmt: skip

PRESETS = {
    ("lstm", "paper"): Options(),
    ("lstm", "small"): _SMALL_LSTM,
    ("transformer", "paper"): _GPT2,
    ("transformer", "small"): replace(
        _GPT2, hidden=256, embedding=256, layers=4, heads=4, batch=64
    ),
    ("ngram", "paper"): Options(arch="ngram"),
    ("ngram", "small"): Options(arch="ngram", order=3),
}
"""Options by architecture and preset."""


@dataclass(frozen=True)
class Texts:
    """Training and validation sentences, and the SHA-256 of both, which is recorded with every model."""

    train: pa.Array
    valid: pa.Array
    digest: str


def read_texts(train: Sequence[Path], valid: Sequence[Path] = ()) -> Texts:
    """Read text files, one sentence a line; without validation files one sentence in twenty is held out.

    Raises :class:`InputError` for files that cannot be read.
    """
    lines = read_lines(train)
    left, right = (lines, read_lines(valid)) if valid else held_out(lines)
    total = hashlib.sha256()
    for part in (left, right):
        total.update("\n".join(part.to_pylist()).encode() + b"\0")
    return Texts(left, right, total.hexdigest())


def train(
    options: Options,
    texts: Texts,
    out: Path,
    seeds: Sequence[int] = (0,),
    device: str = "cpu",
    on_tick: Callable[[int, Tick], None] = lambda seed, tick: None,
    on_epoch: Callable[[int, Epoch], None] = lambda seed, epoch: None,
) -> list[Path]:
    """Train a model for each seed into ``out/seed-N``; give the folders.

    A seed that is finished is left as it is, one that was interrupted begins again. An n-gram model has no
    chance in it, so it is made once. Raises :class:`InputError` for options that cannot be, and for a finished
    model that was trained with others or on another text.
    """
    _check(options)
    chosen = list(seeds)[:1] if options.arch == "ngram" else list(seeds)
    folders = [out / f"seed-{seed}" for seed in chosen]
    missing = [n for n, folder in enumerate(folders) if not _finished(folder, options, texts)]
    for n in missing:
        seed = chosen[n]
        train_seed(
            options,
            texts,
            folders[n],
            seed,
            device,
            partial(on_tick, seed),
            partial(on_epoch, seed),
        )
    return folders


def _check(options: Options) -> None:
    archs = sorted({arch for arch, _ in PRESETS})
    if options.arch not in archs:
        raise fail(
            f"there is no architecture {options.arch!r} {candidates('known', archs, options.arch)}"
        )
    if options.optimizer not in ("sgd", "adamw"):
        raise fail(
            f"there is no optimizer {options.optimizer!r} {candidates('known', ['sgd', 'adamw'])}"
        )
    counts = (
        "hidden",
        "embedding",
        "layers",
        "heads",
        "batch",
        "epochs",
        "longest",
        "vocabulary",
        "order",
    )
    wrong = [name for name in counts if getattr(options, name) < 1]
    if wrong:
        raise fail(f"{wrong[0]} is {getattr(options, wrong[0])}: 1 is the least")
    if options.arch == "transformer" and options.hidden % options.heads:
        raise fail(f"{options.hidden} units cannot be shared among {options.heads} heads evenly")


def _finished(folder: Path, options: Options, texts: Texts) -> bool:
    """Tell whether a seed was trained, which must have been with the same options and text."""
    record = folder / "training.json"
    if not record.is_file():
        return False
    found = json.loads(record.read_text(encoding="utf-8"))
    wanted = {**asdict(options), "text": texts.digest}
    had = {**found["options"], "text": found["text"]}
    other = [
        f"{name} was {had.get(name)!r}, is {value!r}"
        for name, value in wanted.items()
        if had.get(name) != value
    ]
    if other:
        raise fail(f"was trained otherwise ({'; '.join(other)}); take another folder", folder)
    return True


def train_seed(
    options: Options,
    texts: Texts,
    folder: Path,
    seed: int,
    device: str = "cpu",
    on_tick: Callable[[Tick], None] = lambda tick: None,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
) -> None:
    """Train one model and write its folder, which appears only once the model is whole."""
    with replacing_folder(folder, lambda _: ()) as part:
        if options.arch == "ngram":
            found = _train_ngram(options, texts, part)
        else:
            found = _train_network(options, texts, part, seed, device, on_tick, on_epoch)
        record = {
            "solecism": __version__, "seed": seed, "text": texts.digest,
            "options": asdict(options), "sentences": len(texts.train), **found,
        }  # fmt: skip
        (part / "training.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _train_ngram(options: Options, texts: Texts, part: Path) -> dict[str, Any]:
    model = estimate(texts.train, options.order, options.vocabulary, options.wording)
    save_ngram(model, part)
    return {"perplexity": model.perplexity(texts.valid)}


def _train_network(
    options: Options,
    texts: Texts,
    part: Path,
    seed: int,
    device: str,
    on_tick: Callable[[Tick], None],
    on_epoch: Callable[[Epoch], None],
) -> dict[str, Any]:
    tokenizer = make_tokenizer(options, texts)
    rows, valid = (encode(tokenizer, part, options.longest) for part in (texts.train, texts.valid))
    torch.manual_seed(seed)
    model = make_model(options, tokenizer).to(device)
    epochs = fit(model, rows, valid, options, seed, on_tick, on_epoch)
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    return _record(epochs, rows, len(tokenizer))


def _record(epochs: Sequence[Epoch], rows: Sentences, size: int) -> dict[str, Any]:
    best = min((epoch.perplexity for epoch in epochs), default=math.inf)
    return {
        "perplexity": best, "tokens": rows.tokens, "cut": rows.cut, "vocabulary_size": size,
        "epochs": [asdict(epoch) for epoch in epochs],
    }  # fmt: skip


def make_tokenizer(options: Options, texts: Texts) -> PreTrainedTokenizerFast:
    """Make the tokenizer of the most frequent words of the training and validation text, as in the paper."""
    lists = options.wording.words(pa.concat_arrays([texts.train, texts.valid]))
    return word_tokenizer(frequent_words(lists.values, options.vocabulary), options.wording)


def make_model(options: Options, tokenizer: PreTrainedTokenizerFast) -> Any:
    """Make an untrained model; its weights depend on torch's seed."""
    if options.arch == "lstm":
        return WordLSTMForCausalLM(
            WordLSTMConfig(
                vocab_size=len(tokenizer), hidden_size=options.hidden, dropout=options.dropout,
                embedding_size=options.embedding, num_hidden_layers=options.layers,
                bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
            )
        )  # fmt: skip
    rate = options.dropout
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(tokenizer), n_embd=options.hidden, n_layer=options.layers,
            n_head=options.heads, n_positions=options.longest + 2,
            resid_pdrop=rate, embd_pdrop=rate, attn_pdrop=rate,
            bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
        )
    )  # fmt: skip
