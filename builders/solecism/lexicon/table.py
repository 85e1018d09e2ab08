"""Tables of a lexicon: wide TSV, one word a row, forms in columns named by UD features.

``verb.clams.tsv`` is a *part* of ``verb.tsv``, its *main table*: words that a data set chose, with
what only it says of them. What a part without forms has no column for, it has from the main table.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from solecism.errors import InputError, Problem, fail, unknown_error
from solecism.inputs import read_lines, read_source
from solecism.lexicon.features import UNIVERSAL, Feats

UPOS = {
    "adj": "ADJ", "adp": "ADP", "adv": "ADV", "aux": "AUX", "cconj": "CCONJ", "det": "DET",
    "intj": "INTJ", "noun": "NOUN", "num": "NUM", "part": "PART", "pron": "PRON",
    "propn": "PROPN", "sconj": "SCONJ", "verb": "VERB",
}  # fmt: skip
"""The part of speech of a table, by its name up to a dot; others need a column ``UPOS``."""

_SPACES = "\xa0\xad\u034f\u202f\u2065"
"""What texts may hold and words may not: no-break spaces, soft hyphens, what joins graphemes."""


UNKNOWN = "?"
"""What stands in the cell of a form that nobody has written yet."""


@dataclass(frozen=True)
class Row:
    """A word: its lemma, its forms by features, and its properties."""

    lemma: str
    forms: Mapping[Feats, str]
    properties: Mapping[str, str]
    upos: str
    line: int = field(default=0, compare=False)

    @cached_property
    def inherent(self) -> Feats:
        """Features that the word has in every form (Gender, Animacy, ...), given as properties."""
        return Feats.of({n: v for n, v in self.properties.items() if n in UNIVERSAL and v})

    @cached_property
    def shown(self) -> str:
        """The lemma without the mark that tells homonyms apart (``Band#1`` is ``Band``)."""
        return self.lemma.partition("#")[0]


@dataclass(frozen=True)
class Table:
    """One table of a lexicon.

    ``cells`` are the form columns and ``columns`` the property columns, in order. ``asked``:
    values of features whose forms are drawn only where a slot names the feature. ``own_key``: what
    ids call the table, if not by its name up to the dot.
    """

    path: str
    name: str
    cells: tuple[Feats, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    asked: Feats = field(default_factory=Feats)
    own_key: str = ""

    @property
    def main(self) -> str:
        """The name of the table that this is a part of, or its own: ``verb`` of verb.clams."""
        return main_name(self.name)

    @property
    def key(self) -> str:
        """What ids call the table."""
        return self.own_key or self.main

    @cached_property
    def by_lemma(self) -> Mapping[str, Row]:
        """The rows by lemma."""
        return {row.lemma: row for row in self.rows}

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The features that the form columns express, in order of appearance."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell))

    @cached_property
    def values(self) -> Callable[[str], frozenset[str]]:
        """A function that returns all values of a property or feature, given its name.

        The items of a list are values of their own. For the name ``lemma`` it returns all lemmas.
        """

        @cache
        def found(name: str) -> frozenset[str]:
            texts = {row.properties[name] for row in self.rows} if name in self.columns else set()
            values = {value for text in texts for value in text.split(",") if value}
            values.update(*(cell.get(name, ()) for cell in self.cells))
            return frozenset(self.by_lemma if name == "lemma" else values)

        return found

    @cached_property
    def sorted_rows(self) -> tuple[Row, ...]:
        """The rows by lemma, in the order of the lemmas."""
        return tuple(sorted(self.rows, key=lambda row: row.lemma))

    def usual_cells(self, named: Container[str]) -> tuple[Feats, ...]:
        """Return the form columns that are drawn where the features ``named`` are asked for."""
        asked = [(name, values) for name, values in self.asked.pairs if name not in named]
        usual = (c for c in self.cells if all(v.isdisjoint(c.get(n, ())) for n, v in asked))
        return tuple(usual)

    def row(self, lemma: str) -> Row:
        """Return the row of a lemma; raises :class:`InputError` if there is none."""
        if lemma not in self.by_lemma:
            message = f"{self.name}.tsv has no lemma"
            raise unknown_error(message, lemma, "lemmas", self.by_lemma, self.path)
        return self.by_lemma[lemma]


def main_name(name: str) -> str:
    """Return the name of the table that a table is a part of, or its own name."""
    return name.partition(".")[0]


def read_tsv(path: Path, required: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield header and rows of a tab-separated file with line numbers, without comments.

    Cells that are missing at the end of a row are empty. Raises :class:`InputError` where the file
    is empty or lacks a required first column, and for all rows that are longer than the header.
    """
    texts = enumerate(read_lines(path, "L014", _SPACES), 1)
    lines = [(n, text) for n, text in texts if text.strip() and text[0] != "#"]
    if not lines:
        raise fail("the table is empty: it has no header", path, 1)
    number, header = lines[0][0], lines[0][1].split("\t")
    if header[: len(required)] != list(required):
        wanted = "column" if len(required) == 1 else "columns"
        message = f"the header must begin with the {wanted} {', '.join(required)} (tabs between)"
        raise fail(f"{message}, found: {lines[0][1]!r}", path, number)
    rows = [(n, text.split("\t")) for n, text in lines]
    problems = []
    for n, cells in rows:
        missing = len(header) - len(cells)
        spaced = "  " in cells[-1] or (len(cells) == 1 and " " in cells[0])
        hint = "; are tabs turned into spaces?" if spaced else ""
        if missing < 0 or (missing and spaced):
            many = f"{len(cells)} cell{'s' * (len(cells) > 1)}"
            message = f"{cells[0]!r}: {many} where the header has {len(header)}{hint}"
            problems.append(Problem(message, str(path), n))
        cells += [""] * missing
    if problems:
        raise InputError(problems)
    return iter(rows)


def read_table(path: Path, main: Table | None = None, asked: Feats | None = None) -> Table:
    """Read one lexicon table; raises :class:`InputError` with every problem of the file.

    ``main`` is the main table of a part, ``asked`` the field of :class:`Table`.
    """
    (header_line, header), *rows = read_tsv(path, ["lemma"])
    problems = [*_header_problems(header, path, header_line), *_row_problems(rows, header, path)]
    if problems:
        raise InputError(problems)
    cells = {i: Feats.parse(name) for i, name in enumerate(header) if "=" in name}
    columns = {i: name for i, name in enumerate(header) if i and i not in cells}
    upos = UPOS.get(main_name(path.stem), "")
    words = []
    for line, values in rows:
        forms = {cell: values[i] for i, cell in cells.items() if values[i]}
        properties = {name: values[i] for i, name in columns.items()}
        words.append(Row(values[0], forms, properties, properties.get("UPOS") or upos, line))
    shape, own_key = (tuple(cells.values()), tuple(columns.values())), _own_key(path)
    table = Table(str(path), path.stem, *shape, tuple(words), asked or Feats(), own_key)
    return _completed(table, None if cells else main)


def _own_key(path: Path) -> str:
    """Return what the first line of a table says that ids call it (``# key: NAME``)."""
    said = re.match(r"# key: (\S+)\n", read_source(path))
    return said[1] if said else ""


def _completed(table: Table, main: Table | None) -> Table:
    """Return a table whose rows have the forms of their lemma, and what the main table says.

    Raises :class:`InputError` for rows that have no form then, in a table that has forms.
    """
    source, problems, rows = main or table, list[Problem](), list[Row]()
    inherited = [name for name in source.columns if name not in table.columns]
    for row in table.rows:
        names = (row.lemma, row.shown)
        found = [source.by_lemma[name] for name in names if name in source.by_lemma]
        forms = next((other.forms for other in (row, *found) if other.forms), {})
        if source.cells and not forms:
            lacking = f"{source.name}.tsv has no such lemma" if main else "every form is empty"
            message = f"{row.lemma!r} has no form at all: {lacking}"
            problems.append(Problem(message, table.path, row.line))
        more = {name: found[0].properties[name] if found else "" for name in inherited}
        upos = more.get("UPOS") or row.upos
        rows.append(replace(row, forms=forms, properties={**row.properties, **more}, upos=upos))
    if problems:
        raise InputError(problems)
    columns = (*table.columns, *inherited)
    return replace(table, cells=source.cells, columns=columns, rows=tuple(rows))


def _header_problems(header: list[str], path: Path, line: int) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, name in enumerate(header, 1):
        key = name
        if not name.strip():
            yield Problem(f"column {number} has no name", str(path), line)
            continue
        if "=" in name:
            try:
                key = str(Feats.parse(name))
            except ValueError as error:
                yield Problem(f"column {name!r}: {error}", str(path), line)
        elif name != name.strip():
            yield Problem(f"column {name!r} has space around it", str(path), line)
        if key in seen:
            yield Problem(f"column {name!r} stands twice", str(path), line)
        seen.add(key)
    if main_name(path.stem) not in UPOS and "UPOS" not in header:
        names = ", ".join(UPOS)
        message = f"table {path.stem!r} is named after no part of speech ({names})"
        yield Problem(f"{message}: it needs a column UPOS", str(path), line)


def _row_problems(
    rows: list[tuple[int, list[str]]], header: list[str], path: Path
) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for line, values in rows:
        lemma = values[0]
        if not lemma.strip():
            yield Problem("the lemma is empty", str(path), line)
        elif lemma in first:
            yield Problem(f"lemma {lemma!r} stands already in line {first[lemma]}", str(path), line)
        first.setdefault(lemma, line)
        yield from _cell_problems(values, header, path, line)


def _cell_problems(
    values: list[str], header: list[str], path: Path, line: int
) -> Iterator[Problem]:
    for name, value in zip(header, values, strict=True):
        if value != " ".join(value.split()):
            message = f"{values[0]!r}: {name} has space around it or twice within: {value!r}"
            yield Problem(message, str(path), line)
        elif name in UNIVERSAL and value:
            try:
                Feats.of({name: value})
            except ValueError as error:
                yield Problem(f"{values[0]!r}: {error}", str(path), line)
    forms = [value for name, value in zip(header, values, strict=True) if "=" in name]
    if forms and not any(forms) and "#" not in values[0]:  # a marked word has those of its lemma
        yield Problem(f"{values[0]!r} has no form at all: every form is empty", str(path), line)


def unwritten(table: Table) -> Iterator[Problem]:
    """Yield a problem for each form that nobody has written yet."""
    for row in table.rows:
        for cell in (cell for cell, form in row.forms.items() if form == UNKNOWN):
            yield Problem(f"{row.lemma!r}: {cell} is ?: write it", table.path, row.line)


def table_text(table: Table, comments: Iterable[str] = ()) -> str:
    """Return the text of a table, with ``comments`` first (each without its ``#``)."""
    lines = [f"# {comment}" for comment in comments]
    lines.append("\t".join(["lemma", *map(str, table.cells), *table.columns]))
    for row in table.rows:
        forms = [row.forms.get(cell, "") for cell in table.cells]
        lines.append("\t".join([row.lemma, *forms, *(row.properties[c] for c in table.columns)]))
    return "\n".join(lines) + "\n"
