"""``solecism fetch``: download the sources of a mined data set, or look at those of a local mirror."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import DownloadColumn
from rich.table import Table

from solecism.datasets.catalogue import MINED, stanza
from solecism.datasets.from_treebanks import minable
from solecism.errors import fail
from solecism.root import Root
from solecism.terminal import progress
from solecism.treebank.fetch import Fetched, fetch
from solecism.treebank.sources import found_languages, mirrors, treebanks_of

__all__ = ["fetch_and_report"]


def fetch_and_report(
    root: Root, dataset: str, languages: Sequence[str], as_json: bool, console: Console
) -> None:
    """Fetch with a progress bar on standard error; print a line a treebank, then what was not checked."""
    if stanza(root, dataset).configs != MINED:
        raise fail(f"data set {dataset!r} is made from templates: there is nothing to fetch")
    for code in languages:
        treebanks_of(code)
    fetched = _with_bar(languages or (found_languages() if mirrors() else minable()))
    if as_json:
        console.print_json(json.dumps([_facts(one) for one in fetched]))
        return
    console.print(_table(fetched))
    for line in _notes(fetched):
        console.print(line, soft_wrap=True, markup=False)


def _with_bar(languages: Sequence[str]) -> list[Fetched]:
    with progress(DownloadColumn()) as bar:
        task = bar.add_task("asking", total=None)

        def show(name: str, done: int, total: int) -> None:
            bar.update(task, description=name, completed=done, total=total or None)

        return [one for code in languages for one in fetch(code, show)]


def _facts(one: Fetched) -> dict[str, Any]:
    return {**one.found.facts(), "paths": [str(path) for path in one.found.files]}


def _table(fetched: Sequence[Fetched]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("source", "licence"):
        table.add_column(title)
    for title in ("files", "missing", "MB"):
        table.add_column(title, justify="right")
    table.add_column("checksums")
    for one in fetched:
        found = one.found
        size = sum(path.stat().st_size for path in found.files) / 1e6
        numbers = (len(found.files), len(found.missing), f"{size:,.1f}")
        origin = found.origin
        table.add_row(origin.name, origin.licence, *map(str, numbers), _state(one))
    return table


def _state(one: Fetched) -> str:
    if one.lost:
        return "none"
    if one.found.departures:
        return "differ"
    return "unknown" if one.found.facts()["trusted"] else "right"


def _notes(fetched: Sequence[Fetched]) -> list[str]:
    """Say plainly what was not checked, and what is not as the project knows it."""
    notes = []
    for one in fetched:
        name = one.found.origin.name
        if one.found.departures:
            files = ", ".join(one.found.departures)
            notes.append(f"{name}: other bytes than the project pins: {files}")
        if one.lost:
            notes.append(f"{name}: not to be had, data are made without it: {one.lost}")
        if one.trusted:
            notes.append(f"{name}: no checksum is known: trusted, and kept for the next time")
        if not one.found.origin.redistributable:
            notes.append(f"{name}: may be mined, but nothing made of it may be passed on")
    return notes
