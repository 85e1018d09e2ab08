"""Start a paradigm: its template, and the lexicon tables that are missing.

NAME: mine/it/simple_agrmt. A language that the installed data have gets a copy of their lexicon.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePath

import click

from solecism.check.templates import EXAMPLE
from solecism.commands.cli import OWN_ROOT, echo, option
from solecism.errors import candidates, fail
from solecism.files import add_texts
from solecism.grammar.inherit import DEFAULTS, SLOTS
from solecism.grammar.phrases import PHRASES
from solecism.inputs import read_source
from solecism.language_tags import code_of, with_codes
from solecism.lexicon.columns import COLUMNS
from solecism.lexicon.lexicon import Lexicon
from solecism.root import Root, installed_root

_NAME = re.compile(r"[A-Za-z][\w-]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}([-_][A-Za-z0-9]+)*")

_STARTER = Path(__file__).parents[1] / "grammar" / "starter"
"""The first template and the small tables of somebody who begins with nothing."""

_SLOTS = {
    "author": ("noun", {"Animacy": "Anim", "Set": "1", "Case": "Nom"}),
    "laughs": (
        "verb",
        {"Frame": "intransitive", "Subject": "human", "Mood": "Ind", "Tense": "Pres"},
    ),
}
"""The tables of the slots of the example, and what they ask, where the tables have it.

