"""The error that bad input raises. It lists every problem of a file, each with its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

OBEYED = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb"
"""Ranges of characters that a terminal obeys: control characters (but for tab and line end, which
are structure), directions, separators, surrogates."""


def visible(text: str, keep: str = "") -> str:
    r"""Return a text with control characters and directions written as ``\x1b`` and ``\u202e``.

    Tabs, line ends and the characters of ``keep`` stay. JSON stays JSON with the same values.

    >>> print(visible("a\x1b[31mb"))
    a\x1b[31mb
    """

    def shown(match: re.Match[str]) -> str:
        code = ord(match[0])
        escape = f"\\x{code:02x}" if code < 0x7F else f"\\u{code:04x}"
        return match[0] if match[0] in keep else escape

    return re.sub(f"[{OBEYED}]", shown, text)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input.

    ``path`` and ``line`` (counted from 1) are its place, ``message`` names the culprit and the
    candidates, ``code`` is the check that found it (``docs/checks.md``).
    """

    message: str
    path: str = ""
    line: int | None = None
    code: str = ""

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        said = filter(None, (place, self.code, self.message))
        parts = [p if len(p) < 2_000 else f"{p[:1_000]} ... {p[-500:]}" for p in said]
        return visible(": ".join(parts))


class InputError(Exception):
    """Bad input, with one or more problems. The command line prints them and exits with 2."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


def fail(
    message: str, path: str | Path = "", line: int | None = None, code: str = ""
) -> InputError:
    """Return an :class:`InputError` with a single problem, for the caller to raise."""
    return InputError(Problem(message, str(path), line, code))


def unknown_error(
    message: str, wrong: str, kind: str, names: Iterable[str], path: str | Path = "",
    line: int | None = None,
) -> InputError:  # fmt: skip
    """Return the error that there is nothing called ``wrong``, with the ``names`` that there are.

    >>> print(unknown_error("there is no method", "focs", "methods", ["focus", "pll"]))
    there is no method 'focs' (did you mean 'focus'? methods: focus, pll)
    """
    return fail(f"{message} {wrong!r} {candidates(kind, list(names), wrong)}", path, line)


def candidates(kind: str, names: Sequence[str], wrong: str = "") -> str:
    """Return the part of a message that says what could have been meant.

    >>> candidates("methods", ["focus", "pll"], "focs")
    "(did you mean 'focus'? methods: focus, pll)"
    """
    near = difflib.get_close_matches(wrong, names, n=1) if wrong else []
    hint = f"did you mean {near[0]!r}? " if near else ""
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    return f"({hint}{kind}: {shown or 'none'})"
