"""Surprisals from files of other programs and published studies, instead of from a model."""

from __future__ import annotations

import csv
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from solecism.errors import InputError, Problem, candidates, fail
from solecism.scoring.encoding import Encoded, words_of
from solecism.scoring.items import ItemSet, open_items
from solecism.scoring.methods.region import ReadSentence, SentenceReader, score_suites
from solecism.scoring.results import Result, ResultWriter, read_result
from solecism.scoring.summary import Signature, items_right, refuse_replacing, summarize_file

__all__ = [
    "SentenceLine", "SurprisalRun", "find_runs", "line_reader", "read_surprisals", "score_surprisals",
    "sign_run", "write_run",
]  # fmt: skip

COLUMNS = ("sentence_id", "token_id", "token", "surprisal")
_FILE = re.compile(r"surprisals?(?:_output)?[_-](?P<name>.+)\.(?:tsv|txt)")
_SEED = re.compile(r"(?:(?P<model>.*?)[-_.]?(?:trial|seed|run)[-_]?)?(?P<seed>\d+)", re.IGNORECASE)
_END = re.compile(r"</?s>|<\|?(?:eos|bos|endoftext|end_of_text)\|?>|\[(?:SEP|CLS)\]", re.IGNORECASE)
_UNKNOWN = re.compile(r"<?\[?unk.*", re.IGNORECASE)
_PIECE = re.compile(r"^(?:▁|Ġ|##)|(?:@@|</w>)$")
"""What tokenizers put at the beginning or end of a piece of a word."""

Item = Mapping[str, Any]
Token = tuple[int, str, float]
"""Number, text and surprisal of a token."""


@dataclass(frozen=True)
class SentenceLine:
    """A sentence of a file: its tokens and their surprisals, without marks of its ends."""

    tokens: tuple[str, ...]
    surprisals: tuple[float, ...]


@dataclass(frozen=True)
class SurprisalRun:
    """The files of a model (or of a seed of it) by suite."""

    model: str
    seed: str
    files: Mapping[str, Path]


def find_runs(folder: Path) -> list[SurprisalRun]:
    """Return the runs below a folder: each folder that holds files called ``surprisals_SUITE.tsv``.

    Also ``surprisals_output_SUITE.txt``. A folder called ``trial0``, ``seed-1`` or ``2`` is a seed
    of the model that the folder above is named after; ``lstm_seed0`` is one of ``lstm``. Raises
    :class:`InputError` where there is no such file, or two for one suite.
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


def read_surprisals(path: Path) -> dict[int, SentenceLine]:
    """Read the sentences of a file by number; raise with every problem of it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
            while rows and not "".join(rows[-1]).strip():
                rows.pop()
        except (UnicodeDecodeError, csv.Error) as error:
            raise fail(str(error), path) from None
    places = _places(rows[0] if rows else [], path)
    problems: list[Problem] = []
    found: dict[int, list[Token]] = {}
    for number, row in enumerate(rows[1:], 2):
        try:
            sentence, token = _token(row, places)
        except (ValueError, IndexError):
            message = f"not a sentence's number, a token's number, a token and a surprisal: {row}"
            problems.append(Problem(message, str(path), number))
        else:
            found.setdefault(sentence, []).append(token)
    problems += _gaps(found, path)
    if problems:
        raise InputError(problems[:20])
    return {number: _line(tokens) for number, tokens in found.items()}


def _places(header: Sequence[str], path: Path) -> list[int]:
    names = [name.strip() for name in header]
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        near = candidates("columns", names, missing[0])
        raise fail(f"has no column {', '.join(missing)} {near}", path, 1)
    return [names.index(name) for name in COLUMNS]


def _token(row: Sequence[str], places: Sequence[int]) -> tuple[int, Token]:
    sentence, number, token, surprisal = (row[place].strip() for place in places)
    value = float(surprisal)
    if not token or not isfinite(value):
        raise ValueError(row)
    return int(sentence), (int(number), token, value)


def _gaps(found: Mapping[int, Sequence[Token]], path: Path) -> Iterator[Problem]:
    """Yield sentences and tokens that are missing or stand twice."""
    missing = set(range(1, len(found) + 1)) - set(found)
    if missing:
        yield Problem(
            f"the sentences are not numbered from 1: {min(missing)} is missing", str(path)
        )
    for sentence, tokens in found.items():
        numbers = sorted(number for number, _, _ in tokens)
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            message = f"sentence {sentence}: its tokens are not numbered one by one: {numbers}"
            yield Problem(message, str(path))


