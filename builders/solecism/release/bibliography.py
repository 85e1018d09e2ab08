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


@dataclass(frozen=True)
class Reference:
    """A BibTeX entry; ``text`` is its source."""

    key: str
    kind: str
    fields: Mapping[str, str]
    text: str

    @property
    def authors(self) -> list[str]:
        """The authors as written (``Family, Given``)."""
        return self.fields.get("author", "").split(" and ")

    def to_cff(self) -> dict[str, Any]:
        """Describe the work as ``CITATION.cff`` does."""
        names = [name.partition(", ") for name in self.authors]
        return {
            "type": "conference-paper" if self.kind == "inproceedings" else "article",
            "title": self.fields.get("title", "").replace("{", "").replace("}", ""),
            "authors": [
                {"family-names": family, "given-names": given} for family, _, given in names
            ],
            "year": int(self.fields.get("year", "0")),
            **({"url": self.fields["url"]} if "url" in self.fields else {}),
        }


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
