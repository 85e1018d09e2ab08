"""Citation: the bibliography, the BibTeX entry of a data set, and its licences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from solecism import __version__
from solecism.datasets.catalogue import CatalogueEntry, as_list, catalogue_entry
from solecism.errors import InputError, Problem, candidates
from solecism.inputs import read_source
from solecism.root import Root

__all__ = [
    "Reference", "as_list", "bibtex", "cite", "one_or_all", "read_bibliography", "references_of", "spdx",
]  # fmt: skip


_TOOL = f"""@software{{solecism,
  author = {{{{The Solecism authors}}}},
  title = {{Solecism: controlled grammatical mistakes}},
  version = {{{__version__}}},
}}"""


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


def references_of(root: Root, entry: CatalogueEntry) -> list[Reference]:
    """Return the works that a data set follows, in the catalogue's order.

    Raises :class:`InputError` for a key that ``references.bib`` does not have. A root without a
    bibliography has none.
    """
    if not root.bibliography.is_file():
        return []
    known = read_bibliography(root.bibliography)
    unknown = [key for key in entry.sources if key not in known]
    if unknown:
        texts = (
            f"[{entry.name}] has source {key!r} {candidates('keys', list(known), key)}"
            for key in unknown
        )
        raise InputError(Problem(text, str(root.bibliography)) for text in texts)
    return [known[key] for key in entry.sources]


def bibtex(entry: CatalogueEntry) -> str:
    """Return the BibTeX entry of a version of a data set."""
    authors = entry.authors or (f"The authors of {entry.pretty_name or entry.name}",)
    fields = {
        "author": " and ".join(a if ", " in a else f"{{{a}}}" for a in authors),
        "title": f"{entry.pretty_name}, version {entry.version}",
        "year": str(entry.date.year) if entry.date else "",
        "url": f"https://huggingface.co/datasets/{entry.hub}" if entry.hub else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{solecism-{entry.name},", *lines, "}"])


def cite(root: Root, dataset: str) -> str:
    """Return BibTeX of a data set, of Solecism and of the works that the data set follows."""
    entry = catalogue_entry(root, dataset)
    return "\n\n".join([bibtex(entry), _TOOL, *(r.text for r in references_of(root, entry))])


_ENTRY = re.compile(r"^[ \t]*@(\w+)\s*\{\s*", re.M)
_KEY = re.compile(r"[^\s,{}=]+(?=\s*,)")
_FIELD = re.compile(r'\s*,?\s*([\w-]+)\s*=\s*(?=[{"\w])')


def read_bibliography(path: Path) -> dict[str, Reference]:
    """Read a BibTeX file; raises :class:`InputError` with the line of each broken entry."""
    text = read_source(path)
    found: dict[str, Reference] = {}
    problems: list[Problem] = []
    for match in _ENTRY.finditer(text):
        if match[1].lower() in ("comment", "preamble", "string"):
            continue
        try:
            entry = _entry(text, match)
            if entry.key in found:
                raise ValueError("the key is used twice")
            found[entry.key] = entry
        except ValueError as error:
            begun = " ".join(text[match.start() :].split("\n@")[0].split())[:40]
            line = text.count("\n", 0, match.start(1)) + 1
            problems.append(Problem(f"BibTeX: {begun!r}: {error}", str(path), line))
    if problems:
        raise InputError(problems)
    return found


def _entry(text: str, match: re.Match[str]) -> Reference:
    end = _closing(text, match.end() - len(match[0]) + match[0].index("{"))
    body = text[match.end() : end]
    key = _KEY.match(body)
    if not key:
        raise ValueError("it has no key and comma after the brace")
    fields: dict[str, str] = {}
    for name, value in _fields(body[key.end() :]):
        if name in fields:
            raise ValueError(f"the field {name!r} is given twice")
        fields[name] = value
    return Reference(key[0], match[1].lower(), fields, text[match.start() : end + 1].strip())


def _fields(body: str) -> Iterator[tuple[str, str]]:
    place = 0
    while match := _FIELD.match(body, place):
        start = match.end()
        if body[start] == "{":
            place = _closing(body, start) + 1
            value = body[start + 1 : place - 1]
        elif body[start] == '"':
            place = body.find('"', start + 1) + 1
            if not place:
                raise ValueError("a quotation mark is not closed")
            value = body[start + 1 : place - 1]
        else:
            place = start + len(re.split(r"[\s,]", body[start:], maxsplit=1)[0])
            value = body[start:place]
        yield match[1].lower(), " ".join(value.split())
    if rest := body[place:].strip(" \t\n,"):
        raise ValueError(f"{rest[:20]!r} is not of the form `name = {{value}},`")


def _closing(text: str, start: int) -> int:
    """Return the place of the brace that closes the one at ``start``."""
    depth = 0
    for match in re.compile(r"[{}]|\n@\w+\s*\{").finditer(text, start):
        if match[0][0] == "\n":
            break
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.start()
    raise ValueError("a brace is not closed")


_MIXED_CASE = {
    "apache-2.0": "Apache-2.0",
    "gpl-3.0": "GPL-3.0-only",
    "odbl": "ODbL-1.0",
    "lgpl-lr": "LGPLLR",
    "pddl": "PDDL-1.0",
}
"""Ids of the hub that are not those of SPDX in lower case, or of which SPDX has a newer one."""


def one_or_all(licences: Sequence[str]) -> str | list[str]:
    """Return one licence as a text, several as a list."""
    return licences[0] if len(licences) == 1 else list(licences)


def spdx(licence: str) -> str:
    """Return the SPDX identifier of a licence of the hub.

    >>> spdx("cc-by-4.0"), spdx("odbl")
    ('CC-BY-4.0', 'ODbL-1.0')
    """
    return _MIXED_CASE.get(licence, licence.upper())
