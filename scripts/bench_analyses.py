"""Benchmark of ``solecism analyse``: each paper's analysis on 100,000 made-up item results; prints
a table.

Every result is written by the writer of ``solecism score``, then the command runs as a process of
its own: imports, reading, all statistics, and with ``--out`` all tables and figures are counted.

Usage: OMP_NUM_THREADS=1 python scripts/bench_analyses.py [--items N]
"""

from __future__ import annotations

import argparse
import itertools
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table as Grid

from solecism.schema import FEATURES
from solecism.scoring.results import scores_table

SUPPORT = Path(__file__).resolve().parents[1] / "tests/support"
KIND = pa.struct(
    [
        *FEATURES.items(), ("length_in_words", pa.string()), ("distractors", pa.int32()),
        ("agrees_in", pa.string()),
    ]
)  # fmt: skip
RANDOM = np.random.default_rng(1)


def main() -> None:
    """Measure and print the table."""
    sys.path.insert(0, str(SUPPORT))
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=100_000, help="item results of an analysis")
    given = parser.parse_args()
    grid = Grid("paper", "item results", "CPU s", "wall s", "CPU s with --out", box=None)
    for paper, (runs, rows_of) in PAPERS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            count = 0
            for run in runs:
                rows = list(itertools.islice(itertools.cycle(rows_of), given.items // len(runs)))
                write(folder / "results" / str(count), rows, run)
                count += len(rows)
            more = ["--baseline", "ngram"] if paper == "clams" else []
            command = ["analyse", paper, str(folder / "results"), *more]
            plain, written = seconds(command), seconds([*command, "--out", str(folder / "out")])
        columns = (f"{count:,}", f"{plain[0]:.1f}", f"{plain[1]:.1f}", f"{written[0]:.1f}")
        grid.add_row(paper, *columns)
    Console(highlight=False).print(grid)


def write(stem: Path, rows: Sequence[Mapping[str, Any]], run: Mapping[str, str]) -> None:
    """Write a result of these rows with margins drawn at random."""
    stem.parent.mkdir(exist_ok=True)
    n = len(rows)
    texts = ("UID", "linguistics_term", "language")
    seen: Counter[str] = Counter()
    names = []
    for row in rows:
        names.append(f"{row['UID']}-{seen[row['UID']]}")
        seen[row["UID"]] += 1
    columns = {name: [row[name] for row in rows] for name in texts}
    features = pa.array([row["features"] for row in rows], KIND)
    pairs = pa.table({"id": names, "set_id": names, **columns, "features": features})
    good, ones = RANDOM.normal(-30, 3, n), np.ones(n, dtype=int)
    bad = good - RANDOM.normal(1, 2, n)
    scores = scores_table(
        pairs, run["method"], (good, bad), (ones, ones), (ones, ones), [None] * n
    )  # fmt: skip
    import_module("scored").write_result(stem, scores, **run)


def seconds(command: Sequence[str]) -> tuple[float, float]:
    """Run ``solecism`` with these words; return the seconds of CPU and of the clock."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "solecism", *command], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - begun


def row(uid: str, term: str, language: str, **features: Any) -> dict[str, Any]:
    """Return what the analyses read of an item."""
    return {"UID": uid, "linguistics_term": term, "language": language, "features": features}


def clams() -> Iterator[dict[str, Any]]:
    """Yield items of ten constructions, with and without an attractor of the other number."""
    for uid, match, distance in itertools.product(range(10), ("match", "mismatch"), range(1, 6)):
        for side in ("anim", "inanim"):
            facts = {"construction": f"c{uid}", "match": match, "distance": distance}
            yield row(f"c{uid}_{side}", "agreement", "en", **facts)


def blimp() -> Iterator[dict[str, Any]]:
    """Yield items of 67 paradigms of twelve phenomena, of six lengths."""
    for uid, length in itertools.product(range(67), range(4, 10)):
        yield row(f"paradigm_{uid}", f"phenomenon_{uid % 12}", "en", length_in_words=str(length))


def mandarin() -> Iterator[dict[str, Any]]:
    """Yield 30 items of four modifiers of six classes."""
    for term, modifier, _ in itertools.product(range(6), range(4), range(30)):
        yield row(f"class{term}_{modifier}", f"class_{term}", "zh", construction=f"m{modifier}")


def agreement() -> Iterator[dict[str, Any]]:
    """Yield items of 40 languages, four relations and two kinds of agreement."""
    kinds = ("Number", "Gender|Number")
    for code, relation, agrees in itertools.product(range(40), range(4), kinds):
        facts = {"distance": relation + code % 5, "distractors": code % 4, "agrees_in": agrees}
        yield row(f"relation_{relation}", "agreement", f"l{code}", **facts)


CORPORA = ("", "-xinhua")
PAPERS = {
    "clams": (
        [
            {"model": f"{model}/seed-{seed}", "config": code, "method": "sentence"}
            for model in ("ngram", "lstm")
            for seed in range(2)
            for code in ("en", "fr", "de", "ru", "he")
        ],
        list(clams()),
    ),
    "blimp": (
        [
            {"model": f"lstm-{size}M", "config": "all", "method": method}
            for size in (1, 4, 16, 64)
            for method in ("sentence", "one_prefix", "two_prefix")
        ],
        list(blimp()),
    ),
    "mandarin": (
        [
            {"model": f"{model}{corpus}/seed-{seed}", "config": "suites", "method": "region"}
            for model in ("rnng", "lstm", "plm", "transformer")
            for corpus in CORPORA
            for seed in range(3)
        ],
        list(mandarin()),
    ),
    "agreement": (
        [{"model": f"model-{n}", "config": "all", "method": "cloze"} for n in range(4)],
        list(agreement()),
    ),
}


if __name__ == "__main__":
    main()
