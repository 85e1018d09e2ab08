"""Reading a release back from the hub as a stranger would, and holding it against its manifest."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from datasets import DownloadMode, load_dataset
from datasets.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

from solecism.datasets.manifest import ConfigFiles
from solecism.errors import fail
from solecism.hashing import Content, ContentDigest

__all__ = ["read_back"]

BATCH = 1000
"""Rows that are decoded at a time: it bounds the memory."""


def read_back(repo: str, revision: str, config: ConfigFiles) -> None:
    """Load a config by ``load_dataset`` from the hub and compare rows and content with the manifest.

    Nothing cached is believed. Raises :class:`InputError` where anything differs.
    """
    with _little_memory(), TemporaryDirectory(prefix="solecism-") as cache:
        loaded = _load(repo, config.name, revision, cache)
        content = _content(loaded)
    if content != config.content:
        message = f"{config.name}: {content}, not {config.content}"
        raise fail(f"{repo}: {revision} reads back differently: {message}")


def _load(repo: str, config: str, revision: str, cache: str) -> Any:
    """Load; a failure that hides its cause (a 503 becomes a bare ValueError) counts as one of connection."""
    try:
        return load_dataset(
            repo,
            config,
            revision=revision,
            cache_dir=cache,
            download_mode=DownloadMode.FORCE_REDOWNLOAD,
            batch_size=BATCH,
        )
    except (ValueError, FileNotFoundError) as error:
        raise ConnectionError(f"{repo}: {revision} cannot be loaded") from error


def _content(loaded: Any) -> Content:
    """Return the content of all splits, from the files that ``load_dataset`` has written."""
    digest = ContentDigest()
    for table in (t for split in sorted(loaded) for t in _tables(loaded[split])):
        digest.add(table)
    return digest.content


def _tables(split: Any) -> Iterator[pa.Table]:
    """Read the files, where the mapped table would stay in memory once it is touched."""
    for file in split.cache_files:
        with pa.OSFile(file["filename"]) as source, pa.ipc.open_stream(source) as batches:
            for batch in batches:
                yield pa.Table.from_batches([batch])


@contextmanager
def _little_memory() -> Iterator[None]:
    """Give memory back at once, and show none of the bars of ``datasets``."""
    pool, hidden = pa.default_memory_pool(), are_progress_bars_disabled()
    pa.set_memory_pool(pa.system_memory_pool())
    disable_progress_bars()
    try:
        yield
    finally:
        if not hidden:
            enable_progress_bars()
        gc.collect()
        pa.default_memory_pool().release_unused()
        pa.set_memory_pool(pool)
