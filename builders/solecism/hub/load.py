"""``solecism.load``: exactly the rows of a version, online, offline and when the hub is down.

A version that lies whole in the cache (by the digests of its manifest) is read from there: it cannot have
changed. ``load_dataset(id, revision=...)`` is not used, as without a connection it may give the rows of
another version from its own cache.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from datasets import load_dataset
from datasets.utils import Version as InfoVersion
from huggingface_hub import constants
from huggingface_hub.file_download import repo_folder_name

from solecism.datasets.catalogue import BUILT_IN, TAG, Version, parse_version
from solecism.datasets.lock import LOCK, read_lock
from solecism.datasets.manifest import MANIFEST, Manifest, content_of, damaged, read_manifest
from solecism.errors import InputError, candidates, fail
from solecism.hub.client import Repository, UnreachableError, told

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["cached_folder", "cached_versions", "load"]


WAITS = (0.5,)
"""Seconds to wait before the hub is asked again; then the cache must do."""


def load(
    dataset: str,
    config: str,
    *,
    version: str | None = None,
    repo: str | None = None,
    split: str = "test",
) -> Dataset:
    """Load the rows of a config of a released version, as ``load("clams", "he", version="1.0.0", ...)``.

    ``repo`` is the repository of the hub (``ORG/clams``); ``dataset`` may be such an id itself. Without
    one the folder that ``solecism build`` made is read, in the current folder or in ``$SOLECISM_DATA``.
    Without a ``version`` the newest is taken: of the hub, or with a warning of the cache where the hub
    cannot be reached. Only the files of the config are downloaded.

    Raises :class:`InputError` for an unknown data set, config, split or version (with those there are),
    for a version that is neither in the cache nor to be had, and for files that are not as built or
    released: by the manifest, and where the package knows the version by the lock.
    """
    wanted = parse_version(version) if version is not None else None
    place = repo or (dataset if "/" in dataset else None)
    folder = _built(dataset, wanted) if place is None else _released(place, config, wanted)
    manifest = read_manifest(folder)
    if place != dataset and manifest.dataset != dataset:
        raise fail(f"{place or folder}: is the data set {manifest.dataset!r}, not {dataset!r}")
    if place is not None:
        _refuse_tampered(place, manifest, config)
    elif damaged(folder, [manifest.config(config)]):
        raise fail(f"the files of {config!r} are not as built: build the data set again", folder)
    return _load(manifest, config, split)


def _refuse_tampered(place: str, manifest: Manifest, config: str) -> None:
    """Compare what somebody has put on a hub with the lock of the package."""
    known = read_lock(BUILT_IN.with_name(LOCK)).get(manifest.dataset, {}).get(manifest.version)
    if known is None:
        return
    content = content_of(manifest, config)
    if content != known.configs.get(config):
        named = f"{manifest.dataset} {manifest.version}"
        other = known.configs.get(config) or "nothing"
        message = f"is not the {named} that was released: {config!r} holds {content}, not {other}"
        raise fail(f"{place}: {message}", manifest.path.parent)


def _load(manifest: Manifest, config: str, split: str) -> Dataset:
    """Load a config of a folder in which the other configs, and the card, may be missing."""
    folder, facts = manifest.path.parent.resolve(), manifest.config(config)
    files = [folder / path for path in facts.files]
    splits = sorted({path.name.partition("-")[0] for path in files})
    if split not in splits:
        raise fail(
            f"config {config!r} has no split {split!r} {candidates('splits', splits, split)}"
        )
    chosen = [str(path) for path in files if path.name.startswith(f"{split}-")]
    try:
        rows = load_dataset("parquet", config, split=split, data_files={split: chosen})
    except Exception as error:  # whatever a file of others does to the readers
        raise fail(f"{config!r} cannot be read ({told(error)})", folder) from error
    if len(splits) == 1 and len(rows) != facts.content.rows:
        raise fail(
            f"{config}: {len(rows):,} rows, not the {facts.content.rows:,} of the manifest", folder
        )
    rows.info.dataset_name, rows.info.version = manifest.dataset, InfoVersion(manifest.version)
    return rows


def _built(dataset: str, wanted: Version | None) -> Path:
    """Find a folder made by ``solecism build``."""
    folder = Path(os.environ.get("SOLECISM_DATA", ".")) / dataset
    if not (folder / MANIFEST).is_file():
        way = f"build it (`solecism build {dataset}`) or name the hub's repository, as repo='ORG/{dataset}'"
        raise fail(f"there is no data set folder {folder}: {way}")
    version = read_manifest(folder).version
    if wanted is not None and version != str(wanted):
        raise fail(
            f"is version {version}, not {wanted}; for another one give repo='ORG/{dataset}'", folder
        )
    return folder


def _released(repo: str, config: str, wanted: Version | None) -> Path:
    """Find a version in the cache, else on the hub; the newest one on the hub, else in the cache."""
    repository = Repository(repo, WAITS)
    if wanted is not None and (folder := cached_folder(repo, wanted, config)) is not None:
        return folder
    try:
        version = _choose(repository, wanted)
        return cached_folder(repo, version, config) or _download(repository, version, config)
    except UnreachableError as error:
        return _without_hub(repository, config, wanted, error)


def _choose(repository: Repository, wanted: Version | None) -> Version:
    tags = repository.refs().tags
    versions = sorted(parse_version(tag) for tag in tags if TAG.fullmatch(tag))
    if not versions:
        raise fail(f"{repository.id}: has no versions yet")
    if wanted is not None and wanted not in versions:
        near = candidates("versions", _names(versions), str(wanted))
        raise fail(f"{repository.id}: has no version {wanted} {near}")
    return wanted or versions[-1]


def _names(versions: Sequence[Version]) -> list[str]:
    """Versions as text, newest first."""
    return [str(version) for version in sorted(versions, reverse=True)]


def _download(repository: Repository, version: Version, config: str) -> Path:
    """Download the files of a config; once more, from scratch, where they are not as released."""
    folder, patterns = Path(), [MANIFEST, f"{escape(config)}/*"]
    for force in (False, True):
        folder = repository.snapshot(version.tag, patterns, force)
        manifest = read_manifest(folder)
        if manifest.version != str(version):
            message = f"{version.tag} holds version {manifest.version}: somebody has moved the tag"
            raise fail(f"{repository.id}: {message}")
        if not damaged(folder, [manifest.config(config)]):
            return folder
    raise fail(
        f"{repository.id}: the files of {config!r} in {version.tag} are not as released", folder
    )


def _without_hub(
    repository: Repository, config: str, wanted: Version | None, error: InputError
) -> Path:
    """Take the newest version of the cache; raises where there is none or where it is not the one wanted."""
    versions = cached_versions(repository.id, config)
    if wanted is not None or not versions:
        kind = f"versions of {config!r} in the cache"
        near = candidates(kind, _names(versions), str(wanted or ""))
        missing = f"version {wanted} is not in the cache" if wanted else "the cache has none"
        raise fail(f"{error}; {missing} {near}")
    warnings.warn(
        f"{error}; the newest version in the cache is taken, {versions[-1]}", stacklevel=4
    )
    folder = cached_folder(repository.id, versions[-1], config)
    assert folder is not None
    return folder


_COMMIT = re.compile(r"[0-9a-f]{40}")


def cached_versions(repo: str, config: str) -> list[Version]:
    """The versions whose files of a config are whole in the cache, oldest first."""
    versions = (parse_version(tag) for tag in _tags(repo))
    return sorted(v for v in versions if cached_folder(repo, v, config) is not None)


def cached_folder(repo: str, version: Version, config: str) -> Path | None:
    """The folder of a version in the cache, if it is there and every byte of the config is right."""
    commit = _tags(repo).get(version.tag)
    if commit is None:
        return None
    folder = _home(repo) / "snapshots" / commit
    try:
        manifest = read_manifest(folder)
    except InputError:
        return None
    facts = manifest.configs.get(config)
    if facts is None or manifest.version != str(version) or damaged(folder, [facts]):
        return None
    return folder


def _home(repo: str) -> Path:
    return Path(constants.HF_HUB_CACHE) / repo_folder_name(repo_id=repo, repo_type="dataset")


def _tags(repo: str) -> Mapping[str, str]:
    """The tags that the cache knows, with their commits."""
    refs = (path for path in (_home(repo) / "refs").glob("v*") if TAG.fullmatch(path.name))
    found = {path.name: path.read_text(encoding="ascii", errors="replace").strip() for path in refs}
    return {tag: commit for tag, commit in found.items() if _COMMIT.fullmatch(commit)}
