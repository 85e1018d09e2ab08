"""Download the treebanks of a mined data set, as the catalogue pins them.

DATASET: agreement; LANGUAGES: he, heb or hebrew ...; without one, all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.progress import DownloadColumn
from rich.table import Table

from solecism.commands.options import (
    COMMERCIAL,
    JSON,
    ROOT,
    left_out,
    path_type,
    plain_table,
    print_json,
    print_lines,
)
from solecism.datasets.catalogue import MINED, catalogue_entry
from solecism.errors import fail
from solecism.root import Root
from solecism.terminal import progress_bar
from solecism.treebank.origins import (
    catalogue_release,
    commercial_languages,
    find_code,
    origin_languages,
)
from solecism.treebank.pins import Pins, move_pins, parse_release
from solecism.treebank.sources import Fetched, fetch, found_languages, mirrors

__all__ = ["command"]

SHOWN = 8
"""Names of treebanks that a summary lists."""


@click.command(help=__doc__)
@click.argument("dataset")
@click.argument("languages", nargs=-1)
@click.option("--ud", "release", metavar="RELEASE", help="The release of UD that must be pinned.")
@click.option(
    "--index",
    type=path_type(exists=True, dir_okay=False),
    help="Move all pins to --ud as this index has them; download what is named.",
)
@COMMERCIAL
@JSON
@ROOT
def command(
    dataset: str,
    languages: tuple[str, ...],
    release: str | None,
    index: Path | None,
    commercial: bool,
    as_json: bool,
    root: Root,
) -> None:
    if catalogue_entry(root, dataset).configs != MINED:
        raise fail(f"data set {dataset!r} is made from templates: there is nothing to fetch")
    pins = _pinned(release, index)
    codes = [find_code(name) for name in languages] or _all(commercial)
    with progress_bar(DownloadColumn(), first="connecting") as show:
        chosen = dict.fromkeys(codes if languages or pins is None else ())
        fetched = [one for code in chosen for one in fetch(code, show, commercial=commercial)]
    if as_json:
        entries = [_facts(one) for one in fetched]
        print_json({"pins": _pin_facts(pins), "sources": entries} if pins else entries)
        return
    print_lines(*(_summary(pins) if pins else ()))
    if chosen:
        left = [] if languages else left_out(_all(False), chosen)
        print_lines(_table(fetched), *_notes(fetched), *left)


def _all(commercial: bool) -> list[str]:
    if mirrors():
        return found_languages(commercial)
    return commercial_languages() if commercial else origin_languages()


def _pinned(release: str | None, index: Path | None) -> Pins | None:
    """Check the release of the catalogue's pins, or move them; raises :class:`InputError`."""
    if index is not None:
        if release is None:
            raise click.UsageError("--index needs --ud RELEASE, as --ud 2.18")
        wanted = ".".join(map(str, parse_release(release)))
        return move_pins(index, wanted)
    if release is not None and parse_release(release) != parse_release(catalogue_release()):
        has = f"the catalogue has the pins of UD {catalogue_release()}, not of {release}"
        raise fail(f"{has}: --index FILE moves them (docs/releasing.md says how to make an index)")
    return None


_CHANGES = {
    "added": "added",
    "dropped": "dropped",
    "moved": "moved to other files",
    "unpinned": "in the release, but the index has them at a later tag only",
    "closed": "left out, their licence forbids derived works",
}


def _pin_facts(pins: Pins) -> dict[str, Any]:
    facts = {key: list(getattr(pins, key)) for key in _CHANGES}
    return {"ud": pins.release, "treebanks": len(pins.lines), **facts}


def _summary(pins: Pins) -> list[str]:
    """Return what became of the catalogue: what was added, dropped, moved or could not be
    pinned."""
    lines = [f"the catalogue has the pins of UD {pins.release}: {len(pins.lines)} treebanks"]
    for key, text in _CHANGES.items():
        names = list(getattr(pins, key))
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        if names:
            lines.append(f"{len(names)} {text}: {', '.join(names[:SHOWN])}{more}")
    return lines


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
            notes.append(f"{name}: other bytes than the project pins: {files}")
        if one.lost:
            notes.append(f"{name}: cannot be had, data are made without it: {one.lost}")
        if not one.found.origin.redistributable:
            notes.append(f"{name}: what is made of it may not be passed on")
    return notes
