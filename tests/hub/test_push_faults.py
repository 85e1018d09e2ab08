"""A push whose every request fails in turn, in several ways: it ends in the state of an undisturbed
push."""

from __future__ import annotations

import re
import signal
import socket
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fake_hub import Fault
from hubs import REPO, Place, sums

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def release(releases: dict[str, Path]) -> Path:
    return releases["2.0.0"]


@pytest.fixture(scope="module")
def place(any_place: Place) -> Place:
    return any_place


@pytest.fixture(scope="module")
def undisturbed(place: Place, release: Path) -> tuple[dict[str, Any], list[str]]:
    """The state after a push without faults, and its requests."""
    place.fresh()
    done = place.push(release)
    assert done.code == 0, done.err
    repo = place.hub.repos[REPO]
    assert {
        p: s for p, s in repo.state()["files"]["v2.0.0"].items() if p != ".gitattributes"
    } == sums(release)
    return repo.state(), [str(seen) for seen in place.hub.log]


def chosen(place: Place, requests: list[str], pattern: str) -> list[int]:
    """The places of the requests that fit; with xet only those of its own, and the commit and the
    tag."""
    fit = [n for n, request in enumerate(requests) if re.search(pattern, request)]
    if place.hub.xet_dir is None:
        return fit
    return [n for n in fit if re.search("xet|preupload|/commit/|/tag/", requests[n])]


SURVIVED = {"status": "", "lost": "^(POST|PUT)", "drop": "/commit/|/tag/|/create"}
"""Which requests fail in which way: each of them is refused once."""


@pytest.mark.parametrize("kind", SURVIVED)
def test_a_failure_of_each_request_is_survived(
    place: Place, release: Path, undisturbed: tuple[dict[str, Any], list[str]], kind: Any
) -> None:
    state, requests = undisturbed
    commits = {"status": 2, "drop": 2, "lost": 1}[kind]
    for number in chosen(place, requests, SURVIVED[kind]):
        place.fresh()
        place.hub.faults = [Fault(kind, at=number)]
        done = place.push(release)
        assert done.code == 0, (requests[number], done.err)
        assert place.hub.repos[REPO].state() == state, requests[number]
        assert place.violations == [], requests[number]
        sent = len(place.requests("POST", "/commit/"))
        assert sent == (commits if "/commit/" in requests[number] else 1), requests[number]


@pytest.mark.parametrize("kind", ["drop", "after"])
def test_a_push_that_is_killed_goes_on_when_it_is_repeated(
    place: Place, release: Path, undisturbed: tuple[dict[str, Any], list[str]], kind: Any
) -> None:
    """Killed by signal 9 at a request that is not carried out, or is (but the answer is not
    read)."""
    state, requests = undisturbed
    tagged = next(n for n, request in enumerate(requests) if "/tag/" in request)
    for number in chosen(place, requests, "^(POST|PUT)"):
        place.fresh()
        killed = place.push_killed(release, Fault(kind, at=number))
        assert killed.code == -signal.SIGKILL, requests[number]
        tags = place.hub.repos[REPO].tags if REPO in place.hub.repos else {}
        assert bool(tags) == (number == tagged and kind == "after"), requests[number]
        done = place.push(release)
        assert done.code == 0, (requests[number], done.err)
        assert place.hub.repos[REPO].state() == state, requests[number]
        assert place.violations == [], requests[number]


def test_a_hub_that_stays_down_from_some_request_on(
    place: Place, release: Path, undisturbed: tuple[dict[str, Any], list[str]]
) -> None:
    state, requests = undisturbed
    for number in chosen(place, requests, "/create|^PUT|/commit/|/tag/"):
        place.fresh()
        down = Fault("drop", at=None, times=0)
        goes_down = partial(setattr, down, "times", 10_000)
        place.hub.faults = [down, Fault("call", at=number, action=goes_down)]
        done = place.push(release)
        assert done.code == 2, (requests[number], done.err)
        assert "no good answer" in done.err
        assert len(done.err.strip().splitlines()) == 1, done.err
        place.hub.faults = []
        assert place.push(release).code == 0
        assert place.hub.repos[REPO].state() == state, requests[number]
        assert place.violations == [], requests[number]


@pytest.mark.parametrize("path", [r"resolve/.*README\.md", r"resolve/.*\.parquet"])
def test_a_download_that_breaks_off_while_reading_back(
    place: Place, release: Path, undisturbed: tuple[dict[str, Any], list[str]], path: str
) -> None:
    if place.hub.xet_dir is not None:
        pytest.skip("xet reads from its store")
    place.fresh()
    place.hub.faults = [Fault("cut", match=path, method="GET")]
    done = place.push(release)
    assert done.code == 0, done.err
    assert place.hub.repos[REPO].state() == undisturbed[0]


@pytest.mark.parametrize("kind", ["silent", "stall"])
def test_a_hub_that_falls_silent_is_not_waited_for(
    place: Place, release: Path, undisturbed: tuple[dict[str, Any], list[str]], kind: Any
) -> None:
    """It takes the connection and never answers, or stops in the middle of an answer."""
    state, requests = undisturbed
    if place.hub.xet_dir is not None:
        pytest.skip("the requests are the same")
    kinds = {re.sub("[0-9a-f]{40,}|[?].*", "", r): n for n, r in enumerate(requests)}
    for number in kinds.values() if kind == "silent" else chosen(place, requests, "POST|GET.*refs"):
        place.fresh()
        place.hub.faults = [Fault(kind, at=number)]
        begun = time.monotonic()
        done = place.push(release, SOLECISM_HUB_TIMEOUT="0.3")
        assert time.monotonic() - begun < 25, requests[number]
        assert done.code == 2, (requests[number], done.err)
        assert "is silent: no byte in 0.3 seconds" in done.err, requests[number]
        assert len(done.err.strip().splitlines()) == 1, done.err
        place.hub.faults = []
        if requests[number].startswith(("POST", "PUT")):
            assert place.push(release).code == 0
            assert place.hub.repos[REPO].state() == state, requests[number]
        assert place.violations == [], requests[number]


def test_a_store_that_falls_silent_is_not_waited_for(place: Place, release: Path) -> None:
    """That of xet, which is no part of the hub and has a client of its own."""
    if place.hub.xet_dir is None:
        pytest.skip("there is none")
    place.fresh()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place.hub.cas = f"http://127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        done = place.push(release, SOLECISM_HUB_TIMEOUT="0.3")
        place.hub.cas = ""
    assert time.monotonic() - begun < 25
    assert done.code == 2
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1, done.err