def _line(tokens: list[Token]) -> SentenceLine:
    kept = [(token, value) for _, token, value in sorted(tokens)]
    while kept and _END.fullmatch(kept[-1][0]):
        kept.pop()
    while kept and _END.fullmatch(kept[0][0]):
        kept.pop(0)
    return SentenceLine(tuple(token for token, _ in kept), tuple(value for _, value in kept))


def line_reader(lines: Mapping[int, SentenceLine], path: Path) -> SentenceReader:
    """Return a function that reads the conditions of suite items from a file, in order.

    The tokens are the words of the condition, or pieces of its text. Raises :class:`InputError`
    where the file has another number of sentences, or one that is not that of the condition.
    """
    numbers = iter(sorted(lines))

    def read(conditions: Sequence[Item]) -> list[ReadSentence | None]:
        out: list[ReadSentence | None] = []
        for condition in conditions:
            number = next(numbers, None)
            if number is None:
                message = f"ends before the sentence {condition['text']!r}: it has {len(lines)}"
                raise fail(f"{message} sentences, the suite has more", path)
            out.append(_sentence(condition, lines[number], number, path))
        return out

    return read


def _sentence(condition: Item, line: SentenceLine, number: int, path: Path) -> ReadSentence:
    words = condition["tokens"].split(" ")
    bits = np.array(line.surprisals)
    if len(words) == len(line.tokens):
        apart = [
            (word, token)
            for word, token in zip(words, line.tokens, strict=True)
            if word != token and not _UNKNOWN.fullmatch(token)
        ]
        if not apart:
            return ReadSentence(words_of(words), bits, words=True)
    encoded = _pieces(condition["text"], line.tokens)
    if encoded is None:
        raise fail(
            f"sentence {number} is {' '.join(line.tokens)!r}, the suite has {condition['tokens']!r}",
            path,
        )
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
    """Score the suite items of a config from files of surprisals of their sentences, in order.

    ``folder`` has a file for the config, ``surprisals_CONFIG.tsv``, or one for each of its suites;
    or folders of such files, for several models and seeds. Writes a result for each of them into
    ``out`` and returns them. Raises :class:`InputError` for files that cannot be read or are of
    other sentences.
    """
    items = open_items(data)
    if items.kind != "suite":
        raise fail(f"{data!r} has no suites: regions are needed to read surprisals of tokens")
    named = items.name, items.version, items.digest, items.config
    return [
        write_run(Path(out), sign_run(run, run.files.values(), named), _scored(items, run))
        for run in find_runs(Path(folder))
    ]


def _scored(items: ItemSet, run: SurprisalRun) -> Iterator[pa.Table]:
    whole = run.files.get(items.config)
    if whole is not None:
        yield from score_suites(items.tables(), line_reader(read_surprisals(whole), whole))
        return
    table = pa.concat_tables(items.tables())
    names = table["suite"].to_pylist()
    for suite in dict.fromkeys(names):
        if suite not in run.files:
            near = candidates("files", list(run.files), suite)
            raise fail(f"model {run.model!r} has no surprisals_{suite}.tsv {near}")
        path, rows = run.files[suite], table.filter(pa.array([name == suite for name in names]))
        yield from score_suites([rows], line_reader(read_surprisals(path), path))


def sign_run(
    run: SurprisalRun, files: Iterable[Path], data: tuple[str, str, str, str]
) -> Signature:
    """Return the signature of figures made of files; ``data``: name, version, digest and config."""
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        digest.update(path.read_bytes())
    model = f"{run.model}/seed-{run.seed}" if run.seed else run.model
    revision, options = f"sha256-{digest.hexdigest()[:12]}", {"surprisals": "files"}
    return Signature(*data, "region", model, revision, "float64", options)


def write_run(out: Path, signature: Signature, tables: Iterable[pa.Table]) -> Result:
    """Write a result of suites and return it; raise where that of another run has its name."""
    parts = (signature.model, signature.data, signature.config, "surprisals")
    stem = out / "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)
    refuse_replacing(stem, signature)
    scored = list(tables)

    def summary(table: Path) -> dict[str, Any]:
        return {**summarize_file(table, signature), "items": items_right(table).to_json()}

    with ResultWriter(stem, str(signature), summary=summary) as writer:
        done = writer.done
        for table in scored:
            writer.write(table.slice(min(done, len(table))))
            done = max(done - len(table), 0)
    return read_result(stem)
