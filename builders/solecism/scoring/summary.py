"""The summary of a result: accuracies by every grouping, made from the table alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.scoring.results import FORMAT, result_files
from solecism.scoring.signature import Signature
from solecism.scoring.statistics import Interval, wilson

__all__ = [
    "COLUMNS", "NOT_GROUPED", "Tally", "group_column", "numeric_first", "summarize", "summarize_file", "tally",
]  # fmt: skip

COLUMNS = {"UID": "UID", "phenomenon": "linguistics_term", "construction": "construction"}
"""Groupings that are columns of the table; the others are ``config`` and the features."""

NOT_GROUPED = ("construction", "controller", "attractor", "target")
"""Features with no figures of their own: the lemmas, which are many, and what is a column already."""

MOST = 100
"""A feature with more values than this has no figures by value in the summary."""


@dataclass
class Tally:
    """What accuracy is made of; tallies of parts add up to that of the whole."""

    right: float = 0.0
    n: int = 0
    ties: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count another part in."""
        self.right += other.right
        self.n += other.n
        self.ties += other.ties
        for reason, count in other.skipped.items():
            self.skipped[reason] = self.skipped.get(reason, 0) + count

    @property
    def interval(self) -> Interval:
        """Accuracy (ties count one half) with its Wilson interval."""
        return wilson(self.right, self.n)

    def to_json(self) -> dict[str, Any]:
        """Accuracy, ends of the 95 % interval, n, ties and skipped by reason; accuracy of nothing: null."""
        found = self.interval
        return {
            "accuracy": found.value if self.n else None,
            "low": found.low,
            "high": found.high,
            "n": self.n,
            "ties": self.ties,
            "skipped": dict(sorted(self.skipped.items())),
        }


def group_column(table: pa.Table, by: str) -> pa.ChunkedArray:
    """The groups (texts, null where there is none) of a grouping but ``config``: of a column or a feature."""
    column = table[COLUMNS[by]] if by in COLUMNS else pc.struct_field(table["features"], by)
    return pc.cast(column, pa.string())


def tally(keys: pa.ChunkedArray, table: pa.Table) -> dict[str, Tally]:
    """Count the rows of ``table`` (``decision``, ``skipped``) by ``keys``; rows without a key are left out."""
    narrow = pa.table({"key": keys, "decision": table["decision"], "skipped": table["skipped"]})
    counts = narrow.group_by(["key", "decision", "skipped"], use_threads=False).aggregate(
        [([], "count_all")]
    )
    found: dict[str, Tally] = {}
    for row in counts.to_pylist():
        if row["key"] is not None:
            part = _part(row["decision"], row["skipped"], row["count_all"])
            found.setdefault(row["key"], Tally()).add(part)
    return found


def _part(decision: float | None, reason: str | None, count: int) -> Tally:
    if decision is None or reason is not None:
        return Tally(skipped={reason or "no score": count})
    return Tally(decision * count, count, count if decision == 0.5 else 0)


def _groupings(schema: pa.Schema) -> list[str]:
    features = [f.name for f in schema.field("features").type]
    return [*COLUMNS, *(name for name in features if name not in NOT_GROUPED)]


def summarize(tables: Iterable[pa.Table], config: str) -> dict[str, Any]:
    """Count tables of scores, one after the other: ``rows``, ``overall``, ``macro`` and ``by``.

    ``macro`` is the plain mean of the accuracies of the UIDs, of the phenomena and of the constructions.
    """
    rows, overall = 0, Tally()
    by: dict[str, dict[str, Tally]] = {}
    for table in tables:
        rows += len(table)
        for name in _groupings(table.schema):
            _merge(by.setdefault(name, {}), tally(group_column(table, name), table))
        everything = pa.chunked_array([pa.repeat(pa.scalar(config), len(table))])
        for part in tally(everything, table).values():
            overall.add(part)
    by = {k: groups for k, groups in by.items() if k in COLUMNS or 0 < len(groups) <= MOST}
    by["config"] = {config: overall}
    return {
        "rows": rows,
        "overall": overall.to_json(),
        "macro": {name: _macro(by.get(name, {})) for name in COLUMNS},
        "by": {name: _sorted(groups) for name, groups in by.items()},
    }


def _merge(into: dict[str, Tally], parts: Mapping[str, Tally]) -> None:
    for key, part in parts.items():
        into.setdefault(key, Tally()).add(part)


def _macro(groups: Mapping[str, Tally]) -> float | None:
    found = [group.right / group.n for group in groups.values() if group.n]
    return sum(found) / len(found) if found else None


def _sorted(groups: Mapping[str, Tally]) -> dict[str, Any]:
    return {key: groups[key].to_json() for key in sorted(groups, key=numeric_first)}


def numeric_first(key: str) -> tuple[int, float, str]:
    """Sort key: numbers by size, then texts."""
    return (0, float(key), key) if key.isdecimal() else (1, 0.0, key)


def summarize_file(
    path: str | Path, signature: Signature, environment: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The whole summary of the table ``<stem>.parquet``, to be written with ``results.write_summary``."""
    file = result_files(path)[1]
    return {
        "format": FORMAT,
        "signature": str(signature),
        "run": signature.to_json(),
        **summarize(_tables(file), signature.config),
        "environment": dict(environment or {}),
    }


def _tables(file: Path) -> Iterator[pa.Table]:
    wanted = [*COLUMNS.values(), "features", "decision", "skipped"]
    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(1 << 16, columns=wanted):
            yield pa.Table.from_batches([batch])
