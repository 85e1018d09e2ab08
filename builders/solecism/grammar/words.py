"""The values that expressions work with: words of the lexicon, and phrases of words and texts.

The filters ``agree``, ``clash`` and ``form`` of templates are methods of :class:`Word`; the tests
:func:`under` and :func:`typical` are functions of words.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TypeVar

from solecism.errors import candidates
from solecism.lexicon.features import UNIVERSAL, Feats, agree, clash, subset
from solecism.lexicon.lexicon import Hierarchy, Lexicon
from solecism.lexicon.table import Row, Table
from solecism.lexicon.typical import Typical, Words

T = TypeVar("T")
W = TypeVar("W")

WHOLE, FEATS, ROW = "*", "feats", "row"
"""What an expression can ask of a word besides its properties: the form (to print it), the
features that other words agree with, and the word whatever its form."""

_THIRD = Feats.of({"Person": "3"})
_NONE = Feats()


class Skip(Exception):  # noqa: N818
    """Raised if words make no item.

    ``reason``: ``"lacking"`` if a word has no form that fits, ``"syncretic"`` if its wrong form is
    spelt like the right one.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TemplateFault(Exception):  # noqa: N818
    """Raised if a template asks for something impossible; the caller adds file and line."""


FAULTS = (TemplateFault, TypeError)
"""What evaluating an expression may raise besides :class:`Skip`."""


@dataclass
class Evaluation:
    """The state of evaluating one expression.

    An expression with ``clash`` has as many values as there are wrong forms, and is evaluated once
    for each of them. ``chosen`` has the number of the form that each ``clash`` takes this time, in
    the order in which they are evaluated; ``choices`` has how many forms each could take.
    ``syncretic`` counts the wrong forms that were left out, as they are spelt like the right one.
    """

    chosen: list[int] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)
    syncretic: int = 0

    def each(self, function: Callable[[W], T], words: W) -> Iterator[T]:
        """Yield the value of an expression for every combination of alternatives."""
        yield self.first(function, words)
        while True:
            # Count up as with digits: the last choice that has a next form takes it, and the
            # choices after it begin again with their first form.
            while self.chosen and self.chosen[-1] + 1 == self.choices[len(self.chosen) - 1]:
                self.chosen.pop()
            if not self.chosen:
                return
            self.chosen[-1] += 1
            yield self._evaluate(function, words)

    def first(self, function: Callable[[W], T], words: W) -> T:
        """Return the value of an expression with the first alternative of each ``clash``."""
        self.chosen.clear()
        return self._evaluate(function, words)

    def _evaluate(self, function: Callable[[W], T], words: W) -> T:
        self.choices, self.syncretic = [], 0
        return function(words)

    def choose(self, alternatives: list[Word]) -> Word:
        """Return the alternative whose turn it is."""
        place = len(self.choices)
        self.choices.append(len(alternatives))
        if place == len(self.chosen):
            self.chosen.append(0)
        return alternatives[self.chosen[place]]


