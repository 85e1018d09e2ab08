"""Make the sentences of many combinations of words at once.

A line is cut into *units* (:class:`LineExpression`): an expression with the text before it.
Neighbouring units between which a spelling rule could apply are spelt together, as a *stretch*
(:class:`SpellingSpan`). A stretch keeps a list of all texts that it has had so far, its *values*.
A sentence is one value of each stretch, stored as a place in that list. So each expression is
evaluated and spelt once for the same words, however many sentences have them; numpy and Arrow
put the sentences together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grammar.compiler import Function
from solecism.grammar.phrases import Phrases
from solecism.grammar.sampling.elimination import Columns
from solecism.grammar.slots import Domain, Scope
from solecism.grammar.syntax import LinePart
from solecism.grammar.template import TemplateLine
from solecism.grammar.uses import Uses, merge_uses
from solecism.grammar.words import FAULTS, Skip, Word, printed
from solecism.grouping import Ints, distinct_codes, first_rows, rank_in_group
from solecism.lexicon.features import Feats
from solecism.lexicon.glosses import REST, Glosses
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.orthography import Orthography, Token, is_mark, tokenize
from solecism.lexicon.table import Row
from solecism.lexicon.vocabulary import OUTSIDE, Vocabulary, words_of
from solecism.schema import GLOSSES


class PrintedWord(NamedTuple):
    """A word as it is printed, for the column ``slots`` and the features of agreement."""

    lemma: str
    form: str
    upos: str
    feats: str
    number: str = ""
    gender: str = ""
    person: str = ""


class Unspelt(NamedTuple):
    """A value of a unit or of a stretch, before the rules of spelling are applied.

    A tag of a token is a place in ``words`` if it is 0 or more, else a region (-1 is the first).
    ``words`` are the words printed, each with the name of its slot. ``spaced``: a space stands at
    the end of the value, so that what follows is a word of its own.
    """

    tokens: tuple[Token, ...]
    words: tuple[tuple[str, PrintedWord], ...]
    syncretic: int = 0
    spaced: bool = False


@dataclass
class BoundaryWords:
    """The first and the last words (``heads``, ``tails``) of values, at all stages of spelling.

    ``empty``: some value has no words; ``spaced``: a space stands at the end of some value.
    """

    heads: set[str] = field(default_factory=set)
    tails: set[str] = field(default_factory=set)
    empty: bool = False
    spaced: bool = False

    def add(self, stages: Iterable[Sequence[Token]], spaced: bool) -> None:
        """Add the first and last word of one value, given its tokens at each stage of spelling."""
        self.spaced = self.spaced or spaced
        for stage in stages:
            if stage:
                self.heads.add(stage[0].text)
                self.tails.add(stage[-1].text)
            else:
                self.empty = True


@dataclass
class LineExpression:
    """A unit: one expression of a line, with the text before it.

    ``source``: the expression, empty for the text at the end of a line. ``before``: the tokens of
    the text. ``glued``: no space stands before the expression. ``tags``: the tag of the region that
    the expression is in, if it is in one. ``regions``: the names of all regions of the line.
    ``uses``: what the expression asks of each slot. ``cache``: the values by the code of the words
    (see :class:`~solecism.grammar.slots.Scope`), or the reason why these words make no sentence.
    ``ends``: the first and last words of all values so far.
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
        """A key by which units are compared: units with the same key have the same values."""
        return self.source, self.before, self.glued, self.tags, self.regions

    def render(self, code: int, words: Mapping[str, Word]) -> None:
        """Evaluate the expression for these words, and keep the result in ``cache`` under ``code``.

        The result is a list of values, or the reason why the words make no sentence. Raises
        :class:`InputError` if the expression cannot be evaluated.
        """
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
        """Return a value of the unit, given the words and texts that the expression prints."""
        tokens: list[Token] = []
        words: list[tuple[str, PrintedWord]] = []
        glued = self.glued
        for part in parts:
            if type(part) is Word:
                text, tags = part.text, (len(words), *self.tags)
                record, gloss = self._record(part)
                words.append((part.slot, record))
            else:
                text, tags = (str(part) if tokens else str(part).lstrip()), self.tags
                gloss = ""
            if text:
                tokens += _tokenized(text, tags, glued, self.phrases.lexicon.glosses, gloss)
                glued = not text[-1].isspace()
        spaced = not tokens and not self.glued
        made = (*self.before, *tokens)
        return Unspelt(made, tuple(words), self.phrases.run.syncretic, spaced)

    def _record(self, word: Word) -> tuple[PrintedWord, str]:
        """Return the record of a word and its gloss, made once for all paradigms of a language."""
        memo = self.phrases.memo
        key = PrintedWord, id(word.row), word.cell, word.model, word.text
        known: tuple[PrintedWord, str, Row] | None = memo.get(key)
        if known is None:
            feats = word.feats
            record = PrintedWord(
                word.row.shown, word.text, word.row.upos, str(word.shown_feats),
                feats.text("Number"), feats.text("Gender"), feats.text("Person"),
            )  # fmt: skip
            gloss = ""  # a text of `oneof`, which is of no table, is glossed token by token
            if word.table.path:
                of_word = self.phrases.lexicon.glosses.of_word
                gloss = of_word(word.row, word.table, word.cell or Feats(), word.model)
            # the row is kept, so that its id stays its own
            known = memo[key] = record, gloss, word.row
        return known[:2]


