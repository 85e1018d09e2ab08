"""The manifest of a data set folder, read back: what must be in the folder, byte for byte."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solecism.datasets.configs import MANIFEST
from solecism.datasets.versions import is_version
from solecism.errors import InputError, candidates, fail
from solecism.hashing import file_digest
from solecism.inputs import Number, read_json

__all__ = [
    "ConfigFacts",
    "FileFacts",
    "Manifest",
    "damaged",
    "files_of_build",
    "is_within",
    "not_whole",
    "read_manifest",
]

LARGEST = 64 << 20
"""Bytes that a manifest may have."""


_FILES = {str: {"sha256": str, "bytes": Number(0, whole=True)}}
_SOURCES = [{"redistributable?": bool, "missing?": [str], "changed?": [str]}]
_CONFIG = {
    "rows": Number(0, whole=True), "content_sha256": str, "files": _FILES, "sources?": _SOURCES,
}  # fmt: skip
_SHAPE = {
    "dataset": str,
    "version": str,
    "configs": {str: _CONFIG},
    "documents?": _FILES,
    "sources?": _SOURCES,
}
"""The shape of a manifest (:mod:`solecism.inputs`)."""


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
    """What ``manifest.json`` says.

    ``documents``: the files beside the data, by path; ``sources``: the treebanks and other works that the
    data come from; ``raw``: all of it, as JSON.
    """

    path: Path
    dataset: str
    version: str
    configs: Mapping[str, ConfigFacts]
    documents: Mapping[str, FileFacts]
    sources: tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def files(self) -> dict[str, FileFacts]:
        """All files of the data set by path, documents and data; the manifest itself is not among them."""
        return {
            **self.documents,
            **{p: f for c in self.configs.values() for p, f in c.files.items()},
        }

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
    if path.stat().st_size > LARGEST:
        raise fail(f"is no manifest of a build: it has more than {LARGEST >> 20} MB", path)
    value = read_json(path, _SHAPE, "manifest of a build")
    if not is_version(value["version"]):
        message = f"version {value['version']!r} is not of the form '1.0.0'"
        raise fail(f"is no manifest of a build: {message}", path)
    try:
        return _manifest(path, value)
    except ValueError as error:
        raise fail(f"is no manifest of a build: {error}", path) from None


def _manifest(path: Path, value: Mapping[str, Any]) -> Manifest:
    configs = {name: _config(name, facts) for name, facts in value["configs"].items()}
    every = (value, *value["configs"].values())
    sources = tuple(source for facts in every for source in facts.get("sources", ()))
    documents = _files(value.get("documents", {}))
    return Manifest(path, value["dataset"], value["version"], configs, documents, sources, value)


def _config(name: str, facts: Mapping[str, Any]) -> ConfigFacts:
    if not facts["files"]:
        raise ValueError(f"config {name!r} has no files")
    return ConfigFacts(name, facts["rows"], facts["content_sha256"], _files(facts["files"]))


def _files(value: Mapping[str, Any]) -> dict[str, FileFacts]:
    for name in value:
        hidden = any(part.startswith(".") for part in Path(name).parts)
        if Path(name).is_absolute() or hidden or Path(name).as_posix() != name:
            raise ValueError(f"{name!r} is no path in the folder")
        if (
            not name.isprintable()
            or max(map(len, map(os.fsencode, Path(name).parts)), default=0) > 255
        ):
            raise ValueError(f"{name!r} is no name of a file")
    return {p: FileFacts(f["sha256"], f["bytes"]) for p, f in value.items()}


def damaged(folder: Path, configs: Iterable[ConfigFacts]) -> list[str]:
    """Name the files of configs that are missing in a folder or have other bytes than the manifest says."""
    return not_whole(folder, {p: facts for config in configs for p, facts in config.files.items()})


def not_whole(folder: Path, files: Mapping[str, FileFacts]) -> list[str]:
    """Name the files that are missing in a folder or have other bytes than is said of them."""
    return [path for path, facts in files.items() if not _is_whole(folder / path, facts)]


def files_of_build(folder: Path) -> list[str]:
    """Return which files of a folder a build made, by their digests; the manifest is the last.

    A file that was changed since is its owner's. Without a manifest of ours there are none.
    """
    try:
        manifest = read_manifest(folder)
    except InputError:
        return []
    if not str(manifest.raw.get("tool", "")).startswith("solecism "):
        return []
    names = [name for name in manifest.files if is_within(folder, name)]
    return [*(n for n in names if _is_whole(folder / n, manifest.files[n])), MANIFEST]


def is_within(folder: Path, name: str) -> bool:
    """Whether no link leads to a file from the folder that it is said to be in."""
    return (folder / name).resolve() == folder.resolve() / name


def _is_whole(path: Path, facts: FileFacts) -> bool:
    if not path.is_file() or path.stat().st_size != facts.bytes:
        return False
    return file_digest(path) == facts.sha256
