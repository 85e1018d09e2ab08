"""The columns of word tables: ``lexicons/columns.tsv``, for all languages."""

from dataclasses import dataclass
from pathlib import Path

from solecism.lexicon.table import read_tsv

COLUMNS = "columns.tsv"


@dataclass(frozen=True)
class Column:
    """A column: its name, the tables that may have it, and its values.

    ``asked``: values whose forms are drawn only where a slot names the column.
    """

    name: str
    tables: tuple[str, ...]
    values: tuple[str, ...]
    asked: tuple[str, ...]


def read_columns(path: Path) -> list[Column]:
    """Return the columns that a file describes: none if there is no such file."""
    if not path.exists():
        return []
    _, *rows = read_tsv(path, ["column", "tables", "values", "asked", "meaning"])
    return [
        Column(name, *(tuple(filter(None, text.split(","))) for text in texts[:3]))
        for _, (name, *texts) in rows
    ]
