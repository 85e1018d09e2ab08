"""Training word-level baselines: LSTM and Transformer models, several seeds each, and n-gram models."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from solecism.errors import candidates, fail
from solecism.score.batches import Sentences, encode
from solecism.score.corpus import Wording, frequent_words, held_out, read_lines
from solecism.score.kneser_ney import estimate
from solecism.score.ngram import save_ngram
from solecism.score.optimise import Epoch, Tick, fit
from solecism.score.word_models import WordLSTMConfig, WordLSTMForCausalLM, word_tokenizer
from solecism.version import __version__

__all__ = ["PRESETS", "Options", "Texts", "read_texts", "train", "train_seed"]


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
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    if options.arch == "ngram":
        found = _train_ngram(options, texts, part)
    else:
        found = _train_network(options, texts, part, seed, device, on_tick, on_epoch)
    record = {
        "solecism": __version__, "seed": seed, "text": texts.digest,
        "options": asdict(options), "sentences": len(texts.train), **found,
    }  # fmt: skip
    (part / "training.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


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
