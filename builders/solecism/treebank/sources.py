"""Treebanks and UniMorph lists that data are made of, as the project pins them.

Files come from a local mirror (``SOLECISM_SOURCES``) or from the cache that :func:`fetch` fills. A
file whose SHA-256 the project knows must have it. Of others the first download is trusted: its
SHA-256 is kept in a lock beside the cache, and every later download must have the same.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from solecism.errors import InputError, Problem, candidates, fail
from solecism.files import locked, write_text
from solecism.hashing import file_digest
from solecism.inputs import read_json
from solecism.progress import Progress, no_progress

if TYPE_CHECKING:
    import requests

__all__ = [
    "Fetched", "LocalSource", "Origin", "fetch", "found_languages", "lexicon",
    "mirrors", "origin_languages", "present", "treebanks", "treebanks_of",
]  # fmt: skip

"""Is called with the name of a file, how much of it is done, and of how much (0: not known)."""

ADDRESS = "https://raw.githubusercontent.com"
MIRROR = "SOLECISM_SOURCES"
LOCK = "sources.lock.json"
TRIES = 4
TIMEOUT = 30.0
_PIECE = 1 << 16
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Origin:
    """A work of others: a treebank, or the UniMorph list of a language.

    ``repository`` is that at GitHub, ``ref`` the commit or the tag there, ``licence`` SPDX's
    identifier; ``text`` is false for a treebank that is published without its words.
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
        """Whether what is made of it may be passed on.

        It may not without its text, nor under a no-derivatives licence; licences that forbid
        commercial use allow it.
        """
        return self.text and "-ND" not in self.licence

    @property
    def key(self) -> str:
        """Its key in locks: name and ref."""
        return f"{self.name}@{self.ref}"


@cache
def _treebanks() -> tuple[Origin, ...]:
    return tuple(_origins("treebanks.toml", "UniversalDependencies/{}", "{}"))


@cache
def _lexicons() -> Mapping[str, Origin]:
    found = _origins("unimorph.toml", "unimorph/{}", "UniMorph {}")
    return {origin.language: origin for origin in found}


def _origins(name: str, repository: str, title: str) -> list[Origin]:
    stanzas = tomllib.loads((_HERE / name).read_text(encoding="utf-8"))
    return [
        Origin(
            title.format(key), stanza["language"], repository.format(key),
            stanza.get("commit") or stanza["release"], stanza["licence"], tuple(stanza["files"]),
            stanza.get("text", True),
        )
        for key, stanza in stanzas.items()
    ]  # fmt: skip


def origin_languages() -> list[str]:
    """Return the codes of the languages that have treebanks, in alphabetical order."""
    return sorted({origin.language for origin in _treebanks()})


def treebanks_of(language: str) -> list[Origin]:
    """Return the treebanks of a language in the order of the catalogue.

    Raises :class:`InputError` with the candidates where there is none.
    """
    found = [origin for origin in _treebanks() if origin.language == language]
    if not found:
        near = candidates("languages", origin_languages(), language)
        raise fail(f"there is no language {language!r} with treebanks {near}")
    return found


def _pinned(origin: Origin) -> dict[str, str]:
    """Return the SHA-256 of the files that the project knows."""
    return read_lock(_HERE / LOCK).get(origin.key, {})


def _known(origin: Origin) -> dict[str, str]:
    """Return the SHA-256 of the files that the project, or else the cache, knows."""
    return read_lock(_cache_folder() / LOCK).get(origin.key, {}) | _pinned(origin)


def read_lock(path: Path) -> dict[str, dict[str, str]]:
    """Read a lock: for each origin (name@ref) the SHA-256 of its files; an absent one is empty."""
    if not path.is_file():
        return {}
    lock: dict[str, dict[str, str]] = read_json(path, {str: {str: str}}, "lock")
    return lock


