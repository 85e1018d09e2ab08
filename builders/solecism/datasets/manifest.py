"""The manifest of a data set folder: ``manifest.json`` lists all files with their digests."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType

from solecism.datasets.catalogue import MINED, CatalogueEntry, as_list, is_version, one_or_all
from solecism.datasets.configs import BuiltConfig, Facts, languages_of, sources_of
from solecism.errors import InputError, candidates, fail
from solecism.files import is_own_file
from solecism.hashing import Content, ContentDigest, file_digest
from solecism.inputs import SHA256, Number, check_name, parquet_tables, read_json, reading_parquet
from solecism.language_tags import config_named
from solecism.phenomena import current_uid
from solecism.root import Root
from solecism.version import __version__

MANIFEST = "manifest.json"
_NO = "is no manifest of a build"

_TAG = re.compile("[a-z]{2,3}(_[A-Z][a-z]{3})?")
_FILES = {str: {"sha256": SHA256, "bytes": Number(0, whole=True)}}
_SOURCES = [{"redistributable?": bool, "missing?": [str], "changed?": [str]}]
_CONFIG = {
    "rows": Number(0, whole=True), "content_sha256": SHA256, "files": _FILES, "sources?": _SOURCES,
    "kind?": str, "default?": bool, "languages?": [str], "language_tags?": [_TAG],
    "iso639_3?": [_TAG],
}  # fmt: skip
_SHAPE = {
    "dataset": str,
    "version": str,
    "configs": {str: _CONFIG},
    "documents?": _FILES,
    "sources?": _SOURCES,
    "left_out?": {str: str},
    "of?": str,
}
"""The shape of a manifest (:mod:`solecism.inputs`)."""


@dataclass(frozen=True)
class FileDigest:
    """The SHA-256 of a file in hexadecimal, and its size in bytes."""

    sha256: str
    bytes: int

    def is_of(self, path: Path) -> bool:
        """Return whether a path is a file with this digest and size."""
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
    tags: tuple[str, ...] = ()


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
    sources: tuple[Facts, ...] = ()
    raw: Facts = field(default_factory=dict, repr=False)

    @property
    def files(self) -> dict[str, FileDigest]:
        """All files of the data set by path, documents and data; not the manifest itself."""
        data = {p: f for config in self.configs.values() for p, f in config.files.items()}
        return {**self.documents, **data}

    def config(self, name: str) -> ConfigFiles:
        """Return a config; raises :class:`InputError` with the candidates if there is none.

        It may be named after its language: ``heb_Hebr`` is ``he``.
        """
        name = config_named(name, self.configs)
        if name not in self.configs:
            near = candidates("configs", sorted(self.configs), current_uid(name))
            raise fail(f"data set {self.dataset!r} {self.version} has no config {name!r} {near}")
        return self.configs[name]

    def paths(self, config: str) -> list[Path]:
        """Return the Parquet files of a config; raises :class:`InputError` as :meth:`config`."""
        return [self.path.parent / path for path in self.config(config).files]


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder that ``solecism build`` made.

    Raises :class:`InputError` if there is no manifest, if it lacks something, and if it holds a
    name that leads elsewhere: others may have written it.
    """
    path = folder / MANIFEST
    if not path.is_file():
        message = f"is no data set folder: it has no {MANIFEST} (make one: `solecism build`)"
        raise fail(message, folder)
    value = read_json(path, _SHAPE, "manifest of a build")
    version, documents = value["version"], _files(value.get("documents", {}), path)
    if not is_version(version):
        message = f"version {version!r} is not of the form '1.0.0'"
        raise fail(f"{_NO}: {message}", path)
    sources, configs = [*value.get("sources", ())], {}
    check_name(value["dataset"], f"{_NO}: dataset", path)
    for name, facts in value["configs"].items():
        check_name(name, f"{_NO}: config", path)
        for code in facts.get("languages", ()):
            check_name(code, f"{_NO}: language", path)
        if not facts["files"]:
            raise fail(f"{_NO}: config {name!r} has no files", path)
        sources += facts.get("sources", ())
        configs[name] = ConfigFiles(
            name, Content(facts["rows"], facts["content_sha256"]), _files(facts["files"], path),
            facts.get("kind", ""), facts.get("default", False), tuple(facts.get("languages", ())),
            tuple(facts.get("language_tags", ())),
        )  # fmt: skip
    return Manifest(path, value["dataset"], version, configs, documents, tuple(sources), value)


def _files(value: Mapping[str, Facts], manifest: Path) -> dict[str, FileDigest]:
    """Return the files that a manifest lists, by path.

    Raises :class:`InputError` for a path out of the folder: others may have written the manifest.
    """
    for name in value:
        for part in name.split("/"):
            check_name(part, f"{_NO}: in {name[:100]!r}", manifest)
    return {name: FileDigest(f["sha256"], f["bytes"]) for name, f in value.items()}


def manifest_json(
    root: Root, entry: CatalogueEntry, built: Sequence[BuiltConfig], documents: Iterable[Path],
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> Facts:  # fmt: skip
    """Return the manifest of a data set that was built, as JSON.

    ``left_out`` has the reason for each config that was not built.
    """
    digests = {p.name: asdict(FileDigest(file_digest(p), p.stat().st_size)) for p in documents}
    sources = sources_of(built)
    return {
        "tool": f"solecism {__version__}",
        "dataset": entry.name,
        "version": entry.version,
        "license": one_or_all(as_list(entry.license)),
        "seed": entry.seed,
        **({"of": f"{entry.of.name} {entry.of.version}", **entry.limits} if entry.of else {}),
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
    """Return the digest, by path, of every file below the root that the folder is made of.

    These are templates, lexicons and what the card is made of.
    """
    codes = () if entry.configs == MINED else languages
    templates = root.path / "templates" / entry.templates
    folders = [top / code for top in (templates, root.path / "lexicons") for code in codes]
    files = [p for folder in folders for p in folder.rglob("*") if p.suffix in _INPUTS]
    files += templates.glob("*.jinja")
    documents = root.card(entry.name), root.changelog(entry.name), root.bibliography
    files += [path for path in documents if path.is_file()]
    return {p.relative_to(root.path).as_posix(): {"sha256": file_digest(p)} for p in sorted(files)}


def changed_files(folder: Path, files: Mapping[str, FileDigest]) -> list[str]:
    """Return the paths of ``files`` that are missing in a folder or have another digest there."""
    return [path for path, digest in files.items() if not digest.is_of(folder / path)]


def files_of_build(folder: Path) -> list[str]:
    """Return the paths of a folder's files that a build made; the manifest is the last.

    A file with another digest than in the manifest was changed by its owner, and is left out. The
    list is empty without a manifest of ours.
    """
    try:
        manifest = read_manifest(folder)
    except InputError:
        return []
    if not str(manifest.raw.get("tool", "")).startswith("solecism "):
        return []
    files = manifest.files.items()
    whole = [p for p, f in files if is_own_file(folder, p) and f.is_of(folder / p)]
    return [*whole, MANIFEST]


def contents_of(manifest: Manifest) -> dict[str, Content]:
    """Read the Parquet files of all configs and return the content of each, by its name."""
    return {name: content_of(manifest.paths(name)) for name in manifest.configs}


def content_of(paths: Iterable[Path]) -> Content:
    """Read Parquet files, a batch at a time, and return the number and digest of their rows.

    Raises :class:`InputError` for files that cannot be read.
    """
    digest = ContentDigest()
    for path in paths:
        with reading_parquet(path):  # a digest is defined for the types that items have
            for table in parquet_tables(path):
                digest.add(table)
    return digest.content
