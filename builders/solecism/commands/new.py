"""Start a paradigm: its template, and the lexicon tables that are missing.

NAME: clams/it/simple_agrmt.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from solecism.commands.options import OWN_ROOT, echo
from solecism.errors import fail
from solecism.files import add_texts
from solecism.grammar.front_matter import FrontMatterError, read_front_matter
from solecism.grammar.phrases import PHRASES
from solecism.grammar.template import Template, read_template
from solecism.root import Root

__all__ = ["command", "scaffold"]

_NAME = re.compile(r"[A-Za-z][\w-]*")
_LANGUAGE = re.compile(r"[a-z]{2,8}([-_][A-Za-z0-9]+)*")

_TEMPLATE = """\
---
# The format of this file: docs/formats.md
id: {uid}
phenomenon: {phenomenon}
field: {field}
construction: {construction}
about: {about}
source: {source}
# Slots are named after the example sentence: the author laughs.
slots:
  author: {{from: noun, Animacy: Anim}}
  laughs: {{from: verb, Frame: intransitive}}
controller: author
draw: all
---
# One line a condition. `agree` takes the form that fits, `clash` each form that does not.
good: {{{{ the(author) }}}} {{{{ laughs | agree(author) }}}}
bad:  {{{{ the(author) }}}} {{{{ laughs | clash(author, "Number") }}}}
"""

_PHRASES_TEXT = """\
{# Phrases that the paradigms of this language share. If it has no article: {{ n }} alone. #}
{% macro the(n) %}{{ word("det", "the") | agree(n) }} {{ n }}{% endmacro %}
"""

_TABLES = {
    "noun": (
        "# Nouns: a row a word, tabs between cells. Delete form columns the language does not need.",
        "lemma\tNumber=Sing\tNumber=Plur\tGender\tAnimacy\tClass\tSet",
    ),
    "verb": (
        "# Verbs: add a form column for each person, number, gender or tense that you use.",
        "lemma\tNumber=Sing|Person=3|Tense=Pres\tNumber=Plur|Person=3|Tense=Pres\tFrame\tSubject",
    ),
    "det": (
        "# Articles and other determiners.",
        "lemma\tGender=Masc|Number=Sing\tGender=Fem|Number=Sing\tGender=Masc|Number=Plur"
        "\tGender=Fem|Number=Plur",
    ),
    "classes": ("# Classes of nouns, each below its parent.", "class\tparent"),
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
    template = folder / f"{uid}.jinja"
    text = _TEMPLATE.format(uid=uid, **_known_texts(root, dataset, uid))
    if template.exists() and template.read_bytes() != text.encode():
        raise fail("there is such a paradigm already", template)
    files = {template: text}
    files[folder / PHRASES] = _PHRASES_TEXT
    for table, lines in _TABLES.items():
        files[root.path / "lexicons" / language / f"{table}.tsv"] = "\n".join(lines) + "\n"
    return add_texts(root.path, {path: text for path, text in files.items() if not path.exists()})


def _known_texts(root: Root, dataset: str, uid: str) -> dict[str, str]:
    """Return the texts of the same paradigm in another language, else words to replace."""
    found = sorted((root.path / "templates" / dataset).glob(f"*/{uid}.jinja"))
    other: Template | None = read_template(found[0]) if found else None
    texts = {
        "phenomenon": other.phenomenon if other else "subject_verb_agreement",
        "field": other.field if other else "morphology",
        "construction": other.construction if other else "what the paper calls it",
        "about": other.about if other else "What is tested, in one sentence.",
        "source": other.source if other else "key-in-references-bib",
    }
    return {name: _scalar(text) for name, text in texts.items()}


def _scalar(text: str) -> str:
    """Quote a text that YAML would not read as it stands."""
    try:
        plain = read_front_matter(f"text: {text}").fields["text"].text == text
    except FrontMatterError:
        plain = False
    return text if plain else json.dumps(text, ensure_ascii=False)