@lru_cache(maxsize=1 << 16)
def _tokenized(
    text: str, tags: tuple[int, ...], glued: bool, glosses: Glosses, gloss: str = ""
) -> tuple[Token, ...]:
    """Split a text; ``gloss`` is that of the word it is, ``""`` of a text that is no word."""
    tokens = tokenize(text, tags, glued)
    return tuple(
        token._replace(gloss=(REST if n else gloss) if gloss else glosses.of_form(token.text))
        for n, token in enumerate(tokens)
    )


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
            before += _tokenized(source, tags, glued, phrases.lexicon.glosses)
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
    """A stretch: neighbouring units that are spelt together.

    ``scopes``: the scope of each unit; ``scope``: that of all units together. ``first``, ``last``:
    whether the stretch begins and ends the line. ``ends``: the first and last words of its values.
    ``found``: for each code of ``scope`` the place of its first value in ``values`` and the number
    of its values, or the reason why it has none.
    """

    units: tuple[LineExpression, ...]
    scopes: tuple[Scope, ...]
    scope: Scope
    first: bool
    last: bool
    ends: BoundaryWords
    values: list[Spelt] = field(default_factory=list)
    found: dict[int, tuple[int, int] | str] = field(default_factory=dict)
    _known: list[bool] = field(default_factory=list)

    def known(self, vocabulary: Vocabulary, spaces: bool) -> NDArray[np.bool_]:
        """Return for each value whether a vocabulary knows all its words."""
        new = self.values[len(self._known) :]
        words = (words_of(value.tokens, spaces) for value in new)
        self._known += [vocabulary.knows_all(some, self.first) for some in words]
        return np.array(self._known, dtype=bool)

    def spell(self, codes: tuple[int, ...], spelling: Orthography) -> tuple[int, int] | str:
        """Spell the alternatives of some words, and add them to ``values``.

        ``codes``: the code of the words in each unit; all units have been rendered for them. Return
        the place of the first alternative and their number, or the reason why there are none.
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
    """The sentences that a line makes of a batch of combinations of words.

    ``index[n]`` has for each sentence the place of its text in ``stretches[n].values``. ``row`` has
    for each sentence the number of its combination. ``skipped`` marks, for each reason, the
    combinations that make no sentence.
    """

    stretches: Sequence[SpellingSpan]
    index: Sequence[Ints]
    row: Ints
    skipped: dict[str, NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, rows: Ints) -> Rendered:
        """Return some of the sentences, given by their numbers."""
        return Rendered(self.stretches, [i[rows] for i in self.index], self.row[rows], self.skipped)

    def texts(self, get: Callable[[Spelt], str], stretches: slice = slice(None)) -> pa.StringArray:
        """Return a text for each sentence: what ``get`` makes of its values, joined."""
        arrays = [
            pa.array([get(value) for value in stretch.values], pa.string()).take(pa.array(index))
            for stretch, index in zip(self.stretches[stretches], self.index[stretches], strict=True)
        ]
        if not arrays:
            return pa.array([""] * len(self), pa.string())
        return pc.binary_join_element_wise(*arrays, "") if len(arrays) > 1 else arrays[0]

    @cached_property
    def chars(self) -> list[Ints]:
        """For each stretch the characters before it in each sentence; last, those of the whole."""
        return self.before(lambda value: len(value.text))

    @cached_property
    def words(self) -> list[Ints]:
        """For each stretch the words that begin before it in each sentence; last, all words."""
        return self.before(lambda value: value.words)

    def before(self, get: Callable[[Spelt], int]) -> list[Ints]:
        """Return for each stretch the sum of ``get`` over the values before it; last, over all."""
        sums = [np.zeros(len(self), dtype=np.intp)]
        for stretch, index in zip(self.stretches, self.index, strict=True):
            values = np.array([get(value) for value in stretch.values], dtype=np.intp)
            sums.append(sums[-1] + values[index])
        return sums


def with_glosses(table: pa.Table, sides: Sequence[Rendered]) -> pa.Table:
    """Return a table of items with the column ``GLOSSES``; ``sides`` are their sentences."""
    texts = [side.texts(lambda value: value.glosses).to_pylist() for side in sides]
    column = pa.array(list(zip(*texts, strict=True)), pa.list_(pa.string()))
    return table.append_column(GLOSSES, column)


class Renderer:
    """Renders one line of a paradigm, batch by batch.

    The renderers of one paradigm share ``stretches``, so that a stretch that stands in several
    lines is spelt once.
    """

    def __init__(
        self,
        units: list[LineExpression],
        domains: Sequence[Domain],
        lexicon: Lexicon,
        stretches: dict[tuple[object, ...], SpellingSpan],
    ) -> None:
        self.units, self.domains, self.spelling = units, domains, lexicon.orthography
        self.vocabulary = lexicon.limits.vocabulary
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
        # A combination makes a sentence for each choice among the alternatives of its stretches;
        # the alternatives of the last stretch change fastest.
        total = reduce(np.multiply, [count for _, count in ranges])
        row, index = np.repeat(np.arange(rows), total), [start for start, _ in ranges]
        if (total != 1).any():
            turn = rank_in_group(row)
            for place, (start, count) in reversed(list(enumerate(ranges))):
                index[place] = start[row] + turn % count[row]
                turn = turn // count[row]
        made = Rendered(stretches, index, row, dict(sorted(reasons.items())))
        return self._within(self.vocabulary, made, rows) if self.vocabulary else made

    def _within(self, vocabulary: Vocabulary, made: Rendered, rows: int) -> Rendered:
        """Return the sentences that have no word outside a vocabulary."""
        known = [
            stretch.known(vocabulary, self.spelling.space)[index]
            for stretch, index in zip(made.stretches, made.index, strict=True)
        ]
        kept = made.take(np.flatnonzero(reduce(np.logical_and, known)))
        lost = np.isin(np.arange(rows), made.row) & ~np.isin(np.arange(rows), kept.row)
        return replace(kept, skipped={**made.skipped, OUTSIDE: lost})

    def _grouped(
        self, columns: Columns, rows: int, reasons: dict[str, NDArray[np.bool_]]
    ) -> tuple[list[SpellingSpan], list[tuple[Ints, Ints]]]:
        """Return the stretches of the line, and what :meth:`_find` returns for each of them.

        Neighbours are joined if a spelling rule could apply between them, if one of them can be
        empty, or if one can end in a space. A joined stretch can begin and end with other words
        than its parts, so this is repeated until there is nothing left to join.
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
        """Return for each combination the place of its first value in a stretch, and how many.

        Combinations that have no value are marked in ``reasons``.
        """
        unique, inverse = distinct_codes(stretch.scope.codes(columns, rows), stretch.scope.size)
        firsts = first_rows(inverse, len(unique))
        taken = [column[firsts] for column in columns]
        codes = [scope.codes(taken, len(firsts)).tolist() for scope in stretch.scopes]
        for code, unit_codes in zip(unique.tolist(), zip(*codes, strict=True), strict=True):
            if code not in stretch.found:
                stretch.found[code] = stretch.spell(unit_codes, self.spelling)
        found = [stretch.found[code] for code in unique.tolist()]
        for reason in {f for f in found if isinstance(f, str)}:
            mask = np.array([f == reason for f in found])[inverse]
            reasons[reason] = reasons.get(reason, np.zeros(rows, dtype=bool)) | mask
        ranges = np.array([(0, 0) if isinstance(f, str) else f for f in found], dtype=np.intp)
        return ranges[inverse, 0], ranges[inverse, 1]


