"""Benchmark of drawing and building; prints a table, times nothing as a test.

Rows: ``draw: all`` in memory on the French object-relative set scaled up tenfold; ``draw: 1000``
from a space of 10^12 combinations; all of CLAMS to Parquet, CPU time with imports; five million
pairs to Parquet with the peak of resident memory. The machines are noisy: read CPU time, and ratios
within one run.

Usage: python scripts/bench_generate.py
"""

import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from solecism.datasets.catalogue import catalogue_entry
from solecism.datasets.from_templates import load_paradigms, templates_of_configs
from solecism.datasets.rows import ItemWriter
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Paradigm, load_paradigm
from solecism.lexicon.lexicon import Lexicon
from solecism.root import find_root
from solecism.schema import pair_schema

HERE = Path(__file__).resolve().parents[1]
FRENCH = "obj_rel_across_anim"


def scaled(folder: Path, times: int, draw: str = "all", pools: int = 1) -> Paradigm:
    """The French object-relative paradigm with ``times`` as many nouns of set 1 and ``pools``
    verbs."""
    source = HERE / "lexicons" / "fr"
    target = folder / f"lexicons-{times}-{pools}" / "fr"
    target.mkdir(parents=True)
    for path in source.glob("*.tsv"):
        lines = path.read_text(encoding="utf-8").splitlines()
        if path.name == "noun.tsv":
            lines = _copied(lines, times, lambda cells: pools > 1 or cells[-1] == "1")
        elif path.name == "verb.tsv":
            lines = _copied(lines, pools, lambda cells: "transitive" in cells)
        (target / path.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    template = folder / "templates" / f"bench{times}{draw}" / "fr" / f"{FRENCH}.jinja"
    template.parent.mkdir(parents=True)
    original = HERE / "templates" / "clams" / "fr"
    text = (original / template.name).read_text(encoding="utf-8")
    text = re.sub(r"(?m)^balance: .*\n", "", text)
    template.write_text(re.sub(r"(?m)^draw: .*", f"draw: {draw}", text), encoding="utf-8")
    for name in ("_slots.yaml", "_defaults.yaml"):
        shutil.copy(original.parent / name, template.parent)
    shutil.copy(HERE / "templates" / "phrases" / "fr.jinja", template.parent / "_phrases.jinja")
    shutil.copy(HERE / "lexicons" / "classes.tsv", target.parent)
    return load_paradigm(template, Lexicon(target))


def _copied(lines: list[str], times: int, chosen: Callable[[list[str]], bool]) -> list[str]:
    """Repeat the chosen rows with other lemmas and forms."""
    out = []
    for number, line in enumerate(lines):
        cells = line.split("\t")
        copies = times if number and not line.startswith("#") and chosen(cells) else 1
        for copy in range(copies):
            forms = [f"{c}x{copy}" if c and copy and i < 3 else c for i, c in enumerate(cells)]
            out.append("\t".join(forms))
    return out


def timed(work: Callable[[], int]) -> tuple[int, float, float]:
    """Run some work; give its count and its CPU and wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    count = work()
    return count, time.process_time() - cpu, time.perf_counter() - wall


def items(paradigm: Paradigm) -> int:
    """Draw whole items in memory; count the pairs."""
    return sum(len(table) for table in draw_pairs(paradigm))


def stream(paradigm: Paradigm, path: Path, most: int) -> int:
    """Stream pairs to Parquet until there are ``most``."""
    with closing(ItemWriter(path, pair_schema())) as writer:
        for table in draw_pairs(paradigm):
            writer.write(table)
            if writer.rows >= most:
                break
        return writer.rows


def build(dataset: str) -> tuple[float, float]:
    """Build a data set in a fresh process; give CPU (imports included) and wall seconds."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "solecism", "build", dataset, "--out", f"{folder}/out"]
        subprocess.run(command, check=True, capture_output=True, cwd=HERE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - wall


def minimal_sets(dataset: str) -> int:
    """Count the minimal sets of a data set."""
    root = find_root(HERE)
    configs = templates_of_configs(root, catalogue_entry(root, dataset)).values()
    paradigms = load_paradigms(root, chain.from_iterable(configs)).values()
    return sum(p.template.draw or p.plan.size() for p in paradigms)


def memory() -> None:
    """Print pairs, CPU and wall seconds and peak megabytes of streaming five million pairs."""
    with tempfile.TemporaryDirectory() as folder:
        paradigm = scaled(Path(folder), 200)
        count, cpu, wall = timed(lambda: stream(paradigm, Path(folder) / "big.parquet", 5_000_000))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(count, cpu, wall, peak)


def main() -> None:
    """Measure and print."""
    grid = Grid(box=None)
    for title in ("what", "count", "CPU s", "wall s", "per CPU s"):
        grid.add_column(title, justify="left" if title == "what" else "right")

    def row(what: str, count: int, cpu: float, wall: float, more: str = "") -> None:
        grid.add_row(what, f"{count:,}", f"{cpu:.2f}", f"{wall:.2f}", more or f"{count / cpu:,.0f}")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        row("draw: all, fr obj_rel x10", *timed(lambda: items(scaled(folder / "b", 10))))
        huge = scaled(folder / "c", 500, "1000", 300)
        count, cpu, wall = timed(lambda: items(huge))
        row(f"draw: 1000 from {huge.plan.bound:.1e}, items", count, cpu, wall)
    for dataset in ("clams", "blimp"):
        row(f"build {dataset} (minimal sets, with imports)", minimal_sets(dataset), *build(dataset))
    command = [sys.executable, __file__, "--memory"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    number, cpu_text, wall_text, peak = done.stdout.split()
    row(f"stream to Parquet, peak {peak} MB", int(number), float(cpu_text), float(wall_text))
    Console(width=100).print(grid)


if __name__ == "__main__":
    if sys.argv[1:] == ["--memory"]:
        memory()
    else:
        main()
