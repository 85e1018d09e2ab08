"""Focus (Goldberg 2019): the critical word masked, its good and its bad form compared in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pyarrow as pa

from solecism.scoring.critical import critical_words
from solecism.scoring.encoding_masked import Encoded, Span, encode, find_span
from solecism.scoring.engines.masked import (
    MaskedOptions,
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
from solecism.scoring.results import Journal, scores_table

__all__ = [
    "DIFFERENT_FRAMES", "MULTI_PIECE", "NOT_ALIGNED", "SEVERAL_WORDS", "TOO_LONG", "UNKNOWN_WORD",
    "score_focus",
]  # fmt: skip

MULTI_PIECE = "multi-piece"
"""Reason: a form is more than one token."""
SEVERAL_WORDS = "several words differ"
"""Reason: the sentences differ in more than one word."""
NOT_ALIGNED = "not aligned"
"""Reason: a token reaches beyond the critical word."""
UNKNOWN_WORD = "unknown word"
"""Reason: a form is, or holds, the tokenizer's unknown token."""
DIFFERENT_FRAMES = "frames differ"
"""Reason: the rest of the sentence is tokenised in another way around the other form."""
TOO_LONG = "too long"
"""Reason: the model has fewer positions than the sentence has tokens."""


@dataclass(frozen=True, eq=False)
class _Side:
    """A sentence, the characters of its critical word and the tokens of that."""

    encoded: Encoded
    place: tuple[int, int]
    span: Span

    @property
    def size(self) -> int:
        """Length of the word in bytes of UTF-8."""
        return len(self.encoded.text[slice(*self.place)].encode())

    @property
    def tokens(self) -> list[int]:
        """The ids of the word."""
        ids: list[int] = self.encoded.ids[self.span.start : self.span.stop].tolist()
        return ids

    @property
    def frame(self) -> tuple[bytes, bytes]:
        """The token ids before and after the word."""
        ids = self.encoded.ids
        return ids[: self.span.start].tobytes(), ids[self.span.stop :].tobytes()


def score_focus(
    tables: Iterable[pa.Table],
    loaded: Loaded,
    options: MaskedOptions | None = None,
    journal: Journal | None = None,
) -> Iterator[pa.Table]:
    """Score minimal pairs by log P (natural) of the critical word at a mask in its place.

    Tables of pairs (:func:`solecism.schema.pair_schema`) in, tables of scores
    (:data:`solecism.scoring.results.SCORES`) out, in the same order. Method: Goldberg 2019
    (arXiv:1901.05287, section 2); the frame (the sentence with the mask) is run once for all forms of all
    pairs that share it. Words of several tokens are skipped as in the paper, or, with
    ``multi_piece="pll"`` (method ``focus:pll``), both forms of the pair are scored as spans: each token
    masked with those that follow it in the word. Raises :class:`InputError` for missing columns and for
    logits that are not numbers.
    """
    options = options or MaskedOptions()
    forward = replace(open_forward(loaded), journal=journal or Journal())
    method = "focus" if options.multi_piece == "skip" else "focus:pll"
    for table, memo in chapters(tables, options.rows, forward.journal):
        require(table, ("id", "sentence_good", "sentence_bad"), "pairs")
        sides, questions = _ask(table, loaded, options)
        names = table["id"].to_pylist() * 2
        logp = answer(questions, forward, memo, names, options.tokens).reshape(2, -1)
        yield scores_table(table, method, **sides.columns(logp))


def _ask(table: pa.Table, loaded: Loaded, options: MaskedOptions) -> tuple[Sides, Questions]:
    """Put the questions of all items; owners are their good sides, then their bad ones."""
    count, judge, mask = len(table), _Judge.of(loaded, options), loaded.tokenizer.mask_token_id
    sides, questions = Sides.of(count), Questions(2 * count)
    for number, pair in enumerate(_pairs(table, loaded)):
        reason = judge.reason(pair)
        sides.skipped[number] = reason or None
        for which, side in enumerate(() if reason else pair):
            owner, span = number + which * count, side.span
            sides.tokens[which, number], sides.size[which, number] = len(span), side.size
            ask_words(questions, owner, side.encoded, span.start, span.stop, mask, "span")
    return sides, questions


def _pairs(table: pa.Table, loaded: Loaded) -> Iterator[tuple[_Side, ...]]:
    """Both sides of each pair; of those without one critical word, nothing."""
    found = critical_words(table)
    texts = dict.fromkeys(text for pair in found if pair for text in (pair.good, pair.bad))
    encoded = dict(zip(texts, encode(loaded, list(texts)), strict=True))
    for pair in found:
        sides = () if pair is None else ((pair.good, pair.good_at), (pair.bad, pair.bad_at))
        yield tuple(_side(encoded[text], place) for text, place in sides)


def _side(encoded: Encoded, place: tuple[int, int]) -> _Side:
    return _Side(encoded, place, find_span(encoded, *place) or Span(0, 0, aligned=False))


@dataclass(frozen=True)
class _Judge:
    """Tells why a pair is not scored."""

    unknown: int | None
    longest: int
    spans: bool

    @classmethod
    def of(cls, loaded: Loaded, options: MaskedOptions) -> _Judge:
        unknown = loaded.tokenizer.unk_token_id
        return cls(unknown, capacity(loaded), options.multi_piece == "pll")

    def reason(self, pair: tuple[_Side, ...]) -> str:
        """The reason; empty where the pair is scored."""
        if not pair:
            return SEVERAL_WORDS
        good, bad = pair
        single = len(good.span) == len(bad.span) == 1
        checks = {
            NOT_ALIGNED: not (good.span.aligned and bad.span.aligned),
            UNKNOWN_WORD: self.unknown in (*good.tokens, *bad.tokens),
            MULTI_PIECE: not (single or self.spans),
            TOO_LONG: max(len(good.encoded.ids), len(bad.encoded.ids)) > self.longest,
            DIFFERENT_FRAMES: single and good.frame != bad.frame,
        }
        return next((reason for reason, holds in checks.items() if holds), "")
