"""Citation: the bibliography, BibTeX and CITATION.cff of a data set, and its licences."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from solecism.datasets.catalogue import Stanza, stanza
from solecism.errors import InputError, Problem, candidates
from solecism.inputs import read_source
from solecism.root import Root
from solecism.version import __version__

if TYPE_CHECKING:
    from bibtexparser.model import Entry, ParsingFailedBlock

__all__ = [
    "Reference", "as_list", "bibtex", "citation_cff", "cite", "one_or_all", "read_bibliography",
    "references_of", "spdx", "spdx_url",
]  # fmt: skip


_TOOL = f"""@software{{solecism,
  author = {{{{The Solecism authors}}}},
  title = {{Solecism: controlled grammatical mistakes}},
  version = {{{__version__}}},
}}"""


def references_of(root: Root, entry: Stanza) -> list[Reference]:
    """Return the works that a data set follows, in the catalogue's order.

    Raises :class:`InputError` for a key that ``references.bib`` does not have. A root without a
    bibliography has none.
    """
    if not root.bibliography.is_file():
        return []
    known = read_bibliography(root.bibliography)
    lost = [key for key in entry.sources if key not in known]
    if lost:
        place = str(root.bibliography)
        texts = (
            f"[{entry.name}] has source {k!r} {candidates('keys', list(known), k)}" for k in lost
        )
        raise InputError(Problem(text, place) for text in texts)
    return [known[key] for key in entry.sources]


def _address(entry: Stanza) -> str:
    """Return where the data set is published; empty if the catalogue does not say."""
    return f"https://huggingface.co/datasets/{entry.hub}" if entry.hub else ""


def _authors(entry: Stanza) -> Sequence[str]:
    return entry.authors or (f"The authors of {entry.pretty_name or entry.name}",)


def bibtex(entry: Stanza) -> str:
    """Return the BibTeX entry of a version of a data set."""
    fields = {
        "author": " and ".join(a if ", " in a else f"{{{a}}}" for a in _authors(entry)),
        "title": f"{entry.pretty_name}, version {entry.version}",
        "year": str(entry.date.year) if entry.date else "",
        "url": _address(entry),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{solecism-{entry.name},", *lines, "}"])


def cite(root: Root, dataset: str) -> str:
    """Return BibTeX of a data set, of Solecism and of the works that the data set follows."""
    entry = stanza(root, dataset)
    return "\n\n".join([bibtex(entry), _TOOL, *(r.text for r in references_of(root, entry))])


def citation_cff(entry: Stanza, references: Sequence[Reference]) -> str:
    """Return ``CITATION.cff`` (Citation File Format 1.2.0) of a data set."""
    licences = [spdx(licence) for licence in as_list(entry.license)]
    value = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it and the work it follows.",
        "type": "dataset",
        "title": entry.pretty_name,
        "version": entry.version,
        **({"date-released": entry.date} if entry.date else {}),
        "license": one_or_all(licences),
        "authors": [_person(name) for name in _authors(entry)],
        **({"url": _address(entry)} if entry.hub else {}),
        "references": [reference.to_cff() for reference in references],
    }
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)


logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # what it logs is raised here
_TYPES = {
    "article": "article", "book": "book", "inbook": "book", "incollection": "book",
    "inproceedings": "conference-paper", "phdthesis": "thesis", "mastersthesis": "thesis",
    "techreport": "report", "software": "software", "dataset": "dataset",
}  # fmt: skip
"""The kinds of BibTeX entries, as CITATION.cff calls them."""


@dataclass(frozen=True)
class Reference:
    """A BibTeX entry; ``text`` is its source."""

    key: str
    kind: str
    fields: Mapping[str, str]
    text: str

    @property
    def authors(self) -> list[str]:
        """The authors as written (``Family, Given``); the editors if there are none."""
        names = self.fields.get("author") or self.fields.get("editor", "")
        return names.split(" and ") if names else []

    def to_cff(self) -> dict[str, Any]:
        """Return the entry of ``CITATION.cff``."""
        start, _, end = self.fields.get("pages", "").partition("--")
        entry = {
            "type": _TYPES.get(self.kind, "generic"),
            "title": self.fields.get("title", "").replace("{", "").replace("}", ""),
            "authors": [_person(name) for name in self.authors],
            "year": int(year) if (year := self.fields.get("year", "")).isdecimal() else 0,
            "collection-title": self.fields.get("booktitle"),
            **{name: self.fields.get(name) for name in ("journal", "volume")},
            "start": start,
            "end": end,
            **{name: self.fields.get(name) for name in ("doi", "url")},
        }
        return {name: value for name, value in entry.items() if value}


def _person(name: str) -> dict[str, str]:
    family, comma, given = name.partition(", ")
    return {"family-names": family, "given-names": given} if comma else {"name": name.strip("{}")}


def read_bibliography(path: Path) -> Mapping[str, Reference]:
    """Read a BibTeX file; raises :class:`InputError` with the line of each broken entry."""
    from bibtexparser.entrypoint import parse_string  # a sixth of a second, for few commands

    library = parse_string(read_source(path))
    if library.failed_blocks:
        raise InputError(
            Problem(f"BibTeX: {_wrong(block)}", str(path), (block.start_line or 0) + 1)
            for block in library.failed_blocks
        )
    return {entry.key: _reference(entry) for entry in library.entries}


def _reference(entry: Entry) -> Reference:
    fields = {field.key.lower(): " ".join(str(field.value).split()) for field in entry.fields}
    return Reference(entry.key, entry.entry_type.lower(), fields, entry.raw or "")


def _wrong(block: ParsingFailedBlock) -> str:
    """Return what is wrong with an entry, in the parser's words."""
    reason = getattr(block.error, "abort_reason", "") or str(block.error).partition(". Note:")[0]
    begun = " ".join((block.raw or "").split())[:40]
    return f"{begun!r}: {' '.join(reason.split()).rstrip('.')}"


_MIXED_CASE = {
    "apache-2.0": "Apache-2.0",
    "gpl-3.0": "GPL-3.0-only",
    "odbl": "ODbL-1.0",
    "lgpl-lr": "LGPLLR",
    "pddl": "PDDL-1.0",
}
"""Ids of the hub that are not those of SPDX in lower case, or of which SPDX has a newer one."""


def as_list(licences: str | Sequence[str]) -> list[str]:
    """Return one or several licences as a list."""
    return [licences] if isinstance(licences, str) else list(licences)


def one_or_all(licences: Sequence[str]) -> str | list[str]:
    """Return one licence as a text, several as a list."""
    return licences[0] if len(licences) == 1 else list(licences)


def spdx(licence: str) -> str:
    """Return the SPDX identifier of a licence of the hub.

    >>> spdx("cc-by-4.0"), spdx("odbl")
    ('CC-BY-4.0', 'ODbL-1.0')
    """
    return _MIXED_CASE.get(licence, licence.upper())


def spdx_url(licence: str) -> str:
    """Return the address of a licence's text at SPDX."""
    return f"https://spdx.org/licenses/{spdx(licence)}.html"
