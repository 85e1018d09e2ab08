"""Data set folders written by hand: as much of one as comparing, locking and reading need."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.hashing import ContentDigest, file_digest
from solecism.schema import kind_of_items

PLAIN = pa.schema(
    [
        ("id", pa.string()),
        ("UID", pa.string()),
        ("pair_id", pa.int32()),
        ("sentence_good", pa.string()),
        ("distance", pa.int32()),
        ("slots", pa.list_(pa.struct([("name", pa.string()), ("start", pa.int32())]))),
        ("features", pa.struct([("match", pa.string())])),
    ]
)


def pair_row(key: str, **other: Any) -> dict[str, Any]:
    """A row of the schema PLAIN."""
    return {
        "id": key,
        "UID": "simple",
        "pair_id": 0,
        "sentence_good": f"Sentence {key}.",
        "distance": 1,
        "slots": [{"name": "author", "start": 4}],
        "features": {"match": "match"},
        **other,
    }


def write_folder(
    folder: Path,
    configs: Mapping[str, Sequence[Mapping[str, Any]]],
    version: str = "1.0.0",
    schema: pa.Schema = PLAIN,
    compression: str = "zstd",
    card: str = "# Tiny\n",
) -> Path:
    """Write configs with a manifest and a card; return the folder."""
    tables = {
        name: pa.Table.from_pylist(list(rows), schema=schema) for name, rows in configs.items()
    }
    return write_tables(folder, tables, version, compression, card)


def write_tables(
    folder: Path,
    tables: Mapping[str, pa.Table],
    version: str = "1.0.0",
    compression: str = "zstd",
    card: str = "# Tiny\n",
) -> Path:
    """Write a config of each table, with a manifest and a card; return the folder."""
    facts = {}
    for name, table in tables.items():
        path = folder / name / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(table, path, compression=compression)
        facts[name] = _facts(table, path, folder)
    folder.mkdir(exist_ok=True)
    (folder / "README.md").write_text(card, encoding="utf-8")
    said = {"sha256": file_digest(folder / "README.md"), "bytes": len(card.encode())}
    documents = {"README.md": said}
    manifest = {
        "dataset": "tiny", "version": version, "configs": facts, "documents": documents,
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def _facts(table: pa.Table, path: Path, folder: Path) -> dict[str, Any]:
    digest = ContentDigest()
    digest.add(table)
    file = {"sha256": file_digest(path), "bytes": path.stat().st_size}
    return {
        "rows": len(table),
        "kind": kind_of_items(table.column_names) or "forms",
        "content_sha256": digest.content.sha256,
        "files": {path.relative_to(folder).as_posix(): file},
    }
