"""Download a pinned file: what broke off is resumed, and only the pinned bytes are kept."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from solecism.errors import InputError, Problem, fail
from solecism.files import locked
from solecism.progress import Progress
from solecism.treebank.origins import Pin

if TYPE_CHECKING:
    import requests

__all__ = ["LostError", "retrieve"]

TRIES = 4
TIMEOUT = 30.0
_PIECE = 1 << 16


class LostError(InputError):
    """A file cannot be downloaded."""


def retrieve(url: str, path: Path, pin: Pin, progress: Progress) -> Path:
    """Download one file, unless it is there with the bytes that are pinned.

    Raises :class:`InputError` for other bytes, and :class:`LostError` where there are none.
    """
    import requests

    with locked(path.parent):
        if path.is_file() and pin.fits(path):
            return path
        part = path.with_name(f".{path.name}.part")
        try:
            _Download(url, part, progress).run()
        except (ConnectionResetError, requests.RequestException) as error:
            problem = Problem(f"cannot be downloaded from {url}: {error}", path.name)
            raise LostError(problem) from error
        if not pin.fits(part):
            part.unlink()
            message = f"is not the file that is pinned: its blob hash should be {pin.blob} ({url})"
            raise fail(message, path)
        part.replace(path)
    return path


@dataclass(frozen=True)
class _Download:
    """A download that keeps what has come of a file and asks for the rest."""

    url: str
    part: Path
    progress: Progress

    def run(self) -> None:
        import requests

        self.part.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, TRIES + 1):
            try:
                return self._try()
            except (ConnectionResetError, requests.ConnectionError, requests.Timeout):
                if attempt == TRIES:
                    raise
        return None

    def _try(self) -> None:
        import requests

        there = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Accept-Encoding": "identity"}
        headers |= {"Range": f"bytes={there}-"} if there else {}
        with requests.get(self.url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
            if answer.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                return  # it broke off after the last byte; the hash tells
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
