"""Reading the pairs of a built data set, from a local folder or from a hub."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError

from solecism.errors import candidates, fail

__all__ = ["NEEDED", "PairData", "open_pairs"]

NEEDED = ("id", "set_id", "UID", "linguistics_term", "language", "sentence_good", "sentence_bad")
"""The columns without which pairs cannot be scored."""

_CONTENT = re.compile(r"content ([0-9a-f]{16})")


@dataclass(frozen=True)
class PairData:
    """A config of a data set of pairs. ``digest``: the first 16 digits of its content's SHA-256, or ``""``."""

    name: str
    config: str
    version: str
    digest: str
    files: tuple[Path, ...]

    @property
    def rows(self) -> int:
        """The number of pairs."""
        return sum(pq.ParquetFile(path).metadata.num_rows for path in self.files)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(pq.read_schema(self.files[0]).names)

    def tables(
        self, columns: Sequence[str] | None = None, rows: int = 65536, limit: int | None = None
    ) -> Iterator[pa.Table]:
        """Yield the pairs in order, ``rows`` at a time, ``limit`` at most."""
        left = limit if limit is not None else self.rows
        for path in self.files:
            for batch in pq.ParquetFile(path).iter_batches(rows, columns=columns):
                if left <= 0:
                    return
                yield pa.Table.from_batches([batch]).slice(0, left)
                left -= len(batch)

    def every(self, step: int, limit: int | None = None) -> pa.Table:
        """Take each ``step``-th of the pairs (of the first ``limit``)."""
        taken, place = [], 0
        for table in self.tables(limit=limit):
            rows = range(-place % step, len(table), step)
            taken.append(table.take(pa.array(rows, pa.int64())))
            place += len(table)
        return pa.concat_tables(taken)


def open_pairs(spec: str, revision: str | None = None) -> PairData:
    """Open ``FOLDER/CONFIG`` (``clams/he``, made by ``solecism build``) or ``ORG/NAME/CONFIG`` of a hub.

    Raises :class:`InputError` where there is no such data set or config, or where columns are missing.
    """
    folder, _, config = spec.rstrip("/").rpartition("/")
    if not folder:
        raise fail(f"{spec!r} is not of the form DATASET/CONFIG, as clams/he")
    path = Path(folder) if Path(folder).is_dir() else _download(folder, revision)
    entries = _configs(path)
    if config not in entries:
        near = candidates("configs", sorted(entries), config)
        raise fail(f"data set {folder!r} has no config {config!r} {near}")
    data = _pair_data(path, Path(folder).name, config, entries[config])
    missing = [name for name in NEEDED if name not in data.columns]
    if missing:
        raise fail(f"{spec!r} is no data set of pairs: it has no column {', '.join(missing)}", path)
    return data


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
