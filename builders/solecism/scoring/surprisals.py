"""Surprisals from files instead of from a model: those that published studies leave behind."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from solecism.errors import InputError, Problem, candidates, fail
from solecism.files import write_text
from solecism.inputs import read_text
from solecism.schema import SUITE
from solecism.scoring.encoding import Encoded, words_of
from solecism.scoring.methods.region import Reader, Sentence

__all__ = [
    "CLASSES",
    "MODIFIERS",
    "Line",
    "Run",
    "StudyClass",
    "Suite",
    "class_accuracy",
    "find_runs",
    "find_suite",
    "line_reader",
    "read_sentences",
    "read_surprisals",
    "study_items",
    "write_sentences",
]


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
class Line:
    """A sentence of a file: its tokens and their surprisals, marks of its beginning and end left out."""

    tokens: tuple[str, ...]
    surprisals: tuple[float, ...]


@dataclass(frozen=True)
class Run:
    """The files of one model (one seed of it) by suite: ``surprisals_cls_none.tsv`` is that of ``cls_none``."""

    model: str
    seed: str
    files: Mapping[str, Path]


def find_runs(folder: Path) -> list[Run]:
    """Find the runs below a folder: every folder that holds files called ``surprisals_SUITE.tsv``.

    Also ``surprisals_output_SUITE.txt``. A folder called ``trial0``, ``seed-1`` or ``2`` is a seed of the model
    that the folder above is named after; ``lstm_seed0`` is one of ``lstm``. Raises :class:`InputError` where
    there is no such file, or two for one suite.
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


def _run(place: Path, folder: Path, files: Mapping[str, Path]) -> Run:
    parts = list(place.parts)
    match = _SEED.fullmatch((parts or [folder.name])[-1])
    if not match:
        return Run("/".join(parts) or folder.name, "", files)
    above = parts[:-1] if parts else []
    inside = [match["model"]] if match["model"] else []
    model = "/".join([*above, *inside]) or (folder.name if parts else folder.parent.name)
    return Run(model, match["seed"], files)


def read_surprisals(path: Path) -> dict[int, Line]:
    """Read a file: its sentences by number. Raises :class:`InputError` with every problem of it."""
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
    """Sentences and tokens that are missing or stand twice would shift all that is after them."""
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


def _line(tokens: list[Token]) -> Line:
    kept = [(token, value) for _, token, value in sorted(tokens)]
    while kept and _END.fullmatch(kept[-1][0]):
        kept.pop()
    while kept and _END.fullmatch(kept[0][0]):
        kept.pop(0)
    return Line(tuple(token for token, _ in kept), tuple(value for _, value in kept))


def line_reader(lines: Mapping[int, Line], path: Path) -> Reader:
    """Read the conditions of suite items from the sentences of a file, which are theirs, in order.

    The tokens are the words of the condition, or pieces of its text. Raises :class:`InputError` where the
    file has another number of sentences, or one that is not that of the condition.
    """
    numbers = iter(sorted(lines))

    def read(conditions: Sequence[Item]) -> list[Sentence | None]:
        out: list[Sentence | None] = []
        for condition in conditions:
            number = next(numbers, None)
            if number is None:
                message = f"ends before the sentence {condition['text']!r}: it has {len(lines)}"
                raise fail(f"{message} sentences, the suite has more", path)
            out.append(_sentence(condition, lines[number], number, path))
        return out

    return read


def _sentence(condition: Item, line: Line, number: int, path: Path) -> Sentence:
    words = condition["tokens"].split(" ")
    bits = np.array(line.surprisals)
    if len(words) == len(line.tokens):
        apart = [
            (word, token)
            for word, token in zip(words, line.tokens, strict=True)
            if word != token and not _UNKNOWN.fullmatch(token)
        ]
        if not apart:
            return Sentence(words_of(words), bits, words=True)
    encoded = _pieces(condition["text"], line.tokens)
    if encoded is None:
        raise fail(
            f"sentence {number} is {' '.join(line.tokens)!r}, the suite has {condition['tokens']!r}",
            path,
        )
    return Sentence(encoded, bits)


