"""Parts of a line rendered once per distinct words: units (one expression) and chunks (units joined).

A unit is an expression with the text before it. Units whose meeting could trigger a spelling rule are
joined to one chunk, so that rules that run across words are applied to few distinct values instead of
to every sentence; a sentence is then the plain concatenation of its chunks.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from jinja2.exceptions import TemplateError

from solecism.errors import fail
from solecism.generate.closures import Closure
from solecism.generate.marks import tokens_of
from solecism.generate.sandbox import Sandbox, Uses
from solecism.generate.template import Condition, Part
from solecism.generate.values import Evaluation, Skip, TemplateFault, Word, printed
from solecism.words.lexicon import Row
from solecism.words.orthography import Orthography, Token

__all__ = ["Ends", "Piece", "Record", "Unit", "read_units"]


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

    ``empty``: a value may have no words; ``spaced``: a space may stand at its end.
    """

    heads: set[str] = field(default_factory=set)
    tails: set[str] = field(default_factory=set)
    empty: bool = False
    spaced: bool = False

    def note(self, tokens: Sequence[Token], spaced: bool, spelling: Orthography) -> None:
        """Add those of one value."""
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
        except Skip as skip:
            return skip.reason
        except (TemplateFault, TemplateError, TypeError, RecursionError) as error:
            source = next(part.value for part in self.parts if part.kind == "expression")
            raise fail(f"{error} in {{{{ {source} }}}}", self.path, self.line) from None

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
