"""Counts of (form, lemma, UPOS, FEATS) in CoNLL-U files: what a treebank attests of a word.

Source: https://universaldependencies.org/format.html. Only what the verification of lexicons needs;
trees are read elsewhere.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from solecism.errors import InputError, Problem, fail
from solecism.words.features import Feats

__all__ = ["Analysis", "count_forms"]

_COLUMNS = 10
_MARKS = ("PUNCT", "SYM")
_Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Analysis:
    """A word form with what it is a form of and what it expresses."""

    form: str
    lemma: str
    upos: str
    feats: Feats


def count_forms(paths: Iterable[Path]) -> Counter[Analysis]:
    """Count the analyses of all syntactic words of CoNLL-U files.

    Multiword ranges and empty nodes are left out. A form takes the case of its lemma where it is
    the first word of a sentence or written in capitals throughout. Underscores that mark a word
    within a Hebrew multiword token are stripped in front (``_הוא``); a word with one at its end is
    left out, for it is written as its lemma and attests no form (``יד_`` for the plural). A lemma
    that is not given (``_``) is the form. Raises :class:`InputError` with every problem of a file.
    """
    total: Counter[Analysis] = Counter()
    for path in paths:
        for (form, lemma, upos, feats), count in _count(path).items():
            total[Analysis(form, lemma, upos, _feats(feats))] += count
    return total


def _count(path: Path) -> Counter[_Key]:
    problems: list[Problem] = []
    counts: Counter[_Key] = Counter()
    for line, key in _words(path, problems):
        if key not in counts and (message := _bad_feats(key[3])):
            problems.append(Problem(message, str(path), line))
        counts[key] += 1
    if problems:
        raise InputError(problems)
    return counts


def _words(path: Path, problems: list[Problem]) -> Iterator[tuple[int, _Key]]:
    first = True
    for number, line in _lines(path):
        if not line or line[0] == "#":
            first = first or not line
            continue
        cells = line.split("\t")
        if len(cells) != _COLUMNS:
            message = f"{len(cells)} columns where CoNLL-U has {_COLUMNS}"
            problems.append(Problem(message, str(path), number))
        elif cells[0].isdigit() and (key := _key(cells, first)):
            first = first and key[2] in _MARKS
            yield number, key


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                yield number, raw.decode("utf-8").rstrip("\r\n")
    except FileNotFoundError:
        raise fail("there is no such file", path) from None
    except UnicodeDecodeError as error:
        raise fail(f"not UTF-8 ({error.reason})", path, number) from None


def _key(cells: list[str], first: bool) -> _Key | None:
    _, form, lemma, upos, _, feats, *_ = cells
    if len(form) > 1 and form[-1] == "_":
        return None
    form = unicodedata.normalize("NFC", form.lstrip("_") or form)
    lemma = form if lemma == "_" else unicodedata.normalize("NFC", lemma)
    return _case(form, lemma, first), lemma, upos, feats


def _case(form: str, lemma: str, first: bool) -> str:
    if lemma != lemma.lower():
        return form
    if len(form) > 1 and form.isupper():
        return form.lower()
    return form[0].lower() + form[1:] if first else form


@cache
def _feats(text: str) -> Feats:
    return Feats.parse(text)


def _bad_feats(text: str) -> str:
    try:
        _feats(text)
    except ValueError as error:
        return f"FEATS: {error}"
    return ""
