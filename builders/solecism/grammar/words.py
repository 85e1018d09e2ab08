"""Words in templates: the word of a slot, the form drawn, and ``agree``, ``clash`` and ``form``."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from jinja2 import Undefined

from solecism.errors import candidates
from solecism.lexicon.features import Feats, agree, clash
from solecism.lexicon.orthography import Token, tokenize
from solecism.lexicon.table import Row, Table

__all__ = [
    "FEATS",
    "MOST",
    "ROW",
    "WHOLE",
    "Evaluation",
    "Skip",
    "TemplateFault",
    "Word",
    "marked",
    "printed",
    "tokens_of",
    "unmarked",
]


_OPEN, _LAST_OPEN, _CLOSE = 0xE000, 0xF000, "\uf8ff"
_MARKED = re.compile(f"([\ue000-\uf000])(.*?){_CLOSE}", re.DOTALL)

MOST = _LAST_OPEN - _OPEN
"""Words that one text can mark."""


def marked(text: str, number: int) -> str:
    """Put a form between marks that carry its number among the words printed (below ``MOST``)."""
    return f"{chr(_OPEN + number)}{text}{_CLOSE}"


def unmarked(text: str) -> str:
    """Take the marks out of a rendered text."""
    return _MARKED.sub(r"\2", text)


@lru_cache(maxsize=1 << 16)
def tokens_of(text: str, glued: bool) -> tuple[Token, ...]:
    """Split a rendered expression into tokens; ``tags`` hold the number of the marked word."""
    out: list[Token] = []
    plain, *rest = _MARKED.split(text)  # plain text, then a mark, the word in it, plain text, ...
    parts = [(plain, ()), *_words(rest)]
    for part, tags in parts:
        if part:
            out += _tokenized(part, tags, glued)
            glued = not part[-1].isspace()
    return tuple(out)


def _words(rest: list[str]) -> list[tuple[str, tuple[int, ...]]]:
    out: list[tuple[str, tuple[int, ...]]] = []
    for mark, word, plain in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        out += ((word, (ord(mark) - _OPEN,)), (plain, ()))
    return out


@lru_cache(maxsize=1 << 16)
def _tokenized(text: str, tags: tuple[int, ...], glued: bool) -> tuple[Token, ...]:
    return tuple(tokenize(text, tags, glued))


WHOLE, FEATS, ROW = "*", "feats", "row"
"""What an expression can ask of a word beside its properties: the form itself (to print it), the features
to agree with, the word whatever its form."""

_THIRD = Feats.of({"Person": "3"})


class Skip(Exception):  # noqa: N818
    """The words make no item: ``reason`` is ``"lacking"`` (a form) or ``"syncretic"``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TemplateFault(Exception):  # noqa: N818
    """A template asks for something that cannot be; the engine adds file and line."""


@dataclass
class Evaluation:
    """The state of one rendering: the words printed, which alternative each ``clash`` takes, calls made."""

    digits: list[int] = field(default_factory=list)
    radices: list[int] = field(default_factory=list)
    printed: list[Word] = field(default_factory=list)
    syncretic: int = 0
    calls: int = 0

    def begin(self) -> None:
        """Start a rendering with the alternatives chosen so far."""
        self.radices, self.printed, self.syncretic, self.calls = [], [], 0, 0

    def choose(self, alternatives: list[Word]) -> Word:
        """Take the alternative that is this rendering's turn."""
        place = len(self.radices)
        self.radices.append(len(alternatives))
        if place == len(self.digits):
            self.digits.append(0)
        return alternatives[self.digits[place]]

    def advance(self) -> bool:
        """Move to the next combination of alternatives; False when all were taken."""
        for place in reversed(range(len(self.radices))):
            self.digits[place] += 1
            if self.digits[place] < self.radices[place]:
                return True
            self.digits[place] = 0
        return False

    def mark(self, word: Word) -> str:
        """Give the word's form between marks, so that its place is known after spelling."""
        number = len(self.printed)
        if number >= MOST:
            raise TemplateFault("an expression prints too many words")
        self.printed.append(word)
        return marked(word.text, number)


