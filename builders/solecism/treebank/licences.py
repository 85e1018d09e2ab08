"""Licences as treebanks and word lists state them, and their SPDX identifiers.

A README names a licence, LICENSE.txt tells of one in words; where they disagree, the stricter one
holds: what either of them forbids is forbidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["NOT_STATED", "allows_commerce", "allows_derivatives", "list_licence", "strictest"]

NOT_STATED = "LicenseRef-not-stated"
ACADEMIC = "LicenseRef-academic-use"

_OTHERS = {
    r"\bC-UDA\b": "C-UDA-1.0",
    r"\bLGPL-?LR\b": "LGPLLR",
    r"\bGPL\b": "GPL-3.0-only",
    r"\bCC0\b": "CC0-1.0",
    r"\bPD\b": "LicenseRef-public-domain",
}
"""Licences that are not of the family CC BY, by what READMEs call them."""

_BY = re.compile(r"\bby((?:[- ](?:nc|nd|sa))*)\b")
_WORDS = {
    "by": re.compile(r"attribution\b"),
    "nc": re.compile(r"non-?commercial"),
    "nd": re.compile(r"no-?deriv"),
    "sa": re.compile(r"share-?alike"),
}
_VERSION = re.compile(r"\b([1-4]\.[05])\b")


def strictest(readme: str, text: str = "") -> str:
    """Return the SPDX identifier of what README and LICENSE.txt say together.

    The version is the README's. Terms that have no identifier of their own are joined by ``AND``.

    >>> strictest("CC BY-NC 4.0", "Creative Commons License Attribution-ShareAlike 3.0")
    'CC-BY-NC-SA-4.0'
    """
    ours, theirs = _terms(readme), _terms(text)
    other = next((name for mark, name in _OTHERS.items() if re.search(mark, readme)), "")
    if other and not ("by" in theirs and other.startswith(("CC0", "LicenseRef"))):
        licence = other
    else:
        version = _VERSION.search(readme if "by" in ours else text)
        licence = _creative_commons(ours | theirs, version[1] if version else "")
    return f"{licence} AND {ACADEMIC}" if "academic use" in text else licence


def _terms(text: str) -> set[str]:
    """Return the terms of CC BY that a text names: by, nc, nd, sa."""
    lower = text.casefold()
    found = {name for name, mark in _WORDS.items() if mark.search(lower)}
    for match in _BY.finditer(lower):
        found |= {"by", *re.findall("nc|nd|sa", match[1])} if match[1] else set()
    return found | ({"by"} if "cc by" in lower or "cc-by" in lower else set())


def _creative_commons(terms: set[str], version: str) -> str:
    if "by" not in terms or not version:
        return NOT_STATED
    order = [name for name in ("nc", "nd", "sa") if name in terms]
    order = [name for name in order if name != "sa" or "nd" not in terms]
    return "-".join(["CC-BY", *(name.upper() for name in order), version])


def allows_commerce(licence: str) -> bool:
    """Return whether a licence is known to allow commercial use."""
    return "-NC" not in licence and ACADEMIC not in licence and licence != NOT_STATED


def allows_derivatives(licence: str) -> bool:
    """Return whether a licence is known to allow that what is made of a work is passed on."""
    return "-ND" not in licence and licence != NOT_STATED


def list_licence(lines: Sequence[str], path: str) -> str:
    """Return the licence of a word list by the lines of its README about licences.

    Lines that name another file of the repository are not about this one.
    """
    own = [n for n, line in enumerate(lines) if f"({path} file)" in line or f"`{path}`" in line]
    if own:
        lines = [line for n in own for line in lines[n : n + 2]]
    text = " ".join(line for line in lines if own or "` is " not in line)
    if "LGPLLR" in text:
        return "LGPLLR"
    return strictest(text) if _VERSION.search(text) else NOT_STATED
