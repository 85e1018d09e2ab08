"""Start a paradigm: its template, and the lexicon tables that are missing.

NAME: clams/it/simple_agrmt.
"""

from __future__ import annotations

import json
import re
from math import prod
from pathlib import Path

import click

from solecism.commands.options import OWN_ROOT, echo
from solecism.errors import fail
from solecism.files import add_texts
from solecism.grammar.front_matter import FrontMatterError, read_front_matter
from solecism.grammar.phrases import PHRASES
from solecism.grammar.template import Template, read_template
from solecism.inputs import read_source
from solecism.lexicon.lexicon import Lexicon
from solecism.root import Root

__all__ = ["command", "scaffold"]

_NAME = re.compile(r"[A-Za-z][\w-]*")
_LANGUAGE = re.compile(r"[a-z]{2,8}([-_][A-Za-z0-9]+)*")

_TEMPLATE = """\
---
# An example to replace, line by line. All that a template may say: docs/formats.md
id: {uid}
phenomenon: {phenomenon}
field: {field}
construction: {construction}
about: {about}
{source}
# Slots are named after the example sentence: the author laughs. What stands in braces says which
# words of a table they take; ask for what your sentence needs.
slots:
  author: {{{author}}}
  laughs: {{{laughs}}}
controller: author
# How many minimal sets; `all` makes all there are, which may be very many.
draw: {draw}
---
# One line a condition. `agree` takes the form that fits, `clash` each form that does not.
good: {subject} {{{{ laughs | agree(author) }}}}
bad:  {subject} {{{{ laughs | clash(author, "Number") }}}}
"""

_NO_SOURCE = "# source: a key of references.bib; leave the line out where you follow no paper."

_SLOTS = {
    "noun": {"Animacy": "Anim", "Set": "1", "Case": "Nom"},
    "verb": {"Frame": "intransitive", "Subject": "human", "Tense": "Pres"},
}
"""What the slots of the example ask, where the tables have it."""

DRAWN = 1000

_THE = "macro the("

_ARTICLE = '{{ word("det", "the") | agree(n) }} '

_PHRASES_TEXT = f"""\
{{# Macros that the paradigms of this language share. If it has no article: {{{{ n }}}} alone. #}}
{{% {_THE}n) %}}{_ARTICLE}{{{{ n }}}}{{% endmacro %}}
"""

_TABLES = {
    "noun": (
        "# Nouns: a row a word, tabs between cells. Replace the example rows. Columns with = are",
        "# forms: add Case=Acc|Number=Sing and so on. Others are properties: add Gender and so on.",
        "lemma\tNumber=Sing\tNumber=Plur\tAnimacy\tClass",
        "author\tauthor\tauthors\tAnim\thuman",
        "pilot\tpilot\tpilots\tAnim\thuman",
    ),
    "verb": (
        "# Verbs: add a form column for each person, number, gender or tense that you use.",
        "lemma\tNumber=Sing|Person=3|Tense=Pres\tNumber=Plur|Person=3|Tense=Pres\tFrame",
        "laugh\tlaughs\tlaugh\tintransitive",
        "sleep\tsleeps\tsleep\tintransitive",
    ),
    "det": (
        "# Articles and other determiners. With gender: Gender=Masc|Number=Sing and so on.",
        "lemma\tNumber=Sing\tNumber=Plur",
        "the\tthe\tthe",
    ),
    "classes": ("# Classes of words, each below its parent.", "class\tparent", "human\t"),
    "orthography": (
        "# Spelling rules that run across words, then settings. Example of a rule (elision):",
        "# elision<tab>le|la<tab>[aeiou].*<tab>l'+=",
        "rule\tleft\tright\tresult\ncapital\t\t\tyes\nstop\t\t\t.",
    ),
}


@click.command(help=__doc__)
@click.argument("name")
@OWN_ROOT
def command(name: str, root: Root) -> None:
    for path in scaffold(root, name):
        echo(f"wrote {path}")


