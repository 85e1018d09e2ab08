"""CoNLL-U, read in chunks of whole sentences, whose words become columns of codes and numbers.

Most columns of a treebank have few distinct texts, so each distinct text is looked at once.

Source: https://universaldependencies.org/format.html.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import InputError, fail
from solecism.hashing import Hashes, mix
from solecism.inputs import refuse_pointer

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")

CHUNK = 1 << 21
"""Bytes of a chunk."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_RANGE = re.compile(r"(\d{1,9})-(\d{1,9})")
_EMPTY_NODE = re.compile(r"\d+\.\d+")
_COMMENT = re.compile(r"# ([^=]*[^= ]) *= ?(.*)", re.DOTALL)
_HEAD = re.compile(r"[0-9]{1,9}")
_BLANKS = re.compile(r"[^\S\t\n]{2,}|[^\S\t\n ]")
"""Blanks that become one plain blank."""
_NO_WORDS = ("PUNCT", "SYM", "X", "_")

_LONGEST = 10_000
"""The most words of a sentence. A file of others without blank lines would fill the memory."""

_WIDEST = 1_000
"""The most dependents of a word: each subject of a verb is held against all others."""


@dataclass(frozen=True)
class Coded:
    """A column of few distinct texts: the text of a row is ``values[codes[row]]``."""

    codes: Ints
    values: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Coded:
        """Return a column with each distinct text once, in the order of their first rows."""
        encoded = pa.array(texts, pa.string()).dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        return cls(codes, tuple(encoded.dictionary.to_pylist()))

    def __getitem__(self, rows: Ints | Flags) -> Coded:
        return Coded(self.codes[rows], self.values)

    def texts(self) -> list[str]:
        """Return the text of every row."""
        return [self.values[code] for code in self.codes]

    def table(self, function: Callable[[str], object], kind: Any) -> NDArray[Any]:
        """Return a function's result for every row; it is called once for each distinct text."""
        return np.array([function(value) for value in self.values], kind)[self.codes]

    def isin(self, *wanted: str) -> Flags:
        """Return flags of the rows that have one of the texts."""
        return self.table(wanted.__contains__, bool)

    def arrow(self) -> pa.StringArray:
        """Return the column as Arrow strings; empty texts are null."""
        values = pa.array([value or None for value in self.values], pa.string())
        return values.take(pa.array(self.codes))

    def hashes(self) -> Hashes:
        """Return a hash of 64 bits of each text, the same on every machine and in every chunk."""
        raw = [value.encode() for value in self.values]
        sizes = np.array([len(text) for text in raw], np.uint64)
        width = 8 * (int(sizes.max(initial=0)) // 8 + 1)
        pieces = np.array(raw, f"S{width}").view("<u8").reshape(-1, width // 8)
        out = _spread(sizes)
        for number, piece in enumerate(pieces.T):
            rows = np.flatnonzero(sizes > 8 * number)
            out[rows] = _spread(out[rows] ^ piece[rows])
        return mix(out)[self.codes]


def _spread(values: Hashes) -> Hashes:
    """Return values whose bits are mixed a little: the step between two pieces of a text."""
    out = values * _ODD
    out ^= out >> np.uint64(29)
    return out


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
        for file in found:
            if not file.is_file():  # a pipe or device, also behind a link of others, may never end
                raise fail("is no file", file)
        files += found
    return files


def read_tokens(path: Path, size: int = CHUNK) -> Iterator[Tokens]:
    """Yield the words of a CoNLL-U file, in chunks of whole sentences of about ``size`` bytes.

    Raises :class:`InputError` with the file, the line and the fault if it is not CoNLL-U, or holds
    no sentence.
    """
    refuse_pointer(path)
    line, words = 1, 0
    with path.open("rb") as file:
        while data := bytearray(file.read(size)):
            data += file.readline()
            rest: bytes | bytearray = data
            while rest.strip() and (rest := file.readline()):
                data += rest
            tokens = tokens_of(bytes(data), str(path), line)
            words += len(tokens)
            yield tokens
            line += data.count(b"\n")
    if not words:
        raise fail("holds no sentence", path)


@dataclass(frozen=True)
class Sentences:
    """The sentences of a chunk.

    ``start`` and ``end``: the rows of their words, from ``start`` up to ``end`` without it;
    ``said``: the comments ``# name = value`` of each; ``misfits``: how many have a text that does
    not have their words.
    """

    start: Ints
    end: Ints
    said: Sequence[Mapping[str, str]]
    misfits: int

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Tokens:
    """The syntactic words of a chunk, column by column.

    ``size``: the bytes of the chunk; ``number``: the ID of each word; ``sentence``: the number of
    its sentence, from 0 without gaps; ``head``: the row of its head, -1 for a root; ``multiword``:
    flags of the words that are parts of multiword tokens; ``written``: the row of the token that a
    word is, or is a part of.

    Tokens as written are multiword tokens, and the words outside them. ``surface``: their forms;
    ``spaced``: flags of those that a blank follows (without ``SpaceAfter=No``).
    """

    size: int
    number: Ints
    sentence: Ints
    head: Ints
    multiword: Flags
    written: Ints
    forms: Coded
    lemmas: Coded
    upos: Coded
    xpos: Coded
    feats: Coded
    deprel: Coded
    misc: Coded
    surface: Coded
    spaced: Flags
    sentences: Sentences

    def __len__(self) -> int:
        return len(self.number)


def tokens_of(data: bytes, path: str = "", first: int = 1) -> Tokens:
    """Return the words of a chunk, which begins with the line ``first`` of a file.

    All texts are in NFC, and a run of blanks of any kind is one plain blank. IDs must count from 1,
    heads must be words of the sentence and lead to a root, ranges of multiword tokens must fit,
    features must be ``Name=Value``, and no column may be empty. Otherwise :class:`InputError` is
    raised.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise fail("not UTF-8", path, first + data.count(b"\n", 0, error.start)) from None
    text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    text = _BLANKS.sub(" ", unicodedata.normalize("NFC", text))
    reader = _Reader(path)
    for number, line in enumerate(text.split("\n"), first):
        reader.read(number, line)
    reader.end_sentence(number)
    return reader.tokens(len(data))


@dataclass
class _Reader:
    """Reads the lines of a chunk.

    ``words``: the cells of each word; ``lines``: its line; ``written``: the place of its token in
    ``shown``, which has the cells of the tokens as written; ``comments``: those of each sentence;
    ``next``: the ID of the next word; ``until``: the last ID of the last multiword token;
    ``misfits``: as :class:`Sentences` has it.
    """

    path: str
    words: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    shown: list[list[str]] = field(default_factory=list)
    comments: list[dict[str, str]] = field(default_factory=lambda: [{}])
    next: int = 1
    until: int = 0
    misfits: int = 0

    def read(self, number: int, line: str) -> None:
        """Read a line."""
        if not line:
            self.end_sentence(number)
        elif line.startswith("#"):
            if match := _COMMENT.match(line):
                self.comments[-1].setdefault(match[1], match[2].strip())
        else:
            cells = line.split("\t")
            if len(cells) != len(COLUMNS):
                columns = f"{len(cells)} column{'s' * (len(cells) > 1)}"
                raise fail(f"{columns} where CoNLL-U has 10: {line[:40]!r}", self.path, number)
            if "" in cells:
                raise fail(f"column {COLUMNS[cells.index('')]} is empty", self.path, number)
            self._read_token(number, cells)

    def _read_token(self, number: int, cells: list[str]) -> None:
        """Read a word or a multiword token; empty nodes are left out."""
        if cells[0] == str(self.next):
            if self.next > self.until:
                self.shown.append(cells)
            self.words.append(cells)
            self.lines.append(number)
            self.written.append(len(self.shown) - 1)
            self.next += 1
            if self.next > _LONGEST + 1:
                message = f"a sentence of over {_LONGEST:,} words: is a blank line missing?"
                raise fail(message, self.path, number)
        elif match := _RANGE.fullmatch(cells[0]):
            if not self.until < int(match[1]) == self.next <= int(match[2]):
                raise self._misfit(cells[0], number)
            self.until = int(match[2])
            self.shown.append(cells)
        elif not _EMPTY_NODE.fullmatch(cells[0]):
            raise fail(f"ID {cells[0]!r} where {self.next} should be", self.path, number)

    def end_sentence(self, number: int) -> None:
        """End a sentence. Comments of one without words are forgotten."""
        if self.until >= self.next:
            raise self._misfit(self.shown[-1][0], number)
        if self.next > 1:
            self._fit(number)
        self.comments[-1:] = [self.comments[-1], {}] if self.next > 1 else [{}]
        self.next, self.until = 1, 0

    def _fit(self, number: int) -> None:
        """Hold the words of the last sentence against its text.

        ``_`` in a form is a blank if the text has one there. Words may have been taken away, for
        their licence: then all forms are ``_``.
        """
        words, text = self.words[1 - self.next :], self.comments[-1].get("text", "")
        if all(cells[1] == "_" and cells[3] not in _NO_WORDS for cells in words):
            raise fail("has no words (its forms are _): merge them first", self.path, number)
        shown = self.shown[self.written[1 - self.next] :]
        for cells in (*words, *shown):
            if "_" in cells[1] and cells[1] not in text:
                spaced = cells[1].replace("_", " ")
                cells[1] = spaced if spaced in text else cells[1]
        given = "".join(cells[1] for cells in shown).replace(" ", "")
        self.misfits += bool(text) and given != text.replace(" ", "")

    def _misfit(self, text: str, number: int) -> InputError:
        return fail(f"the range {text} does not fit the words after it", self.path, number)

    def tokens(self, size: int) -> Tokens:
        """Return the words that were read from a chunk of ``size`` bytes."""
        columns = dict(zip(COLUMNS, zip(*self.words, strict=True), strict=False))
        coded = {name: Coded.of(columns.get(name, ())) for name in COLUMNS if name != "DEPS"}
        feats = coded["FEATS"]
        good = feats.table(lambda text: text == "_" or all("=" in f for f in text.split("|")), bool)
        self._check(good, "FEATS", "Feature=Value|..., nor _")
        number = coded["ID"].table(int, np.int64)
        start = np.flatnonzero(number == 1)
        sentence = np.cumsum(number == 1) - 1
        end = np.append(start[1:], len(number))[: len(start)]
        written = np.array(self.written, np.int64)
        part = np.array(["-" in cells[0] for cells in self.shown], bool)
        misc = Coded.of([cells[9] for cells in self.shown])
        spaced = misc.table(lambda text: "SpaceAfter=No" not in text.split("|"), bool)
        head = self._heads(coded["HEAD"], start[sentence], (end - start)[sentence])
        return Tokens(
            size, number, sentence, head, part[written], written,
            coded["FORM"], coded["LEMMA"], coded["UPOS"], coded["XPOS"], coded["FEATS"],
            coded["DEPREL"], coded["MISC"], Coded.of([cells[1] for cells in self.shown]), spaced,
            Sentences(start, end, self.comments[:-1], self.misfits),
        )  # fmt: skip

    def _heads(self, given: Coded, start: Ints, size: Ints) -> Ints:
        """Return the row of each word's head, -1 for a root.

        ``start`` and ``size``: the first row and the number of words of each word's sentence. To
        find cycles, the heads of all words are followed at once, in steps that double.
        """
        number = given.table(lambda text: int(text) if _HEAD.fullmatch(text) else -1, np.int64)
        self._check((number >= 0) & (number <= size), "HEAD", "a word of the sentence, nor 0")
        head = np.where(number > 0, start + number - 1, -1)
        top = len(head)
        wide = np.bincount(head[head >= 0], minlength=top) > _WIDEST
        wanted = f"of a word with up to {_WIDEST:,} dependents"
        self._check(~wide[head] | (head < 0), "HEAD", wanted)
        above = np.append(np.where(head < 0, top, head), top)
        for _ in range(int(size.max(initial=0)).bit_length()):
            above = above[above]
        self._check(above[:-1] == top, "HEAD", "0, nor does it lead to a word with HEAD 0")
        return head

    def _check(self, good: Flags, name: str, wanted: str) -> None:
        """Raise :class:`InputError` with the first word whose column ``name`` is not good."""
        if not good.all():
            row = int(np.argmin(good))
            value = self.words[row][COLUMNS.index(name)]
            raise fail(f"{name} {value!r} is not {wanted}", self.path, self.lines[row])
