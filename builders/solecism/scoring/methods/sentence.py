"""Scoring pairs with causal models: whole sentences, or critical words after one or two prefixes.

``sentence``: sum of log P of all tokens (Marvin & Linzen 2018; BLiMP's simple LM method). ``one_prefix``:
log P of the two critical words after the shared prefix (Linzen et al. 2016). ``two_prefix``: log P of one
critical word after two prefixes (Wilcox et al. 2019). See Warstadt et al. (2020), section 6.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import candidates, fail
from solecism.scoring.critical import (
    OUT_OF_VOCABULARY,
    is_word_level,
    unknown_critical,
    vocabulary_of,
)
from solecism.scoring.encoding import Encoded, TokenSpan, shared_spans
from solecism.scoring.engines.engines import Engine, Probed, probe
from solecism.scoring.models import Loaded
from solecism.scoring.results import EMPTY, Journal, blank, scores_table, without_nulls

__all__ = ["BOS", "METHODS", "CausalScorer", "Options"]

METHODS = ("sentence", "one_prefix", "two_prefix")
BOS = ("auto", "always", "never")
WINDOW = 16384
"""Pairs that are scored together: their sentences share one prefix tree."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Options:
    """How to score. ``bos``: ``auto`` puts the tokenizer's BOS token first, its EOS token where it has no
    BOS (lm-eval's rule); ``always`` insists on a BOS; ``never`` begins with the first token, which then has
    no probability. ``eos``: also score the EOS token at the end. ``tokens``: tokens in a batch."""

    method: str = "sentence"
    bos: str = "auto"
    eos: bool = False
    engine: str = "auto"
    tokens: int = 4096

    def __post_init__(self) -> None:
        for what, value, known in (("method", self.method, METHODS), ("bos", self.bos, BOS)):
            if value not in known:
                kind = f"values of --{what}"
                raise fail(f"there is no {what} {value!r} {candidates(kind, known, value)}")


@dataclass(frozen=True)
class _Sides:
    """One side (good or bad) of some pairs: token ids, the span to sum over, bytes of the text scored."""

    ids: list[list[int]]
    spans: list[tuple[int, int]]
    sizes: list[int]


