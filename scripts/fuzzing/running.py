"""Runs inputs in a worker process, and tells how each ended: read, refused, or badly."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from random import Random
from types import FrameType

import datasets
from click.testing import CliRunner

from fuzzing.mutations import mutate
from fuzzing.readers import Reader
from solecism import load
from solecism.commands import main
from solecism.errors import InputError

__all__ = [
    "HANG", "MEMORY", "MOST_MB", "OUTCOMES", "WAIT", "Outcome", "Place", "change", "changed_input",
    "run_reader",
]  # fmt: skip

HANG = 5.0
"""Seconds of CPU that an input may take."""

WAIT = 60.0
"""Seconds that an input may take where other programs want the machine too."""

MOST_MB = 1024
"""Resident memory that the process may take."""

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""A place for files that need not reach a disk, where there is one: each writer waits until they
have."""

OUTCOMES = ("ok", "clear error", "vague", "traceback", "hang", "memory")
"""How an input ends. ``clear error``: refused with a message that names a file or an option;
``vague``: with one that names none."""

World = Mapping[str, bytes]


@dataclass(frozen=True)
class Outcome:
    """How an input of a reader ended. ``told`` is what was printed, or the traceback."""

    reader: str
    number: int
    ended: str
    command: str = ""
    told: str = ""
    peak_mb: float = 0.0


class _HangError(BaseException):
    """Not an ``Exception``, so that no reader takes it for an error of its input."""


def changed_input(
    reader: Reader, world: World, seed: int, number: int
) -> tuple[str, bytes | None, str]:
    """Return the file of an input, its bytes (None: no file) and the command that reads it."""
    random = Random(f"{seed}/{reader.name}/{number}")
    return change(reader, world, random)


def change(reader: Reader, world: World, random: Random) -> tuple[str, bytes | None, str]:
    """Change a file of the world; once in a while leave it out."""
    name = random.choice(list(reader.files))
    command = random.choice(reader.files[name])
    data = None if random.random() < 0.01 else mutate(world[name], reader.kind, random)
    return name, data, command


