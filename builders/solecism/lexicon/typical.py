"""Typical arguments: what people use with a word, from ``lexicons/<language>/typical/``.

``typical/verb.tsv`` has a row for each word of ``verb.tsv`` that has any, and a column for each
role (Object, Subject ...). A cell lists lemmas and ``*name`` (a class, or a group of
``typical/groups.tsv``). ``-`` before either takes its words out again. A cell is read from left to
right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from solecism.errors import InputError, Problem, candidates
from solecism.lexicon.table import Table, read_tsv

TYPICAL, GROUPS = "typical", "groups"

Key = tuple[str, str]
"""A word: its table and its lemma."""

Words = Set[Key]


@dataclass(frozen=True)
class Typical:
    """The words that are typical of a word in a role.

    ``roles`` are the roles of each table, ``words`` the typical words of a word, by role. Nothing
    is typical of a word without an entry. ``groups`` are words by the name of a group.
    """

    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: Mapping[Key, Mapping[str, Words]] = field(default_factory=dict)
    groups: Mapping[str, Words] = field(default_factory=dict)

    def of(self, head: Key, role: str) -> Words:
        """Return the words that are typical of ``head`` in a role.

        Raises ``ValueError`` if the table of ``head`` has no such role.
        """
        known = self.roles.get(head[0], ())
        if role not in known:
            near = candidates("roles", known, role)
            raise ValueError(f"{TYPICAL}/{head[0]}.tsv has no column {role!r} {near}")
        return self.words.get(head, {}).get(role, frozenset())


def read_typical(folder: Path, named: Callable[[], NamedWords]) -> Typical:
    """Return the typical arguments of a lexicon; without a folder ``typical/`` there are none.

    ``named`` returns the words of the language. Raises :class:`InputError` for a word, class or
    group that does not exist.
    """
    paths = sorted((folder / TYPICAL).glob("*.tsv"))
    if not paths:
        return Typical()
    reader = _Reader(named())
    for path in sorted(paths, key=lambda path: path.stem != GROUPS):
        reader.read(path)
    if reader.problems:
        raise InputError(reader.problems[:100])
    return Typical(reader.roles, reader.words, reader.groups)


class _Reader:
    """Reads the files of ``typical/``, and collects their problems."""

    def __init__(self, named: NamedWords) -> None:
        self.tables = named.tables
        self.problems: list[Problem] = []
        self.roles: dict[str, tuple[str, ...]] = {}
        self.words: dict[Key, dict[str, Words]] = {}
        self.groups: dict[str, Words] = {}
        self._named = named

    def read(self, path: Path) -> None:
        """Read ``groups.tsv``, or the file with the typical arguments of a table's words."""
        groups = path.stem == GROUPS
        (line, header), *rows = read_tsv(path, ["group", "words"] if groups else ["lemma"])
        if not groups and path.stem not in self.tables:
            near = candidates("tables", list(self.tables), path.stem)
            self._report(f"the lexicon has no table {path.stem!r} {near}", path, line)
            return
        seen: set[str] = set()
        for line, (name, *cells) in rows:
            if name in seen:
                self._report(f"{name!r} stands twice", path, line)
            seen.add(name)
            chosen = [self._chosen(cell, path, line) for cell in cells]
            if groups:
                if name in self._named.classes or name in self.groups:
                    self._report(f"{name!r} is a class or a group already", path, line)
                self.groups[name] = chosen[0]
                continue
            lemmas = self.tables[path.stem].by_lemma
            if name not in lemmas:
                near = candidates("lemmas", list(lemmas), name)
                self._report(f"{path.stem}.tsv has no lemma {name!r} {near}", path, line)
            self.words[path.stem, name] = dict(zip(header[1:], chosen, strict=True))
        if not groups:
            self.roles[path.stem] = tuple(header[1:])

    def _chosen(self, cell: str, path: Path, line: int) -> Words:
        """Return the words that the entries of a cell name; unknown entries are problems."""
        words: set[Key] = set()
        for entry in filter(None, map(str.strip, cell.split(","))):
            name = entry.removeprefix("-")
            found = self._named.of(name) or self.groups.get(name.removeprefix("*"))
            if found is None:
                classes = [*self._named.classes, *self.groups]
                named = classes if name.startswith("*") else list(self._named.lemmas)
                kind = "classes or groups" if name.startswith("*") else "lemmas"
                near = candidates(kind, named, name.removeprefix("*"))
                self._report(f"unknown entry {entry!r} {near}", path, line)
            elif entry.startswith("-"):
                words -= found
            else:
                words |= found
        return frozenset(words)

    def _report(self, message: str, path: Path, line: int) -> None:
        self.problems.append(Problem(message, str(path), line))


@dataclass(frozen=True)
class NamedWords:
    """The tables of a language by name, and its words by lemma and by class.

    Lemmas are there with and without the mark of homonyms (``Band#1``, ``Band``).
    """

    tables: Mapping[str, Table]
    lemmas: Mapping[str, Words]
    classes: Mapping[str, Words]

    def of(self, entry: str) -> Words:
        """Return the words of a lemma or of ``*class``: an empty set if the name is unknown."""
        named = self.classes if entry.startswith("*") else self.lemmas
        return named.get(entry.removeprefix("*"), frozenset())


def name_words(tables: Sequence[Table], above: Callable[[str], frozenset[str]]) -> NamedWords:
    """Return the words of tables by their lemmas and classes."""
    lemmas, classes = defaultdict[str, set[Key]](set), defaultdict[str, set[Key]](set)
    for table in tables:
        for row in table.rows:
            key = table.name, row.lemma
            for name in {row.lemma, row.shown}:
                lemmas[name].add(key)
            for name in above(row.properties.get("Class", "")):
                classes[name].add(key)
    return NamedWords({table.name: table for table in tables}, lemmas, classes)
