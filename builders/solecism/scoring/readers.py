"""What reads the sentences of suite items: causal models of the hub, and n-gram models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np
import pyarrow as pa

from solecism.baselines.ngram import NgramModel
from solecism.scoring.critical import is_word_level, vocabulary_of
from solecism.scoring.encoding import Encoded, words_of
from solecism.scoring.methods.region import Reader, Sentence
from solecism.scoring.methods.sentence import CausalScorer

__all__ = ["causal_reader", "ngram_reader"]

Item = Mapping[str, Any]


def causal_reader(scorer: CausalScorer) -> Reader:
    """Read sentences with a causal model; a word-level one of ours is given the ``tokens``."""
    tokenizer = scorer.loaded.tokenizer
    words = is_word_level(tokenizer)
    known = vocabulary_of(tokenizer) if words else None

    def read(conditions: Sequence[Item]) -> list[Sentence | None]:
        encoded = scorer.encode([c["tokens" if words else "text"] or "" for c in conditions])
        rows = [scorer.with_prefix(text.ids)[0] for text in encoded]
        longest = scorer.loaded.longest
        kept = [n for n, ids in enumerate(rows) if encoded[n].text.strip() and len(ids) <= longest]
        out: list[Sentence | None] = [None] * len(rows)
        for n, logp in zip(kept, scorer.values([rows[n] for n in kept]), strict=True):
            text = encoded[n]
            bits = -np.asarray(logp, np.float64)[len(rows[n]) - len(text.ids) :] / log(2)
            out[n] = Sentence(text, bits, words, _unknown(text, known) if known else frozenset())
        return out

    return read


def _unknown(text: Encoded, known: Any) -> frozenset[int]:
    return frozenset(n for n, (a, b) in enumerate(text.offsets) if text.text[a:b] not in known)


def ngram_reader(model: NgramModel) -> Reader:
    """Read sentences with an n-gram model, which is given the ``tokens``."""

    def read(conditions: Sequence[Item]) -> list[Sentence | None]:
        texts = pa.array([c["tokens"] or "" for c in conditions], pa.string())
        stream, starts = model.stream(texts)
        bits = np.split(-model.word_logp(stream) / log(2), starts[1:])
        return [
            _of_words(condition, values[1:-1], model)
            for condition, values in zip(conditions, bits, strict=True)
        ]

    return read


def _of_words(condition: Item, bits: Any, model: NgramModel) -> Sentence | None:
    """None where the model reads other words than the sentence has (one that leaves out marks)."""
    words = (condition["tokens"] or "").split(" ")
    if len(words) != len(bits):
        return None
    unknown = frozenset(n for n, word in enumerate(words) if word not in model.vocabulary)
    return Sentence(words_of(words), bits, True, unknown)
