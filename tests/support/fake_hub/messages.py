"""Requests, replies and the table of routes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from fake_hub.server import FakeHub
    from fake_hub.store import Commit, Repo, User

__all__ = ["REPO", "HubError", "Reply", "Request", "as_json", "find_route", "route"]

REPO = r"/api/datasets/(?P<id>[^/]+/[^/]+)"


class HubError(Exception):
    """A refusal: HTTP status, message and the hub's own code."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code

    def reply(self) -> Reply:
        """The refusal as the hub sends it."""
        headers = {"X-Error-Message": self.message}
        if self.code:
            headers["X-Error-Code"] = self.code
        return as_json({"error": self.message}, self.status, headers)


@dataclass(frozen=True)
class Reply:
    """An answer."""

    body: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def as_json(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Answer with JSON."""
    kind = {"Content-Type": "application/json"}
    return Reply(json.dumps(value).encode(), status, {**kind, **(headers or {})})


@dataclass(frozen=True)
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
    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.target).query)

    @property
    def user(self) -> User | None:
        """Who asks; None for nobody. Raises where the token is unknown."""
        said = self.headers.get("Authorization")
        if said is None:
            return None
        token = said.removeprefix("Bearer ")
        if token not in self.hub.users:
            raise HubError(401, "Invalid credentials in Authorization header")
        return self.hub.users[token]

    def json(self) -> Any:
        return json.loads(self.body or b"{}")

    def repo(self, name: str) -> Repo:
        """Find a repository that the user may see."""
        found, user = self.hub.repos.get(name), self.user
        if found is None or (found.private and not (user and user.owns(name))):
            raise HubError(404 if user else 401, "Repository not found", "RepoNotFound")
        return found

    def writable(self, name: str) -> Repo:
        """Find a repository that the user may write to."""
        found = self.repo(name)
        self.check_owner(name)
        return found

    def check_owner(self, name: str) -> None:
        """Raise where the user may not write to repositories of that owner."""
        if self.user is None:
            raise HubError(401, "Invalid username or password.")
        if not (self.user.writes and self.user.owns(name)):
            raise HubError(403, f"You don't have the rights to write to {name}")

    def commit(self, name: str, revision: str | None) -> Commit:
        """Find a commit of a repository that the user may see."""
        found = self.repo(name).find(unquote(revision or "main"))
        if found is None:
            raise HubError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return found


View = Callable[..., Reply]
_ROUTES: list[tuple[tuple[str, ...], re.Pattern[str], View]] = []


def route(methods: str, pattern: str) -> Callable[[View], View]:
    """Register what answers to requests: it gets the request and the pattern's named groups."""

    def register(view: View) -> View:
        _ROUTES.append((tuple(methods.split()), re.compile(pattern + r"\Z"), view))
        return view

    return register


def find_route(method: str, path: str) -> Callable[[Request], Reply]:
    """Find what answers to a request; a HEAD is answered as the GET, without a body."""
    wanted = "GET" if method == "HEAD" else method
    for methods, pattern, view in _ROUTES:
        if wanted in methods and (match := pattern.match(path)):
            groups = {k: unquote(v) if v else v for k, v in match.groupdict().items()}
            return partial(view, **groups)
    raise HubError(404, f"no such route: {method} {path}")
