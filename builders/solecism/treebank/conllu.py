"""CoNLL-U, read in blocks of whole sentences: lines, words, trees, and the table of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, fail
from solecism.treebank.arrays import PADDING, Coded, Flags, Ints, Spans
from solecism.treebank.features import parts_of

__all__ = [
    "BLOCK",
    "COLUMNS",
    "Block",
    "Fault",
    "FaultyError",
    "Lines",
    "Rows",
    "Sentences",
    "Surface",
    "Tokens",
    "Words",
    "files_of",
    "find_words",
    "read_block",
    "read_blocks",
    "read_tokens",
    "split_lines",
    "split_rows",
    "tokens_of",
]


BLOCK = 1 << 21
"""Bytes of a block: small enough for its arrays to stay near the processor."""

_SHOWN = 20


@dataclass(frozen=True)
class Fault:
    """Something wrong in a line of a block (``line`` counts from 0)."""

    line: int
    message: str


class FaultyError(Exception):
    """A block cannot be read: carries its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = sorted(faults, key=lambda fault: fault.line)
        super().__init__(f"{len(self.faults)} faults")


@dataclass(frozen=True)
class Block:
    """Whole sentences of a file: ``line`` is the number of the first line, counted from 1."""

    data: bytes
    path: str = ""
    line: int = 1

    def error(self, faults: Sequence[Fault]) -> InputError:
        """Say where in the file the faults are; those that are told alike once, with their number."""
        alike: dict[str, list[int]] = {}
        for fault in faults:
            alike.setdefault(fault.message, []).append(self.line + fault.line)
        problems = [
            Problem(message + _and_more(len(lines) - 1, "line"), self.path, lines[0])
            for message, lines in islice(alike.items(), _SHOWN)
        ]
        if len(alike) > _SHOWN:
            problems.append(Problem(f"{len(alike) - _SHOWN} more problems", self.path))
        return InputError(problems)

    def without(self, faults: Sequence[Fault]) -> tuple[Block, int]:
        """Blank out the sentences with faults; give the rest, its line numbers kept, and how many."""
        lines = self.data.split(b"\n")
        gone: set[int] = set()
        skipped = 0
        for fault in faults:
            if fault.line not in gone:
                found = set(_sentence(lines, fault.line))
                gone |= found
                skipped += 1
        kept = [b"" if number in gone else line for number, line in enumerate(lines)]
        return Block(b"\n".join(kept), self.path, self.line), skipped


def _and_more(number: int, what: str) -> str:
    return f" (and {number:,} more {what}{'s' * (number > 1)})" if number else ""


def _sentence(lines: list[bytes], line: int) -> Iterator[int]:
    """The lines of the sentence that a line is in."""
    start = line
    while start > 0 and lines[start - 1]:
        start -= 1
    yield line
    while start < len(lines) and (lines[start] or start == line):
        yield start
        start += 1


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Give the CoNLL-U files among and below ``paths``, those of a folder in the order of their names.

    Raises :class:`InputError` for a path that is not there and a folder without such files.
    """
    return [file for path in paths for file in _files(path)]


def _lines(data: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        if not path.exists():
            raise fail("there is no such file or folder", path)
        return [path]
    found = sorted(path.rglob("*.conllu"))
    if not found:
        raise fail("holds no .conllu files", path)
    return found


def read_blocks(path: Path, size: int = BLOCK) -> Iterator[Block]:
    """Yield a file in blocks of whole sentences, each of about ``size`` bytes.

    An empty line written ``CR LF`` ends a sentence too; the reader of the block complains of it.
    """
    rest, line = b"", 1
    with path.open("rb") as file:
        while chunk := file.read(size):
            rest += chunk
            if b"\r" in chunk:
                rest = rest.replace(b"\n\r\n", b"\n\n")
            if end := rest.rfind(b"\n\n") + 2:
                if end < 2:
                    continue
                block = Block(rest[:end], str(path), line)
                line += _lines(block.data)
                rest = rest[end:]
                yield block
    if rest.strip(b"\n"):
        yield Block(rest, str(path), line)


COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""Source: https://universaldependencies.org/format.html."""

_TABS = len(COLUMNS) - 1
_NEWLINE, _TAB, _RETURN, _HASH = b"\n\t\r#"


@dataclass(frozen=True)
class Lines:
    """All lines of a block; ``sentence`` numbers what stands between empty lines."""

    text: Spans
    comment: Flags
    word: Flags
    sentence: Ints