def _pieces(text: str, tokens: Sequence[str]) -> Encoded | None:
    """Find pieces of words in a text, one after the other; None where they are not those of the text."""
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


Place = Callable[[Sequence[str]], tuple[int, int]]
"""Gives the words of a sentence that are its target region (first, and last exclusive)."""


@dataclass(frozen=True)
class StudyClass:
    """One class: its name (and a short one), the conditions of an item in their order, its target region
    and its criteria."""

    title: str
    short: str
    conditions: tuple[str, ...]
    predictions: tuple[str, ...]
    target: Place
    modifiers: tuple[str, ...] = ("none", "adj", "obj", "sub")


def _from_end(first: int, last: int = 0) -> Place:
    def place(words: Sequence[str]) -> tuple[int, int]:
        if len(words) < first:
            raise ValueError(f"has only {len(words)} words")
        return len(words) - first, len(words) - last

    return place


def _last(wanted: str) -> Place:
    def place(words: Sequence[str]) -> tuple[int, int]:
        if wanted not in words:
            raise ValueError(f"has no {wanted!r}")
        start = len(words) - 1 - list(reversed(words)).index(wanted)
        return start, start + 1

    return place


_PAIR = ("bad.target > good.target",)
_FOUR = ("bad_1.target > good_1.target", "bad_2.target > good_2.target",
         "bad_2.target > good_1.target", "bad_1.target > good_2.target")  # fmt: skip
NOUN_AND_STOP, STOP, VERB = _from_end(2), _from_end(1), _from_end(4, 3)

CLASSES: dict[str, StudyClass] = {
    "cls": StudyClass(
        "classifier–noun",
        "classifier",
        ("good_1", "bad_1", "good_2", "bad_2"),
        _FOUR,
        NOUN_AND_STOP,
    ),
    "gpo": StudyClass("garden path object", "gp object", ("good", "bad"), _PAIR, VERB),
    "gps": StudyClass("garden path subject", "gp subject", ("good", "bad"), _PAIR, _last("的")),
    "vo": StudyClass("verb–noun", "verb–noun", ("good", "bad"), _PAIR, NOUN_AND_STOP),
    "mobj": StudyClass(
        "missing object",
        "missing obj.",
        ("bad", "good"),
        _PAIR,
        STOP,
        ("none", "sub", "sub2", "subh"),
    ),
    "sd": StudyClass("subordination", "subord.", ("good", "bad"), _PAIR, STOP),
}
"""The classes in the order of Table 6. Targets (section 3.2): the noun and the stop; the verb of the relative
clause, fourth from the end (V 的 N 。); the 的 that ends the relative clause, the last one; the stop."""

MODIFIERS = {
    "none": "none", "adj": "adjective", "obj": "object-extracted RC", "sub": "subject-extracted RC",
    "sub2": "coordinated subject-extracted RC", "subh": "embedded subject-extracted RC",
}  # fmt: skip
"""The modifiers of Table 2."""


@dataclass(frozen=True)
class Suite:
    """A suite of the study; ``counted``: it is one of the 24 that the accuracy of its class is made of."""

    name: str
    kind: StudyClass
    modifier: str

    @property
    def counted(self) -> bool:
        """Whether Table 2 has it (the files of the study hold some that it has not)."""
        return self.modifier in self.kind.modifiers


def find_suite(name: str) -> Suite | None:
    """Give the suite that is called so (``cls_none``); None for what is none of the six classes."""
    start, _, modifier = name.partition("_")
    return Suite(name, CLASSES[start], modifier) if start in CLASSES and modifier else None


def suite_of(path: Path) -> Suite:
    """Give the suite of a text file ``cls_none_txt.txt``; raises :class:`InputError`."""
    name = path.stem.removesuffix("_txt")
    suite = find_suite(name)
    if suite is None:
        near = candidates("classes", list(CLASSES), name.partition("_")[0])
        raise fail(f"{name!r} is not called after a class and a modifier, as cls_none {near}", path)
    return suite


