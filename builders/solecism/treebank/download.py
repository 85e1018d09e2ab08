"""Download a pinned file; only the pinned bytes are kept."""

from __future__ import annotations

import time
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from solecism.errors import InputError, Problem, fail
from solecism.files import writing
from solecism.progress import Progress
from solecism.treebank.origins import Pin

__all__ = ["LostError", "retrieve"]

TRIES = 4
TIMEOUT = 30.0
PIECE = 1 << 16


class LostError(InputError):
    """A file cannot be downloaded."""


def retrieve(url: str, path: Path, pin: Pin, progress: Progress) -> Path:
    """Download a file, unless it is there with the bytes that are pinned.

    Raises :class:`LostError` if it cannot be downloaded, :class:`InputError` for other bytes.
    """
    if path.is_file() and pin.fits(path):
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(1, TRIES + 1):
        try:
            with writing(path) as part:
                _download(url, part, path.name, progress)
                if not pin.fits(part):
                    message = f"is not the pinned file: its blob hash should be {pin.blob} ({url})"
                    raise fail(message, path)
            return path
        except (OSError, HTTPException) as error:
            final = isinstance(error, HTTPError) and error.code < 500
            if final or attempt == TRIES:
                problem = Problem(f"cannot be downloaded from {url}: {error}", path.name)
                raise LostError(problem) from error
            time.sleep(attempt - 1)
    raise AssertionError("the last try returns or raises")


def _download(url: str, part: Path, name: str, progress: Progress) -> None:
    """Write what an address has into a file; raises OSError or HTTPException."""
    with urlopen(url, timeout=TIMEOUT) as answer, part.open("wb") as file:
        total, done = int(answer.headers.get("Content-Length", 0)), 0
        while piece := answer.read(PIECE):
            done += file.write(piece)
            progress(name, done, total)
    if done < total:
        raise ConnectionResetError(f"{done} of {total} bytes came")
