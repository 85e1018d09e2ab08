"""The catalogue: treebanks and UniMorph lists of others, pinned by commit and blob hash.

``treebanks.jsonl`` and ``unimorph.jsonl`` have a work a line. ``scripts/make_catalogue.py``
makes them from an index; nothing in them is written by hand.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from solecism.errors import candidates, fail
from solecism.hashing import blob_digest, file_digest
from solecism.inputs import COUNT, check, read_json_lines

NOT_STATED = "LicenseRef-not-stated"
ACADEMIC = "LicenseRef-academic-use"

TREEBANKS = Path(__file__).with_name("treebanks.jsonl")
LISTS = Path(__file__).with_name("unimorph.jsonl")

_TEXT = (str, None)
_FILES = [{"path": str, "blob": str, "size?": COUNT, "sha256?": str}]
_WORK = {"name": str, "commit": str, "licence": str, "commercial": bool, "files": _FILES}
TREEBANK = {
    **_WORK, "code": str, "iso": _TEXT, "language": str, "tag": str, "since": str, "until?": str,
    "text": bool, "genre": [str], "lemmas": _TEXT, "features": _TEXT, "sentences?": COUNT,
    "words?": COUNT, "also?": [str],
}  # fmt: skip
_LIST = {**_WORK, "iso": str, "language": str}

_BESIDES = {"nb": "no", "nor": "no", "bokmål": "no", "nynorsk": "nn"}
"""More names of languages. UD calls both Norwegian standards ``no``; here that is Bokmål."""

_LISTS = {"hrv": "hbs", "srp": "hbs", "bos": "hbs", "qpm": "poma", "nor": "nob", "swa": "swc"}
"""The name of a UniMorph list that is another than the language's ISO 639-3 code."""


def allows_commerce(licence: str) -> bool:
    """Return whether a licence is known to allow commercial use."""
    return "-NC" not in licence and ACADEMIC not in licence and licence != NOT_STATED


def allows_derivatives(licence: str) -> bool:
    """Return whether a licence is known to allow that what is made of a work is passed on."""
    return "-ND" not in licence and licence != NOT_STATED


@dataclass(frozen=True)
class Pin:
    """A file as the catalogue pins it: its blob hash in git, and what else is known."""

    path: str
    blob: str
    size: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        """The file's name, without folders."""
        return self.path.rpartition("/")[2]

    def fits(self, path: Path) -> bool:
        """Return whether a file has the bytes that are pinned."""
        if self.size is not None and path.stat().st_size != self.size:
            return False
        if blob_digest(path) != self.blob:
            return False
        return self.sha256 is None or file_digest(path) == self.sha256


