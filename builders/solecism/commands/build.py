"""``solecism build``: build a data set and report what was made."""

from __future__ import annotations

import atexit
import gc
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import MofNCompleteColumn
from rich.table import Table

from solecism.datasets.build import build
from solecism.datasets.catalogue import stanza
from solecism.datasets.configs import BuiltConfig
from solecism.datasets.lock import departures
from solecism.errors import visible
from solecism.root import Root
from solecism.terminal import progress

__all__ = ["build_and_report"]


def build_and_report(
    root: Root,
    dataset: str,
    configs: Sequence[str],
    out: Path,
    as_json: bool,
    most: int,
    console: Console,
) -> None:
    """Build with a progress bar on standard error, then print a line a config."""
    gc.set_threshold(100_000)  # a build keeps nearly all that it makes: looking for cycles is waste
    atexit.register(gc.freeze)  # and so it is when the process ends
    with progress(MofNCompleteColumn()) as bar:
        task = bar.add_task("reading")

        def show(name: str, done: int, total: int) -> None:
            bar.update(task, description=name, completed=done, total=total)

        built = build(root, dataset, out, configs, show, most)
    _warn(root, dataset, built)
    if as_json:
        facts = {c.name: {"sets": c.sets, "pairs": c.rows, "content": c.digest} for c in built}
        console.print_json(json.dumps({"path": str(out), "configs": facts}))
        return
    console.print(_table(built))
    console.print(f"written to {out}", soft_wrap=True, highlight=False, markup=False)


def _warn(root: Root, dataset: str, built: Sequence[BuiltConfig]) -> None:
    """Tell on standard error what departs from the lock: it cannot be released under this version."""
    for line in departures(root, stanza(root, dataset), built):
        print(visible(f"note: {line}: raise the version before a release"), file=sys.stderr)
    for line in _source_notes(built):
        print(visible(f"note: {line}"), file=sys.stderr)


def _source_notes(built: Sequence[BuiltConfig]) -> list[str]:
    """What is not with the sources as the project pins them."""
    told = [s for c in built for p in c.paradigms for s in p.facts.get("sources", ())]
    sources = {source["treebank"]: source for source in told}.values()
    reasons = {"changed": "other bytes than the project pins", "missing": "not there"}
    notes = [
        f"{source['treebank']}: {reason}: {', '.join(source[key])}"
        for source in sources
        for key, reason in reasons.items()
        if source[key]
    ]
    closed = [source["treebank"] for source in sources if not source["redistributable"]]
    return notes + [f"{name}: nothing made of it may be passed on" for name in closed]


def _table(built: Sequence[BuiltConfig]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("config", overflow="fold")
    for title in ("paradigms", "minimal sets", "pairs", "skipped", "warnings"):
        table.add_column(title, justify="right")
    for config in built:
        skipped = sum(sum(p.counts.skipped.values()) for p in config.paradigms)
        warnings = sum(f.level == "warning" for p in config.paradigms for f in p.findings)
        numbers = (len(config.paradigms), config.sets, config.rows, skipped, warnings)
        table.add_row(config.name, *(f"{number:,}" for number in numbers))
    return table
