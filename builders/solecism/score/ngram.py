"""N-gram models with back-off: their arrays, the probability of sentences, and the scores of pairs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.score.arpa import read_arpa, write_arpa
from solecism.score.corpus import BOS, EOS, UNK, Wording
from solecism.score.levels import Floats, Ints, Level
from solecism.score.results import scores_table
from solecism.score.vocabulary import OUT_OF_VOCABULARY, Vocabulary, unknown_critical

__all__ = ["NgramModel", "is_ngram", "load_ngram", "ngram_revision", "save_ngram", "score_ngram"]

_LN10 = float(np.log(10.0))
_TYPE = "solecism-ngram"


@dataclass(frozen=True)
class NgramModel:
    """A back-off model: ``words`` by id, and ``levels`` of order 1 to N with log10 probabilities.

    ``p(w | h) = p(hw)`` where the n-gram is listed, else ``backoff(h) * p(w | h without its first word)``.
    """

    words: tuple[str, ...]
    levels: tuple[Level, ...]
    wording: Wording = field(default_factory=Wording)

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that the model knows."""
        return Vocabulary(frozenset(self.words) - {UNK, BOS, EOS}, self.wording.lower)

    @cached_property
    def _index(self) -> pa.Array:
        return pa.array(self.words, pa.string())

    def stream(self, texts: pa.Array) -> tuple[Ints, Ints]:
        """Give the ids of all sentences in one row, each ``<s> ... </s>``, and the place of each ``<s>``."""
        lists = self.wording.words(texts)
        ids = pc.index_in(lists.values, value_set=self._index)
        known = np.asarray(pc.fill_null(ids, self.words.index(UNK)), dtype=np.int64)
        bounds = np.asarray(lists.offsets, dtype=np.int64)
        return with_marks(known, bounds, self.words.index(BOS), self.words.index(EOS))

    def word_logp(self, stream: Ints) -> Floats:
        """Give the natural log probability of every word of a row after those before it (0 for ``<s>``)."""
        score = self.levels[0].logp[stream].copy()
        history = stream
        for size in range(2, self.order + 1):
            start, level = size - 1, self.levels[size - 1]
            history = history[: len(stream) - start]
            found = level.find(history, stream[start:], len(self.words))
            backed = score[start:] + self.levels[size - 2].backoff_of(history)
            score[start:] = (
                np.where(found >= 0, level.logp[found], backed) if len(level) else backed
            )
            history = found
        score[stream == self.words.index(BOS)] = 0.0
        return score * _LN10

    def sentence_logp(self, texts: pa.Array) -> Floats:
        """Give the natural log probability of each text, ``</s>`` included; equal texts are scored once."""
        coded = pc.dictionary_encode(texts)
        if not len(coded):
            return np.zeros(0)
        stream, starts = self.stream(coded.dictionary)
        totals = np.add.reduceat(self.word_logp(stream), starts)
        return np.asarray(totals[np.asarray(coded.indices)])

    def perplexity(self, texts: pa.Array) -> float:
        """Perplexity of sentences per word, ``</s>`` counted and ``<unk>`` taken for a word."""
        stream, starts = self.stream(texts)
        return float(np.exp(-self.word_logp(stream).sum() / (len(stream) - len(starts))))


def with_marks(ids: Ints, bounds: Ints, first: int, last: int) -> tuple[Ints, Ints]:
    """Put a mark before and behind every sentence of a row; ``bounds`` are the places between sentences."""
    starts = bounds[:-1] - bounds[0] + 2 * np.arange(len(bounds) - 1)
    lengths = np.diff(bounds)
    out = np.full(int(lengths.sum()) + 2 * len(lengths), -1, np.int64)
    out[starts] = first
    out[starts + lengths + 1] = last
    out[out < 0] = ids[bounds[0] : bounds[-1]]
    return out, starts


def score_ngram(tables: Iterable[pa.Table], model: NgramModel) -> Iterator[pa.Table]:
    """Score pairs by log P of ``tokens_good`` and ``tokens_bad`` with ``<s>`` and ``</s>``.

    Yields a table of SCORES for each table of pairs. The number of tokens counts ``</s>``. A pair with a
    critical word that the model does not know is skipped (Mueller et al. 2020, appendix D).
    """
    for pairs in tables:
        skip = unknown_critical(pairs, model.vocabulary)
        logp, words, size = _side(pairs, "tokens_good", model, skip)
        logp_bad, words_bad, size_bad = _side(pairs, "tokens_bad", model, skip)
        reasons = [OUT_OF_VOCABULARY if unknown else None for unknown in skip]
        yield scores_table(
            pairs, "ngram", logp, logp_bad, words, words_bad, size, size_bad, reasons
        )


def _side(
    pairs: pa.Table, column: str, model: NgramModel, skip: NDArray[np.bool_]
) -> tuple[Floats, Ints, Ints]:
    texts = pairs[column].combine_chunks().fill_null("")
    logp = np.where(skip, np.nan, model.sentence_logp(texts))
    counts = np.asarray(pc.list_value_length(model.wording.words(texts)), dtype=np.int64) + 1
    return logp, counts, np.asarray(pc.binary_length(texts), dtype=np.int64)


def is_ngram(path: str | Path) -> bool:
    """Tell whether a path is an n-gram model: an ARPA file or a folder that :func:`save_ngram` wrote."""
    return _arpa_of(Path(path)) is not None


def _arpa_of(path: Path) -> Path | None:
    if path.is_dir():
        inside = path / "model.arpa"
        return inside if inside.is_file() else None
    fits = path.name.endswith((".arpa", ".arpa.gz"))
    return path if fits and path.is_file() else None


def load_ngram(path: str | Path) -> NgramModel:
    """Load an ARPA file (also ``.arpa.gz``) or a model folder.

    Raises :class:`InputError` where there is none or where a line of it is wrong.
    """
    file = _arpa_of(Path(path))
    if file is None:
        raise fail(
            "is no n-gram model (a file .arpa or .arpa.gz, or a folder with model.arpa)", path
        )
    words, levels = read_arpa(file)
    return NgramModel(words, levels, _wording(file.parent / "config.json"))


def _wording(path: Path) -> Wording:
    config = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if config.get("model_type") != _TYPE:
        return Wording()
    return Wording(lower=config["lower"], marks=config["marks"])


def save_ngram(model: NgramModel, folder: Path) -> None:
    """Write ``model.arpa`` and ``config.json`` (order, how text is split) into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_arpa(folder / "model.arpa", model.words, model.levels)
    config = {"model_type": _TYPE, "order": model.order, **vars(model.wording)}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def ngram_revision(path: str | Path) -> str:
    """The first digits of the SHA-256 of the ARPA file, which tell a model from another in signatures."""
    file = _arpa_of(Path(path))
    if file is None:
        raise fail("is no n-gram model", path)
    with file.open("rb") as stream:
        return f"sha256-{hashlib.file_digest(stream, 'sha256').hexdigest()[:12]}"
