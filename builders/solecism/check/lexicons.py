"""Checks of lexicons. The docstring of a check is its message and, below, what to do about it."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

from solecism.contrast import differing_span
from solecism.errors import Problem, candidates
from solecism.lexicon.evidence import EVERY, Said, claims
from solecism.lexicon.features import UNIVERSAL, Feats, subset
from solecism.lexicon.glosses import GLOSS
from solecism.lexicon.table import Row, Table, read_tsv

CLASS_COLUMNS = ("Class", "Subject", "Object")
"""The columns of word tables whose values are classes of ``classes.tsv``."""

MOSTLY = 0.9
"""If more than this share of a table's words have a form, all are expected to have it."""

_UD_UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
_SETTINGS = ("capital", "stop", "space")

SCRIPTS = {
    "Latin": "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f",
}
"""Scripts with letters that look alike, each as ranges of a regular expression."""

_LETTERS = {name: re.compile(f"[{ranges}]") for name, ranges in SCRIPTS.items()}


@dataclass(frozen=True)
class Tables:
    """What could be read of the lexicon of a language.

    ``classes`` are the names in classes.tsv (empty if there is no such file); ``rules`` are the
    rows of orthography.tsv, each with its line number; ``evidence`` are the rows of evidence.tsv,
    ``counted`` the numbers of forms by table in its head; ``explained`` the forms of exceptions.tsv
    (table, lemma, form), each with its line number.
    """

    folder: Path
    tables: tuple[Table, ...]
    classes: frozenset[str] = frozenset()
    rules: tuple[tuple[int, list[str]], ...] = ()
    evidence: tuple[Said, ...] = ()
    counted: Mapping[str, str] = field(default_factory=dict)
    explained: Mapping[tuple[str, str, str], int] = field(default_factory=dict)

    @cached_property
    def contradicted(self) -> Mapping[tuple[str, str, str], int]:
        """The forms that evidence.tsv says are contradicted, each with its line there."""
        found = ((said, form) for said, form in self.said if said.contradicted and form)
        return {(said.table, said.lemma, form): said.line for said, form in found}

    @cached_property
    def said(self) -> list[tuple[Said, str]]:
        """The rows of evidence.tsv for one form, each with the form: ``""`` if there is none."""
        found = claims(self.tables)
        known = {(table.name, row.lemma, cell): form for table, row, cell, form in found}
        own = (said for said in self.evidence if not said.lemma.startswith(f"{EVERY} "))
        return [(said, known.get((said.table, said.lemma, said.cell), "")) for said in own]

    @cached_property
    def missing(self) -> list[tuple[Table, Row, Feats]]:
        """The empty cells that nearly all words of a table have, but for what L010 names."""
        found = []
        for table in self.tables:
            framed = "Frame" in table.columns
            rows = [row for row in table.rows if not framed or row.properties["Frame"]]
            for cell in table.cells:
                lacking = [r for r in rows if cell not in r.forms and _may_have(r, cell)]
                if len(lacking) < (1 - MOSTLY) * len(rows):
                    found += [(table, r, cell) for r in lacking if not self.has(r.lemma, cell)]
        return found

    def has(self, lemma: str, cell: Feats) -> bool:
        """Return whether a table has a form of a lemma with these features."""
        rows = (row for _, row in self.rows if row.lemma == lemma)
        return any(subset(cell, other) for row in rows for other in row.forms)

    @property
    def rows(self) -> Iterator[tuple[Table, Row]]:
        """Every word with its table."""
        return ((table, row) for table in self.tables for row in table.rows)


def unknown_class(lexicon: Tables) -> Iterator[Problem]:
    """A word names a class that is not in classes.tsv.

    Correct the name in the column Class, Subject or Object, or add the class with its parent to
    classes.tsv. Lists have commas and no spaces: `human,animal`.
    """
    for table, row in lexicon.rows if lexicon.classes else ():
        for column in CLASS_COLUMNS:
            for name in filter(None, row.properties.get(column, "").split(",")):
                if name not in lexicon.classes:
                    near = candidates("classes", sorted(lexicon.classes), name)
                    yield Problem(f"{row.lemma!r}: {column} {name!r} {near}", table.path, row.line)


