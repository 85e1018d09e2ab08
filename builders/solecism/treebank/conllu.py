"""CoNLL-U, read fast: chunks of whole sentences become columns of texts, codes and numbers.

Most columns of a treebank have few distinct texts. Texts stay in the bytes of the file. They are
hashed eight bytes at a time, for all rows together, and only distinct ones become Python strings.
If a chunk cannot be read, :mod:`solecism.treebank.faults` looks for the reasons, slowly and
sentence by sentence.

Source: https://universaldependencies.org/format.html.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grouping import first_rows
from solecism.hashing import Hashes, mix
from solecism.inputs import refuse_pointer
from solecism.treebank.faults import COLUMNS, explain

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
_Value = TypeVar("_Value")

CHUNK = 1 << 21
"""Bytes of a chunk: few enough that its arrays fit into the processor's cache."""

PADDING = bytes(16)
"""Bytes that must follow the last text of :class:`Spans`, as texts are read in pieces of eight."""

_TABS = len(COLUMNS) - 1
_NEWLINE, _TAB, _RETURN, _HASH = b"\n\t\r#"
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_NUMBER = re.compile("[0-9]{1,9}")
_RANGE = re.compile(r"(\d{1,9})([-.])(\d{1,9})")
_SENT_ID, _TEXT = b"# sent_id =", b"# text ="


@dataclass(frozen=True)
class Coded:
    """A column of few distinct texts: the text of a row is ``values[codes[row]]``."""

    codes: Ints
    values: tuple[str, ...]

    def __getitem__(self, rows: Ints | Flags) -> Coded:
        return Coded(self.codes[rows], self.values)

    def table(self, function: Callable[[str], _Value], kind: Any) -> NDArray[Any]:
        """Return a function's result for every row; it is called once for each distinct text."""
        return np.array([function(value) for value in self.values], kind)[self.codes]

    def isin(self, *wanted: str) -> Flags:
        """Return flags of the rows that have one of the texts."""
        return self.table(wanted.__contains__, bool)

    def arrow(self) -> pa.StringArray:
        """Return the column as Arrow strings; empty texts are null."""
        values = pa.array([value or None for value in self.values], pa.string())
        return values.take(pa.array(self.codes))


