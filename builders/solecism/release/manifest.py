"""The manifest of a data set folder, read back: what must be in the folder, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solecism.errors import candidates, fail
from solecism.hashing import file_digest
from solecism.release.built import MANIFEST

__all__ = ["ConfigFacts", "FileFacts", "Manifest", "damaged", "read_manifest"]


@dataclass(frozen=True)
class FileFacts:
    """A data file: its SHA-256 in hexadecimal and its size in bytes."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class ConfigFacts:
    """A config: its rows, the SHA-256 of its content (:class:`ContentDigest`) and its files by path."""

    name: str
    rows: int
    content: str
    files: Mapping[str, FileFacts]


@dataclass(frozen=True)
class Manifest:
    """What ``manifest.json`` says. ``sources``: the treebanks and other works that the data come from."""

    path: Path
    dataset: str
    version: str
    configs: Mapping[str, ConfigFacts]
    sources: tuple[Mapping[str, Any], ...] = ()

    def config(self, name: str) -> ConfigFacts:
        """Find a config; raises :class:`InputError` with the candidates where there is none."""
        if name not in self.configs:
            near = candidates("configs", sorted(self.configs), name)
            raise fail(f"data set {self.dataset!r} {self.version} has no config {name!r} {near}")
        return self.configs[name]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder that ``solecism build`` made.

    Raises :class:`InputError` where there is none or where it lacks something.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise fail(
            f"is no data set folder: it has no {MANIFEST} (make one: `solecism build`)", folder
        )
    try:
        return _manifest(path, json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, AttributeError) as error:
        raise fail(f"is no manifest of a build: {error}", path) from None
    except KeyError as error:
        raise fail(f"is no manifest of a build: it lacks {error}", path) from None


def _manifest(path: Path, value: Mapping[str, Any]) -> Manifest:
    configs = {name: _config(name, facts) for name, facts in value["configs"].items()}
    sources = [*_sources(value), *(s for c in value["configs"].values() for s in _sources(c))]
    return Manifest(path, value["dataset"], value["version"], configs, tuple(sources))


def _config(name: str, facts: Mapping[str, Any]) -> ConfigFacts:
    files = {p: FileFacts(f["sha256"], f["bytes"]) for p, f in facts["files"].items()}
    return ConfigFacts(name, facts["rows"], facts["content_sha256"], files)


def _sources(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    sources = value.get("sources", [])
    return [source for source in sources if isinstance(source, Mapping)]


def damaged(folder: Path, configs: Iterable[ConfigFacts]) -> list[str]:
    """Name the files of configs that are missing in a folder or have other bytes than the manifest says."""
    files = {path: facts for config in configs for path, facts in config.files.items()}
    return [path for path, facts in files.items() if not _is_whole(folder / path, facts)]


def _is_whole(path: Path, facts: FileFacts) -> bool:
    if not path.is_file() or path.stat().st_size != facts.bytes:
        return False
    return file_digest(path) == facts.sha256