@dataclass(frozen=True)
class Rows:
    """The lines with ten columns: words, multiword tokens, empty nodes.

    ``text``: the whole lines; ``tabs``: a row a line, the places of its nine tabs; ``line`` and
    ``sentence``: their numbers.
    """

    text: Spans
    tabs: Ints
    line: Ints
    sentence: Ints

    def column(self, name: str, rows: Ints | slice = slice(None)) -> Spans:
        """Give a column by its name in the format, of all or of some rows."""
        at = COLUMNS.index(name)
        starts = self.tabs[rows, at - 1] + 1 if at else self.text.starts[rows]
        ends = self.tabs[rows, at] if at < _TABS else self.text.ends[rows]
        return Spans(self.text.data, starts, ends)


def split_lines(block: Block) -> Lines:
    """Find the lines of a block; raises :class:`FaultyError` for bytes and lines that CoNLL-U has not."""
    _require_utf8(block)
    end = b"" if block.data.endswith(b"\n") else b"\n"
    data = b"".join((block.data, end, PADDING))
    letters = np.frombuffer(data, np.uint8)[: -len(PADDING)]
    ends = np.flatnonzero(letters == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))
    first = letters[starts]
    empty, comment = ends == starts, first == _HASH
    word = (first >= ord("0")) & (first <= ord("9"))
    _require_known(Spans(data, starts, ends), ~(empty | comment | word))
    if b"\r" in block.data:
        _require_unix(letters, ends)
    return Lines(Spans(data, starts, ends), comment, word, np.cumsum(empty))


def _require_utf8(block: Block) -> None:
    size = np.array([0, len(block.data)], np.int32)
    try:
        buffers = pa.py_buffer(size), pa.py_buffer(block.data)
        pa.StringArray.from_buffers(1, *buffers).validate(full=True)
    except pa.ArrowInvalid:
        numbered = enumerate(block.data.split(b"\n"))
        faults = [Fault(n, "not UTF-8") for n, line in numbered if not _is_utf8(line)]
        raise FaultyError(faults) from None


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _require_known(lines: Spans, strange: Flags) -> None:
    rows = np.flatnonzero(strange)
    if len(rows):
        raise FaultyError(
            [Fault(int(n), _strange(t)) for n, t in _numbered(rows, lines[rows].texts())]
        )


def _numbered(rows: Ints, texts: Iterable[str]) -> Iterable[tuple[int, str]]:
    return zip(rows.tolist(), texts, strict=True)


def _strange(line: str) -> str:
    if line.startswith("\ufeff"):
        return "the file begins with a byte order mark"
    if line == "\r":
        return "lines end in CR LF, where CoNLL-U has LF"
    shown = line if len(line) < 40 else line[:36] + " ..."
    return f"neither a comment, nor a word, nor an empty line: {shown!r}"


def _require_unix(letters: NDArray[np.uint8], ends: Ints) -> None:
    rows = np.flatnonzero((letters[np.maximum(ends - 1, 0)] == _RETURN) & (ends > 0))
    if len(rows):
        message = "lines end in CR LF, where CoNLL-U has LF"
        raise FaultyError([Fault(int(row), message) for row in rows])


def split_rows(lines: Lines) -> Rows:
    """Find the columns of the lines that are not comments; raises :class:`FaultyError` where not ten."""
    line = np.flatnonzero(lines.word)
    text = lines.text[line]
    data = text.data
    tabs = np.flatnonzero(np.frombuffer(data, np.uint8) == _TAB)
    if len(tabs) != _TABS * len(line) or not _regular(tabs, text):
        tabs = _only_words(tabs, lines)
        _require_ten(tabs, text, line)
    table = tabs.reshape(-1, _TABS)
    _require_full(text, tabs, table, line)
    return Rows(text, table, line, lines.sentence[line])


def _regular(tabs: Ints, text: Spans) -> bool:
    """Tell whether every line has its share of the tabs."""
    table = tabs.reshape(-1, _TABS)
    return bool((table[:, 0] > text.starts).all() and (table[:, -1] < text.ends).all())


def _only_words(tabs: Ints, lines: Lines) -> Ints:
    """The tabs that do not stand in comments."""
    at = np.searchsorted(lines.text.starts, tabs, side="right") - 1
    return tabs[lines.word[at]]


def _require_ten(tabs: Ints, text: Spans, line: Ints) -> None:
    at = np.searchsorted(text.starts, tabs, side="right") - 1
    count = np.bincount(at, minlength=len(line)) + 1
    rows = np.flatnonzero(count != len(COLUMNS))
    if len(rows):
        raise FaultyError([Fault(int(line[row]), _columns(int(count[row]))) for row in rows])


