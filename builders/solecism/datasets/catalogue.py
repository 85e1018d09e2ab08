"""The catalogue: an entry for each data set, with its version; and what versions mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any, Literal, NamedTuple

from solecism.errors import candidates, fail
from solecism.inputs import INTEGER, check, read_toml
from solecism.root import Root

__all__ = [
    "BUILT_IN", "MINED", "TAG", "CatalogueEntry", "Needs", "Version", "as_list", "catalogue_entry",
    "catalogue_of", "is_version", "mined_names", "parse_version", "read_catalogue", "smallest_version",
]  # fmt: skip

BUILT_IN = Path(__file__).with_name("catalogue.toml")
MINED = "mined"
ALLOWED = {
    "configs": ("languages", "paradigms", MINED),
    "annotations_creators": (
        "crowdsourced", "expert-generated", "found", "machine-generated", "no-annotation", "other",
    ),
    "language_creators": (
        "crowdsourced", "expert-generated", "found", "machine-generated", "other",
    ),
}  # fmt: skip
"""The layouts of configs, and what the hub accepts."""


_LISTS = (
    "authors", "sources", "tags", "annotations_creators", "language_creators", "source_datasets",
    "task_categories", "task_ids",
)  # fmt: skip
_TEXTS = ("version", "pretty_name", "summary", "paper", "configs", "traditional", "hub")
_SHAPE: dict[object, object] = {
    **{f"{key}?": [str] for key in _LISTS},
    **{f"{key}?": str for key in _TEXTS},
    "license?": (str, [str]),
    "seed?": INTEGER,
    "date?": date,
}
"""The shape of an entry (:mod:`solecism.inputs`)."""


@dataclass(frozen=True)
class CatalogueEntry:
    """The entry of a data set in the catalogue.

    ``authors`` are names (``Family, Given``), ``sources`` keys of ``references.bib``; ``configs``
    says whether each of the ``languages`` or each of the ``paradigms`` is a config, or whether they
    are ``mined`` from treebanks; ``traditional`` is the OpenCC conversion (``s2t``) to traditional
    characters, if there should be any; ``license`` is the hub's id, or a list if configs have
    different ones; ``hub`` is the repository (``ORG/NAME``) and ``date`` that of the version. The
    rest goes into the card's metadata under the hub's names.
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


def read_catalogue(path: Path) -> Mapping[str, CatalogueEntry]:
    """Read a catalogue; raises :class:`InputError` for bad TOML, unknown keys or a bad version."""
    entries = read_toml(path)
    check(entries, {str: dict}, path)
    return {name: _entry(name, values, path) for name, values in entries.items()}


def _entry(name: str, values: Mapping[str, Any], path: Path) -> CatalogueEntry:
    known = [f.name for f in fields(CatalogueEntry) if f.name != "name"]
    for key in values:
        if key not in known:
            raise fail(f"[{name}]: unknown key {key!r} {candidates('keys', known, key)}", path)
    check({name: values}, {name: _SHAPE}, path)
    version = values.get("version", "")
    if not is_version(version):
        raise fail(f"[{name}]: version {version!r} is not of the form '1.0.0'", path)
    for key, allowed in ALLOWED.items():
        for value in as_list(values.get(key, ())):
            if value not in allowed:
                near = candidates("values", allowed, value)
                raise fail(f"[{name}]: {key} has {value!r} {near}", path)
    lists: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    return CatalogueEntry(name, **lists)


def as_list(values: str | Sequence[str]) -> list[str]:
    """Return one or several licences, or other texts, as a list."""
    return [values] if isinstance(values, str) else list(values)


def catalogue_entry(root: Root, dataset: str) -> CatalogueEntry:
    """Return the entry of a data set from the ``catalogue.toml`` of the root, or else from ours.

    A data set that is in neither (one that is being written) has version 0.0.0.
    """
    path = catalogue_of(root, dataset)
    if path is not None:
        return read_catalogue(path)[dataset]
    if dataset not in root.datasets:
        names = sorted({*root.datasets, *mined_names()})
        raise fail(f"there is no data set {dataset!r} {candidates('data sets', names, dataset)}")
    return CatalogueEntry(dataset, "0.0.0", dataset)


def mined_names() -> list[str]:
    """Return the names of the data sets that are mined from treebanks."""
    return [name for name, entry in read_catalogue(BUILT_IN).items() if entry.configs == MINED]


def catalogue_of(root: Root, dataset: str) -> Path | None:
    """Return the catalogue that has a data set: the root's, ours, or None."""
    places = (root.path / BUILT_IN.name, BUILT_IN)
    return next((p for p in places if p.is_file() and dataset in read_catalogue(p)), None)


Needs = Literal["major", "minor", "patch", "none"]
"""The part of the version that a change raises.

``major``: the meaning or the ids of items changed; ``minor``: items were added; ``patch``: cards or
other documents changed.
"""

_FORM = re.compile(r"\.".join([r"(0|[1-9][0-9]{0,8})"] * 3))

TAG = re.compile(rf"v{_FORM.pattern}")
"""The form of a release's tag."""


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
        "major": Version(major + 1, 0, 0),
        "minor": Version(major, minor + 1, 0),
        "patch": Version(major, minor, patch + 1),
        "none": Version(major, minor, patch),
    }
    return str(following[needs])
