"""Normalised scores: what a run would have decided, had the sums been divided by lengths.

All come from the columns of a result's table; no model is asked again. SLOR needs a unigram model
over the model's tokens: P(token) = (count + 1) / (all tokens + size of the vocabulary), counted in
text of the user's.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.baselines.corpus import BOS
from solecism.baselines.ngram import NgramModel
from solecism.errors import fail, unknown_error
from solecism.scoring.encoding import encode

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Normaliser:
    """A way to make scores of texts of different lengths comparable: log P / length ** alpha.

    ``length``: ``tokens``, ``chars`` or ``bytes``; ``less_unigram``: log P is first reduced by that
    of the unigram model.
    """

    name: str
    length: str = "tokens"
    alpha: float = 1.0
    less_unigram: bool = False


_ALL = (
    Normaliser("sum", alpha=0.0), Normaliser("token"), Normaliser("char", "chars"),
    Normaliser("byte", "bytes"), Normaliser("slln", alpha=0.5), Normaliser("slor", less_unigram=True),
)  # fmt: skip
NORMALISERS = {each.name: each for each in _ALL}
"""The normalisers by name. ``slln``: Liu et al. (2024, ZhoBLiMP), whose exponent may be another one
(``slln:0.8``); ``slor``: Pauls and Klein (2012), Lau et al. (2017)."""

_MEASURED = ("logp", "tokens", "bytes", "chars", "unigram")
INPUTS = tuple(f"{name}_{side}" for name in _MEASURED for side in ("good", "bad"))
"""The columns that normalised scores are made of."""

_NO_SUMS = ("region", "cloze", "yes_no", "both")


def find_normaliser(name: str) -> Normaliser:
    """Return the normaliser of a name. Raises :class:`InputError` for an unknown one.

    >>> find_normaliser("slln:0.8").alpha
    0.8
    """
    if name in NORMALISERS:
        return NORMALISERS[name]
    alpha = re.fullmatch(r"slln:(\d+(\.\d+)?|\.\d+)", name)
    if alpha is None:
        known = [*NORMALISERS, "slln:ALPHA"]
        raise unknown_error("unknown normaliser", name, "normalisers", known)
    return Normaliser(name, alpha=float(alpha[1]))


def missing(table: pa.Table, normaliser: Normaliser) -> str:
    """Return what a table has not and a normaliser needs, "" if nothing is missing.

    Scores of suites compare surprisals of regions, those of cloze items sets of words: they are no
    sums over the tokens of texts.
    """
    method = table["method"][0].as_py() if len(table) else ""
    if method.partition(":")[0] in _NO_SUMS:
        return f"scores of the method {method!r} are no sums over tokens"
    needed = [normaliser.length, *(["unigram"] if normaliser.less_unigram else [])]
    for name in (f"{each}_good" for each in needed):
        if name not in table.column_names or 0 < len(table) == table[name].null_count:
            why = " (no unigram model was named: --unigram)" if name == "unigram_good" else ""
            return f"the result has nothing in column {name!r}{why}"
    return ""


def margins(table: pa.Table, normaliser: Normaliser) -> Floats:
    """Return by how much the good sides of pairs score better, NaN where there are no scores.

    In natural logarithms on the scale of the good side's sum: where both sides have the same
    length, this is what the sums differ by, so that ties are the same.
    """
    good, bad = (_floats(table, f"logp_{side}") for side in ("good", "bad"))
    if normaliser.less_unigram:
        good, bad = good - _floats(table, "unigram_good"), bad - _floats(table, "unigram_bad")
    long, short = (_floats(table, f"{normaliser.length}_{side}") for side in ("good", "bad"))
    known = ~(np.isnan(good) | np.isnan(bad)) & (long > 0) & (short > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = bad * (long / short) ** normaliser.alpha
        found = np.where(good == scaled, 0.0, good - scaled)  # both may be minus infinity
    return np.where(known, found, np.nan)


def _floats(table: pa.Table, name: str) -> Floats:
    """Return a column of numbers, NaN for null."""
    return np.asarray(table[name].cast(pa.float64()).to_numpy(), np.float64)


DIFFERENCES = ("-3 or less", "-2", "-1", "0", "1", "2", "3 or more")
"""Classes of the number of tokens of the good side less that of the bad side."""


def token_differences(table: pa.Table) -> NDArray[np.int64]:
    """Return the class of each pair, as a place in :data:`DIFFERENCES`."""
    apart = _floats(table, "tokens_good") - _floats(table, "tokens_bad")
    return np.clip(np.nan_to_num(apart), -3, 3).astype(np.int64) + 3


_LINES = 4096
"""Lines that are tokenised together."""


@dataclass(frozen=True, eq=False)
class Unigram:
    """A unigram model: the natural log probability of each token by its id.

    ``name`` is that of the text it was counted in, ``digest`` the SHA-256 of the counts.
    """

    name: str
    digest: str
    logp: Floats

    def __str__(self) -> str:
        """Return how signatures name it."""
        return f"{self.name}#{self.digest[:8]}"

    def sums(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Return log P of sequences of tokens."""
        owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        tokens = np.fromiter(chain.from_iterable(rows), np.int64, len(owners))
        return np.bincount(owners, self.logp[tokens], len(rows)).astype(np.float64)

    def of_words(self, model: NgramModel, texts: pa.Array) -> Floats:
        """Return log P of the words of texts, with ``</s>``, as an n-gram model reads them."""
        stream, starts = model.stream(texts)
        values = self.logp[stream]
        values[starts] = 0.0
        return np.add.reduceat(values, starts) if len(starts) else np.zeros(0)