def read_sentences(path: Path) -> pa.Table:
    """Read a text of the study as suite items; raises :class:`InputError`."""
    lines = read_text(path, "utf-8-sig").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    return study_items(suite_of(path), [line.split() for line in lines], path)


def write_sentences(items: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the sentences of suite items, a condition a line, for a tool that scores them."""
    lines = [c["tokens"] + "\n" for item in items for c in item["conditions"]]
    write_text(path, "".join(lines))


def lines_of(lines: Mapping[int, Line]) -> list[list[str]]:
    """The sentences of a file of surprisals in order, as words."""
    return [list(lines[number].tokens) for number in sorted(lines)]


def study_items(suite: Suite, sentences: Sequence[Sequence[str]], path: Path) -> pa.Table:
    """Make suite items of tokenised sentences.

    Raises :class:`InputError` where they are not whole items, or where one has no target region.
    """
    size = len(suite.kind.conditions)
    if not sentences or len(sentences) % size:
        message = f"has {len(sentences)} sentences; the items of {suite.name} have {size} each"
        raise fail(message, path)
    rows = [
        _item(suite, number, sentences[start : start + size], start, path)
        for number, start in enumerate(range(0, len(sentences), size), 1)
    ]
    return pa.Table.from_pylist(rows, schema=SUITE)


def _item(
    suite: Suite, number: int, sentences: Sequence[Sequence[str]], start: int, path: Path
) -> dict[str, Any]:
    named = zip(suite.kind.conditions, sentences, strict=True)
    return {
        "id": f"{suite.name}-{number}",
        "suite": suite.name,
        "phenomenon": suite.kind.title,
        "modifier": MODIFIERS.get(suite.modifier, suite.modifier),
        "item": str(number),
        "language": "zh",
        "conditions": [
            _condition(name, words, suite.kind.target, (path, start + n))
            for n, (name, words) in enumerate(named, 1)
        ],
        "predictions": list(suite.kind.predictions),
        "metric": "sum",
    }


def _condition(
    name: str, words: Sequence[str], target: Place, line: tuple[Path, int]
) -> dict[str, Any]:
    try:
        first, last = target(words)
    except ValueError as error:
        raise fail(f"{' '.join(words)!r} {error}", *line) from None
    start, text = len("".join(words[:first])), "".join(words[first:last])
    region = {
        "name": "target", "text": text, "start": start, "end": start + len(text),
        "first": first, "last": last,
    }  # fmt: skip
    return {"name": name, "text": "".join(words), "tokens": " ".join(words), "regions": [region]}


def class_accuracy(right: Mapping[str, Sequence[Fraction]]) -> dict[str, Fraction]:
    """The accuracy of each class: the mean over its suites of the mean over the seeds (Table 6).

    ``right``: the accuracies of each suite, one for each seed; suites that Table 2 has not are left out.
    """
    found: dict[str, list[Fraction]] = {}
    for name, values in right.items():
        suite = find_suite(name)
        if suite and suite.counted:
            found.setdefault(suite.kind.title, []).append(_mean(values))
    order = [kind.title for kind in CLASSES.values()]
    return {title: _mean(found[title]) for title in order if title in found}


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def whole_items(suite: Suite, lines: Mapping[int, Line], path: Path) -> pa.Table:
    """Make the items of the sentences that a file of surprisals has."""
    return study_items(suite, lines_of(lines), path)


def table_rows(accuracies: Mapping[str, Mapping[str, Fraction]]) -> Iterator[tuple[str, ...]]:
    """Rows of Table 6: a model and its accuracies in three decimals (halves are rounded up)."""
    for model, found in accuracies.items():
        yield model, *(_decimals(found.get(kind.title)) for kind in CLASSES.values())


def _decimals(value: Fraction | None) -> str:
    if value is None:
        return "-"
    thousandths = (2000 * value + 1) // 2
    return f"{thousandths / 1000:.3f}"
