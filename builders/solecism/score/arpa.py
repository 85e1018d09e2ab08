"""N-gram models in ARPA files, read and written."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.score.corpus import BOS, EOS, UNK
from solecism.score.levels import Floats, Ints, Level

__all__ = ["read_arpa", "write_arpa"]


def write_arpa(path: Path, words: tuple[str, ...], levels: tuple[Level, ...]) -> None:
    """Write a model, log10 with nine digits, orders ascending (``.gz``: compressed)."""
    with _open(path, "wt") as out:
        out.write("\\data\\\n")
        out.writelines(f"ngram {n}={len(level)}\n" for n, level in enumerate(levels, 1))
        texts = list(words)
        for n, level in enumerate(levels, 1):
            if n > 1:
                texts = _extended(texts, level, words)
            out.write(f"\n\\{n}-grams:\n")
            out.writelines(_lines(level, texts))
        out.write("\n\\end\\\n")


def _open(path: Path, mode: str) -> io.TextIOWrapper:
    if path.suffix == ".gz":
        zipped = gzip.GzipFile(path, mode[0] + "b", mtime=0)
        return io.TextIOWrapper(zipped, encoding="utf-8", newline="\n")
    file = path.open(mode[0] + "b")
    return io.TextIOWrapper(file, encoding="utf-8", newline="\n")


def _extended(texts: list[str], level: Level, words: tuple[str, ...]) -> list[str]:
    history, last = level.split(len(words))
    pairs = zip(history.tolist(), last.tolist(), strict=True)
    return [f"{texts[before]} {words[word]}" for before, word in pairs]


def _lines(level: Level, texts: list[str]) -> Iterator[str]:
    logp = level.logp.tolist()
    if not len(level.backoff):
        yield from (f"{p:.9g}\t{text}\n" for p, text in zip(logp, texts, strict=True))
        return
    for p, text, b in zip(logp, texts, level.backoff.tolist(), strict=True):
        yield f"{p:.9g}\t{text}\t{b:.9g}\n"


@dataclass(frozen=True)
class _Section:
    """The n-grams of one order as they stand in a file; ``line``: the number of the first."""

    line: int
    texts: list[str]
    logp: Floats
    backoff: Floats


def read_arpa(path: Path) -> tuple[tuple[str, ...], tuple[Level, ...]]:
    """Read the words and the levels of a model.

    ``<s>``, ``</s>`` and ``<unk>`` (also ``<UNK>``) are added where a file lacks them, with log10 P of -99.
    Raises :class:`InputError` with file and line for what is no ARPA file, a wrong count, a number that is
    none, an n-gram that stands twice or whose words or history are not in the file.
    """
    if not path.is_file():
        raise fail("there is no such file", path)
    sections = [_parsed(path, *section) for section in _sections(path)]
    words, first = _unigrams(path, sections[0])
    levels = [first]
    for n, section in enumerate(sections[1:], 2):
        levels.append(_level(path, n, section, words, levels))
    return words, (*levels[:-1], replace(levels[-1], backoff=np.zeros(0)))


def _sections(path: Path) -> Iterator[tuple[int, int, list[str]]]:
    """Yield order, line number and lines of each section, whose number the header gives."""
    with _open(path, "rt") as file:
        try:
            lines = file.read().split("\n")
        except (UnicodeDecodeError, OSError) as error:
            raise fail(f"cannot be read: {error}", path) from None
    heads = [
        i
        for i, line in enumerate(lines)
        if line.startswith("\\") and line.rstrip().endswith(("\\", ":"))
    ]
    names = [lines[i].strip() for i in heads]
    orders = len(heads) - 2
    wanted = ["\\data\\", *(f"\\{n}-grams:" for n in range(1, orders + 1)), "\\end\\"]
    if orders < 1 or names != wanted:
        raise fail(f"is no ARPA file: its sections are {', '.join(names[:8]) or 'none'}", path)
    for n in range(1, orders + 1):
        body = [line for line in lines[heads[n] + 1 : heads[n + 1]] if line.strip()]
        if f"ngram {n}={len(body)}" not in (line.strip() for line in lines[heads[0] : heads[1]]):
            raise fail(
                f"{len(body)} {n}-grams stand here, the header says otherwise", path, heads[n] + 1
            )
        yield n, heads[n] + 2, body


def _parsed(path: Path, order: int, first: int, lines: list[str]) -> _Section:
    texts, numbers = [], []
    for i, line in enumerate(lines):
        cells = line.rstrip("\r").split("\t") if "\t" in line else _spaced(line, order)
        try:
            numbers.append((float(cells[0]), float(cells[2]) if len(cells) > 2 else 0.0))
            texts.append(cells[1])
        except (ValueError, IndexError):
            raise fail(f"{line!r} is no {order}-gram", path, first + i) from None
        if cells[1].count(" ") != order - 1:
            raise fail(f"{cells[1]!r} is no {order}-gram", path, first + i)
    table = np.array(numbers, float).reshape(-1, 2)
    return _Section(first, texts, table[:, 0], table[:, 1])


def _spaced(line: str, order: int) -> list[str]:
    """Some programs put spaces where the format has tabs."""
    cells = line.split()
    return [cells[0], " ".join(cells[1 : order + 1]), *cells[order + 1 :]]


def _unigrams(path: Path, section: _Section) -> tuple[tuple[str, ...], Level]:
    words = [UNK if text == "<UNK>" else text for text in section.texts]
    if len(set(words)) < len(words):
        twice = next(word for i, word in enumerate(words) if word in words[:i])
        raise fail(f"the word {twice!r} stands twice", path, section.line + words.index(twice))
    missing = [word for word in (UNK, BOS, EOS) if word not in words]
    logp = np.append(section.logp, np.full(len(missing), -99.0))
    backoff = np.append(section.backoff, np.zeros(len(missing)))
    words += missing
    return tuple(words), Level(np.arange(len(words)), logp, backoff)


def _level(
    path: Path, order: int, section: _Section, words: tuple[str, ...], lower: list[Level]
) -> Level:
    ids = _word_ids(path, order, section, words)
    history: Ints = ids[:, 0]
    for n in range(1, order - 1):
        history = lower[n].find(history, ids[:, n], len(words))
    _refuse(path, section, history < 0, "its history is not in the file")
    keys = history * len(words) + ids[:, -1]
    rank = np.argsort(keys, kind="stable")
    same = np.zeros(len(keys), bool)
    same[rank[1:]] = keys[rank[1:]] == keys[rank[:-1]]
    _refuse(path, section, same, "it stands twice")
    return Level(keys[rank], section.logp[rank], section.backoff[rank])


def _word_ids(path: Path, order: int, section: _Section, words: tuple[str, ...]) -> Ints:
    flat = pc.split_pattern(pa.array(section.texts, pa.string()), " ").values
    flat = pc.if_else(pc.equal(flat, "<UNK>"), UNK, flat)
    found = pc.fill_null(pc.index_in(flat, value_set=pa.array(words, pa.string())), -1)
    ids = np.asarray(found, dtype=np.int64).reshape(-1, order)
    _refuse(path, section, ids.min(axis=1, initial=0) < 0, "a word of it is not among the 1-grams")
    return ids


def _refuse(path: Path, section: _Section, wrong: NDArray[np.bool_], why: str) -> None:
    if wrong.any():
        at = int(np.argmax(wrong))
        raise fail(f"{section.texts[at]!r}: {why}", path, section.line + at)