@dataclass
class CausalScorer:
    """Scores tables of pairs with one model; the engine is probed on each window of them."""

    loaded: Loaded
    options: Options = field(default_factory=Options)
    probed: Probed | None = None
    journal: Journal = field(default_factory=Journal)

    def __post_init__(self) -> None:
        self._prefix = self._prefix_tokens()
        self._word_level = is_word_level(self.loaded.tokenizer)

    @property
    def engine(self) -> Engine:
        """The engine in use (after the first pairs were scored)."""
        assert self.probed is not None
        return self.probed.engine

    def score(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Yield the scores of tables of pairs (:data:`solecism.scoring.results.SCORES`), window by window.

        Raises :class:`InputError` for missing columns, a sentence whose score is not a number, or a model
        that no engine can score.
        """
        for table in tables:
            self._require(table.column_names)
            for start in range(0, len(table), WINDOW):
                yield self._window(without_nulls(table.slice(start, WINDOW)))

    def _require(self, names: Sequence[str]) -> None:
        needed = (
            ["tokens_good", "tokens_bad"] if self._word_level else ["sentence_good", "sentence_bad"]
        )
        if self.options.method != "sentence":
            needed += [f"{self.options.method}_{end}" for end in _ENDS[self.options.method]]
        missing = [name for name in needed if name not in names]
        if missing:
            raise fail(f"the data set has no column {', '.join(missing)}")

    def _window(self, table: pa.Table) -> pa.Table:
        good, bad, skipped = self._sides(table)
        skipped = [
            EMPTY if empty else why for why, empty in zip(skipped, blank(table), strict=True)
        ]
        for side in (good, bad):
            self._skip_long(side, skipped)
        kept = [i for i, reason in enumerate(skipped) if reason is None]
        rows = [side.ids[i] for side in (good, bad) for i in kept]
        sums = np.full((2, len(table)), np.nan)
        if rows:
            values = self.values(rows)
            spans = [side.spans[i] for side in (good, bad) for i in kept]
            totals = [float(v[a:b].sum()) for v, (a, b) in zip(values, spans, strict=True)]
            sums[:, kept] = np.array(totals).reshape(2, -1)
            self._refuse_nan(table, sums, kept)
        tokens_good, tokens_bad = (_lengths(side.spans) for side in (good, bad))
        bytes_good, bytes_bad = (np.array(side.sizes, dtype=np.int32) for side in (good, bad))
        return scores_table(
            table, self.options.method, sums[0], sums[1], tokens_good, tokens_bad,
            bytes_good, bytes_bad, skipped,
        )  # fmt: skip

    def values(self, rows: list[list[int]]) -> list[Floats]:
        """Give every token of token sequences its log probability (the first of each has 0).

        Nothing is kept from one call to the next, so that a run which goes on gives the same digits: the
        engine is chosen by these sequences, and what memory could not hold is found out anew.
        """
        self.probed = probe(
            self.loaded, rows, self.options.engine, self.options.tokens, self.journal
        )
        return self.engine.score(rows)

    def _refuse_nan(self, table: pa.Table, sums: Floats, kept: Sequence[int]) -> None:
        wrong = [i for i in kept if np.isnan(sums[:, i]).any()]
        if wrong:
            text = table["sentence_good"][wrong[0]].as_py()
            message = f"model {self.loaded.name!r} gives no number (NaN) for {len(wrong)} items"
            raise fail(f"{message}, first: {text!r} (try --dtype float32)")

    def _prefix_tokens(self) -> list[int]:
        tokenizer, bos = self.loaded.tokenizer, self.options.bos
        if self.options.eos and tokenizer.eos_token_id is None:
            raise fail(f"model {self.loaded.name!r}: its tokenizer has no EOS token")
        if bos == "never":
            return []
        first = tokenizer.bos_token_id
        if first is None and bos == "auto":
            first = tokenizer.eos_token_id
        if first is None and bos == "always":
            raise fail(
                f"model {self.loaded.name!r}: its tokenizer has no BOS token (--bos auto|never)"
            )
        return [] if first is None else [first]

    def _sides(self, table: pa.Table) -> tuple[_Sides, _Sides, list[str | None]]:
        method = self.options.method
        if method == "sentence":
            names = (
                ("tokens_good", "tokens_bad")
                if self._word_level
                else ("sentence_good", "sentence_bad")
            )
            texts = [table[name].fill_null("").to_pylist() for name in names]
            skipped: list[str | None] = [None] * len(table)
            if self._word_level:
                unknown = unknown_critical(table, vocabulary_of(self.loaded.tokenizer))
                skipped = [OUT_OF_VOCABULARY if u else None for u in unknown]
            good, bad = self.encode(texts[0], offsets=False), self.encode(texts[1], offsets=False)
            return self._whole(good), self._whole(bad), skipped
        return self._critical(table, method)

    def encode(self, texts: Sequence[str], offsets: bool = True) -> list[Encoded]:
        """Tokenise distinct texts once, in one call; whole sentences can do without ``offsets``."""
        unique = list(dict.fromkeys(texts))
        found = self.loaded.tokenizer(
            unique,
            add_special_tokens=False,
            return_offsets_mapping=offsets,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        places = found["offset_mapping"] if offsets else [()] * len(unique)
        triples = zip(unique, found["input_ids"], places, strict=True)
        known = {text: Encoded(text, ids, offsets) for text, ids, offsets in triples}
        return [known[text] for text in texts]

    def with_prefix(self, ids: Sequence[int]) -> tuple[list[int], int]:
        """Put BOS first (not twice); give the ids and the place of the first token that has a score."""
        if self._prefix and list(ids[:1]) != self._prefix:
            return [*self._prefix, *ids], 1
        return list(ids), 1 if ids else 0

    def _whole(self, texts: Sequence[Encoded]) -> _Sides:
        end = [self.loaded.tokenizer.eos_token_id] if self.options.eos else []
        rows = [self.with_prefix([*text.ids, *end]) for text in texts]
        spans = [(first, len(ids)) for ids, first in rows]
        return _Sides([ids for ids, _ in rows], spans, [len(t.text.encode()) for t in texts])

    def _critical(self, table: pa.Table, method: str) -> tuple[_Sides, _Sides, list[str | None]]:
        good = self.encode(table["sentence_good"].to_pylist())
        bad = self.encode(table["sentence_bad"].to_pylist())
        columns = [table[f"{method}_{end}"].to_pylist() for end in _ENDS[method]]
        sides = _Sides([], [], []), _Sides([], [], [])
        skipped: list[str | None] = []
        for ours, theirs, *values in zip(good, bad, *columns, strict=True):
            found = _spans(method, ours, theirs, values)
            skipped.append(found if isinstance(found, str) else None)
            pair = (None, None) if isinstance(found, str) else found
            for side, text, span in zip(sides, (ours, theirs), pair, strict=True):
                self._add(side, text, span)
        return *sides, skipped

    def _add(self, side: _Sides, text: Encoded, span: TokenSpan | None) -> None:
        last = span.last if span else 0
        ids, first = self.with_prefix(text.ids[:last])
        shift = len(ids) - last
        side.ids.append(ids)
        side.spans.append((max(span.first + shift, first), last + shift) if span else (0, 0))
        side.sizes.append(len(text.text[span.start : span.stop].encode()) if span else 0)

    def _skip_long(self, side: _Sides, skipped: list[str | None]) -> None:
        for i, ids in enumerate(side.ids):
            if skipped[i] is None and len(ids) > self.loaded.longest:
                skipped[i] = "too long for the model"


def _lengths(spans: Sequence[tuple[int, int]]) -> NDArray[np.int32]:
    return np.array([stop - start for start, stop in spans], dtype=np.int32)


_ENDS = {
    "one_prefix": ("prefix", "word_good", "word_bad"),
    "two_prefix": ("prefix_good", "prefix_bad", "word"),
}


def _spans(
    method: str, ours: Encoded, theirs: Encoded, values: Sequence[str | None]
) -> tuple[TokenSpan, TokenSpan] | str:
    """Find the tokens that a prefix method compares, or say why there are none."""
    if values[0] is None or values[1] is None or values[2] is None:
        return f"no {method.replace('_', '-')} pair"
    if method == "one_prefix":
        prefix, word_good, word_bad = values[0], values[1], values[2]
        places = _after(ours.text, prefix, word_good), _after(theirs.text, prefix, word_bad)
    else:
        places = _after(ours.text, values[0], values[2]), _after(theirs.text, values[1], values[2])
    if places[0] is None or places[1] is None:
        return "prefix and word are not in the sentence"
    found = shared_spans(ours, theirs, places[0], places[1])
    return found or "no shared token boundary"


def _after(text: str, prefix: str, word: str) -> tuple[int, int] | None:
    start = text.find(word, len(prefix))
    return (start, start + len(word)) if start >= 0 else None
