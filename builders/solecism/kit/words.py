"""What a linguist writes for ``inflect``: a list of words, and the cells of each table.

``words.txt`` has the columns ``lemma``, ``pos`` (the table), ``gloss`` and ``class``; further ones
are properties that no source knows (``Frame``). ``cells.toml`` says for each table which forms it
has, which features are read from the sources as properties, and values that are ``usual``.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from solecism.errors import InputError, Problem, candidates, fail, unknown_error
from solecism.inputs import read_toml
from solecism.lexicon.features import Feats
from solecism.lexicon.glosses import GLOSS
from solecism.lexicon.lexicon import Hierarchy
from solecism.lexicon.table import UPOS, main_name, read_tsv

WORDS, CELLS = "words.txt", "cells.toml"


class WantedWord(NamedTuple):
    """A line of ``words.txt``; ``table`` is that of its part of speech (``pron.refl``)."""

    lemma: str
    table: str
    properties: Mapping[str, str]


class TableShape(NamedTuple):
    """The columns of a table that is written: see above."""

    cells: Sequence[str] = ()
    properties: Sequence[str] = ()
    usual: Mapping[str, str] = {}


def read_shapes(path: Path) -> dict[str, TableShape]:
    """Return the columns of each table; raises :class:`InputError` for what is no table or cell."""
    shapes = {}
    shape = {str: {"properties?": [str], "cells": [str], "usual?": {str: str}}}
    for name, said in read_toml(path, shape).items():
        if main_name(name) not in UPOS:
            raise unknown_error("there is no table", name, "tables", UPOS, path)
        try:
            cells = [str(Feats.parse(cell)) for cell in said["cells"]]
        except ValueError as error:
            raise fail(f"[{name}]: {error}", path) from None
        shapes[name] = TableShape(cells, said.get("properties", ()), said.get("usual", {}))
    return shapes


def read_words(path: Path, classes: Hierarchy) -> list[WantedWord]:
    """Return the words of a list; raises :class:`InputError` with everything that is wrong."""
    (_, header), *rows = read_tsv(path, ["lemma", "pos", "gloss", "class"])
    problems, words = list[Problem](), dict[tuple[str, str], WantedWord]()
    names = [GLOSS, "Class", *header[4:]]
    for number, (lemma, table, gloss, *more) in rows:
        wrong = list(_wrong(table, gloss, more[0], classes))
        wrong += ["stands twice"] if (lemma, table) in words else []
        problems += [Problem(f"{lemma!r}: {text}", str(path), number) for text in wrong]
        values = zip(names, [gloss.replace(" ", "."), *more], strict=True)
        properties = {name: value for name, value in values if value}
        words[lemma, table] = WantedWord(lemma, table, properties)
    if problems or not words:
        raise InputError(problems or Problem("has no words yet", str(path)))
    return list(words.values())


def _wrong(table: str, gloss: str, said: str, classes: Hierarchy) -> Iterator[str]:
    """Yield what is wrong with a line of ``words.txt``."""
    known = list(classes.parents)
    if main_name(table) not in UPOS:
        yield f"no part of speech {table!r} {candidates('known', list(UPOS), table)}"
    if not gloss:
        yield "it has no gloss"
    if not said and table in ("noun", "propn", "verb", "adj"):
        yield "it has no class"
    for name in [n for n in said.split(",") if n and n not in known]:
        yield f"there is no class {name!r} {candidates('classes', known, name)}"
