"""Pairs and causal models: whole sentences, or critical words after one or two prefixes.

``sentence``: sum of log P of all tokens (Marvin & Linzen 2018; BLiMP's simple LM method).
``one_prefix``: log P of the two critical words after the shared prefix (Linzen et al. 2016).
``two_prefix``: log P of one critical word after two prefixes (Wilcox et al. 2019). See Warstadt et
al. (2020), section 6.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.scoring.critical import OUT_OF_VOCABULARY, unknown_critical
from solecism.scoring.encoding import Encoded, TokenSpan, shared_spans
from solecism.scoring.methods import Method, Reader, Run
from solecism.scoring.results import EMPTY, TOO_LONG, blank, require, scores_table, without_nulls

if TYPE_CHECKING:
    from solecism.scoring.unigram import Unigram

__all__ = ["METHODS", "score_pairs"]
"""Pairs that are scored together: their sentences share one prefix tree."""

_COLUMNS = {
    "one_prefix": ("one_prefix_prefix", "one_prefix_word_good", "one_prefix_word_bad"),
    "two_prefix": ("two_prefix_prefix_good", "two_prefix_prefix_bad", "two_prefix_word"),
}

Place = tuple[int, int]


@dataclass(frozen=True)
class _PairSide:
    """One side of pairs: token ids, the tokens to sum over, the scored text."""

    ids: list[list[int]]
    spans: list[Place]
    texts: list[str]

    @property
    def tokens(self) -> NDArray[np.int32]:
        """The number of tokens to sum over."""
        return np.array([last - first for first, last in self.spans], np.int32)

    def unigrams(self, unigram: Unigram) -> NDArray[np.float64]:
        """Return log P of the same tokens under a unigram model."""
        some = [ids[first:last] for ids, (first, last) in zip(self.ids, self.spans, strict=True)]
        return unigram.sums(some)


_Found = tuple[_PairSide, _PairSide, list[str | None]]
"""Both sides of pairs, and why a pair is skipped (else None)."""


def score_pairs(
    tables: Iterable[pa.Table],
    reader: Reader,
    method: str = "sentence",
    unigram: Unigram | None = None,
) -> Iterator[pa.Table]:
    """Yield the scores of pairs, window by window.

    Raises :class:`InputError` for missing columns, a sentence whose score is not a number, or a
    model that no engine can score.
    """
    texts = (
        ("tokens_good", "tokens_bad") if reader.word_level else ("sentence_good", "sentence_bad")
    )
    for table in tables:
        require(table, (*texts, *_COLUMNS.get(method, ())), "data set")
        for start in range(0, len(table), reader.window):
            window = without_nulls(table.slice(start, reader.window))
            sides = _whole if method == "sentence" else _critical
            yield _scored(window, reader, method, sides(window, reader, method, texts), unigram)


def _scored(
    table: pa.Table, reader: Reader, method: str, found: _Found, unigram: Unigram | None
) -> pa.Table:
    good, bad, reasons = found
    skipped = [EMPTY if empty else why for why, empty in zip(reasons, blank(table), strict=True)]
    for side in (good, bad):
        for i, ids in enumerate(side.ids):
            if skipped[i] is None and len(ids) > reader.longest:
                skipped[i] = TOO_LONG
    kept = [i for i, reason in enumerate(skipped) if reason is None]
    sums = np.full((2, len(table)), np.nan)
    if kept:
        values = reader.log_probs([side.ids[i] for side in (good, bad) for i in kept])
        spans = [side.spans[i] for side in (good, bad) for i in kept]
        totals = [float(v[a:b].sum()) for v, (a, b) in zip(values, spans, strict=True)]
        sums[:, kept] = np.array(totals).reshape(2, -1)
        _refuse_nan(table, sums, kept, reader.name)
    both = (good, bad)
    sizes = [np.array([len(text.encode()) for text in side.texts], np.int32) for side in both]
    chars = [np.array([len(text) for text in side.texts], np.int32) for side in both]
    unigrams = [side.unigrams(unigram) for side in both] if unigram else None
    return scores_table(
        table, method, sums, [side.tokens for side in both], sizes, skipped,
        chars=chars, unigrams=unigrams,
    )  # fmt: skip


def _refuse_nan(table: pa.Table, sums: NDArray[np.float64], kept: Sequence[int], name: str) -> None:
    wrong = [i for i in kept if np.isnan(sums[:, i]).any()]
    if wrong:
        text = table["sentence_good"][wrong[0]].as_py()
        message = f"model {name!r} gives no number (NaN) for {len(wrong)} items, first: {text!r}"
        raise fail(f"{message} (try --dtype float32)")


def _whole(table: pa.Table, reader: Reader, _: str, names: Sequence[str]) -> _Found:
    skipped: list[str | None] = [None] * len(table)
    if reader.word_level:
        unknown = unknown_critical(table, reader.vocabulary)
        skipped = [OUT_OF_VOCABULARY if u else None for u in unknown]
    sides = []
    for name in names:
        texts = reader.encode(table[name].fill_null("").to_pylist(), offsets=False)
        rows = [reader.whole(text.ids) for text in texts]
        spans = [(first, len(ids)) for ids, first in rows]
        sides.append(_PairSide([ids for ids, _ in rows], spans, [text.text for text in texts]))
    return sides[0], sides[1], skipped


def _critical(table: pa.Table, reader: Reader, method: str, _: Sequence[str]) -> _Found:
    good = reader.encode(table["sentence_good"].to_pylist())
    bad = reader.encode(table["sentence_bad"].to_pylist())
    columns = [table[name].to_pylist() for name in _COLUMNS[method]]
    sides = _PairSide([], [], []), _PairSide([], [], [])
    skipped: list[str | None] = []
    for ours, theirs, *values in zip(good, bad, *columns, strict=True):
        found = _spans(method, ours, theirs, values)
        skipped.append(found if isinstance(found, str) else None)
        pair: Sequence[TokenSpan | None] = (None, None) if isinstance(found, str) else found
        for side, text, span in zip(sides, (ours, theirs), pair, strict=True):
            _add(side, text, span, reader)
    return *sides, skipped


def _add(side: _PairSide, text: Encoded, span: TokenSpan | None, reader: Reader) -> None:
    last = span.last if span else 0
    ids, first = reader.with_bos(text.ids[:last])
    shift = len(ids) - last
    side.ids.append(ids)
    side.spans.append((max(span.first + shift, first), last + shift) if span else (0, 0))
    side.texts.append(text.text[span.start : span.stop] if span else "")


def _spans(
    method: str, ours: Encoded, theirs: Encoded, values: Sequence[str | None]
) -> list[TokenSpan] | str:
    """Return the tokens that a prefix method compares, or why there are none."""
    if values[0] is None or values[1] is None or values[2] is None:
        return f"no {method.replace('_', '-')} pair"
    if method == "one_prefix":
        places = _after(ours.text, values[0], values[1]), _after(theirs.text, values[0], values[2])
    else:
        places = _after(ours.text, values[0], values[2]), _after(theirs.text, values[1], values[2])
    if places[0] is None or places[1] is None:
        return "prefix and word are not in the sentence"
    return shared_spans([ours, theirs], [places[0], places[1]]) or "no shared token boundary"


def _after(text: str, prefix: str, word: str) -> Place | None:
    start = text.find(word, len(prefix))
    return (start, start + len(word)) if start >= 0 else None


def _method(name: str, formula: str, usual: bool = False) -> Method:
    def score(tables: Iterable[pa.Table], run: Run[Reader]) -> Iterator[pa.Table]:
        return score_pairs(tables, run.reader, name, run.unigram)

    options = ("bos", "eos", "unigram")
    return Method(name, formula, "pair", ("causal",), score, usual, options=options)


METHODS = (
    _method("sentence", "log P of the whole sentence", usual=True),
    _method("one_prefix", "log P of the two critical words after the prefix that they share"),
    _method("two_prefix", "log P of the one critical word after two prefixes"),
)
