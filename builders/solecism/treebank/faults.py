"""Explains broken sentences of CoNLL-U to the user: line by line, with the package ``conllu``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from conllu.exceptions import ParseException
from conllu.models import Token
from conllu.parser import parse_id_value, parse_int_value

from solecism.errors import InputError, Problem

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

_SHOWN = 20
_CR_LF = "lines end in CR LF, where CoNLL-U has LF"
_Fault = tuple[int, str]
_Numbered = list[tuple[int, str]]
_Words = list[tuple[int, list[str]]]


def explain(sentences: Sequence[tuple[int, bytes]], path: str) -> InputError:
    """Return the error with all faults of broken sentences; equal ones are listed once.

    Each sentence comes with the number of its first line.
    """
    alike: dict[str, list[int]] = {}
    for first, data in sentences:
        for line, message in _faults(first, data):
            alike.setdefault(message, []).append(line)
    problems = []
    for message, lines in islice(alike.items(), _SHOWN):
        number = len(lines) - 1
        more = f" (and {number:,} more line{'s' * (number > 1)})" if number else ""
        problems.append(Problem(message + more, path, lines[0]))
    if len(alike) > _SHOWN:
        problems.append(Problem(f"{len(alike) - _SHOWN} more problems", path))
    return InputError(problems)


def _faults(first: int, data: bytes) -> list[_Fault]:
    """Return the faults of a sentence that the first check with a finding finds."""
    lines = list(enumerate(data.rstrip(b"\n").split(b"\n"), first))
    if found := [(line, "not UTF-8") for line, raw in lines if not _is_utf8(raw)]:
        return found
    texts = [(line, raw.decode()) for line, raw in lines]
    words = [(line, text.split("\t")) for line, text in texts if text[:1] in "0123456789"]
    found = list(_strange(texts)) or list(_columns(words))
    checks: tuple[Callable[[_Words], Iterator[_Fault]], ...] = (_ids, _ranges, _heads, _feats)
    for check in checks:
        found = found or list(check(words))
    return found or [(first, "the sentence cannot be read")]


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _strange(texts: _Numbered) -> Iterator[_Fault]:
    for line, text in texts:
        shown = text if len(text) < 40 else f"{text[:36]} ..."
        if text.startswith("\ufeff"):
            yield line, "the file begins with a byte order mark"
        elif text.endswith("\r"):
            yield line, _CR_LF
        elif text[:1] not in "#0123456789":
            yield line, f"neither a comment, nor a word, nor an empty line: {shown!r}"


def _columns(words: _Words) -> Iterator[_Fault]:
    for line, cells in words:
        if len(cells) != len(COLUMNS):
            plural = "s" if len(cells) > 1 else " (are there tabs between them?)"
            yield line, f"{len(cells)} column{plural} where CoNLL-U has {len(COLUMNS)}"
        else:
            empty = (name for name, cell in zip(COLUMNS, cells, strict=True) if not cell)
            yield from ((line, f"column {name} is empty") for name in empty)


def _ids(words: _Words) -> Iterator[_Fault]:
    """Yield IDs that are none, and words that do not count from 1."""
    expected = 1
    for line, (text, *_) in words:
        try:
            number = parse_id_value(text)
        except ParseException:
            left, _, right = text.partition("-")
            backwards = left.isdecimal() and right.isdecimal()
            yield line, f"the range {text!r} runs backwards" if backwards else _no_id(text)
            expected += not backwards
            continue
        if isinstance(number, int):
            if number != expected:
                twice = 0 < number < expected
                wrong = "stands twice" if twice else f"where {expected} should be"
                yield line, f"ID {number} {wrong}"
            expected = (number or expected) + 1


def _no_id(text: str) -> str:
    return f"ID {text!r} is neither a number, nor a range, nor an empty node's"


def _tokens(words: _Words) -> list[tuple[int, Token]]:
    return [(line, Token(id=parse_id_value(cells[0]), head=cells[6])) for line, cells in words]


def _ranges(words: _Words) -> Iterator[_Fault]:
    """Yield multiword tokens whose range does not fit the words after them."""
    tokens = _tokens(words)
    size = sum(isinstance(token["id"], int) for _, token in tokens)
    following, covered = 1, 0
    for line, token in tokens:
        if isinstance(token["id"], int):
            following = token["id"] + 1
        elif token["id"][1] == "-":
            first, _, last = token["id"]
            if first != following or last > size:
                yield line, "the range of a multiword token does not fit the words after it"
            elif first <= covered:
                yield line, "the range of a multiword token overlaps the one before"
            covered = max(covered, last)


def _heads(words: _Words) -> Iterator[_Fault]:
    """Yield heads that are no word of the sentence, else words from which no root is reached."""
    tokens = [(line, token) for line, token in _tokens(words) if isinstance(token["id"], int)]
    heads = {token["id"]: _head(token["head"], len(tokens)) for _, token in tokens}
    for line, token in tokens:
        if heads[token["id"]] is None:
            message = f"HEAD {token['head']!r} is no word of the sentence"
            yield line, f"{message} (1 to {len(tokens)}, 0 for the root)"
    if None in heads.values():
        return
    rooted = {0}
    for _ in tokens:
        rooted |= {number for number, head in heads.items() if head in rooted}
    for line, token in tokens:
        if token["id"] not in rooted:
            yield line, f"word {token['id']} is in a cycle of heads, or below one"


def _head(text: str, size: int) -> int | None:
    try:
        head = parse_int_value(text)
    except ParseException:
        return None
    return head if head is not None and 0 <= head <= size else None


def _feats(words: _Words) -> Iterator[_Fault]:
    for line, cells in words:
        if cells[5] != "_" and not all("=" in part for part in cells[5].split("|")):
            yield line, f"FEATS {cells[5]!r} is not of the form Feature=Value|..., nor _"
