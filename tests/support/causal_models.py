"""Tiny random causal models, and what they say computed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

if TYPE_CHECKING:
    from solecism.scoring.models import Loaded


def save_model(
    folder: Path, texts: list[str], bos: str | None = "<s>", positions: int = 64
) -> None:
    """Save a random GPT-2 and a byte-level BPE tokenizer trained on some texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "</s>"]
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=bos, eos_token="</s>")
    fast.save_pretrained(folder)
    torch.manual_seed(1)
    config = GPT2Config(
        vocab_size=400,
        n_embd=32,
        n_layer=2,
        n_head=2,
        n_positions=positions,
        bos_token_id=0,
        eos_token_id=1,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)


def by_hand(loaded: Loaded, text: str, prefix: list[int]) -> float:
    """log P of a text, one call of the model, full log softmax."""
    ids = prefix + loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
    with torch.inference_mode():
        logits = loaded.model(torch.tensor([ids])).logits[0].double()
    logp = torch.log_softmax(logits, -1)
    return float(sum(logp[i - 1, ids[i]] for i in range(1, len(ids))))
