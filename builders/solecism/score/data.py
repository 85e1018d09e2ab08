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
from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError
from numpy.typing import NDArray

from solecism.errors import candidates, fail
from solecism.hashing import text_hashes
from solecism.release.digest import ContentDigest

__all__ = ["NEEDED", "PairData", "open_items", "open_pairs", "require_pairs"]

NEEDED = ("id", "set_id", "UID", "linguistics_term", "language", "sentence_good", "sentence_bad")
"""The columns without which pairs cannot be scored."""

_CONTENT = re.compile(r"content ([0-9a-f]{16})")


@dataclass(frozen=True)
class PairData:
    """A config of a data set. ``digest``: the first 16 digits of its content's SHA-256, or ``""``."""

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
            data.files[0].parents[1],
        )


def open_items(spec: str, revision: str | None = None) -> PairData:
    """Open ``FOLDER/CONFIG`` (``clams/he``, made by ``solecism build``) or ``ORG/NAME/CONFIG`` of a hub.

    Also a Parquet file of items alone. Raises :class:`InputError` where there is no such data set or config.
    """
    if spec.endswith(".parquet") and Path(spec).is_file():
        return _alone(Path(spec))
    folder, _, config = spec.rstrip("/").rpartition("/")
    if not folder:
        raise fail(f"{spec!r} is not of the form DATASET/CONFIG, as clams/he")
    path = Path(folder) if Path(folder).is_dir() else _download(folder, revision)
    entries = _configs(path)
    if config not in entries:
        near = candidates("configs", sorted(entries), config)
        raise fail(f"data set {folder!r} has no config {config!r} {near}")
    return _pair_data(path, Path(folder).name, config, entries[config])


def _alone(path: Path) -> PairData:
    digest = ContentDigest()
    for batch in pq.ParquetFile(path).iter_batches():
        digest.add(pa.Table.from_batches([batch]))
    return PairData(path.stem, path.stem, "", digest.hexdigest()[:16], (path,))


def _download(repo: str, revision: str | None) -> Path:
    if "/" not in repo:
        raise fail(f"there is no folder {repo!r}: build it with `solecism build {repo}`")
    try:
        return Path(snapshot_download(repo, repo_type="dataset", revision=revision))
    except RepositoryNotFoundError:
        raise fail(f"there is no data set {repo!r}, neither as a folder nor on the hub") from None
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        endpoint = os.environ.get("HF_ENDPOINT", HfApi().endpoint)
        raise fail(f"data set {repo!r} cannot be read from {endpoint}: {error}") from None


def _configs(path: Path) -> dict[str, dict[str, Any]]:
    card = path / "README.md"
    if not card.is_file():
        raise fail("is no data set folder: it has no README.md", path)
    parts = card.read_text(encoding="utf-8").split("---\n")
    front = yaml.safe_load(parts[1]) if len(parts) > 2 else {}
    return {str(entry["config_name"]): entry for entry in front.get("configs", [])}


def _pair_data(path: Path, name: str, config: str, entry: dict[str, Any]) -> PairData:
    patterns = [item["path"] for item in entry["data_files"]]
    files = sorted(file for pattern in patterns for file in path.glob(pattern))
    if not files:
        raise fail(f"config {config!r}: no file fits {', '.join(patterns)}", path)
    content = _CONTENT.search(entry.get("description", ""))
    digest = content[1] if content else ""
    return PairData(name, config, str(entry.get("version", "")), digest, tuple(files))
