"""Training word-level baselines: LSTM and Transformer models of several seeds, n-gram models."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from solecism.baselines.card import model_card
from solecism.baselines.corpus import Wording, frequent_words, held_out, read_lines
from solecism.baselines.networks import WordLSTMConfig, WordLSTMForCausalLM, word_tokenizer
from solecism.baselines.ngram import estimate, save_ngram
from solecism.errors import candidates, fail
from solecism.files import replacing_folder, writing
from solecism.version import __version__

__all__ = ["PRESETS", "Epoch", "Tick", "TrainingOptions", "read_texts", "train"]

_POOL = 100
_CHUNK = 10_000


@dataclass(frozen=True)
class TrainingOptions:
    """How a model is made and trained; the defaults are Mueller et al.'s LSTM (2020, section 5.1).

    ``hidden``, ``embedding``: width in units; ``batch``: sentences; ``rate``: the first learning
    rate, divided by ``anneal`` after an epoch without a lower validation perplexity; ``clip``: the
    longest gradient (L2); ``longest``: words of a sentence, what is beyond is cut off;
    ``vocabulary``: words kept; ``order``: length of n-grams; ``lower``, ``marks``: as in
    :class:`Wording`.
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

    def check(self) -> None:
        """Raise :class:`InputError` for options that no model can have."""
        archs = sorted({arch for arch, _ in PRESETS})
        for kind, known in (("arch", archs), ("optimizer", ["sgd", "adamw"])):
            if (name := getattr(self, kind)) not in known:
                raise fail(f"unknown {kind} {name!r} {candidates('known', known, name)}")
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in values.items():
            if type(value) is int and value < 1:
                raise fail(f"{name} is {value}: 1 is the least")
        if self.arch == "transformer" and self.hidden % self.heads:
            raise fail(f"{self.hidden} units cannot be shared among {self.heads} heads evenly")


_GPT2 = TrainingOptions(
    arch="transformer", hidden=768, embedding=768, layers=12, dropout=0.1,
    optimizer="adamw", rate=5e-4, clip=1.0, epochs=10,
)  # fmt: skip

PRESETS = {
    ("lstm", "paper"): TrainingOptions(),
    ("lstm", "small"): TrainingOptions(
        hidden=200, embedding=200, optimizer="adamw", rate=2e-3, clip=1.0, batch=64, epochs=10
    ),
    ("transformer", "paper"): _GPT2,
    ("transformer", "small"): replace(
        _GPT2, hidden=256, embedding=256, layers=4, heads=4, batch=64
    ),
    ("ngram", "paper"): TrainingOptions(arch="ngram"),
    ("ngram", "small"): TrainingOptions(arch="ngram", order=3),
}
"""Options by architecture and preset."""


@dataclass(frozen=True)
class Texts:
    """Training and validation sentences, and the SHA-256 of both, which stands with every model."""

    train: pa.Array
    valid: pa.Array
    digest: str


def read_texts(train: Sequence[Path], valid: Sequence[Path] = ()) -> Texts:
    """Read text files, one sentence a line; without ``valid`` one sentence in twenty is held out.

    A folder stands for the ``.txt`` files below it, in the order of their names. Raises
    :class:`InputError` for files that cannot be read, and for a folder without any.
    """
    lines = read_lines(_text_files(train))
    left, right = (lines, read_lines(_text_files(valid))) if valid else held_out(lines)
    total = hashlib.sha256()
    for part in (left, right):
        total.update("\n".join(part.to_pylist()).encode() + b"\0")
    return Texts(left, right, total.hexdigest())


