"""Every reader refuses what it cannot read with a clear error: changed inputs, and what fuzzing has
found."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import datasets
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz_cases import CASES, Case
from fuzzing import running
from fuzzing.mutations import KINDS, mutate
from fuzzing.readers import READERS, Reader
from fuzzing.running import MEMORY, Place, change, run_reader
from fuzzing.world import make_world
from release import CHECKOUT

INPUTS = 50
"""Changed inputs of each reader; ``scripts/fuzz.py`` tries many more."""


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    cache = datasets.config.HF_DATASETS_CACHE
    with mock.patch.dict(os.environ, {"HF_HUB_OFFLINE": "1"}):
        with TemporaryDirectory(dir=MEMORY) as folder:
            world = make_world(Path(folder))
        with TemporaryDirectory(dir=MEMORY) as folder:
            yield Place(Path(folder), world)
    datasets.config.HF_DATASETS_CACHE = cache


@pytest.mark.parametrize("reader", READERS.values(), ids=lambda reader: reader.name)
def test_the_files_are_read_as_they_are(place: Place, reader: Reader) -> None:
    for name, commands in reader.files.items():
        for command in commands:
            assert place.run(name, place.world[name], command) == ("ok", "")


@pytest.mark.parametrize("reader", READERS.values(), ids=lambda reader: reader.name)
def test_changed_files_are_read_or_refused(place: Place, reader: Reader) -> None:
    @settings(
        max_examples=INPUTS, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.randoms(use_true_random=False))
    def read(random: Random) -> None:
        ended, told = place.run(*change(reader, place.world, random))
        assert ended in ("ok", "clear error"), told

    read()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}: {case[3][:40]}")
def test_what_fuzzing_found_is_told(place: Place, case: Case) -> None:
    name, changed, command, message = case
    ended, told = place.run(name, changed(place.world[name]), command)
    assert ended == ("clear error" if message else "ok"), told
    assert message in told


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_makes_the_same_input(place: Place, kind: str) -> None:
    name = next(name for r in READERS.values() if r.kind == kind for name in r.files)
    data = place.world[name]
    made = [[mutate(data, kind, Random(n)) for n in range(20)] for _ in range(2)]
    assert made[0] == made[1]
    assert len(set(made[0])) > 10


def test_a_place_is_restored(place: Place) -> None:
    place.run("model.arpa", None, "build demo --root . --out demo")
    (place.folder / "stray").mkdir()
    (place.folder / "stray" / "file").write_text("x")
    (place.folder / "gym.json").write_text("x")
    place.restore()
    found = {p for p in place.folder.rglob("*") if p.is_file()}
    read = {p.relative_to(place.folder).as_posix(): p.read_bytes() for p in found}
    assert read == dict(place.world)


def _die(*_: object) -> tuple[str, str]:
    os.kill(os.getpid(), signal.SIGKILL)
    return "ok", ""


def _sleep(*_: object) -> tuple[str, str]:
    time.sleep(30)
    return "ok", ""


def _spin(*_: object) -> tuple[str, str]:
    while True:
        pass


def _refuse(*_: object) -> tuple[str, str]:
    return running._clear("no such thing", ("model.arpa",)), ""


@pytest.mark.parametrize(
    ("read", "most_mb", "ended"),
    [
        (_die, 10_000, "traceback"),
        (_sleep, 10_000, "hang"),
        (_spin, 10_000, "hang"),
        (_sleep, 1, "memory"),
        (_refuse, 10_000, "vague"),
    ],
)
def test_what_ends_badly_is_counted_and_the_next_input_tried(
    place: Place, monkeypatch: pytest.MonkeyPatch, read: Any, most_mb: int, ended: str
) -> None:
    monkeypatch.setattr(running, "_told", read)
    monkeypatch.setattr(running, "HANG", 0.1)
    monkeypatch.setattr(running, "WAIT", 60 if read is _spin else 0.4)
    monkeypatch.setattr(running, "MOST_MB", most_mb)
    found = list(run_reader(READERS["arpa"], place.world, 1, 0, 2, 60))
    assert [(outcome.number, outcome.ended) for outcome in found] == [(0, ended), (1, ended)]


def test_the_script_counts_and_keeps_what_ends_badly(tmp_path: Path) -> None:
    script = CHECKOUT / "scripts" / "fuzz.py"
    arguments = ["--reader", "suite-text", "--count", "5", "--json", "--keep", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    assert told["bad"] == []
    assert told["readers"]["all"]["inputs"] == told["readers"]["suite-text"]["inputs"] == 5
    assert list(tmp_path.iterdir()) == []
