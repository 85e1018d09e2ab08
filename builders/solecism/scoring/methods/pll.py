"""Pairs and masked models: pseudo-log-likelihood (Salazar et al. 2020; Kauf and Ivanova 2023)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from solecism.scoring.methods import Method
from solecism.scoring.questions import AnswerMemo, PairScores, Questions, ask_words, windows
from solecism.scoring.results import EMPTY, TOO_LONG, require

if TYPE_CHECKING:
    from solecism.scoring.engines.masked import MaskedReader
    from solecism.scoring.unigram import Unigram

__all__ = ["METHODS", "score_pll"]

Variant = Literal["original", "within_word_l2r"]


def score_pll(
    tables: Iterable[pa.Table],
    reader: MaskedReader,
    variant: Variant = "within_word_l2r",
    unigram: Unigram | None = None,
) -> Iterator[pa.Table]:
    """Yield the scores of pairs: the sum of log P of each token given all others.

    Method ``pll:original`` (Salazar et al. 2020, section 2) or ``pll:within_word_l2r`` (Kauf and
    Ivanova 2023, section 3), the words being those of the tokenizer. Equal sentences and equal
    masked rows are run once. Skipped: ``too long``, ``empty``. Raises :class:`InputError` for
    missing columns and logits that are not numbers.
    """
    for table, memo in windows(tables, reader.window):
        require(table, ("id", "sentence_good", "sentence_bad"), "pairs")
        yield _scored(table, reader, variant, memo, unigram)


def _scored(
    table: pa.Table,
    reader: MaskedReader,
    variant: Variant,
    memo: AnswerMemo,
    unigram: Unigram | None,
) -> pa.Table:
    texts = [t for n in ("good", "bad") for t in table[f"sentence_{n}"].to_pylist()]
    names: dict[str, str] = {}
    for text, name in zip(texts, table["id"].to_pylist() * 2, strict=True):
        names.setdefault(text, name)
    numbers = {text: number for number, text in enumerate(names)}
    owners = np.array([numbers[text] for text in texts], int)
    questions = Questions(len(names))
    count, reasons = np.zeros(len(names), np.int32), np.full(len(names), None, object)
    for owner, encoded in enumerate(reader.encode(list(names))):
        length = len(encoded.ids)
        count[owner] = length - sum(encoded.special)
        if not count[owner]:
            reasons[owner] = EMPTY
        elif length > reader.longest:
            reasons[owner] = TOO_LONG
        else:
            ask_words(questions, owner, encoded, 0, length, reader.mask, variant)
    logp = reader.answer(questions, memo, list(names.values()))[owners].reshape(2, -1)
    good, bad = reasons[owners].reshape(2, -1)
    skipped = [one or other for one, other in zip(good, bad, strict=True)]
    sizes, chars = (
        np.array([len(text) for text in some], np.int32).reshape(2, -1)
        for some in ([text.encode() for text in texts], texts)
    )
    scores = PairScores(skipped, count[owners].reshape(2, -1), sizes, chars)
    if unigram:
        found = unigram.by_owner(questions.owners, questions.tokens, len(names))
        scores.unigrams = found[owners].reshape(2, -1)
    return scores.table(table, f"pll:{variant}", logp)


METHODS = (
    Method(
        "pll", "sum of log P of each token, it and the rest of its word masked", "pair", ("masked",),
        lambda tables, run: score_pll(tables, run.reader, unigram=run.unigram), usual=True,
        aliases=("pll:within_word_l2r",), signed="pll:within_word_l2r", options=("unigram",),
    ),
    Method(
        "pll:original", "sum of log P of each token, it alone masked", "pair", ("masked",),
        lambda tables, run: score_pll(tables, run.reader, "original", run.unigram),
        options=("unigram",),
    ),
)  # fmt: skip
