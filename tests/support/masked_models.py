"""Tiny random masked models with tokenizers trained on a few sentences; the plain loops they are
held to."""

import atexit
import os
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import pyarrow as pa
import torch
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    BertConfig,
    BertForMaskedLM,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    XLMRobertaConfig,
    XLMRobertaForMaskedLM,
)

from solecism.scoring.engines.masked import MaskedReader, open_masked
from solecism.scoring.models import Loaded, load_model

KINDS = ("bert", "roberta", "albert", "xlm-roberta")
POSITIONS = 40

PAIRS = [
    ("The author laughs.", "The author laugh.", "The author", "laughs", "laugh"),
    ("The authors laugh.", "The authors laughs.", "The authors", "laugh", "laughs"),
    ("The author near the pilots laughs.", "The author near the pilots laugh.", None, None, None),
    ("Who laughs, the pilot?", "What laughs, the pilot?", None, None, None),
    ("L'auteur près de la maison rit.", "L'auteur près de la maison rient.",
     "L'auteur près de la maison", "rit", "rient"),
    ("הסופרים צוחקים היום.", "הסופרים צוחק היום.", "הסופרים", "צוחקים", "צוחק"),
    ("הסופר צוחק היום.", "הסופר צוחקים היום.", "הסופר", "צוחק", "צוחקים"),
    ("Авторы живут в городе.", "Авторы живёт в городе.", "Авторы", "живут", "живёт"),
    ("Автор живёт в городе.", "Автор живут в городе.", None, None, None),
    ("The author extraordinarily laughs.", "The author ordinarily laughs.", "The author",
     "extraordinarily", "ordinarily"),
    ("The author laughs today.", "The pilot laugh today.", None, None, None),
]  # fmt: skip
"""Good, bad, and the columns of the one-prefix method; the last pair differs in two words."""

_SPECIAL = {
    "bert": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "other": {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>"},
}


def pairs(rows: Any = None) -> pa.Table:
    """A table of pairs (the columns that scoring needs) of the given rows."""
    chosen = PAIRS if rows is None else rows
    columns = list(zip(*chosen, strict=True))
    texts = pa.string()
    names = ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad")
    return pa.table({
        "id": [f"i{n}" for n in range(len(chosen))],
        **{name: ["x"] * len(chosen) for name in ("set_id", "UID", "linguistics_term", "language")},
        "sentence_good": columns[0],
        "sentence_bad": columns[1],
        "one_prefix_method": [prefix is not None for prefix in columns[2]],
        **{name: pa.array(c, texts) for name, c in zip(names, columns[2:], strict=True)},
    })  # fmt: skip


@cache
def loaded(kind: str) -> Loaded:
    """A model of the kind, saved to a folder and loaded from it as any other."""
    torch.manual_seed(1)
    folder = Path(mkdtemp(prefix=f"masked-{kind}-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    tokenizer = tokenizer_of(kind)
    tokenizer.save_pretrained(folder)
    common: dict[str, Any] = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 64, "initializer_range": 0.5,
        "pad_token_id": tokenizer.pad_token_id,
        "max_position_embeddings": POSITIONS + (2 if "roberta" in kind else 0),
    }  # fmt: skip
    made: Any = {
        "bert": lambda: BertForMaskedLM(BertConfig(**common)),
        "roberta": lambda: RobertaForMaskedLM(RobertaConfig(**common)),
        "albert": lambda: AlbertForMaskedLM(AlbertConfig(embedding_size=16, **common)),
        "xlm-roberta": lambda: XLMRobertaForMaskedLM(XLMRobertaConfig(**common)),
    }[kind]()
    made.save_pretrained(folder)
    return load_model(str(folder), "masked")


def reader(kind: str, window: int = 0) -> MaskedReader:
    """A reader of the model of a kind; ``window``: how many items it scores together."""
    made = open_masked(loaded(kind))
    made.window = window or made.window
    return made


def tokenizer_of(kind: str) -> PreTrainedTokenizerFast:
    special = _SPECIAL["bert" if kind == "bert" else "other"]
    names = list(special.values())
    text = [t for pair in PAIRS[:9] for t in pair[:2]] * 20
    text += ["The writer rows ordinary extra boats."]
    made = _trained(kind, names, text)
    first, last = (names[2], names[3]) if kind == "bert" else (names[0], names[2])
    ids = [(name, made.token_to_id(name)) for name in (first, last)]
    made.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", special_tokens=ids
    )
    if kind == "roberta":
        made.post_processor = processors.RobertaProcessing(
            ids[1], ids[0], trim_offsets=True, add_prefix_space=False
        )
    tokens: dict[str, Any] = {f"{name}_token": token for name, token in special.items()}
    if kind != "bert":
        tokens["mask_token"] = AddedToken("<mask>", lstrip=True, special=True)
    return PreTrainedTokenizerFast(tokenizer_object=made, **tokens)


def _trained(kind: str, special: list[str], text: list[str]) -> Tokenizer:
    tokens = [AddedToken(t, lstrip=t == "<mask>", special=True) for t in special]
    common: dict[str, Any] = {"special_tokens": tokens, "show_progress": False}
    if kind == "bert":
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer(lowercase=False)
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.train_from_iterator(text, trainers.WordPieceTrainer(vocab_size=300, **common))
    elif kind == "roberta":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, **common)
        made.train_from_iterator(text, trainer)
    else:
        made = Tokenizer(models.Unigram(_pieces(special, text), unk_id=special.index("<unk>")))
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
        made.add_special_tokens(tokens)
    return made


