"""Benchmark of reading and mining treebanks beside other programs; prints a table, times nothing as
a test.

Rows: reading into columns, beside ``conllu``; mining with each preset, beside a plain loop over
``conllu`` with the same rules (``tests/support/mine_reference.py``). CPU time on one core, the best
of three runs. The machines are noisy: read ratios within one run. Memory: ``/usr/bin/time -v``.

Usage: OMP_NUM_THREADS=1 python scripts/bench_mine.py [FILE.conllu]
"""

import importlib
import sys
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


def main(path: Path) -> None:
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


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FILE)
