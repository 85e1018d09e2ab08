"""The items of a built data set, in a folder or on a hub."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from solecism.datasets.manifest import MANIFEST, content_of, read_manifest
from solecism.errors import InputError, candidates, fail
from solecism.hashing import text_hashes
from solecism.hub.client import dataset_of, folder_of
from solecism.inputs import parquet_schema, parquet_tables, read_parquet, reading_parquet
from solecism.own_pairs import NEEDED, SUFFIXES, is_own, own_pairs
from solecism.phenomena import current_uid
from solecism.schema import KINDS, ItemRow, kind_of_items
from solecism.scoring.results import require


@dataclass(frozen=True)
class ItemSet:
    """The items of a config of a data set.

    ``digest``: the first 16 digits of the SHA-256 of its rows; ``uid``: the paradigm that is taken
    ("": all); ``sample``: how many items of each paradigm are taken (those whose ids have the
    smallest hashes; None: all); ``spec`` and ``revision``: how it was opened; ``tags``: those of
    its languages.
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
    tags: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> int:
        """The number of items."""
        if self._chosen is not None:
            return int(self._chosen.sum())
        with reading_parquet(self.files[0]):
            return sum(pq.read_metadata(path).num_rows for path in self.files)

    @property
    def kind(self) -> str:
        """The kind of its items: ``suite``, ``cloze`` or ``pair``."""
        return kind_of_items(self.columns) or "pair"

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(parquet_schema(self.files[0]).names)

    @cached_property
    def forms(self) -> ItemSet:
        """The inventory of forms that belongs to cloze items, in the config ``<config>-forms``."""
        return open_items(f"{self.spec}-forms", self.revision)

    def tables(
        self, columns: Sequence[str] | None = None, rows: int = 65536, limit: int | None = None
    ) -> Iterator[pa.Table]:
        """Yield the items in order, in tables of at most ``rows`` rows; ``limit`` items in all."""
        left = limit if limit is not None else self.rows
        place = 0
        for table in self._read(columns, rows):
            place += len(table)
            if self._chosen is not None:
                table = table.filter(self._chosen[place - len(table) : place])
            if left <= 0:
                return
            yield table.slice(0, left)
            left -= len(table)

    def _read(self, columns: Sequence[str] | None, rows: int) -> Iterator[pa.Table]:
        for path in self.files:
            yield from parquet_tables(path, columns, rows)

    @cached_property
    def _chosen(self) -> NDArray[np.bool_] | None:
        """A Boolean array that marks the items to take, by paradigm and sample; None: take all."""
        if self.sample is None and not self.uid:
            return None
        paradigm = KINDS[self.kind].group
        asked = (paradigm,) if self.sample is None else ("id", paradigm)
        known = pa.concat_tables(self._read(asked, 65536)).combine_chunks()
        chosen = np.ones(len(known), dtype=bool)
        if self.uid:
            chosen = pc.equal(known[paradigm], self.uid).to_numpy()
        if not chosen.any():
            names = sorted(known[paradigm].unique().to_pylist())
            near = candidates("paradigms", names, current_uid(self.uid))
            raise fail(f"{self.name}/{self.config} has no paradigm {self.uid!r} {near}")
        if self.sample is not None:
            hashes = text_hashes(known["id"].to_pylist()).byteswap()
            uids = known[paradigm].combine_chunks().dictionary_encode().indices.to_numpy()
            order = np.lexsort((hashes, uids))
            first = np.searchsorted(uids[order], uids[order])
            chosen = chosen.copy()
            chosen[order[np.arange(len(order)) - first >= self.sample]] = False
        return chosen

    def require_pairs(self) -> None:
        """Raise :class:`InputError` if these are pairs and lack a column that scoring needs."""
        if self.kind == "pair":
            require(parquet_schema(self.files[0]).empty_table(), NEEDED, "pairs", self.files[0])


def open_pairs(spec: str, revision: str | None = None) -> ItemSet:
    """Open a config of pairs as :func:`open_items` does; raise :class:`InputError` for others."""
    items = open_items(spec, revision)
    if items.kind != "pair":
        raise fail(f"{spec!r} is no data set of pairs: it has {items.kind} items", items.files[0])
    items.require_pairs()
    return items


def open_items(spec: str, revision: str | None = None) -> ItemSet:
    """Open ``FOLDER/CONFIG`` (as ``clams/he``) or ``ORG/NAME/CONFIG`` of a hub.

    One paradigm of a config is ``clams/he/simple_agrmt``. A folder may also stand in
    ``$SOLECISM_DATA``, and ``spec`` may be the path of a Parquet file of items. Without a config,
    the default config of a data set is opened. Raises :class:`InputError` if there is no such data
    set or config, if a file is broken, or if the rows do not have the digest in the manifest.
    """
    items = listed_items(spec, revision)
    digest = _content(items.files)
    if not digest.startswith(items.digest):
        message = f"content {digest[:16]}, the data set says {items.digest}"
        raise fail(f"config {items.config!r}: the rows were changed ({message})", items.files[0])
    opened = replace(items, digest=digest[:16])
    if opened.uid:
        _ = opened.rows  # an unknown paradigm is found now, not when a model is loaded
    return opened


