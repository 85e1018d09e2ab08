"""N-gram models: modified Kneser-Ney smoothing, ARPA files, and the scores of pairs."""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.baselines.corpus import BOS, EOS, UNK, Vocabulary, Wording, frequent_words
from solecism.errors import fail
from solecism.hashing import file_digest
from solecism.inputs import check, read_json
from solecism.terminal import Tell

_LN10 = float(np.log(10.0))
_TYPE = "solecism-ngram"
_HEAD = re.compile(r"\\.*[\\:]\s*|\\")
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NgramLevel:
    """All n-grams of one order, with log10 probabilities; the highest order has no ``backoff``.

    The index of an n-gram is its place here. Its key is ``index of the history among the n-grams
    one shorter * vocabulary size + id of the last word``; ``keys`` are in ascending order.
    """

    keys: Ints
    logp: Floats
    backoff: Floats = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, history: Ints, words: Ints, size: int) -> Ints:
        """Return the indices of n-grams, -1 where there is none; a history of -1 has none."""
        if not len(self.keys):
            return np.full(len(words), -1)
        keys = history * size + words
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where((history >= 0) & (self.keys[places] == keys), places, -1)


def write_arpa(path: Path, words: tuple[str, ...], levels: tuple[NgramLevel, ...]) -> None:
    """Write a model, log10 with nine digits, orders ascending."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write("\\data\\\n")
        out.writelines(f"ngram {n}={len(level)}\n" for n, level in enumerate(levels, 1))
        texts = list(words)
        for n, level in enumerate(levels, 1):
            if n > 1:
                pairs = (part.tolist() for part in divmod(level.keys, len(words)))
                texts = [f"{texts[before]} {words[w]}" for before, w in zip(*pairs, strict=True)]
            weights = [f"\t{b:.9g}" for b in level.backoff.tolist()] or [""] * len(level)
            out.write(f"\n\\{n}-grams:\n")
            rows = zip(level.logp.tolist(), texts, weights, strict=True)
            out.writelines(f"{p:.9g}\t{text}{weight}\n" for p, text, weight in rows)
        out.write("\n\\end\\\n")


class _Section(NamedTuple):
    """The n-grams of one order as they are in a file; ``line``: the number of the first."""

    line: int
    texts: list[str]
    logp: Floats
    backoff: Floats


def read_arpa(path: Path) -> tuple[tuple[str, ...], tuple[NgramLevel, ...]]:
    """Read the words and the levels of a model.

    ``<s>``, ``</s>`` and ``<unk>`` (also ``<UNK>``) are added where a file lacks them, with log10 P
    of -99. Raises :class:`InputError` with file and line for what is no ARPA file, a wrong count, a
    number that is none or not finite, a probability above 1, an n-gram that stands twice or whose
    words or history are not in the file.
    """
    first, *others = [_parsed(path, *section) for section in _sections(path)]
    missing = [word for word in (UNK, BOS, EOS) if word not in first.texts]
    logp = np.append(first.logp, np.full(len(missing), -99.0))
    backoff = np.append(first.backoff, np.zeros(len(missing)))
    words = (*first.texts, *missing)
    levels = [NgramLevel(np.arange(len(words)), logp, backoff)]
    for n, section in enumerate(others, 2):
        levels.append(_level(path, n, section, words, levels))
    return words, (*levels[:-1], replace(levels[-1], backoff=np.zeros(0)))


def _sections(path: Path) -> Iterator[tuple[int, int, list[str]]]:
    """Yield order, line number and lines of each section, whose number the header gives."""
    try:
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
        lines = text.decode().split("\n")
    except (UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise fail(f"cannot be read: {error}", path) from None
    heads = [i for i, line in enumerate(lines) if _HEAD.fullmatch(line)]
    names = [lines[i].strip() for i in heads]
    orders = len(heads) - 2
    wanted = ["\\data\\", *(f"\\{n}-grams:" for n in range(1, orders + 1)), "\\end\\"]
    if orders < 1 or names != wanted:
        raise fail(f"is no ARPA file: its sections are {', '.join(names[:8]) or 'none'}", path)
    head = [line.strip() for line in lines[heads[0] : heads[1]]]
    for n in range(1, orders + 1):
        body = [line for line in lines[heads[n] + 1 : heads[n + 1]] if line.strip()]
        if f"ngram {n}={len(body)}" not in head:
            message = f"{len(body)} {n}-grams stand here, the header says otherwise"
            raise fail(message, path, heads[n] + 1)
        yield n, heads[n] + 2, body


def _parsed(path: Path, order: int, first: int, lines: list[str]) -> _Section:
    texts, numbers = [], []
    for i, line in enumerate(lines, first):
        cells = line.rstrip("\r").split("\t")
        if len(cells) == 1:  # some programs put spaces where the format has tabs
            words = line.split()
            cells = [words[0], " ".join(words[1 : order + 1]), *words[order + 1 :]]
        try:
            numbers.append((float(cells[0]), float(cells[2]) if len(cells) > 2 else 0.0))
            if cells[1].count(" ") != order - 1:
                raise ValueError(cells[1])
            texts.append(cells[1].replace("<UNK>", UNK))
        except (ValueError, IndexError):
            raise fail(f"{line!r} is no {order}-gram", path, i) from None
    section = _Section(first, texts, *np.array(numbers, float).reshape(-1, 2).T)
    wrong = ~(section.logp <= 0) | np.isinf(section.logp)
    _refuse(path, section, wrong, "its log10 P is no number up to 0")
    _refuse(path, section, ~np.isfinite(section.backoff), "its back-off weight is no finite number")
    codes = pc.dictionary_encode(pa.array(texts, pa.string())).indices
    again = np.ones(len(texts), bool)
    again[np.unique(codes, return_index=True)[1]] = False
    _refuse(path, section, again, "it stands twice")
    return section


def _level(
    path: Path, order: int, section: _Section, words: tuple[str, ...], lower: list[NgramLevel]
) -> NgramLevel:
    flat = pc.split_pattern(pa.array(section.texts, pa.string()), " ").values
    found = pc.fill_null(pc.index_in(flat, value_set=pa.array(words, pa.string())), -1)
    ids = np.asarray(found, dtype=np.int64).reshape(-1, order)
    _refuse(path, section, ids.min(axis=1, initial=0) < 0, "a word of it is not among the 1-grams")
    history: Ints = ids[:, 0]
    for n in range(1, order - 1):
        history = lower[n].find(history, ids[:, n], len(words))
    _refuse(path, section, history < 0, "its history is not in the file")
    keys = history * len(words) + ids[:, -1]
    rank = np.argsort(keys, kind="stable")
    return NgramLevel(keys[rank], section.logp[rank], section.backoff[rank])


def _refuse(path: Path, section: _Section, wrong: NDArray[np.bool_], why: str) -> None:
    if wrong.any():
        at = int(np.argmax(wrong))
        raise fail(f"{section.texts[at]!r}: {why}", path, section.line + at)


@dataclass(eq=False)
class NgramModel:
    """A back-off model: ``words`` by id, and ``levels`` of order 1 to N with log10 probabilities.

    ``p(w | h) = p(hw)`` where the n-gram is listed, else ``backoff(h) * p(w | h without its first
    word)``. It is fast: whole tables are scored together (``window`` 0), and ``tell`` not called.
    """

    words: tuple[str, ...]
    levels: tuple[NgramLevel, ...]
    wording: Wording = field(default_factory=Wording)
    window: int = 0
    tell: Tell = lambda share: None

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that the model knows."""
        return Vocabulary(frozenset(self.words) - {UNK, BOS, EOS}, self.wording.lower)

    @cached_property
    def _word_array(self) -> pa.Array:
        """The words for :meth:`stream`, which is called for each batch of texts."""
        return pa.array(self.words, pa.string())

    def stream(self, texts: pa.Array) -> tuple[Ints, Ints]:
        """Return the ids of all sentences, each with its marks, and the place of each ``<s>``."""
        lists = self.wording.words(texts)
        ids = pc.index_in(lists.values, value_set=self._word_array)
        known = np.asarray(pc.fill_null(ids, self.words.index(UNK)), dtype=np.int64)
        bounds = np.asarray(lists.offsets, dtype=np.int64)
        return with_marks(known, bounds, self.words.index(BOS), self.words.index(EOS))

    def word_logp(self, stream: Ints) -> Floats:
        """Return the natural log probability of every word after those before it (``<s>``: 0)."""
        score = self.levels[0].logp[stream].copy()
        history = stream
        for start, (lower, level) in enumerate(pairwise(self.levels), 1):
            history = history[: len(stream) - start]
            found = level.find(history, stream[start:], len(self.words))
            backed = score[start:] + np.where(history >= 0, lower.backoff[history], 0.0)
            listed = level.logp[found] if len(level) else backed
            score[start:] = np.where(found >= 0, listed, backed)
            history = found
        score[stream == self.words.index(BOS)] = 0.0
        return score * _LN10

    def sentence_logp(self, texts: pa.Array) -> Floats:
        """Return the natural log probability of each text with ``</s>``; equal ones are scored
        once.
        """
        coded = pc.dictionary_encode(texts)
        if not len(coded):
            return np.zeros(0)
        stream, starts = self.stream(coded.dictionary)
        totals = np.add.reduceat(self.word_logp(stream), starts)
        return np.asarray(totals[np.asarray(coded.indices)])

    def perplexity(self, texts: pa.Array) -> float:
        """Return the perplexity per word, ``</s>`` counted and ``<unk>`` taken for a word."""
        stream, starts = self.stream(texts)
        return float(np.exp(-self.word_logp(stream).sum() / (len(stream) - len(starts))))


