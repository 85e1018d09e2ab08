"""Pseudo-log-likelihood of sentences under masked models (Salazar et al. 2020; Kauf and Ivanova 2023)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from solecism.scoring.encoding_masked import encode
from solecism.scoring.engines.masked import (
    Forward,
    MaskedOptions,
    Memo,
    Questions,
    Sides,
    answer,
    ask_words,
    capacity,
    chapters,
    open_forward,
    require,
)  # fmt: skip
from solecism.scoring.models import Loaded
from solecism.scoring.results import EMPTY, Journal, scores_table

__all__ = ["EMPTY", "TOO_LONG", "score_pll"]

TOO_LONG = "too long"
"""Reason: the model has fewer positions than the sentence has tokens."""


def score_pll(
    tables: Iterable[pa.Table],
    loaded: Loaded,
    options: MaskedOptions | None = None,
    journal: Journal | None = None,
) -> Iterator[pa.Table]:
    """Score minimal pairs by the sum of log P of each token given all others (natural logarithm).

    Tables of pairs (:func:`solecism.schema.pair_schema`) in, tables of scores
    (:data:`solecism.scoring.results.SCORES`) out, in the same order. Identical sentences and identical masked
    rows are run once. Method: ``pll:original`` (Salazar et al. 2020, section 2) or ``pll:within_word_l2r``
    (Kauf and Ivanova 2023, section 3), words being those of the tokenizer. Skipped: ``too long``,
    ``empty``. Raises :class:`InputError` for missing columns and logits that are not numbers.
    """
    options = options or MaskedOptions()
    forward = replace(open_forward(loaded), journal=journal or Journal())
    for table, memo in chapters(tables, options.rows, forward.journal):
        require(table, ("id", "sentence_good", "sentence_bad"), "pairs")
        yield _score(table, loaded, options, forward, memo)


def _score(
    table: pa.Table, loaded: Loaded, options: MaskedOptions, forward: Forward, memo: Memo
) -> pa.Table:
    texts = [t for n in ("good", "bad") for t in table[f"sentence_{n}"].to_pylist()]
    numbers: dict[str, int] = {}
    owners = np.array([numbers.setdefault(text, len(numbers)) for text in texts], int)
    names = _names(owners, table["id"].to_pylist() * 2, len(numbers))
    longest, mask = capacity(loaded), loaded.tokenizer.mask_token_id
    questions = Questions(len(numbers))
    count, reasons = np.zeros(len(numbers), np.int32), [""] * len(numbers)
    for owner, encoded in enumerate(encode(loaded, list(numbers))):
        count[owner] = len(encoded.ids) - sum(encoded.special)
        reasons[owner] = _reason(len(encoded.ids), int(count[owner]), longest)
        if not reasons[owner]:
            ask_words(questions, owner, encoded, 0, len(encoded.ids), mask, options.variant)
    logp = answer(questions, forward, memo, names, options.tokens)[owners].reshape(2, -1)
    sides = Sides.of(len(table))
    sides.tokens = count[owners].reshape(2, -1)
    sides.size = np.array([len(text.encode()) for text in texts], np.int32).reshape(2, -1)
    good, bad = np.array(reasons, object)[owners].reshape(2, -1)
    sides.skipped = [one or other or None for one, other in zip(good, bad, strict=True)]
    return scores_table(table, f"pll:{options.variant}", **sides.columns(logp))


def _names(
    owners: np.ndarray[tuple[int], np.dtype[np.int_]], ids: list[str], count: int
) -> list[str]:
    """The id of the first item that has each sentence."""
    names = [""] * count
    for owner, name in zip(owners.tolist(), ids, strict=True):
        names[owner] = names[owner] or name
    return names


def _reason(length: int, own: int, longest: int) -> str:
    if not own:
        return EMPTY
    return TOO_LONG if length > longest else ""