@dataclass(eq=False, repr=False)  # not frozen: very many are made
class Word:
    """A word of the lexicon as an expression sees it.

    ``cells``: the forms that the slot allows. ``cell``: the form that was drawn or chosen, None if
    none was yet. ``known``: the columns and features that may be asked for. ``slot``: the slot's
    name, or ``""``. ``model``: the features of the word that it agrees with, as far as was asked.
    """

    row: Row
    table: Table
    cells: tuple[Feats, ...]
    known: frozenset[str]
    run: Evaluation
    cell: Feats | None = None
    slot: str = ""
    model: Feats = _NONE

    @property
    def text(self) -> str:
        """The text of the form; if no form was chosen, all forms must be spelt the same."""
        if self.cell is not None:
            return self.row.forms[self.cell]
        if not self.cells:
            return self.row.shown
        texts = {self.row.forms[cell] for cell in self.cells}
        if len(texts) > 1:
            raise TemplateFault(f"which form of {self.row.shown!r}? use agree or form")
        return texts.pop()

    @property
    def key(self) -> tuple[str, str]:
        """Table and lemma."""
        return self.table.name, self.row.lemma

    @cached_property
    def shown_feats(self) -> Feats:
        """The features of the form and of the word, as printed in the data set."""
        return _merged(self.row.inherent, self.cell or Feats())

    @cached_property
    def feats(self) -> Feats:
        """The features that others agree with; all but verbs are third person, unless they have a
        person: *each* as well as *house*."""
        verbal = self.row.upos in ("VERB", "AUX")
        return self.shown_feats if verbal else _merged(_THIRD, self.shown_feats)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        """Return whether both are spelt alike; the other may be a text."""
        return self is other or (isinstance(other, (str, Word)) and self.text == str(other))

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self.table.name} {self.row.lemma}>"

    def answer(self, name: str) -> Hashable:
        """Return what an expression gets that asks for ``name``; None if that is an error."""
        if name == FEATS:
            return self.feats
        try:
            return self.lookup(name)
        except TemplateFault:  # reported when the expression is evaluated, if it ever is
            return None

    def lookup(self, name: str) -> str:
        """Return a property, a feature, ``lemma`` or ``upos``.

        Raises :class:`TemplateFault` naming the candidates.
        """
        if name in ("lemma", "upos"):
            return self.row.shown if name == "lemma" else self.row.upos
        own = self.row.properties.get(name)
        if own:
            return own
        if name in self.known or name in self.feats:
            return self.feats.text(name)  # an empty column: the form decides (Gender)
        who = f"slot {self.slot!r}" if self.slot else repr(self.row.shown)
        near = candidates("columns", ["lemma", *sorted(self.known)], name)
        table = f"{self.table.name}.tsv" if self.table.path else "a text of oneof"
        raise TemplateFault(f"{who}: {table} has no column {name!r} {near}")

    def agree(self, model: Word, feats: str = "", wrong: str = "", **wanted: str) -> Word:
        """Return the form that shares all features that this word and ``model`` both express.

        ``wanted`` features (or ``feats``, a text of them) must be expressed by the form; a form
        that shares nothing with the model (an infinitive) is taken only where there is no other.
        ``wrong`` names features, as ``Number, Person``: each form is returned in turn that differs
        in them and in nothing else; of ``Case=Acc``, the forms that have this value.
        """
        wanted |= _features_of(feats)
        if wrong:
            parts = [part.strip().partition("=") for part in str(wrong).split(",")]
            names = [name for name, _, _ in parts]
            return self._wrong(model, names, wanted, {n: v for n, _, v in parts if v})
        if not isinstance(model, Word):
            shown = "nothing" if model == "" else repr(model)
            raise TemplateFault(f"there is no word to agree with: {shown}")
        asked = _merged(model.feats, self._asked(wanted))
        fitting, sharing = _fitting(self.cells, asked, frozenset(wanted))
        return self._only(sharing or fitting, asked)

    def clash(self, model: Word, *names: str, **wanted: str) -> Word:
        """Return, in turn, each form that differs in ``names`` and in nothing else.

        A name with ``=`` in it is a text of features that the form must express.
        """
        feats = [name for name in names if isinstance(name, str) and (not name or "=" in name)]
        names = tuple(name for name in names if name not in feats)
        for text in feats:
            wanted |= _features_of(text)
        if not names:
            raise TemplateFault("clash needs the name of a feature: clash(x, 'Number')")
        return self._wrong(model, names, wanted)

    def _wrong(
        self,
        model: Word,
        names: Sequence[str],
        wanted: Mapping[str, str],
        values: Mapping[str, str] = MappingProxyType({}),
    ) -> Word:
        """Return, in turn, each form that differs in ``names`` alone and has ``values`` there."""
        self._asked(dict.fromkeys(names, ""))
        right, asked_values = self.agree(model, **wanted), self._asked(values)
        assert right.cell is not None
        asked = _merged(model.feats, self._asked(wanted))
        cells = _clashing(self.cells, asked, frozenset(wanted), right.cell, tuple(names))
        forms = self._by_text([cell for cell in cells if subset(asked_values, cell)])
        same = forms.pop(right.text, None)
        self.run.syncretic += same is not None
        if not forms:
            raise Skip("syncretic" if same is not None else "lacking")
        return self.run.choose([self._with(cell, asked) for cell in forms.values()])

    def form(self, feats: str = "", **wanted: str) -> Word:
        """Return another form of the word: with the features named, otherwise like this form.

        A feature that is named with ``""`` is one that the form does not have.
        """
        wanted |= _features_of(feats)
        absent = frozenset(name for name, value in wanted.items() if value == "")
        here = self.cell if self.cell is not None else Feats()
        asked = _merged(here, self._asked(wanted))
        # Before a form that says more: a possessed one, a construct.
        if asked in self.row.forms and absent.isdisjoint(asked):
            return self._with(asked, _NONE)
        cells = _fitting(self.table.cells, asked, frozenset(wanted) - absent)[0]
        return self._only([cell for cell in cells if absent.isdisjoint(cell)])

    def _only(self, cells: Sequence[Feats], model: Feats = _NONE) -> Word:
        """Return the one form in these cells; raises :class:`Skip` or :class:`TemplateFault`."""
        forms = self._by_text(cells)
        if not forms:
            raise Skip("lacking")
        if len(forms) > 1:
            listed = ", ".join(f"{text} ({cell})" for text, cell in forms.items())
            raise TemplateFault(f"{self.row.shown!r} has several forms that fit: {listed}")
        return self._with(next(iter(forms.values())), model)

    def _with(self, cell: Feats, model: Feats) -> Word:
        """Return the word in another form."""
        return Word(self.row, self.table, self.cells, self.known, self.run, cell, self.slot, model)

    def _by_text(self, cells: Sequence[Feats]) -> dict[str, Feats]:
        """Return the forms in these cells, each with the first cell that it stands in."""
        forms: dict[str, Feats] = {}
        for cell in cells:
            if cell in self.row.forms:
                forms.setdefault(self.row.forms[cell], cell)
        return forms

    def _asked(self, wanted: Mapping[str, str | Word]) -> Feats:
        """Return features that a template names, by texts or by words such as those of ``oneof``.

        Raises :class:`TemplateFault` for unknown ones.
        """
        for name, value in wanted.items():
            if not isinstance(value, (str, Word)):
                raise TemplateFault(f"{name}={value!r}: the value must be a text")
        asked = tuple((name, str(value)) for name, value in wanted.items())
        try:
            return _asked_of(self.table.name, self.table.feature_names, asked)
        except ValueError as error:
            raise TemplateFault(str(error)) from None


