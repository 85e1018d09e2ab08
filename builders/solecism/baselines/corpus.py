"""Training text, one sentence a line: its words, and the vocabulary of the most frequent ones."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, fail

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
        trimmed = pc.utf8_trim_whitespace(plain)
        return pc.utf8_split_whitespace(trimmed)


def read_lines(paths: Sequence[Path]) -> pa.Array:
    """Read the sentences of text files in order, leaving out empty lines.

    Raises :class:`InputError` for a file that is missing, not UTF-8 or empty, and for a line with a
    sentence mark (``<s>``, ``</s>``) as a word; ``<unk>`` in a text counts as an unknown word.
    """
    lines: list[str] = []
    problems: list[Problem] = []
    for path in paths:
        found = _read_text(path).split("\n")
        problems += _marked(found, path)
        lines += [line for line in found if line.strip()]
    if problems:
        raise InputError(problems)
    if not lines:
        raise fail("no sentence in the text", ", ".join(map(str, paths)))
    return pa.array(lines, pa.string())


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise fail("there is no such text file", path) from None
    except UnicodeDecodeError as error:
        raise fail(f"is not UTF-8 (byte {error.start})", path) from None


def _marked(lines: list[str], path: Path) -> list[Problem]:
    return [
        Problem(
            f"{mark!r} stands in the text; sentence marks are added by the program", str(path), i
        )
        for i, line in enumerate(lines, 1)
        for mark in (BOS, EOS)
        if mark in line and mark in line.split()
    ][:20]


def held_out(lines: pa.Array, share: float = 0.05, most: int = 10_000) -> tuple[pa.Array, pa.Array]:
    """Split off a ``share`` of the sentences (1 to ``most``, always the same) for validation."""
    if len(lines) < 2:
        raise fail("the text has a single sentence: nothing is left to validate with")
    number = min(max(1, round(share * len(lines))), most)
    chosen = np.zeros(len(lines), bool)
    chosen[np.random.default_rng(0).permutation(len(lines))[:number]] = True
    mask: NDArray[np.bool_] = chosen
    return lines.filter(pa.array(~mask)), lines.filter(pa.array(mask))


def frequent_words(words: pa.Array, limit: int | None) -> list[str]:
    """Return the most frequent words of an array; ties stand in the order of their code points."""
    counted = pc.value_counts(words)
    table = pa.table({"word": counted.field("values"), "count": counted.field("counts")})
    order = [("count", "descending"), ("word", "ascending")]
    ranked: list[str] = table.sort_by(order)["word"].to_pylist()
    special = {UNK, BOS, EOS}
    return [word for word in ranked if word not in special][:limit]


@dataclass(frozen=True)
class Vocabulary(Container[str]):
    """The words that a model knows, without its marks; ``lower``: it sees text in lower case."""

    words: frozenset[str]
    lower: bool = False

    def __contains__(self, word: object) -> bool:
        text = str(word)
        return (text.lower() if self.lower else text) in self.words


def is_word_level(tokenizer: Any) -> bool:
    """Return whether a tokenizer is our word-level one, whose model reads the ``tokens`` columns.

    Its ``tokenizer_config.json`` has ``"solecism_word_level": true``.
    """
    return bool(getattr(tokenizer, "init_kwargs", {}).get("solecism_word_level"))


def vocabulary_of(tokenizer: Any) -> Vocabulary:
    """Return the words that a word-level tokenizer knows."""
    special = set(tokenizer.all_special_tokens)
    lower = bool(tokenizer.init_kwargs.get("solecism_lower"))
    return Vocabulary(frozenset(tokenizer.get_vocab()) - special, lower)
