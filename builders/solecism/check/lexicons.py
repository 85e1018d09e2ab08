"""Checks of lexicons. The docstring of a check is its message and, below, what to do about it."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from solecism.check.finding import Hit
from solecism.check.spelling import INVISIBLE, main_script, mixed_words, one_slip
from solecism.errors import candidates
from solecism.lexicon.features import UNIVERSAL, Feats, subset
from solecism.lexicon.table import Row, Table, read_tsv

__all__ = [
    "CLASS_COLUMNS", "Tables", "column_near_feature", "empty_column", "form_missing", "idle_rule",
    "invisible_characters", "lemma_unlike_forms", "mixed_scripts", "rare_value", "same_forms",
    "table_without_words", "unknown_class", "unknown_upos",
]  # fmt: skip

CLASS_COLUMNS = ("Class", "Subject", "Object")
"""The properties whose values are classes of ``classes.tsv``."""

MOSTLY = 0.9
"""A column filled in more than this share of the rows is expected to be filled in all."""

_UD_UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
_SETTINGS = ("capital", "stop", "space")


@dataclass(frozen=True)
class Tables:
    """The tables of a language that could be read.

    ``classes`` is empty without classes.tsv; ``rules`` are the rows of orthography.tsv with their
    lines.
    """

    folder: Path
    tables: tuple[Table, ...]
    classes: frozenset[str] = frozenset()
    rules: tuple[tuple[int, list[str]], ...] = ()

    @property
    def rows(self) -> Iterator[tuple[Table, Row]]:
        """Every word with its table."""
        return ((table, row) for table in self.tables for row in table.rows)


def unknown_class(lexicon: Tables) -> Iterator[Hit]:
    """A word names a class that is not in classes.tsv.

    Correct the name in the column Class, Subject or Object, or add the class with its parent to
    classes.tsv. Lists are written with commas and without spaces: `human,animal`.
    """
    for table, row in lexicon.rows if lexicon.classes else ():
        for column in CLASS_COLUMNS:
            for name in filter(None, row.properties.get(column, "").split(",")):
                if name not in lexicon.classes:
                    near = candidates("classes", sorted(lexicon.classes), name)
                    yield Hit(f"{row.lemma!r}: {column} {name!r} {near}", table.path, row.line)


def unknown_upos(lexicon: Tables) -> Iterator[Hit]:
    """A part of speech is not one of Universal Dependencies.

    Correct the column UPOS; the 17 values are listed at https://universaldependencies.org/u/pos/.
    """
    for table, row in lexicon.rows:
        if row.upos not in _UD_UPOS:
            near = candidates("UPOS", _UD_UPOS, row.upos)
            yield Hit(f"{row.lemma!r}: {row.upos!r} {near}", table.path, row.line)


@dataclass(frozen=True)
class _Use:
    """A value of a column or a feature at one place."""

    name: str
    value: str
    path: str
    line: int


def rare_value(lexicon: Tables) -> Iterator[Hit]:
    """A value occurs only once and is nearly the same as another.

    Probably a slip of the keyboard: correct it. Values are compared by column over all tables of
    the language; texts with spaces, values shorter than four letters, numbered values (`set1`,
    `set2`) and classes of classes.tsv are left alone.
    """
    uses: dict[str, list[_Use]] = defaultdict(list)
    for use in _uses(lexicon):
        if len(use.value) > 3 and " " not in use.value and use.value not in lexicon.classes:
            uses[use.name].append(use)
    for name, found in uses.items():
        counts = Counter(use.value for use in found)
        for use in found:
            near = [v for v, n in counts.items() if n > 1 and one_slip(v, use.value)]
            if counts[use.value] == 1 and near:
                yield Hit(f"{name} {use.value!r} (did you mean {near[0]!r}?)", use.path, use.line)


def _uses(lexicon: Tables) -> Iterator[_Use]:
    for table in lexicon.tables:
        line = _header_line(table)
        for name, values in (pair for cell in table.cells for pair in cell.pairs):
            yield from (_Use(name, v, table.path, line) for v in sorted(values))
        for row in table.rows:
            for name, text in row.properties.items():
                if name != "UPOS":
                    yield from (_Use(name, v, table.path, row.line) for v in text.split(","))


def column_near_feature(lexicon: Tables) -> Iterator[Hit]:
    """A column has nearly the name of a feature of Universal Dependencies.

    Agreement looks only at features spelt as UD spells them (`Gender`, not `Gendre` or `gender`).
    Correct the header; a property that is meant to be something else gets another name.
    """
    for table in lexicon.tables:
        for name in (*table.columns, *table.feature_names):
            plain = name.partition("[")[0]
            near = [u for u in sorted(UNIVERSAL) if _mistaken(plain, u)]
            if plain not in UNIVERSAL and near:
                yield Hit(f"{name!r} (did you mean {near[0]!r}?)", table.path, _header_line(table))


def _mistaken(name: str, feature: str) -> bool:
    return name.casefold() == feature.casefold() or (len(name) > 4 and one_slip(name, feature))


def _header_line(table: Table) -> int:
    return next(read_tsv(Path(table.path), ["lemma"]))[0]


def table_without_words(lexicon: Tables) -> Iterator[Hit]:
    """A table has a header and no words.

    Add words or remove the file.
    """
    return (Hit(table.name, table.path) for table in lexicon.tables if not table.rows)


def empty_column(lexicon: Tables) -> Iterator[Hit]:
    """A column is empty in every row.

    Fill it in or remove it: a slot that asks for it finds no word.
    """
    for table in lexicon.tables:
        filled = {str(cell) for row in table.rows for cell in row.forms}
        filled |= {name for row in table.rows for name, value in row.properties.items() if value}
        for name in (*map(str, table.cells), *table.columns):
            if table.rows and name not in filled:
                yield Hit(repr(name), table.path, _header_line(table))


def form_missing(lexicon: Tables) -> Iterator[Hit]:
    """A word lacks a form that nearly all words of its table have.

    Fill the cell in, if the word has the form. An empty cell says that there is none; items that
    need it are skipped. Reported where more than 90 % of the rows are filled and no table has the
    form of this lemma in a narrower column.
    """
    for table in lexicon.tables:
        for cell in table.cells:
            lacking = [row for row in table.rows if cell not in row.forms]
            if len(lacking) < (1 - MOSTLY) * len(table.rows):
                for row in (r for r in lacking if not _elsewhere(r, cell, lexicon)):
                    yield Hit(f"{row.lemma!r}: {cell}", table.path, row.line)


def _elsewhere(row: Row, cell: Feats, lexicon: Tables) -> bool:
    """Return whether a row of this lemma has the form in a narrower column (``be``: was, were)."""
    rows = (other for _, other in lexicon.rows if other.lemma == row.lemma)
    return any(subset(cell, other) for found in rows for other in found.forms)


def lemma_unlike_forms(lexicon: Tables) -> Iterator[Hit]:
    """No form of a word looks like its lemma.

    No form holds the lemma, begins with the same letter or shares half of the letters: probably the
    row has the forms of another word, or the columns have slipped.
    """
    for table, row in lexicon.rows:
        if row.forms and not any(_alike(form, row.shown) for form in row.forms.values()):
            shown = ", ".join(list(dict.fromkeys(row.forms.values()))[:3])
            yield Hit(f"{row.lemma!r}: {shown}", table.path, row.line)


def _alike(form: str, lemma: str) -> bool:
    begins = lemma in form or _initial(form) == _initial(lemma)
    return begins or SequenceMatcher(None, form, lemma).ratio() >= 0.5


def _initial(text: str) -> str:
    return unicodedata.normalize("NFD", text)[:1].casefold()


def same_forms(lexicon: Tables) -> Iterator[Hit]:
    """Two words of a table have the same forms throughout.

    Probably a row was copied and only its lemma changed. Homonyms are told apart in the lemma with
    `#` (`Band#1`, `Band#2`) and are not reported; nor are words of a single form.
    """
    for table in lexicon.tables:
        first: dict[tuple[str, ...], Row] = {}
        for row in table.rows:
            forms = tuple(row.forms.get(cell, "") for cell in table.cells)
            other = first.setdefault(forms, row)
            if other.shown != row.shown and len({*forms} - {""}) > 1:
                detail = f"{row.lemma!r} and {other.lemma!r} (line {other.line})"
                yield Hit(detail, table.path, row.line)


def _texts(row: Row) -> Iterable[str]:
    return dict.fromkeys((row.lemma, *row.forms.values(), *row.properties.values()))


def mixed_scripts(lexicon: Tables) -> Iterator[Hit]:
    """A word mixes Latin, Greek and Cyrillic letters.

    Letters that look alike are not the same to a model (Latin `c`, Cyrillic `с`). Type the word
    again with one keyboard. A single letter of a script that the language does not use is reported
    too.
    """
    own = main_script(text for _, row in lexicon.rows for text in row.forms.values())
    for table, row in lexicon.rows:
        for word in mixed_words(_texts(row), own):
            yield Hit(f"{row.lemma!r}: {word!r}", table.path, row.line)


def invisible_characters(lexicon: Tables) -> Iterator[Hit]:
    """A word holds characters that cannot be seen.

    Remove no-break and zero-width spaces, soft hyphens, direction marks, control and private-use
    characters; files in which they could change what is seen (all but the spaces and hyphens) are
    not read until then. The joiners that Persian and Indic scripts need may follow a letter.
    """
    for table, row in lexicon.rows:
        for text in _texts(row):
            if INVISIBLE.search(text):
                yield Hit(f"{row.lemma!r}: {text!a}", table.path, row.line)


def idle_rule(lexicon: Tables) -> Iterator[Hit]:
    """A spelling rule has no effect.

    Its result is `= =`; or it is a setting (`capital`, `stop`, `space`) with something in the
    columns left and right, which are not looked at.
    """
    path = str(lexicon.folder / "orthography.tsv")
    for line, (name, left, right, result, *_) in lexicon.rules:
        if left or right if name in _SETTINGS else result == "= =":
            yield Hit(repr(name), path, line)
