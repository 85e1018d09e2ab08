"""One data set repository of a hub, with calls that can be repeated after any failure.

``create_commit`` and ``create_tag`` of huggingface_hub do not repeat themselves, and when no answer comes
nobody knows whether they were carried out: so head and tags are read again before each repeat.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import Any, TypeVar

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, RepoFile

from solecism.errors import InputError, fail
from solecism.hashing import file_digest
from solecism.release.hub_errors import WAITS, MissingError, again, of_hub, refused, transient

__all__ = ["Change", "Refs", "Repository", "same_bytes"]

BRANCH = "main"
TYPE = "dataset"
DATA = ".parquet"

Notice = Callable[[str], None]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Refs:
    """The commit of the branch main and of each tag."""

    head: str
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Change:
    """One operation of a commit: ``kind`` is ``add``, ``change``, ``delete`` or ``keep``; size in bytes."""

    kind: str
    path: str
    size: int


def same_bytes(path: Path, remote: RepoFile) -> bool:
    """Whether a local file has the bytes that a file of the hub has, by size and digest."""
    if path.stat().st_size != remote.size:
        return False
    if remote.lfs is not None:
        return file_digest(path) == str(remote.lfs.sha256)
    data = path.read_bytes()
    return (
        sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == remote.blob_id
    )


class Repository:
    """A data set repository, ``ORG/NAME``. Every method raises :class:`InputError` for a refusal."""

    def __init__(self, repo: str, waits: Sequence[float] = WAITS) -> None:
        if repo.count("/") != 1 or not all(repo.split("/")):
            raise fail(f"{repo!r} is no repository of a hub: it must be of the form ORG/NAME")
        self.id, self.api, self._waits = repo, HfApi(library_name="solecism"), waits
        self.endpoint = str(self.api.endpoint)

    def is_private(self) -> bool | None:
        """Whether only its owners see it; None where it does not exist (or cannot be seen)."""
        try:
            return bool(self.read(lambda: self.api.dataset_info(self.id)).private)
        except MissingError:
            return None

    def create(self, private: bool) -> None:
        """Make the repository where there is none."""
        self.read(
            lambda: self.api.create_repo(
                self.id, repo_type=TYPE, private=private or None, exist_ok=True
            )
        )

    def refs(self) -> Refs:
        """Read the head of main and the tags."""
        found = self.read(lambda: self.api.list_repo_refs(self.id, repo_type=TYPE))
        heads = [b.target_commit for b in found.branches if b.name == BRANCH]
        if not heads:
            raise fail(f"{self.id}: has no branch {BRANCH}")
        return Refs(heads[0], {tag.name: tag.target_commit for tag in found.tags})

    def files(self, revision: str) -> dict[str, RepoFile]:
        """List the files at a revision by path, without the hub's own ``.gitattributes``."""
        entries = self.read(
            lambda: list(
                self.api.list_repo_tree(self.id, recursive=True, revision=revision, repo_type=TYPE)
            )
        )
        files = {e.path: e for e in entries if isinstance(e, RepoFile)}
        files.pop(".gitattributes", None)
        return files

    def changes(self, revision: str, files: Mapping[str, Path]) -> list[Change]:
        """What a commit must do so that the files at a revision become ``files``, sorted by path."""
        remote = self.files(revision)
        return [
            _change(path, files.get(path), remote.get(path)) for path in sorted({*files, *remote})
        ]

    def holds(self, revision: str, files: Mapping[str, Path]) -> bool:
        """Whether a revision has exactly these files."""
        return all(change.kind == "keep" for change in self.changes(revision, files))

    def commit(
        self,
        parent: str,
        title: str,
        files: Mapping[str, Path],
        changes: Sequence[Change],
        notice: Notice,
    ) -> str:
        """Make one commit of all changes on top of ``parent``; return its id.

        Where the head has moved on, it is ours if it holds our files; else somebody else has pushed.
        """

        def attempt() -> str:
            operations = _operations(files, changes)
            self._upload(operations, notice)
            notice("committing")
            done = self.api.create_commit(
                self.id, operations, commit_message=title, repo_type=TYPE, parent_commit=parent
            )
            return str(done.oid)

        def settled() -> str | None:
            head = self.refs().head
            if head == parent:
                return None
            if self.holds(head, files):
                return head
            message = "someone else pushed in the meantime"
            raise fail(f"{self.id}: {message} ({BRANCH} is at {head[:12]}, was at {parent[:12]})")

        return self._safely(attempt, settled)

    def tag(self, name: str, commit: str) -> None:
        """Make a tag; a tag that is there already must point to the same commit."""

        def attempt() -> str:
            self.api.create_tag(self.id, tag=name, revision=commit, repo_type=TYPE)
            return commit

        def settled() -> str | None:
            target = self.refs().tags.get(name)
            if target is not None and target != commit:
                message = f"{name} is the tag of {target[:12]}, not of {commit[:12]}"
                raise fail(f"{self.id}: {message}: tags are never moved")
            return target

        self._safely(attempt, settled)

    def _safely(self, attempt: Callable[[], str], settled: Callable[[], str | None]) -> str:
        """Try to write; after a failure look whether it was carried out before it is tried again."""
        for wait in (*self._waits, None):
            try:
                return attempt()
            except InputError:
                raise
            except Exception as error:
                if not of_hub(error):
                    raise
                done = settled()
                if done is not None:
                    return done
                if wait is None or not transient(error):
                    raise refused(error, self.id, self.endpoint) from None
                time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _upload(self, operations: Sequence[Any], notice: Notice) -> None:
        """Send the data files one after the other: they are seen by nobody until the commit."""
        for operation in operations:
            if isinstance(operation, CommitOperationAdd) and operation.path_in_repo.endswith(DATA):
                notice(f"sending {operation.path_in_repo}")
                self.api.preupload_lfs_files(
                    self.id, [operation], repo_type=TYPE, num_threads=1, free_memory=False
                )

    def read(self, call: Callable[[], _Result]) -> _Result:
        """Call something that only reads, or that may be done twice; again after a passing failure.

        Raises :class:`UnreachableError` where the hub gives no good answer, :class:`MissingError` where it
        has nothing.
        """
        try:
            return again(call, self._waits)
        except InputError:
            raise
        except Exception as error:
            if not of_hub(error):
                raise
            raise refused(error, self.id, self.endpoint) from None


def _change(path: str, local: Path | None, remote: RepoFile | None) -> Change:
    if local is None:
        return Change("delete", path, remote.size if remote else 0)
    size = local.stat().st_size
    if remote is None:
        return Change("add", path, size)
    return Change("keep" if same_bytes(local, remote) else "change", path, size)


def _operations(
    files: Mapping[str, Path], changes: Sequence[Change]
) -> list[CommitOperationAdd | CommitOperationDelete]:
    """Fresh operations: huggingface_hub writes into those that it has tried."""
    return [
        CommitOperationDelete(change.path, is_folder=False)
        if change.kind == "delete"
        else CommitOperationAdd(change.path, files[change.path])
        for change in changes
        if change.kind != "keep"
    ]
