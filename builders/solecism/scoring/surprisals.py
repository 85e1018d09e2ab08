"""Surprisals from files of other programs and published studies, instead of from a model.

A file is a table with a row a token, or the output of rnng-pytorch's ``beam_search.py``
(``docs/baselines.md``).
"""

from __future__ import annotations

import csv
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from solecism.contrast import differing_words
from solecism.errors import InputError, Problem, candidates, fail
from solecism.scoring.encoding import OUT_OF_VOCABULARY, Encoded, words_of
from solecism.scoring.items import ItemSet, open_items
from solecism.scoring.methods.cloze import NO_OTHER_FORM, as_pairs
from solecism.scoring.methods.region import ReadSentence, SentenceReader, score_suites
from solecism.scoring.results import Result, ResultWriter, read_result, scores_table
from solecism.scoring.sentences import Sentence, sentences_of
from solecism.scoring.summary import Signature, refuse_replacing, summarize_file

__all__ = [
    "SentenceLine", "SurprisalColumns", "SurprisalRun", "find_runs", "line_reader", "read_surprisals",
    "score_surprisals", "sign_run", "write_run",
]  # fmt: skip

_FILE = re.compile(r"surprisals?(?:_output)?[_-](?P<name>.+)\.(?:tsv|txt|csv)")
_SEED = re.compile(r"(?:(?P<model>.*?)[-_.]?(?:trial|seed|run)[-_]?)?(?P<seed>\d+)", re.IGNORECASE)
_PIECE = re.compile(r"^(?:▁|Ġ|##)|(?:@@|</w>)$")
"""What tokenizers put at the beginning or end of a piece of a word."""
_END = re.compile(r"</?s>|<\|?(?:eos|bos|endoftext|end_of_text)\|?>|\[(?:SEP|CLS)\]", re.IGNORECASE)
_UNKNOWN = re.compile(r"<?\[?unk.*", re.IGNORECASE)
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
_UNITS = {"bits": 1.0, "nats": 1 / log(2)}

MAX_PROBLEMS = 20

_Token = tuple[int, str, float, bool]
"""The number of a token, its text, its surprisal in bits, and whether it is an unknown word."""


@dataclass(frozen=True)
class SurprisalColumns:
    """The names of the columns of a table of surprisals, and their ``unit``, bits or nats.

    Without a column ``number`` the tokens of a sentence are in order.
    """

    sentence: str = "sentence_id"
    number: str = "token_id"
    token: str = "token"
    surprisal: str = "surprisal"
    unit: str = "bits"

    @classmethod
    def parse(cls, text: str) -> SurprisalColumns:
        """Read ``sentence=sent,unit=nats``; raise :class:`InputError` for other texts."""
        given = dict(part.partition("=")[::2] for part in text.split(",") if part)
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise fail(f"unknown column {name!r} {candidates('columns', known, name)}")
        if given.get("unit", "bits") not in _UNITS:
            near = candidates("units", list(_UNITS), given["unit"])
            raise fail(f"unknown unit {given['unit']!r} {near}")
        return cls(**given)


@dataclass(frozen=True)
class SentenceLine:
    """A sentence of a file: its tokens and their surprisals in bits, without marks of its ends.

    ``unknown``: the places of words that the file itself shows as unknown to the model.
    """

    tokens: tuple[str, ...]
    surprisals: tuple[float, ...]
    unknown: frozenset[int] = frozenset()


def read_surprisals(
    path: Path, columns: SurprisalColumns = SurprisalColumns()
) -> list[SentenceLine]:
    """Read the sentences of a file in the order of their numbers; raise with every problem."""
    rows = _rows(path)
    if rows and len(rows[0]) in (5, 6) and all(cell.strip().isdigit() for cell in rows[0][:2]):
        end = next((n for n, row in enumerate(rows) if row[0].startswith("-----")), len(rows))
        rows, first, unit = rows[:end], 1, _UNITS["nats"]
        places: list[int | None] = [0, 1, 2, 4]
    else:
        places = _places(rows[0] if rows else [], columns, path)
        rows, first, unit = rows[1:], 2, _UNITS[columns.unit]
    problems: list[Problem] = []
    found: dict[int, list[_Token]] = {}
    for line, row in enumerate(rows, first):
        try:
            cells = [str(line) if place is None else row[place].strip() for place in places]
            token, bits = _BRACKETS.get(cells[2], cells[2]), float(cells[3]) * unit
            if not token or not isfinite(bits):
                raise ValueError(row)
            unknown = first == 1 and _is_unknown(row[3].strip())  # the word as an RNNG has read it
            found.setdefault(int(cells[0]), []).append((int(cells[1]), token, bits, unknown))
        except (ValueError, IndexError):
            message = f"not a sentence's number, a token's number, a token and a surprisal: {row}"
            problems.append(Problem(message, str(path), line))
    problems += (Problem(text, str(path)) for text in _gaps(found))
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    return [_line(sorted(found[number])) for number in sorted(found)]


