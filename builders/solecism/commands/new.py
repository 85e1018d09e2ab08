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
from solecism.grammar.copies import copied, lacking
from solecism.grammar.inherit import SLOTS
from solecism.grammar.phrases import PHRASES, Phrases
from solecism.grammar.template import read_template
from solecism.inputs import read_source, read_toml
from solecism.language_tags import code_of, with_codes
from solecism.lexicon.lexicon import Lexicon
from solecism.root import SHARED, Root, installed_root

_NAME = re.compile(r"[A-Za-z][\w-]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}([-_][A-Za-z0-9]+)*")

_STARTER = Path(__file__).parents[1] / "grammar" / "starter"
"""The first template and the small tables of somebody who begins with nothing."""

DRAWN = 1000

_THE = "macro the("

_ARTICLE = re.compile(r"\{\{ word.*?\}\} ")


@click.command(help=__doc__)
@click.argument("name")
@option("--like", metavar="NAME", help="Start from a paradigm that exists, as clams/fr/prep_anim.")
@option("--own-words", is_flag=True, help="Small tables to fill, not the installed lexicon.")
@OWN_ROOT
def command(name: str, like: str | None, own_words: bool, root: Root) -> None:
    texts = scaffold(root, name, like, own_words)
    kept = [path for path in texts if path.exists()]
    new = add_texts(root.path, {p: text for p, text in texts.items() if p not in kept})
    for path in new:
        echo(f"wrote {path}")
    for path in kept:
        echo(f"left alone {path}, which exists")


def scaffold(
    root: Root, name: str, like: str | None = None, own_words: bool = False
) -> dict[Path, str]:
    """Return the files that a new paradigm needs.

    Raises :class:`InputError` for a bad name, an unknown language or a paradigm that exists.
    """
    dataset, language, uid = _parts(name, root)
    template = root.path / "templates" / dataset / language / f"{uid}.jinja"
    installed, words = installed_root(), root.path / "lexicons" / language
    texts, lexicon = dict[Path, str](), Lexicon(words)
    if (like or not own_words) and language in {*installed.languages} - {*root.languages}:
        ours = installed.lexicon(language)
        shared = [installed.path / "templates" / SHARED / "kinds.yaml"]
        shared += sorted(shared[0].parent.glob(f"{language}.*"))
        tables = [*sorted(ours.parent.glob("*.tsv")), *sorted(ours.rglob("[!.]*.tsv"))]
        paths = [*tables, *shared]
        texts = {root.path / p.relative_to(installed.path): read_source(p) for p in paths}
        lexicon = Lexicon(ours)
    macros = root.path / "templates" / SHARED / f"{language}.jinja"
    phrases = texts.get(macros, "") or _phrases(macros, template.parent, lexicon)
    if like is not None:
        texts |= _texts_like(_source(like, (root, installed)), template, lexicon, phrases)
    else:
        first = read_source(_STARTER / "template.jinja")
        if not macros.exists() and not template.with_name(PHRASES).exists():
            texts[macros] = phrases
        texts[template] = first.format(uid=uid, **_example(lexicon, phrases))
        for table in sorted(_STARTER.glob("*.tsv")):
            if table.stem != "det" or 'word("det"' in phrases:
                texts.setdefault(words / table.name, read_source(table))
    if template.exists() and template.read_bytes() != texts[template].encode():
        raise fail("there is such a paradigm already", template)
    return texts


def _texts_like(source: Path, template: Path, lexicon: Lexicon, phrases: str) -> dict[Path, str]:
    """Return the files of a paradigm like another one: template, macros and kinds of slots.

    Raises :class:`InputError` if it is of another language than ``lexicon`` and ``phrases``.
    """
    theirs = source.parent.name
    if theirs != lexicon.code:
        words = Lexicon(source.parents[3] / "lexicons" / theirs)
        missing = lacking(read_template(source), Phrases(source.parent, words), lexicon, phrases)
        listed = ", no ".join(missing or ["words like its"])
        raise fail(f"--like: a paradigm of {theirs!r}; {lexicon.code!r} has no {listed}")
    found = [source.with_name(name) for name in (PHRASES, SLOTS)] + [source.parents[1] / SLOTS]
    top = template.parents[1]
    texts = {top / p.relative_to(source.parents[1]): read_source(p) for p in found if p.is_file()}
    return {**texts, template: copied(source, template.stem).replace("---", f"---\n{EXAMPLE}", 1)}


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


def _source(like: str, roots: tuple[Root, ...]) -> Path:
    """Return the file of a paradigm; raises :class:`InputError` where there is none."""
    names = like, with_codes(PurePath(like)).as_posix()
    found = [r.path / "templates" / f"{name}.jinja" for name in names for r in roots]
    source = next((path for path in found if path.is_file()), None)
    if source is None:
        paths = {path for folder in found for path in folder.parent.glob("[!_]*.jinja")}
        known = sorted({"/".join(path.with_suffix("").parts[-3:]) for path in paths})
        near = candidates("paradigms", known, like)
        raise fail(f"--like: there is no paradigm {like!r} {near}")
    if above := re.search(r"^like: *(\S+)", read_source(source), re.M):
        raise fail(f"--like: {like!r} is itself like {above[1]!r}: name that one")
    return source


def _phrases(macros: Path, folder: Path, lexicon: Lexicon) -> str:
    """Return the text of the macros that a folder's templates have, or else of our example."""
    if own := [path for path in (macros, folder / PHRASES) if path.is_file()]:
        return "\n".join(map(read_source, own))
    has_the = "det" in lexicon.names and "the" in lexicon.table("det").by_lemma
    no_article = "noun" in lexicon.names and not has_the
    example = read_source(_STARTER / PHRASES)
    return _ARTICLE.sub("", example) if no_article else example


def _example(lexicon: Lexicon, phrases: str) -> dict[str, str | int]:
    """Return the values that ``_TEMPLATE`` is filled in with, so that words of the lexicon fit."""
    values = {"subject": "{{ the(author) }}" if _THE in phrases else "{{ author }}"}
    number = 1
    for slot, usual in read_toml(_STARTER / "slots.toml").items():
        name = usual.pop("from")
        # Words that `clams` chose are taken first: they are plain.
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
