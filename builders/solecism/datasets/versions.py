"""Versions of data sets (DESIGN, section 6): major, the meaning or ids of items change; minor, items are
added; patch, cards and other documents."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from solecism.errors import fail

__all__ = [
    "TAG",
    "Needs",
    "Version",
    "is_version",
    "parse_version",
    "smallest_version",
    "too_small",
]

Needs = Literal["major", "minor", "patch", "none"]
"""The part of the version that a change raises."""

_FORM = re.compile(r"\.".join([r"(0|[1-9][0-9]{0,8})"] * 3))
TAG = re.compile(rf"v{_FORM.pattern}")
"""The form of a release's tag."""


class Version(NamedTuple):
    """A semantic version; versions compare by their numbers."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def tag(self) -> str:
        """The tag of the release."""
        return f"v{self}"

    def bumped(self, needs: Needs) -> Version:
        """Give the next version that a change allows; the same one where nothing changed."""
        if needs == "major":
            return Version(self.major + 1, 0, 0)
        if needs == "minor":
            return Version(self.major, self.minor + 1, 0)
        return Version(self.major, self.minor, self.patch + (needs == "patch"))


def is_version(text: str) -> bool:
    """Whether a text is of the form ``1.0.0``."""
    return _FORM.fullmatch(text) is not None


def parse_version(text: str) -> Version:
    """Read ``1.0.0`` or the tag ``v1.0.0``; raises :class:`InputError` for anything else."""
    match = _FORM.fullmatch(text.removeprefix("v"))
    if match is None:
        raise fail(f"version {text!r} is not of the form '1.0.0'")
    return Version(*map(int, match.groups()))


def smallest_version(old: str, needs: Needs) -> str:
    """The smallest version that may follow ``old`` when a change needs that part raised."""
    return str(parse_version(old).bumped(needs))


def too_small(old: str, new: str, needs: Needs) -> bool:
    """Whether ``new`` is smaller than the smallest version that the change needs after ``old``."""
    return parse_version(new) < parse_version(old).bumped(needs)
