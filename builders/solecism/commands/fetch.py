"""Download the treebanks of a mined data set.

DATASET: agreement; LANGUAGES: he fr ...; without one, all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.progress import DownloadColumn
from rich.table import Table

from solecism.commands.options import JSON, ROOT, plain_table, print_json, print_lines
from solecism.datasets.catalogue import MINED, stanza
from solecism.datasets.from_treebanks import minable
from solecism.errors import fail
from solecism.root import Root
from solecism.terminal import progress_bar
from solecism.treebank.sources import Fetched, fetch, found_languages, mirrors, treebanks_of

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("dataset")
@click.argument("languages", nargs=-1)
@JSON
@ROOT
def command(dataset: str, languages: tuple[str, ...], as_json: bool, root: Root) -> None:
    if stanza(root, dataset).configs != MINED:
        raise fail(f"data set {dataset!r} is made from templates: there is nothing to fetch")
    for code in languages:
        treebanks_of(code)
    codes = languages or (found_languages() if mirrors() else minable())
    with progress_bar(DownloadColumn(), first="connecting") as show:
        fetched = [one for code in codes for one in fetch(code, show)]
    if as_json:
        print_json([_facts(one) for one in fetched])
    else:
        print_lines(_table(fetched), *_notes(fetched))


def _facts(one: Fetched) -> dict[str, Any]:
    return {**one.found.facts(), "paths": [str(path) for path in one.found.files]}


def _table(fetched: Sequence[Fetched]) -> Table:
    table = plain_table(["source", "licence"], ["files", "missing", "MB"])
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
    """Return what was not checked, and what differs from what the project pins."""
    notes = []
    for one in fetched:
        name = one.found.origin.name
        if one.found.departures:
            files = ", ".join(one.found.departures)
            notes.append(f"{name}: other bytes than the project pins: {files}")
        if one.lost:
            notes.append(f"{name}: cannot be had, data are made without it: {one.lost}")
        if one.trusted:
            notes.append(f"{name}: no checksum is known: trusted, and kept for the next time")
        if not one.found.origin.redistributable:
            notes.append(f"{name}: may be mined, but what is made of it may not be passed on")
    return notes