@dataclass(frozen=True)
class LocalSource:
    """An origin with the files of it that are on this machine, in the order of the catalogue."""

    origin: Origin
    files: tuple[Path, ...]

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """SHA-256 of every file by its name."""
        return {path.name: file_digest(path) for path in self.files}

    @cached_property
    def departures(self) -> list[str]:
        """The files whose SHA-256 is known and is another."""
        known = _known(self.origin)
        return [name for name, digest in self.digests.items() if known.get(name, digest) != digest]

    @cached_property
    def missing(self) -> list[str]:
        """The files of the catalogue that are not there."""
        return [name for name in self.origin.files if name not in self.digests]

    def facts(self) -> dict[str, Any]:
        """Return what a manifest says of it; of ``trusted`` files the project knows no SHA-256."""
        origin, known = self.origin, _pinned(self.origin)
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
            "trusted": [name for name in self.digests if name not in known],
        }


def mirrors() -> list[Path]:
    """Return the mirrors that ``SOLECISM_SOURCES`` names; all must be there."""
    named = [Path(text) for text in os.environ.get(MIRROR, "").split(os.pathsep) if text]
    for path in named:
        if not path.is_dir():
            raise fail(f"{MIRROR} names a folder that is not there", path)
    return named


def _cache_folder() -> Path:
    """Return where downloads are kept."""
    return user_cache_path("solecism") / "sources"


def treebanks(language: str) -> list[LocalSource]:
    """Return the treebanks of a language that are there, in the order of the catalogue.

    Raises :class:`InputError` where there is none, with what would bring them.
    """
    found = present(language)
    if not found:
        names = ", ".join(origin.name for origin in treebanks_of(language))
        raise fail(f"there are no treebanks of {language!r} ({names}) in {_advice(language)}")
    return found


def present(language: str) -> list[LocalSource]:
    """Return the treebanks of a language that are there; there may be none."""
    origins = treebanks_of(language)
    return [LocalSource(origin, files) for origin in origins if (files := _treebank_files(origin))]


def _advice(language: str) -> str:
    if named := mirrors():
        return f"{os.pathsep.join(map(str, named))} ({MIRROR})"
    return f"the cache: run `solecism fetch agreement {language}`, or set {MIRROR}"


def found_languages() -> list[str]:
    """Return the languages of which a treebank is there."""
    return [c for c in origin_languages() if present(c)]


def lexicon(language: str) -> LocalSource | None:
    """Return the UniMorph list of a language, if it is there."""
    origin = _lexicons().get(language)
    if origin is None:
        return None
    folders = [_download_folder(origin)]
    if named := mirrors():
        folders = [folder / "unimorph" for path in named for folder in (path, path.parent)]
    files = (folder / name for folder in folders for name in origin.files)
    path = next((path for path in files if path.is_file()), None)
    return LocalSource(origin, (path,)) if path else None


def _treebank_files(origin: Origin) -> tuple[Path, ...]:
    """Return the CoNLL-U files of a treebank, those of the catalogue first, in its order."""
    named = mirrors()
    folders = [folder / origin.name for path in named for folder in (path, path / "ud")]
    folder = next((f for f in folders if f.is_dir()), None) if named else _download_folder(origin)
    files = sorted(folder.glob("*.conllu")) if folder else []
    place = {name: number for number, name in enumerate(origin.files)}
    return tuple(sorted(files, key=lambda path: place.get(path.name, len(place))))


def _download_folder(origin: Origin) -> Path:
    """Return where the files of an origin are downloaded to."""
    return _cache_folder() / origin.ref / origin.name


class _LostError(InputError):
    """A file cannot be downloaded."""


@dataclass(frozen=True)
class Fetched:
    """What :func:`fetch` has of an origin.

    ``trusted``: the files that were taken on trust just now; ``lost``: why nothing could be had of
    it.
    """

    found: LocalSource
    trusted: tuple[str, ...] = ()
    lost: str = ""


def fetch(
    language: str, progress: Progress | None = None, address: str | None = None
) -> list[Fetched]:
    """Download what is missing of a language's treebanks and its UniMorph list.

    Files that are there already are only checked; a download that broke off is resumed. ``address``
    takes the place of raw.githubusercontent.com (as ``SOLECISM_SOURCES_URL`` does). With a local
    mirror nothing is downloaded. Raises :class:`InputError` for treebanks that cannot be had and
    for a checksum that differs; data can be made without a UniMorph list, so of one only ``lost``
    says why.
    """
    if mirrors():
        return [Fetched(found) for found in (*treebanks(language), lexicon(language)) if found]
    base = address or os.environ.get("SOLECISM_SOURCES_URL") or ADDRESS
    show = progress or no_progress
    fetched = [_fetch(origin, base, show) for origin in treebanks_of(language)]
    listed = _lexicons().get(language)
    return [*fetched, _try(listed, base, show)] if listed else fetched