def _columns(count: int) -> str:
    plural = "s" if count > 1 else " (are there tabs between them?)"
    return f"{count} column{plural} where CoNLL-U has {len(COLUMNS)}"


def _require_full(text: Spans, tabs: Ints, table: Ints, line: Ints) -> None:
    """No column may be empty: no tab follows on another, on the start of a line or before its end."""
    after = (np.flatnonzero(tabs[1:] - tabs[:-1] == 1) + 1).tolist()
    empty = [divmod(at, _TABS) for at in after if at % _TABS]
    empty += [(int(row), 0) for row in np.flatnonzero(table[:, 0] == text.starts)]
    empty += [(int(row), _TABS) for row in np.flatnonzero(table[:, -1] + 1 == text.ends)]
    if empty:
        raise FaultyError(
            [Fault(int(line[row]), f"column {COLUMNS[at]} is empty") for row, at in sorted(empty)]
        )


_DASH, _DOT = b"-."


@dataclass(frozen=True)
class Words:
    """Which rows are words, and how they hang together.

    ``row``: the row of every word; ``number``: its ID; ``sentence``: numbered from 0 without gaps;
    ``head``: the word (not the row) that is its head, -1 for a root; ``multiword``: it is a part of a
    multiword token; ``surface``: the written token that it is or is a part of. ``written``: the row of
    every written token, ``written_sentence`` its sentence. ``place_of``: what the numbers of sentences
    in :class:`Lines` became, -1 where there are no words.
    """

    row: Ints
    number: Ints
    sentence: Ints
    head: Ints
    multiword: Flags
    surface: Ints
    written: Ints
    written_sentence: Ints
    place_of: Ints


def find_words(rows: Rows) -> Words:
    """Read IDs and heads; raises :class:`FaultyError` for bad or doubled IDs, bad heads and cycles."""
    id_ = rows.column("ID")
    number, plain = id_.integers()
    row = np.flatnonzero(plain)
    first, last = _ranges(rows, np.flatnonzero(~plain))
    place_of, sentence = _places(rows, row)
    number = number[row]
    start = np.flatnonzero(np.diff(sentence, prepend=-1))
    size = np.diff(np.append(start, len(row)))
    _require_counted(rows, row, number - (np.arange(len(row)) - start[sentence]), number)
    head = _heads(rows, row, number, start[sentence], size[sentence])
    token = np.flatnonzero(last > 0)
    covered, inner = _cover(rows, row, sentence, start, size, token, first[token], last[token])
    shown = np.zeros(len(rows.line), bool)
    shown[row[~covered]] = shown[token] = True
    written = np.flatnonzero(shown)
    order = np.where(covered, token[inner], row) if len(token) else row
    return Words(
        row, number, sentence, head, covered, (np.cumsum(shown) - 1)[order], written,
        place_of[rows.sentence[written]], place_of,
    )  # fmt: skip


def _faults(rows: Rows, bad: Ints, message: Callable[[int], str]) -> None:
    """Raise for the given rows, if any; ``message`` is told the position in ``bad``."""
    if len(bad):
        raise FaultyError([Fault(int(rows.line[row]), message(n)) for n, row in enumerate(bad)])


def _ranges(rows: Rows, other: Ints) -> tuple[Ints, Ints]:
    """First and last ID of multiword tokens, for every row; 0 for others and for empty nodes."""
    first, last = np.zeros(len(rows.line), np.int64), np.zeros(len(rows.line), np.int64)
    bad = []
    for row, text in zip(other.tolist(), rows.column("ID", other).texts(), strict=True):
        left, mark, right = text.partition("-" if "-" in text else ".")
        if not (mark and left.isdecimal() and right.isdecimal()):
            bad.append((row, f"ID {text!r} is neither a number, nor a range, nor an empty node's"))
        elif mark == "-":
            first[row], last[row] = int(left), int(right)
            if not 0 < int(left) <= int(right):
                bad.append((row, f"the range {text!r} runs backwards"))
    _faults(rows, np.array([row for row, _ in bad], np.int64), lambda n: bad[n][1])
    return first, last


def _places(rows: Rows, row: Ints) -> tuple[Ints, Ints]:
    """Number the sentences that have words without gaps."""
    given = rows.sentence[row]
    count = int(rows.sentence[-1]) + 1 if len(rows.sentence) else 0
    has = np.zeros(count, bool)
    has[given] = True
    place_of = np.where(has, np.cumsum(has) - 1, -1)
    return place_of, place_of[given]


