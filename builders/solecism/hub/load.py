"""Load exactly the rows of a version, online, offline and when the hub is down.

If all files of a version are in the cache, with the digests of its manifest, they are read from
there: a version never changes. We do not use ``load_dataset(id, revision=...)``, because without a
connection it may return the rows of another version from its own cache.
"""

from __future__ import annotations

import os
import warnings
from collections import deque
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from datasets import load_dataset
from datasets.exceptions import DatasetsError
from datasets.utils import Version as InfoVersion
from huggingface_hub import constants, try_to_load_from_cache
from huggingface_hub.file_download import repo_folder_name

from solecism.datasets.catalogue import BUILT_IN, TAG, Version, parse_version
from solecism.datasets.lock import LOCK, read_lock
from solecism.datasets.manifest import MANIFEST, Manifest, changed_files, content_of, read_manifest
from solecism.errors import InputError, candidates, fail, unknown_error
from solecism.hub.client import DATASET, UnreachableError, refs_of, snapshot
from solecism.inputs import parquet_tables
from solecism.language_tags import config_named

if TYPE_CHECKING:
    from datasets import Dataset


def load(
    dataset: str,
    config: str,
    *,
    version: str | None = None,
    repo: str | None = None,
    split: str = "test",
) -> Dataset:
    """Load the rows of a config of a released version, or of a folder that was built.

    ``repo`` is the repository of the hub, as ``ORG/clams``; ``dataset`` may be such an id itself.
    Without one, the folder that ``solecism build`` made is read: the one called ``dataset`` in the
    current folder or in ``$SOLECISM_DATA``.

    Without a ``version`` the newest one of the hub is taken. If the hub cannot be reached, the
    newest one in the cache is taken, with a warning. Only the files of the config are downloaded.

    Raises :class:`InputError` for an unknown data set, config, split or version, with the known
    ones; for a version that is neither in the cache nor on the hub; and for files that are not as
    they were built or released. Those are told by the digests of the manifest and, for a version
    that the package knows, of its lock.

    >>> import os, solecism
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     built = solecism.build("clams", ["fr"], out=f"{folder}/clams")
    ...     os.environ["SOLECISM_DATA"] = folder
    ...     rows = solecism.load("clams", "fr")
    ...     del os.environ["SOLECISM_DATA"]
    >>> rows.num_rows == built[0].rows
    True
    """
    wanted = parse_version(version) if version is not None else None
    place = repo or (dataset if "/" in dataset else None)
    folder = _built(dataset, wanted) if place is None else _released(place, config, wanted)
    manifest = read_manifest(folder)
    config = manifest.config(config).name
    if place != dataset and manifest.dataset != dataset:
        raise fail(f"{place or folder}: is the data set {manifest.dataset!r}, not {dataset!r}")
    if place is not None:
        _refuse_tampered(place, manifest, config)
    elif changed_files(folder, manifest.config(config).files):
        raise fail(f"the files of {config!r} are not as built: build the data set again", folder)
    return _load(manifest, config, split)


def _refuse_tampered(place: str, manifest: Manifest, config: str) -> None:
    """Raise :class:`InputError` for a config whose content differs from the package's lock.

    A version that the lock does not have may hold anything.
    """
    known = read_lock(BUILT_IN.with_name(LOCK)).get(manifest.dataset, {}).get(manifest.version)
    if known is None:
        return
    content = content_of(manifest.paths(config))
    if content != known.configs.get(config):
        message = f"is not the {manifest.dataset} {manifest.version} that was released"
        raise fail(f"{place}: {message}: {config!r} holds {content}", manifest.path.parent)