def listed_items(spec: str, revision: str | None = None) -> ItemSet:
    """Return a config as :func:`open_items` does, without reading it.

    Its digest is that in the manifest, "" of a Parquet file.
    """
    path = Path(spec)
    if path.is_file() and (is_own(spec) or path.suffix == ".parquet"):
        found = own_pairs(path) if is_own(spec) else path
        return ItemSet(path.stem, path.stem, "", "", (found,), spec=spec)
    if is_own(spec):
        found, name = own_pairs(dataset_of(spec, revision)), spec.replace("/", "-")
        return ItemSet(name, name, "", "", (found,), spec=spec, revision=revision)
    name, config, uid = _parts_of(spec)
    manifest = read_manifest(_folder(name, revision))
    config = manifest.config(config).name
    files = tuple(sorted(manifest.paths(config)))
    missing = [path.name for path in files if not path.is_file()]
    if missing:
        raise fail(f"config {config!r}: there is no file {', '.join(missing)}", manifest.path)
    short, entry = Path(name).resolve().name, manifest.config(config)
    return ItemSet(
        short, config, manifest.version, entry.content.sha256[:16], files, uid, None,
        f"{name}/{config}", revision, entry.tags,
    )  # fmt: skip


def expand_data(spec: str, revision: str | None = None) -> list[str]:
    """Return the configs that ``spec`` names: ``clams`` all, ``clams/h*`` those that fit.

    If the data set has a default config, its name alone means only that one. Inventories of forms
    are never included, and configs of cloze items only by a pattern other than ``*``. Raises
    :class:`InputError` if no config fits.
    """
    plain = spec.rstrip("/")
    has_pattern = bool(re.search(r"[*?\[]", plain))
    if is_own(plain) or plain.endswith(".parquet") or not (has_pattern or folder_of_data(plain)):
        return [spec]
    name, pattern = plain.rsplit("/", 1) if has_pattern else (plain, "*")
    configs = read_manifest(_folder(name, revision)).configs
    usual = [config for config, entry in configs.items() if entry.default]
    if usual and not has_pattern:
        return [f"{name}/{usual[0]}"]
    wanted = ("pair", "suite") if pattern == "*" else ("pair", "suite", "cloze")
    known = [config for config, entry in configs.items() if entry.kind in wanted]
    fitting = [config for config in known if fnmatchcase(config, pattern)]
    if not fitting:
        near = candidates("configs", sorted(configs), pattern)
        raise fail(f"data set {name!r} has no config that fits {pattern!r} {near}")
    return [f"{name}/{config}" for config in fitting]


def _parts_of(spec: str) -> tuple[str, str, str]:
    """Return the folder or repository, the config and the paradigm ("": all) that a name has.

    ``clams/he/simple_agrmt`` has a paradigm where ``clams`` is a data set here, and so has a name
    of the hub with four parts; ``clams`` alone means its default config.
    """
    if Path(spec).is_file():
        raise fail(f"items are read from {', '.join(SUFFIXES)} and folders of data sets", spec)
    plain = spec.rstrip("/")
    name, _, last = plain.rpartition("/")
    above, _, config = name.rpartition("/")
    remote = name.count("/") == 2 and not any(_here(part).is_dir() for part in (name, above))
    if above and (remote or folder_of_data(above)):
        return above, config, last
    if (here := folder_of_data(plain)) is not None:
        configs = read_manifest(here).configs
        usual = [name for name, entry in configs.items() if entry.default]
        if len(configs) > 1 and not usual:
            near = candidates("configs", sorted(configs))
            raise fail(f"name a config of {spec!r}, as {plain}/{min(configs)} {near}")
        return plain, [*usual, *configs][0], ""
    if Path(spec).suffix in SUFFIXES:
        raise fail(f"there is no file {spec!r}")
    if not name:
        message = f"{spec!r} is not of the form DATASET/CONFIG, as clams/he, and no data set folder"
        raise fail(f"{message} is here under that name (make one: `solecism build {spec}`)")
    return name, last, ""


