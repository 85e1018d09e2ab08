"""A hub of data sets in this process: users, repositories, commits and tags.

It answers in place of the network, and has the requests of huggingface_hub that pushing and loading
make, without Xet::

    hub = FakeHub()
    hub.use(monkeypatch, home)
    hub.broken = "/commit/"     # such requests are answered with 503
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from huggingface_hub import get_session

TOKEN = "hf_tester_secret"


@dataclass(frozen=True)
class User:
    """Somebody with a token; may write to repositories of his own name and of his organisations."""

    name: str
    orgs: tuple[str, ...] = ()
    writes: bool = True

    def owns(self, repo: str) -> bool:
        return repo.partition("/")[0] in (self.name, *self.orgs)


@dataclass(frozen=True)
class Blob:
    """A file: its bytes, and whether git sees a pointer (LFS)."""

    data: bytes
    lfs: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def oid(self) -> str:
        """The git blob id (of the pointer file, for LFS)."""
        size = len(self.data)
        pointer = (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {size}\n"
        )
        body = pointer.encode() if self.lfs else self.data
        return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()

    def entry(self, path: str) -> dict[str, Any]:
        """How the hub lists it."""
        found = {"type": "file", "path": path, "size": len(self.data), "oid": self.oid}
        lfs = {"oid": self.sha256, "size": len(self.data), "pointerSize": 134}
        return found | ({"lfs": lfs} if self.lfs else {})


@dataclass(frozen=True)
class Commit:
    """A state of all files."""

    oid: str
    parent: str | None
    files: Mapping[str, Blob]
    title: str


@dataclass
class Repo:
    """A data set repository with one branch, main."""

    id: str
    private: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    main: str = ""

    def __post_init__(self) -> None:
        self.commit({".gitattributes": Blob(b"*.parquet filter=lfs diff=lfs\n")}, "initial commit")

    @property
    def head(self) -> Commit:
        return self.commits[self.main]

    @property
    def history(self) -> list[str]:
        """The titles of all commits, the newest first."""
        titles, oid = [], self.main
        while oid:
            titles.append(self.commits[oid].title)
            oid = self.commits[oid].parent or ""
        return titles

    def commit(self, files: Mapping[str, Blob], title: str) -> Commit:
        """Add a commit; its id is made from its content and its parent."""
        content = sorted((path, blob.oid) for path, blob in files.items())
        oid = hashlib.sha1(json.dumps([self.id, self.main, title, content]).encode()).hexdigest()
        self.commits[oid] = Commit(oid, self.main or None, dict(files), title)
        self.main = oid
        return self.commits[oid]


class HubError(Exception):
    """A refusal: HTTP status, message and the hub's own code."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


Reply = tuple[int, bytes, dict[str, str]]


def as_json(value: object, status: int = 200) -> Reply:
    return status, json.dumps(value).encode(), {"Content-Type": "application/json"}


@dataclass
class Request:
    """A request to a hub."""

    hub: FakeHub
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def user(self) -> User | None:
        """Who asks; None for nobody. Raises for an unknown token."""
        said = self.headers.get("Authorization")
        if said is None:
            return None
        if (token := said.removeprefix("Bearer ")) not in self.hub.users:
            raise HubError(401, "Invalid credentials in Authorization header")
        return self.hub.users[token]

    def json(self) -> Any:
        return json.loads(self.body or b"{}")

    def repo(self, name: str, write: bool = False) -> Repo:
        """Return a repository that the user may see (write to)."""
        found, user = self.hub.repos.get(name), self.user
        if found is None or (found.private and not (user and user.owns(name))):
            raise HubError(404 if user else 401, "Repository not found", "RepoNotFound")
        if write:
            self.check_owner(name)
        return found

    def check_owner(self, name: str) -> None:
        if self.user is None:
            raise HubError(401, "Invalid username or password.")
        if not (self.user.writes and self.user.owns(name)):
            raise HubError(403, f"You don't have the rights to write to {name}")

    def commit(self, name: str, revision: str) -> Commit:
        """Return a commit that the user may see, by branch, tag or id."""
        repo = self.repo(name)
        wanted = unquote(revision).removeprefix("refs/heads/").removeprefix("refs/tags/")
        oid = {"main": repo.main, **repo.tags}.get(wanted, wanted)
        if oid not in repo.commits:
            raise HubError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return repo.commits[oid]


