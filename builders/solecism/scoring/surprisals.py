"""Surprisals from files of other programs and published studies, instead of from a model."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from solecism.contrast import differing_words
from solecism.errors import candidates, fail
from solecism.scoring.critical import OUT_OF_VOCABULARY
from solecism.scoring.encoding import Encoded, words_of
from solecism.scoring.items import ItemSet, open_items
from solecism.scoring.methods.cloze import NO_OTHER_FORM, as_pairs
from solecism.scoring.methods.region import ReadSentence, SentenceReader, score_suites
from solecism.scoring.results import Result, ResultWriter, read_result, scores_table
from solecism.scoring.sentences import Sentence, sentences_of
from solecism.scoring.summary import Signature, items_right, refuse_replacing, summarize_file
from solecism.scoring.surprisal_files import SentenceLine, in_order, is_unknown, read_surprisals

__all__ = [
    "SurprisalRun", "find_runs", "line_reader", "score_surprisals", "sign_run", "write_run",
]  # fmt: skip

_FILE = re.compile(r"surprisals?(?:_output)?[_-](?P<name>.+)\.(?:tsv|txt|jsonl)")
_SEED = re.compile(r"(?:(?P<model>.*?)[-_.]?(?:trial|seed|run)[-_]?)?(?P<seed>\d+)", re.IGNORECASE)
_PIECE = re.compile(r"^(?:▁|Ġ|##)|(?:@@|</w>)$")
"""What tokenizers put at the beginning or end of a piece of a word."""

Item = Mapping[str, Any]


@dataclass(frozen=True)
class SurprisalRun:
    """The files of a model (or of a seed of it) by suite."""

    model: str
    seed: str
    files: Mapping[str, Path]


def find_runs(folder: Path) -> list[SurprisalRun]:
    """Return the runs below a folder: each folder that holds files called ``surprisals_SUITE.tsv``.

    Also ``.jsonl``, and ``surprisals_output_SUITE.txt``. A folder called ``trial0``, ``seed-1`` or
    ``2`` is a seed of the model that the folder above is named after; ``lstm_seed0`` is one of
    ``lstm``. Raises :class:`InputError` where there is no such file, or two for one suite.
    """
    found: dict[Path, dict[str, Path]] = {}
    for path in sorted(_all_files(folder)):
        match = _FILE.fullmatch(path.name)
        if match:
            files = found.setdefault(path.parent, {})
            if files.setdefault(match["name"], path) is not path:
                raise fail(f"is of the same suite as {files[match['name']].name}", path)
    if not found:
        raise fail("holds no file surprisals_SUITE.tsv", folder)
    return [
        _run(place.relative_to(folder), folder.resolve(), files) for place, files in found.items()
    ]


def _all_files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder, followlinks=True):
        yield from (Path(place) / name for name in names)


def _run(place: Path, folder: Path, files: Mapping[str, Path]) -> SurprisalRun:
    parts = list(place.parts)
    match = _SEED.fullmatch((parts or [folder.name])[-1])
    if not match:
        return SurprisalRun("/".join(parts) or folder.name, "", files)
    above = parts[:-1] if parts else []
    inside = [match["model"]] if match["model"] else []
    model = "/".join([*above, *inside]) or (folder.name if parts else folder.parent.name)
    return SurprisalRun(model, match["seed"], files)


def line_reader(lines: Mapping[Any, SentenceLine], path: Path) -> SentenceReader:
    """Return a function that reads the conditions of suite items from a file, in order.

    The tokens are the words of the condition, or pieces of its text. Raises :class:`InputError`
    where the file has another number of sentences, or one that is not that of the condition.
    """
    take = _taker(lines, path)

    def read(conditions: Sequence[Item]) -> list[ReadSentence | None]:
        return [take(condition["text"], condition["tokens"]) for condition in conditions]

    return read


def _taker(lines: Mapping[Any, SentenceLine], path: Path) -> Callable[[str, str], ReadSentence]:
    """Return a function that takes the next line of a file for a text and its words."""
    numbers = iter(sorted(lines))

    def take(text: str, tokens: str) -> ReadSentence:
        number = next(numbers, None)
        if number is None:
            message = f"ends before the sentence {text!r}: it has {len(lines)} sentences"
            raise fail(f"{message}, the data has more", path)
        return _sentence(text, tokens, lines[number], number, path)

    return take


def _sentence(text: str, tokens: str, line: SentenceLine, number: int, path: Path) -> ReadSentence:
    words = tokens.split(" ")
    bits = np.array(line.surprisals)
    if len(words) == len(line.tokens):
        pairs = zip(words, line.tokens, strict=True)
        if all(word == token or is_unknown(token) for word, token in pairs):
            return ReadSentence(words_of(words), bits, words=True, unknown=line.unknown)
    encoded = _pieces(text, line.tokens)
    if encoded is None:
        message = f"sentence {number} is {' '.join(line.tokens)!r}, the data has {tokens!r}"
        raise fail(message, path)
    return ReadSentence(encoded, bits)


def _pieces(text: str, tokens: Sequence[str]) -> Encoded | None:
    """Find pieces of words in a text, in order; return None if they are not its own."""
    offsets, place = [], 0
    for token in tokens:
        piece = _PIECE.sub("", token).replace("▁", " ").strip() or token
        while text[place : place + 1].isspace():
            place += 1
        if not text.startswith(piece, place):
            return None
        offsets.append((place, place + len(piece)))
        place += len(piece)
    return None if text[place:].strip() else Encoded(text, list(range(len(tokens))), offsets)


def score_surprisals(data: str, folder: str | Path, out: str | Path = "results") -> list[Result]:
    """Score the items of a config from files of surprisals of their sentences.

    ``folder`` has a file for the config, ``surprisals_CONFIG.tsv`` (or ``.jsonl``), or one for each
    of its suites; or folders of such files, for several models and seeds. Which sentences these
    are, and in which order: :func:`solecism.scoring.sentences.sentences_of`. Writes a result for
    each of them into ``out`` and returns them. Raises :class:`InputError` for files that cannot be
    read or are of other sentences.
    """
    items = open_items(data)
    named = items.name, items.version, items.digest, items.config
    method = {"pair": "sentence", "suite": "region", "cloze": "cloze:two_forms"}[items.kind]
    return [
        write_run(
            Path(out),
            sign_run(run, run.files.values(), named, method),
            _SCORERS[items.kind](items, run),
            items.kind,
        )
        for run in find_runs(Path(folder))
    ]


def _suites(items: ItemSet, run: SurprisalRun) -> Iterator[pa.Table]:
    if items.config in run.files:
        yield from score_suites(items.tables(), line_reader(*_lines(items, run.files, [])))
        return
    table = pa.concat_tables(items.tables())
    names = table["suite"].to_pylist()
    for suite in dict.fromkeys(names):
        rows = [table.filter(pa.array([name == suite for name in names]))]
        yield from score_suites(rows, line_reader(*_lines(items, run.files, rows, suite)))


def _lines(
    items: ItemSet, files: Mapping[str, Path], tables: Sequence[pa.Table], name: str = ""
) -> tuple[Mapping[int, SentenceLine], Path]:
    """Return the lines of the file of a config (or suite) in the order of its sentences."""
    wanted = name or items.config
    if wanted not in files:
        near = candidates("files", list(files), wanted)
        raise fail(f"there is no file surprisals_{wanted}.tsv or .jsonl {near}")
    path = files[wanted]
    sentences = chain.from_iterable(sentences_of(items, tables or None))
    return in_order(read_surprisals(path), sentences, path), path


def _pairs(items: ItemSet, run: SurprisalRun) -> Iterator[pa.Table]:
    take = _taker(*_lines(items, run.files, []))
    for table in items.tables():
        read = [_Read.of(sentences, take) for sentences in sentences_of(items, [table])]
        yield _scores(table, "sentence", [(each.sides[0], each.sides[1]) for each in read])


def _cloze(items: ItemSet, run: SurprisalRun) -> Iterator[pa.Table]:
    """Compare the sentence with the answer and the likeliest one with a wrong form."""
    take = _taker(*_lines(items, run.files, []))
    for table in items.tables():
        read = [_Read.of(sentences, take) for sentences in sentences_of(items, [table])]
        sides = [
            (good, min(wrong, key=lambda side: side.bits)) if wrong else (good, None)
            for good, *wrong in (each.sides for each in read)
        ]
        yield _scores(as_pairs(table, table.to_pylist()), "cloze:two_forms", sides)


@dataclass(frozen=True)
class _Side:
    """A sentence as a file has it."""

    words: tuple[str, ...]
    bits: float
    tokens: int
    size: int
    chars: int
    unknown: frozenset[str]


@dataclass(frozen=True)
class _Read:
    """The sentences of an item."""

    sides: list[_Side]

    @classmethod
    def of(cls, sentences: Sequence[Sentence], take: Callable[[str, str], ReadSentence]) -> _Read:
        return cls(
            [_side(sentence, take(sentence.text, sentence.tokens)) for sentence in sentences]
        )


def _side(sentence: Sentence, read: ReadSentence) -> _Side:
    words = tuple(sentence.tokens.split(" "))
    unknown = frozenset(words[place] for place in read.unknown)
    total, size = float(read.bits.sum()), len(sentence.text.encode())
    return _Side(words, total, len(read.bits), size, len(sentence.text), unknown)


def _scores(table: pa.Table, method: str, sides: Sequence[tuple[_Side, _Side | None]]) -> pa.Table:
    """Return the rows of a result; a pair of which a critical word is unknown is skipped."""
    both = [(good, bad or good) for good, bad in sides]
    bits, tokens, sizes, chars = (
        np.array([[getattr(side, name) for side in pair] for pair in both], float).reshape(-1, 2).T
        for name in ("bits", "tokens", "size", "chars")
    )
    skipped = [_skipped(good, bad) for good, bad in sides]
    return scores_table(table, method, -bits * log(2), tokens, sizes, skipped, chars=chars)


def _skipped(good: _Side, bad: _Side | None) -> str | None:
    if bad is None:
        return NO_OTHER_FORM
    if not good.unknown and not bad.unknown:
        return None
    critical = set(differing_words(list(good.words), list(bad.words)))
    return OUT_OF_VOCABULARY if critical & (good.unknown | bad.unknown) else None


_SCORERS = {"pair": _pairs, "suite": _suites, "cloze": _cloze}


def sign_run(
    run: SurprisalRun,
    files: Iterable[Path],
    data: tuple[str, str, str, str],
    method: str = "region",
) -> Signature:
    """Return the signature of figures made of files; ``data``: name, version, digest and config."""
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        digest.update(path.read_bytes())
    model = f"{run.model}/seed-{run.seed}" if run.seed else run.model
    revision, options = f"sha256-{digest.hexdigest()[:12]}", {"surprisals": "files"}
    return Signature(*data, method, model, revision, "float64", options)


def write_run(
    out: Path, signature: Signature, tables: Iterable[pa.Table], kind: str = "suite"
) -> Result:
    """Write a result and return it; raise where that of another run has its name."""
    parts = (signature.model, signature.data, signature.config, "surprisals")
    stem = out / "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)
    refuse_replacing(stem, signature)
    scored = list(tables)

    def summary(table: Path) -> dict[str, Any]:
        whole = {"items": items_right(table).to_json()} if kind == "suite" else {}
        return {**summarize_file(table, signature), **whole}

    with ResultWriter(stem, str(signature), summary) as writer:
        done = writer.done
        for table in scored:
            writer.write(table.slice(min(done, len(table))))
            done = max(done - len(table), 0)
    return read_result(stem)