def _gaps(found: Mapping[int, Sequence[_Token]]) -> Iterator[str]:
    """Yield which sentences and tokens are missing or there twice."""
    start = 0 if 0 in found else 1
    missing = set(range(start, start + len(found))) - set(found)
    if missing:
        yield f"the sentences are not numbered from 1: {min(missing)} is missing"
    for sentence, tokens in found.items():
        numbers = sorted(token[0] for token in tokens)
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            yield f"sentence {sentence}: its tokens are not numbered one by one: {numbers}"


class _Tabs(csv.excel_tab):
    """Tab-separated columns; quotation marks are tokens."""

    quoting = csv.QUOTE_NONE


def _rows(path: Path) -> list[list[str]]:
    dialect = csv.excel if path.suffix == ".csv" else _Tabs
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = list(csv.reader(file, dialect))
        except (UnicodeDecodeError, csv.Error) as error:
            raise fail(str(error), path) from None
    while rows and not "".join(rows[-1]).strip():
        rows.pop()
    return rows


def _places(header: Sequence[str], columns: SurprisalColumns, path: Path) -> list[int | None]:
    """Return the places of the columns; the number of a token may be missing."""
    names = [name.strip() for name in header]
    wanted = (columns.sentence, columns.number, columns.token, columns.surprisal)
    missing = [name for name in wanted if name not in names and name != columns.number]
    if missing:
        near = candidates("columns", names, missing[0])
        raise fail(f"has no column {', '.join(missing)} {near}", path, 1)
    return [names.index(name) if name in names else None for name in wanted]


def _is_unknown(token: str) -> bool:
    """Return whether a token stands for an unknown word (``<unk>``, ``<unk-ly>``)."""
    return bool(_UNKNOWN.fullmatch(token))


def _line(tokens: Sequence[_Token]) -> SentenceLine:
    """Return a sentence without the marks of its ends."""
    first, last = 0, len(tokens)
    while last > first and _END.fullmatch(tokens[last - 1][1]):
        last -= 1
    while first < last and _END.fullmatch(tokens[first][1]):
        first += 1
    kept = tokens[first:last]
    unknown = frozenset(place for place, token in enumerate(kept) if token[3])
    return SentenceLine(
        tuple(token[1] for token in kept), tuple(token[2] for token in kept), unknown
    )


@dataclass(frozen=True)
class SurprisalRun:
    """The files of a model (or of a seed of it) by suite."""

    model: str
    seed: str
    files: Mapping[str, Path]


def find_runs(folder: Path) -> list[SurprisalRun]:
    """Return the runs below a folder: each folder that holds files called ``surprisals_SUITE.tsv``.

    Also ``.csv``, and ``surprisals_output_SUITE.txt``. A folder called ``trial0``, ``seed-1`` or
    ``2`` is a seed of the model that the folder above is named after; ``lstm_seed0`` is one of
    ``lstm``. Raises :class:`InputError` where there is no such file, or two for one suite.
    """
    found: dict[Path, dict[str, Path]] = {}
    every = (
        Path(at) / name for at, _, names in os.walk(folder, followlinks=True) for name in names
    )
    for path in sorted(every):
        match = _FILE.fullmatch(path.name)
        if match:
            files = found.setdefault(path.parent, {})
            if files.setdefault(match["name"], path) is not path:
                raise fail(f"is of the same suite as {files[match['name']].name}", path)
    if not found:
        raise fail("holds no file surprisals_SUITE.tsv", folder)
    runs = []
    for place, files in found.items():
        above = [folder.resolve().parent.name, folder.resolve().name]
        *parents, name = place.relative_to(folder).parts or (above[1],)
        match = _SEED.fullmatch(name)
        if match:
            parents += [match["model"]] if match["model"] else []
            name = "/".join(parents) or above[place != folder]
        runs.append(SurprisalRun(name if match else "/".join([*parents, name]),
                                 match["seed"] if match else "", files))  # fmt: skip
    return runs


def line_reader(lines: Sequence[SentenceLine], path: Path) -> SentenceReader:
    """Return a function that reads the conditions of suite items from a file, in order.

    The tokens are the words of the condition, or pieces of its text. Raises :class:`InputError`
    where the file has another number of sentences, or one that is not that of the condition.
    """
    take = _taker(lines, path)

    def read(conditions: Sequence[Mapping[str, Any]]) -> list[ReadSentence | None]:
        return [take(condition["text"], condition["tokens"]) for condition in conditions]

    return read


