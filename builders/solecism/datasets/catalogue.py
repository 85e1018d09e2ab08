"""The catalogue: an entry for each data set; what versions mean; how a data set is cited."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

import regex

from solecism.errors import InputError, Problem, fail, unknown_error
from solecism.inputs import INTEGER, check, read_source, read_toml, with_tuples
from solecism.root import Root
from solecism.version import __version__

BUILT_IN = Path(__file__).with_name("catalogue.toml")
MINED = "mined"
_CREATORS = ("crowdsourced", "expert-generated", "found", "machine-generated", "other")
_TYPES: dict[object, object] = {
    "str": str, "int": INTEGER, "date | None": date, "tuple[str, ...]": [str],
    "str | tuple[str, ...]": (str, [str]),
}  # fmt: skip
"""The shapes of values (:mod:`solecism.inputs`) by the types of the fields of an entry."""


@dataclass(frozen=True)
class CatalogueEntry:
    """The entry of a data set in the catalogue.

    ``authors`` are names (``Family, Given``), ``sources`` keys of ``references.bib``; ``configs``
    says whether each of the ``languages`` or each of the ``paradigms`` is a config, or whether
    configs are ``mined`` from treebanks; ``traditional`` is the OpenCC conversion (``s2t``) for
    configs in traditional characters (empty: there are none); ``license`` is the hub's id, or a
    list if configs have different ones; ``hub`` is the repository (``ORG/NAME``) and ``date`` that
    of the version. ``of`` is the data set that this one is drawn from within ``limits`` (entries of
    the manifest), where a user asked for any. The rest goes into the card's metadata under the
    hub's names.
    """

    name: str
    version: str
    pretty_name: str = ""
    summary: str = ""
    license: str | tuple[str, ...] = "cc-by-4.0"
    authors: tuple[str, ...] = ()
    paper: str = ""
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    seed: int = 0
    configs: str = "languages"
    traditional: str = ""
    date: date | None = None
    hub: str = ""
    annotations_creators: tuple[str, ...] = ("machine-generated",)
    language_creators: tuple[str, ...] = ("machine-generated",)
    source_datasets: tuple[str, ...] = ("original",)
    task_categories: tuple[str, ...] = ("text-classification",)
    task_ids: tuple[str, ...] = ("acceptability-classification",)
    of: CatalogueEntry | None = None
    limits: Mapping[str, object] = field(default_factory=dict)

    @property
    def templates(self) -> str:
        """The name of the data set whose templates this one has."""
        return self.of.name if self.of else self.name


_SHAPE = {f"{f.name}?": _TYPES[f.type] for f in fields(CatalogueEntry) if f.type in _TYPES} | {
    "configs?": ("languages", "paradigms", MINED),
    "annotations_creators?": [(*_CREATORS, "no-annotation")],
    "language_creators?": [_CREATORS],
}
"""The shape of an entry: creators are what the hub accepts."""


def read_catalogue(path: Path) -> Mapping[str, CatalogueEntry]:
    """Read a catalogue; raises :class:`InputError` for bad TOML, unknown keys or a bad version."""
    entries = read_toml(path, {str: dict})
    check(entries, dict.fromkeys(entries, _SHAPE), path, strict=True)
    found = {}
    for name, values in entries.items():
        version = values.pop("version", "")
        if not is_version(version):
            raise fail(f"[{name}]: version {version!r} is not of the form '1.0.0'", path)
        found[name] = CatalogueEntry(name, version, **with_tuples(values))
    return found


def as_list(values: str | Sequence[str]) -> list[str]:
    """Return one text (a licence, say) or several as a list."""
    return [values] if isinstance(values, str) else list(values)


def catalogue_entry(root: Root, dataset: str) -> CatalogueEntry:
    """Return the entry of a data set from the ``catalogue.toml`` of the root, or else from ours.

    A data set that is in neither (one that is being written) has version 0.0.0.
    """
    _, entry = catalogue_of(root, dataset)
    if entry is None and dataset not in root.datasets:
        names = sorted({*root.datasets, *mined_names()})
        raise unknown_error("there is no data set", dataset, "data sets", names)
    return entry or CatalogueEntry(dataset, "0.0.0", dataset)


def mined_names() -> list[str]:
    """Return the names of the data sets that are mined from treebanks."""
    return [name for name, entry in read_catalogue(BUILT_IN).items() if entry.configs == MINED]


def catalogue_of(root: Root, dataset: str) -> tuple[Path, CatalogueEntry | None]:
    """Return the catalogue that has a data set (the root's, else ours), with the entry.

    If neither has it, that is the catalogue of the root, where an entry would stand.
    """
    own = root.path / BUILT_IN.name
    for path in (own, BUILT_IN):
        if path.is_file() and (entry := read_catalogue(path).get(dataset)):
            return path, entry
    return own, None


Needs = Literal["major", "minor", "patch", "none"]
"""The part of the version that a change raises.

``major``: the meaning or the ids of items changed; ``minor``: items were added; ``patch``: cards or
other documents changed.
"""

_FORM = re.compile(r"\.".join([r"(0|[1-9][0-9]{0,8})"] * 3))

TAG = re.compile(rf"v{_FORM.pattern}")
"""The form of the tag of a release."""


class Version(NamedTuple):
    """A semantic version. Versions compare by their numbers."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def tag(self) -> str:
        """The tag of the release."""
        return f"v{self}"


def is_version(text: str) -> bool:
    """Return whether a text is of the form ``1.0.0``."""
    return _FORM.fullmatch(text) is not None


def parse_version(text: str) -> Version:
    """Read ``1.0.0`` or the tag ``v1.0.0``; raises :class:`InputError` for anything else.

    >>> parse_version("v1.10.0") > parse_version("1.9.2")
    True
    """
    match = _FORM.fullmatch(text.removeprefix("v"))
    if match is None:
        raise fail(f"version {text!r} is not of the form '1.0.0'")
    return Version(*map(int, match.groups()))


def smallest_version(old: str, needs: Needs) -> str:
    """Return the smallest version that may follow ``old`` after a change.

    >>> smallest_version("1.2.3", "minor")
    '1.3.0'
    """
    major, minor, patch = parse_version(old)
    following = {
        "major": (major + 1, 0, 0), "minor": (major, minor + 1, 0), "patch": (major, minor, patch + 1),
        "none": (major, minor, patch),
    }  # fmt: skip
    return str(Version(*following[needs]))


_TOOL = f"""@software{{solecism,
  author = {{{{The Solecism authors}}}},
  title = {{Solecism: controlled grammatical mistakes}},
  version = {{{__version__}}},
}}"""


@dataclass(frozen=True)
class Reference:
    """A BibTeX entry; ``text`` is its source."""

    key: str
    fields: Mapping[str, str]
    text: str

    @property
    def authors(self) -> list[str]:
        """The authors as written (``Family, Given``); the editors if there are none."""
        names = self.fields.get("author") or self.fields.get("editor", "")
        return names.split(" and ") if names else []


def references_of(root: Root, entry: CatalogueEntry) -> list[Reference]:
    """Return the works that a data set follows, in the catalogue's order.

    The list is empty if the root has no ``references.bib``. Raises :class:`InputError` for a key
    that is not in that file.
    """
    path = root.bibliography
    if not path.is_file():
        return []
    known = read_bibliography(path)
    message = f"[{entry.name}] has source"
    lacking = [key for key in entry.sources if key not in known]
    wrong = [unknown_error(message, key, "keys", known, path) for key in lacking]
    if wrong:
        raise InputError(problem for error in wrong for problem in error.problems)
    return [known[key] for key in entry.sources]


def bibtex(entry: CatalogueEntry) -> str:
    """Return the BibTeX entry of a version of a data set."""
    authors = entry.authors or (f"The authors of {entry.pretty_name or entry.name}",)
    values = {
        "author": " and ".join(a if ", " in a else f"{{{a}}}" for a in map(_plain, authors)),
        "title": _plain(f"{entry.pretty_name}, version {entry.version}"),
        "year": str(entry.date.year) if entry.date else "",
        "url": f"https://huggingface.co/datasets/{entry.hub}" if entry.hub else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in values.items() if value]
    key = re.sub(r"[^.a-zA-Z0-9_-]+", "-", entry.name)
    return "\n".join([f"@misc{{solecism-{key},", *lines, "}"])


def _plain(text: str) -> str:
    """Return a text without what is special in BibTeX: others may have named the data set."""
    return " ".join(re.sub(r"[{}\\@]", "", text).split())


def cite(root: Root, dataset: str) -> str:
    """Return BibTeX of a data set, of Solecism and of the works that the data set follows."""
    entry = catalogue_entry(root, dataset)
    return "\n\n".join([bibtex(entry), _TOOL, *(r.text for r in references_of(root, entry))])


_BRACES = r"(?P<braces>\{(?:[^{}]|(?&braces))*+\})"
_HEAD = re.compile(r"^[ \t]*@(?!(?:comment|preamble|string)\b)\w+\s*\{", re.M | re.I)
_ENTRY = regex.compile(rf"\s*@\w+\s*\{{\s*([^\s,{{}}=]+)\s*,((?:[^{{}}]|{_BRACES})*+)\}}")
_FIELD = regex.compile(rf'([\w-]+)\s*=\s*(?:{_BRACES}|"([^"]*)"|([^\s,{{}}"]+))\s*(?:,|$)')


def read_bibliography(path: Path) -> dict[str, Reference]:
    """Read a BibTeX file; raises :class:`InputError` with the line of each broken entry."""
    text = read_source(path)
    found: dict[str, Reference] = {}
    problems: list[Problem] = []
    for head in _HEAD.finditer(text):
        begun = " ".join(text[head.start() :].split("\n@")[0].split())[:40]
        line = text.count("\n", 0, head.end()) + 1
        entry = _ENTRY.match(text, head.start())
        rest = _FIELD.sub("", entry[2]).strip() if entry else ""
        message = "" if entry else "it needs a key with a comma, and an end for each brace"
        if rest:
            message = f"{rest[:20]!r} is not of the form `name = {{value}},`"
        elif entry and entry[1] in found:
            message = "the key is used twice"
        if message or entry is None:
            problems.append(Problem(f"BibTeX: {begun!r}: {message}", str(path), line))
            continue
        values = {
            name.lower(): " ".join((braces[1:-1] or quoted or plain).split())
            for name, braces, quoted, plain in _FIELD.findall(entry[2])
        }
        found[entry[1]] = Reference(entry[1], values, entry[0].strip())
    if problems:
        raise InputError(problems)
    return found


_MIXED_CASE = {
    "apache-2.0": "Apache-2.0",
    "gpl-3.0": "GPL-3.0-only",
    "odbl": "ODbL-1.0",
    "lgpl-lr": "LGPLLR",
    "pddl": "PDDL-1.0",
}
"""SPDX identifiers by ids of the hub, if upper case is not enough to turn one into the other."""


def one_or_all(licences: Sequence[str]) -> str | list[str]:
    """Return one licence as a text, several as a list."""
    return licences[0] if len(licences) == 1 else list(licences)


def spdx(licence: str) -> str:
    """Return the SPDX identifier of a licence of the hub.

    >>> spdx("cc-by-4.0"), spdx("odbl")
    ('CC-BY-4.0', 'ODbL-1.0')
    """
    return _MIXED_CASE.get(licence, licence.upper())
