"""Where the files of treebanks and UniMorph lists are: in a local mirror, or in the cache of downloads.

``SOLECISM_SOURCES`` names a mirror (or several, as ``PATH`` does): a folder that holds ``UD_X-Y`` folders,
or ``ud/UD_X-Y``, and ``unimorph/``, which may also stand beside it. Then the network is never touched.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from solecism.errors import fail
from solecism.hashing import file_digest
from solecism.mine.origins import (
    LOCK,
    Origin,
    known_digests,
    lexicon_of,
    origin_languages,
    read_lock,
    treebanks_of,
)

__all__ = [
    "Found",
    "cache_folder",
    "download_folder",
    "found_languages",
    "lexicon",
    "mirrors",
    "treebanks",
]

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
    origins = treebanks_of(language)
    found = [Found(origin, files) for origin in origins if (files := _treebank_files(origin))]
    if not found:
        names = ", ".join(origin.name for origin in origins)
        raise fail(f"there are no treebanks of {language!r} ({names}) in {_advice(language)}")
    return found


def _advice(language: str) -> str:
    if named := mirrors():
        return f"{os.pathsep.join(map(str, named))} ({MIRROR})"
    return f"the cache: run `solecism fetch agreement {language}`, or set {MIRROR}"


def found_languages() -> list[str]:
    """The languages of which a treebank is there."""
    return [c for c in origin_languages() if any(map(_treebank_files, treebanks_of(c)))]


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