def _text_files(paths: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
        if not files:
            raise fail("has no .txt file in it", path)
        found += files
    return found


@dataclass(frozen=True)
class EncodedText:
    """Token ids of all sentences, each with ``<s>`` and ``</s>``, in one row.

    ``bounds`` stand between the sentences; ``cut``: how many were too long and lost their end.
    """

    ids: NDArray[np.int32]
    bounds: NDArray[np.int64]
    cut: int

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def tokens(self) -> int:
        """The number of tokens to predict: all but ``<s>``."""
        return len(self.ids) - len(self)


def encode(tokenizer: PreTrainedTokenizerFast, texts: pa.Array, longest: int) -> EncodedText:
    """Return sentences as token ids, at most ``longest`` words each; a cut one has no ``</s>``."""
    fast = tokenizer.backend_tokenizer
    rows: list[NDArray[np.int32]] = []
    for start in range(0, len(texts), _CHUNK):
        found = fast.encode_batch_fast(texts.slice(start, _CHUNK).to_pylist())
        rows += [np.array([*row.ids, tokenizer.eos_token_id], np.int32) for row in found]
    cut = sum(len(row) > longest + 2 for row in rows)
    kept = [row if len(row) <= longest + 2 else row[: longest + 1] for row in rows]
    bounds = np.concatenate([[0], np.cumsum([len(row) for row in kept])])
    return EncodedText(np.concatenate(kept), bounds.astype(np.int64), cut)


def batches(
    rows: EncodedText, size: int, rng: np.random.Generator | None = None
) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of the sentences of each batch.

    Without ``rng`` they stand in the order of their lengths. With it sentences are shuffled, sorted
    by length within pools of 100 batches, and batches shuffled.
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
    rows: EncodedText, chosen: NDArray[np.int64], pad: int, device: str | torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ids and targets (batch, length) of some sentences; targets are -100 at padding."""
    starts = rows.bounds[chosen]
    lengths = rows.bounds[chosen + 1] - starts
    place = np.arange(lengths.max())[None, :]
    inside = place < lengths[:, None]
    ids = np.where(inside, rows.ids[np.minimum(starts[:, None] + place, len(rows.ids) - 1)], pad)
    inputs = torch.from_numpy(ids[:, :-1].astype(np.int64))
    targets = torch.from_numpy(np.where(inside, ids, -100)[:, 1:].astype(np.int64))
    return inputs.to(device), targets.to(device)


@dataclass(frozen=True)
class Tick:
    """The progress of an epoch: ``done`` of ``total`` tokens, mean loss (nats), tokens a second."""

    epoch: int
    done: int
    total: int
    loss: float
    speed: float


@dataclass(frozen=True)
class Epoch:
    """The outcome of an epoch: learning rate, both perplexities, tokens a second."""

    number: int
    rate: float
    train_perplexity: float
    perplexity: float
    speed: float


Observer = Callable[[Tick | Epoch], object]
"""Is called after every batch and after every epoch."""


@dataclass
class _Training:
    """A training run: all that a killed one needs to go on."""

    model: Any
    optimizer: torch.optim.Optimizer
    rng: np.random.Generator
    epochs: list[Epoch]
    best: dict[str, torch.Tensor]

    def save(self, path: Path) -> None:
        state = {
            "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(),
            "best": self.best, "epochs": [asdict(epoch) for epoch in self.epochs],
            "batches": self.rng.bit_generator.state, "dropout": torch.get_rng_state(),
            "dropout on GPUs": torch.cuda.get_rng_state_all(),
        }  # fmt: skip
        with writing(path) as part:
            torch.save(state, part)

    def restore(self, path: Path) -> None:
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rng.bit_generator.state = state["batches"]
        torch.set_rng_state(state["dropout"])
        torch.cuda.set_rng_state_all(state["dropout on GPUs"])
        self.epochs = [Epoch(**epoch) for epoch in state["epochs"]]
        self.best = state["best"]


def fit(
    model: Any,
    rows: EncodedText,
    valid: EncodedText,
    options: TrainingOptions,
    seed: int,
    observe: Observer = lambda event: None,
    checkpoint: Path | None = None,
) -> list[Epoch]:
    """Train a model in place, and leave it with the weights of its best epoch.

    The best is that of lowest validation perplexity. After an epoch without a lower perplexity than
    the epoch before, the learning rate is divided. Equal seeds give equal models on one machine.
    After every epoch all that is needed to go on is written to ``checkpoint``; where that file is
    there, training goes on from it, and ends as if it had never stopped. Raises :class:`InputError`
    when the loss is no number any more.
    """
    run = _Training(model, _optimizer(model, options), np.random.default_rng(seed), [], {})
    if checkpoint is not None and checkpoint.is_file():
        run.restore(checkpoint)
    for number in range(len(run.epochs) + 1, options.epochs + 1):
        group, before = run.optimizer.param_groups[0], run.epochs[-1:]
        loss, speed = _train_epoch(run, rows, options, number, observe)
        found = perplexity(model, valid, options.batch)
        if all(found < epoch.perplexity for epoch in run.epochs):
            run.best = {name: value.cpu().clone() for name, value in model.state_dict().items()}
        run.epochs.append(Epoch(number, group["lr"], math.exp(min(loss, 700.0)), found, speed))
        if before and found >= before[0].perplexity:
            group["lr"] /= options.anneal
        if checkpoint is not None:
            run.save(checkpoint)
        observe(run.epochs[-1])
    model.load_state_dict(run.best)
    model.eval()
    return run.epochs


def _optimizer(model: Any, options: TrainingOptions) -> torch.optim.Optimizer:
    if options.optimizer == "sgd":
        return torch.optim.SGD(model.parameters(), lr=options.rate)
    return torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.01)


def _train_epoch(
    run: _Training, rows: EncodedText, options: TrainingOptions, number: int, observe: Observer
) -> tuple[float, float]:
    """Train for an epoch; return the mean loss of a token, and tokens a second."""
    run.model.train()
    began, done, total = time.perf_counter(), 0, 0.0
    for chosen in batches(rows, options.batch, run.rng):
        loss, tokens = _losses(run.model, rows, chosen)
        run.optimizer.zero_grad(set_to_none=True)
        (loss / tokens).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(run.model.parameters(), options.clip)
        run.optimizer.step()
        done, total = done + tokens, total + loss.item()
        if not math.isfinite(total):
            raise fail(f"the loss is {total} in epoch {number}; take a lower learning rate")
        speed = done / (time.perf_counter() - began)
        observe(Tick(number, done, rows.tokens, total / done, speed))
    return total / done, speed


def _losses(model: Any, rows: EncodedText, chosen: Any) -> tuple[torch.Tensor, int]:
    """Return the summed loss of some sentences, and the number of tokens without padding."""
    ids, targets = padded(rows, chosen, model.config.eos_token_id, model.device)
    logits = model(input_ids=ids, use_cache=False).logits
    loss = cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), reduction="sum")
    return loss, int((targets >= 0).sum())


@torch.no_grad()
def perplexity(model: Any, rows: EncodedText, size: int) -> float:
    """Return the perplexity per token, ``</s>`` counted and ``<unk>`` taken for a word."""
    model.eval()
    total = sum(_losses(model, rows, chosen)[0].item() for chosen in batches(rows, size))
    return math.exp(min(total / rows.tokens, 700.0))


def train(
    options: TrainingOptions,
    texts: Texts,
    out: Path,
    seeds: Sequence[int] = (0,),
    device: str = "cpu",
    observe: Callable[[int, Tick | Epoch], object] = lambda seed, event: None,
) -> list[Path]:
    """Train a model for each seed into ``out/seed-N``; return the folders.

    A seed that is finished is left as it is, one that was interrupted goes on after its last epoch.
    An n-gram model has no chance in it, so it is made once. ``observe`` is called with a seed and a
    :class:`Tick` or :class:`Epoch`. Raises :class:`InputError` for options that cannot be, and for
    a finished model that was trained with others or on another text.
    """
    options.check()
    chosen = list(seeds)[:1] if options.arch == "ngram" else list(seeds)
    folders = {seed: out / f"seed-{seed}" for seed in chosen}
    missing = [seed for seed in chosen if not _finished(folders[seed], options, texts)]
    for seed in missing:
        train_seed(options, texts, folders[seed], seed, device, partial(observe, seed))
    return list(folders.values())


def _finished(folder: Path, options: TrainingOptions, texts: Texts) -> bool:
    """Return whether a seed was trained, which must have been with the same options and text."""
    record = folder / "training.json"
    if not record.is_file():
        return False
    found = json.loads(record.read_text(encoding="utf-8"))
    had = {**found["options"], "text": found["text"]}
    wanted = {**asdict(options), "text": texts.digest}
    other = [
        f"{name} was {had.get(name)!r}, is {value!r}"
        for name, value in wanted.items()
        if had.get(name) != value
    ]
    if other:
        raise fail(f"was trained otherwise ({'; '.join(other)}); take another folder", folder)
    return True


def train_seed(
    options: TrainingOptions,
    texts: Texts,
    folder: Path,
    seed: int,
    device: str = "cpu",
    observe: Observer = lambda event: None,
) -> None:
    """Train one model and write its folder, which appears only once the model is whole.

    Until then a hidden file beside it holds what was trained so far; its name tells options and
    text.
    """
    basis = f"{options} {texts.digest} {__version__} {torch.__version__}"
    ours = hashlib.sha256(basis.encode()).hexdigest()[:12]
    checkpoint = folder.with_name(f".solecism-training.{folder.name}.{ours}")
    with replacing_folder(folder, lambda _: ()) as part:
        if options.arch == "ngram":
            model = estimate(texts.train, options.order, options.vocabulary, options.wording)
            save_ngram(model, part)
            found: dict[str, Any] = {"perplexity": model.perplexity(texts.valid)}
        else:
            found = _train_network(options, texts, part, seed, device, observe, checkpoint)
        record = {
            "solecism": __version__, "seed": seed, "text": texts.digest,
            "options": asdict(options), "sentences": len(texts.train), **found,
        }  # fmt: skip
        (part / "training.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        card = model_card(f"{folder.parent.name}/{folder.name}", record, texts.train, texts.valid)
        (part / "README.md").write_text(card, encoding="utf-8")
    for path in folder.parent.glob(f".solecism-training.{folder.name}.*"):
        path.unlink()


def _train_network(
    options: TrainingOptions,
    texts: Texts,
    part: Path,
    seed: int,
    device: str,
    observe: Observer,
    checkpoint: Path,
) -> dict[str, Any]:
    """Train and write a network; return what its record says of it."""
    tokenizer = _make_tokenizer(options, texts)
    rows, valid = (encode(tokenizer, text, options.longest) for text in (texts.train, texts.valid))
    torch.manual_seed(seed)
    model = _make_model(options, tokenizer).to(device)
    epochs = fit(model, rows, valid, options, seed, observe, checkpoint)
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    return {
        "perplexity": min(epoch.perplexity for epoch in epochs), "tokens": rows.tokens,
        "cut": rows.cut, "vocabulary_size": len(tokenizer),
        "epochs": [asdict(epoch) for epoch in epochs],
    }  # fmt: skip


def _make_tokenizer(options: TrainingOptions, texts: Texts) -> PreTrainedTokenizerFast:
    """Return a tokenizer of the most frequent words of both texts, as in the paper."""
    lists = options.wording.words(pa.concat_arrays([texts.train, texts.valid]))
    return word_tokenizer(frequent_words(lists.values, options.vocabulary), options.wording)


def _make_model(options: TrainingOptions, tokenizer: PreTrainedTokenizerFast) -> Any:
    """Return an untrained model; its weights depend on torch's seed."""
    marks = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    rate = options.dropout
    if options.arch == "lstm":
        config = WordLSTMConfig(
            vocab_size=len(tokenizer), hidden_size=options.hidden, dropout=rate,
            embedding_size=options.embedding, num_hidden_layers=options.layers, **marks,
        )  # fmt: skip
        return WordLSTMForCausalLM(config)
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(tokenizer), n_embd=options.hidden, n_layer=options.layers,
            n_head=options.heads, n_positions=options.longest + 2, resid_pdrop=rate,
            embd_pdrop=rate, attn_pdrop=rate, **marks,
        )
    )  # fmt: skip
