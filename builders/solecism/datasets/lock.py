"""The lock: the content of every released version, so that it cannot change unnoticed.

It lies beside the catalogue and keeps, for each data set, version and config, the number of rows
and the digest of their values. (Not of the file: another version of Arrow writes other bytes.)
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from solecism.datasets.catalogue import BUILT_IN, CatalogueEntry, catalogue_of, is_version
from solecism.datasets.configs import BuiltConfig
from solecism.errors import InputError, Problem, fail
from solecism.files import locked, write_text
from solecism.hashing import Content
from solecism.inputs import COUNT, read_json
from solecism.root import Root

LOCK = "catalogue.lock.json"
_VERSION = {"configs": {str: {"rows": COUNT, "content_sha256": str}}, "commit?": str}
"""The shape of a version in a lock (:mod:`solecism.inputs`)."""


class LockedVersion(NamedTuple):
    """The content of a version's configs, and the commit that its tag names on the hub.

    The commit is empty until the version is pushed.
    """

    configs: Mapping[str, Content]
    commit: str = ""


Lock = Mapping[str, Mapping[str, LockedVersion]]
"""By data set and version."""


def lock_path(root: Root, dataset: str) -> Path:
    """Return the lock beside the catalogue that has a data set (else beside the root's)."""
    return (catalogue_of(root, dataset) or root.path / BUILT_IN.name).with_name(LOCK)


def is_own(root: Root, dataset: str) -> bool:
    """Return whether the lock of a data set is in the root.

    That of an author's variant of a data set of ours is not, until it has an entry in the author's
    catalogue.
    """
    return lock_path(root, dataset).resolve().is_relative_to(root.path.resolve())


def read_lock(path: Path) -> Lock:
    """Read a lock, empty where there is none; raises :class:`InputError` for a broken one."""
    if not path.is_file():
        return {}
    whole = read_json(path, {str: {str: _VERSION}}, "lock")
    for version in (version for some in whole.values() for version in some):
        if not is_version(version):
            raise fail(f"is no lock: version {version!r} is not of the form '1.0.0'", path)
    return {
        name: {
            version: LockedVersion(
                {n: Content(c["rows"], c["content_sha256"]) for n, c in value["configs"].items()},
                value.get("commit", ""),
            )
            for version, value in some.items()
        }
        for name, some in whole.items()
    }


def _write_lock(path: Path, lock: Lock) -> None:
    """Write a lock, sorted, so that two people's additions merge."""

    def plain(known: LockedVersion) -> dict[str, object]:
        contents = known.configs.items()
        configs = {name: {"rows": c.rows, "content_sha256": c.sha256} for name, c in contents}
        return {"configs": configs, "commit": known.commit}

    whole = {name: {v: plain(known) for v, known in some.items()} for name, some in lock.items()}
    write_text(path, json.dumps(whole, indent=2, sort_keys=True) + "\n")


def changes(lock: Lock, dataset: str, version: str, content: Mapping[str, Content]) -> list[str]:
    """Return how content differs from the lock, a line for each config that does."""
    known = lock.get(dataset, {}).get(version)
    if known is None:
        return [f"{dataset} {version} is not in the lock"]
    lines = []
    for name in sorted({*known.configs, *content}):
        was, now = known.configs.get(name), content.get(name)
        if was == now:
            continue
        change = "is in the lock and was not built" if was else "is not in the lock"
        if was and now:
            rows = f"{was.rows} rows" if was.rows == now.rows else f"{was.rows} -> {now.rows} rows"
            change = f"has changed ({rows}, {was.sha256[:12]} -> {now.sha256[:12]})"
        lines.append(f"{dataset}/{name} {version} {change}")
    return lines


def departures(root: Root, entry: CatalogueEntry, built: Sequence[BuiltConfig]) -> list[str]:
    """Return how configs just built differ from the lock, if it has their version."""
    path = lock_path(root, entry.name)
    some = read_lock(path).get(entry.name, {}) if is_own(root, entry.name) else {}
    if entry.version not in some:
        return []
    known = {**some[entry.version].configs, **{c.name: c.content for c in built}}
    return changes({entry.name: some}, entry.name, entry.version, known)


def verified_configs(
    versions: Mapping[str, LockedVersion], version: str, built: Sequence[BuiltConfig]
) -> list[str]:
    """Return the configs that a locked version has: what a card says of checks is about them.

    Under a version that is locked they must have its content. A later version, which is not locked
    yet, has those that an earlier one had.
    """
    if version in versions:
        known = versions[version].configs
        return [config.name for config in built if known.get(config.name) == config.content]
    names = {name for version in versions.values() for name in version.configs}
    return [config.name for config in built if config.name in names]


def record(
    path: Path, dataset: str, version: str, content: Mapping[str, Content], replacing: bool = False
) -> bool:
    """Write a version into the lock; return whether the lock changed.

    Raises :class:`InputError` where the lock has the version with other content, unless it is
    ``replacing`` one that was never pushed.
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
        _write_lock(path, {**lock, dataset: {**some, version: LockedVersion(content)}})
        return True


def note_commits(path: Path, dataset: str, commits: Mapping[str, str]) -> list[str]:
    """Write the commits that tags (``v1.0.0``) name on the hub into the lock.

    Return the versions that had none before. Raises :class:`InputError` where a tag names another
    commit than the lock has.
    """
    with locked(path):
        lock = read_lock(path)
        some = dict(lock.get(dataset, {}))
        filled = []
        for version, known in some.items():
            commit = commits.get(tag := f"v{version}")
            if commit and known.commit and commit != known.commit:
                was = f"the lock says {known.commit}"
                raise fail(f"tag {tag} names {commit} and {was}: it was moved", path)
            if commit and not known.commit:
                filled.append(version)
                some[version] = LockedVersion(known.configs, commit)
        if filled:
            _write_lock(path, {**lock, dataset: some})
        return filled
