"""Chunks laid out: pieces put together, spelt, and written as text with the places of words and regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from solecism.generate.units import Piece, Record
from solecism.words.orthography import Orthography, Token, is_mark

__all__ = ["Place", "Value", "joined", "written"]


class Place(NamedTuple):
    """Where something stands: characters ``start:stop`` and the number of its first word."""

    start: int
    stop: int
    word: int


class Value(NamedTuple):
    """A chunk spelt: both renderings, and where words and regions stand in the text.

    ``text`` and ``tokenized`` carry the space before them; ``words`` counts the words that begin here;
    ``slots`` gives the first word printed for each slot, ``regions`` the span of each region.
    """

    text: str
    tokenized: str
    tokens: tuple[Token, ...]
    records: tuple[tuple[str, Record], ...]
    words: int
    slots: Mapping[str, tuple[Record, Place]]
    regions: Mapping[str, Place]
    syncretic: int

    def lemma(self, token: Token) -> str:
        """The lemma of one of the tokens (``""`` for plain text)."""
        return next((self.records[tag][1].lemma for tag in token.tags if tag >= 0), "")


def written(
    tokens: Sequence[Token],
    records: Sequence[tuple[str, Record]],
    syncretic: int,
    orthography: Orthography,
    regions: Sequence[str],
    first: bool,
    last: bool,
) -> Value:
    """Write tokens that are spelt; ``records`` are the words that their tags number."""
    spelt = orthography.finish(tokens) if last else tokens
    shown = _capital(spelt) if first and orthography.capital else spelt
    text, words, spans = _write(shown, orthography.space, first)
    loose = tokens[:-1] if last and _is_stop(tokens, orthography) else tokens
    tokenized = " ".join([token.text for token in loose])
    slots: dict[str, tuple[Record, Place]] = {}
    for number, (name, record) in enumerate(records):
        if name and name not in slots and number in spans:
            slots[name] = record, spans[number]
    return Value(
        text,
        f" {tokenized}" if loose and not first else tokenized,
        tuple(shown),
        tuple(records),
        words,
        slots,
        {name: spans[-1 - i] for i, name in enumerate(regions) if -1 - i in spans},
        syncretic,
    )


def joined(
    pieces: Sequence[Piece],
) -> tuple[Sequence[Token], Sequence[tuple[str, Record]], bool]:
    """Put pieces one after another: their tokens, whose tags are places among all their words.

    Tells also whether a space stands at the end.
    """
    if len(pieces) == 1:
        return pieces[0].tokens, pieces[0].words, pieces[0].spaced
    tokens: list[Token] = []
    records: list[tuple[str, Record]] = []
    spaced = False
    for piece in pieces:
        shift = len(records)
        records += piece.words
        if not shift and not spaced:
            tokens += piece.tokens
            spaced = piece.spaced
            continue
        for number, token in enumerate(piece.tokens):
            loose = number == 0 and spaced and token.glued and not is_mark(token.text)
            if loose or (shift and token.tags):
                tags = tuple(tag + shift if tag >= 0 else tag for tag in token.tags)
                token = Token(token.text, token.glued and not loose, tags)
            tokens.append(token)
        spaced = piece.spaced or (spaced and not piece.tokens)
    return tokens, records, spaced


def _capital(tokens: Sequence[Token]) -> list[Token]:
    if not tokens:
        return []
    head = tokens[0]
    return [Token(head.text[:1].upper() + head.text[1:], head.glued, head.tags), *tokens[1:]]


def _is_stop(tokens: Sequence[Token], orthography: Orthography) -> bool:
    return bool(tokens) and bool(orthography.stop) and tokens[-1].text == orthography.stop


def _write(tokens: Sequence[Token], space: bool, first: bool) -> tuple[str, int, dict[int, Place]]:
    """Give the text, the number of words, and where each tag stands, from its first token to its last."""
    text, words, gap = "", 0, " " if space else ""
    spans: dict[int, Place] = {}
    for form, glued, tags in tokens:
        if first and not words:
            words = 1
        elif not glued:
            words += 1
            text += gap
        start = len(text)
        text += form
        for tag in tags:
            begun = spans.get(tag)
            spans[tag] = (
                Place(begun.start, len(text), begun.word)
                if begun
                else Place(start, len(text), words - 1)
            )
    return text, words, spans
