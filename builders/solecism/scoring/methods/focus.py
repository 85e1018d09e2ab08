"""Pairs and masked models: the critical word masked, its two forms compared (Goldberg 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from solecism.scoring.critical import critical_words
from solecism.scoring.encoding import Encoded, TokenSpan, exactly
from solecism.scoring.methods import Method
from solecism.scoring.questions import PairScores, Questions, ask_words, windows
from solecism.scoring.results import MULTI_PIECE, NOT_ALIGNED, TOO_LONG, require

if TYPE_CHECKING:
    from solecism.scoring.engines.masked import MaskedReader
    from solecism.scoring.unigram import Unigram

__all__ = ["METHODS", "score_focus"]

SEVERAL_WORDS = "several words differ"
"""Reason: the sentences differ in more than one word."""
UNKNOWN_WORD = "unknown word"
"""Reason: a form is, or holds, the tokenizer's unknown token."""
DIFFERENT_FRAMES = "frames differ"
"""Reason: the rest of the sentence is tokenised in another way around the other form."""


@dataclass(frozen=True, eq=False)
class _FocusSide:
    """A sentence, and the characters and tokens of its critical word (None: shared tokens)."""

    encoded: Encoded
    place: tuple[int, int]
    span: TokenSpan | None

    @property
    def word(self) -> str:
        """The critical word."""
        return self.encoded.text[slice(*self.place)]


def score_focus(
    tables: Iterable[pa.Table],
    reader: MaskedReader,
    multi_piece: str = "skip",
    unigram: Unigram | None = None,
) -> Iterator[pa.Table]:
    """Yield the scores of pairs: log P of the critical word at a mask in its place.

    Method of Goldberg (2019, arXiv:1901.05287, section 2). The frame (the sentence with the mask)
    is run once for all forms of all pairs that share it. Words of several tokens are skipped as in
    the paper, or, with ``multi_piece="pll"`` (method ``focus:pll``), both forms of the pair are
    scored as spans: each token masked with those that follow it in the word. Raises
    :class:`InputError` for missing columns and logits that are not numbers.
    """
    method = "focus" if multi_piece == "skip" else "focus:pll"
    for table, memo in windows(tables, reader.window):
        require(table, ("id", "sentence_good", "sentence_bad"), "pairs")
        scores, questions = _asked(table, reader, multi_piece == "pll")
        names = table["id"].to_pylist() * 2
        logp = reader.answer(questions, memo, names).reshape(2, -1)
        if unigram:
            found = unigram.by_owner(questions.owners, questions.tokens, questions.count)
            scores.unigrams = found.reshape(2, -1)
        yield scores.table(table, method, logp)


def _asked(table: pa.Table, reader: MaskedReader, spans: bool) -> tuple[PairScores, Questions]:
    """Ask about all items; the owners of questions are their good sides, then their bad ones."""
    count, mask = len(table), reader.mask
    scores, questions = PairScores.of(count), Questions(2 * count)
    for number, pair in enumerate(_pairs(table, reader)):
        reason = _reason(pair, reader, spans)
        scores.skipped[number] = reason
        if reason is None:
            scores.measure(number, *(side.word for side in pair))
        for which, side in enumerate(pair if reason is None else ()):
            assert side.span is not None
            owner, first, last = number + which * count, side.span.first, side.span.last
            scores.tokens[which, number] = last - first
            ask_words(questions, owner, side.encoded, first, last, mask, "span")
    return scores, questions


def _pairs(table: pa.Table, reader: MaskedReader) -> Iterator[tuple[_FocusSide, ...]]:
    """Yield both sides of each pair, nothing of one that has no single critical word."""
    found = critical_words(table)
    texts = [text for pair in found if pair for text in (pair.good, pair.bad)]
    encoded = dict(zip(texts, reader.encode(texts), strict=True))
    for pair in found:
        sides = () if pair is None else ((pair.good, pair.good_at), (pair.bad, pair.bad_at))
        yield tuple(_FocusSide(encoded[t], at, exactly(encoded[t], *at)) for t, at in sides)


def _reason(pair: tuple[_FocusSide, ...], reader: MaskedReader, spans: bool) -> str | None:
    """Return why a pair is not scored, None where it is."""
    if not pair:
        return SEVERAL_WORDS
    good, bad = pair
    if good.span is None or bad.span is None:
        return NOT_ALIGNED
    words, frames = zip(*(_cut(side.encoded, side.span) for side in pair if side.span), strict=True)
    single = len(good.span) == len(bad.span) == 1
    checks = {
        UNKNOWN_WORD: reader.loaded.tokenizer.unk_token_id in (*words[0], *words[1]),
        MULTI_PIECE: not (single or spans),
        TOO_LONG: max(len(side.encoded.ids) for side in pair) > reader.longest,
        DIFFERENT_FRAMES: single and frames[0] != frames[1],
    }
    return next((reason for reason, holds in checks.items() if holds), None)


def _cut(encoded: Encoded, span: TokenSpan) -> tuple[list[int], tuple[list[int], list[int]]]:
    """Return the token ids of the word, and those before and after it."""
    ids = list(encoded.ids)
    return ids[span.first : span.last], (ids[: span.first], ids[span.last :])


METHODS = (
    Method(
        "focus", "log P of the critical word at a mask in its place", "pair", ("masked",),
        lambda tables, run: score_focus(tables, run.reader, run.multi_piece, run.unigram),
        options=("multi_piece", "unigram"),
    ),
)  # fmt: skip
