"""Training word-level models on a toy grammar: agreement is learnt, seeds repeat, finished ones are
kept."""

from __future__ import annotations

import json
import random
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from click.testing import CliRunner, Result
from transformers import AutoModelForCausalLM, AutoTokenizer

from solecism.baselines import training
from solecism.baselines.networks import WordLSTMConfig, WordLSTMForCausalLM, word_tokenizer
from solecism.baselines.ngram import load_ngram
from solecism.baselines.training import (
    PRESETS,
    EncodedText,
    Epoch,
    Texts,
    Tick,
    TrainingOptions,
    batches,
    encode,
    fit,
    padded,
    read_texts,
    train,
)
from solecism.commands import main
from solecism.commands.train import _NUMBERS, command
from solecism.errors import InputError

_NOUNS, _VERBS = ("author", "pilot", "guard"), ("laugh", "swim")
_TINY = TrainingOptions(
    hidden=32, embedding=32, heads=2, optimizer="adamw", rate=1e-2, clip=1.0, batch=8, epochs=12,
    dropout=0.0, vocabulary=100, order=3,
)  # fmt: skip
_TINY_OF = {
    "lstm": _TINY,
    "transformer": replace(_TINY, arch="transformer", rate=5e-3),
    "ngram": replace(_TINY, arch="ngram"),
}


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.set_num_threads(1)


def toy(number: int = 200, seed: int = 0) -> list[str]:
    """EncodedText in which the verb agrees with the first noun, sometimes across another one."""
    rng = random.Random(seed)
    out = []
    for _ in range(number):
        plural = rng.random() < 0.5
        noun = rng.choice(_NOUNS) + "s" * plural
        other = (
            f" near the {rng.choice(_NOUNS)}{rng.choice(['', 's'])}" if rng.random() < 0.3 else ""
        )
        out.append(f"the {noun}{other} {rng.choice(_VERBS)}{'' if plural else 's'}")
    return out


def toy_texts() -> Texts:
    lines = pa.array(toy())
    return Texts(lines.slice(10), lines.slice(0, 10), "toy")


def minimal_pairs() -> list[tuple[str, str]]:
    """All pairs of the toy grammar without an attractor."""
    subjects = [f"the {noun}{end}" for noun in _NOUNS for end in ("", "s")]
    forms = [(f"{subject} {verb}", f"{subject} {verb}s") for subject in subjects for verb in _VERBS]
    return [(bare, other) if bare.split()[1][-1] == "s" else (other, bare) for bare, other in forms]


def scores(folder: Path, texts: list[str]) -> list[float]:
    """Sum of log P of each text, by the plainest loop."""
    if (folder / "model.arpa").exists():
        found: list[float] = load_ngram(folder).sentence_logp(pa.array(texts)).tolist()
        return found
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return [_score(model, tokenizer(text)["input_ids"]) for text in texts]


def _score(model: Any, ids: list[int]) -> float:
    with torch.no_grad():
        logp = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    return sum(float(logp[i, token]) for i, token in enumerate(ids[1:]))


