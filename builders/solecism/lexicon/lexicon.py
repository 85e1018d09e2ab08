"""All that stands in one folder ``lexicons/<language>/``, read when first asked for."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path

from solecism.errors import candidates, fail
from solecism.lexicon.classes import Hierarchy, read_hierarchy
from solecism.lexicon.orthography import Orthography, read_orthography
from solecism.lexicon.table import Table, read_table

__all__ = ["Lexicon"]

_NOT_WORDS = ("classes", "orthography")


class Lexicon:
    """The tables, classes and spelling of one language."""

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

    def table(self, name: str) -> Table:
        """Read a table (once); raises :class:`InputError` with the candidates where there is none."""
        if name not in self.names:
            near = candidates("tables", self.names, name)
            raise fail(f"lexicon {self.code!r} has no table {name!r} {near}", self.folder)
        return self._tables(self.folder / f"{name}.tsv")
