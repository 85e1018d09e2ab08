"""Probabilities of words where tokens mark their beginnings: every figure against a plain loop."""

import math
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import torch
from click.testing import CliRunner
from tokenizers import decoders

import solecism
from causal_models import by_hand, save_model
from masked_models import loaded as masked
from masked_models import pairs
from solecism.commands import main
from solecism.errors import InputError
from solecism.scoring.engines.causal import CausalReader
from solecism.scoring.methods.region import read_with_causal
from solecism.scoring.models import Loaded, load_model

TEXTS = ["The cat sees a catalogue, here.", "The cats see a catalogue, here."]
BITS = math.log(2)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the model ``tiny``, whose words are several tokens, and ``some.parquet``."""
    folder = tmp_path_factory.mktemp("words")
    save_model(folder / "tiny", [text.replace("catalogue", "cat log") for text in TEXTS])
    tokenizer = load_model(str(folder / "tiny")).tokenizer
    tokenizer.backend_tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save_pretrained(folder / "tiny")
    rows = [("The cat sees.", "The cat see.", "The cat", "sees", "see")]
    pq.write_table(pairs(rows), folder / "some.parquet")
    return folder


@pytest.fixture(scope="module")
def loaded(work: Path) -> Loaded:
    return load_model(str(work / "tiny"))


def mass(loaded: Loaded, text: str) -> float:
    """log P that a token comes after a text which begins a word: a blank, a mark, EOS."""
    shown = [loaded.tokenizer.decode([n]) for n in range(len(loaded.tokenizer))]
    fitting = [n for n, t in enumerate(shown) if n < 2 or not (t[0].isalnum() or t[0] == "\ufffd")]
    ids = [0, *loaded.tokenizer(text, add_special_tokens=False)["input_ids"]]
    with torch.inference_mode():
        p = loaded.model(torch.tensor([ids])).logits[0, -1].double().softmax(-1)
    return float(p[fitting].sum().log())


def word(loaded: Loaded, before: str, text: str) -> float:
    """log P of a word after the words before it."""
    plain = by_hand(loaded, before + text, [0]) - by_hand(loaded, before, [0])
    started = mass(loaded, before) if before else 0.0  # a text begins with a word
    return plain + mass(loaded, before + text) - started


@pytest.mark.parametrize("engine", ["tree", "plain", "loop"])
def test_the_surprisals_of_a_word_add_up_to_that_of_the_word(loaded: Loaded, engine: str) -> None:
    read = partial(read_with_causal, CausalReader(loaded, engine=engine, words=True))
    plain = partial(read_with_causal, CausalReader(loaded, engine=engine))
    found = read([{"text": text} for text in TEXTS])
    differ = 0
    for text, sentence, other in zip(
        TEXTS, found, plain([{"text": t} for t in TEXTS]), strict=True
    ):
        assert sentence is not None
        assert other is not None
        before = ""
        for part in ("The", text.split()[1], text.split()[2], "a", "catalogue", ",", "here", "."):
            joined = part if part in ",." or not before else " " + part
            places = range(len(before), len(before) + len(joined))
            bits, old = (
                sum(b for b, at in zip(s.bits, s.encoded.offsets, strict=True) if at[0] in places)
                for s in (sentence, other)
            )
            assert bits == pytest.approx(-word(loaded, before, joined) / BITS, abs=1e-3)
            differ += abs(bits - old) > 0.01
            before += joined
        whole = by_hand(loaded, text, [0]) + mass(loaded, text)
        assert float(sentence.bits.sum()) == pytest.approx(-whole / BITS, abs=1e-3)
    assert differ > len(TEXTS) * 4


def test_a_prefix_method_ends_the_word(
    work: Path, loaded: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    options = {"method": "one_prefix", "word_correction": True, "out": tmp_path}
    result = solecism.score("some.parquet", "tiny", **options)
    (row,) = result.table.to_pylist()
    for side, form in (("good", " sees"), ("bad", " see")):
        assert row[f"logp_{side}"] == pytest.approx(word(loaded, "The cat", form), abs=1e-3)
    assert result.run["options"]["word_correction"] == "yes"
    assert "word_correction_True" in result.path.name
    sentences = solecism.score("some.parquet", "tiny", word_correction=True, out=tmp_path)
    assert "word_correction" not in sentences.signature  # it is not for whole sentences


def test_what_is_explained_is_of_words(
    work: Path, loaded: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    name = pq.read_table("some.parquet")["id"][0].as_py()
    pair = solecism.explain(name, "tiny", "some.parquet", word_correction=True)
    plain = solecism.explain(name, "tiny", "some.parquet")
    for sentence, text in ((pair.good, "The cat sees."), (pair.bad, "The cat see.")):
        wanted = by_hand(loaded, text, [0]) + mass(loaded, text)
        assert sentence.surprisal == pytest.approx(-wanted / BITS, abs=1e-3)
    first = next(n for n, token in enumerate(pair.good.tokens[1:], 1) if token.starts_word)
    found, old = (
        sum(token.surprisal or 0.0 for token in one.good.tokens[:first]) for one in (pair, plain)
    )
    assert found - old == pytest.approx(-mass(loaded, "The") / BITS, abs=1e-3)


def test_where_nothing_is_corrected(
    work: Path, loaded: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No marks of beginnings, no blanks between words, a masked model."""
    monkeypatch.chdir(work)
    solid = [("猫睡了。", "猫睡呢。", "猫睡", "了", "呢")]
    pq.write_table(pairs(solid), "solid.parquet")
    with pytest.raises(InputError, match="for texts with blanks between words"):
        solecism.score("solid.parquet", "tiny", method="one_prefix", word_correction=True)
    unmarked = load_model("tiny")
    vocabulary = {
        piece.lstrip("Ġ") + f"</w>{n}": n for piece, n in loaded.tokenizer.get_vocab().items()
    }
    monkeypatch.setattr(unmarked.tokenizer, "get_vocab", lambda: vocabulary)
    with pytest.raises(InputError, match="do not mark the beginnings of words"):
        CausalReader(unmarked, words=True)
    name = pq.read_table("some.parquet")["id"][0].as_py()
    arguments = ["explain", name, "--model", masked("bert").name, "--data", "some.parquet"]
    result = CliRunner().invoke(main, [*arguments, "--word-correction"])
    assert result.exit_code == 2, result.output
    assert "word_correction is for causal models" in " ".join(result.output.split())
