"""What sources say of a lexicon's forms: ``evidence.tsv``, and ``exceptions.tsv``, people's answer.

``evidence.tsv`` is written by ``solecism language witness``. Its head (comments) names the sources,
who wrote the forms, and counts by table; its rows are the forms that sources contradict, and those
that fewer than two know, or their number by cell (the lemma ``*``) where they are many.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from solecism.errors import fail
from solecism.inputs import read_source
from solecism.lexicon.features import Feats
from solecism.lexicon.table import Row, Table, read_tsv

EVIDENCE, EXCEPTIONS = "evidence", "exceptions"
COLUMNS = ("unimorph", "ud", "analyser")
YES, OTHER, SPELLING, EVERY = "yes", "other: ", "spelling", "*"
WROTE = "# wrote: "
HEAD = ("table", "lemma", "cell", *COLUMNS)
EXCEPTION = ("table", "lemma", "form", "source", "reason")


@dataclass(frozen=True)
class Said:
    """A row of ``evidence.tsv``: a form by table, lemma and cell, and what sources say."""

    table: str
    lemma: str
    cell: Feats
    values: tuple[str, ...]
    line: int

    @property
    def contradicted(self) -> bool:
        """Whether a source has another form, and none has this one."""
        return any(v.startswith(OTHER) for v in self.values) and YES not in self.values


def claims(tables: Iterable[Table]) -> Iterator[tuple[Table, Row, Feats, str]]:
    """Yield all forms with their cells; a word without forms is printed as its lemma.

    Left out are parts without forms of their own, and marked words that have those of their lemma.
    """
    by_name = {table.name: table for table in tables}
    for table in by_name.values():
        main = by_name.get(table.main, table)
        if table is not main and main.cells and table.cells in ((), main.cells):
            continue
        for row in table.rows:
            plain = table.by_lemma.get(row.shown, row)
            if row is plain or not row.forms or row.forms is not plain.forms:
                forms = row.forms or {Feats(): row.shown}
                yield from ((table, row, cell, form) for cell, form in forms.items())


def read_evidence(folder: Path) -> list[Said]:
    """Return the rows of ``evidence.tsv``, none if there is no such file."""
    path = folder / f"{EVIDENCE}.tsv"
    rows = list(read_tsv(path, HEAD))[1:] if path.exists() else []
    return [
        Said(table, lemma, parse_feats(cell, path, line), tuple(values), line)
        for line, (table, lemma, cell, *values) in rows
    ]


@cache
def parse_feats(text: str, path: Path, line: int | None = None) -> Feats:
    """Return the features of a text; raises :class:`InputError` with its place."""
    try:
        return Feats.parse(text)
    except ValueError as error:
        raise fail(f"FEATS {text!r}: {error}", path, line) from None


def read_head(folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return who wrote the forms, and their number by table, as ``evidence.tsv`` has them."""
    path = folder / f"{EVIDENCE}.tsv"
    lines = read_source(path).splitlines() if path.exists() else []
    wrote = [line.removeprefix(WROTE) for line in lines if line.startswith(WROTE)]
    counts = [line[2:].split("\t") for line in lines if line.startswith("# ") and "\t" in line]
    return wrote, {table: number for table, number, *_ in counts[1:]}


def read_exceptions(folder: Path) -> dict[tuple[str, str, str], int]:
    """Return what ``exceptions.tsv`` explains: table, lemma, form, each with its line.

    In place of a form, features (``Mood=Imp``) stand for the cells with them that are empty. Lines
    without a reason explain nothing.
    """
    path = folder / f"{EXCEPTIONS}.tsv"
    rows = list(read_tsv(path, EXCEPTION))[1:] if path.exists() else []
    for line, (_, _, form, *_) in rows:
        parse_feats(form if "=" in form else "", path, line)
    return {
        (table, lemma, form): line for line, (table, lemma, form, _, reason, *_) in rows if reason
    }