def _taker(lines: Sequence[SentenceLine], path: Path) -> Callable[[str, str], ReadSentence]:
    """Return a function that takes the next line of a file for a text and its words."""
    rest = enumerate(lines, 1)

    def take(text: str, tokens: str) -> ReadSentence:
        number, line = next(rest, (0, None))
        if line is None:
            message = f"ends before the sentence {text!r}: it has {len(lines)} sentences"
            raise fail(f"{message}, the data has more", path)
        words, bits = tokens.split(" "), np.array(line.surprisals)
        same = (word == token or _is_unknown(token) for word, token in zip(words, line.tokens))  # noqa: B905
        if len(words) == len(line.tokens) and all(same):
            return ReadSentence(words_of(words), bits, words=True, unknown=line.unknown)
        encoded = _pieces(text, line.tokens)
        if encoded is None:
            said = f"sentence {number} is {' '.join(line.tokens)!r}"
            raise fail(f"{said}, the data has {tokens!r}", path)
        return ReadSentence(encoded, bits)

    return take


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


def score_surprisals(
    data: str,
    folder: str | Path,
    out: str | Path = "results",
    columns: SurprisalColumns = SurprisalColumns(),
) -> list[Result]:
    """Score the items of a config from files of surprisals of their sentences.

    ``folder`` has a file for the config, ``surprisals_CONFIG.tsv``, or one for each of its suites;
    or folders of such files, for several models and seeds. Which sentences these are, and in which
    order: :func:`solecism.scoring.sentences.sentences_of`. Writes a result for each of them into
    ``out`` and returns them. Raises :class:`InputError` for files that cannot be read or are of
    other sentences.
    """
    items = open_items(data)
    named = items.name, items.version, items.digest, items.config
    method = {"pair": "sentence", "suite": "region", "cloze": "cloze:two_forms"}[items.kind]
    results = []
    for run in find_runs(Path(folder)):
        signature = sign_run(run, run.files.values(), named, method)
        scores = _suites if items.kind == "suite" else _sums
        results.append(write_run(Path(out), signature, scores(items, run, columns)))
    return results


def _lines(
    run: SurprisalRun, columns: SurprisalColumns, name: str
) -> tuple[list[SentenceLine], Path]:
    """Return the lines of the file of a config (or suite), and the file."""
    if name not in run.files:
        near = candidates("files", list(run.files), name)
        raise fail(f"there is no file surprisals_{name}.tsv {near}")
    return read_surprisals(run.files[name], columns), run.files[name]


def _suites(items: ItemSet, run: SurprisalRun, columns: SurprisalColumns) -> Iterator[pa.Table]:
    if items.config in run.files:
        reader = line_reader(*_lines(run, columns, items.config))
        yield from score_suites(items.tables(), reader)
        return
    table = pa.concat_tables(items.tables())
    names = table["suite"].to_pylist()
    for suite in dict.fromkeys(names):
        rows = table.filter(pa.array([name == suite for name in names]))
        yield from score_suites([rows], line_reader(*_lines(run, columns, suite)))


class _Side(NamedTuple):
    """A sentence as a file has it."""

    bits: float
    tokens: int
    size: int
    chars: int
    words: tuple[str, ...]
    unknown: frozenset[str]


def _sums(items: ItemSet, run: SurprisalRun, columns: SurprisalColumns) -> Iterator[pa.Table]:
    """Compare the sums of pairs, and of cloze items the answer and the likeliest wrong form."""
    take = _taker(*_lines(run, columns, items.config))
    cloze = items.kind == "cloze"
    for table in items.tables():
        read = [
            [_side(s, take(s.text, s.tokens)) for s in item]
            for item in sentences_of(items, [table])
        ]
        sides = [(good, min(others, default=None)) for good, *others in read]
        both = [(good, bad or good) for good, bad in sides]
        bits, tokens, sizes, chars = np.array([[side[:4] for side in pair] for pair in both]).T
        skipped = [_skipped(good, bad) for good, bad in sides]
        described = as_pairs(table, table.to_pylist()) if cloze else table
        yield scores_table(
            described, "cloze:two_forms" if cloze else "sentence", -bits * log(2), tokens, sizes,
            skipped, chars=chars,
        )  # fmt: skip


def _side(sentence: Sentence, read: ReadSentence) -> _Side:
    words = tuple(sentence.tokens.split(" "))
    unknown = frozenset(words[place] for place in read.unknown)
    text = sentence.text
    return _Side(
        float(read.bits.sum()), len(read.bits), len(text.encode()), len(text), words, unknown
    )


def _skipped(good: _Side, bad: _Side | None) -> str | None:
    if bad is None:
        return NO_OTHER_FORM
    critical = set(differing_words(list(good.words), list(bad.words)))
    return OUT_OF_VOCABULARY if critical & (good.unknown | bad.unknown) else None


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


def write_run(out: Path, signature: Signature, tables: Iterable[pa.Table]) -> Result:
    """Write a result and return it; raise where that of another run has its name."""
    parts = (signature.model, signature.data, signature.config, "surprisals")
    stem = out / "-".join(re.sub(r"[^\w.]+", "_", part) for part in parts)
    refuse_replacing(stem, signature)
    scored = pa.concat_tables(tables)

    with ResultWriter(stem, str(signature), lambda path: summarize_file(path, signature)) as writer:
        writer.write(scored.slice(writer.done))
    return read_result(stem)
