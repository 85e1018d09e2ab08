"""Reading the items of a built data set, from a local folder or from a hub."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from numpy.typing import NDArray

from solecism.datasets.manifest import MANIFEST, read_manifest
from solecism.errors import InputError, Problem, candidates, fail
from solecism.hashing import ContentDigest, text_hashes
from solecism.hub.client import folder_of
from solecism.inputs import read_text, reading_parquet
from solecism.limits import check_nesting
from solecism.schema import CLOZE, SUITE, pair_schema

__all__ = ["NEEDED", "PairData", "open_items", "open_pairs", "require_pairs"]

NEEDED = ("id", "set_id", "UID", "linguistics_term", "language", "sentence_good", "sentence_bad")
"""The columns without which pairs cannot be scored."""

CARD = "README.md"

_CONTENT = re.compile(r"content ([0-9a-f]{16})")


@dataclass(frozen=True)
class PairData:
    """A config of a data set. ``digest``: the first 16 digits of the SHA-256 of its rows."""

    name: str
    config: str
    version: str
    digest: str
    files: tuple[Path, ...]
    sample: int | None = None
    """Pairs of each paradigm to take: those whose ids have the smallest hashes; ``None``: all."""

    @cached_property
    def rows(self) -> int:
        """The number of items."""
        return self._all_rows if self._chosen is None else int(self._chosen.sum())

    @property
    def _all_rows(self) -> int:
        return sum(pq.ParquetFile(path).metadata.num_rows for path in self.files)

    @property
    def kind(self) -> str:
        """What its items are: ``suite``, ``cloze`` or ``pair``."""
        marks = {"conditions": "suite", "masked": "cloze"}
        return next((kind for name, kind in marks.items() if name in self.columns), "pair")

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(pq.read_schema(self.files[0]).names)

    def tables(
        self, columns: Sequence[str] | None = None, rows: int = 65536, limit: int | None = None
    ) -> Iterator[pa.Table]:
        """Yield the items in order, ``rows`` at a time, ``limit`` at most."""
        left = limit if limit is not None else self.rows
        for table in self._taken(self._read(columns, rows)):
            if left <= 0:
                return
            yield table.slice(0, left)
            left -= len(table)

    def _read(self, columns: Sequence[str] | None, rows: int) -> Iterator[pa.Table]:
        for path in self.files:
            for batch in pq.ParquetFile(path).iter_batches(rows, columns=columns):
                yield pa.Table.from_batches([batch])

    def _taken(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        place = 0
        for table in tables:
            chosen = self._chosen
            yield table if chosen is None else table.filter(chosen[place : place + len(table)])
            place += len(table)

    @cached_property
    def _chosen(self) -> NDArray[np.bool_] | None:
        if self.sample is None:
            return None
        uid = {"suite": "suite", "cloze": "relation"}.get(self.kind, "UID")
        known = pa.concat_tables(self._read(("id", uid), 65536))
        hashes = text_hashes(known["id"].to_pylist()).byteswap()
        uids = known[uid].combine_chunks().dictionary_encode().indices.to_numpy()
        order = np.lexsort((hashes, uids))
        first = np.searchsorted(uids[order], uids[order])
        chosen = np.zeros(len(known), dtype=bool)
        chosen[order[np.arange(len(order)) - first < self.sample]] = True
        return chosen

    def every(self, step: int, limit: int | None = None) -> pa.Table:
        """Take each ``step``-th of the pairs (of the first ``limit``)."""
        taken, place = [], 0
        for table in self.tables(limit=limit):
            rows = range(-place % step, len(table), step)
            taken.append(table.take(pa.array(rows, pa.int64())))
            place += len(table)
        return pa.concat_tables(taken)


def open_pairs(spec: str, revision: str | None = None) -> PairData:
    """Open a config of pairs, as :func:`open_items` does; raises :class:`InputError` where it has others."""
    data = open_items(spec, revision)
    require_pairs(data, spec)
    return data


def require_pairs(data: PairData, spec: str) -> None:
    """Raise :class:`InputError` where a config, opened as ``spec``, lacks columns of pairs."""
    missing = [name for name in NEEDED if name not in data.columns]
    if missing:
        raise fail(
            f"{spec!r} is no data set of pairs: it has no column {', '.join(missing)}",
            data.files[0],
        )


def open_items(spec: str, revision: str | None = None) -> PairData:
    """Open ``FOLDER/CONFIG`` (``clams/he``, made by ``solecism build``) or ``ORG/NAME/CONFIG`` of a hub.

    A folder may also stand in ``$SOLECISM_DATA``. Also a Parquet file of items alone, and a folder that has a
    default config. Raises :class:`InputError`
    where there is no such data set or config, where a file is broken, and where the rows are not those
    that the manifest speaks of.
    """
    if spec.endswith(".parquet") and Path(spec).is_file():
        return _alone(Path(spec))
    folder, config = _folder_and_config(spec)
    path = _here(folder) if _here(folder).is_dir() else _download(folder, revision)
    entries = _configs(path)
    if config not in entries:
        near = candidates("configs", sorted(entries), config)
        raise fail(f"data set {folder!r} has no config {config!r} {near}")
    return _pair_data(path, Path(folder).resolve().name, config, entries[config])


def _folder_and_config(spec: str) -> tuple[str, str]:
    """Take ``clams/he`` apart; a data set folder alone means its default config."""
    plain = spec.rstrip("/")
    if (_here(plain) / CARD).is_file():
        entries = _configs(_here(plain))
        usual = [name for name, entry in entries.items() if entry.get("default")]
        if len(entries) > 1 and not usual:
            near = candidates("configs", sorted(entries))
            raise fail(f"name a config of {spec!r}, as {plain}/{min(entries)} {near}")
        return plain, [*usual, *entries][0]
    folder, _, config = plain.rpartition("/")
    if not folder:
        raise fail(
            f"{spec!r} is not of the form DATASET/CONFIG, as clams/he, and no data set folder is here "
            f"under that name (make one: `solecism build {spec}`)"
        )
    return folder, config


def _alone(path: Path) -> PairData:
    return PairData(path.stem, path.stem, "", _content([path])[:16], (path,))


def _content(files: Sequence[Path]) -> str:
    """SHA-256 of the rows; reads all of them, so that a broken file is told before anything is scored."""
    digest = ContentDigest()
    rows = 0
    for path in files:
        with reading_parquet(path):
            file = pq.ParquetFile(path)
            _refuse_types(file.schema_arrow, path)
            for batch in file.iter_batches():
                table = pa.Table.from_batches([batch])
                table.validate(full=True)
                _refuse_nulls(table, path)
                digest.add(table)
                rows += len(table)
    if not rows:
        raise fail("holds no items", files[0])
    return digest.content.sha256


def _refuse_types(schema: pa.Schema, path: Path) -> None:
    """Refuse columns that are called as ours and are something else, or stand twice."""
    names = schema.names
    suite = "conditions" in names
    known = SUITE if suite else CLOZE if "masked" in names else pair_schema()
    kinds = {field.name: field.type for field in known if suite or field.type == pa.string()}
    wrong = [f"column {name!r} stands twice" for name in set(names) if names.count(name) > 1]
    if not wrong:
        wrong = [
            f"column {name!r} is {schema.field(name).type}, wanted {kind}"
            for name, kind in kinds.items()
            if name in names and schema.field(name).type != kind
        ]
        wrong += [f"has no column {name!r}" for name in kinds if suite and name not in names]
    if wrong:
        raise InputError(Problem(text, str(path)) for text in sorted(wrong))


def _refuse_nulls(table: pa.Table, path: Path) -> None:
    """Refuse suite items without an id, a suite, conditions or predictions, or with holes in them."""
    needed = ("id", "suite", "conditions", "predictions")
    for name in needed if "conditions" in table.column_names else ():
        if any(map(_has_null, table[name].chunks)):
            raise fail(f"column {name!r} has a value that is null", path)


def _has_null(array: pa.Array) -> bool:
    nested = pa.types.is_struct(array.type) or pa.types.is_list(array.type)
    inner = array.flatten() if nested else []
    parts = inner if isinstance(inner, list) else [inner]
    return bool(array.null_count) or any(map(_has_null, parts))


def _here(name: str) -> Path:
    """The folder of a data set, in ``$SOLECISM_DATA`` where it is not in the current folder."""
    return Path(name) if Path(name).is_dir() else Path(os.environ.get("SOLECISM_DATA", "")) / name


def _download(repo: str, revision: str | None) -> Path:
    if "/" not in repo:
        raise fail(f"there is no folder {repo!r}: build it with `solecism build {repo}`")
    return folder_of(repo, revision)


def _configs(path: Path) -> dict[str, dict[str, Any]]:
    card = path / CARD
    if not card.is_file():
        raise fail(f"is no data set folder: it has no {CARD}", path)
    try:
        parts = read_text(card).split("---\n")
        check_nesting(parts[1] if len(parts) > 2 else "")
        front = yaml.safe_load(parts[1]) if len(parts) > 2 else {}
        entries = {str(entry["config_name"]): entry for entry in front.get("configs", [])}
    except (yaml.YAMLError, ValueError, AttributeError, TypeError, KeyError) as error:
        raise fail(f"does not list configs between two lines ---: {error}", card) from None
    if not entries:
        raise fail("lists no configs between two lines ---", card)
    return entries


def _pair_data(path: Path, name: str, config: str, entry: dict[str, Any]) -> PairData:
    try:
        patterns = [str(item["path"]) for item in entry["data_files"]]
        files = sorted(file for pattern in patterns for file in path.glob(pattern))
    except (TypeError, KeyError, ValueError, NotImplementedError) as error:
        message = f"config {config!r} does not name its data_files: {error}"
        raise fail(message, path / CARD) from None
    if not files:
        raise fail(f"config {config!r}: no file fits {', '.join(patterns)}", path)
    digest = _content(files)
    _refuse_others(path, config, entry, digest)
    return PairData(name, config, str(entry.get("version", "")), digest[:16], tuple(files))


def _refuse_others(path: Path, config: str, entry: dict[str, Any], digest: str) -> None:
    """The rows must be those of the version: the card and the manifest say which."""
    told = _CONTENT.search(str(entry.get("description", "")))
    said = {CARD: told[1]} if told else {}
    if (path / MANIFEST).is_file():
        said[MANIFEST] = read_manifest(path).config(config).content.sha256
    for name, content in said.items():
        if not digest.startswith(content):
            message = f"content {digest[:16]}, {name} says {content[:16]}"
            raise fail(f"config {config!r}: the rows were changed ({message})", path)