def _features_of(text: object) -> dict[str, str]:
    """Return the features in a text such as ``Tense=Past|VerbForm=Fin`` by name.

    Raises :class:`TemplateFault`.
    """
    if not isinstance(text, str):
        raise TemplateFault(f"{text!r} is no text of features")
    pairs = [pair.partition("=")[::2] for pair in text.split("|")] if text else []
    if not all(name and value for name, value in pairs):
        raise TemplateFault(f'{text!r} is no list of features: write "Tense=Past|VerbForm=Fin"')
    return dict(pairs)


@lru_cache(maxsize=1 << 12)
def _asked_of(table: str, names: tuple[str, ...], wanted: tuple[tuple[str, str], ...]) -> Feats:
    for name, _ in wanted:
        if name not in names:
            near = candidates("features", names, str(name))
            hint = "; another word must show it, as an auxiliary or an article does"
            shown = f"{near}{hint if name in UNIVERSAL else ''}"
            raise TemplateFault(f"no form in {table}.tsv expresses {name!r} {shown}")
    return Feats.of({name: value for name, value in wanted if value})


@lru_cache(maxsize=1 << 14)
def _fitting(
    cells: tuple[Feats, ...], asked: Feats, wanted: frozenset[str]
) -> tuple[tuple[Feats, ...], tuple[Feats, ...]]:
    """Return the cells that express ``wanted`` and agree with ``asked``, and of these the cells
    that share a feature with ``asked``."""
    fitting = tuple(c for c in cells if wanted <= set(c) and agree(c, asked))
    return fitting, tuple(cell for cell in fitting if set(cell) & set(asked))


