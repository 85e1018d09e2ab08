"""Training text, one sentence a line: its words, and the vocabulary of the most frequent ones."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import InputError, Problem, fail
from solecism.inputs import MOST, read_source

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

UNK, BOS, EOS = "<unk>", "<s>", "</s>"

MARKS = r"[.,;:!?…。，、；：？！«»()\[\]\"“”„]"
"""Punctuation that is a word of its own when marks are split off (a regular expression)."""

ELISION = r"['’]"
"""Ends its word when marks are split off, as in the ``tokens`` columns: ``l' auteur``."""


@dataclass(frozen=True)
class Wording:
    """How text becomes words: NFC, split at white space.

    ``lower``: in lower case; ``marks``: punctuation is split off and an apostrophe ends its word
    (for running text; else the text is tokenised already).
    """

    lower: bool = False
    marks: bool = False

    def words(self, texts: pa.Array) -> pa.ListArray:
        """Split texts (strings) into lists of words."""
        # not by Arrow, whose NFC is NFD before version 26
        plain = pa.array([t and normalize("NFC", t) for t in texts.to_pylist()], pa.string())
        if self.lower:
            plain = pc.utf8_lower(plain)
        if self.marks:
            plain = pc.replace_substring_regex(plain, f"({MARKS})", r" \1 ")
            plain = pc.replace_substring_regex(plain, f"({ELISION})", r"\1 ")
        return pc.utf8_split_whitespace(pc.utf8_trim_whitespace(plain))


def read_lines(paths: Sequence[Path]) -> pa.Array:
    """Read the sentences of text files in order, leaving out empty lines.

    Raises :class:`InputError` for a file that is missing, not UTF-8 or empty, and for a line with a
    sentence mark (``<s>``, ``</s>``) as a word; ``<unk>`` in a text counts as an unknown word.
    """
    lines: list[str] = []
    problems: list[Problem] = []
    for path in paths:
        found = read_source(path).split("\n")
        problems += [
            Problem(
                f"{mark!r} stands in the text: the program adds sentence marks", str(path), number
            )
            for number, line in enumerate(found, 1)
            for mark in (BOS, EOS)
            if mark in line and mark in line.split()
        ][:MOST]
        lines += [line for line in found if line.strip()]
    if problems:
        raise InputError(problems)
    if not lines:
        raise fail("no sentence in the text", ", ".join(map(str, paths)))
    return pa.array(lines, pa.string())


def held_out(lines: pa.Array, share: float = 0.05, most: int = 10_000) -> tuple[pa.Array, pa.Array]:
    """Split off a ``share`` of the sentences (1 to ``most``, always the same) for validation."""
    if len(lines) < 2:
        raise fail("the text has a single sentence: nothing is left to validate with")
    number = min(max(1, round(share * len(lines))), most)
    chosen = np.zeros(len(lines), bool)
    chosen[np.random.default_rng(0).permutation(len(lines))[:number]] = True
    return lines.filter(pa.array(~chosen)), lines.filter(pa.array(chosen))


def frequent_words(words: pa.Array, limit: int | None) -> list[str]:
    """Return the most frequent words of an array; ties stand in the order of their code points."""
    counted = pc.value_counts(words)
    table = pa.table({"word": counted.field("values"), "count": counted.field("counts")})
    ranked = table.sort_by([("count", "descending"), ("word", "ascending")])["word"].to_pylist()
    return [word for word in ranked if word not in (UNK, BOS, EOS)][:limit]


@dataclass(frozen=True)
class Vocabulary(Container[str]):
    """The words that a model knows, without its marks; ``lower``: it sees text in lower case."""

    words: frozenset[str]
    lower: bool = False

    def __contains__(self, word: object) -> bool:
        text = str(word)
        return (text.lower() if self.lower else text) in self.words


def is_word_level(tokenizer: PreTrainedTokenizerBase) -> bool:
    """Return whether a tokenizer is our word-level one, whose model reads the ``tokens`` columns.

    Its ``tokenizer_config.json`` has ``"solecism_word_level": true``.
    """
    return bool(getattr(tokenizer, "init_kwargs", {}).get("solecism_word_level"))


def vocabulary_of(tokenizer: PreTrainedTokenizerBase) -> Vocabulary:
    """Return the words that a word-level tokenizer knows."""
    special = set(tokenizer.all_special_tokens)
    lower = bool(tokenizer.init_kwargs.get("solecism_lower"))
    return Vocabulary(frozenset(tokenizer.get_vocab()) - special, lower)
