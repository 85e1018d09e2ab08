"""Tables of a lexicon: wide TSV, one word a row, forms in columns named by UD features."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from pathlib import Path

from solecism.errors import InputError, Problem, fail, unknown_error
from solecism.inputs import read_source, unseen
from solecism.lexicon.features import UNIVERSAL, Feats

UPOS = {
    "adj": "ADJ", "adp": "ADP", "adv": "ADV", "aux": "AUX", "cconj": "CCONJ", "det": "DET",
    "intj": "INTJ", "noun": "NOUN", "num": "NUM", "part": "PART", "pron": "PRON",
    "propn": "PROPN", "sconj": "SCONJ", "verb": "VERB",
}  # fmt: skip
"""The part of speech of a table, by its name; other tables need a column ``UPOS``."""


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

    ``cells`` are the form columns and ``columns`` the property columns, in order.
    """

    path: str
    name: str
    cells: tuple[Feats, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

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

    def row(self, lemma: str) -> Row:
        """Return the row of a lemma; raises :class:`InputError` if there is none."""
        if lemma not in self.by_lemma:
            message = f"{self.name}.tsv has no lemma"
            raise unknown_error(message, lemma, "lemmas", self.by_lemma, self.path)
        return self.by_lemma[lemma]


def read_lines(path: Path) -> list[str]:
    """Read a text file as lines.

    Raises :class:`InputError` where it is not UTF-8 in normal form C, and, with the code of a
    check, where it holds characters that nobody sees.
    """
    text = read_source(path)
    lines = text.split("\n")
    problems = []
    for number, line in enumerate(lines, 1):
        if not unicodedata.is_normalized("NFC", line):
            words = [w for w in line.split() if not unicodedata.is_normalized("NFC", w)]
            shown = ", ".join(map(ascii, words[:5]))
            problems.append(Problem(f"not in Unicode normal form C: {shown}", str(path), number))
    code = "L014" if path.suffix == ".tsv" else "T014"
    for place, name in islice(unseen(text), 20):
        number = text.count("\n", 0, place) + 1
        problems.append(Problem(f"{name} is not allowed", str(path), number, code))
    if problems:
        raise InputError(dict.fromkeys(problems))
    return lines[:-1] if lines and not lines[-1] else lines


def read_tsv(path: Path, required: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield header and rows of a tab-separated file with line numbers, without comments.

    Raises :class:`InputError` where the file is empty or lacks a required first column, and for all
    rows that have another length than the header.
    """
    lines = [(n, t) for n, t in enumerate(read_lines(path), 1) if t.strip() and t[0] != "#"]
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
        if len(cells) != len(header):
            spaced = "  " in cells[-1] or (len(cells) == 1 and " " in cells[0])
            hint = "; are tabs turned into spaces?" if spaced else ""
            many = f"{len(cells)} cell{'s' * (len(cells) > 1)}"
            message = f"{cells[0]!r}: {many} where the header has {len(header)}{hint}"
            problems.append(Problem(message, str(path), n))
    if problems:
        raise InputError(problems)
    return iter(rows)


def read_table(path: Path) -> Table:
    """Read one lexicon table; raises :class:`InputError` with every problem of the file."""
    (header_line, header), *rows = read_tsv(path, ["lemma"])
    problems = [*_header_problems(header, path, header_line), *_row_problems(rows, header, path)]
    if problems:
        raise InputError(problems)
    cells = {i: Feats.parse(name) for i, name in enumerate(header) if "=" in name}
    columns = {i: name for i, name in enumerate(header) if i and i not in cells}
    upos = UPOS.get(path.stem, "")
    words = []
    for line, values in rows:
        forms = {cell: values[i] for i, cell in cells.items() if values[i]}
        properties = {name: values[i] for i, name in columns.items()}
        words.append(Row(values[0], forms, properties, properties.get("UPOS") or upos, line))
    return Table(str(path), path.stem, tuple(cells.values()), tuple(columns.values()), tuple(words))


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
    if path.stem not in UPOS and "UPOS" not in header:
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
    if forms and not any(forms):
        yield Problem(f"{values[0]!r} has no form at all: every form is empty", str(path), line)


def table_text(table: Table, comments: Iterable[str] = ()) -> str:
    """Return the text of a table, with ``comments`` first (each without its ``#``)."""
    lines = [f"# {comment}" for comment in comments]
    lines.append("\t".join(["lemma", *map(str, table.cells), *table.columns]))
    for row in table.rows:
        forms = [row.forms.get(cell, "") for cell in table.cells]
        lines.append("\t".join([row.lemma, *forms, *(row.properties[c] for c in table.columns)]))
    return "\n".join(lines) + "\n"
