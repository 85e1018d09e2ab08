"""The items of a built data set, in a folder or on a hub."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml
from numpy.typing import NDArray

from solecism.datasets.manifest import MANIFEST, content_of_files, read_manifest
from solecism.errors import InputError, Problem, candidates, fail
from solecism.hashing import text_hashes
from solecism.hub.client import folder_of
from solecism.inputs import read_text, reading_parquet
from solecism.limits import check_nesting
from solecism.schema import CLOZE, SUITE, pair_schema

__all__ = [
    "CARD", "NEEDED", "ItemSet", "configs_of", "expand_data", "folder_of_data", "listed_items", "open_items",
    "open_pairs",
]  # fmt: skip

NEEDED = ("id", "set_id", "UID", "linguistics_term", "language", "sentence_good", "sentence_bad")
"""The columns without which pairs cannot be scored."""

CARD = "README.md"

_CONTENT = re.compile(r"content ([0-9a-f]{16})")


@dataclass(frozen=True)
class ItemSet:
    """The items of a config of a data set.

    ``digest``: the first 16 digits of the SHA-256 of its rows; ``uid``: the paradigm that is taken
    ("": all); ``sample``: how many items of each paradigm are taken (those whose ids have the
    smallest hashes; None: all); ``spec`` and ``revision``: how it was opened.
    """

    name: str
    config: str
    version: str
    digest: str
    files: tuple[Path, ...]
    uid: str = ""
    sample: int | None = None
    spec: str = ""
    revision: str | None = None

    @cached_property
    def rows(self) -> int:
        """The number of items."""
        if self._chosen is not None:
            return int(self._chosen.sum())
        return sum(pq.ParquetFile(path).metadata.num_rows for path in self.files)

    @property
    def kind(self) -> str:
        """The kind of its items: ``suite``, ``cloze`` or ``pair``."""
        return _kind(self.columns)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(pq.read_schema(self.files[0]).names)

    @cached_property
    def forms(self) -> ItemSet:
        """The inventory of forms that belongs to cloze items, in the config ``<config>-forms``."""
        return open_items(f"{self.spec}-forms", self.revision)

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
        """Mark the items of the paradigm and of the sample."""
        if self.sample is None and not self.uid:
            return None
        paradigm = {"suite": "suite", "cloze": "relation"}.get(self.kind, "UID")
        asked = (paradigm,) if self.sample is None else ("id", paradigm)
        known = pa.concat_tables(self._read(asked, 65536)).combine_chunks()
        chosen = np.ones(len(known), dtype=bool)
        if self.uid:
            chosen = pc.equal(known[paradigm], self.uid).to_numpy()
            if not chosen.any():
                near = candidates(
                    "paradigms", sorted(known[paradigm].unique().to_pylist()), self.uid
                )
                raise fail(f"{self.name}/{self.config} has no paradigm {self.uid!r} {near}")
        return chosen if self.sample is None else chosen & _first(known, paradigm, self.sample)

    def every(self, step: int, limit: int | None = None) -> pa.Table:
        """Return each ``step``-th item (of the first ``limit``)."""
        taken, place = [], 0
        for table in self.tables(limit=limit):
            rows = range(-place % step, len(table), step)
            taken.append(table.take(pa.array(rows, pa.int64())))
            place += len(table)
        return pa.concat_tables(taken)

    def require_pairs(self, spec: str) -> None:
        """Raise :class:`InputError` where pairs, opened as ``spec``, lack columns."""
        missing = [name for name in NEEDED if name not in self.columns]
        if missing and self.kind == "pair":
            message = f"{spec!r} is no data set of pairs: it has no column {', '.join(missing)}"
            raise fail(message, self.files[0])


def _first(known: pa.Table, paradigm: str, sample: int) -> NDArray[np.bool_]:
    """Mark the items of each paradigm whose ids have the smallest hashes."""
    hashes = text_hashes(known["id"].to_pylist()).byteswap()
    uids = known[paradigm].combine_chunks().dictionary_encode().indices.to_numpy()
    order = np.lexsort((hashes, uids))
    first = np.searchsorted(uids[order], uids[order])
    chosen = np.zeros(len(known), dtype=bool)
    chosen[order[np.arange(len(order)) - first < sample]] = True
    return chosen


def _kind(columns: Sequence[str]) -> str:
    return "suite" if "conditions" in columns else "cloze" if "masked" in columns else "pair"


def open_pairs(spec: str, revision: str | None = None) -> ItemSet:
    """Open a config of pairs as :func:`open_items` does; raise :class:`InputError` for others."""
    items = open_items(spec, revision)
    if items.kind != "pair":
        raise fail(f"{spec!r} is no data set of pairs: it has {items.kind} items", items.files[0])
    items.require_pairs(spec)
    return items


def open_items(spec: str, revision: str | None = None) -> ItemSet:
    """Open ``FOLDER/CONFIG`` (as ``clams/he``) or ``ORG/NAME/CONFIG`` of a hub.

    One paradigm of a config is ``clams/he/simple_agrmt``. A folder may also stand in
    ``$SOLECISM_DATA``, and a Parquet file of items may stand alone. A folder whose data set has a
    default config needs no other. Raises :class:`InputError` where
    there is no such data set or config, where a file is broken, and where the rows are not those of
    the manifest.
    """
    if spec.endswith(".parquet") and Path(spec).is_file():
        path = Path(spec)
        return ItemSet(path.stem, path.stem, "", _content([path])[:16], (path,), spec=spec)
    items, path, entry = _located(spec, revision)
    digest = _content(items.files)
    _refuse_others(path, items.config, entry, digest)
    opened = replace(items, digest=digest[:16])
    if opened.uid:
        _ = opened.rows  # an unknown paradigm is found now, not when a model is loaded
    return opened


def listed_items(spec: str) -> ItemSet:
    """Return a config as :func:`open_items` does, without reading it.

    Its digest is the one that the manifest or the card says, "" where neither does.
    """
    if spec.endswith(".parquet"):
        return open_items(spec)
    items, path, entry = _located(spec, None)
    try:
        said = _said_contents(path, items.config, entry)
    except InputError:  # a config that was added later
        said = {}
    return replace(items, digest=next(iter(said.values()), "")[:16])


def _located(spec: str, revision: str | None) -> tuple[ItemSet, Path, dict[str, Any]]:
    """Return a config whose digest is not known yet, its folder, and its entry in the card."""
    whole, uid = _without_paradigm(spec)
    folder, config = _folder_and_config(whole)
    path = _here(folder) if _here(folder).is_dir() else _download(folder, revision)
    entries = configs_of(path)
    if config not in entries:
        near = candidates("configs", sorted(entries), config)
        raise fail(f"data set {folder!r} has no config {config!r} {near}")
    entry, name = entries[config], Path(folder).resolve().name
    files, version = tuple(_files(path, config, entry)), str(entry.get("version", ""))
    found = ItemSet(name, config, version, "", files, uid, spec=whole, revision=revision)
    return replace(found, spec=f"{folder}/{config}"), path, entry


def expand_data(spec: str, revision: str | None = None) -> list[str]:
    """Return the configs that a name stands for: ``clams/*`` those that fit, ``clams`` all of it.

    A data set with a default config stands for that one. Inventories of forms are never among them;
    cloze items only where the pattern names them. Raises :class:`InputError` where nothing fits.
    """
    plain = spec.rstrip("/")
    if plain.endswith(".parquet") or (_is_name(plain) and not (_here(plain) / CARD).is_file()):
        return [spec]
    folder, pattern = (plain, "*") if _is_name(plain) else plain.rsplit("/", 1)
    path = _here(folder) if _here(folder).is_dir() else _download(folder, revision)
    entries = configs_of(path)
    usual = [name for name, entry in entries.items() if entry.get("default")]
    if _is_name(plain) and usual:
        return [f"{folder}/{usual[0]}"]
    kinds = {name: _kind_of_config(path, name, entry) for name, entry in entries.items()}
    wanted = ("pair", "suite") if pattern == "*" else ("pair", "suite", "cloze")
    fitting = [n for n, kind in kinds.items() if kind in wanted and fnmatchcase(n, pattern)]
    if not fitting:
        near = candidates("configs", sorted(entries), pattern)
        raise fail(f"data set {folder!r} has no config that fits {pattern!r} {near}")
    return [f"{folder}/{name}" for name in fitting]


def _is_name(spec: str) -> bool:
    """Return whether a name has no pattern in it."""
    return not re.search(r"[*?\[]", spec)


def _kind_of_config(path: Path, name: str, entry: dict[str, Any]) -> str:
    file = _files(path, name, entry)[0]
    with reading_parquet(file):
        columns = pq.read_schema(file).names
    known = {*columns} & {"sentence_good", "conditions", "masked"}
    return _kind(columns) if known else ""


def _without_paradigm(spec: str) -> tuple[str, str]:
    """Return the config and the paradigm ("": all) of a name.

    ``clams/he/simple_agrmt`` has one where ``clams`` is a data set here, and so has a name of the
    hub with four parts.
    """
    config, _, uid = spec.rstrip("/").rpartition("/")
    folder = config.rpartition("/")[0]
    here = bool(folder) and (_here(folder) / CARD).is_file()
    remote = config.count("/") == 2 and not any(_here(part).is_dir() for part in (config, folder))
    return (config, uid) if here or remote else (spec, "")


def _folder_and_config(spec: str) -> tuple[str, str]:
    """Return the parts of ``clams/he``; the folder of a data set alone means its default config."""
    plain = spec.rstrip("/")
    if (_here(plain) / CARD).is_file():
        entries = configs_of(_here(plain))
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


def _content(files: Sequence[Path]) -> str:
    """Return the SHA-256 of the rows; all are read, so that broken files are found now."""
    for path in files:
        with reading_parquet(path):
            _refuse_types(pq.read_schema(path), path)
    content = content_of_files(files, _refuse_rows)
    if not content.rows:
        raise fail("holds no items", files[0])
    return content.sha256


def _refuse_types(schema: pa.Schema, path: Path) -> None:
    """Raise :class:`InputError` for columns that have our names and other types, or stand twice."""
    names = schema.names
    kind = _kind(names)
    suite = kind == "suite"
    known = {"suite": SUITE, "cloze": CLOZE}.get(kind) or pair_schema()
    kinds = {field.name: field.type for field in known if suite or field.type == pa.string()}
    wrong = [f"column {name!r} stands twice" for name in set(names) if names.count(name) > 1]
    if not wrong:
        wrong = [
            f"column {name!r} is {schema.field(name).type}, wanted {wanted}"
            for name, wanted in kinds.items()
            if name in names and schema.field(name).type != wanted
        ]
        wrong += [f"has no column {name!r}" for name in kinds if suite and name not in names]
    if wrong:
        raise InputError(Problem(text, str(path)) for text in sorted(wrong))


def _refuse_rows(table: pa.Table, path: Path) -> None:
    """Raise for broken values, and for suite items that lack something or have holes in it."""
    table.validate(full=True)
    needed = ("id", "suite", "conditions", "predictions")
    for name in needed if _kind(table.column_names) == "suite" else ():
        if any(map(_has_null, table[name].chunks)):
            raise fail(f"column {name!r} has a value that is null", path)


def _has_null(array: pa.Array) -> bool:
    nested = pa.types.is_struct(array.type) or pa.types.is_list(array.type)
    inner = array.flatten() if nested else []
    parts = inner if isinstance(inner, list) else [inner]
    return bool(array.null_count) or any(map(_has_null, parts))


def folder_of_data(name: str) -> Path | None:
    """Return the folder of a data set, here or in ``$SOLECISM_DATA``; None if it is not there."""
    return _here(name) if (_here(name) / CARD).is_file() else None


def _here(name: str) -> Path:
    """Return the folder of a data set, here or in ``$SOLECISM_DATA``."""
    return Path(name) if Path(name).is_dir() else Path(os.environ.get("SOLECISM_DATA", "")) / name


def _download(repo: str, revision: str | None) -> Path:
    if "/" not in repo:
        raise fail(f"there is no folder {repo!r}: build it with `solecism build {repo}`")
    return folder_of(repo, revision)


def configs_of(path: Path) -> dict[str, dict[str, Any]]:
    """Return the configs that the card of a data set lists, by name."""
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


def _files(path: Path, config: str, entry: dict[str, Any]) -> list[Path]:
    try:
        patterns = [str(item["path"]) for item in entry["data_files"]]
        files = sorted(file for pattern in patterns for file in path.glob(pattern))
    except (TypeError, KeyError, ValueError, NotImplementedError) as error:
        message = f"config {config!r} does not name its data_files: {error}"
        raise fail(message, path / CARD) from None
    if not files:
        raise fail(f"config {config!r}: no file fits {', '.join(patterns)}", path)
    return files


def _refuse_others(path: Path, config: str, entry: dict[str, Any], digest: str) -> None:
    """Raise :class:`InputError` where the rows are not those of the card and the manifest."""
    for name, content in _said_contents(path, config, entry).items():
        if not digest.startswith(content):
            message = f"content {digest[:16]}, {name} says {content[:16]}"
            raise fail(f"config {config!r}: the rows were changed ({message})", path)


def _said_contents(path: Path, config: str, entry: dict[str, Any]) -> dict[str, str]:
    """Return the digests of the rows that the manifest and the card say."""
    listed = _CONTENT.search(str(entry.get("description", "")))
    said = {CARD: listed[1]} if listed else {}
    if (path / MANIFEST).is_file():
        said[MANIFEST] = read_manifest(path).config(config).content.sha256
    return dict(reversed(said.items()))
