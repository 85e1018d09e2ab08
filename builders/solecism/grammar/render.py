"""Sentences in bulk: each condition is rendered once per distinct words, spelt, and joined in Arrow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from jinja2.exceptions import TemplateError
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grammar.expression import Closure
from solecism.grammar.groups import Scope, distinct, first_rows, merge_uses
from solecism.grammar.phrases import Sandbox, Uses
from solecism.grammar.sampling.elimination import Columns
from solecism.grammar.slots import Domain
from solecism.grammar.template import Condition, Part
from solecism.grammar.words import Evaluation, Skip, TemplateFault, Word, printed, tokens_of
from solecism.lexicon.orthography import Orthography, Token, is_mark
from solecism.lexicon.table import Row
from solecism.limits import SETS, TOKENS

__all__ = [
    "TOO_MANY",
    "Chunk",
    "Ends",
    "Line",
    "Piece",
    "Place",
    "Record",
    "Rendered",
    "Unit",
    "Value",
    "joined",
    "read_units",
    "written",
]


TOO_MANY = f"more than {SETS} sentences of the same words: ask for fewer forms with `clash`"


class Record(NamedTuple):
    """A word as printed: what the column ``slots`` says of it."""

    lemma: str
    form: str
    upos: str
    feats: str
    number: str = ""
    gender: str = ""
    person: str = ""


class Piece(NamedTuple):
    """A value of a unit: its tokens, whose tags are places in ``words`` or, below 0, regions.

    ``spaced``: a space stands at its end, so that what follows is a word of its own.
    """

    tokens: tuple[Token, ...]
    words: tuple[tuple[str, Record], ...]
    syncretic: int = 0
    spaced: bool = False


@dataclass
class Ends:
    """The words that values begin and end with at any stage of spelling.

    ``empty``: a value may have no words; ``spaced``: a space may stand at its end; ``longest``: tokens of
    the longest value.
    """

    heads: set[str] = field(default_factory=set)
    tails: set[str] = field(default_factory=set)
    empty: bool = False
    spaced: bool = False
    longest: int = field(default=0, compare=False)

    def note(self, tokens: Sequence[Token], spaced: bool, spelling: Orthography) -> None:
        """Add those of one value."""
        self.longest = max(self.longest, len(tokens))
        self.add(spelling.stages(tokens) if len(tokens) > 1 else (tokens,), spaced)

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
class Unit:
    """One expression with the text around it. ``region`` is the region it begins in, or None."""

    parts: tuple[Part, ...]
    uses: Uses
    glued: bool
    region: str | None
    path: str
    line: int
    call: Closure | None
    run: Evaluation
    regions: tuple[str, ...]
    spelling: Orthography
    memo: dict[Any, Any]
    cache: dict[int, list[Piece] | str] = field(default_factory=dict)
    ends: Ends = field(default_factory=Ends)

    @property
    def source(self) -> tuple[Hashable, ...]:
        """What makes two units render alike."""
        return self.parts, self.glued, self.region, self.regions

    def values(self, code: int, words: Mapping[str, Word]) -> list[Piece] | str:
        """Give all alternatives for these words, kept by ``code``, or the reason why they make no item."""
        if code not in self.cache:
            values = self._values(words)
            self.cache[code] = values
            for piece in values if isinstance(values, list) else ():
                self.ends.note(piece.tokens, piece.spaced, self.spelling)
        return self.cache[code]

    def _values(self, words: Mapping[str, Word]) -> list[Piece] | str:
        out = []
        self.run.digits.clear()
        try:
            while True:
                self.run.begin()
                out.append(self._piece(str(printed(self.call(words))) if self.call else ""))
                if not self.run.advance():
                    return out
                if len(out) == SETS:
                    raise TemplateFault(TOO_MANY)
        except Skip as skip:
            return skip.reason
        except (TemplateFault, TemplateError, TypeError, RecursionError) as error:
            source = next((part.value for part in self.parts if part.kind == "expression"), None)
            where = f" in {{{{ {source} }}}}" if source else ""
            raise fail(f"{error}{where}", self.path, self.line) from None

    def _piece(self, rendered: str) -> Piece:
        words = tuple([(word.slot, self._record(word)) for word in self.run.printed])
        written, glued, region, rest = self._before
        tokens = [*written]
        for part in rest:
            if part.kind in ("open", "close"):
                region = part.value or None
                continue
            text = part.value if part.kind == "text" else rendered.strip()
            tokens += self._tagged(tokens_of(text, glued), region)
            glued = not text[-1].isspace() if text else glued
        if len(tokens) > TOKENS:
            raise TemplateFault(f"more than {TOKENS} words and marks")
        return Piece(tuple(tokens), words, self.run.syncretic, not glued)

    @cached_property
    def _before(self) -> tuple[list[Token], bool, str | None, tuple[Part, ...]]:
        """The tokens before the expression, how they end, and the parts from the expression on."""
        tokens: list[Token] = []
        glued, region = self.glued, self.region
        for number, part in enumerate(self.parts):
            if part.kind == "expression":
                return tokens, glued, region, self.parts[number:]
            if part.kind == "text":
                tokens += self._tagged(tokens_of(part.value, glued), region)
                glued = not part.value[-1].isspace()
            else:
                region = part.value or None
        return tokens, glued, region, ()

    def _tagged(self, tokens: tuple[Token, ...], region: str | None) -> Sequence[Token]:
        if region is None:
            return tokens
        tag = -1 - self.regions.index(region)
        return [Token(token.text, token.glued, (*token.tags, tag)) for token in tokens]

    def _record(self, word: Word) -> Record:
        """The record of a word, made once for all paradigms of the language."""
        key = (Record, id(word.row), word.cell, text := word.text)
        known: tuple[Record, Row] | None = self.memo.get(key)
        if known is None:
            feats = word.feats
            record = Record(
                word.row.shown, text, word.row.upos, str(word.shown_feats),
                feats.text("Number"), feats.text("Gender"), feats.text("Person"),
            )  # fmt: skip
            known = self.memo[key] = (
                record,
                word.row,
            )  # the row is kept: its id must not be used again
        return known[0]


def read_units(
    condition: Condition,
    path: str,
    sandbox: Sandbox,
    slots: Sequence[str],
    memo: dict[Any, Any],
) -> list[Unit]:
    """Cut a line into units; the last also takes the text that follows it."""
    regions = tuple(part.value for part in condition.parts if part.kind == "open")
    spelling = sandbox.lexicon.orthography
    units: list[Unit] = []
    gathered: list[Part] = []
    glued, region, start = False, None, None

    def close(expression: Part | None) -> None:
        source = expression.value if expression else ""
        uses = sandbox.uses(source) if expression else {}
        mine = {name: asked for name, asked in uses.items() if name in slots}
        call = sandbox.closure(source) if expression else None
        unit = Unit(
            tuple(gathered), mine, glued, region, path, condition.line, call, sandbox.run,
            regions, spelling, memo,
        )  # fmt: skip
        units.append(unit)

    for part in condition.parts:
        gathered.append(part)
        start = part.value or None if part.kind in ("open", "close") else start
        if part.kind == "expression":
            close(part)
            gathered, glued, region = [], True, start
    if gathered and (units or any(p.kind == "text" for p in gathered)):
        if units and all(part.kind == "close" for part in gathered):
            units[-1].parts += tuple(gathered)
        else:
            close(None)
    return units


Ints = NDArray[np.intp]


@dataclass
class Chunk:
    """Neighbouring units spelt together: ``values`` of all words met so far, found by their code."""

    units: tuple[Unit, ...]
    scopes: tuple[Scope, ...]
    scope: Scope
    first: bool
    last: bool
    ends: Ends
    values: list[Value] = field(default_factory=list)
    found: dict[int, tuple[int, int] | str] = field(default_factory=dict)

    def value_range(
        self, code: int, codes: tuple[int, ...], spelling: Orthography
    ) -> tuple[int, int] | str:
        """Give first and number of the alternatives in ``values``, or the reason why there are none.

        ``codes``: those of the units, all of which have been rendered.
        """
        if code not in self.found:
            self.found[code] = self._spell(codes, spelling)
        return self.found[code]

    def _spell(self, codes: tuple[int, ...], spelling: Orthography) -> tuple[int, int] | str:
        choices: list[list[Piece]] = []
        for unit, code in zip(self.units, codes, strict=True):
            values = unit.cache[code]
            if isinstance(values, str):
                return values
            choices.append(values)
        if prod(map(len, choices)) > SETS:
            raise fail(TOO_MANY, self.units[0].path, self.units[0].line)
        start = len(self.values)
        regions = self.units[0].regions
        for pieces in product(*choices):
            tokens, records, spaced = joined(pieces)
            stages = spelling.stages(tokens)
            if len(pieces) > 1:
                self.ends.add(stages, spaced)
            syncretic = sum([piece.syncretic for piece in pieces])
            self.values.append(
                written(stages[-1], records, syncretic, spelling, regions, self.first, self.last)
            )
        return start, len(self.values) - start


@dataclass(frozen=True)
class Rendered:
    """A condition for a batch of combinations.

    ``index[c]`` is, for each sentence, the place of its chunk ``c`` in ``chunks[c].values``; ``row`` is the
    combination each sentence comes from; ``skipped`` tells which combinations make none, by reason.
    """

    chunks: Sequence[Chunk]
    index: Sequence[Ints]
    row: Ints
    skipped: dict[str, NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, rows: Ints) -> Rendered:
        """Select sentences."""
        return Rendered(self.chunks, [i[rows] for i in self.index], self.row[rows], self.skipped)

    def texts(self, get: Callable[[Value], str], chunks: slice = slice(None)) -> pa.StringArray:
        """Join a text of each chunk (``get``) to one text for each sentence."""
        arrays = [
            pa.array([get(value) for value in chunk.values], pa.string()).take(pa.array(index))
            for chunk, index in zip(self.chunks[chunks], self.index[chunks], strict=True)
        ]
        if not arrays:
            return pa.array([""] * len(self), pa.string())
        return pc.binary_join_element_wise(*arrays, "") if len(arrays) > 1 else arrays[0]

    def numbers(self, chunk: int, get: Callable[[Value], int]) -> Ints:
        """Give a number of one chunk for each sentence."""
        values = np.array([get(value) for value in self.chunks[chunk].values], dtype=np.intp)
        return values[self.index[chunk]]

    @cached_property
    def chars(self) -> list[Ints]:
        """Characters before each chunk and, last, in the whole sentence."""
        return self.before(lambda value: len(value.text))

    @cached_property
    def words(self) -> list[Ints]:
        """Words that begin before each chunk and, last, in the whole sentence."""
        return self.before(lambda value: value.words)

    def before(self, get: Callable[[Value], int]) -> list[Ints]:
        """Add up a number of the chunks before each chunk: one array for each chunk and one for all."""
        sums = [np.zeros(len(self), dtype=np.intp)]
        for chunk in range(len(self.chunks)):
            sums.append(sums[-1] + self.numbers(chunk, get))
        return sums


class Line:
    """One condition of a paradigm, rendered batch by batch.

    Lines of one paradigm share ``chunks``: what stands in several lines is spelt once.
    """

    def __init__(
        self,
        units: list[Unit],
        domains: Sequence[Domain],
        spelling: Orthography,
        chunks: dict[tuple[object, ...], Chunk] | None = None,
    ) -> None:
        self.units, self.domains, self.spelling = units, domains, spelling
        self._scopes = [Scope.of(unit.uses, domains) for unit in units]
        self._chunks = chunks if chunks is not None else {}

    def render(self, columns: Columns, rows: int) -> Rendered:
        """Render the line for a batch of combinations."""
        self._meet(columns, rows)
        reasons: dict[str, NDArray[np.bool_]] = {}
        chunks, ranges = self._grouped(columns, rows, reasons)
        starts, counts = [start for start, _ in ranges], [count for _, count in ranges]
        self._check_size(counts)
        total = reduce(np.multiply, counts)
        index, row = _spread(starts, counts, total)
        return Rendered(chunks, index, row, dict(sorted(reasons.items())))

    def _check_size(self, counts: Sequence[Ints]) -> None:
        """Raise :class:`InputError` for too long a sentence, and where the same words make too many."""
        place = self.units[0].path, self.units[0].line
        if sum(unit.ends.longest for unit in self.units) > TOKENS:
            raise fail(f"a sentence of more than {TOKENS} words and marks", *place)
        if prod([int(count.max(initial=0)) for count in counts]) > SETS:
            sizes = [count.astype(np.float64) for count in counts]
            if reduce(np.multiply, sizes).max() > SETS:
                raise fail(TOO_MANY, *place)

    def _meet(self, columns: Columns, rows: int) -> None:
        """Render each unit for the words of the batch, so that it knows the words at its ends."""
        for unit, scope in zip(self.units, self._scopes, strict=True):
            unique, _ = distinct(scope.codes(columns, rows), scope.size)
            new = [code for code in unique.tolist() if code not in unit.cache]
            for code, words in zip(new, scope.each(new), strict=True):
                unit.values(code, words)

    def _grouped(
        self, columns: Columns, rows: int, reasons: dict[str, NDArray[np.bool_]]
    ) -> tuple[list[Chunk], list[tuple[Ints, Ints]]]:
        """Join neighbours where a spelling rule could apply between them, or one can be empty.

        What is joined can begin and end with other words than its parts, so this is repeated until
        nothing is left to join.
        """
        cuts = list(range(len(self.units) + 1))
        found: dict[tuple[int, int], tuple[Ints, Ints]] = {}
        while True:
            spans = list(pairwise(cuts))
            chunks = [self._chunk(start, stop) for start, stop in spans]
            for (start, stop), chunk in zip(spans, chunks, strict=True):
                if stop - start > 1 and (start, stop) not in found:
                    found[start, stop] = self._find(chunk, columns, rows, reasons)
            pairs = zip(cuts[1:-1], pairwise(chunks), strict=True)
            gone = {cut for cut, (left, right) in pairs if self._touch(left.ends, right.ends)}
            if not gone:
                break
            cuts = [cut for cut in cuts if cut not in gone]
        for span, chunk in zip(spans, chunks, strict=True):
            if span not in found:
                found[span] = self._find(chunk, columns, rows, reasons)
        return chunks, [found[span] for span in spans]

    def _touch(self, left: Ends, right: Ends) -> bool:
        loose = left.empty or left.spaced or right.empty
        return loose or self.spelling.touches(left.tails, right.heads)

    def _chunk(self, start: int, stop: int) -> Chunk:
        units, scopes = tuple(self.units[start:stop]), tuple(self._scopes[start:stop])
        first, last = start == 0, stop == len(self.units)
        key = (*map(id, units), first, last)
        if key not in self._chunks:
            scope = Scope.of(merge_uses(unit.uses for unit in units), self.domains)
            ends = units[0].ends if len(units) == 1 else Ends()
            self._chunks[key] = Chunk(units, scopes, scope, first, last, ends)
        return self._chunks[key]

    def _find(
        self, chunk: Chunk, columns: Columns, rows: int, reasons: dict[str, NDArray[np.bool_]]
    ) -> tuple[Ints, Ints]:
        unique, inverse = distinct(chunk.scope.codes(columns, rows), chunk.scope.size)
        firsts = first_rows(inverse, len(unique))
        taken = [column[firsts] for column in columns]
        codes = [scope.codes(taken, len(firsts)).tolist() for scope in chunk.scopes]
        found = [
            chunk.value_range(code, units, self.spelling)
            for code, units in zip(unique.tolist(), zip(*codes, strict=True), strict=True)
        ]
        for reason in {f for f in found if isinstance(f, str)}:
            mask = np.array([f == reason for f in found])[inverse]
            reasons[reason] = reasons.get(reason, np.zeros(rows, dtype=bool)) | mask
        ranges = np.array([(0, 0) if isinstance(f, str) else f for f in found], dtype=np.intp)
        return ranges[inverse, 0], ranges[inverse, 1]


def _spread(starts: list[Ints], counts: list[Ints], total: Ints) -> tuple[list[Ints], Ints]:
    """Repeat each combination for each of its alternatives, the last chunk's changing fastest."""
    if (total == 1).all():
        return starts, np.arange(len(total))
    row = np.repeat(np.arange(len(total)), total)
    turn = np.arange(len(row)) - np.repeat(np.cumsum(total) - total, total)
    index: list[Ints] = []
    for start, count in zip(reversed(starts), reversed(counts), strict=True):
        index.append(start[row] + turn % count[row])
        turn = turn // count[row]
    return index[::-1], row


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