class TextPlace(NamedTuple):
    """Where something stands in a text: characters ``start:stop``, and its first word's number."""

    start: int
    stop: int
    word: int


class Spelt(NamedTuple):
    """A value of a stretch, spelt.

    ``text`` is as in the sentence; ``tokenized`` has a space between all tokens, and no full stop;
    ``glosses`` are those of its tokens. All begin with the space that parts them from what is
    before. ``records``: the words printed,
    with the names of their slots. ``words``: how many words begin here. ``slots``: the first word
    printed for each slot, and its place. ``regions``: the place of each region.
    """

    text: str
    tokenized: str
    glosses: str
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
    """Return a value, given its spelt ``tokens`` and the ``piece`` that they come from.

    ``first``, ``last``: whether it begins and ends the sentence.
    """
    spelt = spelling.finish(tokens) if last else tokens
    shown = spelling.begin(spelt) if first else list(spelt)
    text, words, spans = _write(shown, spelling.space, first)
    stopped = last and tokens and spelling.stop and tokens[-1].text == spelling.stop
    loose = tokens[:-1] if stopped else tokens
    lead = " " if loose and not first else ""
    slots: dict[str, tuple[PrintedWord, TextPlace]] = {}
    for number, (name, record) in enumerate(piece.words):
        if name and name not in slots and number in spans:
            slots[name] = record, spans[number]
    return Spelt(
        text,
        lead + " ".join([token.text for token in loose]),
        lead + " ".join([token.gloss for token in loose]),
        tuple(shown),
        piece.words,
        words,
        slots,
        {name: spans[-1 - i] for i, name in enumerate(regions) if -1 - i in spans},
        piece.syncretic,
    )


def _joined(pieces: Sequence[Unspelt]) -> Unspelt:
    """Return neighbouring pieces as one; tags of words count through the words of all pieces."""
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
    """Return a token with ``shift`` added to the tags of words, and not glued if ``loose``."""
    tags = tuple([tag + shift if tag >= 0 else tag for tag in token.tags])
    return token._replace(glued=token.glued and not loose, tags=tags)


def _write(
    tokens: Sequence[Token], space: bool, first: bool
) -> tuple[str, int, dict[int, TextPlace]]:
    """Return the text, how many words begin in it, and where the tokens of each tag stand.

    ``space``: the language has spaces between words; ``first``: the tokens begin the sentence.
    """
    text, words, gap = "", 0, " " if space else ""
    spans: dict[int, TextPlace] = {}
    for form, glued, tags, _ in tokens:
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