def unknown_upos(lexicon: Tables) -> Iterator[Problem]:
    """A part of speech is not one of Universal Dependencies.

    Correct the column UPOS; https://universaldependencies.org/u/pos/ lists the 17 values.
    """
    for table, row in lexicon.rows:
        if row.upos not in _UD_UPOS:
            near = candidates("UPOS", _UD_UPOS, row.upos)
            yield Problem(f"{row.lemma!r}: {row.upos!r} {near}", table.path, row.line)


def _one_slip(a: str, b: str) -> bool:
    """Return whether two texts differ by one slip of the keyboard (Damerau 1964).

    A slip is a letter too many, too few or wrong, or two neighbouring letters exchanged. Texts that
    first differ in a digit (`set1`, `set2`) are numbered on purpose, so this is no slip.
    """
    spans = differing_span(a, b)
    ours, theirs, start = a[spans[0]], b[spans[1]], spans[0].start
    if any(character in "0123456789" for text in (a, b) for character in text[start : start + 1]):
        return False
    return max(len(ours), len(theirs)) == 1 or (len(ours) == 2 and ours == theirs[::-1])


def rare_value(lexicon: Tables) -> Iterator[Problem]:
    """A value occurs only once and is nearly the same as another.

    Probably a slip of the keyboard: correct it. Texts with spaces, values of up to three letters,
    numbered values (`set1`, `set2`) and classes of classes.tsv are not compared.
    """
    uses: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for name, value, path, line in _uses(lexicon):
        if len(value) > 3 and " " not in value and value not in lexicon.classes:
            uses[name].append((value, path, line))
    for name, found in uses.items():
        counts = Counter(value for value, _, _ in found)
        for value, path, line in (use for use in found if counts[use[0]] == 1):
            near = [v for v, n in counts.items() if n > 1 and _one_slip(v, value)]
            if near:
                yield Problem(f"{name} {value!r} (did you mean {near[0]!r}?)", path, line)


def _uses(lexicon: Tables) -> Iterator[tuple[str, str, str, int]]:
    """Yield each value: name of its column or feature, value, path and line of the table."""
    for table in lexicon.tables:
        line = _header_line(table)
        for name, values in (pair for cell in table.cells for pair in cell.pairs):
            yield from ((name, value, table.path, line) for value in sorted(values))
        for row in table.rows:
            for name, text in row.properties.items():
                if name not in ("UPOS", GLOSS):
                    yield from ((name, value, table.path, row.line) for value in text.split(","))


def column_near_feature(lexicon: Tables) -> Iterator[Problem]:
    """A column has nearly the name of a feature of Universal Dependencies.

    Agreement looks at features as UD spells them (`Gender`, not `Gendre` or `gender`). Correct the
    header; a property that means something else needs another name.
    """
    for table in lexicon.tables:
        for name in (*table.columns, *table.feature_names):
            plain = name.partition("[")[0]
            near = [u for u in sorted(UNIVERSAL) if _mistaken(plain, u)]
            if plain not in UNIVERSAL and near:
                detail = f"{name!r} (did you mean {near[0]!r}?)"
                yield Problem(detail, table.path, _header_line(table))


def _mistaken(name: str, feature: str) -> bool:
    """Return whether a name is probably a feature's, with a slip or in the wrong case."""
    return name.casefold() == feature.casefold() or (len(name) > 4 and _one_slip(name, feature))


def _header_line(table: Table) -> int:
    """Return the line of a table's header: comments may come before it."""
    return next(read_tsv(Path(table.path), ["lemma"]))[0]


def table_without_words(lexicon: Tables) -> Iterator[Problem]:
    """A table has a header but no words.

    Add words or remove the file.
    """
    return (Problem(table.name, table.path) for table in lexicon.tables if not table.rows)


def empty_column(lexicon: Tables) -> Iterator[Problem]:
    """A column is empty in every row.

    Fill it in or remove it: a slot that asks for it finds no word.
    """
    for table in lexicon.tables:
        filled = {str(cell) for row in table.rows for cell in row.forms}
        filled |= {name for row in table.rows for name, value in row.properties.items() if value}
        for name in (*map(str, table.cells), *table.columns):
            if table.rows and name not in filled:
                yield Problem(repr(name), table.path, _header_line(table))


