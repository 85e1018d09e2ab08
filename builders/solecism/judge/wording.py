"""What a study says to people: consent, instructions, debriefing, and the words on its page.

The texts lie in ``judge/texts/<language>/``; a study gets a copy in its folder, to be edited or
translated. Languages that have none get the English ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from solecism.errors import InputError, Problem, candidates
from solecism.inputs import check, read_source, read_toml
from solecism.judge.design import Study

__all__ = [
    "RIGHT_TO_LEFT",
    "WORDS",
    "PageWording",
    "filled",
    "languages",
    "read_wording",
    "texts_for",
]

_HERE = Path(__file__).with_name("texts")

PARTS = ("consent", "instructions", "debriefing")
WORDS = "page.toml"
"""The file with the words on the page, a text for each key."""

RIGHT_TO_LEFT = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "syr", "ug", "ur", "yi")
)
"""Languages that are written from right to left."""

_PLACE = re.compile(r"\{(\w*)\}")
_OF_THE_PAGE = ("done", "total")


@dataclass(frozen=True)
class PageWording:
    """The texts of a study: ``parts`` as Markdown by name, ``words`` of the page by key."""

    parts: Mapping[str, str]
    words: Mapping[str, str]


def languages() -> list[str]:
    """Return the codes of the languages that have texts."""
    return sorted(path.name for path in _HERE.iterdir() if (path / WORDS).is_file())


def texts_for(language: str, design: str) -> dict[str, str]:
    """Return the texts of a study in a language (else English), by the names of their files."""
    code = language.partition("-")[0]
    folder = _HERE / (code if code in languages() else "en")
    named = {f"{part}.md": part for part in PARTS}
    named["instructions.md"] = f"instructions-{design}"
    texts = {name: (folder / f"{part}.md").read_text("utf-8") for name, part in named.items()}
    words = (folder / WORDS).read_text("utf-8")
    if code not in languages():
        words = words.replace('"English"', '"the language of the sentences"')
    return {**texts, WORDS: words}


def read_wording(study: Study) -> PageWording:
    """Read the texts of a study and fill in duration, pay, institution and contact.

    Raises :class:`InputError` for a file or a key that is missing, and for an unknown ``{name}``.
    """
    folder = study.folder / "texts"
    words = read_toml(folder / WORDS)
    known = read_toml(_HERE / "en" / WORDS)
    _check_words(words, known, folder / WORDS)
    values = _values(study, str(words["language"]))
    return PageWording(
        parts={part: _part(folder / f"{part}.md", values) for part in PARTS},
        words={
            key: filled(text, values, folder / WORDS, _OF_THE_PAGE) for key, text in words.items()
        },
    )


def _check_words(words: Mapping[str, object], known: Mapping[str, object], path: Path) -> None:
    more = [
        Problem(f"unknown key {key!r} {candidates('keys', list(known), key)}", str(path))
        for key in words
        if key not in known
    ]
    if more:
        raise InputError(more)
    check(words, dict.fromkeys(known, str), path)


def _values(study: Study, language: str) -> dict[str, str]:
    return {
        "language": language,
        "minutes": str(study.minutes),
        "trials": str(max(study.totals)),
        "pay": f"{study.amount:.2f} {study.pay.currency}" if study.pay.hourly else "",
        "institution": study.institution or "[institution]",
        "contact": study.contact or "[contact]",
    }


def _part(path: Path, values: Mapping[str, str]) -> str:
    """Return a text; without pay the lines about it go."""
    lines = read_source(path).splitlines(keepends=True)
    if not values["pay"]:
        lines = [line for line in lines if "{pay}" not in line]
    return filled("".join(lines), values, path)


def filled(text: str, values: Mapping[str, str], path: Path, others: tuple[str, ...] = ()) -> str:
    """Return a text with ``{name}`` replaced; ``others``: names that the page fills in itself."""
    found = _PLACE.findall(text)
    wrong = [name for name in found if name not in values and name not in others]
    if wrong:
        near = candidates("names", [*values, *others], wrong[0])
        raise InputError(Problem(f"unknown name {{{wrong[0]}}} {near}", str(path)))
    return _PLACE.sub(lambda match: values.get(match[1], match[0]), text)
