"""The sentences as written: where every token stands in the text of its sentence.

The text is that of the comment ``# text`` where the tokens are found in it in order with nothing but
blanks between; else it is put together from the tokens and ``SpaceAfter=No``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solecism.treebank.arrays import PADDING, Flags, Ints, Spans
from solecism.treebank.conllu import Surface, Tokens

__all__ = ["Written", "write_out"]


@dataclass(frozen=True)
class Written:
    """Texts of sentences, and the place of every written token in the text of its sentence.

    ``repaired``: how many texts had to be put together, or aligned by search.
    """

    text: Spans
    token: Spans
    repaired: int


def write_out(tokens: Tokens, wanted: Flags) -> Written:
    """Find the text of the ``wanted`` sentences; the others have places without meaning."""
    surface, sentences = tokens.surface, tokens.sentences
    step = surface.form.sizes + surface.spaced
    end = np.cumsum(step)
    first = np.flatnonzero(np.diff(surface.sentence, prepend=-1))
    last = np.append(first[1:], len(step)) - 1
    offset = end - step - (end - step)[first][surface.sentence]
    size = offset[last] + surface.form.sizes[last]
    start = sentences.text.starts[surface.sentence] + offset
    token = Spans(surface.form.data, start, start + surface.form.sizes)
    fits = wanted & (sentences.text.sizes == size)
    fits[surface.sentence[_misplaced(surface, token, fits)]] = False
    rest = np.flatnonzero(wanted & ~fits)
    return _repair(surface, sentences.text, token, rest, first, last + 1)


def _misplaced(surface: Surface, token: Spans, fits: Flags) -> Ints:
    """The tokens of the sentences that fit in size which do not stand where they are expected."""
    rows: Ints = np.flatnonzero(fits[surface.sentence])
    wrong: Flags = surface.form[rows].hashes() != token[rows].hashes()
    return rows[wrong]


def _repair(
    surface: Surface, text: Spans, token: Spans, rest: Ints, first: Ints, end: Ints
) -> Written:
    """Align, or put together, the ``rest`` of the sentences behind the bytes of the block."""
    added = bytearray()
    base = len(text.data)
    starts, ends, at = text.starts.copy(), text.ends.copy(), token.starts.copy()
    for sentence in rest.tolist():
        rows = slice(first[sentence], end[sentence])
        forms = Spans(text.data, surface.form.starts[rows], surface.form.ends[rows]).raw()
        given = text.data[starts[sentence] : ends[sentence]]
        whole, places = _align(given, forms) or _join(forms, surface.spaced[rows].tolist())
        starts[sentence] = base + len(added)
        ends[sentence] = starts[sentence] + len(whole)
        at[rows] = starts[sentence] + np.array(places)
        added += whole
    data = text.data + bytes(added) + PADDING if added else text.data
    return Written(Spans(data, starts, ends), Spans(data, at, at + surface.form.sizes), len(rest))


def _align(text: bytes, forms: list[bytes]) -> tuple[bytes, list[int]] | None:
    """Find the tokens in a text, with nothing but blanks between them."""
    places, at = [], 0
    for form in forms:
        place = text.find(form, at)
        if place < 0 or text[at:place].decode().strip():
            return None
        places.append(place)
        at = place + len(form)
    return None if text[at:].decode().strip() else (text, places)


def _join(forms: list[bytes], spaced: list[bool]) -> tuple[bytes, list[int]]:
    """Put a text together from its tokens."""
    places, out = [], bytearray()
    for form, blank in zip(forms, spaced, strict=True):
        places.append(len(out))
        out += form + b" " * blank
    return bytes(out).rstrip(b" "), places