def _try(origin: Origin, base: str, progress: Progress) -> Fetched:
    try:
        return _fetch(origin, base, progress)
    except _LostError as error:
        return Fetched(LocalSource(origin, ()), lost=str(error))


def _fetch(origin: Origin, base: str, progress: Progress) -> Fetched:
    folder, known = _download_folder(origin), _known(origin)
    trusted = [name for name in origin.files if name not in known]
    for name in origin.files:
        url = f"{base}/{origin.repository}/{origin.ref}/{name}"
        path = _retrieve(url, folder / name, known.get(name), progress)
        if name in trusted:
            digest = file_digest(path)
            _remember(origin, name, digest)
    return Fetched(
        LocalSource(origin, tuple(folder / name for name in origin.files)), tuple(trusted)
    )


def _retrieve(url: str, path: Path, digest: str | None, progress: Progress) -> Path:
    """Download one file, or check the one that is there."""
    part = path.with_name(f".{path.name}.part")
    with locked(path.parent):
        for stale in path.parent.glob("tmp????????"):  # pooch's, of a run that was killed
            stale.unlink()
        if digest is None:
            part.unlink(missing_ok=True)  # nothing could tell whether its rest belongs to it
        return _retrieved(url, digest, path, _Resuming(part, progress))


def _retrieved(url: str, digest: str | None, path: Path, downloader: _Resuming) -> Path:
    import pooch
    import requests

    wanted = f"sha256:{digest}" if digest else None
    pooch.get_logger().setLevel("WARNING")
    try:
        return Path(pooch.retrieve(url, wanted, path.name, path.parent, downloader=downloader))
    except ValueError as error:
        message = f"is not the file that it was: its SHA-256 should be {digest} ({url})"
        raise fail(message, path) from error
    except (ConnectionResetError, requests.RequestException) as error:
        problem = Problem(f"cannot be downloaded from {url}: {error}", path.name)
        raise _LostError(problem) from error


def _remember(origin: Origin, name: str, digest: str) -> None:
    """Add a checksum to the lock of the cache."""
    path = _cache_folder() / LOCK
    with locked(path):
        lock = read_lock(path)
        lock.setdefault(origin.key, {})[name] = digest
        write_text(path, json.dumps(lock, indent=2, sort_keys=True) + "\n")


@dataclass(frozen=True)
class _Resuming:
    """A downloader for pooch that keeps what has come of a file and asks for the rest."""

    part: Path
    progress: Progress

    def __call__(self, url: str, output_file: str, _: object) -> None:
        import requests

        self.part.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, TRIES + 1):
            try:
                self._download(url)
                break
            except (ConnectionResetError, requests.ConnectionError, requests.Timeout):
                if attempt == TRIES:
                    raise
        self.part.replace(output_file)

    def _download(self, url: str) -> None:
        import requests

        there = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Accept-Encoding": "identity"}
        headers |= {"Range": f"bytes={there}-"} if there else {}
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
            if answer.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                return  # it broke off after the last byte; the checksum tells
            answer.raise_for_status()
            there = there if answer.status_code == HTTPStatus.PARTIAL_CONTENT else 0
            self._write(answer, there)

    def _write(self, answer: requests.Response, there: int) -> None:
        length = int(answer.headers.get("Content-Length", 0))
        total = there + length
        answer.raw.enforce_content_length = False  # else what came last would be lost
        with self.part.open("ab" if there else "wb") as file:
            for piece in answer.iter_content(_PIECE):
                file.write(piece)
                there += len(piece)
                self.progress(self.part.name[1 : -len(".part")], there, total)
        if there < total:
            raise ConnectionResetError(f"{there} of {total} bytes came")
