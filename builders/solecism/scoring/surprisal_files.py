"""Files with the surprisal of each token: our TSV and JSON Lines, and those of rnng-pytorch."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solecism.errors import InputError, Problem, candidates, fail

if TYPE_CHECKING:
    from solecism.scoring.sentences import Sentence

__all__ = ["SentenceLine", "in_order", "is_unknown", "read_surprisals"]

COLUMNS = ("sentence_id", "token_id", "token", "surprisal")
_END = re.compile(r"</?s>|<\|?(?:eos|bos|endoftext|end_of_text)\|?>|\[(?:SEP|CLS)\]", re.IGNORECASE)
_UNKNOWN = re.compile(r"<?\[?unk.*", re.IGNORECASE)
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
_UNITS = {"bits": 1.0, "nats": 1 / log(2)}

Token = tuple[int, str, float]
"""Number, text and surprisal of a token."""

Key = int | tuple[str, str]
"""The number of a sentence from 1, or the id of its item and which sentence of it this is."""


@dataclass(frozen=True)
class SentenceLine:
    """A sentence of a file: its tokens and their surprisals in bits, without marks of its ends.

    ``unknown``: the places of words that the file itself shows as unknown to the model.
    """

    tokens: tuple[str, ...]
    surprisals: tuple[float, ...]
    unknown: frozenset[int] = frozenset()


def is_unknown(token: str) -> bool:
    """Return whether a token stands for an unknown word (``<unk>``, ``<unk-ly>``)."""
    return bool(_UNKNOWN.fullmatch(token))


def read_surprisals(path: Path) -> Mapping[Key, SentenceLine]:
    """Read the sentences of a file by number, or by item and sentence; raise with every problem.

    Formats (``docs/baselines.md``): tab-separated columns ``sentence_id``, ``token_id``, ``token``,
    ``surprisal`` (bits) under a header; the output of rnng-pytorch's ``beam_search.py`` (five or
    six columns without header, nats); JSON Lines, if the name ends in ``.jsonl``.
    """
    if path.suffix == ".jsonl":
        return _read_json_lines(path)
    rows = _rows(path)
    if rows and len(rows[0]) in (5, 6) and all(cell.strip().isdigit() for cell in rows[0][:2]):
        return _read_rnng(rows, path)
    return _read_columns(rows, path)


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        except (UnicodeDecodeError, csv.Error) as error:
            raise fail(str(error), path) from None
    while rows and not "".join(rows[-1]).strip():
        rows.pop()
    return rows


def _read_columns(rows: Sequence[list[str]], path: Path) -> dict[Key, SentenceLine]:
    places = _places(rows[0] if rows else [], path)
    found, problems = _by_sentence(rows[1:], 2, lambda row: _token(row, places), path)
    _refuse(problems, path)
    return {number: _line(tokens) for number, tokens in found.items()}


def _read_rnng(rows: Sequence[list[str]], path: Path) -> dict[Key, SentenceLine]:
    """Read rows of sentence, index, word, pieces (or the word that the model read), surprisal."""
    end = next((n for n, row in enumerate(rows) if row[0].startswith("-----")), len(rows))
    found, problems = _by_sentence(rows[:end], 1, _rnng_token, path)
    _refuse(problems, path)
    unknown: dict[int, set[int]] = {}
    for row in rows[:end]:
        if is_unknown(row[3].strip()):
            unknown.setdefault(int(row[0]) + 1, set()).add(int(row[1]))
    return {
        number: SentenceLine(*_columns(tokens), frozenset(unknown.get(number, ())))
        for number, tokens in found.items()
    }


def _rnng_token(row: Sequence[str]) -> tuple[int, Token]:
    word, nats = _BRACKETS.get(row[2], row[2]), float(row[4])
    if not word or not isfinite(nats):
        raise ValueError(row)
    return int(row[0]) + 1, (int(row[1]), word, nats / log(2))


def _by_sentence(
    rows: Sequence[list[str]], first: int, read: Any, path: Path
) -> tuple[dict[int, list[Token]], list[Problem]]:
    problems: list[Problem] = []
    found: dict[int, list[Token]] = {}
    for number, row in enumerate(rows, first):
        try:
            sentence, token = read(row)
        except (ValueError, IndexError):
            message = f"not a sentence's number, a token's number, a token and a surprisal: {row}"
            problems.append(Problem(message, str(path), number))
        else:
            found.setdefault(sentence, []).append(token)
    return found, [*problems, *_gaps(found, path)]


def _refuse(problems: Sequence[Problem], path: Path) -> None:
    if problems:
        raise InputError(problems[:20])


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


def _columns(tokens: Iterable[Token]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    kept = sorted(tokens)
    return tuple(token for _, token, _ in kept), tuple(value for _, _, value in kept)


def _read_json_lines(path: Path) -> dict[Key, SentenceLine]:
    found: dict[Key, SentenceLine] = {}
    problems: list[Problem] = []
    with path.open(encoding="utf-8-sig") as file:
        for number, text in enumerate(file, 1):
            try:
                key, line = _json_line(text, len(found) + 1)
                if key in found:
                    raise ValueError(f"is of the same sentence as a line before: {key}")
                found[key] = line
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                problems.append(Problem(_why(error), str(path), number))
    _refuse(problems, path)
    if len({type(key) for key in found}) > 1:
        raise fail("some lines have an id and a side, some have not", path)
    return found


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"is not JSON: {error}"
    if isinstance(error, KeyError):
        return f"has no {error}"
    if isinstance(error, ValueError):
        return str(error)
    return "is not an object with lists of tokens and surprisals"


def _json_line(text: str, number: int) -> tuple[Key, SentenceLine]:
    row = json.loads(text)
    tokens, values, unit = list(row["tokens"]), list(row["surprisals"]), row.get("unit", "bits")
    if unit not in _UNITS:
        raise ValueError(f"unknown unit {unit!r} {candidates('units', list(_UNITS), str(unit))}")
    if len(tokens) != len(values):
        raise ValueError(f"has {len(tokens)} tokens and {len(values)} surprisals")
    if values and values[0] is None:
        values[0] = 0.0  # the first token of a model without a BOS token has no probability
    bits = [float(value) * _UNITS[unit] for value in values]
    if not all(map(isfinite, bits)) or not all(isinstance(token, str) for token in tokens):
        raise ValueError("has a token that is no text, or a surprisal that is no finite number")
    line = _line([(place, *pair) for place, pair in enumerate(zip(tokens, bits, strict=True))])
    key: Key = (str(row["id"]), str(row["side"])) if "id" in row else number
    return key, line


def in_order(
    lines: Mapping[Key, SentenceLine], sentences: Iterable[Sentence], path: Path
) -> dict[int, SentenceLine]:
    """Return lines by the number of their sentence, in the order of ``sentences``.

    Raises :class:`InputError` for a sentence that a file by item and sentence does not have.
    """
    numbered = {key: line for key, line in lines.items() if isinstance(key, int)}
    if numbered or not lines:
        return numbered
    found = {}
    for number, wanted in enumerate(sentences, 1):
        line = lines.get((wanted.id, wanted.side))
        if line is None:
            raise fail(f"has no line with id {wanted.id!r} and side {wanted.side!r}", path)
        found[number] = line
    return found
