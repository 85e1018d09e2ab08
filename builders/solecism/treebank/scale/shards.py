"""Shards: what goes between the steps, and the files between the stages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datatrove.data import Document

from solecism.treebank.forms import Word
from solecism.treebank.mining import Tally

__all__ = [
    "TALLY",
    "Documents",
    "Shard",
    "add",
    "add_words",
    "by_shard",
    "of",
    "read_items",
    "read_words",
    "tally_of",
    "tally_text",
    "with_",
    "write_words",
]


Documents = Iterable[Document]


@dataclass(frozen=True)
class Shard:
    """A file to read, and the file that is made of it."""

    path: str
    out: str

    @property
    def done(self) -> bool:
        """Whether it is made."""
        return Path(self.out).is_file()


def of(shard: Shard, **more: Any) -> dict[str, Any]:
    """Metadata of a document of a shard."""
    return {"shard": shard, **more}


def with_(document: Document, **more: Any) -> Document:
    """The document without its text, with more metadata."""
    return Document("", document.id, metadata={**document.metadata, **more})


def by_shard(data: Documents) -> Iterator[tuple[Shard, Iterator[Document]]]:
    """Group the documents of each shard; they come one shard after the other."""
    return groupby(data, key=lambda document: document.metadata["shard"])


TALLY = "solecism"
"""Key of the counts in the footer of a shard's items."""

_COUNTED = ("bytes", "sentences", "words", "skipped")
_WORDS = pa.schema([*((name, pa.string()) for name in Word._fields), ("count", pa.int64())])


def write_words(counts: Mapping[Word, int], path: Path) -> None:
    """Write words and how often each stands."""
    columns = [[word[at] for word in counts] for at in range(len(Word._fields))]
    pq.write_table(pa.table([*columns, list(counts.values())], _WORDS), path)


def add_words(paths: Iterable[Path]) -> pa.Table:
    """Add up the counts of several files."""
    table = pa.concat_tables(map(pq.read_table, paths))
    total = table.group_by(list(Word._fields)).aggregate([("count", "sum")])
    return total.rename_columns(_WORDS.names)


def read_words(path: Path) -> dict[Word, int]:
    """Read such a file."""
    columns = pq.read_table(path).to_pydict()
    words = map(Word, *(columns[name] for name in Word._fields))
    return dict(zip(words, columns["count"], strict=True))


def read_items(paths: Iterable[Path], total: Tally) -> Iterator[pa.Table]:
    """Yield tables as they were mined, since their borders show in the bytes of what is written of them;
    add the counts of the shards."""
    for path in paths:
        with pq.ParquetFile(path) as file:
            add(total, tally_of(file.metadata.metadata[TALLY.encode()]))
            for group in range(file.num_row_groups):
                yield file.read_row_group(group).replace_schema_metadata(None)


def add(total: Tally, more: Tally) -> None:
    """Add what is counted before duplicates are dropped."""
    for name in _COUNTED:
        setattr(total, name, getattr(total, name) + getattr(more, name))
    for reason, count in more.dropped.items():
        total.dropped[reason] += count


def tally_text(tally: Tally) -> str:
    """Give counts as JSON."""
    return json.dumps(vars(tally))


def tally_of(text: str | bytes) -> Tally:
    """Read them."""
    told: dict[str, Any] = json.loads(text)
    values: dict[str, Any] = {
        name: Counter(v) if isinstance(v, dict) else v for name, v in told.items()
    }
    return Tally(**values)
