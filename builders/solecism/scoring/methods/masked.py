"""Pairs and masked models: pseudo-log-likelihood of sentences, or of the critical word alone.

``pll``: Salazar et al. (2020), Kauf and Ivanova (2023). ``focus``: Goldberg (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from solecism.scoring.encoding import Encoded, TokenSpan, critical_words, exactly
from solecism.scoring.methods import Method
from solecism.scoring.questions import Question, ScoredTexts, Variant, questions_about, windows
from solecism.scoring.results import MULTI_PIECE, NOT_ALIGNED, TOO_LONG, require, scores_table

if TYPE_CHECKING:
    from solecism.scoring.engines.masked import MaskedReader
    from solecism.scoring.normalise import Unigram

SEVERAL_WORDS = "several words differ"
"""Reason: the sentences differ in more than one word."""
UNKNOWN_WORD = "unknown word"
"""Reason: a form is, or holds, the tokenizer's unknown token."""
DIFFERENT_FRAMES = "frames differ"
"""Reason: the rest of the sentence is tokenised in another way around the other form."""

Asked = list[tuple[int, Question]]
"""Questions of owners: the good sides of pairs, then the bad ones."""


def score_pll(
    tables: Iterable[pa.Table],
    reader: MaskedReader,
    variant: Variant = "within_word_l2r",
    unigram: Unigram | None = None,
) -> Iterator[pa.Table]:
    """Yield the scores of pairs: the sum of log P of each token given all others.

    Method ``pll:original`` (Salazar et al. 2020, section 2) or ``pll:within_word_l2r`` (Kauf and
    Ivanova 2023, section 3), the words being those of the tokenizer. Equal masked rows are run
    once. Skipped: ``too long``, ``empty``. Raises :class:`InputError` for missing columns and
    logits that are not numbers.
    """
    ask = partial(_ask_sentences, variant=variant)
    return _scored(tables, reader, f"pll:{variant}", ask, unigram)


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
    ask = partial(_ask_words, spans=multi_piece == "pll")
    return _scored(tables, reader, method, ask, unigram)


def _scored(
    tables: Iterable[pa.Table],
    reader: MaskedReader,
    method: str,
    ask: Callable[[pa.Table, MaskedReader, ScoredTexts], Asked],
    unigram: Unigram | None,
) -> Iterator[pa.Table]:
    """Score what ``ask`` asks about pairs."""
    for table, memo in windows(tables, reader.window):
        require(table, ("id", "sentence_good", "sentence_bad"), "pairs")
        scores, names = ScoredTexts(len(table)), table["id"].to_pylist() * 2
        asked = ask(table, reader, scores)
        logp = reader.answer(asked, memo, names).reshape(2, -1)
        unigrams = None
        if unigram:
            rows: list[list[int]] = [[] for _ in names]
            for owner, (_, token) in asked:
                rows[owner].append(token)
            unigrams = unigram.sums(rows).reshape(2, -1)
        yield scores_table(
            table, method, logp, scores.tokens, scores.texts, scores.skipped, unigrams
        )


def _ask_sentences(
    table: pa.Table, reader: MaskedReader, scores: ScoredTexts, variant: Variant
) -> Asked:
    good, bad = (table[f"sentence_{side}"].to_pylist() for side in ("good", "bad"))
    encoded = reader.encode([*good, *bad])
    for number, texts in enumerate(zip(good, bad, strict=True)):
        sides = encoded[number :: len(table)]
        tokens = [len(side.ids) - sum(side.special) for side in sides]
        if max(len(side.ids) for side in sides) > reader.longest:
            scores.skipped[number] = TOO_LONG
        else:
            scores.measure(number, texts, tokens)
    return [
        (owner, question)
        for owner, side in enumerate(encoded)
        if len(side.ids) <= reader.longest
        for question in questions_about(side, 0, len(side.ids), reader.mask, variant)
    ]


def _ask_words(table: pa.Table, reader: MaskedReader, scores: ScoredTexts, spans: bool) -> Asked:
    asked: Asked = []
    found = critical_words(table)
    texts = [text for pair in found if pair for text in (pair.good, pair.bad)]
    encoded = dict(zip(texts, reader.encode(texts), strict=True))
    for number, pair in enumerate(found):
        if pair is None:
            scores.skipped[number] = SEVERAL_WORDS
            continue
        good, bad = encoded[pair.good], encoded[pair.bad]
        sides = (good, exactly(good, *pair.good_at)), (bad, exactly(bad, *pair.bad_at))
        scores.skipped[number] = _reason(sides, reader, spans)
        if scores.skipped[number] is None:
            words = pair.good[slice(*pair.good_at)], pair.bad[slice(*pair.bad_at)]
            scores.measure(number, words, [len(span or ()) for _, span in sides])
            for owner, (text, span) in zip((number, number + len(table)), sides, strict=True):
                assert span is not None
                questions = questions_about(text, span.first, span.last, reader.mask, "span")
                asked += ((owner, question) for question in questions)
    return asked


def _reason(
    sides: Iterable[tuple[Encoded, TokenSpan | None]], reader: MaskedReader, spans: bool
) -> str | None:
    """Return why a pair is not scored, None where it is."""
    words, frames, lengths = [], [], []
    for text, span in sides:
        if span is None:
            return NOT_ALIGNED
        words.append(list(text.ids[span.first : span.last]))
        frames.append((list(text.ids[: span.first]), list(text.ids[span.last :])))
        lengths.append(len(text.ids))
    single = len(words[0]) == len(words[1]) == 1
    checks = {
        UNKNOWN_WORD: reader.loaded.tokenizer.unk_token_id in (*words[0], *words[1]),
        MULTI_PIECE: not (single or spans),
        TOO_LONG: max(lengths) > reader.longest,
        DIFFERENT_FRAMES: single and frames[0] != frames[1],
    }
    return next((reason for reason, holds in checks.items() if holds), None)


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
    Method(
        "focus", "log P of the critical word at a mask in its place", "pair", ("masked",),
        lambda tables, run: score_focus(tables, run.reader, run.options.multi_piece, run.unigram),
        options=("multi_piece", "unigram"),
    ),
)  # fmt: skip
