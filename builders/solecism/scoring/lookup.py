"""Items by their ids, in the data sets that are built here or in ``$SOLECISM_DATA``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.errors import InputError, fail
from solecism.inputs import reading_parquet
from solecism.scoring.items import (
    ItemSet,
    configs_of,
    expand_data,
    folder_of_data,
    kind_of_config,
    listed_items,
)

__all__ = ["FoundPair", "find_pair", "folders_of_data", "pairs_of", "rows_by_id"]

MIN_ID_LENGTH = 4
"""The fewest characters of an id that stand for it."""


@dataclass(frozen=True)
class FoundPair:
    """A pair: its row, and the config that it is in (``clams/he``)."""

    spec: str
    row: dict[str, Any]


def folders_of_data() -> list[str]:
    """Return the names of the data sets that are built here or in ``$SOLECISM_DATA``."""
    places = [Path(), *map(Path, filter(None, [os.environ.get("SOLECISM_DATA", "")]))]
    names = [path.name for place in places for path in sorted(place.glob("*/"))]
    return [name for name in dict.fromkeys(names) if folder_of_data(name)]


def find_pair(identifier: str, data: str | None = None) -> FoundPair:
    """Return the pair of an id, or of the first characters of one.

    ``data`` is a config, a data set or a Parquet file, as :func:`solecism.score` takes; without it
    all data sets that are here are searched. Raises :class:`InputError` where no pair or more than
    one has such an id.
    """
    specs = _specs(data)
    found = [pair for spec in specs for pair in _fitting(spec, identifier)]
    if not found:
        where = ", ".join(specs) or "no data set is here: give --data, as clams/he"
        raise fail(f"no pair has the id {identifier!r} ({where})")
    chosen = _distinct([pair for pair in found if pair.row["id"] == identifier] or found)
    if len(chosen) > 1:
        shown = ", ".join(f"{pair.row['id']} of {pair.spec}" for pair in chosen[:5])
        raise fail(f"more than one pair has the id {identifier!r} (--data names one): {shown}")
    return chosen[0]


def _distinct(pairs: Sequence[FoundPair]) -> list[FoundPair]:
    """Return pairs without those that another config has, too."""
    keys = ("id", "sentence_good", "sentence_bad")
    found: dict[tuple[str, ...], FoundPair] = {}
    for pair in pairs:
        found.setdefault(tuple(pair.row[key] for key in keys), pair)
    return list(found.values())


def _specs(data: str | None) -> list[str]:
    if data is not None:
        return expand_data(data)
    found = {
        name: configs_of(folder) for name in folders_of_data() if (folder := folder_of_data(name))
    }
    return [
        f"{name}/{config}"
        for name, entries in found.items()
        for config, entry in entries.items()
        if kind_of_config(entry) == "pair"
    ]


def _fitting(spec: str, identifier: str) -> Iterator[FoundPair]:
    items = listed_items(spec)
    if items.kind != "pair":
        return
    items.require_pairs(spec)
    for path in items.files:
        with reading_parquet(path):
            ids = pq.read_table(path, columns=["id"])["id"]
            wanted = pc.equal(ids, identifier)
            if len(identifier) >= MIN_ID_LENGTH:
                wanted = pc.starts_with(ids, identifier)
            if pc.any(wanted).as_py():
                rows = pq.read_table(path).filter(wanted).to_pylist()
                yield from (FoundPair(items.spec, row) for row in rows)


def pairs_of(name: str, config: str, digest: str) -> ItemSet | None:
    """Return the items of a config that results are of, None where they are not here.

    ``digest`` is that of the rows; a config that lists another content is not it.
    """
    try:
        items = listed_items(f"{name}/{config}") if folder_of_data(name) else None
    except InputError:
        return None
    return items if items and items.digest and digest.startswith(items.digest[:8]) else None


def rows_by_id(
    items: ItemSet, ids: Iterable[str], columns: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return some columns of some items, by id."""
    wanted = pa.array(sorted(set(ids)), pa.string())
    found: dict[str, dict[str, Any]] = {}
    for path in items.files:
        with reading_parquet(path):
            table = pq.read_table(path, columns=["id", *columns])
        table = table.filter(pc.is_in(table["id"], value_set=wanted))
        found |= {row["id"]: row for row in table.to_pylist()}
    return found
