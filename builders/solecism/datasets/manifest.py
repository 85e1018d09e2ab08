"""The manifest of a data set folder: ``manifest.json`` lists all files with their digests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solecism import __version__
from solecism.datasets.catalogue import MINED, CatalogueEntry, is_version
from solecism.datasets.citation import as_list, one_or_all
from solecism.datasets.configs import BuiltConfig, languages_of, sources_of
from solecism.errors import InputError, candidates, fail
from solecism.hashing import Content, ContentDigest, file_digest
from solecism.inputs import Number, read_json, reading_parquet
from solecism.root import Root

__all__ = [
    "MANIFEST", "ConfigFiles", "Manifest", "changed_files", "content_of", "content_of_files", "contents_of",
    "damaged", "files_of_build", "input_digests", "is_within", "manifest_json", "read_manifest",
]  # fmt: skip

MANIFEST = "manifest.json"

LARGEST = 64 << 20
"""Bytes that a manifest may have."""

_FILES = {str: {"sha256": str, "bytes": Number(0, whole=True)}}
_SOURCES = [{"redistributable?": bool, "missing?": [str], "changed?": [str]}]
_CONFIG = {
    "rows": Number(0, whole=True), "content_sha256": str, "files": _FILES, "sources?": _SOURCES,
    "kind?": str, "default?": bool, "languages?": [str],
}  # fmt: skip
_SHAPE = {
    "dataset": str,
    "version": str,
    "configs": {str: _CONFIG},
    "documents?": _FILES,
    "sources?": _SOURCES,
    "left_out?": {str: str},
}
"""The shape of a manifest (:mod:`solecism.inputs`)."""


@dataclass(frozen=True)
class FileDigest:
    """The SHA-256 of a file in hexadecimal, and its size in bytes."""

    sha256: str
    bytes: int

    def is_of(self, path: Path) -> bool:
        """Return whether a file is there with these bytes."""
        if not path.is_file() or path.stat().st_size != self.bytes:
            return False
        return file_digest(path) == self.sha256


@dataclass(frozen=True)
class ConfigFiles:
    """The content of a config, and its files by their paths in the folder.

    ``kind`` is that of its items (``pair``, ``suite``, ``cloze``, ``forms``, ``judgments``; empty
    if the manifest does not say); ``default`` marks the config that is opened if none is named.
    """

    name: str
    content: Content
    files: Mapping[str, FileDigest]
    kind: str = ""
    default: bool = False
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """The content of ``manifest.json``.

    ``documents``: the files beside the data, by path; ``sources``: the treebanks and other works
    that the data come from; ``raw``: the whole manifest as JSON.
    """

    path: Path
    dataset: str
    version: str
    configs: Mapping[str, ConfigFiles]
    documents: Mapping[str, FileDigest]
    sources: tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def files(self) -> dict[str, FileDigest]:
        """All files of the data set by path, documents and data; not the manifest itself."""
        data = {p: f for config in self.configs.values() for p, f in config.files.items()}
        return {**self.documents, **data}

    def config(self, name: str) -> ConfigFiles:
        """Return a config; raises :class:`InputError` with the candidates if there is none."""
        if name not in self.configs:
            near = candidates("configs", sorted(self.configs), name)
            raise fail(f"data set {self.dataset!r} {self.version} has no config {name!r} {near}")
        return self.configs[name]

    def paths(self, config: str) -> list[Path]:
        """Return the Parquet files of a config; raises :class:`InputError` as :meth:`config`."""
        return [self.path.parent / path for path in self.config(config).files]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder that ``solecism build`` made; the same file is read once.

    Raises :class:`InputError` where there is none or where it lacks something.
    """
    path = folder / MANIFEST
    if not path.is_file():
        message = f"is no data set folder: it has no {MANIFEST} (make one: `solecism build`)"
        raise fail(message, folder)
    about = path.stat()
    if about.st_size > LARGEST:
        raise fail(f"is no manifest of a build: it has more than {LARGEST >> 20} MB", path)
    return _read(path, path.resolve(), about.st_ino, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=32)
def _read(path: Path, *_: object) -> Manifest:
    """Read a manifest; the further arguments change when the file does."""
    value = read_json(path, _SHAPE, "manifest of a build")
    try:
        return _manifest(path, value)
    except ValueError as error:
        raise fail(f"is no manifest of a build: {error}", path) from None


def _manifest(path: Path, value: Mapping[str, Any]) -> Manifest:
    if not is_version(value["version"]):
        raise ValueError(f"version {value['version']!r} is not of the form '1.0.0'")
    configs = {name: _config(name, facts) for name, facts in value["configs"].items()}
    every = (value, *value["configs"].values())
    sources = tuple(source for facts in every for source in facts.get("sources", ()))
    documents = _files(value.get("documents", {}))
    return Manifest(path, value["dataset"], value["version"], configs, documents, sources, value)