def _require_counted(rows: Rows, row: Ints, offset: Ints, number: Ints) -> None:
    """IDs must count from 1."""
    wrong = np.flatnonzero(offset != 1)
    wanted = number - offset + 1

    def message(n: int) -> str:
        given, expected = int(number[wrong[n]]), int(wanted[wrong[n]])
        twice = 0 < given < expected
        return f"ID {given} stands twice" if twice else f"ID {given} where {expected} should be"

    _faults(rows, row[wrong], message)


def _heads(rows: Rows, row: Ints, number: Ints, start: Ints, size: Ints) -> Ints:
    """The head of every word, as a word; raises for heads that are no word, and for cycles."""
    text = rows.column("HEAD", row)
    given, good = text.integers()
    bad = np.flatnonzero(~good | (given > size))
    _faults(
        rows,
        row[bad],
        lambda n: (
            f"HEAD {text[bad[n : n + 1]].texts()[0]!r} is no word of the sentence"
            f" (1 to {size[bad[n]]}, 0 for the root)"
        ),
    )
    head = np.where(given > 0, start + given - 1, -1)
    _require_trees(rows, row, head, size, number)
    return head


def _require_trees(rows: Rows, row: Ints, head: Ints, size: Ints, number: Ints) -> None:
    """Follow all heads at once, in steps that double, until everything has reached a root."""
    top = len(head)
    above = np.append(np.where(head < 0, top, head), top)
    steps, longest = 1, int(size.max(initial=0))
    while steps <= longest and (above[:-1] != top).any():
        above = above[above]
        steps *= 2
    lost = np.flatnonzero(above[:-1] != top)
    _faults(
        rows, row[lost], lambda n: f"word {number[lost[n]]} is in a cycle of heads, or below one"
    )


def _cover(
    rows: Rows,
    row: Ints,
    sentence: Ints,
    start: Ints,
    size: Ints,
    token: Ints,
    first: Ints,
    last: Ints,
) -> tuple[Flags, Ints]:
    """Tell which words are parts of a multiword token, and of which (a place in ``token``)."""
    covered, inner = np.zeros(len(row), bool), np.zeros(len(row), np.int64)
    if not len(token):
        return covered, inner
    unfit = "the range of a multiword token does not fit the words after it"
    if not len(row):
        _faults(rows, token, lambda n: unfit)
    following = np.searchsorted(row, token)
    at = np.minimum(following, len(row) - 1)
    here = rows.sentence[row[at]] == rows.sentence[token]
    begin = start[sentence[at]] + first - 1
    fits = here & (begin == following) & (last <= size[sentence[at]])
    _faults(rows, token[~fits], lambda n: unfit)
    width = last - first + 1
    overlap = np.flatnonzero(begin[1:] < (begin + width)[:-1]) + 1
    _faults(
        rows, token[overlap], lambda n: "the range of a multiword token overlaps the one before"
    )
    which = np.repeat(np.arange(len(token)), width)
    parts = np.repeat(begin - np.cumsum(width) + width, width) + np.arange(int(width.sum()))
    covered[parts], inner[parts] = True, which
    return covered, inner


_SENT_ID, _TEXT = "# sent_id =", "# text ="


@dataclass(frozen=True)
class Surface:
    """The tokens as written: multiword tokens, and the words outside them.

    ``spaced``: a blank follows (no ``SpaceAfter=No``); ``sentence``: its row in :class:`Sentences`.
    """

    form: Spans
    spaced: Flags
    sentence: Ints


@dataclass(frozen=True)
class Sentences:
    """The sentences of a block: rows where their words begin and end, comments (empty where not given)."""

    start: Ints
    end: Ints
    sent_id: Spans
    text: Spans


