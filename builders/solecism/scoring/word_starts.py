"""The probability of words, where tokens mark the beginnings of words (as GPT-2's ``Ġthe``).

The tokens of *dog* are those of *dogma*, too, so that their probability is not that of the word. It
ends where the next token begins a word: P(word) is P(tokens) times the probability that a word
begins after them, divided by that of a word that begins before them (Pimentel & Meister 2024).
"""

import unicodedata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solecism.errors import fail

MARKS = ("Ġ", "▁")
"""What stands for a blank before a word: in vocabularies of bytes (GPT-2), of SentencePiece."""


def word_starts(tokenizer: Any, name: str) -> NDArray[np.bool_]:
    """Return for each token of a vocabulary whether it ends the word before it.

    It does if it has the mark of a beginning, is no part of a text (EOS), or begins with what is
    neither letter nor digit. Raises :class:`InputError` for a vocabulary without such marks: with
    marks at the ends of words, probabilities are right as they are.
    """
    pieces: dict[str, int] = tokenizer.get_vocab()
    if not any(piece.startswith(MARKS) and piece[1:2].isalpha() for piece in pieces):
        raise fail(f"model {name!r}: its tokens do not mark the beginnings of words: no correction")
    ids = list(pieces.values())
    texts = dict(zip(ids, tokenizer.batch_decode([[n] for n in ids]), strict=True))
    found = np.ones(max(ids) + 1, bool)
    for piece, number in pieces.items():
        first = texts[number][:1] or "."
        # U+FFFD is a part of a character
        inside = first == "\ufffd" or unicodedata.category(first)[0] in "LNM"
        found[number] = piece.startswith(MARKS) or not inside
    found[list(tokenizer.added_tokens_decoder)] = True
    return found


def of_words(
    logp: NDArray[np.float64],
    masses: NDArray[np.float64],
    begins: NDArray[np.bool_],
    first: int,
) -> NDArray[np.float64]:
    """Return log probabilities of tokens that add up to those of words.

    ``masses``: the log probability that a word begins at each token, and after the last one;
    ``begins``: whether one does. A text begins with a word, and ends with one: tokens before
    ``first`` are divided by nothing.
    """
    starts = begins & (np.arange(len(begins)) >= first)
    ends = np.append(starts[1:], True)
    out = logp + np.where(ends, masses[1:], 0.0) - np.where(starts, masses[:-1], 0.0)
    out[:1] = 0.0
    return np.asarray(out, np.float64)
