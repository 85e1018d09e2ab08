"""Training word-level baselines: LSTM and Transformer models of several seeds, n-gram models."""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    EvalPrediction,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerState,
    TrainingArguments,
)

from solecism.baselines.corpus import Wording, frequent_words, held_out, read_lines
from solecism.baselines.networks import WordLSTMConfig, WordLSTMForCausalLM, word_tokenizer
from solecism.baselines.ngram import estimate, save_ngram
from solecism.errors import fail
from solecism.files import replacing_folder
from solecism.inputs import read_toml
from solecism.terminal import Progress, no_progress
from solecism.version import __version__

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
        """Raise :class:`InputError` for numbers that no model can have."""
        for name, value in asdict(self).items():
            if type(value) is int and value < 1:
                raise fail(f"{name} is {value}: 1 is the least")
        if self.arch == "transformer" and self.hidden % self.heads:
            raise fail(f"{self.hidden} units cannot be shared among {self.heads} heads evenly")


PRESETS = {
    tuple(name.split()): TrainingOptions(**numbers)
    for name, numbers in read_toml(Path(__file__).with_name("presets.toml")).items()
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

    def files(paths: Sequence[Path]) -> list[Path]:
        found = []
        for path in paths:
            inside = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
            if not inside:
                raise fail("has no .txt file in it", path)
            found += inside
        return found

    lines = read_lines(files(train))
    left, right = (lines, read_lines(files(valid))) if valid else held_out(lines)
    both = ("\n".join(part.to_pylist()) + "\0" for part in (left, right))
    return Texts(left, right, hashlib.sha256("".join(both).encode()).hexdigest())


class _Reporter(TrainerCallback):
    """Tells of the steps and the epochs of a seed."""

    def __init__(self, seed: int, progress: Progress, notice: Callable[[str], None]) -> None:
        self.seed, self.progress, self.notice = seed, progress, notice

    def on_step_end(self, args: object, state: TrainerState, control: object, **_: object) -> None:
        """Report the steps."""
        name = f"seed {self.seed}, epoch {int(state.epoch or 0) + 1}"
        self.progress(name, state.global_step, state.max_steps)

    def on_evaluate(self, args: object, state: TrainerState, control: object, **given: Any) -> None:
        """Report the perplexity after an epoch."""
        found = given["metrics"]["eval_perplexity"]
        self.notice(f"seed {self.seed}  epoch {round(state.epoch or 0):>3}  perplexity {found:.2f}")


def train(
    options: TrainingOptions,
    texts: Texts,
    out: Path,
    seeds: Sequence[int] = (0,),
    device: str = "cpu",
    progress: Progress = no_progress,
    notice: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Train a model for each seed into ``out/seed-N``; return the folders.

    A seed that is finished is left as it is, one that was interrupted goes on after its last epoch.
    An n-gram model has no chance in it, so it is made once. ``progress`` is called with a name, the
    steps that are done, and all; ``notice`` with a line an epoch. Raises :class:`InputError` for
    options that cannot be, a perplexity that is not a number, and for a finished model that was
    trained with other options or on another text.
    """
    options.check()
    chosen = list(seeds)[:1] if options.arch == "ngram" else list(seeds)
    folders = {seed: out / f"seed-{seed}" for seed in chosen}
    for seed in [seed for seed in chosen if not _finished(folders[seed], options, texts)]:
        train_seed(options, texts, folders[seed], _Reporter(seed, progress, notice), device)
    return list(folders.values())


def _finished(folder: Path, options: TrainingOptions, texts: Texts) -> bool:
    """Return whether a seed was trained, which must have been with the same options and text."""
    record = folder / "training.json"
    if not record.is_file():
        return False
    found = json.loads(record.read_text(encoding="utf-8"))
    had = {**found["options"], "text": found["text"]}
    other = [
        f"{name} was {had.get(name)!r}, is {value!r}"
        for name, value in {**asdict(options), "text": texts.digest}.items()
        if had.get(name) != value
    ]
    if other:
        raise fail(f"was trained otherwise ({'; '.join(other)}); take another folder", folder)
    return True


def train_seed(
    options: TrainingOptions, texts: Texts, folder: Path, report: _Reporter, device: str
) -> None:
    """Train one model and write its folder, which appears only once the model is whole.

    Until then a hidden folder beside it holds the checkpoints; its name tells options and text.
    """
    basis = f"{options} {texts.digest} {__version__} {torch.__version__}"
    ours = hashlib.sha256(basis.encode()).hexdigest()[:12]
    checkpoints = folder.with_name(f".solecism-training.{folder.name}.{ours}")
    with replacing_folder(folder, lambda _: ()) as part:
        if options.arch == "ngram":
            model = estimate(texts.train, options.order, options.vocabulary, options.wording)
            save_ngram(model, part)
            found: dict[str, object] = {"perplexity": model.perplexity(texts.valid)}
        else:
            both = pa.concat_arrays([texts.train, texts.valid])  # as in the paper
            words = frequent_words(options.wording.words(both).values, options.vocabulary)
            tokenizer = word_tokenizer(words, options.wording)
            network, found = _train_network(options, texts, tokenizer, checkpoints, device, report)
            network.save_pretrained(part)
            tokenizer.save_pretrained(part)
        record = {
            "solecism": __version__, "seed": report.seed, "text": texts.digest,
            "options": asdict(options), "sentences": len(texts.train), **found,
        }  # fmt: skip
        (part / "training.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        card = model_card(f"{folder.parent.name}/{folder.name}", record, texts)
        (part / "README.md").write_text(card, encoding="utf-8")
    for path in folder.parent.glob(f".solecism-training.{folder.name}.*"):
        rmtree(path)


def _train_network(
    options: TrainingOptions,
    texts: Texts,
    tokenizer: PreTrainedTokenizerFast,
    checkpoints: Path,
    device: str,
    report: _Reporter,
) -> tuple[PreTrainedModel, dict[str, object]]:
    """Return a network with the weights of its best epoch, and what its record says of it.

    The learning rate is divided after each epoch whose validation perplexity is no lower than the
    lowest before. Equal seeds give equal models on one machine.
    """
    rows, cut = _encode(tokenizer, texts.train, options.longest)
    valid, _ = _encode(tokenizer, texts.valid, options.longest)
    torch.manual_seed(report.seed)
    network = _make_model(options, tokenizer)
    arguments = TrainingArguments(
        str(checkpoints), seed=report.seed, num_train_epochs=options.epochs, use_cpu=device == "cpu",
        per_device_train_batch_size=options.batch, per_device_eval_batch_size=options.batch,
        optim="sgd" if options.optimizer == "sgd" else "adamw_torch", learning_rate=options.rate,
        weight_decay=0.0 if options.optimizer == "sgd" else 0.01, max_grad_norm=options.clip,
        lr_scheduler_type="reduce_lr_on_plateau",
        lr_scheduler_kwargs={"factor": 1 / options.anneal, "patience": 0, "threshold": 0.0},
        train_sampling_strategy="group_by_length", eval_strategy="epoch", save_strategy="epoch",
        save_total_limit=1, load_best_model_at_end=True, metric_for_best_model="perplexity",
        greater_is_better=False, logging_strategy="no", report_to=[], disable_tqdm=True,
        remove_unused_columns=False, dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = Trainer(
        network, arguments, partial(_padded, pad=tokenizer.eos_token_id), rows, valid,
        compute_metrics=_perplexity, preprocess_logits_for_metrics=_losses, callbacks=[report],
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=any(checkpoints.glob("checkpoint-*")))
    key = "eval_perplexity"
    found = [entry[key] for entry in trainer.state.log_history if key in entry]
    return network, {
        "perplexity": min(found), "tokens": sum(rows["length"]) - len(rows), "cut": cut,
        "vocabulary_size": len(tokenizer),
        "epochs": [{"number": n, "perplexity": value} for n, value in enumerate(found, 1)],
    }  # fmt: skip


def _encode(
    tokenizer: PreTrainedTokenizerFast, texts: pa.Array, longest: int
) -> tuple[Dataset, int]:
    """Return sentences as token ids, at most ``longest`` words each, and how many were cut.

    A sentence that is cut has no ``</s>``.
    """
    fast = tokenizer.backend_tokenizer
    rows: list[pa.Array] = []
    cut = 0
    for start in range(0, len(texts), _CHUNK):
        found = fast.encode_batch_fast(texts.slice(start, _CHUNK).to_pylist())
        ids = [[*row.ids, tokenizer.eos_token_id] for row in found]
        cut += sum(len(row) > longest + 2 for row in ids)
        kept = [row if len(row) <= longest + 2 else row[: longest + 1] for row in ids]
        rows.append(pa.array(kept, pa.list_(pa.int32())))
    whole = pa.chunked_array(rows)
    return Dataset(pa.table({"input_ids": whole, "length": pc.list_value_length(whole)})), cut


def _padded(rows: Sequence[Mapping[str, Sequence[int]]], pad: int) -> dict[str, torch.Tensor]:
    """Return ids and labels (batch, length) of some sentences; labels are -100 at padding."""
    ids = [torch.tensor(row["input_ids"]) for row in rows]
    inside = pad_sequence([torch.ones(len(row), dtype=torch.bool) for row in ids], True)
    found = pad_sequence(ids, True, pad)
    return {"input_ids": found, "labels": found.masked_fill(~inside, -100)}


def _losses(logits: torch.Tensor | tuple[torch.Tensor, ...], labels: torch.Tensor) -> torch.Tensor:
    """Return the sum of the losses of each sentence, and its number of tokens."""
    scores = (logits[0] if isinstance(logits, tuple) else logits)[:, :-1].float().transpose(1, 2)
    targets = labels[:, 1:]
    losses = cross_entropy(scores, targets, reduction="none")
    return torch.stack([losses.double().sum(1), (targets >= 0).sum(1)], 1)


def _perplexity(found: EvalPrediction) -> dict[str, float]:
    """Return the perplexity per token, ``</s>`` counted and ``<unk>`` taken for a word."""
    total, tokens = np.asarray(found.predictions, float).sum(axis=0)
    value = math.exp(min(total / tokens, 700.0))
    if not math.isfinite(value):
        raise fail(f"the perplexity of the validation text is {value}: take a lower learning rate")
    return {"perplexity": value}


def _make_model(options: TrainingOptions, tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    """Return an untrained model; its weights depend on torch's seed."""
    marks = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    rate = options.dropout
    if options.arch == "lstm":
        config = WordLSTMConfig(
            vocab_size=len(tokenizer), hidden_size=options.hidden, dropout=rate,
            embedding_size=options.embedding, num_hidden_layers=options.layers, **marks,
        )  # fmt: skip
        return WordLSTMForCausalLM(config)
    shape = GPT2Config(
        vocab_size=len(tokenizer), n_embd=options.hidden, n_layer=options.layers,
        n_head=options.heads, n_positions=options.longest + 2, resid_pdrop=rate,
        embd_pdrop=rate, attn_pdrop=rate, **marks,
    )  # fmt: skip
    return GPT2LMHeadModel(shape)


_ARCHITECTURES = {
    "ngram": "an interpolated modified Kneser–Ney n-gram model (Chen and Goodman 1998)",
    "lstm": "a word-level LSTM, after Mueller et al. (2020) and Gulordava et al. (2018)",
    "transformer": "a word-level Transformer with the architecture of GPT-2",
}

_CARD = Path(__file__).with_name("card.md")


def model_card(name: str, record: Mapping[str, Any], texts: Texts) -> str:
    """Return the card of a model as Markdown; ``record``: what ``training.json`` holds."""
    arch = record["options"]["arch"]
    spaces = pc.sum(pc.count_substring(texts.train, " ")).as_py() or 0
    facts = {
        **{name: value for name, value in record.items() if name not in ("epochs", "options")},
        "words between spaces": spaces + len(texts.train),
        "held-out sentences": len(texts.valid),
        **record["options"],
    }
    return _CARD.read_text().format(
        name=name, arch=arch, what=_ARCHITECTURES[arch],
        library="kenlm" if arch == "ngram" else "transformers",
        facts="".join(f"| {what} | {value} |\n" for what, value in facts.items()),
    )  # fmt: skip
