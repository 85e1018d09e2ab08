"""What checks find: a :class:`Hit` of one check becomes a :class:`Finding` for the reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from solecism.errors import InputError, Problem, visible

__all__ = ["Finding", "Hit", "Level", "hits"]

Level = Literal["error", "warning", "note"]
"""``error``: the data are wrong; ``warning``: probably not meant; ``note``: for information."""


@dataclass(frozen=True)
class Hit:
    """One place where a check applies; ``detail`` names the culprit and what could be meant."""

    detail: str
    path: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Finding:
    """A coded finding. ``path`` and ``line`` (counted from 1) say where, ``message`` what."""

    code: str
    level: Level
    message: str
    path: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        text = f"{self.level} {self.code}: {self.message}"
        return visible(f"{place}: {text}" if place else text)

    @property
    def problem(self) -> Problem:
        """The finding as a :class:`~solecism.errors.Problem`, which can be raised."""
        return Problem(self.message, self.path, self.line, self.code)

    @property
    def order(self) -> tuple[str, int, str, str]:
        """The key that findings are sorted by: place, code, message."""
        return self.path, self.line or 0, self.code, self.message

    def to_json(self) -> dict[str, str | int | None]:
        """Return the finding as plain values: code, level, message, path, line."""
        return asdict(self)

    def within(self, root: Path) -> Finding:
        """Return the finding with a place relative to ``root``, if it is inside."""
        for path, top in ((Path(self.path), root), (Path(self.path).resolve(), root.resolve())):
            if self.path and path.is_relative_to(top):
                return replace(self, path=path.relative_to(top).as_posix())
        return self


def hits(error: InputError) -> Iterator[Hit]:
    """Yield the problems of a reader as hits."""
    for problem in error.problems:
        yield Hit(problem.message, problem.path, problem.line)
