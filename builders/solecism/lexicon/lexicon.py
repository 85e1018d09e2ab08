"""The lexicon of a language: all tables, classes and spelling rules of ``lexicons/<language>/``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from solecism.errors import InputError, Problem, candidates, fail
from solecism.lexicon.features import Feats
from solecism.lexicon.orthography import Orthography, read_orthography
from solecism.lexicon.table import Table, read_table, read_tsv
from solecism.lexicon.typical import NamedWords, Typical, name_words, read_typical
from solecism.lexicon.unwanted import UNWANTED, UnwantedWords, read_unwanted

_NOT_WORDS = ("classes", "orthography", UNWANTED)


class Lexicon:
    """The tables, classes and spelling of one language, each read when first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tables = lru_cache(maxsize=None)(read_table)

    @property
    def code(self) -> str:
        """The language code: the folder's name."""
        return self.folder.name

    @cached_property
    def names(self) -> list[str]:
        """The names of the word tables that there are."""
        return sorted(p.stem for p in self.folder.glob("*.tsv") if p.stem not in _NOT_WORDS)

    @cached_property
    def orthography(self) -> Orthography:
        """The spelling rules."""
        return read_orthography(self.folder / "orthography.tsv")

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of word classes."""
        return read_hierarchy(self.folder / "classes.tsv")

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
        """Return a table, read once; raises :class:`InputError` with the candidates."""
        if name not in self.names:
            near = candidates("tables", self.names, name)
            raise fail(f"lexicon {self.code!r} has no table {name!r} {near}", self.folder)
        return self._tables(self.folder / f"{name}.tsv")


@dataclass(frozen=True)
class Hierarchy:
    """Classes and their parents; ``""`` is above all."""

    parents: Mapping[str, str] = field(default_factory=dict)
    _above: dict[str, frozenset[str]] = field(default_factory=dict, init=False, compare=False)

    def under(self, name: str, above: str) -> bool:
        """Return whether class ``name`` is ``above`` or stands somewhere below it."""
        return bool(above) and above in self.upwards(name)

    def above(self, names: str) -> frozenset[str]:
        """Return the classes of a list text (``artist,human``) and all that stand above them."""
        if names not in self._above:
            found = (above for name in names.split(",") for above in self.upwards(name))
            self._above[names] = frozenset(found)
        return self._above[names]

    def upwards(self, name: str) -> tuple[str, ...]:
        """Return a class and all that stand above it, the nearest first."""
        out: dict[str, None] = {}
        while name and name not in out:
            out[name] = None
            name = self.parents.get(name, "")
        return tuple(out)


def read_hierarchy(path: Path) -> Hierarchy:
    """Read ``classes.tsv``; a language without one has a flat set of classes.

    Raises :class:`InputError` for a class that stands twice, an unknown parent or a circle.
    """
    if not path.exists():
        return Hierarchy()
    _, *rows = read_tsv(path, ["class", "parent"])
    hierarchy = Hierarchy({cells[0]: cells[1] for _, cells in rows})
    problems, seen = list[Problem](), set[str]()
    for line, (name, parent, *_) in rows:
        if message := _problem(name, parent, hierarchy, seen):
            problems.append(Problem(message, str(path), line))
        seen.add(name)
    if problems:
        raise InputError(problems)
    return hierarchy


def _problem(name: str, parent: str, hierarchy: Hierarchy, seen: set[str]) -> str:
    if not name.strip():
        return "the class has no name"
    if name in seen:
        return f"class {name!r} stands twice"
    if parent and parent not in hierarchy.parents:
        near = candidates("classes", list(hierarchy.parents), parent)
        return f"class {name!r}: no class {parent!r} {near}"
    return f"class {name!r} is below itself" if name in hierarchy.upwards(parent) else ""
