"""Interpolated modified Kneser-Ney smoothing (Chen & Goodman 1998, section 3; Heafield et al. 2013)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import fail
from solecism.score.corpus import BOS, EOS, UNK, Wording, frequent_words
from solecism.score.levels import Floats, Ints, Level
from solecism.score.ngram import NgramModel, with_marks

__all__ = ["Discounts", "discounts", "estimate"]

_FALLBACK = (0.5, 1.0, 1.5)


@dataclass(frozen=True)
class Discounts:
    """What is taken from counts of 1, 2, and 3 or more. ``estimated`` is false where the counts of counts gave
    none within ``0 <= D_k <= k`` (tiny texts) and 0.5, 1, 1.5 stand in, as lmplz has it."""

    values: tuple[float, float, float]
    estimated: bool

    def of(self, counts: Ints) -> Floats:
        """The discount of each count (0 for a count of 0)."""
        return np.array((0.0, *self.values))[np.minimum(counts, 3)]


@dataclass(frozen=True)
class _Grams:
    """The n-grams of one order that were seen: keys as in ``Level``, the index of each without its first word
    among those one shorter, and its count (how often, or after how many words)."""

    keys: Ints
    suffix: Ints
    counts: Ints


def discounts(counts: Ints) -> Discounts:
    """Estimate the three discounts from counts of counts (Chen & Goodman 1998, equation 26)."""
    times = np.bincount(np.minimum(counts, 5), minlength=6).astype(float)
    if not times[1:4].all():
        return Discounts(_FALLBACK, False)
    part = times[1] / (times[1] + 2 * times[2])
    first, second, third = (float(k - (k + 1) * part * times[k + 1] / times[k]) for k in (1, 2, 3))
    fine = 0 <= first <= 1 and 0 <= second <= 2 and 0 <= third <= 3
    return Discounts((first, second, third), True) if fine else Discounts(_FALLBACK, False)


def estimate(
    texts: pa.Array, order: int = 5, vocabulary: int | None = None, wording: Wording | None = None
) -> NgramModel:
    """Estimate a model from sentences.

    ``vocabulary``: that many of the most frequent words are kept, others are ``<unk>`` (None: all are kept).
    An ``order`` beyond the longest sentence, marks included, is lowered. The unigrams are interpolated with the
    uniform distribution over all words, ``<unk>`` and ``</s>``. Raises :class:`InputError` for an order
    below 1.
    """
    if order < 1:
        raise fail(f"an n-gram model of order {order} cannot be: 1 is the least")
    shape = wording or Wording()
    lists = shape.words(texts)
    words = (UNK, BOS, EOS, *frequent_words(lists.values, vocabulary))
    ids = pc.fill_null(pc.index_in(lists.values, value_set=pa.array(words, pa.string())), 0)
    bounds = np.asarray(lists.offsets, dtype=np.int64)
    stream, starts = with_marks(np.asarray(ids, dtype=np.int64), bounds, 1, 2)
    grams = _adjusted(_count(stream, starts, order, len(words)), len(words))
    return NgramModel(words, _smooth(grams, len(words)), shape)


def _count(stream: Ints, starts: Ints, order: int, size: int) -> list[_Grams]:
    """Count the n-grams of every order within sentences."""
    sentence = np.zeros(len(stream), np.int64)
    sentence[starts] = 1
    sentence = np.cumsum(sentence)
    shorter = stream
    out = [_Grams(np.arange(size), np.zeros(0, np.int64), np.bincount(stream, minlength=size))]
    for n in range(2, order + 1):
        places = np.flatnonzero(sentence[: 1 - n] == sentence[n - 1 :])
        if not len(places):
            break
        codes = shorter[places] * size + stream[places + n - 1]
        keys, at, index, counts = np.unique(
            codes, return_index=True, return_inverse=True, return_counts=True
        )
        out.append(_Grams(keys, shorter[places[at] + 1], counts))
        shorter = np.full(len(stream), -1)
        shorter[places] = index
    return out


def _adjusted(grams: list[_Grams], size: int) -> list[_Grams]:
    """Below the highest order, count the distinct words before an n-gram, but not before ``<s>``."""
    first = np.arange(size)
    out: list[_Grams] = []
    for lower, higher in pairwise(grams):
        if out:
            first = first[lower.keys // size]
        counts = np.bincount(higher.suffix, minlength=len(lower.keys))
        out.append(replace(lower, counts=np.where(first == 1, lower.counts, counts)))
    return [*out, grams[-1]]


def _smooth(grams: list[_Grams], size: int) -> tuple[Level, ...]:
    """Discount, interpolate with the lower orders, and give what is left as back-off weights."""
    unigrams = grams[0].counts.copy()
    unigrams[1] = 0
    taken = discounts(unigrams).of(unigrams)
    prob = (unigrams - taken + taken.sum() / (size - 1)) / unigrams.sum()
    prob[1] = 0.0
    levels, keys = [], grams[0].keys
    for gram in grams[1:]:
        history = gram.keys // size
        taken = discounts(gram.counts).of(gram.counts)
        total = _summed(history, gram.counts, len(keys))
        left = _share(_summed(history, taken, len(keys)), total)
        levels.append(Level(keys, _log(prob), _log(left)))
        prob = (gram.counts - taken) / total[history] + left[history] * prob[gram.suffix]
        keys = gram.keys
    return (*levels, Level(keys, _log(prob)))


def _summed(groups: Ints, values: Floats | Ints, size: int) -> Floats:
    return np.asarray(np.bincount(groups, values, size), dtype=np.float64)


def _share(part: Floats, total: Floats) -> Floats:
    """What is left of each history's probability; one for an n-gram that is no history."""
    return np.divide(part, total, out=np.ones_like(part), where=total > 0)


def _log(values: Floats) -> Floats:
    """log10, with -99 for 0, as ARPA files have it."""
    return np.where(values > 0, np.log10(np.where(values > 0, values, 1.0)), -99.0)