@dataclass(frozen=True)
class Tokens:
    """The syntactic words of a block, column by column.

    ``head`` is the row of the head, -1 for a root; ``number`` the ID; ``surface`` the row of the
    written token that a word is (a part of) in :class:`Surface`; ``multiword``: it is a part of one.
    """

    rows: Rows
    words: Words
    lines: Lines
    path: str = ""

    def __len__(self) -> int:
        return len(self.words.row)

    @property
    def size(self) -> int:
        """Bytes of the block."""
        return len(self.rows.text.data) - len(PADDING)

    def column(self, name: str) -> Spans:
        """Give a column of the words by its name in the format."""
        return self.rows.column(name, self.words.row)

    @property
    def number(self) -> Ints:
        """The ID of every word: 1, 2, 3 ..."""
        return self.words.number

    @property
    def head(self) -> Ints:
        """The row of every word's head, -1 for a root."""
        return self.words.head

    @property
    def sentence(self) -> Ints:
        """The row of every word's sentence."""
        return self.words.sentence

    @cached_property
    def form(self) -> Spans:
        """The word forms."""
        return self.column("FORM")

    @cached_property
    def lemma(self) -> Spans:
        """The lemmas."""
        return self.column("LEMMA")

    @cached_property
    def forms(self) -> Coded:
        """The word forms, with every distinct one read."""
        return self.form.codes()

    @cached_property
    def lemmas(self) -> Coded:
        """The lemmas, with every distinct one read."""
        return self.lemma.codes()

    @cached_property
    def upos(self) -> Coded:
        """The parts of speech."""
        return self.column("UPOS").codes()

    @cached_property
    def deprel(self) -> Coded:
        """The relations to the heads."""
        return self.column("DEPREL").codes()

    @cached_property
    def feats(self) -> Coded:
        """The features, ``Case=Nom|Number=Sing`` or ``_``."""
        return self.column("FEATS").codes()

    @cached_property
    def surface(self) -> Surface:
        """The tokens as written."""
        rows = self.words.written
        parts = self.rows.column("MISC", rows).codes()
        spaced = parts.table(lambda misc: "SpaceAfter=No" not in misc.split("|"), bool)
        sentence = self.words.written_sentence
        return Surface(self.rows.column("FORM", rows), spaced, sentence)

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences, with their comments."""
        count = int(self.sentence[-1]) + 1 if len(self) else 0
        start = np.flatnonzero(np.diff(self.sentence, prepend=-1))
        end = np.append(start[1:], len(self))
        return Sentences(start, end, self._comment(_SENT_ID, count), self._comment(_TEXT, count))

    def _comment(self, key: str, count: int) -> Spans:
        """The value of a comment in every sentence; the first counts."""
        lines = np.flatnonzero(self.lines.comment)
        lines = lines[self.lines.sentence[lines] < len(self.words.place_of)]
        lines = lines[self.lines.text[lines].begin(key)][::-1]
        at = self.words.place_of[self.lines.sentence[lines]]
        lines, at = lines[at >= 0], at[at >= 0]
        starts, ends = np.zeros(count, np.int64), np.zeros(count, np.int64)
        text = self.lines.text[lines]
        starts[at], ends[at] = text.starts + len(key), text.ends
        letters = np.frombuffer(text.data, np.uint8)
        starts += (starts < ends) & (letters[starts] == ord(" "))
        return Spans(text.data, starts, ends)

    def arrow(self) -> pa.Table:
        """Give the table of words as Arrow; ``head`` is the ID of the head, 0 for a root."""
        head = np.where(self.head < 0, 0, self.number[self.head])
        return pa.table(
            {
                "sentence": self.sentence,
                "id": self.number,
                "form": self.form.arrow(),
                "lemma": self.lemma.arrow(),
                "upos": self.upos.arrow(),
                "feats": self.feats.arrow(),
                "head": head,
                "deprel": self.deprel.arrow(),
            }
        )


def tokens_of(block: Block) -> Tokens:
    """Read a block; raises :class:`FaultyError` with all faults of the first kind that it has."""
    lines = split_lines(block)
    rows = split_rows(lines)
    tokens = Tokens(rows, find_words(rows), lines, block.path)
    _require_feats(tokens)
    return tokens


def _require_feats(tokens: Tokens) -> None:
    bad = [text for text in tokens.feats.values if not all("=" in p for p in parts_of(text))]
    rows = np.flatnonzero(tokens.feats.isin(*bad))
    line = tokens.rows.line[tokens.words.row]
    if len(rows):
        texts = tokens.column("FEATS")[rows].texts()
        raise FaultyError(
            [
                Fault(int(line[row]), f"FEATS {text!r} is not of the form Feature=Value|..., nor _")
                for row, text in zip(rows, texts, strict=True)
            ]
        )


def read_tokens(
    path: Path, size: int = BLOCK, skipped: Callable[[int], object] | None = None
) -> Iterator[Tokens]:
    """Yield the token tables of a CoNLL-U file, block by block.

    With ``skipped`` (lenient) sentences with faults are left out, and it is called with their number;
    else the first block with faults raises :class:`InputError` with file, line and culprit.
    """
    for block in read_blocks(path, size):
        yield read_block(block, skipped)


def read_block(block: Block, skipped: Callable[[int], object] | None = None) -> Tokens:
    """Read a block; see :func:`read_tokens` for faults and ``skipped``."""
    while True:
        try:
            return tokens_of(block)
        except FaultyError as faulty:
            if skipped is None:
                raise block.error(faulty.faults) from None
            block, number = block.without(faulty.faults)
            skipped(number)