def form_missing(lexicon: Tables) -> Iterator[Problem]:
    """A word lacks a form that nearly all words of its table have.

    Fill the cell in if the word has the form: items that need it are skipped otherwise. If it has
    none, say why in exceptions.tsv, with features in place of the form (`Mood=Imp`). A word is
    reported if more than 90 % of its table have the form, and no table has a form of its lemma with
    these features (and perhaps others). Not missing are the plural of words with the Count `mass`
    (*Milch*), the singular of those with `plural`, and forms of words without a `Frame` where the
    table has that column: they are there for a part of it.
    """
    for table, row, cell in lexicon.missing:
        if not any(_explains(key, table, row, cell) for key in lexicon.explained):
            yield Problem(f"{row.lemma!r}: {cell}", table.path, row.line)


def _explains(key: tuple[str, str, str], table: Table, row: Row, cell: Feats) -> bool:
    """Return whether a line of exceptions.tsv says why a word lacks a form."""
    same = key[:2] == (table.name, row.lemma) and "=" in key[2]
    return same and subset(Feats.parse(key[2]), cell)


def _may_have(row: Row, cell: Feats) -> bool:
    """Return whether a word like others of its table may have a form."""
    without = {"mass": "Plur", "plural": "Sing"}.get(row.properties.get("Count", ""))
    return cell.text("Number") != without


def lemma_unlike_forms(lexicon: Tables) -> Iterator[Problem]:
    """No form of a word looks like its lemma.

    No form contains the lemma, begins with the same letter or is half the same: probably the row
    has the forms of another word, or the columns have slipped.
    """
    for table, row in lexicon.rows:
        if row.forms and not any(_alike(form, row.shown) for form in row.forms.values()):
            forms = ", ".join(list(dict.fromkeys(row.forms.values()))[:3])
            yield Problem(f"{row.lemma!r}: {forms}", table.path, row.line)


def _alike(form: str, lemma: str) -> bool:
    """Return whether a form looks like a lemma; accents of the first letter do not matter."""
    initials = {unicodedata.normalize("NFD", text)[:1].casefold() for text in (form, lemma)}
    if lemma in form or len(initials) == 1:
        return True
    return SequenceMatcher(None, form, lemma).ratio() >= 0.5


def same_forms(lexicon: Tables) -> Iterator[Problem]:
    """Two words of a table have the same form in every column.

    Probably a row was copied and only its lemma changed. Homonyms (`Band#1`, `Band#2`), words
    whose forms are all spelt alike, and verbs of other prefixes (*aufmachen*, *zumachen*) are not
    reported.
    """
    for table in lexicon.tables:
        first: dict[tuple[str, ...], Row] = {}
        for row in table.rows:
            forms = tuple(row.forms.get(cell, "") for cell in table.cells)
            other = first.setdefault((row.properties.get("Prefix", ""), *forms), row)
            if other.shown != row.shown and len({*forms} - {""}) > 1:
                detail = f"{row.lemma!r} and {other.lemma!r} (line {other.line})"
                yield Problem(detail, table.path, row.line)


def _texts(row: Row) -> Iterable[str]:
    """Return the lemma, forms and properties of a word but its gloss, each text once."""
    own = (value for name, value in row.properties.items() if name != GLOSS)
    return dict.fromkeys((row.lemma, *row.forms.values(), *own))


def mixed_scripts(lexicon: Tables) -> Iterator[Problem]:
    """A word mixes Latin, Greek and Cyrillic letters.

    Letters that look alike are not the same to a model (Latin `c`, Cyrillic `с`). Type the word
    again with one keyboard. A word of one letter is reported if its script is not the one that most
    forms of the lexicon have.
    """
    forms = (form for _, row in lexicon.rows for form in row.forms.values())
    most_frequent = Counter(script for form in forms for script in _scripts(form)).most_common(1)
    own = {script for script, _ in most_frequent}
    for table, row in lexicon.rows:
        for word in (word for text in _texts(row) for word in re.findall(r"\w+", text)):
            found = _scripts(word)
            if len(found) > 1 or (own and len(word) == 1 and found - own):
                yield Problem(f"{row.lemma!r}: {word!r}", table.path, row.line)


def _scripts(text: str) -> set[str]:
    return {name for name, letters in _LETTERS.items() if letters.search(text)}