def _pieces(special: list[str], text: list[str]) -> list[tuple[str, float]]:
    """Whole words and single signs, as SentencePiece writes them."""
    words = {"▁" + word.strip("'.,?") for line in text[:-1] for word in line.split()}
    signs = {sign for line in text for sign in line} | {"▁"}
    plain = [(w, -5.0) for w in sorted(words)] + [(s, -9.0) for s in sorted(signs - words)]
    return [(name, 0.0) for name in special] + plain


@torch.inference_mode()
def log_probs(model: Loaded, ids: list[int], place: int) -> torch.Tensor:
    """Log probabilities of the whole vocabulary at one place of one sentence, in float64."""
    logits = model.model(input_ids=torch.tensor([ids])).logits
    return logits[0, place].double().log_softmax(0)


def plain_focus(model: Loaded, text: str, word: str, start: int) -> float | None:
    """Log P of a word at the mask written in its place; ``None`` where it is not one token."""
    tokenizer = model.tokenizer
    masked = text[:start] + tokenizer.mask_token + text[start + len(word) :]
    frame, full = tokenizer(masked)["input_ids"], tokenizer(text)["input_ids"]
    if len(frame) != len(full):
        return None
    place = frame.index(tokenizer.mask_token_id)
    if full[place] == tokenizer.unk_token_id:
        return None
    assert frame[:place] + frame[place + 1 :] == full[:place] + full[place + 1 :]
    return log_probs(model, frame, place)[full[place]].item()


def plain_pll(model: Loaded, text: str, variant: str) -> float:
    """Sum of log P of each token, masked alone or with the later ones of its word."""
    found = model.tokenizer(text)
    ids, words, total = found["input_ids"], found.word_ids(), 0.0
    for place in range(1, len(ids) - 1):
        masked = list(ids)
        for later in range(place, len(ids)):
            same = later == place or (variant != "original" and words[later] == words[place])
            masked[later] = model.tokenizer.mask_token_id if same else ids[later]
        total += log_probs(model, masked, place)[ids[place]].item()
    return total


def shown(table: pa.Table, name: str) -> np.ndarray[Any, Any]:
    """A column of a result as floats, NaN where it is null."""
    return np.array([np.nan if v is None else v for v in table[name].to_pylist()], float)
