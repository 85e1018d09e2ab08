"""Fill tables of a lexicon with the forms that sources have: no form is made here."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from solecism.errors import fail
from solecism.files import write_text
from solecism.inputs import read_lines
from solecism.kit.sources import Source, usual
from solecism.kit.words import CELLS, WORDS, TableShape, WantedWord, read_shapes, read_words
from solecism.lexicon.features import Feats, subset
from solecism.lexicon.glosses import GLOSS
from solecism.lexicon.lexicon import Lexicon
from solecism.lexicon.table import UNKNOWN, UPOS, main_name, read_tsv
from solecism.terminal import counted
from solecism.works.unimorph import Attested

KEPT = "kept"
"""The source of a form that stands in the table and that no source has that was named now."""

_HEAD = "# Forms: "
_Cells = dict[str, str]


@dataclass
class Inflection:
    """What came out, and what a person has to look at.

    ``tables``: how many forms of each table are from which source, or are :data:`UNKNOWN`;
    ``words``: how many words it has. ``differing`` are cells that sources fill differently,
    ``refused`` words that were not written, with the reason.
    """

    words: Counter[str] = field(default_factory=Counter)
    tables: dict[str, Counter[str]] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def forms(self, table: str) -> str:
        """Return the numbers of forms of a table by source: ``47 treebank, 1 ? (write them)``."""
        counts = sorted(self.tables[table].items(), key=lambda count: count[0] == UNKNOWN)
        shown = ", ".join(f"{number} {source}" for source, number in counts)
        return shown + " (write them)" * (UNKNOWN in self.tables[table]) or "no forms"

    def lines(self) -> Iterator[str]:
        """Yield lines for people."""
        for name in self.tables:
            yield f"{name} {counted(self.words[name], 'word')}: {self.forms(name)}"
        texts = {"sources differ, write one": self.differing, "note": self.notes}
        for kind, some in {**texts, "refused": self.refused}.items():
            yield from (f"{kind}: {text}" for text in some)


def inflect(folder: Path, sources: Mapping[str, Source]) -> Inflection:
    """Write the tables for the words of ``lexicons/<code>/words.txt``.

    A form that a person typed into a table stays. Raises :class:`InputError`, and writes nothing,
    for what is wrong with the files of the folder.
    """
    if not sources:
        raise fail("name a source: --treebank, --unimorph or --forms")
    words = read_words(folder / WORDS, Lexicon(folder).hierarchy)
    shapes, out, texts = read_shapes(folder / CELLS), Inflection(), dict[Path, str]()
    for name in dict.fromkeys(word.table for word in words):
        path = folder / f"{name}.tsv"
        old = _rows(path) if path.exists() else {}
        filling = _Filling(name, shapes.get(name, TableShape()), sources, out)
        own = [word for word in words if word.table == name]
        new = [row for word in own for row in filling.rows(word, old.get(word.lemma, {}))]
        done = {row["lemma"] for row in new}
        above = [line for line in read_lines(path) if line[:1] == "#"] if old else []
        rows = [*new, *(row for lemma, row in old.items() if lemma not in done)]
        texts[path] = filling.text(rows, [line for line in above if not line.startswith(_HEAD)])
    for path, text in texts.items():
        write_text(path, text)
    return out


def _rows(path: Path) -> dict[str, _Cells]:
    """Return the rows of a table by lemma: what stands in each column."""
    (_, header), *rows = read_tsv(path, ["lemma"])
    return {cells[0]: dict(zip(header, cells, strict=True)) for _, cells in rows}


@dataclass
class _Filling:
    """A table that is filled."""

    name: str
    shape: TableShape
    sources: Mapping[str, Source]
    out: Inflection

    def __post_init__(self) -> None:
        self.counts = self.out.tables.setdefault(self.name, Counter())
        self.upos = UPOS[main_name(self.name)]
        shown = {f.feats for forms in self.sources.get("treebank", {}).values() for f in forms}
        for cell in self.shape.cells if shown else ():
            if not any(subset(Feats.parse(cell), feats) for feats in shown):
                self.out.notes.append(f"{self.name}: no treebank shows {cell}")

    def rows(self, word: WantedWord, old: _Cells) -> Iterator[_Cells]:
        """Yield the row of a word, unless it is refused. An empty form says that there is none."""
        lemma, every = word.lemma.partition("#")[0], self.sources.items()
        typed = {c: text for c, text in old.items() if text != UNKNOWN and (text or "=" in c)}
        row = {**self.shape.usual, **word.properties, **typed, "lemma": word.lemma}
        found = {name: self._found(source.get(lemma, ()), row) for name, source in every}
        sure = {name: [f for f in forms if f.times] for name, forms in found.items()}
        guesses, refused = [name for name, forms in found.items() if forms], list[str]()
        if self.shape.cells and not any("=" in c for c in typed) and not any(sure.values()):
            reason = "; ".join(["no source has it", *(f"{name} would guess" for name in guesses)])
            lines = refused if guesses else self.out.notes
            lines.append(f"{self.name} {word.lemma}: {reason}{self._near(lemma)}")
        for column in (*self.shape.properties, *self.shape.cells):
            values = {name: v for name, some in sure.items() if (v := _values(column, some))}
            row[column] = self._value(row, column, values, refused)
        self.out.refused += refused
        if not refused:
            self.out.words[self.name] += 1
            yield row

    def _value(
        self, row: _Cells, column: str, values: Mapping[str, list[str]], refused: list[str]
    ) -> str:
        """Return what a person wrote, else that on which all sources agree that have the column."""
        shared = set[str].intersection(*map(set, values.values())) if values else set()
        value = row.get(column, shared.pop() if len(shared) == 1 else UNKNOWN)
        if value == UNKNOWN and values:
            shown = "   ".join(f"{name} {' or '.join(some)}" for name, some in values.items())
            text = f"{self.name} {row['lemma']}   {column}   {shown}"
            if "=" in column:
                self.out.differing.append(text)
            else:
                way = f"say which in {WORDS}, or write two words, each with a mark"
                refused.append(f"{text}: {way}")
        if "=" not in column:
            return value.replace(UNKNOWN, "")
        by = next((name for name, some in values.items() if value in some), KEPT)
        self.counts[UNKNOWN if value == UNKNOWN else by] += bool(value)
        return value

    def _found(self, forms: Iterable[Attested], row: _Cells) -> list[Attested]:
        """Return the forms of a word; none has another value of a feature than its row.

        Sources do not all mean the same by verbs and auxiliaries.
        """
        verbs = {"VERB", "AUX"}
        alike = (f for f in forms if f.upos in ("", self.upos) or {f.upos, self.upos} <= verbs)
        return [f for f in alike if all(v in f.feats.get(n, [v]) for n, v in row.items())]

    def _near(self, lemma: str) -> str:
        """Return which lemma could be meant, of those that the sources have."""
        every = (forms[0] for source in self.sources.values() for forms in source.values())
        known = {form.lemma for form in every if form.times and form.upos in ("", self.upos)}
        near = get_close_matches(lemma, known, n=1)
        return f". Did you mean {near[0]}?" if near else ""

    def text(self, rows: Sequence[_Cells], comments: Iterable[str]) -> str:
        """Return the text of the table: lemma, properties, gloss, forms."""
        used = [c for row in rows for c, text in row.items() if text or "=" in c]
        first = [c for c in (*self.shape.properties, *self.shape.cells) if c in used]
        every = dict.fromkeys([*first, *used])
        columns = sorted(every, key=lambda c: (c != "lemma", "=" in c, c == GLOSS))
        lines = [f"{_HEAD}{self.out.forms(self.name)}"] if self.shape.cells else []
        cells = [[row.get(column, "") for column in columns] for row in rows]
        return "\n".join([*lines, *comments, *map("\t".join, [columns, *cells])]) + "\n"


def _values(column: str, forms: Sequence[Attested]) -> list[str]:
    """Return what a source has for a property, or the forms that say a cell, and least besides.

    Where none says its gender, those without gender serve every one (Catalan *gran*).
    """
    if "=" not in column:
        return usual((value, f.times) for f in forms for value in f.feats.get(column, ()))
    cell = Feats.parse(column)
    fit = [form for form in forms if subset(cell, form.feats)]
    if not fit and "Gender" in cell:
        other = Feats(tuple(pair for pair in cell.pairs if pair[0] != "Gender"))
        fit = [f for f in forms if other and "Gender" not in f.feats and subset(other, f.feats)]
    least = min(usual((form.feats, form.times) for form in fit), key=len, default=cell)
    return usual((form.form, form.times) for form in fit if form.feats == least)