def accuracy(folder: Path) -> float:
    goods, bads = (scores(folder, list(side)) for side in zip(*minimal_pairs(), strict=True))
    return float(np.mean(np.array(goods) > np.array(bads)))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Two seeds of each architecture."""
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("models")
    return {
        arch: train(options, toy_texts(), out / arch, seeds=(0, 1))
        for arch, options in _TINY_OF.items()
    }


# What comes out


@pytest.mark.parametrize("arch", _TINY_OF)
def test_agreement_is_learnt(trained: dict[str, list[Path]], arch: str):
    assert accuracy(trained[arch][0]) > 0.8


@pytest.mark.parametrize("arch", ["lstm", "transformer"])
def test_seeds_differ_and_repeat_exactly(trained: dict[str, list[Path]], arch: str, tmp_path: Path):
    texts = [text for pair in minimal_pairs() for text in pair]
    first, second = (scores(folder, texts) for folder in trained[arch])
    assert first != second
    [again] = train(_TINY_OF[arch], toy_texts(), tmp_path, seeds=(1,))
    assert scores(again, texts) == second


def test_an_n_gram_model_is_made_once(trained: dict[str, list[Path]]):
    assert [folder.name for folder in trained["ngram"]] == ["seed-0"]


@pytest.mark.parametrize("arch", _TINY_OF)
def test_a_record_stands_beside_each_model(trained: dict[str, list[Path]], arch: str):
    folder = trained[arch][-1]
    found = json.loads((folder / "training.json").read_text())
    assert found["options"]["arch"] == arch
    assert (found["text"], found["sentences"]) == ("toy", 190)
    assert 1 < found["perplexity"] < 8
    if arch != "ngram":
        assert [epoch["number"] for epoch in found["epochs"]] == list(range(1, 13))
        assert min(epoch["perplexity"] for epoch in found["epochs"]) == found["perplexity"]
    assert not list(folder.parent.glob(".*"))


# Seeds, once finished


def test_finished_seeds_are_skipped_and_broken_ones_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    options = replace(_TINY, epochs=1, hidden=8, embedding=8)
    folders = train(options, toy_texts(), tmp_path, seeds=(0,))
    before = (folders[0] / "model.safetensors").stat().st_mtime_ns
    real, asked = training.train_seed, []

    def interrupted(*given: Any) -> None:
        asked.append(given[3])
        if len(asked) == 1:
            given[2].with_name(".solecism-part.seed-1").mkdir()
            raise KeyboardInterrupt
        real(*given)

    monkeypatch.setattr(training, "train_seed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(options, toy_texts(), tmp_path, seeds=(0, 1))
    assert not (tmp_path / "seed-1").exists()
    train(options, toy_texts(), tmp_path, seeds=(0, 1))
    assert asked == [1, 1]
    assert (folders[0] / "model.safetensors").stat().st_mtime_ns == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["seed-0", "seed-1"]


def test_a_model_of_other_options_or_text_is_not_taken_for_finished(trained: dict[str, list[Path]]):
    out = trained["ngram"][0].parent
    with pytest.raises(InputError, match="order was 3, is 2"):
        train(replace(_TINY_OF["ngram"], order=2), toy_texts(), out)
    with pytest.raises(InputError, match="text was 'toy', is 'other'"):
        train(_TINY_OF["ngram"], replace(toy_texts(), digest="other"), out)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arch": "lstmm"}, "did you mean 'lstm'"),
        ({"optimizer": "adam"}, "unknown optimizer 'adam'"),
        ({"batch": 0}, "batch is 0: 1 is the least"),
        ({"arch": "transformer", "heads": 5}, "32 units cannot be shared among 5 heads"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path: Path, change: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        train(replace(_TINY, **change), toy_texts(), tmp_path)


# The loop


def tiny_rows(texts: list[str], longest: int = 256) -> EncodedText:
    tokenizer = word_tokenizer(sorted({word for text in toy() for word in text.split()}))
    return encode(tokenizer, pa.array(texts), longest)


def tiny_model(seed: int = 0) -> WordLSTMForCausalLM:
    torch.manual_seed(seed)
    return WordLSTMForCausalLM(WordLSTMConfig(vocab_size=20, hidden_size=8, embedding_size=8))


def run(options: TrainingOptions) -> tuple[Any, list[Epoch], list[Tick]]:
    model, events = tiny_model(), []
    rows, valid = tiny_rows(toy(40)), tiny_rows(toy(10, seed=1))
    found = fit(model, rows, valid, options, 0, events.append)
    epochs = [event for event in events if isinstance(event, Epoch)]
    assert found == epochs
    return model, epochs, [event for event in events if isinstance(event, Tick)]


def test_the_rate_falls_after_an_epoch_that_was_no_better():
    _, epochs, _ = run(replace(_TINY, optimizer="sgd", rate=20.0, clip=5.0, epochs=8, batch=4))
    rates, found = [epoch.rate for epoch in epochs], [epoch.perplexity for epoch in epochs]
    for i in range(1, len(epochs) - 1):
        worse = found[i] >= found[i - 1]
        assert rates[i + 1] == pytest.approx(rates[i] / 4 if worse else rates[i])
    assert rates[-1] < rates[0]


def test_the_best_epoch_is_kept():
    from solecism.baselines.training import perplexity

    model, epochs, _ = run(replace(_TINY, optimizer="sgd", rate=20.0, clip=5.0, epochs=4, batch=4))
    best = min(epoch.perplexity for epoch in epochs)
    assert perplexity(model, tiny_rows(toy(10, seed=1)), 4) == pytest.approx(best)
    assert not model.training


def test_progress_is_told_in_tokens():
    _, _, ticks = run(replace(_TINY, epochs=1))
    total = tiny_rows(toy(40)).tokens
    assert (ticks[-1].done, ticks[-1].total) == (total, total)
    assert all(tick.speed > 0 and tick.loss > 0 for tick in ticks)


class KilledError(Exception):
    """Stands for a signal that ends the process."""


@pytest.mark.parametrize("arch", ["lstm", "transformer"])
@pytest.mark.parametrize("last", [1, 3])
def test_a_killed_run_goes_on_and_ends_with_the_same_model(tmp_path: Path, arch: str, last: int):
    """Dropout, the order of the batches, the falling rate and the best epoch are all taken up
    again."""
    options = replace(
        _TINY_OF[arch], dropout=0.3, optimizer="sgd", rate=20.0, clip=5.0, batch=4, epochs=5
    )
    text = Texts(pa.array(toy(40)), pa.array(toy(10, seed=1)), "toy")
    [whole] = train(options, text, tmp_path / "whole")
    seen: list[int] = []

    def kill(seed: int, event: Tick | Epoch) -> None:
        number = event.number if isinstance(event, Epoch) else event.epoch
        seen.append(number)
        if isinstance(event, Tick) and number == last + 1:
            raise KilledError

    with pytest.raises(KilledError):
        train(options, text, tmp_path / "killed", observe=kill)
    assert not (tmp_path / "killed" / "seed-0").exists()
    train(replace(options, batch=5), text, tmp_path / "killed" / "other")
    seen.clear()
    [resumed] = train(options, text, tmp_path / "killed", observe=lambda _, e: seen.append(e))
    assert {e.epoch for e in seen if isinstance(e, Tick)} == set(range(last + 1, 6))
    names = ["model.safetensors", "tokenizer.json"]
    assert all((whole / n).read_bytes() == (resumed / n).read_bytes() for n in names)
    records = [json.loads((f / "training.json").read_text()) for f in (whole, resumed)]
    for epoch in (epoch for record in records for epoch in record["epochs"]):
        del epoch["speed"]
    assert records[0] == records[1]
    assert not list((tmp_path / "killed").glob(".*"))


def test_a_loss_that_is_no_number_ends_training():
    with pytest.raises(InputError, match="take a lower learning rate"):
        run(replace(_TINY, optimizer="sgd", rate=float("inf"), epochs=3))


def test_batches_hold_every_sentence_once_and_differ_by_epoch():
    rows, rng = tiny_rows(toy(50)), np.random.default_rng(0)
    first, second = (np.concatenate(list(batches(rows, 8, rng))) for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(50))
    assert first.tolist() != second.tolist()
    lengths = np.diff(rows.bounds)[np.concatenate(list(batches(rows, 8)))]
    assert (np.diff(lengths) >= 0).all()


def test_targets_are_the_next_tokens_and_padding_is_left_out():
    rows = tiny_rows(["the author", "the author near the pilot"])
    ids, targets = padded(rows, np.array([0, 1]), 2, "cpu")
    assert ids.shape == targets.shape == (2, 6)
    assert ids[0, :3].tolist() == [1, *targets[0, :2].tolist()]
    assert targets[0].tolist()[2:] == [2, -100, -100, -100]
    assert rows.tokens == 3 + 6


def test_long_sentences_are_cut_without_an_end():
    rows = tiny_rows(["the author near the pilot", "the author"], longest=3)
    assert rows.cut == 1
    assert rows.ids[:4].tolist()[0] == 1
    assert len(rows.ids) == 4 + 4
    assert rows.ids[3] != 2


# The presets and the verb


def test_the_presets():
    paper = PRESETS["lstm", "paper"]
    assert (paper.hidden, paper.embedding, paper.layers, paper.dropout) == (800, 800, 2, 0.2)
    assert (paper.rate, paper.batch, paper.epochs, paper.vocabulary) == (20, 128, 40, 50_000)
    assert {arch for arch, _ in PRESETS} == set(_TINY_OF)
    assert all(options.arch == arch for (arch, _), options in PRESETS.items())


def test_validation_text_is_held_out_or_given(tmp_path: Path):
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_text("\n".join(toy(40)), encoding="utf-8")
    other.write_text("the author laughs\n", encoding="utf-8")
    texts = read_texts([path])
    assert (len(texts.train), len(texts.valid)) == (38, 2)
    given = read_texts([path], [other])
    assert (len(given.train), given.valid.to_pylist()) == (40, ["the author laughs"])
    assert len({texts.digest, given.digest, read_texts([path]).digest}) == 2


def run_verb(*given: str | Path) -> Result:
    return CliRunner().invoke(main, ["train", *map(str, given)])


def test_the_verb_trains_and_prints_where(tmp_path: Path):
    text = tmp_path / "toy.txt"
    text.write_text("\n".join(toy(60)).upper(), encoding="utf-8")
    small = ["--preset", "small", "--lower", "--hidden", "8", "--embedding", "8", "--epochs", "1"]
    done = run_verb(text, "--out", tmp_path / "m", "--seeds", "2", *small)
    assert done.exit_code == 0, done.output
    assert done.stdout.split() == [str(tmp_path / "m" / f"seed-{n}") for n in (0, 1)]
    assert "seed 1  epoch   1" in done.stderr
    assert "tokens/s" in done.stderr
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "m" / "seed-0")
    assert tokenizer.tokenize("The AUTHOR") == ["the", "author"]


def test_a_folder_of_text_and_a_card_of_what_was_seen(tmp_path: Path):
    folder = tmp_path / "text"
    (folder / "b").mkdir(parents=True)
    (folder / "a.txt").write_text("\n".join(toy(60)), encoding="utf-8")
    (folder / "b" / "c.txt").write_text("\n".join(toy(40)), encoding="utf-8")
    done = run_verb(folder, "--out", tmp_path / "kn", "--arch", "ngram", "--order", "3")
    assert done.exit_code == 0, done.output
    card = (tmp_path / "kn" / "seed-0" / "README.md").read_text(encoding="utf-8")
    assert "| sentences | 95 |" in card
    assert "| held-out sentences | 5 |" in card
    assert "n-gram model (Chen and Goodman 1998)" in card
    assert "solecism score clams/en --model kn/seed-0" in card
    empty = tmp_path / "empty"
    empty.mkdir()
    done = run_verb(empty, "--out", tmp_path / "none")
    assert done.exit_code == 2
    assert "has no .txt file in it" in done.output


def test_the_verb_prints_what_is_wrong(tmp_path: Path):
    text = tmp_path / "none.txt"
    done = run_verb(text, "--out", tmp_path / "m", "--arch", "ngram")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.strip() == f"{text}: there is no such text file"


def test_every_number_of_a_preset_has_an_option():
    numbers = {f.name for f in fields(TrainingOptions) if f.type in ("int", "float")}
    assert set(_NUMBERS) == numbers
    assert {p.name for p in command.params} >= numbers
