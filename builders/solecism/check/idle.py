"""Checks for what no template uses, and for columns that no list knows.

Something is used where its name stands in a template, a macro or a kind of slots of the language.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from solecism.check.lexicons import CLASS_COLUMNS, Tables
from solecism.errors import Problem, candidates
from solecism.inputs import read_lines
from solecism.lexicon.columns import COLUMNS, Column, read_columns
from solecism.lexicon.features import UNIVERSAL
from solecism.lexicon.glosses import GLOSS
from solecism.lexicon.table import UPOS, Table, main_name, read_tsv, unwritten
from solecism.lexicon.typical import GROUPS, TYPICAL
from solecism.root import SHARED, installed_root

_ALWAYS = {*UNIVERSAL, *CLASS_COLUMNS, GLOSS, "UPOS"}
"""Columns that need not be named: agreement, `under`, glosses and parts of speech use them."""

_COMMENT = re.compile(r"(?s:\{#.*?#\})|^\s*#.*$", re.MULTILINE)
_KEY = re.compile(r"^(\w[\w ]*? of|\w[\w ]*)(?: \w+(?:, *\w+)*)?:", re.MULTILINE)
"""Matches the name of a kind where it is defined; the group is its text without names."""
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)")


def _files(lexicon: Tables) -> list[Path]:
    """Return the files with templates, macros and kinds of a language."""
    top, code = lexicon.folder.parents[1] / "templates", lexicon.folder.name
    patterns = (f"*/{code}/*", f"{SHARED}/{code}.*", f"{SHARED}/kinds.yaml", "*/_slots.yaml")
    found = [path for pattern in patterns for path in top.glob(pattern)]
    return sorted(path for path in found if path.suffix in (".jinja", ".yaml"))


@lru_cache(maxsize=1 << 10)
def _text(path: Path) -> str:
    """Return the text of a file without comments, and without the names of macros it defines."""
    return _MACRO.sub("", _COMMENT.sub("", "\n".join(read_lines(path))))


@lru_cache(maxsize=1 << 5)
def _names(paths: tuple[Path, ...]) -> frozenset[str]:
    """Return the names in some files: of ``from: verb.clams`` the whole and its two parts."""
    words = {word for path in paths for word in re.findall(r"[\w.]+", _text(path))}
    return frozenset(words.union(*(word.split(".") for word in words)))


def _used(lexicon: Tables) -> frozenset[str]:
    """Return the names that the templates of a language use.

    They are empty if it has no templates, or if the words are a copy of ours: of those an author
    uses some.
    """
    files, ours = _files(lexicon), installed_root()
    if lexicon.folder.parents[1] != ours.path and lexicon.folder.name in ours.languages:
        return frozenset()
    return _names(tuple(files)) if any(path.name[0] != "_" for path in files) else frozenset()


def idle_column(lexicon: Tables) -> Iterator[Problem]:
    """No template asks for a column.

    Delete the column, or ask for it.
    """
    if used := _used(lexicon):
        for table in lexicon.tables:
            for name in table.columns if table.main in UPOS else ():
                if name not in used | _ALWAYS and not (name == "Freq" and "rarest" in used):
                    yield Problem(f"{table.name}.tsv: {name!r}", table.path, 1)


def idle_table(lexicon: Tables) -> Iterator[Problem]:
    """No template draws a word from a table.

    Delete the table, or draw from it.
    """
    if used := _used(lexicon):
        mains = {main_name(t.name) for t in lexicon.tables if t.name in used}
        for table in lexicon.tables:
            if table.name not in used | mains:
                yield Problem(repr(table.name), table.path, 1)


def idle_group(lexicon: Tables) -> Iterator[Problem]:
    """No template and no other group names a group of words.

    Delete the group, or name it: `under: [GROUP]`, or `*GROUP` in a table of `typical/`.
    """
    path = lexicon.folder / TYPICAL / f"{GROUPS}.tsv"
    if (used := _used(lexicon)) and path.exists():
        others = [*path.parent.glob("*.tsv"), lexicon.folder / "unwanted.tsv"]
        named = {
            name
            for other in others if other.exists()
            for _, cells in read_tsv(other, [])
            for name in re.findall(r"\*(\w+)", "\t".join(cells))
        }  # fmt: skip
        values = {v for _, row in lexicon.rows for c in CLASS_COLUMNS
                  for v in row.properties.get(c, "").split(",")}  # fmt: skip
        for line, (name, *_) in [*read_tsv(path, ["group"])][1:]:
            if name not in used | named | values:
                yield Problem(repr(name), str(path), line)


def idle_role(lexicon: Tables) -> Iterator[Problem]:
    """No template asks for a role of typical arguments.

    Delete the column, or ask for it: `x is typical(verb.ROLE)`.
    """
    if used := _used(lexicon):
        for path in sorted((lexicon.folder / TYPICAL).glob("*.tsv")):
            if path.stem != GROUPS:
                line, (_, *roles) = next(read_tsv(path, ["lemma"]))
                for role in roles:
                    if role not in used:
                        yield Problem(repr(role), str(path), line)


def idle_macro(lexicon: Tables) -> Iterator[Problem]:
    """No template and no other macro calls a macro.

    Delete it.
    """
    files = _files(lexicon) if _used(lexicon) else []
    called = {name for path in files for name in re.findall(r"(\w+)\(", _text(path))}
    for path in files:
        for line, text in enumerate(read_lines(path), 1):
            for name in _MACRO.findall(text):
                if name not in called:
                    yield Problem(repr(name), str(path), line)


def idle_kind(lexicon: Tables) -> Iterator[Problem]:
    """No slot is of a kind.

    Delete the kind, or give a slot this kind.
    """
    own = _files(lexicon)
    for path in own if _used(lexicon) else ():
        top = lexicon.folder.parents[1] / "templates"
        copied = path.name == "kinds.yaml" and top.parent != installed_root().path
        if path.suffix != ".yaml" or path.name == "_defaults.yaml" or copied:
            continue
        everywhere = [*top.glob("*/*/*.jinja"), *top.glob("*/*/_slots.yaml"), *top.glob("*/*.yaml")]
        files = everywhere if path.name == "kinds.yaml" or path.parent.parent == top else own
        texts = _KEY.sub("", "\n".join(map(_text, files)))
        for line, text in enumerate(read_lines(path), 1):
            head = _KEY.match(text)
            if head and not re.search(rf"\b{head[1]}\b", texts):
                yield Problem(repr(head[1]), str(path), line)


def unlisted_column(lexicon: Tables) -> Iterator[Problem]:
    """A column, or a value in it, is not in the list of columns.

    Correct it, or add it to lexicons/columns.tsv with the tables that have it and what it means:
    one name for one thing in all languages.
    """
    listed = read_columns(lexicon.folder.parent / COLUMNS)
    for table in lexicon.tables if listed else ():
        known = {c.name: c for c in listed if {"any", table.main, table.name} & {*c.tables}}
        for name in table.columns if table.main in UPOS else ():
            if name in known:
                yield from _unlisted_values(table, known[name])
            elif name not in UNIVERSAL:
                near = candidates("columns", sorted(known), name)
                yield Problem(f"{table.name}.tsv has a column {name!r} {near}", table.path, 1)


def _unlisted_values(table: Table, column: Column) -> Iterator[Problem]:
    for row in table.rows if column.values else ():
        for value in filter(None, row.properties[column.name].split(",")):
            if value not in column.values:
                near = candidates("values", column.values, value)
                message = f"{row.lemma!r}: {column.name} {value!r} {near}"
                yield Problem(message, table.path, row.line)


def unwritten_form(lexicon: Tables) -> Iterator[Problem]:
    """A form is still `?`.

    No source had it, or sources differ: write the form, or leave the cell empty if there is none.
    """
    for table in lexicon.tables:
        yield from unwritten(table)
