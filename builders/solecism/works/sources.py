"""Treebanks and UniMorph lists on this machine.

Files are in a local mirror (``SOLECISM_SOURCES``), or in the cache that :func:`fetch` fills. In the
cache, every file has the bytes that the catalogue pins (:mod:`~solecism.works.catalogue`).
"""

import os
import time
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException
from itertools import product
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from huggingface_hub import cached_assets_path

from solecism.errors import InputError, Problem, fail
from solecism.files import writing
from solecism.hashing import file_digest
from solecism.inputs import is_pointer
from solecism.terminal import Progress, no_progress
from solecism.works.catalogue import Origin, Pin, list_of, origin_languages, treebanks_of

ADDRESS = "https://raw.githubusercontent.com"
MIRROR = "SOLECISM_SOURCES"
TRIES = 4
TIMEOUT = 30.0
PIECE = 1 << 16
_TOLD = ("language", "licence", "commercial", "redistributable")
"""What a manifest says of an origin as the catalogue has it."""
MOST = 1 << 28
"""The bytes of a file at most; GitHub takes files up to 100 MiB."""


@dataclass(frozen=True)
class LocalSource:
    """An origin with those of its files that are on this machine, in the order of the catalogue.

    ``lost``: why :func:`fetch` could not download it, or an empty text.
    """

    origin: Origin
    files: tuple[Path, ...]
    lost: str = ""

    @cached_property
    def departures(self) -> list[str]:
        """The names of files that have other bytes than those pinned, or are not pinned at all."""
        pins = {pin.name: pin for pin in self.origin.pins}
        return [p.name for p in self.files if p.name not in pins or not pins[p.name].fits(p)]

    @cached_property
    def missing(self) -> list[str]:
        """The names of files of the catalogue that are not on this machine."""
        there = {path.name for path in self.files}
        return [name for name in self.origin.files if name not in there]

    def facts(self) -> dict[str, object]:
        """Return what a manifest says of this source."""
        origin = self.origin
        return {
            "treebank": origin.name,
            **{name: getattr(origin, name) for name in _TOLD},
            "repository": f"https://github.com/{origin.repository}",
            "ref": origin.ref,
            "tag": origin.tag,
            "files": {path.name: file_digest(path) for path in self.files},
            "missing": self.missing,
            "changed": self.departures,
        }


def mirrors() -> list[Path]:
    """Return the folders that ``SOLECISM_SOURCES`` names; raises :class:`InputError` if one is
    missing."""
    named = [Path(text) for text in os.environ.get(MIRROR, "").split(os.pathsep) if text]
    for path in named:
        if not path.is_dir():
            raise fail(f"{MIRROR} names a folder that is not there", path)
    return named


def treebanks(language: str, commercial: bool = False) -> list[LocalSource]:
    """Return the treebanks of a language that are on this machine, those for commercial use first.

    ``commercial`` leaves the others out. Raises :class:`InputError` if there is none, and says how
    to get them.
    """
    if found := present(language, commercial):
        return found
    names = ", ".join(origin.name for origin in treebanks_of(language, commercial))
    place = f"the cache: run `solecism mine agreement {language} --fetch`, or set {MIRROR}"
    if named := mirrors():
        place = f"{os.pathsep.join(map(str, named))} ({MIRROR})"
    raise fail(f"there are no treebanks of {language!r} ({names}) in {place}")


def present(language: str, commercial: bool = False) -> list[LocalSource]:
    """Return the treebanks of a language that are on this machine, as :func:`treebanks` does.

    There may be none. Of their CoNLL-U files those of the catalogue come first, in its order.
    """
    found = []
    for origin in treebanks_of(language, commercial):
        named, titles = mirrors(), (origin.name, *origin.also)
        folders = [f / title for title in titles for path in named for f in (path, path / "ud")]
        folder = next(filter(Path.is_dir, folders if named else [_download_folder(origin)]), None)
        files = sorted(folder.glob("*.conllu")) if folder else []
        place = {name: number for number, name in enumerate(origin.files)}
        files.sort(key=lambda path: place.get(path.name, len(place)))
        if files:
            found.append(LocalSource(origin, tuple(files)))
    return found


def found_languages(commercial: bool = False) -> list[str]:
    """Return the codes of the languages of which a treebank is on this machine.

    ``commercial`` leaves out treebanks that forbid commercial use.
    """
    return [code for code in origin_languages(commercial) if present(code, commercial)]


