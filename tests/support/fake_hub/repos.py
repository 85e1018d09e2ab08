"""Routes about users, repositories and their references."""

from __future__ import annotations

from fake_hub.messages import REPO, HubError, Reply, Request, as_json, route
from fake_hub.store import Repo

__all__: list[str] = []


@route("GET", r"/api/whoami-v2")
def whoami(request: Request) -> Reply:
    if request.user is None:
        raise HubError(401, "Invalid username or password.")
    return as_json({"type": "user", "name": request.user.name, "orgs": [], "auth": {}})


@route("POST", r"/api/validate-yaml")
def validate_yaml(request: Request) -> Reply:
    good = str(request.json().get("content", "")).startswith("---\n")
    errors = [] if good else [{"message": "no YAML block"}]
    return as_json({"errors": errors, "warnings": []}, 200 if good else 400)


@route("POST", r"/api/repos/create")
def create(request: Request) -> Reply:
    asked = request.json()
    if request.user is None:
        raise HubError(401, "Invalid username or password.")
    name = f"{asked.get('organization') or request.user.name}/{asked['name']}"
    request.check_owner(name)
    url = f"{request.hub.url}/datasets/{name}"
    if name in request.hub.repos:
        return as_json({"error": "You already created this dataset repo", "url": url}, 409)
    private = asked.get("visibility") == "private" or asked.get("private") is True  # the older form
    request.hub.repos[name] = Repo(name, private)
    return as_json({"url": url, "name": name, "id": "0"})


@route("GET", REPO + r"(?:/revision/(?P<rev>[^/]+))?")
def info(request: Request, id: str, rev: str | None = None) -> Reply:
    repo, commit = request.repo(id), request.commit(id, rev)
    files = [{"rfilename": path} for path in sorted(commit.files)]
    counts = {"downloads": 0, "likes": 0, "gated": False, "disabled": False, "tags": []}
    facts = {"_id": "0", "id": id, "author": id.split("/")[0], "sha": commit.oid}
    return as_json({**facts, "private": repo.private, "siblings": files, **counts})


@route("GET", REPO + r"/refs")
def refs(request: Request, id: str) -> Reply:
    repo = request.repo(id)
    groups = (("branches", "heads", repo.branches), ("tags", "tags", repo.tags))
    found = {
        group: [
            {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid}
            for name, oid in names.items()
        ]
        for group, kind, names in groups
    }
    return as_json({**found, "converts": []})


@route("POST", REPO + r"/tag/(?P<rev>[^/]+)")
def tag(request: Request, id: str, rev: str) -> Reply:
    repo, name = request.writable(id), request.json()["tag"]
    commit = request.commit(id, rev)
    if name in repo.tags:
        raise HubError(409, f"Tag reference exists already: {name}")
    repo.tags[name] = commit.oid
    return as_json({})


@route("DELETE", REPO + r"/tag/(?P<name>[^/]+)")
def delete_tag(request: Request, id: str, name: str) -> Reply:
    repo = request.writable(id)
    if repo.tags.pop(name, None) is None:
        raise HubError(404, "no such tag", "RevisionNotFound")
    return as_json({})
