"""Routes that list and send files."""

from __future__ import annotations

import hashlib
import re
from typing import Any
from urllib.parse import parse_qs, quote

from fake_hub.messages import REPO, HubError, Reply, Request, as_json, route
from fake_hub.store import Blob

__all__: list[str] = []


@route("GET", REPO + r"/tree/(?P<rev>[^/]+)(?:/(?P<path>.*))?")
def tree(request: Request, id: str, rev: str, path: str | None = None) -> Reply:
    files, base = request.commit(id, rev).files, f"{path}/" if path else ""
    deep = request.query.get("recursive", ["false"])[0].lower() in ("true", "1")
    inside = {p: blob for p, blob in sorted(files.items()) if p.startswith(base)}
    if base and not inside:
        raise HubError(404, f"{path} does not exist", "EntryNotFound")
    entries = {d: _folder(d) for p in inside for d in _folders(p, base, deep)}
    for p, blob in inside.items():
        if deep or "/" not in p[len(base) :]:
            entries[p] = blob.entry(p)
    return as_json(list(entries.values()))


def _folders(path: str, base: str, deep: bool) -> list[str]:
    """The folders between a base and a file: all of them, or only the first."""
    parts = path[len(base) :].split("/")[:-1]
    return [
        base + "/".join(parts[: n + 1]) for n in range(len(parts) if deep else min(len(parts), 1))
    ]


def _folder(path: str) -> dict[str, Any]:
    return {
        "type": "directory",
        "path": path,
        "size": 0,
        "oid": hashlib.sha1(path.encode()).hexdigest(),
    }


@route("POST", REPO + r"/paths-info/(?P<rev>[^/]+)")
def paths_info(request: Request, id: str, rev: str) -> Reply:
    files = request.commit(id, rev).files
    try:
        paths = request.json()["paths"]
    except ValueError:
        paths = parse_qs(request.body.decode())["paths"]
    found = [files[p].entry(p) for p in paths if p in files]
    found += [_folder(p) for p in paths if any(f.startswith(p.rstrip("/") + "/") for f in files)]
    return as_json(found)


@route("GET", r"/datasets/(?P<id>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.+)")
def resolve(request: Request, id: str, rev: str, path: str) -> Reply:
    commit = request.commit(id, rev)
    if path not in commit.files:
        raise HubError(404, "Entry not found", "EntryNotFound")
    blob = commit.files[path]
    headers = _headers(request, id, commit.oid, path, blob)
    if span := re.match(r"bytes=(\d*)-(\d*)$", request.headers.get("Range", "")):
        first = int(span[1]) if span[1] else blob.size - int(span[2])
        last = min(int(span[2]) if span[1] and span[2] else blob.size - 1, blob.size - 1)
        headers["Content-Range"] = f"bytes {first}-{last}/{blob.size}"
        return Reply(blob.data[first : last + 1], 206, headers)
    return Reply(blob.data, 200, headers)


def _headers(request: Request, id: str, commit: str, path: str, blob: Blob) -> dict[str, str]:
    name = quote(path.rpartition("/")[2])
    headers = {
        "X-Repo-Commit": commit,
        "ETag": f'"{blob.etag}"',
        "Accept-Ranges": "bytes",
        "Content-Disposition": f"inline; filename*=UTF-8''{name}",
        "Content-Type": "application/octet-stream",
    }
    if blob.lfs:
        headers |= {"X-Linked-Etag": f'"{blob.sha256}"', "X-Linked-Size": str(blob.size)}
    if blob.xet:
        refresh = f"{request.hub.url}/api/datasets/{id}/xet-read-token/{commit}"
        headers |= {"X-Xet-Hash": blob.xet, "X-Xet-Refresh-Route": refresh}
    return headers
