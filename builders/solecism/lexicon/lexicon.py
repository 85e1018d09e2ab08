"""The lexicon of a language: all tables, classes and spelling rules of ``lexicons/<language>/``.

``unwanted.tsv`` has words that no sentence of a public data set should have, or not together. Its
columns are ``words``, ``with`` and ``reason``. A sentence is unwanted if it has one of ``words``
and, if ``with`` is not empty, also one of ``with``. If ``with`` begins with ``+``, that must be the
next word. Both columns list entries: a lemma of the lexicon (for all its forms), ``*name`` (for all
words of a class), or a form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, candidates, unknown_error
from solecism.lexicon.columns import COLUMNS, Column, read_columns
from solecism.lexicon.evidence import EVIDENCE, EXCEPTIONS
from solecism.lexicon.features import UNIVERSAL, Feats
from solecism.lexicon.glosses import WORDS, Glosses
from solecism.lexicon.orthography import Orthography, read_orthography
from solecism.lexicon.table import Table, main_name, read_table, read_tsv
from solecism.lexicon.typical import NamedWords, Typical, name_words, read_typical
from solecism.lexicon.vocabulary import EVERYTHING, Limits

UNWANTED = "unwanted"
CLASSES = "classes.tsv"
_NOT_WORDS = ("classes", "orthography", UNWANTED, WORDS, EVIDENCE, EXCEPTIONS)


class Lexicon:
    """The tables, classes and spelling of one language. Each file is read when it is first used.

    ``limits``: what draws may print.
    """

    def __init__(self, folder: Path, limits: Limits = EVERYTHING) -> None:
        self.folder = folder
        self.limits = limits
        self._tables: dict[str, Table] = {}

    @property
    def code(self) -> str:
        """The language code: the folder's name."""
        return self.folder.name

    @cached_property
    def names(self) -> list[str]:
        """The names of the tables with words in the folder, sorted."""
        return sorted(p.stem for p in self.folder.glob("*.tsv") if p.stem not in _NOT_WORDS)

    @cached_property
    def _listed(self) -> list[Column]:
        return read_columns(self.folder.parent / COLUMNS)

    @cached_property
    def columns(self) -> frozenset[str]:
        """The properties that words of all languages may have: empty where a table lacks them."""
        return frozenset(column.name for column in self._listed) - UNIVERSAL

    @cached_property
    def _asked(self) -> Mapping[str, Feats]:
        """The values of features, by table, whose forms are drawn only when asked for."""
        asked = [column for column in self._listed if column.asked]
        names = {table for column in asked for table in column.tables}
        return {n: Feats.of({c.name: c.asked for c in asked if n in c.tables}) for n in names}

    @cached_property
    def orthography(self) -> Orthography:
        """The spelling rules."""
        return read_orthography(self.folder / "orthography.tsv")

    @cached_property
    def glosses(self) -> Glosses:
        """The glosses of the words."""
        return Glosses(self.folder)

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of word classes."""
        return read_hierarchy(self.folder.parent / CLASSES, self.folder / CLASSES)

    @cached_property
    def typical(self) -> Typical:
        """The typical arguments of words."""
        return read_typical(self.folder, lambda: self.named)

    @cached_property
    def unwanted(self) -> list[UnwantedWords]:
        """The words that no sentence should have."""
        return read_unwanted(self.folder / f"{UNWANTED}.tsv", lambda: self.named)

    @cached_property
    def named(self) -> NamedWords:
        """The words of all tables by lemma and by class."""
        return name_words([self.table(name) for name in self.names], self.hierarchy.above)

    @cached_property
    def cells_of_forms(self) -> Mapping[str, Mapping[tuple[str, str], list[Feats]]]:
        """The features that a form can have, by form and by word (its table and lemma)."""
        found: dict[str, dict[tuple[str, str], list[Feats]]] = {}
        for name in self.names:
            for row in self.table(name).rows:
                for cell, form in row.forms.items():
                    found.setdefault(form, {}).setdefault((name, row.lemma), []).append(cell)
        return found

    def table(self, name: str) -> Table:
        """Return a table, which is read once; raises :class:`InputError` for an unknown name."""
        if name not in self.names:
            message = f"lexicon {self.code!r} has no table"
            raise unknown_error(message, name, "tables", self.names, self.folder)
        if name not in self._tables:
            first = main_name(name)
            main = self.table(first) if first != name and first in self.names else None
            path = self.folder / f"{name}.tsv"
            self._tables[name] = read_table(path, main, self._asked.get(first))
        return self._tables[name]


@dataclass(frozen=True)
class Hierarchy:
    """Classes and their parents; the parent of a class at the top is ``""``."""

    parents: Mapping[str, str] = field(default_factory=dict)
    _above: dict[str, frozenset[str]] = field(default_factory=dict, init=False, compare=False)

    def above(self, names: str) -> frozenset[str]:
        """Return the classes that a text lists (``artist,human``), and all classes above them."""
        if names not in self._above:
            found = (above for name in names.split(",") for above in self.upwards(name))
            self._above[names] = frozenset(found)
        return self._above[names]

    def upwards(self, name: str) -> tuple[str, ...]:
        """Return a class and all classes above it, the nearest first."""
        out: dict[str, None] = {}
        while name and name not in out:
            out[name] = None
            name = self.parents.get(name, "")
        return tuple(out)


def read_hierarchy(*paths: Path) -> Hierarchy:
    """Return the hierarchy of some files ``classes.tsv``, of which a later one may move classes.

    Without any file no class has a parent. Raises :class:`InputError` for a class that is listed
    twice in a file, an unknown parent or a circle.
    """
    parents: dict[str, str] = {}
    for path in filter(Path.exists, paths):
        _, *rows = read_tsv(path, ["class", "parent"])
        parents |= {cells[0]: cells[1] for _, cells in rows}
        hierarchy, problems, seen = Hierarchy(parents), list[Problem](), set[str]()
        for line, (name, parent, *_) in rows:
            if message := _problem(name, parent, hierarchy, seen):
                problems.append(Problem(message, str(path), line))
            seen.add(name)
        if problems:
            raise InputError(problems)
    return Hierarchy(parents)


def _problem(name: str, parent: str, hierarchy: Hierarchy, seen: set[str]) -> str:
    """Return what is wrong with a row of ``classes.tsv``, or an empty text."""
    if not name.strip():
        return "the class has no name"
    if name in seen:
        return f"class {name!r} stands twice"
    if parent and parent not in hierarchy.parents:
        near = candidates("classes", list(hierarchy.parents), parent)
        return f"class {name!r}: no class {parent!r} {near}"
    return f"class {name!r} is below itself" if name in hierarchy.upwards(parent) else ""


@dataclass(frozen=True)
class UnwantedWords:
    """A line of ``unwanted.tsv``: the columns ``words`` and ``with`` as patterns of RE2.

    ``others`` is empty if ``with`` is empty, or is part of the first pattern (``+``).
    """

    words: str
    others: str
    reason: str

    def found(self, tokens: pa.Array | pa.ChunkedArray) -> NDArray[np.bool_]:
        """Return flags of the sentences that have the words; ``tokens`` are split by spaces."""
        hit = pc.match_substring_regex(tokens, self.words)
        if self.others and pc.any(hit).as_py():
            hit = pc.and_(hit, pc.match_substring_regex(tokens, self.others))
        return np.asarray(pc.fill_null(hit, False), dtype=bool)


def unwanted_in(
    lists: Sequence[UnwantedWords], tokens: pa.Array | pa.ChunkedArray
) -> NDArray[np.bool_]:
    """Return flags of the sentences that have unwanted words."""
    # Most sentences have none: one pattern of all lines finds those that each line must look at.
    out = np.zeros(len(tokens), dtype=bool)
    anything = UnwantedWords("|".join(words.words for words in lists), "", "")
    rows = np.flatnonzero(anything.found(tokens)) if lists else np.array([], dtype=np.intp)
    if len(rows):
        some = tokens.take(pa.array(rows))
        out[rows] = np.logical_or.reduce([words.found(some) for words in lists])
    return out


def read_unwanted(path: Path, named: Callable[[], NamedWords]) -> list[UnwantedWords]:
    """Return the lines of ``unwanted.tsv`` (none if there is no file); raises :class:`InputError`.

    ``named`` returns the words of the language.
    """
    if not path.exists():
        return []
    words_of = named()

    def forms(cell: str) -> Iterator[str]:
        for entry in filter(None, (entry.strip() for entry in cell.split(","))):
            keys = words_of.of(entry)
            rows = (words_of.tables[name].row(lemma) for name, lemma in keys)
            yield from (form for row in rows for form in row.forms.values() or [row.lemma])
            if not keys:
                yield entry

    _, *lines = read_tsv(path, ["words", "with", "reason"])
    found = []
    for _, (words, others, reason, *_) in lines:
        next_words = forms(others[1:] if others.startswith("+") else "")
        further = forms("" if others.startswith("+") else others)
        found.append(UnwantedWords(_pattern(forms(words), next_words), _pattern(further), reason))
    return found


def _pattern(forms: Iterable[str], next_forms: Iterable[str] = ()) -> str:
    """Return a pattern for one of ``forms``, before one of ``next_forms`` if there are any."""
    words, after = _one_of(forms), _one_of(next_forms)
    return f"(?:^| ){words}{' ' if after else ''}{after}(?: |$)" if words else ""


def _one_of(forms: Iterable[str]) -> str:
    """Return a pattern for one of some forms; it is empty if there are none."""
    known = "|".join(map(re.escape, sorted(set(forms))))
    return f"(?:{known})" if known else ""
