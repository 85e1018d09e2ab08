"""Pairs and n-gram models: log P of the words of whole sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.baselines.ngram import NgramModel
from solecism.scoring.critical import OUT_OF_VOCABULARY, unknown_critical
from solecism.scoring.methods import Method, Run
from solecism.scoring.results import scores_table

__all__ = ["METHODS", "score_ngram"]


def score_ngram(tables: Iterable[pa.Table], model: NgramModel) -> Iterator[pa.Table]:
    """Yield the scores of tables of pairs: log P of the words of both sentences.

    The words are those of ``tokens_good`` and ``tokens_bad``, with ``<s>`` and ``</s>``. The number
    of tokens counts ``</s>``. A pair with a critical word that the model does not know is skipped
    (Mueller et al. 2020, appendix D).
    """
    for pairs in tables:
        skip = unknown_critical(pairs, model.vocabulary)
        sides = [_side(pairs, name, model, skip) for name in ("tokens_good", "tokens_bad")]
        reasons = [OUT_OF_VOCABULARY if unknown else None for unknown in skip]
        logp, tokens, sizes = zip(*sides, strict=True)
        yield scores_table(pairs, "ngram", logp, tokens, sizes, reasons)


def _side(
    pairs: pa.Table, column: str, model: NgramModel, skip: NDArray[np.bool_]
) -> tuple[NDArray[Any], ...]:
    """Return log P, number of words and bytes of each sentence."""
    texts = pairs[column].combine_chunks().fill_null("")
    logp = np.where(skip, np.nan, model.sentence_logp(texts))
    counts = np.asarray(pc.list_value_length(model.wording.words(texts)), dtype=np.int64) + 1
    return logp, counts, np.asarray(pc.binary_length(texts), dtype=np.int64)


def _score(tables: Iterable[pa.Table], run: Run) -> Iterator[pa.Table]:
    return score_ngram(tables, run.model)


METHODS = (
    Method(
        "ngram", "log P of the whole sentence, with its end", "pair", ("n-gram",), _score, usual=True,
        aliases=("sentence",),
    ),
)  # fmt: skip