def scaffold(root: Root, name: str) -> list[Path]:
    """Write the files that a new paradigm needs and that are not there; return them.

    Raises :class:`InputError` for a bad name or a paradigm that exists.
    """
    parts = name.strip("/").split("/")
    patterns = (_NAME, _LANGUAGE, _NAME)
    if len(parts) != 3 or not all(p.fullmatch(x) for p, x in zip(patterns, parts, strict=True)):
        raise fail(f"{name!r} is not of the form dataset/language/UID, as clams/it/simple_agrmt")
    dataset, language, uid = parts
    folder = root.path / "templates" / dataset / language
    lexicon = Lexicon(root.path / "lexicons" / language)
    phrases = _phrases(folder, lexicon)
    template = folder / f"{uid}.jinja"
    text = _TEMPLATE.format(
        uid=uid, **_known_texts(root, dataset, uid), **_example(lexicon, phrases)
    )
    if template.exists() and template.read_bytes() != text.encode():
        raise fail("there is such a paradigm already", template)
    files = {template: text, folder / PHRASES: phrases}
    for table, lines in _TABLES.items():
        if table != "det" or 'word("det"' in phrases:
            files[lexicon.folder / f"{table}.tsv"] = "\n".join(lines) + "\n"
    return add_texts(root.path, {path: text for path, text in files.items() if not path.exists()})


def _phrases(folder: Path, lexicon: Lexicon) -> str:
    """Return the macros of a language: those there are, else those of another data set that say
    what `the` is, else our example."""
    if (folder / PHRASES).exists():
        return read_source(folder / PHRASES)
    for path in sorted(folder.parents[1].glob(f"*/{folder.name}/{PHRASES}")):
        text = read_source(path)
        if _THE in text and "import" not in text:
            return f"{{# Copied from the data set {path.parents[1].name}. #}}\n{text}"
    begun = "noun" in lexicon.names
    no_article = begun and (
        "det" not in lexicon.names or "the" not in lexicon.table("det").by_lemma
    )
    return _PHRASES_TEXT.replace(_ARTICLE, "") if no_article else _PHRASES_TEXT


def _example(lexicon: Lexicon, phrases: str) -> dict[str, str | int]:
    """Return what the example asks of the tables, so that its words are few and fit."""
    asked = {name: _asked(lexicon, name) for name in _SLOTS}
    shown = {
        name: ", ".join(f"{key}: {value}" for key, value in {"from": name, **wants}.items())
        for name, (wants, _) in asked.items()
    }
    many = prod(words for _, words in asked.values()) >= DRAWN
    subject = "{{ the(author) }}" if _THE in phrases else "{{ author }}"
    return {
        "author": shown["noun"], "laughs": shown["verb"], "subject": subject,
        "draw": DRAWN if many else "all",
    }  # fmt: skip


def _asked(lexicon: Lexicon, name: str) -> tuple[dict[str, str], int]:
    """Return what to ask of a table, and how many of its words have it."""
    if name not in lexicon.names:
        return dict(list(_SLOTS[name].items())[:1]), 2  # of our own rows
    table = lexicon.table(name)
    rows, asked = table.rows, {}
    for key, value in _SLOTS[name].items():
        kept = tuple(r for r in rows if value in r.properties.get(key, "").split(","))
        if kept or (value in table.values(key) and len(table.values(key)) > 1):
            rows, asked[key] = kept or rows, value
    return asked, len(rows)


def _known_texts(root: Root, dataset: str, uid: str) -> dict[str, str]:
    """Return the texts of the same paradigm in another language, else words to replace."""
    found = sorted((root.path / "templates" / dataset).glob(f"*/{uid}.jinja"))
    other: Template | None = read_template(found[0]) if found else None
    texts = {
        "phenomenon": other.phenomenon if other else "subject_verb_agreement",
        "field": other.field if other else "morphology",
        "construction": other.construction if other else "what to call it in tables",
        "about": other.about if other else "What is tested, in one sentence.",
    }
    source = f"source: {_scalar(other.source)}" if other and other.source else _NO_SOURCE
    return {**{name: _scalar(text) for name, text in texts.items()}, "source": source}


def _scalar(text: str) -> str:
    """Quote a text that YAML would not read as it stands."""
    try:
        plain = read_front_matter(f"text: {text}").fields["text"].text == text
    except FrontMatterError:
        plain = False
    return text if plain else json.dumps(text, ensure_ascii=False)
