"""Downloads treebanks and UniMorph lists into the cache, with checksums.

A file whose SHA-256 the project knows must have it. Of others the first download is trusted: its SHA-256 is
kept in a lock beside the cache, and every later download must have the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import pooch
import requests

from solecism.errors import InputError, Problem, fail
from solecism.files import locked, write_text
from solecism.treebank.sources import (
    LOCK,
    Found,
    Origin,
    cache_folder,
    download_folder,
    known_digests,
    lexicon,
    lexicon_of,
    mirrors,
    read_lock,
    treebanks,
    treebanks_of,
)

__all__ = ["Fetched", "fetch", "look_up"]

ADDRESS = "https://raw.githubusercontent.com"
TRIES = 4
TIMEOUT = 30.0
_PIECE = 1 << 16

Progress = Callable[[str, int, int], None]
"""Called with a file's name, the bytes that are there and those expected (0: not known)."""


class LostError(InputError):
    """A file cannot be downloaded."""


@dataclass(frozen=True)
class Fetched:
    """What is there of an origin; ``trusted``: the files that were taken on trust just now; ``lost``: why
    nothing could be had of it."""

    found: Found
    trusted: tuple[str, ...] = ()
    lost: str = ""


def fetch(
    language: str, progress: Progress | None = None, address: str | None = None
) -> list[Fetched]:
    """Download what is missing of a language's treebanks and its UniMorph list.

    Files that are there already are only checked; a download that broke off is resumed. ``address`` takes
    the place of raw.githubusercontent.com (as ``SOLECISM_SOURCES_URL`` does). With a local mirror nothing
    is downloaded, see :func:`look_up`. Raises :class:`InputError` for treebanks that cannot be had and for a
    checksum that differs; data can be made without a UniMorph list, so one that cannot be had is only told.
    """
    if mirrors():
        return look_up(language)
    base = address or os.environ.get("SOLECISM_SOURCES_URL") or ADDRESS
    told = progress or _silent
    fetched = [_fetch(origin, base, told) for origin in treebanks_of(language)]
    listed = lexicon_of(language)
    return [*fetched, _try(listed, base, told)] if listed else fetched


def look_up(language: str) -> list[Fetched]:
    """What a local mirror, or the cache, has of a language."""
    return [Fetched(found) for found in (*treebanks(language), lexicon(language)) if found]


def _silent(name: str, done: int, total: int) -> None:
    """Show no progress."""


def _try(origin: Origin, base: str, progress: Progress) -> Fetched:
    try:
        return _fetch(origin, base, progress)
    except LostError as error:
        return Fetched(Found(origin, ()), lost=str(error))


def _fetch(origin: Origin, base: str, progress: Progress) -> Fetched:
    folder, lock_path = download_folder(origin), cache_folder() / LOCK
    known = known_digests(origin, read_lock(lock_path))
    trusted = [name for name in origin.files if name not in known]
    for name in origin.files:
        url = f"{base}/{origin.repository}/{origin.ref}/{name}"
        path = _retrieve(url, folder / name, known.get(name), progress)
        if name in trusted:
            digest = pooch.file_hash(str(path))
            _remember(lock_path, origin, name, digest)
    return Fetched(Found(origin, tuple(folder / name for name in origin.files)), tuple(trusted))


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
    wanted = f"sha256:{digest}" if digest else None
    pooch.get_logger().setLevel("WARNING")
    try:
        return Path(pooch.retrieve(url, wanted, path.name, path.parent, downloader=downloader))
    except ValueError as error:
        message = f"is not the file that it was: its SHA-256 should be {digest} ({url})"
        raise fail(message, path) from error
    except requests.RequestException as error:
        problem = Problem(f"cannot be downloaded from {url}: {error}", path.name)
        raise LostError(problem) from error


def _remember(path: Path, origin: Origin, name: str, digest: str) -> None:
    """Add a checksum to the lock; the file is exchanged whole."""
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
        self.part.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, TRIES + 1):
            try:
                self._download(url)
                break
            except (requests.ConnectionError, requests.Timeout):
                if attempt == TRIES:
                    raise
        self.part.replace(output_file)

    def _download(self, url: str) -> None:
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
            raise requests.ConnectionError(f"{there} of {total} bytes came")