@dataclass(frozen=True)
class Spans:
    """A column of texts: each is ``data[start:end]``; ``data`` is UTF-8, then :data:`PADDING`."""

    data: bytes
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, rows: Ints | Flags | slice) -> Spans:
        return Spans(self.data, self.starts[rows], self.ends[rows])

    @property
    def sizes(self) -> Ints:
        """The length of every text in bytes."""
        return self.ends - self.starts

    def raw(self) -> list[bytes]:
        """Return every text as bytes."""
        data = self.data
        return [data[s:e] for s, e in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    def texts(self) -> list[str]:
        """Return every text."""
        return [text.decode() for text in self.raw()]

    def arrow(self) -> pa.StringArray:
        """Return the column as Arrow strings."""
        raw = self.raw()
        ends = np.concatenate(([0], np.cumsum(self.sizes, dtype=np.int32))).astype(np.int32)
        buffers = pa.py_buffer(ends), pa.py_buffer(b"".join(raw))
        return pa.StringArray.from_buffers(len(raw), *buffers)

    def begin(self, text: bytes) -> Flags:
        """Return flags of the texts that begin with this one."""
        ends = np.minimum(self.starts + len(text), self.ends)
        wanted = Spans(text + PADDING, np.array([0]), np.array([len(text)]))
        found: Flags = Spans(self.data, self.starts, ends).hashes() == wanted.hashes()
        return found

    def hashes(self) -> Hashes:
        """Return a hash of 64 bits of each text, the same on every machine and in every chunk."""
        sizes = self.sizes
        out = _spread(self._pieces(0) ^ _spread(sizes.astype(np.uint64)))
        at, rows = 8, np.flatnonzero(sizes > 8)
        while len(rows):
            out[rows] = _spread(out[rows] ^ self[rows]._pieces(at))
            at += 8
            rows = rows[sizes[rows] > at]
        return mix(out)

    def _pieces(self, at: int) -> Hashes:
        """Return eight bytes of each text, from ``at`` on, as a little-endian number.

        Bytes past the end of the text are 0.
        """
        # A view with a stride of one byte: words[i] are the eight bytes that begin at byte i.
        words: Hashes = np.ndarray((len(self.data) - 7,), "<u8", self.data, strides=(1,))
        starts = self.starts + at
        return words[starts] & _MASKS[np.minimum(self.ends - starts, 8)]  # type: ignore[no-any-return]

    def codes(self) -> Coded:
        """Return the column with each distinct text once, in the order of their first rows."""
        encoded = pa.array(self.hashes()).dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        first = first_rows(codes, len(encoded.dictionary))
        return Coded(codes, tuple(self[first].texts()))

    def integers(self) -> tuple[Ints, Flags]:
        """Return each text as a number, and flags of the texts that are one (up to nine digits)."""
        coded = self.codes()
        good = coded.table(lambda text: bool(_NUMBER.fullmatch(text)), bool)
        return coded.table(lambda text: int(text) if _NUMBER.fullmatch(text) else 0, np.int64), good


def _spread(values: Hashes) -> Hashes:
    """Return values whose bits are mixed a little: the step between two pieces of a text.

    The last step of a hash mixes them well.
    """
    out = values * _ODD
    out ^= out >> np.uint64(29)
    return out


Numbered = tuple[int, bytes]
"""Lines of a file, and the number of the first one, counted from 1."""


class BrokenError(Exception):
    """An error for a chunk that is not CoNLL-U; it does not say why."""


def _require(good: Flags) -> None:
    """Raise :class:`BrokenError` unless all flags are set."""
    if not good.all():
        raise BrokenError


def starts_of(groups: Ints) -> Ints:
    """Return the rows in which a group begins; ``groups`` has each row's, in rising order."""
    return np.flatnonzero(np.diff(groups, prepend=-1))


def files_of(paths: Sequence[Path], ending: str = ".conllu") -> list[Path]:
    """Return the files among and below ``paths``; those of a folder are found by their ending.

    Files of a folder stand in the order of their names. Raises :class:`InputError` for a path that
    is not there and for a folder without such files.
    """
    files = []
    for path in paths:
        if not path.exists():
            raise fail("there is no such file or folder", path)
        found = sorted(path.rglob(f"*{ending}")) if path.is_dir() else [path]
        if not found:
            raise fail(f"holds no {ending} files", path)
        files += found
    return files


def read_chunks(path: Path, size: int = CHUNK) -> Iterator[Numbered]:
    """Yield the chunks of a file, whole sentences of about ``size`` bytes each.

    An empty line that ends in ``CR LF`` ends a sentence too, although :func:`tokens_of` refuses it.
    """
    refuse_pointer(path)
    rest, line = b"", 1
    with path.open("rb") as file:
        while piece := file.read(size):
            rest += piece
            # Only whole sentences are yielded; what follows the last empty line waits for more.
            if b"\r" in piece:
                rest = rest.replace(b"\n\r\n", b"\n\n")
            end = rest.rfind(b"\n\n") + 2
            if end >= 2:
                yield line, rest[:end]
                line += rest.count(b"\n", 0, end)
                rest = rest[end:]
    if rest.strip(b"\n"):
        yield line, rest


def _sentences(line: int, data: bytes) -> Iterator[Numbered]:
    """Yield each sentence of a chunk: the lines between two empty ones."""
    at = 0
    for match in re.finditer(rb"(?:[^\n]+\n?)+", data):
        line += data.count(b"\n", at, match.start())
        at = match.start()
        yield line, match[0].rstrip(b"\n") + b"\n\n"


def read_tokens(
    path: Path, size: int = CHUNK, skipped: Callable[[int], object] | None = None
) -> Iterator[Tokens]:
    """Yield the words of a CoNLL-U file, chunk by chunk.

    With ``skipped``, broken sentences are left out, and ``skipped`` is called with their number.
    Without it, the first chunk with broken sentences raises :class:`InputError` with the file, the
    line and the fault of each.
    """
    for line, data in read_chunks(path, size):
        try:
            tokens = tokens_of(data)
        except BrokenError:
            good, broken = [], []
            for sentence in _sentences(line, data):
                try:
                    tokens_of(sentence[1])
                    good.append(sentence[1])
                except BrokenError:
                    broken.append(sentence)
            if skipped is None:
                raise explain(broken, str(path)) from None
            skipped(len(broken))
            tokens = tokens_of(b"".join(good))
        yield tokens


@dataclass(frozen=True)
class _Lines:
    """All lines of a chunk.

    ``comment`` and ``word``: flags of lines that begin with ``#`` or with a digit; ``sentence``:
    how many empty lines there are up to a line, itself included.
    """

    text: Spans
    comment: Flags
    word: Flags
    sentence: Ints


def _split_lines(data: bytes) -> _Lines:
    """Return the lines of a chunk; raises :class:`BrokenError` for other lines than CoNLL-U has."""
    try:
        pa.array([data]).cast(pa.string())
    except pa.ArrowInvalid:  # it is not UTF-8
        raise BrokenError from None
    end = b"" if data.endswith(b"\n") else b"\n"
    padded = b"".join((data, end, PADDING))
    letters = np.frombuffer(padded, np.uint8)[: -len(PADDING)]
    ends = np.flatnonzero(letters == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))
    first = letters[starts]
    empty, comment = ends == starts, first == _HASH
    word = (first >= ord("0")) & (first <= ord("9"))
    text = Spans(padded, starts, ends)
    _require(empty | comment | word)
    if b"\r" in data:
        _require(letters[np.maximum(ends - 1, 0)] != _RETURN)
    return _Lines(text, comment, word, np.cumsum(empty))


