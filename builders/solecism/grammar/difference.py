"""Where the sentences of a pair differ: computed once per distinct pair of differing chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.contrast import differing_span
from solecism.grammar.groups import alike_rows
from solecism.grammar.render import Chunk, Rendered, Value
from solecism.lexicon.orthography import Orthography, Token, is_mark

__all__ = ["Difference", "compare"]

Ints = NDArray[np.intp]


class Contrast(NamedTuple):
    """The difference of two stretches of words.

    ``prefix`` is the shared text before it, ``good`` and ``bad`` the words that differ, ``word`` the number
    of the first one in the stretch, ``lemma`` that of the good one, ``shuffled`` whether both sides have
    the same words in another order.
    """

    prefix: str
    good: tuple[str, ...]
    bad: tuple[str, ...]
    word: int
    lemma: str
    shuffled: bool


@dataclass(frozen=True)
class Difference:
    """The differences of a batch of pairs: ``contrasts[code[i]]`` is that of pair ``i``.

    ``before`` is the text before the differing chunks, ``base`` the number of words in it.
    """

    contrasts: Sequence[Contrast]
    code: Ints
    before: pa.StringArray
    base: Ints

    @property
    def single(self) -> NDArray[np.bool_]:
        """Whether exactly one word differs."""
        return self._flags([len(c.good) == 1 == len(c.bad) for c in self.contrasts])

    @property
    def shuffled(self) -> NDArray[np.bool_]:
        """Whether both sentences have the same words."""
        return self._flags([c.shuffled for c in self.contrasts])

    @property
    def word(self) -> Ints:
        """The number of the first differing word in the sentence."""
        return self.base + np.array([c.word for c in self.contrasts], dtype=np.intp)[self.code]

    @property
    def target(self) -> pa.StringArray:
        """The lemma of the good one of the differing words (null where it is not of the lexicon)."""
        return self._texts([c.lemma or None for c in self.contrasts])

    @property
    def prefix(self) -> pa.StringArray:
        """The text that both sentences share before the difference."""
        local = self._texts([c.prefix for c in self.contrasts])
        return pc.binary_join_element_wise(self.before, local, "")

    def words(self, good: bool) -> pa.StringArray:
        """The differing words of the good or the bad sentences."""
        return self._texts([" ".join(c.good if good else c.bad) for c in self.contrasts])

    def _texts(self, values: Sequence[str | None]) -> pa.StringArray:
        return pa.array(values, pa.string()).take(pa.array(self.code))

    def _flags(self, values: Sequence[bool]) -> NDArray[np.bool_]:
        return np.array(values, dtype=bool)[self.code]


def compare(good: Rendered, bad: Rendered, spelling: Orthography) -> Difference:
    """Compare the sentences of a batch of pairs, row by row."""
    lead, trail = _shared(good, bad)
    spans = slice(lead, len(good.chunks) - trail), slice(lead, len(bad.chunks) - trail)
    columns = [
        (index, len(chunk.values))
        for side, span in zip((good, bad), spans, strict=True)
        for chunk, index in zip(side.chunks[span], side.index[span], strict=True)
    ]
    firsts, inverse = alike_rows(columns, len(good))
    contrasts = [
        _contrast(_values(good, spans[0], row), _values(bad, spans[1], row), lead == 0, spelling)
        for row in firsts.tolist()
    ]
    before = good.texts(_text, slice(0, lead))
    return Difference(contrasts, inverse, before, good.words[lead])


def _text(value: Value) -> str:
    return value.text


def _shared(good: Rendered, bad: Rendered) -> tuple[int, int]:
    """Count the chunks at the beginning and at the end that both sentences have alike."""
    ours, theirs = ([_source(chunk) for chunk in side.chunks] for side in (good, bad))
    differing, _ = differing_span(ours, theirs)
    lead, trail = differing.start, len(ours) - differing.stop
    while trail and _glued(good.chunks[-trail]):
        trail -= 1
    while lead and any(_glued(chunk) for s in (good, bad) for chunk in s.chunks[lead : lead + 1]):
        lead -= 1
    return lead, trail


def _source(chunk: Chunk) -> tuple[object, ...]:
    return chunk.first, chunk.last, *(unit.source for unit in chunk.units)


def _glued(chunk: Chunk) -> bool:
    """Whether the chunk can be written together with the word before it."""
    heads = (value.tokens[0] for value in chunk.values)
    return any(head.glued and not is_mark(head.text) for head in heads)


def _values(side: Rendered, span: slice, row: int) -> list[Value]:
    pairs = zip(side.chunks[span], side.index[span], strict=True)
    return [chunk.values[index[row]] for chunk, index in pairs]


class _Item(NamedTuple):
    """A word (tokens written together) or a mark: where it starts, and the number of its word.

    ``parts`` are its tokens, each with the value that it stands in.
    """

    text: str
    start: int
    word: int
    parts: tuple[tuple[Token, Value], ...] = ()


def _items(values: Sequence[Value], first: bool, space: bool) -> list[_Item]:
    items: list[_Item] = []
    place, word = 0, 0
    for token, value in [(token, v) for v in values for token in v.tokens]:
        begins = not token.glued or (first and not items)
        place += begins and space and not (first and not items)
        word += begins
        if begins or not items or is_mark(token.text) or is_mark(items[-1].text):
            items.append(_Item(token.text, place, word - 1, ((token, value),)))
        else:
            last = items[-1]
            joined, parts = last.text + token.text, (*last.parts, (token, value))
            items[-1] = _Item(joined, last.start, last.word, parts)
        place += len(token.text)
    return items


def _contrast(
    good: Sequence[Value], bad: Sequence[Value], first: bool, spelling: Orthography
) -> Contrast:
    ours, theirs = (_items(side, first, spelling.space) for side in (good, bad))
    a, b = [item.text for item in ours], [item.text for item in theirs]
    spans = differing_span(a, b)
    mine, other = ours[spans[0]], theirs[spans[1]]
    text = "".join(value.text for value in good)
    here = mine[0] if mine else _Item("", len(text), len(ours))
    return Contrast(
        text[: here.start].rstrip(),
        tuple(item.text for item in mine),
        tuple(item.text for item in other),
        here.word,
        _target(here, other[0]) if other else "",
        sorted(map(str.casefold, a)) == sorted(map(str.casefold, b)),
    )


def _target(good: _Item, bad: _Item) -> str:
    """The lemma of the part of a word that differs."""
    pairs = zip(good.parts, bad.parts, strict=False)
    differ = ((token, value) for (token, value), (wrong, _) in pairs if token.text != wrong.text)
    return next((value.lemma(token) for token, value in differ), "")