_REPO = r"/api/datasets/(?P<id>[^/]+/[^/]+)"
_ROUTES: list[tuple[str, re.Pattern[str], Callable[..., Reply]]] = []


def route(method: str, pattern: str) -> Callable[[Callable[..., Reply]], Callable[..., Reply]]:
    """Register what answers to requests: it gets the request and the pattern's named groups."""

    def register(view: Callable[..., Reply]) -> Callable[..., Reply]:
        _ROUTES.append((method, re.compile(pattern + r"\Z"), view))
        return view

    return register


@route("POST", "/api/validate-yaml")
def validate_yaml(request: Request) -> Reply:
    return as_json({"errors": [], "warnings": []})


@route("POST", "/api/repos/create")
def create(request: Request) -> Reply:
    said = request.json()
    name = f"{said['organization']}/{said['name']}"
    request.check_owner(name)
    url = {"url": f"{request.hub.url}/datasets/{name}", "name": name, "id": name}
    if name in request.hub.repos:
        return as_json({**url, "error": "You already created this dataset repo"}, 409)
    request.hub.repos[name] = Repo(
        name, bool(said.get("private") or said.get("visibility") == "private")
    )
    return as_json(url)


@route("GET", _REPO + r"(?:/revision/(?P<rev>.+))?")
def info(request: Request, id: str, rev: str | None = None) -> Reply:
    commit = request.commit(id, rev or "main")
    siblings = [{"rfilename": path} for path in commit.files]
    private = request.repo(id).private
    return as_json({"_id": "0", "id": id, "sha": commit.oid, "private": private, "tags": [],
                    "siblings": siblings})  # fmt: skip


@route("GET", _REPO + "/refs")
def refs(request: Request, id: str) -> Reply:
    repo = request.repo(id)
    tags = [
        {"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid}
        for name, oid in repo.tags.items()
    ]
    main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repo.main}
    return as_json({"branches": [main], "tags": tags, "converts": []})


@route("POST", _REPO + r"/tag/(?P<rev>.+)")
def tag(request: Request, id: str, rev: str) -> Reply:
    repo, name = request.repo(id, write=True), request.json()["tag"]
    commit = request.commit(id, rev)
    if name in repo.tags:
        raise HubError(409, f"Tag reference exists already: {name}")
    repo.tags[name] = commit.oid
    return as_json({})


@route("GET", _REPO + r"/tree/(?P<rev>[^/]+)")
def tree(request: Request, id: str, rev: str) -> Reply:
    files = request.commit(id, rev).files
    return as_json([blob.entry(path) for path, blob in sorted(files.items())])


@route("GET", r"/datasets/(?P<id>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.+)")
def resolve(request: Request, id: str, rev: str, path: str) -> Reply:
    commit = request.commit(id, rev)
    if path not in commit.files:
        raise HubError(404, "Entry not found", "EntryNotFound")
    blob = commit.files[path]
    headers = {"X-Repo-Commit": commit.oid, "ETag": f'"{blob.sha256 if blob.lfs else blob.oid}"'}
    if blob.lfs:
        headers |= {"X-Linked-Etag": f'"{blob.sha256}"', "X-Linked-Size": str(len(blob.data))}
    return 200, blob.data, headers


@route("POST", _REPO + r"/preupload/(?P<rev>[^/]+)")
def preupload(request: Request, id: str, rev: str) -> Reply:
    request.repo(id, write=True)
    files, modes = request.commit(id, rev).files, []
    for asked in request.json()["files"]:
        old, large = files.get(asked["path"]), asked["path"].endswith(".parquet")
        mode = {
            "path": asked["path"],
            "uploadMode": "lfs" if large else "regular",
            "shouldIgnore": False,
        }
        modes.append(mode | ({"oid": old.sha256 if old.lfs else old.oid} if old else {}))
    return as_json({"files": modes})


@route("POST", r"/datasets/(?P<id>.+)\.git/info/lfs/objects/batch")
def batch(request: Request, id: str) -> Reply:
    request.repo(id, write=True)
    here, objects = request.hub.url, []
    for asked in request.json()["objects"]:
        one: dict[str, Any] = {"oid": asked["oid"], "size": asked["size"]}
        if asked["oid"] not in request.hub.objects:
            href = f"{here}/_lfs/{asked['oid']}?X-Amz-Signature=secret-signature"
            one["actions"] = {"upload": {"href": href}, "verify": {"href": f"{here}/_lfs/verify"}}
        objects.append(one)
    return as_json({"transfer": "basic", "objects": objects})


