"""What a study says to people: consent, instructions, debriefing, and the words on its page.

The texts are in ``judge/texts/<language>/``; a study gets a copy in its folder, to be edited or
translated. Languages that have none get the English ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from solecism.errors import candidates, fail
from solecism.inputs import check, read_source, read_toml
from solecism.judge.design import Study

__all__ = ["WORDS", "PageWording", "has_texts", "read_wording", "texts_for"]

_TEXTS = Path(__file__).with_name("texts")

PARTS = ("consent", "instructions", "debriefing")
WORDS = "page.toml"
"""The file with the words on the page, a text for each key."""

_VALUE = re.compile(r"\{(\w*)\}")
_OF_THE_PAGE = ("done", "total")
"""Values that the page fills in itself."""


@dataclass(frozen=True)
class PageWording:
    """The texts of a study: ``parts`` as Markdown by name, ``words`` of the page by key."""

    parts: Mapping[str, str]
    words: Mapping[str, str]


def has_texts(language: str) -> bool:
    """Return whether there are texts in a language; otherwise a study has the English ones."""
    return (_TEXTS / language.partition("-")[0] / WORDS).is_file()


def texts_for(language: str, design: str) -> dict[str, str]:
    """Return the texts of a study in a language (else English), by the names of their files."""
    folder = _TEXTS / (language.partition("-")[0] if has_texts(language) else "en")
    named = {"instructions.md": f"instructions-{design}.md"}
    names = (*(f"{part}.md" for part in PARTS), WORDS)
    texts = {name: (folder / named.get(name, name)).read_text("utf-8") for name in names}
    if not has_texts(language):
        texts[WORDS] = texts[WORDS].replace('"English"', '"the language of the sentences"')
    return texts


def read_wording(study: Study) -> PageWording:
    """Read the texts of a study and fill in duration, pay, institution and contact.

    Raises :class:`InputError` for a file or a key that is missing, and for an unknown ``{name}``.
    """
    folder = study.folder / "texts"
    path = folder / WORDS
    words, known = read_toml(path), read_toml(_TEXTS / "en" / WORDS)
    for key in words:
        if key not in known:
            raise fail(f"unknown key {key!r} {candidates('keys', list(known), key)}", path)
    check(words, dict.fromkeys(known, str), path)
    values = {
        "language": words["language"],
        "minutes": str(study.minutes),
        "trials": str(max(study.totals)),
        "pay": f"{study.amount:.2f} {study.pay.currency}" if study.pay.hourly else "",
        "institution": study.institution or "[institution]",
        "contact": study.contact or "[contact]",
    }
    parts = {part: _part(folder / f"{part}.md", values) for part in PARTS}
    return PageWording(parts, {key: _filled(text, values, path) for key, text in words.items()})


def _part(path: Path, values: Mapping[str, str]) -> str:
    """Return a text; without pay the lines about it go."""
    lines = read_source(path).splitlines(keepends=True)
    if not values["pay"]:
        lines = [line for line in lines if "{pay}" not in line]
    return _filled("".join(lines), values, path)


def _filled(text: str, values: Mapping[str, str], path: Path) -> str:
    known = [*values, *_OF_THE_PAGE]
    for name in _VALUE.findall(text):
        if name not in known:
            raise fail(f"unknown name {{{name}}} {candidates('names', known, name)}", path)
    return _VALUE.sub(lambda match: values.get(match[1], match[0]), text)