@dataclass(frozen=True)
class Origin:
    """A work of others: a treebank, or the UniMorph list of a language.

    ``repository`` is that at GitHub, ``ref`` the commit there, ``licence`` SPDX's identifier;
    ``commercial`` says whether commercial use is allowed; ``text`` is false for a treebank that is
    published without its words; ``also`` has other names of its folder.
    """

    name: str
    language: str
    repository: str
    ref: str
    licence: str
    pins: tuple[Pin, ...]
    commercial: bool = True
    text: bool = True
    tag: str = ""
    also: tuple[str, ...] = ()
    sentences: int | None = None
    words: int | None = None
    genre: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The names of its files."""
        return tuple(pin.name for pin in self.pins)

    @property
    def redistributable(self) -> bool:
        """Whether what is made of it may be passed on.

        It may not without its text, nor under a no-derivatives licence or none; licences that
        forbid commercial use allow it.
        """
        return self.text and allows_derivatives(self.licence)


@cache
def _read(path: Path) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    """Return the release of UD and the treebanks of a catalogue."""
    head, *lines = read_json_lines(path) or [None]
    check(head, {"ud": str}, path, "catalogue")
    for line in lines:
        check(line, TREEBANK, path, "catalogue")
    return head["ud"], tuple(lines)


def catalogue_release() -> str:
    """Return the release of UD whose pins the catalogue has, as ``2.18``."""
    return _read(TREEBANKS)[0]


@cache
def treebank_origins() -> tuple[Origin, ...]:
    """Return all treebanks of the catalogue, by name."""
    return tuple(
        Origin(
            line["name"], line["code"], f"UniversalDependencies/{line['name']}", line["commit"],
            line["licence"], tuple(Pin(**file) for file in line["files"]), line["commercial"],
            line["text"], line["tag"], tuple(line.get("also", ())), line.get("sentences"),
            line.get("words"), tuple(line["genre"]),
        )
        for line in _read(TREEBANKS)[1]
    )  # fmt: skip


@cache
def lists() -> Mapping[str, Origin]:
    """Return the UniMorph lists by the names of their repositories (mostly ISO 639-3 codes)."""
    return {
        line["name"]: Origin(
            f"UniMorph {line['name']}", line["iso"], f"unimorph/{line['name']}", line["commit"],
            line["licence"], tuple(Pin(**file) for file in line["files"]), line["commercial"],
        )
        for line in read_json_lines(LISTS, _LIST, "catalogue")
    }  # fmt: skip


def origin_languages(commercial: bool = False) -> list[str]:
    """Return the codes of the languages that have treebanks, in alphabetical order.

    ``commercial``: those with a treebank that allows commercial use.
    """
    origins = treebank_origins()
    return sorted({origin.language for origin in origins if origin.commercial or not commercial})


def treebanks_of(language: str, commercial: bool = False) -> list[Origin]:
    """Return the treebanks of a language, those that allow commercial use first.

    ``commercial`` leaves the others out. Raises :class:`InputError` with the candidates where there
    is none.
    """
    code = find_code(language)
    found = [origin for origin in treebank_origins() if origin.language == code]
    found.sort(key=lambda origin: (not origin.commercial, origin.name))
    if commercial and not any(origin.commercial for origin in found):
        licences = ", ".join(sorted({origin.licence for origin in found}))
        message = f"no treebank of {code!r} allows commercial use ({licences})"
        raise fail(f"{message}: it can be had without --commercial only")
    return [origin for origin in found if origin.commercial or not commercial]


def list_of(language: str) -> Origin | None:
    """Return the UniMorph list of a language, by its ISO 639-3 code."""
    codes = [iso_of(language), language]
    names = [name for code in codes if code for name in (code, _LISTS.get(code, code))]
    return next((lists()[name] for name in names if name in lists()), None)


def iso_of(language: str) -> str | None:
    """Return the ISO 639-3 code of a language; codes for private use have none."""
    return next((line["iso"] for line in _read(TREEBANKS)[1] if line["code"] == language), None)


def language_name(language: str) -> str:
    """Return the English name of a language of the catalogue."""
    lines = _read(TREEBANKS)[1]
    return next((line["language"] for line in lines if line["code"] == language), language)


def find_code(text: str, message: str = "there is no language {} with treebanks") -> str:
    """Return the code of a language that is named by its UD code, ISO 639-3 code or English name.

    Raises :class:`InputError` with the candidates; ``message`` is what it says then.
    """
    code = known_code(text)
    if code is None:
        names = [*origin_languages(), *sorted(_names())]
        near = candidates("languages", names, text.casefold())
        raise fail(f"{message.format(repr(text))} {near}")
    return code


def known_code(text: str) -> str | None:
    """Return the code of a language, as :func:`find_code` does, or None."""
    return _names().get(_plain(text))


@cache
def _names() -> Mapping[str, str]:
    """The codes of languages by all their names; where two claim one, codes come first.

    The names are those of treebanks before they were renamed, then now's.
    """
    lines = _read(TREEBANKS)[1]
    names: dict[str, str] = {}
    for line in lines:
        titles = [re.sub(r"^UD_|-.*$", "", name) for name in line.get("also", ())]
        names |= {_plain(name): line["code"] for name in (*titles, line["language"])}
    names |= {line["iso"]: line["code"] for line in lines if line["iso"]}
    codes = {line["code"] for line in lines}
    names |= {name: code for name, code in _BESIDES.items() if code in codes}
    return names | {code: code for code in codes}


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name.strip()).casefold()