def _content(files: Sequence[Path]) -> str:
    """Return the SHA-256 of the rows; all are read, so that broken files are found now.

    Raises :class:`InputError` for columns that have our names and other types.
    """
    for path in files:
        schema = parquet_schema(path)
        kind = kind_of_items(schema.names)
        known = KINDS[kind or "pair"].schema
        suite = kind == "suite"
        wanted = {field.name: field.type for field in known if suite or field.type == pa.string()}
        require(schema.empty_table(), list(wanted) if suite else (), "items", path)
        for field in schema:
            right = wanted.get(field.name, field.type)
            if field.type != right:
                require(schema.empty_table(), NEEDED if kind == "pair" else (), "pairs", path)
                raise fail(f"column {field.name!r} is {field.type}, wanted {right}", path)
    content = content_of(files)
    if not content.rows:
        raise fail("holds no items", files[0])
    if "id" in parquet_schema(files[0]).names:
        ids = pa.concat_tables(read_parquet(path, ["id"]) for path in files)
        counts = ids.group_by("id").aggregate([("id", "count")])
        if len(repeated := counts.filter(pc.field("id_count") > 1)):
            raise fail(f"'{repeated['id'][0]}' is the id of two items, results go by it", files[0])
    return content.sha256


def folder_of_data(name: str) -> Path | None:
    """Return the folder of a data set, here or in ``$SOLECISM_DATA``; None if it is not there."""
    folder = _here(name)
    return folder if (folder / MANIFEST).is_file() else None


def _here(name: str) -> Path:
    """Return the path ``name``, or that in ``$SOLECISM_DATA`` if there is no such folder here."""
    return Path(name) if Path(name).is_dir() else Path(os.environ.get("SOLECISM_DATA", "")) / name


def _folder(name: str, revision: str | None) -> Path:
    """Return the folder of a data set that is here, or of one that is downloaded from the hub."""
    if _here(name).is_dir():
        return _here(name)
    if "/" not in name:
        raise fail(f"there is no folder {name!r}: build it with `solecism build {name}`")
    return folder_of(name, revision)


MIN_ID_LENGTH = 4
"""An id may be shortened to this many of its first characters, but not to fewer."""


def folders_of_data() -> list[str]:
    """Return the names of the data sets that are built here or in ``$SOLECISM_DATA``."""
    places = Path(), Path(os.environ.get("SOLECISM_DATA", ""))
    found = (path.parent.name for place in places for path in sorted(place.glob(f"*/{MANIFEST}")))
    return list(dict.fromkeys(found))


def find_pair(identifier: str, data: str | None = None) -> tuple[str, ItemRow]:
    """Return the pair of an id, or of the first characters of one, and its config (``clams/he``).

    ``data`` is a config, a data set or a Parquet file, as :func:`solecism.score` takes; without it
    all data sets that are here are searched. Raises :class:`InputError` where no pair or more than
    one has such an id.
    """
    specs = expand_data(data) if data is not None else [
        f"{name}/{config}"
        for name in folders_of_data()
        for config, entry in read_manifest(_here(name)).configs.items()
        if entry.kind == "pair"
    ]  # fmt: skip
    found = [pair for spec in specs for pair in _fitting(spec, identifier)]
    if not found:
        where = ", ".join(specs) or "no data set is here: give --data, as clams/he"
        raise fail(f"no pair has the id {identifier!r} ({where})")
    exact = [pair for pair in found if pair[1]["id"] == identifier]
    distinct = {  # a pair may be in several configs
        (pair[1]["id"], pair[1]["sentence_good"], pair[1]["sentence_bad"]): pair
        for pair in reversed(exact or found)
    }
    if len(distinct) > 1:
        shown = ", ".join(f"{row['id']} of {spec}" for spec, row in [*distinct.values()][-5:])
        raise fail(f"more than one pair has the id {identifier!r} (--data names one): {shown}")
    return next(iter(distinct.values()))


def _fitting(spec: str, identifier: str) -> Iterator[tuple[str, ItemRow]]:
    items = listed_items(spec)
    if items.kind != "pair":
        return
    items.require_pairs()
    fits = pc.starts_with if len(identifier) >= MIN_ID_LENGTH else pc.equal
    for path in items.files:
        wanted = fits(read_parquet(path, ["id"])["id"], identifier)
        rows = read_parquet(path).filter(wanted) if pc.any(wanted).as_py() else pa.table({})
        yield from ((items.spec, row) for row in rows.to_pylist())


def rows_of_result(
    run: Mapping[str, str], ids: Iterable[str], columns: Sequence[str]
) -> tuple[dict[str, ItemRow], str]:
    """Return the ``columns`` of items that a run has scored, by id, and the name of their config.

    Returns ``({}, "")`` if the data set is not here, or has other rows now, or no such columns.
    """
    if (folder := folder_of_data(run["data"])) is None:
        return {}, ""
    try:
        read_manifest(folder).config(run["config"])  # others' results may not ask a hub for it
        items = listed_items(f"{run['data']}/{run['config']}")
        same = items.digest and run["digest"].startswith(items.digest[:8])
        if not same or not set(columns) <= set(items.columns):
            return {}, ""
        table = pa.concat_tables(items.tables(["id", *columns]))
    except InputError:
        return {}, ""
    found = table.filter(pc.is_in(table["id"], pa.array(sorted(set(ids)), pa.string())))
    return {row["id"]: row for row in found.to_pylist()}, items.spec
