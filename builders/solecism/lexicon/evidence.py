"""What sources say of a lexicon's forms: ``evidence.tsv``, and ``exceptions.tsv``, people's answer.

``evidence.tsv`` is written by ``solecism language witness``. Its head (comments) names the sources,
who wrote the forms, and counts by table; its rows are the forms that sources contradict, and those
that fewer than two know, or their number by cell (the lemma ``*``) where they are many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from solecism.inputs import read_source
from solecism.lexicon.table import read_tsv

EVIDENCE, EXCEPTIONS = "evidence", "exceptions"
COLUMNS = ("unimorph", "ud", "analyser")
YES, OTHER, SPELLING, EVERY = "yes", "other: ", "spelling", "*"
_WROTE = "# wrote: "
HEAD = ("table", "lemma", "cell", *COLUMNS)
EXCEPTION = ("table", "lemma", "form", "source", "reason")


@dataclass(frozen=True)
class Said:
    """A row of ``evidence.tsv``: a form by table, lemma and cell, and what sources say."""

    table: str
    lemma: str
    cell: str
    values: tuple[str, ...]
    line: int

    @property
    def contradicted(self) -> bool:
        """Whether a source has another form, and none has this one."""
        return any(v.startswith(OTHER) for v in self.values) and YES not in self.values


def read_evidence(folder: Path) -> list[Said]:
    """Return the rows of ``evidence.tsv``, none if there is no such file."""
    path = folder / f"{EVIDENCE}.tsv"
    if not path.exists():
        return []
    _, *rows = read_tsv(path, HEAD)
    return [
        Said(table, lemma, cell, tuple(values), line)
        for line, (table, lemma, cell, *values) in rows
    ]


def writers(folder: Path) -> list[str]:
    """Return the sources that wrote the forms, as the head of ``evidence.tsv`` says."""
    path = folder / f"{EVIDENCE}.tsv"
    lines = read_source(path).splitlines() if path.exists() else ()
    return [line.removeprefix(_WROTE) for line in lines if line.startswith(_WROTE)]


def read_exceptions(folder: Path) -> dict[tuple[str, str, str], int]:
    """Return the explained forms of ``exceptions.tsv``: table, lemma, form, each with its line."""
    path = folder / f"{EXCEPTIONS}.tsv"
    _, *rows = read_tsv(path, EXCEPTION) if path.exists() else iter([(1, list[str]())])
    return {(table, lemma, form): line for line, (table, lemma, form, *_) in rows}


def head_lines(sources: dict[str, str], wrote: list[str], counts: list[list[str]]) -> Iterator[str]:
    """Yield the comments at the head of ``evidence.tsv``; ``counts`` are the rows of a table."""
    yield "# Made by `solecism language witness`: see docs/formats.md."
    yield from (f"# {name}: {title}" for name, title in sources.items())
    yield from (f"{_WROTE}{name}" for name in wrote)
    yield from ("# " + "\t".join(row) for row in counts)
