"""The word-level LSTM and its tokenizer, as the transformers library loads and runs them."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel

from solecism.baselines.corpus import BOS, EOS, UNK, Wording, is_word_level
from solecism.baselines.networks import WordLSTMConfig, WordLSTMForCausalLM, word_tokenizer

_WORDS = ["the", "author", "laughs", "laugh", "l'", ".", "élu", "guard", "likes"]


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.set_num_threads(1)


def lstm(layers: int = 2, seed: int = 0, **given: Any) -> WordLSTMForCausalLM:
    torch.manual_seed(seed)
    config = WordLSTMConfig(
        vocab_size=len(_WORDS) + 3, hidden_size=16, embedding_size=given.pop("width", 12),
        num_hidden_layers=layers, **given,
    )  # fmt: skip
    return WordLSTMForCausalLM(config).eval()


def saved(folder: Path, model: Any, wording: Wording | None = None) -> tuple[Any, Any]:
    """Write a model with a tokenizer and load both as a user does."""
    model.save_pretrained(folder)
    word_tokenizer(_WORDS, wording).save_pretrained(folder)
    loaded = AutoModelForCausalLM.from_pretrained(folder).eval()
    return loaded, AutoTokenizer.from_pretrained(folder)


def logits(model: Any, ids: list[int]) -> torch.Tensor:
    with torch.no_grad():
        found: torch.Tensor = model(input_ids=torch.tensor([ids])).logits[0]
    return found


# The model


@pytest.mark.parametrize("layers", [1, 3])
def test_a_saved_model_is_loaded_with_the_same_log_probabilities(tmp_path: Path, layers: int):
    model = lstm(layers)
    loaded, tokenizer = saved(tmp_path, model)
    assert type(loaded) is WordLSTMForCausalLM
    ids = tokenizer("the author laughs")["input_ids"]
    assert torch.equal(logits(model, ids), logits(loaded, ids))
    body = AutoModel.from_pretrained(tmp_path).eval()
    with torch.no_grad():
        states = body(input_ids=torch.tensor([ids])).last_hidden_state
        assert torch.equal(loaded.get_output_embeddings()(states)[0], logits(model, ids))


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"attention_mask": torch.tensor([[0, 1, 1]])}, ValueError, "padded on the right"),
        ({"attention_mask": torch.ones(1, 1, 3, 3)}, ValueError, "no tree mask"),
    ],
)
def test_what_an_lstm_cannot_do_is_refused(given: Any, error: type[Exception], said: str):
    with pytest.raises(error, match=said):
        lstm()(input_ids=torch.tensor([[1, 3, 4]]), **given)


# The tokenizer


@pytest.mark.parametrize("kind", ["lstm", "gpt2"])
def test_the_loaded_tokenizer_knows_words_and_offsets(tmp_path: Path, kind: str):
    small = GPT2Config(vocab_size=len(_WORDS) + 3, n_embd=8, n_layer=1, n_head=1)
    model = lstm() if kind == "lstm" else GPT2LMHeadModel(small)
    _, tokenizer = saved(tmp_path, model, Wording(lower=True, marks=True))
    text = "L'author laughs. Zebra E\u0301LU"
    found = tokenizer(text, return_offsets_mapping=True)
    words = tokenizer.convert_ids_to_tokens(found["input_ids"])
    assert words == [BOS, "l'", "author", "laughs", ".", UNK, "élu"]
    spans = [text[start:end] for start, end in found["offset_mapping"]]
    assert spans == ["", "L'", "author", "laughs", ".", "Zebra", "E\u0301LU"]
    assert tokenizer.is_fast
    assert is_word_level(tokenizer)
    assert tokenizer("the", add_special_tokens=False)["input_ids"] == [3]
    marks = tokenizer.bos_token, tokenizer.eos_token, tokenizer.unk_token
    assert (marks, tokenizer.padding_side) == ((BOS, EOS, UNK), "right")


@pytest.mark.parametrize("wording", [Wording(), Wording(True, True), Wording(marks=True)])
def test_the_tokenizer_splits_as_the_n_gram_models_do(wording: Wording):
    import pyarrow as pa

    texts = ["L'élu « rit », dit-il… (Oui !)", "a\u00a0b\tc", "Ça va? E\u0301t\u00e9"]
    words = wording.words(pa.array(texts)).to_pylist()
    known = sorted({word for text in words for word in text})
    tokenizer = word_tokenizer(known, wording)
    assert [tokenizer.tokenize(text) for text in texts] == words
    assert all(UNK not in tokenizer.tokenize(text) for text in texts)
