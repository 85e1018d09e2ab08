"""A hub that answers with 200 and nonsense: each command ends right, or with one line that says
so."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fake_hub import Fault
from fake_hub.messages import Reply
from fake_hub.warm import Done
from hubs import LOAD, REPO, Place, a_place
from mutations import mutations

pytestmark = pytest.mark.nightly

TRIALS = int(os.environ.get("SOLECISM_TRIALS", "12"))
"""How many mutations of all are tried with each command: a hundred thousand is all of them."""

HTML = b"<!DOCTYPE html><html><body>Log in to the network of this hotel</body></html>"
OPEN = f"""
import sys
from solecism.errors import InputError
from solecism.scoring.items import open_items

try:
    print(open_items({REPO + "/he"!r}).rows)
except InputError as error:
    sys.exit(print(error, file=sys.stderr) or 2)
"""


@dataclass(frozen=True)
class Command:
    """Something that asks a hub: how to run it, and on which hub."""

    run: Callable[[Place, Path], Done]
    empty: bool = False


def _pushed(version: str) -> Callable[[Place, Path], Done]:
    return lambda place, folder: place.push(folder / version / "tiny")


def _told(*arguments: str) -> Callable[[Place, Path], Done]:
    def run(place: Place, folder: Path) -> Done:
        named = [text.replace("FOLDER", str(folder)) for text in arguments]
        return place.warm.run(named, place.home())

    return run


COMMANDS: Mapping[str, Command] = {
    "push": Command(_pushed("2.0.0")),
    "first push": Command(_pushed("1.0.0"), empty=True),
    "push again": Command(_pushed("1.0.0")),
    "load": Command(lambda place, _: place.warm.run(["he", "", REPO], place.home(), code=LOAD)),
    "diff": Command(_told("diff", f"{REPO}@v1.0.0", "FOLDER/2.0.0/tiny")),
    "lock": Command(_told("lock", "--commits", "tiny", REPO, "--root", "FOLDER/root")),
    "score": Command(lambda place, _: place.warm.run([], place.home(), code=OPEN)),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with a_place(tmp_path_factory.mktemp("hub")) as place:
        yield place


def _whole(reply: Reply) -> Iterator[tuple[str, Reply]]:
    """An answer's body, headers and, where it is JSON, structure changed."""
    bodies = {"nothing": b"", "HTML": HTML, "half": reply.body[: len(reply.body) // 2]}
    bodies["deep"] = b"[" * 100_000
    yield from ((name, replace(reply, body=body)) for name, body in bodies.items())
    for name in reply.headers:
        rest = {key: value for key, value in reply.headers.items() if key != name}
        yield f"no {name}", replace(reply, headers=rest)
        for other in ("", "x", "-1", "9" * 30):
            yield f"{name}: {other}", replace(reply, headers={**reply.headers, name: other})
    if reply.headers.get("Content-Type") == "application/json":
        for name, value in mutations(json.loads(reply.body)):
            yield name, replace(reply, body=json.dumps(value).encode())


def _spoilt(label: str) -> Callable[[Reply], Reply]:
    return lambda reply: dict(_whole(reply)).get(label, reply) if reply.status == 200 else reply


def _answers(place: Place, run: Callable[[list[Fault]], Done]) -> dict[tuple[str, str], Reply]:
    """The good answers of each kind that an undisturbed command gets."""
    found: dict[tuple[str, str], Reply] = {}

    def note(reply: Reply) -> Reply:
        last = place.hub.asked
        if reply.status == 200 and last is not None:
            path = re.sub("[0-9a-f]{40,}", "[0-9a-f]+", re.escape(last.path))
            found.setdefault((last.method, f"{path}([?].*)?$"), reply)
        return reply

    done = run([Fault("spoil", at=None, times=10_000, change=note)])
    assert done.code == 0, done.err
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_nonsense_from_a_hub(place: Place, release_folder: Path, name: str) -> None:
    command = COMMANDS[name]
    place.fresh()
    if not command.empty:
        assert place.push(release_folder / "1.0.0" / "tiny").code == 0
    state = copy.deepcopy((place.hub.repos, place.hub.objects))

    def run(faults: list[Fault]) -> Done:
        place.fresh()
        place.hub.watch = lambda hub: None
        place.hub.repos, place.hub.objects = copy.deepcopy(state)
        place.hub.faults = faults
        return command.run(place, release_folder)

    answers = _answers(place, run)
    trials = [(route, label) for route, reply in answers.items() for label, _ in _whole(reply)]
    assert len(trials) > 100
    wrong = []
    for (method, path), label in random.Random(1).sample(trials, min(TRIALS, len(trials))):
        begun = time.monotonic()
        done = run([Fault("spoil", None, 0, path, method, 10_000, change=_spoilt(label))])
        took, lines = time.monotonic() - begun, done.err.strip().splitlines()
        told = [line for line in lines if not line.startswith("Fetching ")]
        good = done.code == 0 or (done.code == 2 and len(told) == 1 and len(told[0]) < 600)
        if not good or "Traceback" in done.err or took > 60:
            wrong.append(f"{method} {path}: {label}: {done.code} {took:.1f} s {done.err[-1500:]}")
    assert not wrong, "\n".join(wrong)
