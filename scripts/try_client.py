"""Load every config of a built folder with the `datasets` of this Python, and compare with its
manifest.

Runs with old versions too, so it uses nothing of ours. Usage: python scripts/try_client.py FOLDER
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq


def columns_of(folder: Path, config: str) -> list[str]:
    """Return the columns of a config's Parquet file, read from its footer."""
    return list(pq.read_schema(next((folder / config).glob("*.parquet"))).names)


def try_config(folder: Path, config: str, rows: int) -> int:
    """Load a config whole and as a stream; the first row must be the same."""
    whole = datasets.load_dataset(folder.name, config, split="test")
    assert len(whole) == rows, (config, len(whole), rows)
    assert whole.column_names == columns_of(folder, config), whole.column_names
    stream = datasets.load_dataset(folder.name, config, split="test", streaming=True)
    assert list(stream.take(1)) == [whole[0]], config
    return len(whole)


def main(folder: Path) -> None:
    """Load all configs from the folder above, as the card says."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    os.chdir(folder.parent)
    counts = {name: try_config(folder, name, c["rows"]) for name, c in manifest["configs"].items()}
    versions = f"datasets {datasets.__version__}, pyarrow {pa.__version__}"
    print(
        f"{versions}: {len(counts)} configs, {sum(counts.values()):,} rows, all as in the manifest"
    )


if __name__ == "__main__":
    datasets.disable_progress_bar()
    main(Path(sys.argv[1]).resolve())
