"""The lock: the content of every released version, so that it cannot change unnoticed.

It lies beside the catalogue and keeps, for each data set, version and config, the number of rows
and the digest of their values. (Not of the file: another version of Arrow writes other bytes.)
"""

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from solecism.datasets.catalogue import CatalogueEntry, catalogue_of, is_version
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
"""What a lock file has: versions by data set and number."""


def lock_path(root: Root, dataset: str) -> Path:
    """Return the path of the lock: beside the catalogue that has the data set, else in the root."""
    return catalogue_of(root, dataset)[0].with_name(LOCK)


def has_own_lock(root: Root, dataset: str) -> bool:
    """Return whether the lock of a data set is in the root, and not in the installed package.

    An author may change a copy of a data set of ours. Until the copy has an entry in the author's
    catalogue, the lock that is found is that of the package.
    """
    return lock_path(root, dataset).resolve().is_relative_to(root.path.resolve())


def read_lock(path: Path) -> Lock:
    """Return the content of a lock (empty if there is no file).

    Raises :class:`InputError` for a broken file.
    """
    if not path.is_file():
        return {}
    whole = read_json(path, {str: {str: _VERSION}}, "lock")
    for version in chain.from_iterable(whole.values()):
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
    """Write a lock in sorted order, so that git can merge what two people add."""

    def plain(known: LockedVersion) -> dict[str, object]:
        contents = known.configs.items()
        configs = {name: {"rows": c.rows, "content_sha256": c.sha256} for name, c in contents}
        return {"configs": configs, "commit": known.commit}

    whole = {name: {v: plain(known) for v, known in some.items()} for name, some in lock.items()}
    write_text(path, json.dumps(whole, indent=2, sort_keys=True) + "\n")


def changes(lock: Lock, dataset: str, version: str, content: Mapping[str, Content]) -> list[str]:
    """Return a line for each config whose content differs from that in the lock."""
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


def locked_configs(root: Root, entry: CatalogueEntry) -> Mapping[str, Content]:
    """Return the content of the configs of a data set, if the root's lock has their version."""
    if not has_own_lock(root, entry.name):
        return {}
    versions = read_lock(lock_path(root, entry.name)).get(entry.name, {})
    return versions.get(entry.version, LockedVersion({})).configs


def departures(root: Root, entry: CatalogueEntry, built: Sequence[BuiltConfig]) -> list[str]:
    """Return how configs that were just built differ from the lock, if it has their version.

    Nothing is returned for a data set whose lock is not in the root.
    """
    known = locked_configs(root, entry)
    # Configs that were not built count as unchanged.
    now = {**known, **{c.name: c.content for c in built}}
    lock = {entry.name: {entry.version: LockedVersion(known)}}
    return changes(lock, entry.name, entry.version, now) if known else []


def verified_configs(
    versions: Mapping[str, LockedVersion], version: str, built: Sequence[BuiltConfig]
) -> list[str]:
    """Return the names of the configs for which what a card says of people's checks is true.

    People checked the words and paradigms of the configs in the lock. If ``version`` is locked,
    these are the configs that still have the locked content. If it is not locked yet, they are
    those that an earlier version has too, though their rows may differ.
    """
    if version in versions:
        known = versions[version].configs
        return [config.name for config in built if known.get(config.name) == config.content]
    names = {name for locked in versions.values() for name in locked.configs}
    return [config.name for config in built if config.name in names]


def record(
    path: Path, dataset: str, version: str, content: Mapping[str, Content], replacing: bool = False
) -> bool:
    """Write a version into the lock; return whether the lock changed.

    Raises :class:`InputError` if the lock has the version with other content. With ``replacing``
    that is an error only if the version was pushed.
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
    """Write the commits of released versions into the lock.

    ``commits`` are the commits on the hub by tag (``v1.0.0``). Return the versions that had no
    commit before. Raises :class:`InputError` if a tag names another commit than the lock has.
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
