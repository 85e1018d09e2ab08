"""Routes that write: large files first, then one commit."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from typing import Any

from fake_hub.messages import REPO, HubError, Reply, Request, as_json, route
from fake_hub.store import Blob
from fake_hub.xet import fetch

__all__: list[str] = []

LARGE = (".parquet", ".arrow", ".zst", ".gz", ".zip", ".bin")


@route("POST", REPO + r"/preupload/(?P<rev>[^/]+)")
def preupload(request: Request, id: str, rev: str) -> Reply:
    request.writable(id)
    files = request.commit(id, rev).files
    return as_json(
        {"files": [_mode(asked, files.get(asked["path"])) for asked in request.json()["files"]]}
    )


def _mode(asked: dict[str, Any], old: Blob | None) -> dict[str, Any]:
    large = asked["path"].endswith(LARGE) or asked["size"] > 10_000_000
    mode = {
        "path": asked["path"],
        "uploadMode": "lfs" if large else "regular",
        "shouldIgnore": False,
    }
    return {**mode, "oid": old.etag} if old else mode


@route("POST", r"/datasets/(?P<id>.+)\.git/info/lfs/objects/batch")
def batch(request: Request, id: str) -> Reply:
    request.writable(id)
    here = request.hub.url
    upload = {"verify": {"href": f"{here}/_lfs/verify"}}
    objects: list[dict[str, Any]] = []
    for asked in request.json()["objects"]:
        one = {"oid": asked["oid"], "size": asked["size"]}
        if asked["oid"] not in request.hub.objects:
            href = f"{here}/_lfs/{asked['oid']}?X-Amz-Signature=secret-signature"
            one["actions"] = {"upload": {"href": href}, **upload}
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
    asked = request.json()
    if len(request.hub.objects.get(asked["oid"], b"")) != asked["size"]:
        raise HubError(422, "size mismatch")
    return as_json({})


@route("GET", REPO + r"/xet-(?P<kind>read|write)-token/(?P<rev>[^/]+)")
def xet_token(request: Request, id: str, kind: str, rev: str) -> Reply:
    if kind == "write":
        request.writable(id)
    request.repo(id)
    if request.hub.xet_dir is None:
        raise HubError(404, "xet is not enabled")
    expires = int(time.time()) + 3600
    place = request.hub.cas or f"local://{request.hub.xet_dir}"
    headers = {
        "X-Xet-Cas-Url": place,
        "X-Xet-Access-Token": "x",
        "X-Xet-Token-Expiration": str(expires),
    }
    return as_json({"accessToken": "x", "casUrl": place, "exp": expires}, headers=headers)


@route("POST", REPO + r"/commit/(?P<rev>[^/]+)")
def commit(request: Request, id: str, rev: str) -> Reply:
    repo = request.writable(id)
    parent = request.commit(id, rev)
    if rev not in repo.branches:
        raise HubError(400, f"{rev} is not a branch")
    files, title = dict(parent.files), ""
    for line in request.body.splitlines():
        item = json.loads(line)
        if item["key"] == "header":
            title = item["value"].get("summary", "")
            if item["value"].get("parentCommit", parent.oid) != parent.oid:
                raise HubError(412, "A commit has happened since. Please refresh and try again.")
        else:
            _apply(request, files, item["key"], item["value"])
    made = repo.commit(files, title, rev)
    url = f"{request.hub.url}/datasets/{id}/commit/{made.oid}"
    return as_json({"success": True, "commitOid": made.oid, "commitUrl": url, "hookOutput": ""})


def _apply(request: Request, files: dict[str, Blob], key: str, value: dict[str, Any]) -> None:
    if key == "file":
        files[value["path"]] = Blob(base64.b64decode(value["content"]))
    elif key == "lfsFile":
        files[value["path"]] = _large(request, value)
    elif key == "deletedFile":
        if files.pop(value["path"], None) is None:
            raise HubError(404, "A file with this name doesn't exist", "EntryNotFound")
    else:
        raise HubError(400, f"unknown operation {key}")


def _large(request: Request, value: dict[str, Any]) -> Blob:
    data = request.hub.objects.get(value["oid"])
    if data is not None:
        return Blob(data, lfs=True)
    found = fetch(request.hub.xet_dir, value["oid"], value["size"]) if request.hub.xet_dir else None
    if found is None:
        raise HubError(400, f"LFS object {value['oid']} was not uploaded")
    return Blob(found[1], lfs=True, xet=found[0])
