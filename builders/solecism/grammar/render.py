"""Sentences in bulk: expressions are evaluated once per distinct words, spelt, and joined in Arrow.

A line is cut into units (:class:`LineExpression`): an expression with the text before it. Units
between which a spelling rule could apply are spelt together (:class:`SpellingSpan`). A span knows
all texts that it can have, its values, and a sentence is one value of each span, given by its
place. So a million sentences cost as much as their distinct words; numpy and Arrow do the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grammar.expression import Function, Uses, merge_uses
from solecism.grammar.phrases import Phrases
from solecism.grammar.sampling.elimination import Columns
from solecism.grammar.slots import Domain, Scope
from solecism.grammar.template import LinePart, TemplateLine
from solecism.grammar.words import FAULTS, Skip, Word, printed
from solecism.grouping import Ints, distinct_codes, first_rows, rank_in_group
from solecism.lexicon.orthography import Orthography, Token, is_mark, tokenize
from solecism.lexicon.table import Row


class PrintedWord(NamedTuple):
    """A word as printed: what the column ``slots`` says of it."""

    lemma: str
    form: str
    upos: str
    feats: str
    number: str = ""
    gender: str = ""
    person: str = ""


class Unspelt(NamedTuple):
    """A value of a unit.

    The tags of its tokens are places in ``words`` or, below 0, regions. ``spaced``: a space stands
    at its end, so that what follows is a word of its own.
    """

    tokens: tuple[Token, ...]
    words: tuple[tuple[str, PrintedWord], ...]
    syncretic: int = 0
    spaced: bool = False


@dataclass
class BoundaryWords:
    """The words that values begin and end with at any stage of spelling.

    ``empty``: a value may have no words; ``spaced``: a space may stand at its end.
    """

    heads: set[str] = field(default_factory=set)
    tails: set[str] = field(default_factory=set)
    empty: bool = False
    spaced: bool = False

    def add(self, stages: Iterable[Sequence[Token]], spaced: bool) -> None:
        """Add those of one value at the stages of its spelling."""
        self.spaced = self.spaced or spaced
        for stage in stages:
            if stage:
                self.heads.add(stage[0].text)
                self.tails.add(stage[-1].text)
            else:
                self.empty = True


@dataclass
class LineExpression:
    """One expression of a line (``source``, empty at the end of a line) with the text before it.

    ``before`` are the tokens of the text; ``glued``: the expression is written together with what
    is before it; ``tags`` are those of its tokens: the region it is in, if any.
    """

    source: str
    before: tuple[Token, ...]
    glued: bool
    tags: tuple[int, ...]
    regions: tuple[str, ...]
    uses: Uses
    function: Function
    phrases: Phrases
    path: str
    line: int
    cache: dict[int, list[Unspelt] | str] = field(default_factory=dict)
    ends: BoundaryWords = field(default_factory=BoundaryWords)

    @property
    def key(self) -> tuple[Hashable, ...]:
        """The key that units have in common if they render alike."""
        return self.source, self.before, self.glued, self.tags, self.regions

    def render(self, code: int, words: Mapping[str, Word]) -> None:
        """Keep the values for these words by ``code``, or the reason why they make no item."""
        run = self.phrases.run
        try:
            pieces = [self._piece(printed(value)) for value in run.each(self.function, words)]
        except Skip as skip:
            self.cache[code] = skip.reason
            return
        except FAULTS as error:
            where = f" in {{{{ {self.source} }}}}" if self.source else ""
            raise fail(f"{error}{where}", self.path, self.line) from None
        self.cache[code] = pieces
        spelling = self.phrases.lexicon.orthography
        for tokens, _, _, spaced in pieces:
            self.ends.add(spelling.stages(tokens) if len(tokens) > 1 else (tokens,), spaced)

    def _piece(self, parts: Sequence[str | Word]) -> Unspelt:
        """Return what the expression prints; tokens of words are tagged with their number."""
        tokens: list[Token] = []
        words: list[tuple[str, PrintedWord]] = []
        glued = self.glued
        for part in parts:
            if type(part) is Word:
                text, tags = part.text, (len(words), *self.tags)
                words.append((part.slot, self._record(part)))
            else:
                text, tags = (str(part) if tokens else str(part).lstrip()), self.tags
            if text:
                tokens += _tokenized(text, tags, glued)
                glued = not text[-1].isspace()
        spaced = not tokens and not self.glued
        made = (*self.before, *tokens)
        return Unspelt(made, tuple(words), self.phrases.run.syncretic, spaced)

    def _record(self, word: Word) -> PrintedWord:
        """Return the record of a word, made once for all paradigms of the language."""
        memo, key = self.phrases.memo, (PrintedWord, id(word.row), word.cell, word.text)
        known: tuple[PrintedWord, Row] | None = memo.get(key)
        if known is None:
            feats = word.feats
            record = PrintedWord(
                word.row.shown, word.text, word.row.upos, str(word.shown_feats),
                feats.text("Number"), feats.text("Gender"), feats.text("Person"),
            )  # fmt: skip
            known = memo[key] = record, word.row  # keeps the row: its id must not be used again
        return known[0]


@lru_cache(maxsize=1 << 16)
def _tokenized(text: str, tags: tuple[int, ...], glued: bool) -> tuple[Token, ...]:
    return tuple(tokenize(text, tags, glued))


def read_units(
    condition: TemplateLine, path: str, phrases: Phrases, slots: Sequence[str]
) -> list[LineExpression]:
    """Cut a line into units: one for each expression, and one for the text after the last."""
    regions = tuple(part.value for part in condition.parts if part.kind == "open")
    units: list[LineExpression] = []
    before, glued, tags = list[Token](), False, tuple[int, ...]()
    for part in (*condition.parts, LinePart("expression", "")):
        source = part.value
        if part.kind == "text":
            before += _tokenized(source, tags, glued)
            glued = not source[-1].isspace()
        elif part.kind != "expression":  # regions are numbered from -1 down
            tags = (-1 - regions.index(source),) if source else ()
        elif source or before or not units:
            asked = phrases.uses(source) if source else {}
            uses = {name: use for name, use in asked.items() if name in slots}
            function = phrases.compiled(source) if source else lambda words: ""
            about = uses, function, phrases, path, condition.line
            units.append(LineExpression(source, tuple(before), glued, tags, regions, *about))
            before, glued = [], True
    return units


@dataclass(eq=False)
class SpellingSpan:
    """Neighbouring units spelt together: ``values`` of all words met so far, by code."""

    units: tuple[LineExpression, ...]
    scopes: tuple[Scope, ...]
    scope: Scope
    first: bool
    last: bool
    ends: BoundaryWords
    values: list[Spelt] = field(default_factory=list)
    found: dict[int, tuple[int, int] | str] = field(default_factory=dict)

    def spell(self, codes: tuple[int, ...], spelling: Orthography) -> tuple[int, int] | str:
        """Return the first of the alternatives in ``values`` and their number, or the reason why
        there are none.

        ``codes`` are those of the units, all of which have been rendered.
        """
        choices: list[list[Unspelt]] = []
        for unit, code in zip(self.units, codes, strict=True):
            values = unit.cache[code]
            if isinstance(values, str):
                return values
            choices.append(values)
        start, regions = len(self.values), self.units[0].regions
        for pieces in product(*choices):
            piece = _joined(pieces)
            stages = spelling.stages(piece.tokens)
            if len(pieces) > 1:
                self.ends.add(stages, piece.spaced)
            self.values.append(written(stages[-1], piece, spelling, regions, self.first, self.last))
        return start, len(self.values) - start


@dataclass(frozen=True)
class Rendered:
    """The sentences that a line makes of a batch of combinations.

    ``index[c]`` is, for each sentence, the place of its stretch ``c`` in ``stretches[c].values``;
    ``row`` is the combination each sentence comes from; ``skipped`` marks the combinations that
    make none, by reason.
    """

    stretches: Sequence[SpellingSpan]
    index: Sequence[Ints]
    row: Ints
    skipped: dict[str, NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, rows: Ints) -> Rendered:
        """Select sentences."""
        return Rendered(self.stretches, [i[rows] for i in self.index], self.row[rows], self.skipped)

    def texts(self, get: Callable[[Spelt], str], stretches: slice = slice(None)) -> pa.StringArray:
        """Join a text of each stretch (``get``) to one text for each sentence."""
        arrays = [
            pa.array([get(value) for value in stretch.values], pa.string()).take(pa.array(index))
            for stretch, index in zip(self.stretches[stretches], self.index[stretches], strict=True)
        ]
        if not arrays:
            return pa.array([""] * len(self), pa.string())
        return pc.binary_join_element_wise(*arrays, "") if len(arrays) > 1 else arrays[0]

    @cached_property
    def chars(self) -> list[Ints]:
        """Characters before each stretch and, last, in the whole sentence."""
        return self.before(lambda value: len(value.text))

    @cached_property
    def words(self) -> list[Ints]:
        """Words that begin before each stretch and, last, in the whole sentence."""
        return self.before(lambda value: value.words)

    def before(self, get: Callable[[Spelt], int]) -> list[Ints]:
        """Add up a number of the stretches before each stretch and, last, of all of them."""
        sums = [np.zeros(len(self), dtype=np.intp)]
        for stretch, index in zip(self.stretches, self.index, strict=True):
            values = np.array([get(value) for value in stretch.values], dtype=np.intp)
            sums.append(sums[-1] + values[index])
        return sums


class Renderer:
    """Renders one line of a paradigm, batch by batch.

    Those of one paradigm share ``stretches``: what stands in several lines is spelt once.
    """

    def __init__(
        self,
        units: list[LineExpression],
        domains: Sequence[Domain],
        spelling: Orthography,
        stretches: dict[tuple[object, ...], SpellingSpan],
    ) -> None:
        self.units, self.domains, self.spelling = units, domains, spelling
        self._scopes = [Scope.of(unit.uses, domains) for unit in units]
        self._stretches = stretches

    def render(self, columns: Columns, rows: int) -> Rendered:
        """Render the line for a batch of combinations."""
        for unit, scope in zip(self.units, self._scopes, strict=True):
            unique, _ = distinct_codes(scope.codes(columns, rows), scope.size)
            new = [code for code in unique.tolist() if code not in unit.cache]
            for code, words in zip(new, scope.each(new), strict=True):
                unit.render(code, words)
        reasons: dict[str, NDArray[np.bool_]] = {}
        stretches, ranges = self._grouped(columns, rows, reasons)
        # Each combination is repeated for each of its alternatives, of which those of the last
        # stretch change fastest.
        total = reduce(np.multiply, [count for _, count in ranges])
        row, index = np.repeat(np.arange(rows), total), [start for start, _ in ranges]
        if (total != 1).any():
            turn = rank_in_group(row)
            for place, (start, count) in reversed(list(enumerate(ranges))):
                index[place] = start[row] + turn % count[row]
                turn = turn // count[row]
        return Rendered(stretches, index, row, dict(sorted(reasons.items())))

    def _grouped(
        self, columns: Columns, rows: int, reasons: dict[str, NDArray[np.bool_]]
    ) -> tuple[list[SpellingSpan], list[tuple[Ints, Ints]]]:
        """Join neighbours where a spelling rule could apply between them, or one can be empty.

        What is joined can begin and end with other words than its parts, so this is repeated until
        nothing is left to join.
        """
        cuts = list(range(len(self.units) + 1))
        found: dict[tuple[int, int], tuple[Ints, Ints]] = {}
        while True:
            spans = list(pairwise(cuts))
            stretches = [self._stretch(start, stop) for start, stop in spans]
            for (start, stop), stretch in zip(spans, stretches, strict=True):
                if stop - start > 1 and (start, stop) not in found:
                    found[start, stop] = self._find(stretch, columns, rows, reasons)
            pairs = zip(cuts[1:-1], pairwise([s.ends for s in stretches]), strict=True)
            gone = {
                cut for cut, (left, right) in pairs
                if left.empty or left.spaced or right.empty
                or self.spelling.touches(left.tails, right.heads)
            }  # fmt: skip
            if not gone:
                break
            cuts = [cut for cut in cuts if cut not in gone]
        for span, stretch in zip(spans, stretches, strict=True):
            if span not in found:
                found[span] = self._find(stretch, columns, rows, reasons)
        return stretches, [found[span] for span in spans]

    def _stretch(self, start: int, stop: int) -> SpellingSpan:
        units, scopes = tuple(self.units[start:stop]), tuple(self._scopes[start:stop])
        first, last = start == 0, stop == len(self.units)
        key = (*map(id, units), first, last)
        if key not in self._stretches:
            scope = Scope.of(merge_uses(unit.uses for unit in units), self.domains)
            ends = units[0].ends if len(units) == 1 else BoundaryWords()
            self._stretches[key] = SpellingSpan(units, scopes, scope, first, last, ends)
        return self._stretches[key]

    def _find(
        self,
        stretch: SpellingSpan,
        columns: Columns,
        rows: int,
        reasons: dict[str, NDArray[np.bool_]],
    ) -> tuple[Ints, Ints]:
        """Return for each combination the first of its values in a stretch, and how many it has."""
        unique, inverse = distinct_codes(stretch.scope.codes(columns, rows), stretch.scope.size)
        firsts = first_rows(inverse, len(unique))
        taken = [column[firsts] for column in columns]
        codes = [scope.codes(taken, len(firsts)).tolist() for scope in stretch.scopes]
        for code, units in zip(unique.tolist(), zip(*codes, strict=True), strict=True):
            if code not in stretch.found:
                stretch.found[code] = stretch.spell(units, self.spelling)
        found = [stretch.found[code] for code in unique.tolist()]
        for reason in {f for f in found if isinstance(f, str)}:
            mask = np.array([f == reason for f in found])[inverse]
            reasons[reason] = reasons.get(reason, np.zeros(rows, dtype=bool)) | mask
        ranges = np.array([(0, 0) if isinstance(f, str) else f for f in found], dtype=np.intp)
        return ranges[inverse, 0], ranges[inverse, 1]


class TextPlace(NamedTuple):
    """Where something stands: characters ``start:stop`` and the number of its first word."""

    start: int
    stop: int
    word: int


class Spelt(NamedTuple):
    """A stretch spelt: both renderings, and where words and regions stand in the text.

    ``text`` and ``tokenized`` carry the space before them; ``words`` counts the words that begin
    here; ``slots`` gives the first word printed for each slot, ``regions`` the span of each region.
    """

    text: str
    tokenized: str
    tokens: tuple[Token, ...]
    records: Sequence[tuple[str, PrintedWord]]
    words: int
    slots: Mapping[str, tuple[PrintedWord, TextPlace]]
    regions: Mapping[str, TextPlace]
    syncretic: int

    def lemma(self, token: Token) -> str:
        """Return the lemma of one of the tokens (``""`` for plain text)."""
        return next((self.records[tag][1].lemma for tag in token.tags if tag >= 0), "")


def written(
    tokens: Sequence[Token],
    piece: Unspelt,
    spelling: Orthography,
    regions: Sequence[str],
    first: bool,
    last: bool,
) -> Spelt:
    """Write the tokens of a piece, already spelt; it may begin or end a sentence."""
    spelt = spelling.finish(tokens) if last else tokens
    shown = list(spelt)
    if first and spelling.capital and shown:
        shown[0] = shown[0]._replace(text=shown[0].text[:1].upper() + shown[0].text[1:])
    text, words, spans = _write(shown, spelling.space, first)
    stopped = last and tokens and spelling.stop and tokens[-1].text == spelling.stop
    loose = tokens[:-1] if stopped else tokens
    tokenized = " ".join([token.text for token in loose])
    slots: dict[str, tuple[PrintedWord, TextPlace]] = {}
    for number, (name, record) in enumerate(piece.words):
        if name and name not in slots and number in spans:
            slots[name] = record, spans[number]
    return Spelt(
        text,
        f" {tokenized}" if loose and not first else tokenized,
        tuple(shown),
        piece.words,
        words,
        slots,
        {name: spans[-1 - i] for i, name in enumerate(regions) if -1 - i in spans},
        piece.syncretic,
    )


def _joined(pieces: Sequence[Unspelt]) -> Unspelt:
    """Put pieces one after another; the tags of tokens are then places among all their words."""
    if len(pieces) == 1:
        return pieces[0]
    tokens: list[Token] = []
    records: list[tuple[str, PrintedWord]] = []
    spaced = False
    for piece in pieces:
        shift = len(records)
        records += piece.words
        for number, token in enumerate(piece.tokens):
            loose = number == 0 and spaced and token.glued and not is_mark(token.text)
            tokens.append(_shifted(token, shift, loose) if loose or shift else token)
        spaced = piece.spaced or (spaced and not piece.tokens)
    syncretic = sum([piece.syncretic for piece in pieces])
    return Unspelt(tuple(tokens), tuple(records), syncretic, spaced)


@lru_cache(maxsize=1 << 16)
def _shifted(token: Token, shift: int, loose: bool) -> Token:
    """Return a token whose words stand ``shift`` places further on, not glued if ``loose``."""
    tags = tuple([tag + shift if tag >= 0 else tag for tag in token.tags])
    return Token(token.text, token.glued and not loose, tags)


def _write(
    tokens: Sequence[Token], space: bool, first: bool
) -> tuple[str, int, dict[int, TextPlace]]:
    """Return the text, the number of words, and where the tokens of each tag stand."""
    text, words, gap = "", 0, " " if space else ""
    spans: dict[int, TextPlace] = {}
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
            first_at, word = (start, words - 1) if begun is None else (begun.start, begun.word)
            spans[tag] = TextPlace(first_at, len(text), word)
    return text, words, spans
