"""Benchmark of building; prints a table, times nothing as a test.

Rows: each data set of templates, built in a process of its own: pairs or items, CPU and wall
seconds with imports, peak of resident memory. The machines are noisy: read CPU time, and ratios
within one run.

Usage: python scripts/bench_generate.py [DATASET ...]
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from solecism.datasets.manifest import read_manifest
from solecism.root import find_root

HERE = Path(__file__).resolve().parents[1]


def build(dataset: str) -> tuple[int, float, float, int]:
    """Build a data set; return its items, CPU seconds, wall seconds and peak megabytes."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "solecism", "build", dataset, "--out", f"{folder}/out"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=HERE) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(child.returncode)
        configs = read_manifest(Path(folder, "out")).configs
    of_config = {name: config.content.rows for name, config in configs.items()}
    items = of_config.get("all") or sum(of_config.values())
    return items, used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss >> 10


def main(names: list[str]) -> None:
    """Measure and print."""
    grid = Grid(box=None)
    for title in ("data set", "items", "CPU s", "wall s", "items/CPU s", "peak MB"):
        grid.add_column(title, justify="left" if title == "data set" else "right")
    for name in names or find_root(HERE).datasets:
        items, cpu, wall, peak = build(name)
        row = f"{items:,}", f"{cpu:.2f}", f"{wall:.2f}", f"{items / cpu:,.0f}", f"{peak:,}"
        grid.add_row(name, *row)
    Console(width=100).print(grid)


if __name__ == "__main__":
    main(sys.argv[1:])
