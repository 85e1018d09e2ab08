"""How long a hub is waited for, and how much of it is read."""

from __future__ import annotations

import errno
import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants, get_session

from fake_hub import FakeHub, Fault
from fake_hub.messages import Reply
from fake_hub.warm import Warm
from solecism.datasets.lock import lock_path
from solecism.errors import InputError
from solecism.hub import client as hub_limits
from solecism.hub.client import (
    Repository,
    UnreachableError,
    explain,
    limited,
    reachable,
    refused,
    seconds,
)

pytestmark = pytest.mark.nightly

DEAD = "http://127.0.0.1:9"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("SOLECISM_HUB_TIMEOUT", "0.5")
    with FakeHub() as hub:
        yield hub


def answer(hub: FakeHub, status: int = 200, body: bytes = b"{}", **headers: str) -> None:
    """Make the hub answer so."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    reply = Reply(body, status, named)
    hub.faults = [Fault("spoil", at=None, times=99, change=lambda _: reply)]


@pytest.fixture(scope="module")
def without_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    folder = tmp_path_factory.mktemp("dead")
    warm = Warm({"HF_ENDPOINT": DEAD, "HF_HOME": str(folder)}, folder)
    yield warm
    warm.close()


@pytest.mark.parametrize(
    "arguments",
    [
        ["diff", "build/clams", "clams"],
        ["lock", "--commits", "clams", "org/clams"],
        ["score", "org/clams/he", "--model", "gpt2"],
    ],
)
def test_without_a_connection_it_is_said_at_once(
    without_hub: Warm, arguments: list[str], tmp_path: Path
) -> None:
    """Not after half a minute of repeats, in a process that is not told that it is offline."""
    begun = time.monotonic()
    done = without_hub.run(arguments, tmp_path, cwd=tmp_path)
    assert time.monotonic() - begun < 25
    assert done.code == 2, done.err
    assert f"{DEAD} cannot be reached" in done.err
    assert len(done.err.strip().splitlines()) == 1
    if arguments[0] == "diff":
        assert "there is no folder 'build/clams', and on a hub: " in done.err


def test_other_calls_of_the_process_are_left_alone(hub: FakeHub) -> None:
    """Only while we ask there is a limit."""
    hub.faults = [Fault("silent", at=None, times=99)]
    url = f"{hub.url}/api/whoami-v2"
    with limited(), pytest.raises(UnreachableError, match=r"is silent: no byte in 0\.5 seconds"):
        get_session().get(url)
    begun = time.monotonic()
    with pytest.raises(Exception, match="timed out"):
        get_session().get(url, timeout=1.0)
    assert time.monotonic() - begun >= 1.0


def test_a_hub_can_be_asked_whether_it_is_there(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    assert reachable()
    hub.faults = [Fault("silent", at=None, times=99)]
    assert not reachable()
    monkeypatch.setattr(constants, "ENDPOINT", DEAD)
    assert not reachable()


def test_a_hub_that_wants_to_be_left_alone_for_long(hub: FakeHub) -> None:
    url = f"{hub.url}/api/whoami-v2"
    for name, value in (("Retry_After", "86400"), ("ratelimit", '"api";r=0;t=86400')):
        answer(hub, 429, **{name: value})
        with limited(), pytest.raises(UnreachableError, match="be left alone for 86400 seconds"):
            get_session().get(url)
    answer(hub, 429, Retry_After="0")
    with limited():
        assert get_session().get(url).status_code == 429


def test_an_answer_that_does_not_end(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_limits, "LARGEST", 1 << 20)
    answer(hub, body=b" " * (2 << 20))
    url = f"{hub.url}/api/whoami-v2"
    with limited(), pytest.raises(InputError, match="answers with more than 1 MB"):
        get_session().get(url)
    with limited(), get_session().stream("GET", url) as response:  # as a file is downloaded
        assert sum(map(len, response.iter_bytes())) == 2 << 20


def test_an_answer_that_drips(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte comes in time, and the whole does not."""
    monkeypatch.setenv("SOLECISM_HUB_TIMEOUT", "0.2")
    hub.faults = [Fault("drip", at=None, times=99)]
    reply = Reply(b" " * 1000, 200, {})
    monkeypatch.setattr(hub, "answer", lambda _: (reply, hub.faults[0]))
    url = f"{hub.url}/api/whoami-v2"
    begun = time.monotonic()
    with limited(), pytest.raises(UnreachableError, match=r"is too slow: .* sets another limit"):
        get_session().get(url)
    with (
        limited(),
        get_session().stream("GET", url) as response,
        pytest.raises(UnreachableError, match="is too slow"),
    ):
        deque(response.iter_bytes(), maxlen=0)
    assert time.monotonic() - begun < 25


@pytest.mark.parametrize("value", ["soon", "0", "-1", "nan", "inf"])
def test_a_limit_that_is_none(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SOLECISM_HUB_TIMEOUT", value)
    with pytest.raises(InputError, match=f"SOLECISM_HUB_TIMEOUT is '{value}'"):
        seconds()


def test_a_full_disk_is_not_the_fault_of_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InputError) as caught:
        Repository("org/tiny").ask(full)
    assert str(caught.value).endswith("hub: org/tiny: cannot be kept: No space left on device")
    error = refused(PermissionError(errno.EACCES, "Permission denied", "/x"), "org/tiny", DEAD)
    assert str(error) == "/x: org/tiny: cannot be kept: Permission denied"


def test_our_own_mistakes_are_not_blamed_on_the_hub() -> None:
    with pytest.raises(AttributeError):
        Repository("org/tiny").ask(lambda: lock_path(None, "tiny"))  # type: ignore[arg-type]


def test_signatures_in_addresses_are_not_told() -> None:
    error = ConnectionError("error sending request for url (https://s3/x?X-Amz-Signature=secret)")
    assert explain(error) == "ConnectionError: error sending request for url (https://s3/x?...)"


def test_the_store_of_large_files_is_told_the_limit_of_each_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connect, read = hub_limits._XET
    for name in (connect, read, hub_limits._XET_REPEATS):
        monkeypatch.delenv(name, raising=False)
    for limit, told_as in (("30", "30000ms"), ("0.3", "300ms")):
        monkeypatch.setenv("SOLECISM_HUB_TIMEOUT", limit)
        with limited():
            assert os.environ[connect] == os.environ[read] == told_as
        assert connect not in os.environ
    monkeypatch.setenv(read, "7s")
    monkeypatch.setenv("SOLECISM_HUB_TIMEOUT", "2")
    with limited():
        assert (os.environ[connect], os.environ[read]) == ("2000ms", "7s")