def _load(manifest: Manifest, config: str, split: str) -> Dataset:
    """Return the rows of a config; the folder may lack other configs and the card."""
    folder, facts = manifest.path.parent.resolve(), manifest.config(config)
    files = [folder / path for path in facts.files]
    splits = sorted({path.name.partition("-")[0] for path in files})
    if split not in splits:
        raise unknown_error(f"config {config!r} has no split", split, "splits", splits)
    chosen = [str(path) for path in files if path.name.startswith(f"{split}-")]
    try:
        for path in map(Path, chosen):
            deque(parquet_tables(path), maxlen=0)  # `datasets` would not say what is broken
        rows = load_dataset("parquet", config, split=split, data_files={split: chosen})
    except (DatasetsError, ValueError, KeyError, TypeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise fail(f"`datasets` cannot read it: {reason}", chosen[0]) from None
    rows.info.dataset_name, rows.info.version = manifest.dataset, InfoVersion(manifest.version)
    return rows


def _built(dataset: str, wanted: Version | None) -> Path:
    """Return the folder that ``solecism build`` made; raises :class:`InputError` if it is not there
    or has another version than the one that is ``wanted``."""
    folder = Path(os.environ.get("SOLECISM_DATA", ".")) / dataset
    if not (folder / MANIFEST).is_file():
        way = f"build it (`solecism build {dataset}`) or name the hub's repository, as repo='ORG/{dataset}'"
        raise fail(f"there is no data set folder {folder}: {way}")
    version = read_manifest(folder).version
    if wanted is not None and version != str(wanted):
        other = f"for another one give repo='ORG/{dataset}'"
        raise fail(f"is version {version}, not {wanted}; {other}", folder)
    return folder


def _released(repo: str, config: str, wanted: Version | None) -> Path:
    """Return the folder of the version ``wanted`` from the cache or the hub.

    None means the newest version of the hub; see :func:`_newest_cached` if it cannot be reached.
    """
    if wanted is not None and (folder := _cached(repo, wanted, config)) is not None:
        return folder
    try:
        tags = refs_of(repo).tags
        versions = sorted(parse_version(tag) for tag in tags if TAG.fullmatch(tag))
        if not versions:
            raise fail(f"{repo}: has no versions yet")
        version = wanted or versions[-1]
        if version not in versions:
            raise fail(f"{repo}: has no version {version} {_near('versions', versions, version)}")
        return _cached(repo, version, config) or _downloaded(repo, version, config)
    except UnreachableError as error:
        return _newest_cached(repo, config, wanted, error)


def _near(kind: str, versions: list[Version], wanted: Version | None) -> str:
    """Return the part of a message that names the versions that there are, the newest first."""
    names = [str(version) for version in reversed(versions)]
    return candidates(kind, names, str(wanted or ""))


def _downloaded(repo: str, version: Version, config: str) -> Path:
    """Return the folder of a version, into which the files of a config are downloaded.

    If they, or the manifest, are not as released, they are all downloaded once more.
    """
    try:
        return _fetched(repo, version, config, force=False)
    except UnreachableError:
        raise
    except InputError:
        return _fetched(repo, version, config, force=True)


def _fetched(repo: str, version: Version, config: str, force: bool) -> Path:
    folder = snapshot(repo, version.tag, [MANIFEST, f"{escape(config)}/*"], force)
    manifest = read_manifest(folder)
    named = config_named(config, manifest.configs)
    if named != config:  # called after its language: the manifest says where the files are
        folder = snapshot(repo, version.tag, [MANIFEST, f"{escape(named)}/*"], force)
    if manifest.version != str(version):
        message = f"{version.tag} holds version {manifest.version}: somebody has moved the tag"
        raise fail(f"{repo}: {message}")
    if changed_files(folder, manifest.config(config).files):
        raise fail(f"{repo}: the files of {config!r} in {version.tag} are not as released", folder)
    return folder


def _newest_cached(repo: str, config: str, wanted: Version | None, error: InputError) -> Path:
    """Return the folder of the newest version in the cache; warn that the hub was not reached.

    Raises :class:`InputError` if the cache has no version, or if a version is ``wanted``, as that
    one is not in the cache.
    """
    home = Path(constants.HF_HUB_CACHE, repo_folder_name(repo_id=repo, repo_type=DATASET))
    tags = sorted(path.name for path in (home / "refs").glob("v*") if TAG.fullmatch(path.name))
    versions = sorted(parse_version(tag) for tag in tags)
    folders = {v: folder for v in versions if (folder := _cached(repo, v, config)) is not None}
    if wanted is not None or not folders:
        near = _near(f"versions of {config!r} in the cache", list(folders), wanted)
        missing = f"version {wanted} is not in the cache" if wanted else "the cache has none"
        raise fail(f"{error}; {missing} {near}")
    newest = max(folders)
    warnings.warn(f"{error}; the newest version in the cache is taken, {newest}", stacklevel=4)
    return folders[newest]


def _cached(repo: str, version: Version, config: str) -> Path | None:
    """Return the folder of a version in the cache, if every byte of the config is there."""
    found = try_to_load_from_cache(repo, MANIFEST, revision=version.tag, repo_type=DATASET)
    if not isinstance(found, str):
        return None
    folder = Path(found).parent
    try:
        manifest = read_manifest(folder)
    except InputError:
        return None
    config = config_named(config, manifest.configs)
    if config not in manifest.configs or manifest.version != str(version):
        return None
    return None if changed_files(folder, manifest.config(config).files) else folder
