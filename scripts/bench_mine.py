"""Benchmark of reading and mining treebanks beside other programs; prints a table, times nothing as
a test.

Rows: reading into columns, beside ``conllu``; mining with each preset, beside a plain loop over
``conllu`` with the same rules (``tests/support/mine_reference.py``); with ``--memory`` the peak of
resident memory on files of two sizes. CPU time on one core, the best of three runs. The machines
are noisy: read ratios within one run.

Usage: OMP_NUM_THREADS=1 python scripts/bench_mine.py [FILE.conllu] [--memory MEGABYTES]
"""

import argparse
import importlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import conllu
from rich.console import Console
from rich.table import Table as Grid

from solecism.treebank.cloze import MASKS
from solecism.treebank.conllu import read_tokens
from solecism.treebank.forms import read_forms
from solecism.treebank.languages import find_language
from solecism.treebank.mining import MiningCounts, Settings, mine_files

HERE = Path(__file__).resolve().parents[1]
FILE = HERE.parent / "shared" / "ud" / "UD_English-EWT" / "en_ewt-ud-train.conllu"


def columns(path: Path) -> int:
    """Read all columns that mining uses; count the sentences."""
    count = 0
    for tokens in read_tokens(path):
        _ = tokens.forms, tokens.lemmas, tokens.upos, tokens.feats, tokens.deprel, tokens.surface
        count += len(tokens.sentences)
    return count


def read_conllu(path: Path) -> int:
    """Read with ``conllu.parse_incr``."""
    with path.open(encoding="utf-8") as file:
        return sum(1 for _ in conllu.parse_incr(file))


def mine(path: Path, preset: str) -> int:
    """Mine with one of our presets, the inventory of ``strict`` included; count the items."""
    tally = MiningCounts()
    forms = read_forms("", [("", path)], id) if preset == "strict" else None
    language = find_language(path.name.partition("_")[0])
    settings = Settings(language, preset, MASKS[:1], forms=forms)
    for _ in mine_files([path], settings, tally):
        pass
    return tally.items


def mine_conllu(path: Path) -> int:
    """Mine with the plain loop of the tests."""
    sys.path.insert(0, str(HERE / "tests/support"))
    plain = importlib.import_module("mine_reference")
    relations = plain.RELATIONS[path.name.partition("_")[0]]
    return len(plain.mine_plainly(plain.reading([path]), relations, False, ["controller"]))


def timed(work: Callable[[Path], int], path: Path, times: int = 1) -> tuple[int, float]:
    """Run some work; give its count and the least CPU seconds it took."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        count = work(path)
        best = min(best, time.process_time() - start)
    return count, best


def peak(path: Path, preset: str) -> tuple[int, float, int]:
    """Mine in a process of its own; give items, CPU seconds and peak megabytes."""
    command = [sys.executable, __file__, "--child", preset, str(path)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(output[0]), float(output[1]), int(output[2])


def child(path: Path, preset: str) -> None:
    """Print items, CPU seconds and peak megabytes of mining a file."""
    start = time.process_time()
    items = mine(path, preset)
    seconds = time.process_time() - start
    # Not ru_maxrss, which counts what the parent had, too.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    print(items, seconds, int(status.partition("VmHWM:")[2].split()[0]) // 1024)


def enlarged(path: Path, target: Path, megabytes: int) -> None:
    """Repeat a treebank with other sentences: every copy gets a word of its own before each full
    stop."""
    text = path.read_text(encoding="utf-8")
    with target.open("w", encoding="utf-8") as file:
        copy = 0
        while file.tell() < megabytes << 20:
            file.write(text.replace("\tthe\tthe\t", f"\tthe{copy}\tthe\t"))
            copy += 1


def main(path: Path, megabytes: int) -> None:
    """Measure and print."""
    size = path.stat().st_size / 1e6
    sentences = columns(path)
    grid = Grid(box=None, title=f"{path.name}: {size:.1f} MB, {sentences:,} sentences")
    for title in ("what", "count", "CPU s", "MB/s", "sentences/s", "times"):
        grid.add_column(title, justify="left" if title == "what" else "right")
    base = 0.0

    def row(what: str, count: int, seconds: float) -> None:
        ratio = f"{base / seconds:.1f}" if base else "1.0"
        speeds = f"{size / seconds:.1f}", f"{sentences / seconds:,.0f}"
        grid.add_row(what, f"{count:,}", f"{seconds:.2f}", *speeds, ratio)

    count, seconds = timed(read_conllu, path, 3)
    row("read: conllu.parse_incr", count, seconds)
    base = seconds
    row("read: ours, columns", *timed(columns, path, 3))
    base = 0.0
    count, seconds = timed(mine_conllu, path, 3)
    row("mine: loop over conllu, paper", count, seconds)
    base = seconds
    for preset in ("paper-program", "paper", "strict"):
        row(f"mine: ours, {preset}", *timed(lambda p, name=preset: mine(p, name), path, 3))  # type: ignore[misc]
    Console(width=110).print(grid)
    if megabytes:
        _memory(path, megabytes)


def _memory(path: Path, megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / path.name
        enlarged(path, big, megabytes)
        for preset in ("paper", "strict"):
            for file in (path, big):
                items, seconds, most = peak(file, preset)
                told = f"{file.stat().st_size >> 20:,} MB, {preset}: {items:,} items"
                print(f"{told}, {seconds:.1f} CPU s, peak {most} MB resident")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--memory", type=int, default=0, metavar="MEGABYTES")
    parser.add_argument("--child", default="")
    given = parser.parse_args()
    if given.child:
        child(given.file, given.child)
    else:
        main(given.file, given.memory)
