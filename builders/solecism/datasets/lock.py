"""The lock: what every released version of a data set holds, so that content cannot change unnoticed.

It stands beside the catalogue and keeps, for each data set, version and config, the number of rows and the
digest of the content (the values, not the file: another version of Arrow writes other bytes).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from solecism.datasets.catalogue import BUILT_IN, Stanza, catalogue_of
from solecism.datasets.configs import BuiltConfig
from solecism.datasets.manifest import Manifest
from solecism.datasets.versions import is_version
from solecism.digest import digest_parquet
from solecism.errors import InputError, Problem, fail
from solecism.files import locked, write_text
from solecism.inputs import COUNT, read_json
from solecism.root import Root

__all__ = ["LOCK", "Content", "Lock", "Locked", "changes", "content_of", "content_of_config", "departures",
           "is_own", "lock_path", "note_commits", "read_lock", "record", "write_lock"]  # fmt: skip

LOCK = "catalogue.lock.json"
_LOCKED = {"configs": {str: {"rows": COUNT, "content_sha256": str}}, "commit?": str}
"""The shape of a version in a lock (:mod:`solecism.inputs`)."""


@dataclass(frozen=True)
class Content:
    """What a config holds: rows, and the SHA-256 of their values (:class:`~solecism.digest.ContentDigest`)."""

    rows: int
    content_sha256: str


@dataclass(frozen=True)
class Locked:
    """A version: its configs, and the commit on the hub that its tag names (empty: not pushed yet)."""

    configs: Mapping[str, Content]
    commit: str = ""


Lock = Mapping[str, Mapping[str, Locked]]
"""By data set and version."""


def lock_path(root: Root, dataset: str) -> Path:
    """The lock beside the catalogue that a data set stands in (in neither: beside the root's)."""
    return (catalogue_of(root, dataset) or root.path / BUILT_IN.name).with_name(LOCK)


def is_own(root: Root, dataset: str) -> bool:
    """Whether the lock belongs to the root: an author's variant of the house's data set has no lock yet."""
    return lock_path(root, dataset).resolve().is_relative_to(root.path.resolve())


def read_lock(path: Path) -> Lock:
    """Read a lock, empty where there is none; raises :class:`InputError` for a broken one."""
    if not path.is_file():
        return {}
    whole = read_json(path, {str: {str: _LOCKED}}, "lock")
    for version in (version for some in whole.values() for version in some):
        if not is_version(version):
            raise fail(f"is no lock: version {version!r} is not of the form '1.0.0'", path)
    return {name: {v: _locked(x) for v, x in some.items()} for name, some in whole.items()}


def _locked(value: Mapping[str, Any]) -> Locked:
    configs = {n: Content(f["rows"], f["content_sha256"]) for n, f in value["configs"].items()}
    return Locked(configs, value.get("commit", ""))


def write_lock(path: Path, lock: Lock) -> None:
    """Write a lock, sorted, so that two people's additions merge."""
    plain = {n: {v: asdict(locked) for v, locked in some.items()} for n, some in lock.items()}
    text = json.dumps(plain, indent=2, sort_keys=True)
    write_text(path, text + "\n")


def content_of(manifest: Manifest) -> Mapping[str, Content]:
    """Read the Parquet files of a built data set and digest each config, a row group at a time."""
    return {name: content_of_config(manifest, name) for name in manifest.configs}


def content_of_config(manifest: Manifest, config: str) -> Content:
    """Read the Parquet files of a config and digest them; raises :class:`InputError` for broken ones."""
    return Content(
        *digest_parquet(manifest.path.parent / path for path in manifest.config(config).files)
    )


def changes(lock: Lock, dataset: str, version: str, content: Mapping[str, Content]) -> list[str]:
    """Say what differs from the lock, a line a config; nothing where content and lock agree."""
    known = lock.get(dataset, {}).get(version)
    if known is None:
        return [f"{dataset} {version} is not in the lock"]
    names = sorted({*known.configs, *content})
    pairs = ((name, known.configs.get(name), content.get(name)) for name in names)
    return [f"{dataset}/{n} {version} {_change(was, now)}" for n, was, now in pairs if was != now]


def _change(was: Content | None, now: Content | None) -> str:
    if was is None:
        return "is not in the lock"
    if now is None:
        return "is in the lock and was not built"
    rows = f"{was.rows} rows" if was.rows == now.rows else f"{was.rows} -> {now.rows} rows"
    return f"has changed ({rows}, {was.content_sha256[:12]} -> {now.content_sha256[:12]})"


def departures(root: Root, entry: Stanza, built: Sequence[BuiltConfig]) -> list[str]:
    """Say which configs just built do not hold what the lock says of this version."""
    path = lock_path(root, entry.name)
    some = read_lock(path).get(entry.name, {}) if is_own(root, entry.name) else {}
    if entry.version not in some:
        return []
    content = {config.name: Content(config.rows, config.digest) for config in built}
    known = {**some[entry.version].configs, **content}
    return changes({entry.name: some}, entry.name, entry.version, known)


def record(
    path: Path, dataset: str, version: str, content: Mapping[str, Content], replacing: bool = False
) -> bool:
    """Put a version into the lock; tell whether the lock changed.

    Raises :class:`InputError` where the version is there with other content, unless it is ``replacing``
    one that nobody has seen yet.
    """
    with locked(path):
        lock = read_lock(path)
        some = lock.get(dataset, {})
        differ = changes(lock, dataset, version, content)
        if not differ:
            return False
        if version in some and (some[version].commit or not replacing):
            advice = "raise the version in the catalogue (`solecism diff` says how far)"
            raise InputError(Problem(f"{line}: {advice}", str(path)) for line in differ)
        write_lock(path, {**lock, dataset: {**some, version: Locked(content)}})
        return True


def note_commits(path: Path, dataset: str, commits: Mapping[str, str]) -> list[str]:
    """Note which commit each tag (``v1.0.0``) names on the hub; give the versions that were filled in.

    Raises :class:`InputError` where a tag names another commit than the lock says.
    """
    with locked(path):
        lock = read_lock(path)
        some = dict(lock.get(dataset, {}))
        filled = [
            v for v, locked in some.items() if _news(locked, commits.get(f"v{v}"), f"v{v}", path)
        ]
        for version in filled:
            some[version] = replace(some[version], commit=commits[f"v{version}"])
        if filled:
            write_lock(path, {**lock, dataset: some})
        return filled


def _news(locked: Locked, commit: str | None, tag: str, path: Path) -> bool:
    if commit and locked.commit and commit != locked.commit:
        raise fail(
            f"tag {tag} names {commit} and the lock says {locked.commit}: it was moved", path
        )
    return bool(commit) and not locked.commit
