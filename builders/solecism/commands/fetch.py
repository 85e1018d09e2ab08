"""What `solecism mine --fetch` does: download treebanks, as the catalogue pins them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.progress import DownloadColumn
from rich.table import Table

from solecism.commands.options import (
    left_out,
    plain_table,
    print_json,
    print_lines,
)
from solecism.datasets.catalogue import MINED, catalogue_entry
from solecism.errors import fail
from solecism.root import Root
from solecism.terminal import progress_bar
from solecism.treebank.catalogue import (
    catalogue_release,
    commercial_languages,
    find_code,
    origin_languages,
)
from solecism.treebank.sources import Fetched, fetch, found_languages, mirrors

__all__ = ["fetch_treebanks"]


def fetch_treebanks(
    dataset: str, languages: Sequence[str], commercial: bool, as_json: bool, root: Root
) -> None:
    """Download the treebanks of some or all languages of a mined data set, and list them."""
    if catalogue_entry(root, dataset).configs != MINED:
        raise fail(f"data set {dataset!r} is made from templates: there is nothing to fetch")
    codes = dict.fromkeys([find_code(name) for name in languages] or _all(commercial))
    with progress_bar(DownloadColumn(), first="connecting") as show:
        fetched = [one for code in codes for one in fetch(code, show, commercial=commercial)]
    if as_json:
        print_json([_facts(one) for one in fetched])
        return
    left = [] if languages else left_out(_all(False), codes)
    release = f"treebanks as in UD {catalogue_release()}"
    print_lines(release, _table(fetched), *_notes(fetched), *left)


def _all(commercial: bool) -> list[str]:
    if mirrors():
        return found_languages(commercial)
    return commercial_languages() if commercial else origin_languages()


def _facts(one: Fetched) -> dict[str, Any]:
    return {**one.found.facts(), "paths": [str(path) for path in one.found.files]}


def _table(fetched: Sequence[Fetched]) -> Table:
    table = plain_table(["source", "licence"], ["files", "missing", "MB"])
    table.add_column("hashes")
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
    return "differ" if one.found.departures else "right"


def _notes(fetched: Sequence[Fetched]) -> list[str]:
    """Return what differs from what the project pins, and what may not be done with it."""
    notes = []
    for one in fetched:
        name = one.found.origin.name
        if one.found.pointers:
            files = ", ".join(one.found.pointers)
            notes.append(f"{name}: pointers of Git LFS and not the files: {files}")
        elif one.found.departures:
            files = ", ".join(one.found.departures)
            notes.append(f"{name}: does not match the pinned checksum: {files}")
        if one.lost:
            notes.append(f"{name}: could not be downloaded, building without it: {one.lost}")
        if not one.found.origin.redistributable:
            notes.append(f"{name}: derived data may not be redistributed")
    return notes
