"""Benchmark of the server of a study: many people answer at once, while it is killed; prints a
table.

Every person begins a session, answers all trials one after the other as fast as the server confirms
them, and finishes. A request that breaks off, or is answered with 429 or 503, is sent again. After
the last one every confirmed answer must be stored once, and the lists must be even. The people and
the server share this machine.

Usage: python scripts/bench_judge.py [--people N] [--answers N] [--kills N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from solecism.judge.design import ITEMS, LISTS, SALT, STUDY, Study, read_study, study_toml
from solecism.judge.server import open_socket
from solecism.judge.store import stored_rows, tallies

LISTS_OF = 5
"""The lists of the study."""


@dataclass
class Load:
    """What the people saw: seconds of each answer, answers that were confirmed, tries again."""

    port: int
    seconds: list[float] = field(default_factory=list)
    confirmed: Counter[tuple[str, int]] = field(default_factory=Counter)
    again: int = 0


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--kills", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        study = write_study(Path(folder) / "study", given.answers)
        with open_socket("127.0.0.1", 0) as free:
            load = Load(free.getsockname()[1])
        began = time.perf_counter()
        asyncio.run(run(study, load, given.people, given.kills))
        Console(width=80).print(report(study, load, time.perf_counter() - began))
        check(study, load, given.people * given.answers)


def write_study(folder: Path, trials: int) -> Study:
    """Write a study with lists of ``trials`` trials, and a page of one line."""
    keys = [[f"i{n}-{t}" for t in range(trials)] for n in range(LISTS_OF)]
    names = ("config", "id", "set_id", "UID", "linguistics_term", "language")
    items = {
        key: {"key": key, "kind": "item", **dict.fromkeys(names, key), "good": "a", "bad": "b"}
        for some in keys
        for key in some
    }
    study = Study(
        folder, "choice", "Which?", "en", 1, pairs=5, judges=20, practice=0, catch=0, data=(),
        items=items, lists=keys,
    )  # fmt: skip
    (folder / "page").mkdir(parents=True)
    (folder / "page" / "index.html").write_text("<!doctype html>\n", encoding="utf-8")
    lines = "".join(json.dumps(item) + "\n" for item in items.values())
    texts = {STUDY: study_toml(study), ITEMS: lines, LISTS: json.dumps(keys), SALT: "salt\n"}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read_study(folder)


async def run(study: Study, load: Load, people: int, kills: int) -> None:
    """Let people answer, and kill the server ``kills`` times on the way."""
    server = await asyncio.to_thread(start, study, load.port)
    everyone = asyncio.gather(*(person(study, load, f"person {n}") for n in range(people)))
    total = people * study.totals[0]
    for kill in range(1, kills + 1):
        while len(load.confirmed) < total * kill / (kills + 1):
            await asyncio.sleep(0.01)
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
        server = await asyncio.to_thread(start, study, load.port)
    await everyone
    server.terminate()
    server.wait()


def start(study: Study, port: int) -> Popen[str]:
    """Start a server, and return it once it listens."""
    command = [sys.executable, "-m", "solecism", "judge", "serve", str(study.folder)]
    server = Popen([*command, "--port", str(port)], stdout=PIPE, text=True)
    if server.stdout is None or not server.stdout.readline():
        raise SystemExit("the server did not start")
    return server


async def person(study: Study, load: Load, name: str) -> None:
    """Do a whole session."""
    line = _Line(load)
    session = await line.ask("session", {"study": study.id, "participant": name})
    keys = study.lists[session["list"] - 1]
    for position, key in enumerate(keys, 1):
        row = {"shown": "good", "answer": "good", "time": 900}
        said = {"session": session["session"], "position": position, "item": key, "row": row}
        began = time.perf_counter()
        await line.ask("answer", said)
        load.seconds.append(time.perf_counter() - began)
        load.confirmed[name, position] += 1
    await line.ask("finish", {"session": session["session"], "answers": len(keys)})
    line.close()


class _Line:
    """One connection of a person, opened again where it breaks."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, where: str, said: Any) -> Any:
        """Return the answer to a request, sent again until there is one."""
        body = json.dumps(said).encode()
        head = f"POST /api/{where} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
        while True:
            try:
                status, found = await self._once(head.encode() + body)
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                status, found = 0, None
            if status == 200:
                return found
            if status not in (0, 429, 503):
                raise SystemExit(f"{where}: {status} {found}")
            self.load.again += 1
            await asyncio.sleep(0.1)

    async def _once(self, request: bytes) -> tuple[int, Any]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.load.port)
        self.writer.write(request)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        size = int(head.partition("content-length:")[2].partition("\r\n")[0])
        body = await self.reader.readexactly(size)
        return int(head.split()[1]), json.loads(body)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.writer = None


def report(study: Study, load: Load, seconds: float) -> Table:
    """Return the table."""
    table = Table(
        "answers", "in s", "a second", "median ms", "p95 ms", "p99 ms", "most ms", "again"
    )
    times = 1000 * np.quantile(load.seconds, (0.5, 0.95, 0.99, 1.0))
    count = len(load.seconds)
    cells = (f"{count:,}", f"{seconds:.1f}", f"{count / seconds:,.0f}")
    table.add_row(*cells, *(f"{each:.0f}" for each in times), str(load.again))
    table.title = f"{len({name for name, _ in load.confirmed})} people at once"
    return table


def check(study: Study, load: Load, wanted: int) -> None:
    """Stop with a message where an answer was lost or doubled, or lists are uneven."""
    rows = Counter((row["participant"], row["position"]) for row in stored_rows(study))
    sizes = [tally.finished for tally in tallies(study)]
    print(f"confirmed {len(load.confirmed):,}, stored {len(rows):,}, lists {sizes}")
    if not len(rows) == rows.total() == len(load.confirmed) == wanted:
        raise SystemExit("answers were lost or doubled")
    if max(sizes) - min(sizes) > 1:
        raise SystemExit("the lists are uneven")


if __name__ == "__main__":
    main()
