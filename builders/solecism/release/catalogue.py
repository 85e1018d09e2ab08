"""The catalogue: one stanza a data set, with its version."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from solecism.errors import candidates, fail
from solecism.sources import Root

__all__ = ["Stanza", "read_catalogue", "stanza"]

BUILT_IN = Path(__file__).with_name("catalogue.toml")
_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True)
class Stanza:
    """What the catalogue says of a data set. ``sources`` are keys of ``references.bib``."""

    name: str
    version: str
    pretty_name: str = ""
    summary: str = ""
    license: str = "cc-by-4.0"
    paper: str = ""
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    seed: int = 0


def read_catalogue(path: Path) -> Mapping[str, Stanza]:
    """Read a catalogue; raises :class:`InputError` for bad TOML, unknown keys or a bad version."""
    try:
        stanzas: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise fail(f"TOML: {error}", path) from None
    return {name: _stanza(name, values, path) for name, values in stanzas.items()}


def _stanza(name: str, values: Mapping[str, Any], path: Path) -> Stanza:
    known = [f.name for f in fields(Stanza) if f.name != "name"]
    for key in values:
        if key not in known:
            raise fail(f"[{name}]: unknown key {key!r} {candidates('keys', known, key)}", path)
    version = values.get("version", "")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise fail(f"[{name}]: version {version!r} is not of the form '1.0.0'", path)
    lists: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    return Stanza(name, **lists)


def stanza(root: Root, dataset: str) -> Stanza:
    """Find a data set's stanza, in ``catalogue.toml`` of the root or else in the house's own.

    A data set that stands in neither (one being written) has version 0.0.0.
    """
    for path in (root.path / "catalogue.toml", BUILT_IN):
        if path.is_file() and dataset in (found := read_catalogue(path)):
            return found[dataset]
    root.configs(dataset)
    return Stanza(dataset, "0.0.0", dataset)