def idle_rule(lexicon: Tables) -> Iterator[Problem]:
    """A spelling rule has no effect.

    Its result is `= =`, which changes nothing; or it is a setting (`capital`, `stop`, `space`) and
    has a text in the column left or right, which is not read. Remove the rule or the text.
    """
    path = str(lexicon.folder / "orthography.tsv")
    for line, (name, left, right, result, *_) in lexicon.rules:
        if left or right if name in _SETTINGS else result == "= =":
            yield Problem(repr(name), path, line)


def word_left_over(lexicon: Tables) -> Iterator[Problem]:
    """A spelling rule may leave a word that its result has swallowed.

    The result keeps the right-hand word (`=`), though the word before it ends as that one does:
    *de el* would become *del el*. A contraction is one word: write `del`, not `del =`.
    """
    path = str(lexicon.folder / "orthography.tsv")
    for line, (name, _, right, result, *_) in lexicon.rules:
        new, _, kept = result.partition(" ")
        ends = re.fullmatch(r"[^\W\d_]+(?:\|[^\W\d_]+)*", right) and kept == "=" and new != "="
        if ends and any(new.endswith(word[-1]) for word in right.split("|")):
            yield Problem(repr(name), path, line)


def idle_reason(lexicon: Tables) -> Iterator[Problem]:
    """A line of exceptions.tsv explains a form that no source contradicts, or that is not missing.

    Remove it, or correct table, lemma and form; `solecism language witness` says what sources
    contradict. Without evidence.tsv nothing is compared.
    """
    path = str(lexicon.folder / "exceptions.tsv")
    contradicted, missing = lexicon.contradicted, lexicon.missing
    for key, line in lexicon.explained.items() if lexicon.evidence else ():
        if key not in contradicted and not any(_explains(key, *m) for m in missing):
            yield Problem(" ".join(key), path, line)


def unexplained_form(lexicon: Tables) -> Iterator[Problem]:
    """A source has another form, and none has this one.

    Correct the form and run `solecism language witness` again, or give a reason in exceptions.tsv
    (table, lemma, form, source, reason).
    """
    path = str(lexicon.folder / "evidence.tsv")
    for key, line in lexicon.contradicted.items():
        if key not in lexicon.explained:
            yield Problem(" ".join(key), path, line)


def stale_evidence(lexicon: Tables) -> Iterator[Problem]:
    """The evidence is that of other tables.

    A row is of a form that is gone, or the head counts other numbers of forms than the tables have.
    Run `solecism language witness` again, with the sources in the head of evidence.tsv.
    """
    path = str(lexicon.folder / "evidence.tsv")
    for said, form in lexicon.said:
        if not form:
            yield Problem(f"{said.table} {said.lemma!r}: {said.cell}", path, said.line)
    counts = Counter(table.name for table, *_ in claims(lexicon.tables))
    for name in sorted({*counts, *lexicon.counted} if lexicon.counted else ()):
        ours, theirs = str(counts[name]), lexicon.counted.get(name, "0")
        if ours != theirs:
            yield Problem(f"{name}: {ours} forms, {theirs} in the head", path, 1)


def conflicting_forms(lexicon: Tables) -> Iterator[Problem]:
    """Two tables fill the same cell of a word differently.

    The rows have lemma and part of speech in common: correct one of the forms, or leave the forms
    to one table. Homonyms (`Band#1`, `Band#2`) have marks and are words of their own.
    """
    first: dict[tuple[str, str, Feats], tuple[str, str]] = {}
    for table, row in lexicon.rows:
        for cell, form in row.forms.items():
            name, text = first.setdefault((row.lemma, row.upos, cell), (table.name, form))
            if text != form:
                detail = f"{row.lemma!r}: {cell}: {form}, and {text} in {name}.tsv"
                yield Problem(detail, table.path, row.line)


def repeated_forms(lexicon: Tables) -> Iterator[Problem]:
    """A marked row repeats all the forms of its lemma.

    Leave its cells empty: a row without forms has those of its lemma.
    """
    for table, row in lexicon.rows:
        plain = table.by_lemma.get(row.shown, row)
        same = row.forms == plain.forms and row.forms is not plain.forms
        if row is not plain and row.forms and same:
            yield Problem(repr(row.lemma), table.path, row.line)
