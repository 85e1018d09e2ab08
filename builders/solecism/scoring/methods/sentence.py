"""Pairs: whole sentences, or critical words after one or two prefixes.

``sentence``: sum of log P of all tokens (Marvin & Linzen 2018; BLiMP's simple LM method).
``one_prefix``: log P of the two critical words after the shared prefix (Linzen et al. 2016).
``two_prefix``: log P of one critical word after two prefixes (Wilcox et al. 2019). See Warstadt et
al. (2020), section 6.4. ``ngram``: log P of all words, of n-gram models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.baselines.ngram import NgramModel
from solecism.errors import fail
from solecism.scoring.encoding import (
    OUT_OF_VOCABULARY,
    Encoded,
    TokenSpan,
    shared_spans,
    unknown_critical,
)
from solecism.scoring.methods import Method, Run, TextReader
from solecism.scoring.questions import windows
from solecism.scoring.results import TOO_LONG, UNALIGNED, require, scores_table

if TYPE_CHECKING:
    from solecism.scoring.normalise import Unigram

_COLUMNS = {
    "sentence": (),
    "one_prefix": ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    "two_prefix": ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}


class _Side(NamedTuple):
    """A side of a pair: token ids, those to sum over (``first:last``), and the scored text."""

    ids: list[int]
    first: int
    last: int
    text: str


Found = tuple[list[_Side], list[_Side], list[str | None]]
"""Both sides of pairs, and why a pair is skipped (else None)."""


def score_pairs(
    tables: Iterable[pa.Table],
    reader: TextReader,
    method: str = "sentence",
    unigram: Unigram | None = None,
) -> Iterator[pa.Table]:
    """Yield the scores of pairs, window by window.

    Raises :class:`InputError` for missing columns, a sentence whose score is not a number, or a
    model that no engine can score.
    """
    column = "tokens" if reader.word_level else "sentence"
    texts = (f"{column}_good", f"{column}_bad")
    for table, _ in windows(tables, reader.window):
        require(table, (*texts, *_COLUMNS[method]), "data set")
        whole = method == "sentence"
        found = _whole(table, reader, texts) if whole else _critical(table, reader, method)
        yield _scored(table, reader, method, found, unigram)


def _scored(
    table: pa.Table, reader: TextReader, method: str, found: Found, unigram: Unigram | None
) -> pa.Table:
    *both, skipped = found
    sums = summed(reader, found)
    tokens = [np.array([s.last - s.first for s in side], np.int32) for side in both]
    texts = [pa.array([s.text for s in side], pa.string()) for side in both]
    unigrams = None
    if unigram:
        unigrams = [unigram.sums([s.ids[s.first : s.last] for s in side]) for side in both]
    return scores_table(table, method, sums, tokens, texts, skipped, unigrams)


def summed(reader: TextReader, found: Found) -> NDArray[np.float64]:
    """Return the sums of log P of both sides, (2, pairs); those that are too long are skipped."""
    *both, skipped = found
    for i, (good, bad) in enumerate(zip(*both, strict=True)):
        if skipped[i] is None and max(len(good.ids), len(bad.ids)) > reader.longest:
            skipped[i] = TOO_LONG
    kept = [i for i, reason in enumerate(skipped) if reason is None]
    sums = np.full((2, len(skipped)), np.nan)
    if kept:
        sides = [side[i] for side in both for i in kept]
        values = zip(sides, reader.log_probs([side.ids for side in sides]), strict=True)
        totals = [float(logp[side.first : side.last].sum()) for side, logp in values]
        sums[:, kept] = np.array(totals).reshape(2, -1)
    return sums


def _whole(table: pa.Table, reader: TextReader, names: Sequence[str]) -> Found:
    skipped: list[str | None] = [None] * len(table)
    if reader.word_level:
        _refuse_other_words(table)
        unknown = unknown_critical(table, reader.vocabulary)
        skipped = [OUT_OF_VOCABULARY if u else None for u in unknown]
    sides: list[list[_Side]] = []
    for name in names:
        texts = reader.encode(table[name].fill_null("").to_pylist(), offsets=False)
        rows = [reader.whole(text.ids) for text in texts]
        sides.append([_Side(*row, len(row[0]), t.text) for row, t in zip(rows, texts, strict=True)])
    return sides[0], sides[1], skipped


def _critical(table: pa.Table, reader: TextReader, method: str) -> Found:
    good = reader.encode(table["sentence_good"].to_pylist())
    bad = reader.encode(table["sentence_bad"].to_pylist())
    values = zip(*(table[name].to_pylist() for name in _COLUMNS[method]), strict=True)
    spans = [_spans(method, *row) for row in zip(good, bad, values, strict=True)]
    return located(reader, good, bad, spans)


def located(
    reader: TextReader,
    good: Sequence[Encoded],
    bad: Sequence[Encoded],
    places: Sequence[list[TokenSpan] | str],
) -> Found:
    """Return both sides of pairs with the tokens to sum over, up to the last of these.

    ``places`` has the tokens of both texts, or why a pair is skipped.
    """
    sides: tuple[list[_Side], list[_Side]] = ([], [])
    skipped: list[str | None] = []
    for ours, theirs, spans in zip(good, bad, places, strict=True):
        if isinstance(spans, str):
            skipped.append(spans)
            for side in sides:
                side.append(_Side([], 0, 0, ""))
            continue
        skipped.append(None)
        for side, text, span in zip(sides, (ours, theirs), spans, strict=True):
            ids, first = reader.with_bos(text.ids[: span.last])
            shift, scored = len(ids) - span.last, text.text[span.start : span.stop]
            side.append(_Side(ids, max(span.first + shift, first), span.last + shift, scored))
    return *sides, skipped


def _spans(
    method: str, ours: Encoded, theirs: Encoded, values: Sequence[str | None]
) -> list[TokenSpan] | str:
    """Return the tokens that a prefix method compares, or why there are none."""
    if None in values:
        return f"no {method.replace('_', '-')} pair"
    one, two, three = map(str, values)
    prefixes, words = (
        ((one, one), (two, three)) if method == "one_prefix" else ((one, two), (three, three))
    )
    places = []
    for text, prefix, word in zip((ours.text, theirs.text), prefixes, words, strict=True):
        start = text.find(word, len(prefix))
        if start < 0 or text[:start].rstrip() != prefix.rstrip():
            return "prefix and word are not in the sentence"
        places.append((start, start + len(word)))
    return shared_spans([ours, theirs], places) or UNALIGNED


def _refuse_other_words(pairs: pa.Table) -> None:
    """Raise where ``tokens`` are not the words of their sentence, as after an edit of one of them.

    Only letters and digits are compared: words are in lower case there, without punctuation.
    """
    for side in ("good", "bad"):
        texts = (pc.utf8_lower(pairs[f"{name}_{side}"]) for name in ("sentence", "tokens"))
        one, two = (pc.replace_substring_regex(t, r"[^\p{L}\p{N}\p{M}]+", "") for t in texts)
        other = pairs["id"].filter(pc.fill_null(pc.not_equal(one, two), False))
        if len(other):
            raise fail(f"pair {other[0]}: tokens_{side} are not the words of sentence_{side}")


def score_ngram(
    tables: Iterable[pa.Table], model: NgramModel, unigram: Unigram | None = None
) -> Iterator[pa.Table]:
    """Yield the scores of tables of pairs: log P of the words of both sentences.

    The words are those of ``tokens_good`` and ``tokens_bad``, with ``<s>`` and ``</s>``. The number
    of tokens counts ``</s>``. A pair with a critical word that the model does not know is skipped
    (Mueller et al. 2020, appendix D).
    """
    for pairs in tables:
        require(pairs, ("tokens_good", "tokens_bad"), "pairs")
        _refuse_other_words(pairs)
        skip = unknown_critical(pairs, model.vocabulary)
        reasons = [OUT_OF_VOCABULARY if unknown else None for unknown in skip]
        sides = [pairs[f"tokens_{side}"].combine_chunks().fill_null("") for side in ("good", "bad")]
        logp = [np.where(skip, np.nan, model.sentence_logp(texts)) for texts in sides]
        words = [pc.list_value_length(model.wording.words(texts)) for texts in sides]
        tokens = [np.asarray(counts, np.int64) + 1 for counts in words]
        unigrams = [unigram.of_words(model, texts) for texts in sides] if unigram else None
        yield scores_table(pairs, "ngram", logp, tokens, sides, reasons, unigrams)


def _method(name: str, formula: str, usual: bool = False) -> Method:
    def score(tables: Iterable[pa.Table], run: Run[TextReader]) -> Iterator[pa.Table]:
        return score_pairs(tables, run.reader, name, run.unigram)

    options = ("bos", "eos", "unigram", *(() if usual else ("word_correction",)))
    return Method(name, formula, "pair", ("causal",), score, usual, options=options)


METHODS = (
    Method(
        "ngram", "log P of the whole sentence, with its end", "pair", ("n-gram",),
        lambda tables, run: score_ngram(tables, run.reader, run.unigram), usual=True,
        aliases=("sentence",), options=("unigram",),
    ),
    _method("sentence", "log P of the whole sentence", usual=True),
    _method("one_prefix", "log P of the two critical words after the prefix that they share"),
    _method("two_prefix", "log P of the one critical word after two prefixes"),
)  # fmt: skip