@route("PUT", r"/_lfs/(?P<oid>[0-9a-f]{64})")
def put(request: Request, oid: str) -> Reply:
    if hashlib.sha256(request.body).hexdigest() != oid:
        raise HubError(422, "sha256 mismatch")
    request.hub.objects[oid] = request.body
    return as_json({})


@route("POST", r"/_lfs/verify")
def verify(request: Request) -> Reply:
    return as_json({})


@route("POST", _REPO + r"/commit/(?P<rev>[^/]+)")
def commit(request: Request, id: str, rev: str) -> Reply:
    repo = request.repo(id, write=True)
    files, title = dict(repo.head.files), ""
    for line in request.body.splitlines():
        item = json.loads(line)
        key, value = item["key"], item["value"]
        if key == "header":
            title = value.get("summary", "")
            if value.get("parentCommit", repo.main) != repo.main:
                raise HubError(412, "A commit has happened since. Please refresh and try again.")
        elif key == "file":
            files[value["path"]] = Blob(base64.b64decode(value["content"]))
        elif key == "lfsFile":
            files[value["path"]] = Blob(request.hub.objects[value["oid"]], lfs=True)
        else:
            del files[value["path"]]
    made = repo.commit(files, title)
    url = f"{request.hub.url}/datasets/{id}/commit/{made.oid}"
    return as_json({"success": True, "commitOid": made.oid, "commitUrl": url, "hookOutput": ""})


class FakeHub:
    """A hub; see the top of this module. ``before`` is called with each request, to interfere."""

    def __init__(self) -> None:
        self.users = {TOKEN: User("tester", ("org",))}
        self.repos: dict[str, Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.log: list[str] = []
        self.broken = "$nothing"
        self.before: Callable[[Request], None] = lambda request: None
        self.lock = threading.RLock()
        self.url = "https://hub.test"

    def answer(self, request: Request) -> Reply:
        """Carry a request out; a HEAD is answered as the GET, without a body."""
        try:
            self.before(request)
            if re.search(self.broken, request.path):
                raise HubError(503, "the hub is broken")
            wanted = "GET" if request.method == "HEAD" else request.method
            for method, pattern, view in _ROUTES:
                if method == wanted and (match := pattern.match(request.path)):
                    groups = {k: unquote(v) if v else v for k, v in match.groupdict().items()}
                    return view(request, **groups)
            raise HubError(404, f"no such route: {request.method} {request.path}")
        except HubError as error:
            status, body, headers = as_json({"error": error.message}, error.status)
            headers |= {"X-Error-Message": error.message, "X-Error-Code": error.code}
            return status, body, headers

    def requests(self, part: str) -> list[str]:
        """Return the requests with a text in them."""
        return [request for request in self.log if part in request]

    def use(self, monkeypatch: pytest.MonkeyPatch, home: Path, token: str = TOKEN) -> None:
        """Let huggingface_hub in this process talk to this hub only, with caches in ``home``."""
        constants = {
            "ENDPOINT": self.url, "HF_HUB_CACHE": str(home / "hub"), "HF_HUB_OFFLINE": False,
            "HUGGINGFACE_CO_URL_TEMPLATE": self.url + "/{repo_id}/resolve/{revision}/{filename}",
            "HF_HUB_DISABLE_XET": True, "HF_TOKEN_PATH": str(home / "token"),
        }  # fmt: skip
        for name, value in constants.items():
            monkeypatch.setattr(f"huggingface_hub.constants.{name}", value)
        client = type(get_session())
        http = import_module(client.__module__.partition(".")[0])  # httpx, or what came after it

        def reply(asked: Any) -> Any:
            if asked.url.host not in self.url:
                raise http.ConnectError("Connection refused")
            path, body = asked.url.raw_path.decode(), asked.read()
            with self.lock:
                answer = self.answer(Request(self, asked.method, path, asked.headers, body))
                self.log.append(f"{asked.method} {path} {answer[0]}")
            length = {"Content-Length": str(len(answer[1]))}
            content = b"" if asked.method == "HEAD" else answer[1]
            return http.Response(answer[0], headers=length | answer[2], content=content)

        made = client(
            transport=http.MockTransport(reply),
            event_hooks=get_session().event_hooks,
            follow_redirects=True,
        )
        monkeypatch.setattr("huggingface_hub.utils._http._GLOBAL_CLIENT", made)
        monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", home / "datasets")
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        monkeypatch.setenv("HF_TOKEN", token)
