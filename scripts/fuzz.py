"""Structural fuzz of every reader: small valid inputs are changed and read through the verbs of the
command line.

Prints how the inputs ended: read (ok), refused with a message that names a file (clear error) or
none (vague), a traceback, over 5 seconds (hang) or over 1 GB of memory. Exits with 1 where there is
anything but the first two. The same seed and number give the same inputs.

Usage: python scripts/fuzz.py --seconds 60 --seed 1 [--count N] [--reader NAME ...] [--keep DIR]
[--json]
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}

import click
from rich.console import Console
from rich.table import Table

from fuzzing.readers import READERS, Reader
from fuzzing.running import MEMORY, OUTCOMES, Outcome, changed_input, run_reader
from fuzzing.world import make_world

BAD = OUTCOMES[2:]


@dataclass
class Count:
    """How the inputs of a reader ended."""

    ended: Counter[str] = field(default_factory=Counter)
    peak_mb: float = 0.0
    seconds: float = 0.0

    def add(self, outcome: Outcome) -> None:
        """Count an input in."""
        self.ended[outcome.ended] += 1
        self.peak_mb = max(self.peak_mb, outcome.peak_mb)


@click.command()
@click.option("--seconds", type=click.FloatRange(1), default=60.0, show_default=True)
@click.option(
    "--count", type=click.IntRange(1), help="Inputs over all readers, however long they take."
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--reader", "names", multiple=True, type=click.Choice(list(READERS)), metavar="NAME")
@click.option("--input", "number", type=int, help="Only the input of this number.")
@click.option(
    "--keep", type=click.Path(path_type=Path, file_okay=False), help="Folder for culprits."
)
@click.option("--json", "as_json", is_flag=True)
def fuzz(
    seconds: float, count: int | None, seed: int, names: Sequence[str], number: int | None, keep: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Try every reader with changed inputs; print how they ended."""
    warnings.simplefilter("ignore")
    readers = [READERS[name] for name in names or READERS]
    with tempfile.TemporaryDirectory(prefix="solecism-fuzz-", dir=MEMORY) as folder:
        world = make_world(Path(folder))
        counts: dict[str, Count] = {}
        bad: list[Outcome] = []
        for outcome in _outcomes(readers, world, seed, number, count, seconds, counts):
            counts[outcome.reader].add(outcome)
            if outcome.ended in BAD:
                bad.append(outcome)
        if keep is not None:
            _keep(keep, bad, world, seed)
    _print(counts, bad, as_json)
    sys.exit(1 if bad else 0)


def _outcomes(
    readers: Sequence[Reader], world: Mapping[str, bytes], seed: int, number: int | None, count: int | None,
    seconds: float, counts: dict[str, Count],
) -> Iterator[Outcome]:  # fmt: skip
    """Run the inputs, each reader with its share of them, or of the time that is left."""
    ends = time.monotonic() + seconds
    for place, reader in enumerate(readers):
        found = counts.setdefault(reader.name, Count())
        left = len(readers) - place
        limit, first, last = (ends - time.monotonic()) / left, 0, sys.maxsize
        if count is not None:
            limit, last = (
                float("inf"),
                (count * (place + 1)) // len(readers) - (count * place) // len(readers),
            )
        if number is not None:
            limit, first, last = float("inf"), number, number + 1
        start = time.monotonic()
        yield from run_reader(reader, world, seed, first, last, limit)
        found.seconds = time.monotonic() - start


def _keep(folder: Path, bad: Sequence[Outcome], world: Mapping[str, bytes], seed: int) -> None:
    """Write the inputs that ended badly, each with what was told."""
    folder.mkdir(parents=True, exist_ok=True)
    for outcome in bad:
        name, data, command = changed_input(READERS[outcome.reader], world, seed, outcome.number)
        stem = f"{outcome.ended}-{outcome.reader}-{outcome.number}"
        (folder / f"{stem}-{Path(name).name}").write_bytes(data or b"")
        text = f"{name}\nsolecism {command}\n{outcome.ended}\n\n{outcome.told}\n"
        (folder / f"{stem}.txt").write_text(text, encoding="utf-8", errors="replace")


def _print(counts: Mapping[str, Count], bad: Sequence[Outcome], as_json: bool) -> None:
    total = Count()
    for found in counts.values():
        total.ended += found.ended
        total.peak_mb = max(total.peak_mb, found.peak_mb)
        total.seconds += found.seconds
    if as_json:
        rows = {name: _facts(found) for name, found in (*counts.items(), ("all", total))}
        told = [vars(outcome) for outcome in bad]
        click.echo(json.dumps({"readers": rows, "bad": told}, ensure_ascii=False))
        return
    console = Console(width=None if sys.stdout.isatty() else 80, highlight=False)
    console.print(_table(counts, total))
    for line, count in _kinds(bad):
        console.print(f"{count:>5} {line}", markup=False, soft_wrap=True)


def _facts(found: Count) -> dict[str, float]:
    ended = {name: found.ended[name] for name in OUTCOMES}
    return {
        "inputs": found.ended.total(),
        **ended,
        "peak_mb": found.peak_mb,
        "seconds": found.seconds,
    }


def _table(counts: Mapping[str, Count], total: Count) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("reader")
    for title in ("inputs", *OUTCOMES, "peak MB"):
        table.add_column(title, justify="right")
    for name, found in (*counts.items(), ("all", total)):
        ended = (f"{found.ended[title]:,}" for title in OUTCOMES)
        table.add_row(name, f"{found.ended.total():,}", *ended, f"{found.peak_mb:,.0f}")
    return table


def _kinds(bad: Sequence[Outcome]) -> list[tuple[str, int]]:
    """The bad ends by what was told last and by whom, the most frequent first, with the first input
    of each."""
    kinds: dict[str, list[Outcome]] = {}
    for outcome in bad:
        lines = [line.strip() for line in outcome.told.splitlines() if line.strip()]
        places = [line for line in lines if line.startswith("File ") and "/solecism/" in line]
        place = places[-1].rpartition("/solecism/")[2].replace('", line ', ":") if places else ""
        last = lines[-1][:100] if lines else ""
        kinds.setdefault(f"{outcome.reader}: {outcome.ended}: {place}: {last[:60]}", []).append(
            outcome
        )
    ordered = sorted(kinds.items(), key=lambda pair: -len(pair[1]))
    return [(f"{name} (input {some[0].number})", len(some)) for name, some in ordered]


if __name__ == "__main__":
    fuzz()
