"""Pairs and n-gram models: log P of the words of whole sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.baselines.ngram import NgramModel
from solecism.scoring.critical import OUT_OF_VOCABULARY, unknown_critical
from solecism.scoring.methods import Method
from solecism.scoring.results import scores_table

if TYPE_CHECKING:
    from solecism.scoring.unigram import Unigram

__all__ = ["METHODS", "score_ngram"]


def score_ngram(
    tables: Iterable[pa.Table], model: NgramModel, unigram: Unigram | None = None
) -> Iterator[pa.Table]:
    """Yield the scores of tables of pairs: log P of the words of both sentences.

    The words are those of ``tokens_good`` and ``tokens_bad``, with ``<s>`` and ``</s>``. The number
    of tokens counts ``</s>``. A pair with a critical word that the model does not know is skipped
    (Mueller et al. 2020, appendix D).
    """
    for pairs in tables:
        skip = unknown_critical(pairs, model.vocabulary)
        texts = [
            pairs[name].combine_chunks().fill_null("") for name in ("tokens_good", "tokens_bad")
        ]
        reasons = [OUT_OF_VOCABULARY if unknown else None for unknown in skip]
        logp, tokens, sizes, chars = zip(*(_side(side, model, skip) for side in texts), strict=True)
        unigrams = [unigram.of_words(model, side) for side in texts] if unigram else None
        yield scores_table(
            pairs, "ngram", logp, tokens, sizes, reasons, chars=chars, unigrams=unigrams
        )


def _side(texts: pa.Array, model: NgramModel, skip: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """Return log P, number of words, bytes and characters of each sentence."""
    logp = np.where(skip, np.nan, model.sentence_logp(texts))
    counts = np.asarray(pc.list_value_length(model.wording.words(texts)), dtype=np.int64) + 1
    lengths = (np.asarray(found) for found in (pc.binary_length(texts), pc.utf8_length(texts)))
    return logp, counts, *lengths


METHODS = (
    Method(
        "ngram", "log P of the whole sentence, with its end", "pair", ("n-gram",),
        lambda tables, run: score_ngram(tables, run.reader, run.unigram), usual=True,
        aliases=("sentence",), options=("unigram",),
    ),
)  # fmt: skip
