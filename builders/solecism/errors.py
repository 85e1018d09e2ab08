"""The one error that bad input raises: every problem of a file at once, each with its place.

Whatever texts of others it tells, a terminal only shows: :func:`visible`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["InputError", "Problem", "candidates", "fail", "visible"]

_COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb]"
)
"""What a terminal obeys instead of showing it: control characters, directions, halves of characters."""


def visible(text: str, keep: str = "") -> str:
    r"""Show control characters and directions as ``\x1b`` and ``\u202e``, but for those of ``keep``.

    Tabs and line ends stay. JSON stays JSON of the same values.
    """
    return _COMMANDS.sub(lambda match: match[0] if match[0] in keep else _escape(match[0]), text)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x7F else f"\\u{code:04x}"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input.

    ``path`` and ``line`` (counted from 1) say where; ``message`` names the culprit and the candidates;
    ``code`` is the check that found it (``docs/checks.md``).
    """

    message: str
    path: str = ""
    line: int | None = None
    code: str = ""

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        parts = [place, self.code, self.message]
        return visible(": ".join(_short(part) for part in parts if part))


def _short(text: str) -> str:
    """Leave out the middle of a text that quotes very much."""
    return text if len(text) < 2_000 else f"{text[:1_000]} ... {text[-500:]}"


class InputError(Exception):
    """Bad input: carries one or more :class:`Problem`; the command line prints them and exits with 2."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


def fail(
    message: str, path: str | Path = "", line: int | None = None, code: str = ""
) -> InputError:
    """Build an :class:`InputError` with a single problem (to be raised by the caller)."""
    return InputError(Problem(message, str(path), line, code))


def candidates(kind: str, names: Sequence[str], wrong: str = "") -> str:
    """Say what could have been meant: ``(did you mean 'x'? KIND: a, b, c)``."""
    near = difflib.get_close_matches(wrong, names, n=1) if wrong else []
    hint = f"did you mean {near[0]!r}? " if near else ""
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return f"({hint}{kind}: {shown or 'none'})"