def with_marks(ids: Ints, bounds: Ints, first: int, last: int) -> tuple[Ints, Ints]:
    """Put a mark before and behind every sentence; ``bounds`` are the places between sentences."""
    starts = bounds[:-1] - bounds[0] + 2 * np.arange(len(bounds) - 1)
    lengths = np.diff(bounds)
    out = np.full(int(lengths.sum()) + 2 * len(lengths), -1, np.int64)
    out[starts] = first
    out[starts + lengths + 1] = last
    out[out < 0] = ids[bounds[0] : bounds[-1]]
    return out, starts


def arpa_of(path: Path) -> Path | None:
    """Return the ARPA file of an n-gram model: itself, or that in a folder of :func:`save_ngram`.

    Return None for what is no such model.
    """
    if path.is_dir():
        inside = path / "model.arpa"
        return inside if inside.is_file() else None
    return path if path.name.endswith((".arpa", ".arpa.gz")) and path.is_file() else None


def load_ngram(path: str | Path) -> NgramModel:
    """Load an ARPA file (also ``.arpa.gz``) or a model folder.

    Raises :class:`InputError` where there is none or where a line of it is wrong.
    """
    file = _existing(path)
    return NgramModel(*read_arpa(file), _wording(file.parent / "config.json"))


def _existing(path: str | Path) -> Path:
    if (file := arpa_of(Path(path))) is not None:
        return file
    kinds = "a file .arpa or .arpa.gz, or a folder with model.arpa"
    raise fail(f"is no n-gram model ({kinds})", path)