@dataclass(eq=False, repr=False)  # not frozen: very many are made
class Word:
    """A word of the lexicon as an expression sees it.

    ``cells`` are the forms it may take (narrowed by the slot), ``cell`` the one drawn or chosen, if any,
    ``known`` the columns that may be asked for, ``slot`` the slot's name or ``""``.
    """

    row: Row
    table: Table
    cells: tuple[Feats, ...]
    known: frozenset[str]
    run: Evaluation
    cell: Feats | None = None
    slot: str = ""

    @property
    def text(self) -> str:
        """The form, or the only form of a word of which none was chosen."""
        if self.cell is not None:
            return self.row.forms[self.cell]
        if not self.cells:
            return self.row.shown
        texts = {self.row.forms[cell] for cell in self.cells}
        if len(texts) > 1:
            raise TemplateFault(f"which form of {self.row.shown!r}? use agree or form")
        return texts.pop()

    @cached_property
    def shown_feats(self) -> Feats:
        """The features of the form and of the word, as printed in the data set."""
        return _merged(self.row.inherent, self.cell or Feats())

    @cached_property
    def feats(self) -> Feats:
        """The features that others agree with: nouns are third person unless they say otherwise."""
        nominal = self.row.upos in ("NOUN", "PROPN")
        return _merged(_THIRD, self.shown_feats) if nominal else self.shown_feats

    def __str__(self) -> str:
        return self.run.mark(self)

    def __eq__(self, other: object) -> bool:
        return self.text == other if isinstance(other, str) else self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self.table.name} {self.row.lemma}>"

    def answer(self, name: str) -> Hashable:
        """Give what one who asks for ``name`` (a property, or one of the three names above) can see."""
        if name == FEATS:
            return self.feats
        if name == ROW:
            return self.slot, self.table.name, self.row.lemma, self.cells
        try:
            return self.lookup(name)
        except TemplateFault:  # told where it is evaluated, if it ever is
            return None

    def lookup(self, name: str) -> str:
        """Give a property, a feature, ``lemma`` or ``upos``; raises :class:`TemplateFault` with candidates."""
        if name in ("lemma", "upos"):
            return self.row.shown if name == "lemma" else self.row.upos
        said = self.row.properties.get(name)
        if said:
            return said
        if (
            name in self.known or name in self.feats
        ):  # a word may leave to its form what others say (Gender)
            return self.feats.text(name)
        if said is not None:
            return said
        names = ["lemma", *sorted(self.known)]
        who = f"slot {self.slot!r}" if self.slot else repr(self.row.shown)
        raise TemplateFault(
            f"{who}: {self.table.name}.tsv has no column {name!r} {candidates('columns', names, name)}"
        )

    def agree(self, model: Word, **wanted: str) -> Word:
        """Take the form that shares all features that this word and ``model`` both express.

        ``wanted`` features must be expressed by the form; a form that shares nothing with the model (an
        infinitive) is taken only where there is no other.
        """
        asked = _merged(_model(model).feats, self._asked(wanted))
        fitting, sharing = _fitting(self.cells, asked, frozenset(wanted))
        return self._only(sharing or fitting)

    def clash(self, model: Word, *names: str, **wanted: str) -> Word:
        """Take, in turn, each form that differs in ``names`` and in nothing else."""
        if not names:
            raise TemplateFault("clash needs the name of a feature: clash(x, 'Number')")
        self._asked(dict.fromkeys(names, ""))
        right = self.agree(model, **wanted)
        assert right.cell is not None
        asked = _merged(model.feats, self._asked(wanted))
        others = [
            cell
            for cell in self.cells
            if set(wanted) <= set(cell)
            and clash(cell, asked, names)
            and agree(cell, right.cell, ignoring=names)
        ]
        return self.run.choose(self._bad_forms(others, right.text))

    def form(self, **wanted: str) -> Word:
        """Move to another form of the same word: the same features but for those named."""
        here = self.cell if self.cell is not None else Feats()
        asked = _merged(here, self._asked(wanted))
        return self._only(_fitting(self.table.cells, asked, frozenset(wanted))[0])

    def _bad_forms(self, cells: list[Feats], right: str) -> list[Word]:
        forms = self._by_text(cells)
        same = forms.pop(right, None)
        self.run.syncretic += same is not None
        if not forms:
            raise Skip("syncretic" if same is not None else "lacking")
        return [self._with(cell) for cell in forms.values()]

    def _only(self, cells: Sequence[Feats]) -> Word:
        forms = self._by_text(cells)
        if not forms:
            raise Skip("lacking")
        if len(forms) > 1:
            listed = ", ".join(f"{text} ({cell})" for text, cell in forms.items())
            raise TemplateFault(f"{self.row.shown!r} has several forms that fit: {listed}")
        return self._with(next(iter(forms.values())))

    def _with(self, cell: Feats) -> Word:
        return Word(self.row, self.table, self.cells, self.known, self.run, cell, self.slot)

    def _by_text(self, cells: Sequence[Feats]) -> dict[str, Feats]:
        """The forms in these cells, each with the first cell that it stands in."""
        forms: dict[str, Feats] = {}
        for cell in cells:
            if cell in self.row.forms:
                forms.setdefault(self.row.forms[cell], cell)
        return forms

    def _asked(self, wanted: Mapping[str, str]) -> Feats:
        for name, value in wanted.items():
            if not isinstance(value, str):
                raise TemplateFault(f"{name}={value!r}: the value must be a text")
        try:
            return _asked_of(self.table.name, self.table.feature_names, tuple(wanted.items()))
        except ValueError as error:
            raise TemplateFault(str(error)) from None


@lru_cache(maxsize=1 << 12)
def _asked_of(table: str, names: tuple[str, ...], wanted: tuple[tuple[str, str], ...]) -> Feats:
    for name, _ in wanted:
        if name not in names:
            near = candidates("features", names, str(name))
            raise TemplateFault(f"no form in {table}.tsv expresses {name!r} {near}")
    return Feats.of({name: value for name, value in wanted if value})


@lru_cache(maxsize=1 << 14)
def _fitting(
    cells: tuple[Feats, ...], asked: Feats, wanted: frozenset[str]
) -> tuple[tuple[Feats, ...], tuple[Feats, ...]]:
    """The cells that express ``wanted`` and agree with ``asked``, and those that share a feature with it."""
    fitting = tuple(c for c in cells if wanted <= set(c) and agree(c, asked))
    return fitting, tuple(cell for cell in fitting if set(cell) & set(asked))


@lru_cache(maxsize=1 << 16)
def _merged(below: Feats, above: Feats) -> Feats:
    return below.updated(above)


def _model(value: object) -> Word:
    if not isinstance(value, Word):
        shown = "nothing" if isinstance(value, Undefined) else repr(value)
        raise TemplateFault(f"there is no word to agree with: {shown}")
    return value


def printed(value: object) -> object:
    """Give back what may be printed; raises :class:`TemplateFault` for a truth, a number or a list."""
    if not isinstance(value, (str, Word, Undefined)):
        raise TemplateFault(f"only words and texts can be printed, not {value!r}")
    return value
