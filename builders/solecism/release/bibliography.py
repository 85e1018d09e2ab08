"""``references.bib``: the few BibTeX fields that citations need."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solecism.errors import fail

__all__ = ["Reference", "read_bibliography"]

_ENTRY = re.compile(r"^@(\w+)\{([^,\s]+),\s*$(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*[{\"](.*?)[}\"],?\s*$", re.MULTILINE)

_TYPES = {
    "article": "article", "book": "book", "inbook": "book", "incollection": "book",
    "inproceedings": "conference-paper", "phdthesis": "thesis", "mastersthesis": "thesis",
    "techreport": "report", "software": "software", "dataset": "dataset",
}  # fmt: skip
"""Kinds of BibTeX entries in the words of CITATION.cff."""


@dataclass(frozen=True)
class Reference:
    """A BibTeX entry; ``text`` is its source."""

    key: str
    kind: str
    fields: Mapping[str, str]
    text: str

    @property
    def authors(self) -> list[str]:
        """The authors as written (``Family, Given``), or the editors of a work that names no author."""
        names = self.fields.get("author") or self.fields.get("editor", "")
        return names.split(" and ") if names else []

    def to_cff(self) -> dict[str, Any]:
        """Describe the work as ``CITATION.cff`` does."""
        start, _, end = self.fields.get("pages", "").partition("--")
        told = {
            "type": _TYPES.get(self.kind, "generic"),
            "title": self.fields.get("title", "").replace("{", "").replace("}", ""),
            "authors": [_person(name) for name in self.authors],
            "year": int(self.fields.get("year", "0")),
            "collection-title": self.fields.get("booktitle"),
            **{name: self.fields.get(name) for name in ("journal", "volume")},
            "start": start,
            "end": end,
            **{name: self.fields.get(name) for name in ("doi", "url")},
        }
        return {name: value for name, value in told.items() if value}


def _person(name: str) -> dict[str, str]:
    family, comma, given = name.partition(", ")
    return {"family-names": family, "given-names": given} if comma else {"name": name.strip("{}")}


def read_bibliography(path: Path) -> Mapping[str, Reference]:
    """Read a BibTeX file (one field a line); raises :class:`InputError` where an entry is not closed."""
    text = path.read_text(encoding="utf-8")
    found = {
        match[2]: Reference(match[2], match[1], dict(_FIELD.findall(match[3])), match[0])
        for match in _ENTRY.finditer(text)
    }
    opened = re.findall(r"^@\w+\{([^,\s]+),", text, re.MULTILINE)
    for key in opened:
        if key not in found:
            raise fail(f"entry {key!r} is not closed by a line `}}`", path)
    return found
