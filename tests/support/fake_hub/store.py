"""What a hub keeps: users, and repositories of commits, branches and tags."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Blob", "Commit", "Repo", "User"]

ATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"


@dataclass(frozen=True)
class User:
    """Somebody with a token; may write to repositories of his own name and of his organisations."""

    name: str
    orgs: tuple[str, ...] = ()
    writes: bool = True

    def owns(self, repo: str) -> bool:
        """Whether a repository is his or his organisation's."""
        return repo.partition("/")[0] in (self.name, *self.orgs)


@dataclass(frozen=True)
class Blob:
    """A file: its bytes, whether git sees a pointer (LFS), and its xet hash."""

    data: bytes
    lfs: bool = False
    xet: str | None = None

    @property
    def size(self) -> int:
        return len(self.data)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def oid(self) -> str:
        """The git blob id (of the pointer file, for LFS)."""
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {self.size}\n"
        body = pointer.encode() if self.lfs else self.data
        return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()

    @property
    def etag(self) -> str:
        return self.sha256 if self.lfs else self.oid

    def entry(self, path: str) -> dict[str, Any]:
        """How the hub lists it."""
        found: dict[str, Any] = {"type": "file", "path": path, "size": self.size, "oid": self.oid}
        if self.lfs:
            found["lfs"] = {"oid": self.sha256, "size": self.size, "pointerSize": 134}
        if self.xet:
            found["xetHash"] = self.xet
        return found


@dataclass(frozen=True)
class Commit:
    """A state of all files."""

    oid: str
    parent: str | None
    files: Mapping[str, Blob]
    title: str


@dataclass
class Repo:
    """A data set repository."""

    id: str
    private: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.commits:
            self.commit({".gitattributes": Blob(ATTRIBUTES)}, "initial commit")

    @property
    def head(self) -> Commit:
        return self.commits[self.branches["main"]]

    def commit(self, files: Mapping[str, Blob], title: str, branch: str = "main") -> Commit:
        """Add a commit to a branch; its id is made from its content and its parent."""
        parent = self.branches.get(branch)
        content = sorted((path, blob.oid) for path, blob in files.items())
        oid = hashlib.sha1(json.dumps([self.id, parent, title, content]).encode()).hexdigest()
        self.commits[oid] = Commit(oid, parent, dict(files), title)
        self.branches[branch] = oid
        return self.commits[oid]

    def find(self, revision: str) -> Commit | None:
        """Find a commit by branch, tag or id."""
        name = revision.removeprefix("refs/heads/").removeprefix("refs/tags/")
        return self.commits.get(self.branches.get(name) or self.tags.get(name) or name)

    def state(self) -> dict[str, Any]:
        """What counts when two repositories are compared: files of the head and tags, history."""
        at = {"main": self.branches["main"], **self.tags}
        files = {
            ref: {p: b.sha256 for p, b in self.commits[oid].files.items()}
            for ref, oid in at.items()
        }
        history, oid = [], self.branches["main"]
        while oid:
            history.append(self.commits[oid].title)
            oid = self.commits[oid].parent or ""
        return {"files": files, "history": history, "private": self.private}
