"""The token table of a block: columns of words, what is written of them, and their sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from solecism.mine.blocks import BLOCK, Block, Fault, FaultyError, read_blocks
from solecism.mine.features import parts_of
from solecism.mine.lines import Lines, Rows, split_lines, split_rows
from solecism.mine.spans import PADDING, Coded, Flags, Ints, Spans
from solecism.mine.trees import Words, find_words

__all__ = ["Sentences", "Surface", "Tokens", "read_block", "read_tokens", "tokens_of"]

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
