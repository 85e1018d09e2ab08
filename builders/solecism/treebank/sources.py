"""Treebanks and UniMorph lists: those that data are made of, as the project pins them, and their files."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from solecism.errors import candidates, fail
from solecism.hashing import file_digest
from solecism.inputs import read_json

__all__ = [
    "Found",
    "Origin",
    "cache_folder",
    "download_folder",
    "found_languages",
    "known_digests",
    "lexicon",
    "lexicon_of",
    "mirrors",
    "origin_languages",
    "present",
    "read_lock",
    "treebanks",
    "treebanks_of",
]


_HERE = Path(__file__).parent
LOCK = "sources.lock.json"


@dataclass(frozen=True)
class Origin:
    """A work of others: a treebank, or the UniMorph list of a language.

    ``repository`` is that at GitHub, ``ref`` the commit or the tag there, ``licence`` SPDX's identifier;
    ``text`` is false for a treebank that is published without its words.
    """

    name: str
    language: str
    repository: str
    ref: str
    licence: str
    files: tuple[str, ...]
    text: bool = True

    @property
    def redistributable(self) -> bool:
        """Whether what is made of it may be passed on: not without its text, nor under a no-derivatives
        licence. Licences that forbid commercial use allow it."""
        return self.text and "-ND" not in self.licence

    @property
    def key(self) -> str:
        """Its key in locks: name and ref."""
        return f"{self.name}@{self.ref}"


@cache
def _treebanks() -> tuple[Origin, ...]:
    stanzas = _read("treebanks.toml")
    return tuple(
        _origin(name, f"UniversalDependencies/{name}", told) for name, told in stanzas.items()
    )


@cache
def _lexicons() -> Mapping[str, Origin]:
    stanzas = _read("unimorph.toml").items()
    found = (_origin(f"UniMorph {code}", f"unimorph/{code}", told) for code, told in stanzas)
    return {origin.language: origin for origin in found}


def _read(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((_HERE / name).read_text(encoding="utf-8"))


def _origin(name: str, repository: str, told: Mapping[str, Any]) -> Origin:
    return Origin(
        name,
        told["language"],
        repository,
        told.get("commit") or told["release"],
        told["licence"],
        tuple(told["files"]),
        told.get("text", True),
    )


def origin_languages() -> list[str]:
    """The codes of the languages that have treebanks, in alphabetical order."""
    return sorted({origin.language for origin in _treebanks()})


def treebanks_of(language: str) -> list[Origin]:
    """The treebanks of a language in the order of the catalogue.

    Raises :class:`InputError` with the candidates where there is none.
    """
    found = [origin for origin in _treebanks() if origin.language == language]
    if not found:
        near = candidates("languages", origin_languages(), language)
        raise fail(f"there is no language {language!r} with treebanks {near}")
    return found


def lexicon_of(language: str) -> Origin | None:
    """The UniMorph list of a language, if there is one."""
    return _lexicons().get(language)


def known_digests(origin: Origin, *locks: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """SHA-256 of the files of an origin: those that the project pins, then those of other locks."""
    told: dict[str, str] = {}
    for lock in (*reversed(locks), read_lock(_HERE / LOCK)):
        told |= lock.get(origin.key, {})
    return told


def read_lock(path: Path) -> dict[str, dict[str, str]]:
    """Read a lock: for each origin (name@ref) the SHA-256 of its files; an absent one is empty."""
    if not path.is_file():
        return {}
    lock: dict[str, dict[str, str]] = read_json(path, {str: {str: str}}, "lock")
    return lock


MIRROR = "SOLECISM_SOURCES"


@dataclass(frozen=True)
class Found:
    """An origin with the files of it that are there, in the order of the catalogue."""

    origin: Origin
    files: tuple[Path, ...]

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """SHA-256 of every file by its name."""
        return {path.name: file_digest(path) for path in self.files}

    @cached_property
    def departures(self) -> list[str]:
        """The files whose SHA-256 is known and is another."""
        known = known_digests(self.origin, read_lock(cache_folder() / LOCK))
        return [name for name, digest in self.digests.items() if known.get(name, digest) != digest]

    @cached_property
    def missing(self) -> list[str]:
        """The files of the catalogue that are not there."""
        return [name for name in self.origin.files if name not in self.digests]

    def facts(self) -> dict[str, Any]:
        """What a manifest says of it. ``pinned``: every file is there, as the project knows it;
        ``trusted``: the files whose SHA-256 the project does not know."""
        known = known_digests(self.origin)
        untold = [name for name in self.digests if name not in known]
        origin = self.origin
        return {
            "treebank": origin.name,
            "language": origin.language,
            "licence": origin.licence,
            "redistributable": origin.redistributable,
            "repository": f"https://github.com/{origin.repository}",
            "ref": origin.ref,
            "files": dict(self.digests),
            "missing": self.missing,
            "changed": self.departures,
            "trusted": untold,
        }


def mirrors() -> list[Path]:
    """The local mirrors that ``SOLECISM_SOURCES`` names; raises :class:`InputError` if one is not there."""
    named = [Path(text) for text in os.environ.get(MIRROR, "").split(os.pathsep) if text]
    for path in named:
        if not path.is_dir():
            raise fail(f"{MIRROR} names a folder that is not there", path)
    return named


def cache_folder() -> Path:
    """Where downloads are kept."""
    return user_cache_path("solecism") / "sources"


def treebanks(language: str) -> list[Found]:
    """The treebanks of a language that are there, in the order of the catalogue.

    Raises :class:`InputError` where there is none, with what would bring them.
    """
    found = present(language)
    if not found:
        names = ", ".join(origin.name for origin in treebanks_of(language))
        raise fail(f"there are no treebanks of {language!r} ({names}) in {_advice(language)}")
    return found


def present(language: str) -> list[Found]:
    """The treebanks of a language that are there, in the order of the catalogue."""
    origins = treebanks_of(language)
    return [Found(origin, files) for origin in origins if (files := _treebank_files(origin))]


def _advice(language: str) -> str:
    if named := mirrors():
        return f"{os.pathsep.join(map(str, named))} ({MIRROR})"
    return f"the cache: run `solecism fetch agreement {language}`, or set {MIRROR}"


def found_languages() -> list[str]:
    """The languages of which a treebank is there."""
    return [c for c in origin_languages() if present(c)]


def lexicon(language: str) -> Found | None:
    """The UniMorph list of a language, if it is there."""
    origin = lexicon_of(language)
    if origin is None:
        return None
    folders = [download_folder(origin)]
    if named := mirrors():
        folders = [folder / "unimorph" for path in named for folder in (path, path.parent)]
    files = (folder / name for folder in folders for name in origin.files)
    path = next((path for path in files if path.is_file()), None)
    return Found(origin, (path,)) if path else None


def _treebank_files(origin: Origin) -> tuple[Path, ...]:
    """The CoNLL-U files of a treebank, those of the catalogue first, in its order."""
    named = mirrors()
    folders = [folder / origin.name for path in named for folder in (path, path / "ud")]
    folder = next((f for f in folders if f.is_dir()), None) if named else download_folder(origin)
    present = sorted(folder.glob("*.conllu")) if folder else []
    place = {name: number for number, name in enumerate(origin.files)}
    return tuple(sorted(present, key=lambda path: place.get(path.name, len(place))))


def download_folder(origin: Origin) -> Path:
    """Where the files of an origin are downloaded to; treebanks in a folder called as they are."""
    return cache_folder() / origin.ref / origin.name