@dataclass(frozen=True)
class _Rows:
    """The lines with ten columns: words, multiword tokens, empty nodes.

    ``tabs``: for each line the places of its nine tabs; ``sentence``: as in :class:`_Lines`.
    """

    text: Spans
    tabs: Ints
    sentence: Ints

    def column(self, name: str, rows: Ints | slice = slice(None)) -> Spans:
        """Return a column by its name (``FORM``), of all rows or of some."""
        at = COLUMNS.index(name)
        starts = self.tabs[rows, at - 1] + 1 if at else self.text.starts[rows]
        ends = self.tabs[rows, at] if at < _TABS else self.text.ends[rows]
        return Spans(self.text.data, starts, ends)


def _split_columns(lines: _Lines) -> _Rows:
    """Return the columns; raises :class:`BrokenError` if there are not ten, or one is empty."""
    line = np.flatnonzero(lines.word)
    text = lines.text[line]
    tabs = np.flatnonzero(np.frombuffer(text.data, np.uint8) == _TAB)
    table = tabs.reshape(-1, _TABS) if len(tabs) == _TABS * len(text) else None
    if table is None or (table[:, 0] <= text.starts).any() or (table[:, -1] >= text.ends).any():
        # There may be tabs in comments: look at the other tabs alone.
        tabs = tabs[lines.word[np.searchsorted(lines.text.starts, tabs, side="right") - 1]]
        of_line = np.searchsorted(text.starts, tabs, side="right") - 1
        _require(np.bincount(of_line, minlength=len(text)) == _TABS)
    table = tabs.reshape(-1, _TABS)
    if not (tabs[1:] - tabs[:-1] > 1).all():  # a column is empty
        full: Flags = np.logical_and.reduce(np.diff(table) > 1, axis=1)
        _require(full)
    _require(table[:, -1] + 1 < text.ends)
    return _Rows(text, table, lines.sentence[line])


