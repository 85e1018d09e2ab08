"""Training word-level models on a toy grammar: agreement is learnt, seeds repeat, finished ones are
kept."""

import json
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from click.testing import CliRunner, Result
from transformers import AutoModelForCausalLM, AutoTokenizer

from solecism.baselines import training
from solecism.baselines.networks import word_tokenizer
from solecism.baselines.ngram import load_ngram
from solecism.baselines.training import Texts, TrainingOptions, read_texts, train
from solecism.commands import main
from solecism.errors import InputError
from tiny import rewrite

pytestmark = pytest.mark.nightly

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
    """Text in which the verb agrees with the first noun, sometimes across another one."""
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


def scores(folder: Path, texts: list[str], ends: bool = False) -> list[float]:
    """Sum of log P of each text, by the plainest loop."""
    if (folder / "model.arpa").exists():
        found: list[float] = load_ngram(folder).sentence_logp(pa.array(texts)).tolist()
        return found
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    end = [tokenizer.eos_token_id] if ends else []
    return [_score(model, [*tokenizer(text)["input_ids"], *end]) for text in texts]


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


def test_finished_seeds_are_left_as_they_are_and_broken_ones_done_again(tmp_path: Path):
    options = replace(_TINY, epochs=1, hidden=8, embedding=8)
    [folder] = train(options, toy_texts(), tmp_path, seeds=(0,))
    before = (folder / "model.safetensors").stat().st_mtime_ns
    (tmp_path / ".solecism-part.seed-1").mkdir()
    train(options, toy_texts(), tmp_path, seeds=(0, 1))
    assert (folder / "model.safetensors").stat().st_mtime_ns == before
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
        ({"batch": 0}, "batch is 0: 1 is the least"),
        ({"arch": "transformer", "heads": 5}, "32 units cannot be shared among 5 heads"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path: Path, change: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        train(replace(_TINY, **change), toy_texts(), tmp_path)


# The loop


def epochs(folder: Path) -> list[float]:
    found = json.loads((folder / "training.json").read_text())["epochs"]
    return [epoch["perplexity"] for epoch in found]


_STEEP = replace(_TINY, optimizer="sgd", rate=20.0, clip=5.0, batch=4, epochs=5, dropout=0.3)


def test_the_best_epoch_is_kept(tmp_path: Path):
    texts = toy_texts()
    [folder] = train(replace(_STEEP, dropout=0.0), texts, tmp_path)
    total = -sum(scores(folder, texts.valid.to_pylist(), ends=True))
    tokens = sum(len(text.split()) + 1 for text in texts.valid.to_pylist())
    assert math.exp(total / tokens) == pytest.approx(min(epochs(folder)), rel=1e-4)


class KilledError(Exception):
    """Stands for a signal that ends the process."""


@pytest.mark.parametrize("arch", ["lstm", "transformer"])
def test_a_killed_run_goes_on_and_ends_with_the_same_model(tmp_path: Path, arch: str):
    options = replace(_STEEP, arch=arch)
    text = Texts(pa.array(toy(40)), pa.array(toy(10, seed=1)), "toy")
    [whole] = train(options, text, tmp_path / "whole")
    said: list[str] = []

    def kill(line: str) -> None:
        said.append(line)
        if len(said) == 3:
            raise KilledError

    with pytest.raises(KilledError):
        train(options, text, tmp_path / "killed", notice=kill)
    assert not (tmp_path / "killed" / "seed-0").exists()
    said.clear()
    [resumed] = train(options, text, tmp_path / "killed", notice=said.append)
    assert len(said) == 3
    assert epochs(resumed) == pytest.approx(epochs(whole))
    texts = [text for pair in minimal_pairs() for text in pair]
    assert scores(resumed, texts) == pytest.approx(scores(whole, texts))
    assert not list((tmp_path / "killed").glob(".*"))


def test_a_perplexity_that_is_no_number_ends_training(tmp_path: Path):
    with pytest.raises(InputError, match="take a lower learning rate"):
        train(replace(_STEEP, rate=float("inf")), toy_texts(), tmp_path)


def test_long_sentences_are_cut_and_lose_their_end():
    tokenizer = word_tokenizer(sorted({word for text in toy() for word in text.split()}))
    texts = pa.array(["the author near the pilot", "the author"])
    rows, cut = training._encode(tokenizer, texts, 3)
    assert (cut, rows["length"]) == (1, [4, 4])
    assert rows[0]["input_ids"][-1] != 2 == rows[1]["input_ids"][-1]


# The presets and the verb


def test_validation_text_is_held_out_or_given(tmp_path: Path):
    path = rewrite(tmp_path / "a.txt", "\n".join(toy(40)))
    other = rewrite(tmp_path / "b.txt", "the author laughs\n")
    texts = read_texts([path])
    assert (len(texts.train), len(texts.valid)) == (38, 2)
    given = read_texts([path], [other])
    assert (len(given.train), given.valid.to_pylist()) == (40, ["the author laughs"])
    assert len({texts.digest, given.digest, read_texts([path]).digest}) == 2


def run_verb(*given: str | Path) -> Result:
    return CliRunner().invoke(main, ["train", *map(str, given)])


def test_the_verb_trains_and_prints_where(tmp_path: Path):
    text = rewrite(tmp_path / "toy.txt", "\n".join(toy(60)).upper())
    small = ["--preset", "small", "--lower", "--hidden", "8", "--embedding", "8", "--epochs", "1"]
    done = run_verb(text, "--out", tmp_path / "m", "--seeds", "2", *small)
    assert done.exit_code == 0, done.output
    assert done.stdout.split() == [str(tmp_path / "m" / f"seed-{n}") for n in (0, 1)]
    assert "seed 1  epoch   1" in done.stderr
    assert "perplexity" in done.stderr
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "m" / "seed-0")
    assert tokenizer.tokenize("The AUTHOR") == ["the", "author"]


def test_a_folder_of_text_and_a_card_of_what_was_seen(tmp_path: Path):
    folder = tmp_path / "text"
    rewrite(folder / "a.txt", "\n".join(toy(60)))
    rewrite(folder / "b" / "c.txt", "\n".join(toy(40)))
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