def estimate_unigram(path: str | Path, reader: Any) -> Unigram:
    """Return a unigram model of the text of a file, or of all files of a folder.

    Each line is tokenised as the sentences are by ``reader`` (of a causal or masked model, or an
    n-gram model), without BOS; with EOS if that is scored. Raises :class:`InputError` for text that
    is missing, empty or not UTF-8.
    """
    path = Path(path)
    ngram = isinstance(reader, NgramModel)
    size = len(reader.words) if ngram else max(reader.loaded.tokenizer.get_vocab().values()) + 1
    counts = np.zeros(int(size), np.int64)
    for lines in _lines(path):
        counts += np.bincount(_tokens(reader, lines), minlength=len(counts))
    if not counts.any():
        raise fail("there is no text to count tokens in", path)
    digest = hashlib.sha256(counts.astype("<i8").tobytes()).hexdigest()
    logp = np.log(counts + 1) - np.log(counts.sum() + len(counts))
    return Unigram(path.resolve().name, digest, logp)


def _tokens(reader: Any, lines: Sequence[str]) -> Ints:
    if isinstance(reader, NgramModel):
        stream, _ = reader.stream(pa.array(lines, pa.string()))
        return np.asarray(stream[stream != reader.words.index(BOS)], np.int64)
    tokenizer = reader.loaded.tokenizer
    rows: list[Sequence[int]] = [text.ids for text in encode(tokenizer, lines, offsets=False)]
    if getattr(reader, "eos", False):
        rows.append([tokenizer.eos_token_id] * len(lines))
    return np.fromiter(chain.from_iterable(rows), np.int64)


def _lines(path: Path) -> Iterator[list[str]]:
    """Yield the lines that are not blank of a file, or of all files in a folder."""
    if not path.exists():
        raise fail("there is no such text file or folder", path)
    inside = (file for file in sorted(path.rglob("*")) if not file.name.startswith("."))
    for file in [path] if path.is_file() else filter(Path.is_file, inside):
        try:
            with file.open(encoding="utf-8-sig") as text:
                wanted = filter(None, map(str.strip, text))
                while batch := list(islice(wanted, _LINES)):
                    yield batch
        except UnicodeDecodeError as error:
            raise fail(f"is not UTF-8 (byte {error.start})", file) from None