def lexicon(language: str) -> LocalSource | None:
    """Return the UniMorph list of a language, None if it is not on this machine.

    In a mirror, one file with the list's name (``fin``) may stand for its parts (``fin.1``).
    """
    origin = list_of(language)
    if origin is None:
        return None
    own = origin.repository.partition("/")[2]
    sets = [[pin.path for pin in origin.pins], origin.files]
    folders = [_download_folder(origin)]
    if named := mirrors():
        folders = [folder / "unimorph" for path in named for folder in (path, path.parent)]
        sets += [[own], [f"{own}/{own}"]]
    for folder, names in product(folders, sets):
        if files := tuple(folder / name for name in names if (folder / name).is_file()):
            return LocalSource(origin, files)
    return None


def _download_folder(origin: Origin) -> Path:
    """Return the folder that the files of an origin are downloaded into."""
    return cached_assets_path("solecism", namespace="sources") / origin.ref / origin.name


def fetch(
    language: str, progress: Progress = no_progress, commercial: bool = False
) -> list[LocalSource]:
    """Download what is missing of a language's treebanks and its UniMorph list.

    Returns all of them. Files that are there already are only checked, so that after a failure the
    others alone are downloaded, from the address in ``SOLECISM_SOURCES_URL`` if there is one in
    place of raw.githubusercontent.com. ``commercial`` leaves out what forbids commercial use. With
    a local mirror nothing is downloaded. Raises :class:`InputError` for a treebank that cannot be
    downloaded and for bytes that are not those pinned. A UniMorph list that cannot be downloaded is
    no error, as data can be made without it: its ``lost`` says why.
    """
    listed = list_of(language)
    listed = listed if listed and (listed.commercial or not commercial) else None
    if mirrors():
        found = [*treebanks(language, commercial), lexicon(language) if listed else None]
        return [source for source in found if source]
    base = os.environ.get("SOLECISM_SOURCES_URL") or ADDRESS
    fetched = [_fetch(origin, base, progress) for origin in treebanks_of(language, commercial)]
    if listed:
        try:
            fetched.append(_fetch(listed, base, progress))
        except LostError as error:
            fetched.append(LocalSource(listed, (), lost=str(error)))
    return fetched


def _fetch(origin: Origin, base: str, progress: Progress) -> LocalSource:
    folder = _download_folder(origin)
    for pin in origin.pins:
        url = f"{base}/{origin.repository}/{origin.ref}/{pin.path}"
        path = retrieve(url, folder / pin.name, pin, progress)
        if is_pointer(path):
            message = "the repository has a pointer of Git LFS there, and not the file"
            raise LostError(Problem(f"{message} ({url})", str(path)))
    return LocalSource(origin, tuple(folder / name for name in origin.files))


class LostError(InputError):
    """An error for a file that cannot be downloaded."""


def retrieve(url: str, path: Path, pin: Pin, progress: Progress) -> Path:
    """Download a file to ``path``, unless it is there with the pinned bytes; return ``path``.

    Raises :class:`LostError` if it cannot be downloaded, :class:`InputError` for other bytes.
    """
    if path.is_file() and pin.fits(path):
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(TRIES):
        try:
            with writing(path) as part:
                _download(url, part, path.name, progress)
                if not pin.fits(part):
                    message = f"is not the pinned file: its blob hash should be {pin.blob} ({url})"
                    raise fail(message, path)
            return path
        except (OSError, HTTPException) as error:
            final = isinstance(error, HTTPError) and error.code < 500
            lost = LostError(Problem(f"cannot be downloaded from {url}: {error}", path.name))
            if final or attempt == TRIES - 1:
                break
            time.sleep(attempt)
    raise lost


def _download(url: str, part: Path, name: str, progress: Progress) -> None:
    """Download an address into a file; raises OSError or HTTPException."""
    with urlopen(url, timeout=TIMEOUT) as answer, part.open("wb") as file:
        total, done = answer.length or 0, 0
        while piece := answer.read(PIECE):
            done += file.write(piece)
            progress(name, done, total)
            if done > MOST:  # not all pins have a size, and a mirror may answer without end
                raise fail(f"is larger than any pinned file ({url})", name)
    if done < total:
        raise ConnectionResetError(f"{done} of {total} bytes came")