@dataclass(frozen=True)
class Surface:
    """The tokens as written: multiword tokens, and the words outside them.

    ``spaced``: flags of tokens that a blank follows (without ``SpaceAfter=No``); ``sentence``: the
    row of a token's sentence in :class:`Sentences`.
    """

    form: Spans
    spaced: Flags
    sentence: Ints


@dataclass(frozen=True)
class Sentences:
    """The sentences of a chunk.

    ``start`` and ``end``: the rows of their words, from ``start`` up to ``end`` without it;
    ``sent_id`` and ``text``: the values of these comments, empty if there is none.
    """

    start: Ints
    end: Ints
    sent_id: Spans
    text: Spans

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Tokens:
    """The syntactic words of a chunk, column by column.

    ``number``: the ID of each word; ``sentence``: the number of its sentence, from 0 without gaps;
    ``head``: the row of its head, -1 for a root; ``multiword``: flags of the words that are parts
    of multiword tokens; ``written``: the row in :attr:`surface` of the token that a word is, or is
    a part of.

    Private fields: ``_row``: the row of each word in ``_rows``; ``_shown``: the rows of the tokens
    as written; ``_place_of``: the number of a sentence by that in ``_lines``, -1 without words.
    """

    number: Ints
    sentence: Ints
    head: Ints
    multiword: Flags
    written: Ints
    _lines: _Lines
    _rows: _Rows
    _row: Ints
    _shown: Ints
    _place_of: Ints

    def __len__(self) -> int:
        return len(self.number)

    @property
    def size(self) -> int:
        """The bytes of the chunk."""
        return len(self._rows.text.data) - len(PADDING)

    def column(self, name: str) -> Spans:
        """Return a column of the words by its name (``FORM``)."""
        return self._rows.column(name, self._row)

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
        """The word forms, each distinct one as a string."""
        return self.form.codes()

    @cached_property
    def lemmas(self) -> Coded:
        """The lemmas, each distinct one as a string."""
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
        misc = self._rows.column("MISC", self._shown).codes()
        spaced = misc.table(lambda text: "SpaceAfter=No" not in text.split("|"), bool)
        sentence = self._place_of[self._rows.sentence[self._shown]]
        return Surface(self._rows.column("FORM", self._shown), spaced, sentence)

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences, with their comments."""
        start = starts_of(self.sentence)
        end = np.append(start[1:], len(self))
        comments = (self._comment(key, len(start)) for key in (_SENT_ID, _TEXT))
        return Sentences(start, end, *comments)

    def _comment(self, key: bytes, count: int) -> Spans:
        """Return the value of a comment for each sentence, of the first such comment in it."""
        lines = np.flatnonzero(self._lines.comment)
        lines = lines[self._lines.sentence[lines] < len(self._place_of)]
        lines = lines[self._lines.text[lines].begin(key)][::-1]
        at = self._place_of[self._lines.sentence[lines]]
        text, at = self._lines.text[lines[at >= 0]], at[at >= 0]
        starts, ends = np.zeros(count, np.int64), np.zeros(count, np.int64)
        starts[at], ends[at] = text.starts + len(key), text.ends
        letters = np.frombuffer(text.data, np.uint8)
        starts += (starts < ends) & (letters[starts] == ord(" "))
        return Spans(text.data, starts, ends)


def tokens_of(data: bytes) -> Tokens:
    """Return the words of a chunk; raises :class:`BrokenError` if it is not CoNLL-U.

    IDs must count from 1, heads must be words of the sentence and lead to a root, ranges of
    multiword tokens must fit, features must be ``Name=Value``, and no column may be empty.
    """
    lines = _split_lines(data)
    rows = _split_columns(lines)
    ids = rows.column("ID")
    number, plain = ids.integers()
    row = np.flatnonzero(plain)
    place_of, sentence = _numbered(rows.sentence, row)
    start = starts_of(sentence)
    size = np.diff(np.append(start, len(row)))
    number = number[row]
    _require(number == np.arange(1, len(row) + 1) - start[sentence])
    head = _heads(rows.column("HEAD", row), start[sentence], size[sentence])
    token, covered, inner = _multiword(
        rows, ids, np.flatnonzero(~plain), row, start[sentence], size[sentence]
    )
    shown = np.zeros(len(rows.text), bool)
    shown[row[~covered]] = shown[token] = True
    written = (np.cumsum(shown) - 1)[np.where(covered, inner, row)]
    tokens = Tokens(
        number, sentence, head, covered, written,
        lines, rows, row, np.flatnonzero(shown), place_of,
    )  # fmt: skip
    feats = (
        text == "_" or all("=" in part for part in text.split("|")) for text in tokens.feats.values
    )
    if not all(feats):
        raise BrokenError
    return tokens


def _numbered(given: Ints, row: Ints) -> tuple[Ints, Ints]:
    """Return numbers without gaps for the sentences that have words.

    ``given``: the sentence of each line, ``row``: the lines that are words. The first array has the
    new number of each given one (-1 without words), the second the new number of each word.
    """
    has = np.zeros(int(given[-1]) + 1 if len(given) else 0, bool)
    has[given[row]] = True
    place_of = np.where(has, np.cumsum(has) - 1, -1)
    return place_of, place_of[given[row]]


def _heads(text: Spans, start: Ints, size: Ints) -> Ints:
    """Return the row of each word's head, -1 for a root.

    ``start`` and ``size``: the first row and the number of words of each word's sentence. Raises
    :class:`BrokenError` if a head is no word of the sentence, or does not lead to a root. To find
    this out, the heads of all words are followed at once, in steps that double.
    """
    given, good = text.integers()
    _require(good & (given <= size))
    head = np.where(given > 0, start + given - 1, -1)
    top = len(head)
    above = np.append(np.where(head < 0, top, head), top)
    steps, longest = 1, int(size.max(initial=0))
    while steps <= longest and (above[:-1] != top).any():
        above = above[above]
        steps *= 2
    _require(above[:-1] == top)
    return head


def _multiword(
    rows: _Rows, ids: Spans, other: Ints, row: Ints, start: Ints, size: Ints
) -> tuple[Ints, Flags, Ints]:
    """Return the rows of multiword tokens, flags of the words in one, and the row of each word's.

    ``other``: the rows that are not words; ``start`` and ``size``: see :func:`_heads`. Raises
    :class:`BrokenError` for ranges that overlap or do not fit the words after them.
    """
    token, first, last = _ranges(ids, other)
    covered, inner = np.zeros(len(row), bool), np.zeros(len(row), np.int64)
    if not len(token):
        return token, covered, inner
    _require(np.full(len(token), len(row) > 0))
    following = np.searchsorted(row, token)
    at = np.minimum(following, len(row) - 1)
    begin, width = start[at] + first - 1, last - first + 1
    here = rows.sentence[row[at]] == rows.sentence[token]
    _require(here & (begin == following) & (last <= size[at]))
    _require(begin[1:] >= (begin + width)[:-1])
    which = np.repeat(np.arange(len(token)), width)
    parts = np.repeat(begin - np.cumsum(width) + width, width) + np.arange(len(which))
    covered[parts], inner[parts] = True, token[which]
    return token, covered, inner


def _ranges(ids: Spans, other: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the row, the first ID and the last ID of each multiword token among other rows.

    Empty nodes (``8.1``) are left out.
    """
    found = [_RANGE.fullmatch(text) for text in ids[other].texts()]
    _require(np.array(list(map(bool, found)), bool))
    tokens = [
        (row, int(match[1]), int(match[3]))
        for row, match in zip(other.tolist(), found, strict=True)
        if match and match[2] == "-"
    ]
    token, first, last = np.array(tokens, np.int64).reshape(-1, 3).T
    _require((first > 0) & (first <= last))
    return token, first, last