def _config(name: str, facts: Mapping[str, Any]) -> ConfigFiles:
    if not facts["files"]:
        raise ValueError(f"config {name!r} has no files")
    content = Content(facts["rows"], facts["content_sha256"])
    kind, languages = facts.get("kind", ""), tuple(facts.get("languages", ()))
    return ConfigFiles(
        name, content, _files(facts["files"]), kind, facts.get("default", False), languages
    )


def _files(value: Mapping[str, Any]) -> dict[str, FileDigest]:
    for name in value:
        path = Path(name)
        hidden = any(part.startswith(".") for part in path.parts)
        if path.is_absolute() or hidden or path.as_posix() != name:
            raise ValueError(f"{name!r} is no path in the folder")
        longest = max((len(os.fsencode(part)) for part in path.parts), default=0)
        if not name.isprintable() or longest > 255:
            raise ValueError(f"{name!r} is no name of a file")
    return {p: FileDigest(f["sha256"], f["bytes"]) for p, f in value.items()}


def manifest_json(
    root: Root, entry: CatalogueEntry, built: Sequence[BuiltConfig], documents: Iterable[Path],
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:  # fmt: skip
    """Return the manifest of a data set that was built, as JSON.

    ``left_out``: configs that were too small, with the reason.
    """
    digests = {p.name: asdict(FileDigest(file_digest(p), p.stat().st_size)) for p in documents}
    sources = sources_of(built)
    return {
        "tool": f"solecism {__version__}",
        "dataset": entry.name,
        "version": entry.version,
        "license": one_or_all(as_list(entry.license)),
        "seed": entry.seed,
        **({"sources": sources} if sources else {}),
        "inputs": input_digests(root, entry, languages_of(built)),
        "documents": digests,
        "configs": {config.name: config.to_json() for config in built},
        **({"left_out": dict(left_out)} if left_out else {}),
    }


_INPUTS = (".jinja", ".tsv", ".yaml")


def input_digests(
    root: Root, entry: CatalogueEntry, languages: Sequence[str]
) -> dict[str, Mapping[str, str]]:
    """Return the digest and licence of every file that the data depend on (all are our own)."""
    codes = () if entry.configs == MINED else languages
    templates = root.path / "templates" / entry.name
    folders = [top / code for top in (templates, root.path / "lexicons") for code in codes]
    files = [p for folder in folders for p in folder.rglob("*") if p.suffix in _INPUTS]
    files += templates.glob("*.jinja")
    documents = root.card(entry.name), root.changelog(entry.name), root.bibliography
    files += [path for path in documents if path.is_file()]
    return {
        p.relative_to(root.path).as_posix(): {"sha256": file_digest(p), "license": "Apache-2.0"}
        for p in sorted(files)
    }


def damaged(folder: Path, configs: Iterable[ConfigFiles]) -> list[str]:
    """Return the files of configs that a folder lacks or has with other bytes."""
    return changed_files(folder, {p: f for config in configs for p, f in config.files.items()})


def changed_files(folder: Path, files: Mapping[str, FileDigest]) -> list[str]:
    """Return the files that a folder lacks or has with other bytes than these."""
    return [path for path, digest in files.items() if not digest.is_of(folder / path)]


def files_of_build(folder: Path) -> list[str]:
    """Return the files of a folder that a build made, by their digests; the manifest is the last.

    A file that was changed since belongs to its owner. Without a manifest of ours there are none.
    """
    try:
        manifest = read_manifest(folder)
    except InputError:
        return []
    if not str(manifest.raw.get("tool", "")).startswith("solecism "):
        return []
    files = manifest.files.items()
    whole = [p for p, f in files if is_within(folder, p) and f.is_of(folder / p)]
    return [*whole, MANIFEST]


def is_within(folder: Path, name: str) -> bool:
    """Return whether a listed file is in the folder: no absolute path, no ``..``, no link out."""
    if Path(name).is_absolute() or "\0" in name:
        return False
    return (folder / name).resolve() == folder.resolve() / name


def contents_of(manifest: Manifest) -> dict[str, Content]:
    """Read the Parquet files of all configs and return their content."""
    return {name: content_of(manifest, name) for name in manifest.configs}


def content_of(manifest: Manifest, config: str) -> Content:
    """Read the Parquet files of a config, a row group at a time, and return their content.

    Raises :class:`InputError` for files that cannot be read.
    """
    return content_of_files(manifest.paths(config))


def content_of_files(paths: Iterable[Path]) -> Content:
    """Read Parquet files and return their content.

    Raises :class:`InputError` for files that cannot be read.
    """
    digest = ContentDigest()
    for path in paths:
        with reading_parquet(path):
            for batch in pq.ParquetFile(path).iter_batches(use_threads=False):
                digest.add(pa.Table.from_batches([batch]))
    return digest.content
