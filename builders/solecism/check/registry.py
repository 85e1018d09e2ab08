"""All checks by code, and the findings that they report.

A check is a function. The first paragraph of its docstring is the message, and the rest says what
to do (after wn's ``validate``: https://github.com/goodmami/wn).
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from solecism.errors import Problem, visible
from solecism.inputs import read_toml

LEVELS = ("error", "warning", "note")
"""An error: the data are wrong. A warning: probably not meant. A note: for information."""

Checks = Mapping[str, tuple[str, Callable[[Any], Any]]]
"""Checks of one kind, such as templates: level and function by code."""


@dataclass(frozen=True)
class Finding:
    """What a check found: ``message`` says what, ``path`` and ``line`` (counted from 1) where."""

    code: str
    level: str
    message: str
    path: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        text = f"{self.level} {self.code}: {self.message}"
        return visible(f"{place}: {text}" if place else text)

    @property
    def order(self) -> tuple[str, int, str, str]:
        """The key that findings are sorted by: place, code, message."""
        return self.path, self.line or 0, self.code, self.message

    def within(self, root: Path) -> Finding:
        """Return the finding with its path relative to ``root``, if the path is inside."""
        for path, top in ((Path(self.path), root), (Path(self.path).resolve(), root.resolve())):
            if self.path and path.is_relative_to(top):
                return replace(self, path=path.relative_to(top).as_posix())
        return self


@dataclass(frozen=True)
class Check:
    """One check. ``code`` never changes its meaning; ``advice`` says what to do."""

    code: str
    level: str
    message: str
    advice: str

    def finding(self, problem: Problem) -> Finding:
        """Return a problem as a finding of this check."""
        text = f"{self.message}: {problem.message}"
        return Finding(self.code, self.level, text, problem.path, problem.line)


READING_CHECKS: dict[str, str] = read_toml(Path(__file__).with_name("reading.toml"))
"""Message and advice, by code, for errors raised while files are read or items are drawn."""


def _check(code: str, level: str, text: str | None) -> Check:
    """Return a check whose message is the first paragraph of a text, without its full stop."""
    message, _, advice = inspect.cleandoc(text or "").partition("\n\n")
    return Check(code, level, " ".join(message.split()).rstrip("."), " ".join(advice.split()))


def _checks(codes: Mapping[str, Sequence[str]]) -> Checks:
    """Return level and function by code, for the names of functions in this package."""
    named = {code: (level, *name.split(".")) for code, (level, name) in codes.items()}
    return {
        code: (level, getattr(import_module(f"solecism.check.{module}"), function))
        for code, (level, module, function) in named.items()
    }


GROUPS: Mapping[str, Checks] = {
    group: _checks(codes)
    for group, codes in read_toml(Path(__file__).with_name("codes.toml")).items()
}
"""The checks by what they look at: see ``codes.toml``."""

CHECKS = {code: _check(code, "error", text) for code, text in READING_CHECKS.items()}
CHECKS |= {
    code: _check(code, level, check.__doc__)
    for checks in GROUPS.values()
    for code, (level, check) in checks.items()
}
"""All checks by code."""


def render_codes() -> str:
    """Return all checks with what to do about them, in Markdown (``solecism check --codes``)."""
    parts = []
    for letter, title in (("L", "Lexicons"), ("T", "Templates"), ("I", "Items")):
        parts.append(f"## {title}\n")
        for code in sorted(code for code in CHECKS if code[0] == letter):
            check = CHECKS[code]
            advice = "\n".join(textwrap.wrap(check.advice, 98, break_on_hyphens=False))
            parts.append(f"### {code} ({check.level})\n\n**{check.message}.**\n\n{advice}\n")
    return "\n".join(parts)