Words that `clams` chose are taken first: they are plain.
"""

DRAWN = 1000

_THE = "macro the("

_ARTICLE = '{{ word("det", "the") | agree(n) }} '

_PHRASES_TEXT = f"""\
{{# Macros that the paradigms of this language share. If it has no article: {{{{ n }}}} alone. #}}
{{% {_THE}n) %}}{_ARTICLE}{{{{ n }}}}{{% endmacro %}}
"""


@click.command(help=__doc__)
@click.argument("name")
@option("--like", metavar="NAME", help="Start from a paradigm that exists, as clams/fr/prep_anim.")
@option("--own-words", is_flag=True, help="Small tables to fill, not the installed lexicon.")
@OWN_ROOT
def command(name: str, like: str | None, own_words: bool, root: Root) -> None:
    for path in scaffold(root, name, like, own_words):
        echo(f"wrote {path}")


def scaffold(root: Root, name: str, like: str | None = None, own_words: bool = False) -> list[Path]:
    """Write the files that a new paradigm needs and that are missing; return their paths.

    Raises :class:`InputError` for a bad name, an unknown language or a paradigm that exists.
    """
    dataset, language, uid = _parts(name, root)
    template = root.path / "templates" / dataset / language / f"{uid}.jinja"
    installed, words = installed_root(), root.path / "lexicons" / language
    texts, lexicon = dict[Path, str](), Lexicon(words)
    if not own_words and language not in root.languages and language in installed.languages:
        ours = installed.lexicon(language)
        tables = [ours.parent / COLUMNS, *sorted(ours.rglob("[!.]*.tsv"))]
        copies = {path: words.parent / path.relative_to(ours.parent) for path in tables}
        texts = {copy: read_source(path) for path, copy in copies.items()}
        lexicon = Lexicon(ours)
    if like is not None:
        texts = _texts_like(like, template, (root, installed)) | texts
    else:
        phrases = _phrases(template.parent, lexicon, installed if texts else root)
        texts |= {template.with_name(PHRASES): phrases}
        first = read_source(_STARTER / "template.jinja")
        texts[template] = first.format(uid=uid, **_example(lexicon, phrases))
        for table in sorted(_STARTER.glob("*.tsv")):
            path = words / table.name
            if (table.stem != "det" or 'word("det"' in phrases) and path not in texts:
                texts[path] = read_source(table)
    if template.exists() and template.read_bytes() != texts[template].encode():
        raise fail("there is such a paradigm already", template)
    return add_texts(root.path, {path: text for path, text in texts.items() if not path.exists()})


def _parts(name: str, root: Root) -> list[str]:
    """Return data set, language and UID of a name; raises :class:`InputError` for other names."""
    parts = name.strip("/").split("/")
    if len(parts) != 3 or not all(_NAME.fullmatch(part) for part in parts):
        raise fail(f"{name!r} is not of the form dataset/language/UID, as mine/it/simple_agrmt")
    dataset, language, uid = parts
    if language not in root.languages:
        language = code_of(language) or language
        if not _LANGUAGE.fullmatch(language):
            hint = "as 'it' for Italian or 'grc' for Ancient Greek"
            raise fail(f"{language!r} is not the code of a language of ISO 639 ({hint})")
    return [dataset, language, uid]


def _texts_like(like: str, template: Path, roots: tuple[Root, ...]) -> dict[Path, str]:
    """Return the files of a paradigm like another one: template, macros and kinds of slots.

    Raises :class:`InputError` where there is no such paradigm.
    """
    names = like, with_codes(PurePath(like)).as_posix()
    found = [r.path / "templates" / f"{name}.jinja" for name in names for r in roots]
    source = next((path for path in found if path.is_file()), None)
    if source is None:
        paths = {path for folder in found for path in folder.parent.glob("[!_]*.jinja")}
        known = sorted({"/".join(path.with_suffix("").parts[-3:]) for path in paths})
        near = candidates("paradigms", known, like)
        raise fail(f"--like: there is no paradigm {like!r} {near}")
    text = read_source(source)
    if above := re.search(r"^like: *(\S+)", text, re.M):
        raise fail(f"--like: {like!r} is itself like {above[1]!r}: name that one")
    text = re.sub(r"^id: .*$", f"id: {template.stem}", text, count=1, flags=re.M)
    shared = [source.with_name(name) for name in (PHRASES, SLOTS, DEFAULTS)]
    texts = {template.with_name(path.name): read_source(path) for path in shared if path.is_file()}
    texts[template] = text.replace("---\n", f"---\n{EXAMPLE}\n", 1)
    language, words = template.parent.name, source.parents[3] / "lexicons" / source.parent.name
    for path in () if language in roots[0].languages else sorted(words.glob("*.tsv")):
        header = next(line for line in read_source(path).split("\n") if line and line[0] != "#")
        place = f"lexicons/{words.name}/{path.name}"
        comment = f"# The columns of {place}: fill in words of your language."
        texts[roots[0].path / "lexicons" / language / path.name] = f"{comment}\n{header}\n"
    return texts


def _phrases(folder: Path, lexicon: Lexicon, others: Root) -> str:
    """Return the text of the macros of a language.

    It is that of its folder, else of another data set if it has a macro `the`, else our example.
    """
    if (folder / PHRASES).exists():
        return read_source(folder / PHRASES)
    for path in sorted((others.path / "templates").glob(f"*/{folder.name}/{PHRASES}")):
        text = read_source(path)
        if _THE in text and "import" not in text:
            return f"{{# Copied from the data set {path.parents[1].name}. #}}\n{text}"
    has_the = "det" in lexicon.names and "the" in lexicon.table("det").by_lemma
    no_article = "noun" in lexicon.names and not has_the
    return _PHRASES_TEXT.replace(_ARTICLE, "") if no_article else _PHRASES_TEXT


def _example(lexicon: Lexicon, phrases: str) -> dict[str, str | int]:
    """Return the values that ``_TEMPLATE`` is filled in with, so that words of the lexicon fit."""
    values = {"subject": "{{ the(author) }}" if _THE in phrases else "{{ author }}"}
    number = 1
    for slot, (name, usual) in _SLOTS.items():
        table = next((n for n in (f"{name}.clams", name) if n in lexicon.names), name)
        asked, words = _asked(lexicon, table, usual)
        values[slot] = ", ".join(f"{k}: {v}" for k, v in {"from": table, **asked}.items())
        number *= words
    return {**values, "draw": DRAWN if number >= DRAWN else "all"}


def _asked(lexicon: Lexicon, name: str, usual: Mapping[str, str]) -> tuple[dict[str, str], int]:
    """Return the properties that an example asks of a table, and how many words have them."""
    if name not in lexicon.names:
        return dict(list(usual.items())[:1]), 2  # of our own rows
    table = lexicon.table(name)
    rows, asked = table.rows, {}
    for key, value in usual.items():
        kept = tuple(r for r in rows if value in r.properties.get(key, "").split(","))
        if kept or (value in table.values(key) and len(table.values(key)) > 1):
            rows, asked[key] = kept or rows, value
    return asked, len(rows)