@lru_cache(maxsize=1 << 14)
def _clashing(
    cells: tuple[Feats, ...],
    asked: Feats,
    wanted: frozenset[str],
    right: Feats,
    names: tuple[str, ...],
) -> tuple[Feats, ...]:
    """Return the cells that express ``wanted``, differ from ``asked`` in ``names`` and in nothing
    else, and are like ``right`` but for ``names``."""
    fitting = (c for c in cells if wanted <= set(c) and clash(c, asked, names))
    return tuple(cell for cell in fitting if agree(cell, right, ignoring=names))


@lru_cache(maxsize=1 << 16)
def _merged(below: Feats, above: Feats) -> Feats:
    return below.updated(above)


class Phrase(tuple[str | Word, ...]):
    """Words and texts one after another: the value of a macro that prints words.

    It is not joined to one text, so that its words are still known when the sentence is spelt.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return "".join(map(str, self))

    def __eq__(self, other: object) -> bool:
        return str(self) == other if isinstance(other, str) else self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = object.__hash__


def printed(value: object) -> Sequence[str | Word]:
    """Return the words and texts that a value prints.

    Raises :class:`TemplateFault` for a truth, a number or a list.
    """
    if isinstance(value, Phrase):
        return value
    if not isinstance(value, (str, Word)):
        raise TemplateFault(f"only words and texts can be printed, not {value!r}")
    return (value,)


def joined(parts: Sequence[str | Word]) -> str | Phrase:
    """Return words and texts as a phrase, or as one text if there are no words among them."""
    texts = [part for part in parts if type(part) is str]
    return "".join(texts) if len(texts) == len(parts) else Phrase(parts)


TYPICAL_FORM = "x is typical(verb.Object)"


def is_group(name: str, lexicon: Lexicon) -> bool:
    """Return whether a name is that of a group in ``typical/groups.tsv``, and not of a class."""
    return name not in lexicon.hierarchy.parents and name in lexicon.typical.groups


def under(word: object, names: object = None, *, lexicon: Lexicon) -> bool:
    """Return whether a word is in one of some classes or groups.

    ``names``: their names, with commas; if it is empty, any word is.
    """
    if not isinstance(names, str):
        raise TemplateFault(f"under wants a property or a text, not {names!r}")
    classes, groups = _classes_and_groups(names, lexicon)
    if isinstance(word, Word) and any(word.key in group for group in groups):
        return True
    if not classes:
        return not names
    own = word.lookup("Class") if isinstance(word, Word) else str(word)
    return not classes.isdisjoint(lexicon.hierarchy.above(own))


@lru_cache(maxsize=1 << 10)
def _classes_and_groups(names: str, lexicon: Lexicon) -> tuple[frozenset[str], list[Words]]:
    """Return the classes in a text with commas, and the words of each group in it."""
    groups = {name for name in names.split(",") if is_group(name, lexicon)}
    classes = [name for name in names.split(",") if name not in groups]
    words = [lexicon.typical.groups[name] for name in groups]
    return classes_wanted(",".join(classes), lexicon.hierarchy), words


def typical(word: object, head: object, role: object = None, *, of: Typical) -> bool:
    """Return whether a word is a typical argument of ``head`` in a role."""
    if not isinstance(word, Word) or not isinstance(head, Word) or not isinstance(role, str):
        raise TemplateFault(f"write it as {TYPICAL_FORM}")
    return word.key in typical_of(head, role, of)


def typical_of(head: Word, role: str, typical: Typical) -> Words:
    """Return the words that are typical of ``head``; raises :class:`TemplateFault` for a role
    that its table does not have."""
    try:
        return typical.of(head.key, role)
    except ValueError as error:
        raise TemplateFault(str(error)) from None


def classes_wanted(text: str, hierarchy: Hierarchy) -> frozenset[str]:
    """Return the classes in a text with commas; raises :class:`TemplateFault` for unknown ones."""
    wanted = [name for name in text.split(",") if name]
    for name in wanted:
        if hierarchy.parents and name not in hierarchy.parents:
            near = candidates("classes", list(hierarchy.parents), name)
            raise TemplateFault(f"there is no class {name!r} {near}")
    return frozenset(wanted)
