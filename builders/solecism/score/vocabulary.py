"""The words that a word-level model knows, and the pairs that it cannot judge for want of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = [
    "OUT_OF_VOCABULARY",
    "Vocabulary",
    "critical_words",
    "is_word_level",
    "unknown_critical",
    "vocabulary_of",
]

OUT_OF_VOCABULARY = "out of vocabulary"
"""The reason given for skipping a pair with an unknown critical word."""


@dataclass(frozen=True)
class Vocabulary(Container[str]):
    """The words of a model, its marks left out; ``lower``: the model sees text in lower case."""

    words: frozenset[str]
    lower: bool = False

    def __contains__(self, word: object) -> bool:
        text = str(word)
        return (text.lower() if self.lower else text) in self.words


def is_word_level(tokenizer: Any) -> bool:
    """Tell whether a tokenizer is a word-level one of ours, whose model is to be given the ``tokens`` columns
    (``"solecism_word_level": true`` in its ``tokenizer_config.json``)."""
    return bool(getattr(tokenizer, "init_kwargs", {}).get("solecism_word_level"))


def vocabulary_of(tokenizer: Any) -> Vocabulary:
    """The words that a word-level tokenizer knows."""
    special = set(tokenizer.all_special_tokens)
    lower = bool(tokenizer.init_kwargs.get("solecism_lower"))
    return Vocabulary(frozenset(tokenizer.get_vocab()) - special, lower)


def critical_words(good: str, bad: str) -> set[str]:
    """The words that tell two tokenised sentences apart: those that one has more often than the other;
    in sentences of the same words in another order, all words of the stretch that differs.

    >>> sorted(critical_words("the author laughs", "the author laugh"))
    ['laugh', 'laughs']
    """
    left, right = good.split(), bad.split()
    if len(left) != len(right):
        return _surplus(left, right)
    apart = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    words = {word for pair in apart for word in pair}
    if len(apart) < 2:
        return words
    return _surplus([one for one, _ in apart], [other for _, other in apart]) or words


def _surplus(left: list[str], right: list[str]) -> set[str]:
    one, other = Counter(left), Counter(right)
    return set(one - other) | set(other - one)


def unknown_critical(pairs: pa.Table, vocabulary: Container[str]) -> NDArray[np.bool_]:
    """Mark the pairs (columns ``tokens_good``, ``tokens_bad``) of which a critical word is unknown.

    To a word-level model such a word is ``<unk>``, so a score would say nothing of its form (Mueller et al.
    2020, appendix D); unknown words that both sentences share do no harm. Null tokens count as unknown.
    """
    known: dict[str, bool] = {}

    def unknown(word: str) -> bool:
        if word not in known:
            known[word] = word in vocabulary
        return not known[word]

    columns = (pairs[name].to_pylist() for name in ("tokens_good", "tokens_bad"))
    rows = zip(*columns, strict=True)
    found = (not g or not b or any(map(unknown, critical_words(g, b))) for g, b in rows)
    return np.fromiter(found, bool, pairs.num_rows)
