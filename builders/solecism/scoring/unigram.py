"""Unigram models over the tokens of a model, which SLOR needs: how frequent a text's tokens are.

P(token) = (count + 1) / (all tokens + size of the vocabulary), counted in text of the user's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.baselines.corpus import BOS
from solecism.baselines.ngram import NgramModel
from solecism.errors import fail
from solecism.scoring.encoding import encode

__all__ = ["Unigram", "estimate_unigram"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

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

    @classmethod
    def of_counts(cls, name: str, counts: Ints) -> Unigram:
        """Return the model of the counts of all tokens of a vocabulary, one added to each."""
        digest = hashlib.sha256(counts.astype("<i8").tobytes()).hexdigest()
        return cls(name, digest, np.log(counts + 1) - np.log(counts.sum() + len(counts)))

    def __str__(self) -> str:
        """Return how signatures name it."""
        return f"{self.name}#{self.digest[:8]}"

    def sums(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Return log P of sequences of tokens."""
        owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        tokens = np.fromiter(chain.from_iterable(rows), np.int64, len(owners))
        return self.by_owner(owners, tokens, len(rows))

    def by_owner(
        self, owners: Sequence[int] | Ints, tokens: Sequence[int] | Ints, count: int
    ) -> Floats:
        """Return log P of ``count`` owners' tokens, of which ``owners[i]`` has ``tokens[i]``."""
        weights = self.logp[np.asarray(tokens, np.int64)]
        return np.bincount(np.asarray(owners, np.int64), weights, count).astype(np.float64)

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
    is missing, empty or not UTF-8, and for a reader without a tokenizer.
    """
    path = Path(path)
    counts = np.zeros(_size(reader), np.int64)
    for lines in _lines(path):
        counts += np.bincount(_tokens(reader, lines), minlength=len(counts))
    if not counts.any():
        raise fail("there is no text to count tokens in", path)
    return Unigram.of_counts(path.resolve().name, counts)


def _size(reader: Any) -> int:
    if isinstance(reader, NgramModel):
        return len(reader.words)
    if not hasattr(reader, "loaded"):
        raise fail("a unigram model needs the tokenizer of the model, which is not here")
    return int(max(reader.loaded.tokenizer.get_vocab().values())) + 1


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
    for file in _files(path):
        try:
            with file.open(encoding="utf-8-sig") as text:
                wanted = (line.strip() for line in text)
                yield from _batches(line for line in wanted if line)
        except UnicodeDecodeError as error:
            raise fail(f"is not UTF-8 (byte {error.start})", file) from None


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise fail("there is no such text file or folder", path)
    found = (file for file in sorted(path.rglob("*")) if file.is_file())
    return [file for file in found if not file.name.startswith(".")]


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(lines)
    while batch := list(islice(rest, _LINES)):
        yield batch