def _wording(path: Path) -> Wording:
    """Return how text is split into words for a model; a config of another kind does not say it."""
    config = read_json(path, dict) if path.is_file() else {}
    if config.get("model_type") != _TYPE:
        return Wording()
    check(config, {"lower": bool, "marks": bool}, path, "config of an n-gram model")
    return Wording(config["lower"], config["marks"])


def save_ngram(model: NgramModel, folder: Path) -> None:
    """Write ``model.arpa`` and ``config.json`` (order, how text is split) into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_arpa(folder / "model.arpa", model.words, model.levels)
    config = {"model_type": _TYPE, "order": len(model.levels), **vars(model.wording)}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def ngram_revision(path: str | Path) -> str:
    """Return the first digits of a SHA-256 that identify a model in signatures.

    It is that of the ARPA file and of how the model splits text.
    """
    file = _existing(path)
    parts = (file_digest(file), repr(_wording(file.parent / "config.json")))
    return f"sha256-{hashlib.sha256(''.join(parts).encode()).hexdigest()[:12]}"


@dataclass(frozen=True)
class _Grams:
    """The n-grams of one order that were seen, keys as in :class:`NgramLevel`.

    ``suffix``: the index of each, without its first word, among those one shorter; ``counts``: how
    often it was seen, or after how many words.
    """

    keys: Ints
    suffix: Ints
    counts: Ints


def discounts(counts: Ints) -> Floats:
    """Return what is taken from each count, which depends on whether it is 1, 2, or 3 or more.

    Estimated from counts of counts (Chen & Goodman 1998, equation 26); 0.5, 1, 1.5 where these give
    none within ``0 <= D_k <= k`` (tiny texts), as lmplz has it.
    """
    times = np.bincount(np.minimum(counts, 5), minlength=6).astype(float)
    taken = [0.5, 1.0, 1.5]
    if times[1:4].all():
        part = times[1] / (times[1] + 2 * times[2])
        found = [float(k - (k + 1) * part * times[k + 1] / times[k]) for k in (1, 2, 3)]
        taken = found if all(0 <= value <= k for k, value in enumerate(found, 1)) else taken
    return np.array([0.0, *taken])[np.minimum(counts, 3)]


def estimate(
    texts: pa.Array, order: int = 5, vocabulary: int | None = None, wording: Wording | None = None
) -> NgramModel:
    """Estimate a model from sentences.

    ``vocabulary``: that many of the most frequent words are kept, others are ``<unk>`` (None: all
    are kept). An ``order`` beyond the longest sentence, marks included, is lowered. The unigrams
    are interpolated with the uniform distribution over all words, ``<unk>`` and ``</s>``. Raises
    :class:`InputError` for an order below 1.
    """
    if order < 1:
        raise fail(f"an n-gram model of order {order} cannot be: 1 is the least")
    shape = wording or Wording()
    lists = shape.words(texts)
    words = (UNK, BOS, EOS, *frequent_words(lists.values, vocabulary))
    ids = pc.fill_null(pc.index_in(lists.values, value_set=pa.array(words, pa.string())), 0)
    bounds = np.asarray(lists.offsets, dtype=np.int64)
    stream, starts = with_marks(np.asarray(ids, dtype=np.int64), bounds, 1, 2)
    grams = _count(stream, starts, order, len(words))
    return NgramModel(words, _smooth(_adjusted(grams, len(words)), len(words)), shape)


def _count(stream: Ints, starts: Ints, order: int, size: int) -> list[_Grams]:
    """Count the n-grams of every order within sentences."""
    sentence = np.cumsum(np.isin(np.arange(len(stream)), starts))
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
    """Count, below the highest order, the distinct words before an n-gram without ``<s>``."""
    first = np.arange(size)
    out: list[_Grams] = []
    for lower, higher in pairwise(grams):
        if out:
            first = first[lower.keys // size]
        counts = np.bincount(higher.suffix, minlength=len(lower.keys))
        out.append(replace(lower, counts=np.where(first == 1, lower.counts, counts)))
    return [*out, grams[-1]]


def _smooth(grams: list[_Grams], size: int) -> tuple[NgramLevel, ...]:
    """Discount, and interpolate with the lower orders; what is left are the back-off weights."""
    unigrams = grams[0].counts.copy()
    unigrams[1] = 0
    taken = discounts(unigrams)
    prob = (unigrams - taken + taken.sum() / (size - 1)) / unigrams.sum()
    prob[1] = 0.0
    levels, keys = [], grams[0].keys
    for gram in grams[1:]:
        history = gram.keys // size
        taken = discounts(gram.counts)
        total = np.bincount(history, gram.counts, len(keys)).astype(np.float64)
        left = np.bincount(history, taken, len(keys)).astype(np.float64)
        # one for an n-gram that is no history
        left = np.divide(left, total, out=np.ones_like(left), where=total > 0)
        levels.append(NgramLevel(keys, _log(prob), _log(left)))
        prob = (gram.counts - taken) / total[history] + left[history] * prob[gram.suffix]
        keys = gram.keys
    return (*levels, NgramLevel(keys, _log(prob)))


def _log(values: Floats) -> Floats:
    """Return log10, with -99 for 0, as ARPA files have it."""
    return np.where(values > 0, np.log10(np.where(values > 0, values, 1.0)), -99.0)
