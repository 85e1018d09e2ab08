"""The catalogue of treebanks and UniMorph lists, pinned by commit and blob hash.

``treebanks.jsonl`` and ``unimorph.jsonl`` have a line for each of these works.
``scripts/make_catalogue.py`` makes the files from an index; nothing in them is written by hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from huggingface_hub.utils.sha import git_hash

from solecism.errors import candidates, fail
from solecism.hashing import file_digest
from solecism.inputs import Json, read_json_lines, with_tuples
from solecism.language_tags import code_of, iso_of, language_names

NOT_STATED = "LicenseRef-not-stated"
ACADEMIC = "LicenseRef-academic-use"

TREEBANKS = Path(__file__).with_name("treebanks.jsonl")
LISTS = Path(__file__).with_name("unimorph.jsonl")

_LISTS = {"hrv": "hbs", "srp": "hbs", "bos": "hbs", "qpm": "poma", "nor": "nob", "swa": "swc"}
"""The names of UniMorph lists, by ISO 639-3 code, where the two are not the same."""


def allows_commerce(licence: str) -> bool:
    """Return whether a licence is known to allow commercial use."""
    return "-NC" not in licence and ACADEMIC not in licence and licence != NOT_STATED


def allows_derivatives(licence: str) -> bool:
    """Return whether a licence is known to allow passing on what is made of a work."""
    return "-ND" not in licence and licence != NOT_STATED


@dataclass(frozen=True)
class Pin:
    """A file with its blob hash in git and, if known, its size and SHA-256."""

    path: str
    blob: str
    size: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        """The file's name, without folders."""
        return self.path.rpartition("/")[2]

    def fits(self, path: Path) -> bool:
        """Return whether a file has the pinned bytes, by size and hashes."""
        data = path.read_bytes()
        if self.size not in (None, len(data)) or git_hash(data) != self.blob:
            return False
        return self.sha256 is None or file_digest(path) == self.sha256


@dataclass(frozen=True)
class Origin:
    """A treebank, or the UniMorph list of a language.

    ``repository``: its repository at GitHub; ``ref``: the pinned commit; ``licence``: an SPDX
    identifier; ``commercial``: whether commercial use is allowed; ``text``: false for a treebank
    that is published without its words; ``also``: other names of its folder.
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
        """Whether items made of it may be passed on.

        They may not if it has no text, or a licence that forbids derivatives, or no stated licence.
        Licences that forbid commercial use allow it.
        """
        return self.text and allows_derivatives(self.licence)


@cache
def _read() -> list[Json]:
    """Return the lines of the catalogue: the release of UD, then a mapping for each treebank."""
    return read_json_lines(TREEBANKS)


def catalogue_release() -> str:
    """Return the release of UD whose files the catalogue pins, such as ``2.18``."""
    release: str = _read()[0]["ud"]
    return release


@cache
def treebank_origins() -> tuple[Origin, ...]:
    """Return all treebanks of the catalogue, in its order."""
    owner, (_, *lines) = "UniversalDependencies", _read()
    return tuple(_origin(line, line["name"], line["code"], owner) for line in lines)


@cache
def lists() -> Mapping[str, Origin]:
    """Return the UniMorph lists by the names of their repositories (mostly ISO 639-3 codes)."""
    return {
        line["name"]: _origin(line, f"UniMorph {line['name']}", line["iso"], "unimorph")
        for line in read_json_lines(LISTS)
    }


def _origin(line: Mapping[str, Json], name: str, language: str, owner: str) -> Origin:
    """Return the work of a line; ``owner``: who has its repository at GitHub."""
    keys = ("licence", "commercial", "text", "tag", "also", "sentences", "words", "genre")
    given = with_tuples({key: line[key] for key in keys if key in line})
    pins = tuple(Pin(**file) for file in line["files"])
    return Origin(name, language, f"{owner}/{line['name']}", line["commit"], pins=pins, **given)


def origin_languages(commercial: bool = False) -> list[str]:
    """Return the codes of the languages that have treebanks, in alphabetical order.

    ``commercial`` leaves out languages without a treebank that allows commercial use.
    """
    origins = treebank_origins()
    return sorted({origin.language for origin in origins if origin.commercial or not commercial})


def treebanks_of(language: str, commercial: bool = False) -> list[Origin]:
    """Return the treebanks of a language, those that allow commercial use first.

    ``commercial`` leaves the others out. Raises :class:`InputError` for an unknown language, with
    similar names, and if no treebank is left.
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
    """Return the UniMorph list of a language by any of its names, None without one.

    Raises :class:`InputError` as :func:`find_code` does.
    """
    code = find_code(language)
    names = [name for key in (iso_of(code), code) if key for name in (key, _LISTS.get(key, key))]
    return next((lists()[name] for name in names if name in lists()), None)


def find_code(text: str, message: str = "there is no language {} with treebanks") -> str:
    """Return the UD code of a language with treebanks by any of its names.

    Raises :class:`InputError` for an unknown name, with ``message`` (the name is put in place of
    ``{}``) and similar names.
    """
    code = known_code(text)
    if code is None:
        codes = origin_languages()
        names = sorted(name for name, code in language_names().items() if code in codes)
        near = candidates("languages", [*codes, *names], text.casefold())
        raise fail(f"{message.format(repr(text))} {near}")
    return code


def known_code(text: str) -> str | None:
    """Return the UD code of a language as :func:`find_code` does, None for an unknown name."""
    code = code_of(text)
    return code if code in origin_languages() else None