class Place:
    """A folder that holds the world; after each input it is made as it was."""

    def __init__(self, folder: Path, world: World) -> None:
        self.folder, self.world = folder, world
        self.stamps: dict[str, tuple[int, int]] = {}
        self.names = {part for name in world for part in _names(Path(name))}
        self.restore()
        os.environ |= {"XDG_CACHE_HOME": str(folder / "cache"), "SOLECISM_SOURCES": "mirror"}
        for variable in ("SOLECISM_ROOT", "SOLECISM_DATA"):
            os.environ.pop(variable, None)
        datasets.config.HF_DATASETS_CACHE = folder / "cache" / "datasets"

    def run(self, name: str, data: bytes | None, command: str) -> tuple[str, str]:
        """Read a file with other bytes (None: it is not there); give how it ended and what was
        told."""
        path = self.folder / name
        path.unlink()
        if data is not None:
            path.write_bytes(data)
        try:
            with contextlib.chdir(self.folder), _alarm():
                return _told(command, self.names)
        except _HangError as hang:
            return "hang", "".join(traceback.format_exception(hang))
        finally:
            self.stamps.pop(name)
            self.restore()

    def restore(self) -> None:
        """Remove what is not of the world, write what has changed."""
        known = {parent.as_posix() for name in self.world for parent in Path(name).parents}
        for path in list(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_symlink() or path.is_file():
                if self.stamps.get(name, ()) != _stamp(path):
                    path.unlink()
            elif name not in known:
                shutil.rmtree(path, ignore_errors=True)
        for name, data in self.world.items():
            path = self.folder / name
            if not path.is_file():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                self.stamps[name] = _stamp(path)


def _stamp(path: Path) -> tuple[int, int]:
    told = path.lstat()
    return told.st_mtime_ns, told.st_ino


def _names(path: Path) -> list[str]:
    """Return the names that a message can use for a file: its path, its name, its folders."""
    parts = [
        path.name,
        path.stem,
        *(parent.as_posix() for parent in path.parents),
        "/".join(path.parts[1:-1]),
    ]
    return [part for part in parts if len(part) > 3]


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    def stop(_: int, __: FrameType | None) -> None:
        raise _HangError

    timers = {
        signal.SIGPROF: (
            signal.ITIMER_PROF,
            HANG * (4 if sys.gettrace() else 1),
        ),  # coverage is slow
        signal.SIGALRM: (signal.ITIMER_REAL, WAIT),
    }
    before = {number: signal.signal(number, stop) for number in timers}
    for timer, limit in timers.values():
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for timer, _ in timers.values():
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _told(command: str, names: Collection[str]) -> tuple[str, str]:
    words = command.split()
    if words[0] == "load":
        return _loaded(words[1:], names)
    outcome = CliRunner().invoke(main, words)
    if outcome.exit_code == 0:
        return "ok", ""
    if isinstance(outcome.exception, SystemExit) and outcome.exit_code == 2:
        given = (word for word in words if word.startswith("--") or "." in word[1:])
        return _clear(outcome.output, (*names, *given)), outcome.output
    if isinstance(outcome.exception, MemoryError):
        return "memory", ""
    lines = traceback.format_exception(*outcome.exc_info) if outcome.exc_info else []
    return "traceback", "".join(lines)


def _loaded(words: list[str], names: Collection[str]) -> tuple[str, str]:
    try:
        load(*words)
    except InputError as error:
        return _clear(str(error), names), str(error)
    except Exception:
        return "traceback", traceback.format_exc()
    return "ok", ""


def _clear(told: str, names: Collection[str]) -> str:
    return "clear error" if any(name in told for name in names) else "vague"


def run_reader(
    reader: Reader, world: World, seed: int, first: int, last: int, seconds: float
) -> Iterator[Outcome]:
    """Run inputs ``first`` to ``last`` (exclusive) of a reader, as many as fit into ``seconds``.

    A process of its own reads them; one that hangs, dies or takes too much memory is replaced.
    """
    ends = time.monotonic() + seconds
    while first < last and time.monotonic() < ends:
        context = get_context("fork")
        here, there = context.Pipe(duplex=False)
        process = context.Process(
            target=_work, args=(there, reader, world, seed, first, last, ends)
        )
        process.start()
        there.close()
        try:
            for outcome in _received(here, process, reader, first):
                yield outcome
                first = outcome.number + 1
        finally:
            process.kill()
            process.join()
        if process.exitcode == 0:
            return


def _received(
    connection: Connection, process: ForkProcess, reader: Reader, number: int
) -> Iterator[Outcome]:
    """Yield the outcomes that the worker sends, and one that says why if it ends."""
    asked = time.monotonic()
    while True:
        if connection.poll(0.05):
            try:
                outcome: Outcome = connection.recv()
            except EOFError:
                process.join()
                told = f"the process ended with {process.exitcode}"
                yield Outcome(reader.name, number, "traceback", told=told)
                return
            if outcome.number < 0:
                return
            yield outcome
            number, asked = outcome.number + 1, time.monotonic()
        elif (taken := _resident_mb(process)) > MOST_MB:
            yield Outcome(reader.name, number, "memory", told=f"{taken:,.0f} MB", peak_mb=taken)
            return
        elif time.monotonic() > asked + WAIT + 2:
            yield Outcome(reader.name, number, "hang", told="in a library, not to be interrupted")
            return


def _resident_mb(process: ForkProcess) -> float:
    try:
        pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _work(
    connection: Connection,
    reader: Reader,
    world: World,
    seed: int,
    first: int,
    last: int,
    ends: float,
) -> None:
    """Read inputs and send their outcomes; at the end one with number -1."""
    with (
        Path(os.devnull).open("w") as nothing,
        contextlib.redirect_stderr(nothing),
        tempfile.TemporaryDirectory(prefix="solecism-fuzz-", dir=MEMORY) as folder,
    ):
        place = Place(Path(folder), world)
        for number in range(first, last):
            if time.monotonic() > ends:
                break
            name, data, command = changed_input(reader, world, seed, number)
            ended, told = place.run(name, data, command)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            connection.send(Outcome(reader.name, number, ended, command, told, peak))
    connection.send(Outcome(reader.name, -1, ""))
    connection.close()
    sys.stdout.flush()
    os._exit(0)
