"""Tells users why sentences of CoNLL-U are broken, line by line."""

from collections.abc import Iterator, Sequence
from itertools import islice

from conllu.exceptions import ParseException
from conllu.parser import parse_id_value

from solecism.errors import InputError, Problem

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

_SHOWN = 20
_Faults = Iterator[tuple[int, str]]
_Words = Sequence[tuple[int, list[str]]]


def explain(sentences: Sequence[tuple[int, bytes]], path: str) -> InputError:
    """Return an error with the faults of broken sentences; equal faults are one problem.

    ``sentences``: the number of the first line, and the bytes, of each. At most 20 problems are
    told.
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


def _faults(first: int, data: bytes) -> list[tuple[int, str]]:
    """Return the faults of a sentence, each with its line.

    They are those of one check, the first that finds any: later checks need what it tests.
    """
    lines = list(enumerate(data.rstrip(b"\n").split(b"\n"), first))
    if found := list(_of_lines(lines)):
        return found
    words = [(line, raw.decode().split("\t")) for line, raw in lines if raw[:1].isdigit()]
    for check in (_of_columns, _of_ids, _of_heads, _of_features):
        if found := list(check(words)):
            return found
    return [(first, "the sentence cannot be read")]


def _of_lines(lines: Sequence[tuple[int, bytes]]) -> _Faults:
    for line, raw in lines:
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            yield line, "not UTF-8"
            continue
        shown = text if len(text) < 40 else f"{text[:36]} ..."
        if text.startswith("\ufeff"):
            yield line, "the file begins with a byte order mark"
        elif text.endswith("\r"):
            yield line, "lines end in CR LF, where CoNLL-U has LF"
        elif text[:1] not in "#0123456789":
            yield line, f"neither a comment, nor a word, nor an empty line: {shown!r}"


def _of_columns(words: _Words) -> _Faults:
    for line, cells in words:
        if len(cells) != len(COLUMNS):
            plural = "s" if len(cells) > 1 else " (are there tabs between them?)"
            yield line, f"{len(cells)} column{plural} where CoNLL-U has {len(COLUMNS)}"
        else:
            empty = (name for name, cell in zip(COLUMNS, cells, strict=True) if not cell)
            yield from ((line, f"column {name} is empty") for name in empty)


def _of_ids(words: _Words) -> _Faults:
    """Yield faults of IDs: texts that are no ID, words not counted from 1, ranges that misfit."""
    size = sum(cells[0].isdecimal() for _, cells in words)
    expected, covered = 1, 0
    for line, (text, *_) in words:
        try:
            number = parse_id_value(text)
        except (ParseException, ValueError):
            yield line, f"ID {text!r} is neither a number, nor a rising range, nor an empty node's"
            expected += "-" not in text
            continue
        if isinstance(number, int):
            if number != expected:
                yield line, f"ID {number} where {expected} should be"
            expected = (number or expected) + 1
        elif number and number[1] == "-":
            if number[0] != expected or number[0] <= covered or number[2] > size:
                yield line, "the range of a multiword token does not fit the words beside it"
            covered = max(covered, number[2])


def _of_heads(words: _Words) -> _Faults:
    """Yield faults of heads: heads that are no word of the sentence.

    If there are none, words whose heads do not lead to a root are faults.
    """
    plain = [(line, int(cells[0]), cells[6]) for line, cells in words if cells[0].isdecimal()]
    heads = {n: int(text) if text.isdecimal() and len(text) < 10 else -1 for _, n, text in plain}
    strange = [(line, text) for line, n, text in plain if not 0 <= heads[n] <= len(plain)]
    for line, text in strange:
        message = f"HEAD {text!r} is no word of the sentence"
        yield line, f"{message} (1 to {len(plain)}, 0 for the root)"
    rooted = {0}
    for _ in plain:
        rooted |= {number for number, head in heads.items() if head in rooted}
    for line, number, _ in plain:
        if number not in rooted and not strange:
            yield line, f"word {number} is in a cycle of heads, or below one"


def _of_features(words: _Words) -> _Faults:
    for line, cells in words:
        if cells[5] != "_" and not all("=" in part for part in cells[5].split("|")):
            yield line, f"FEATS {cells[5]!r} is not of the form Feature=Value|..., nor _"
