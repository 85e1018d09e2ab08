"""The summary of a result: accuracies by every grouping, and what they depend on."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from solecism import __version__
from solecism.errors import fail
from solecism.scoring.normalise import (
    DIFFERENCES,
    INPUTS,
    NORMALISERS,
    margins,
    right_or_tie,
    token_differences,
    usable,
)
from solecism.scoring.results import FORMAT, read_result, result_files

__all__ = [
    "COLUMNS", "NOT_GROUPED", "Interval", "NormalisedTallies", "Signature", "Tally", "environment",
    "group_column", "items_right", "numeric_first", "refuse_replacing", "short_revision", "summarize",
    "summarize_file", "tally", "wilson",
]  # fmt: skip

_HASH = re.compile(r"^((?:sha256-)?[0-9a-f]{12})[0-9a-f]+$")
_ESCAPES = str.maketrans({"%": "%25", "|": "%7C", "\n": "%0A"})


@dataclass(frozen=True)
class Signature:
    """All that a figure depends on.

    Its text is as ``acc|data:clams@1.0.0#4f3a9c1e|cfg:he|score:sentence|bos:auto|model:gpt2|...``.

    ``digest`` and ``revision`` may be empty (then ``#`` and ``@`` are left out). The digest is cut
    to 8 characters, a revision that is a hash (``607a30d783df...``, ``sha256-88357...``) to 12
    hexadecimal digits, a branch or tag stands whole. ``options`` are whatever else a method depends
    on (``bos``, ``limit``, ...).
    """

    data: str
    version: str
    digest: str
    config: str
    method: str
    model: str
    revision: str = ""
    dtype: str = "float32"
    options: Mapping[str, str] = field(default_factory=dict)
    tool: str = __version__

    def __str__(self) -> str:
        parts = {
            "data": _joined(_joined(self.data, "@", self.version), "#", self.digest[:8]),
            "cfg": self.config,
            "score": self.method,
            **dict(sorted(self.options.items())),
            "model": _joined(self.model, "@", short_revision(self.revision)),
            "dtype": self.dtype,
            "solecism": self.tool,
        }
        return "|".join(
            ["acc", *(f"{key}:{value.translate(_ESCAPES)}" for key, value in parts.items())]
        )

    def to_json(self) -> dict[str, Any]:
        """Return the parts in full."""
        return {
            "data": self.data, "version": self.version, "digest": self.digest, "config": self.config,
            "method": self.method, "model": self.model, "revision": self.revision,
            "dtype": self.dtype, "options": dict(sorted(self.options.items())), "solecism": self.tool,
        }  # fmt: skip


def short_revision(revision: str) -> str:
    """Return a revision that is a hash with 12 digits, another one as it is."""
    return _HASH.sub(r"\1", revision)


def _joined(name: str, mark: str, rest: str) -> str:
    return f"{name}{mark}{rest}" if rest else name


def refuse_replacing(path: str | Path, signature: Signature) -> bool:
    """Return whether the result of a run is there already under a name.

    Raises :class:`InputError` where it is that of another run.
    """
    file = result_files(path)[0]
    if not file.is_file():
        return False
    there, ours = read_result(file).run, signature.to_json()
    other = [
        f"{key} {there.get(key)!r}, not {ours[key]!r}"
        for key in ours
        if there.get(key) != ours[key]
    ]
    if other:
        message = (
            f"is the result of another run ({'; '.join(other)}): move it, or give another --out"
        )
        raise fail(message, file)
    return True


def environment(device: str, dtype: str, seconds: float, sentences: int) -> dict[str, Any]:
    """Return what a run ran on; it scored ``sentences`` (two a pair) in ``seconds``."""
    names = ("torch", "transformers", "tokenizers", "numpy", "pyarrow")
    return {
        "python": platform.python_version(),
        **{name: _version(name) for name in names},
        "solecism": __version__,
        "platform": platform.platform(),
        "device": device,
        "dtype": dtype,
        "seconds": round(seconds, 3),
        "sentences_per_second": round(sentences / seconds, 1) if seconds > 0 else None,
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


Z95 = 1.959963984540054
"""The normal quantile at 0.975."""


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(right: float, n: int, z: float = Z95) -> Interval:
    """Return the accuracy ``right / n`` with the score interval of Wilson (1927).

    Without items the accuracy is NaN and the interval is from 0 to 1.
    """
    if n == 0:
        return Interval(math.nan, 0.0, 1.0)
    p, z2 = right / n, z * z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return Interval(p, max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half)))


COLUMNS = {"UID": "UID", "phenomenon": "linguistics_term", "construction": "construction"}
"""Groupings that are columns of the table; the others are ``config`` and the features."""

NOT_GROUPED = ("construction", "controller", "attractor", "target")
"""Features without figures: the lemmas, which are many, and what is a column."""

MAX_VALUES = 100
"""A feature with more values than this has no figures by value in the summary."""


@dataclass
class Tally:
    """The counts that accuracy is made of; tallies of parts add up to that of the whole."""

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
        """The accuracy (ties count one half) with its Wilson interval."""
        return wilson(self.right, self.n)

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the accuracy (null of nothing) with its 95 % interval."""
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
    """Return the groups (texts, or null) of a grouping, which is a column or a feature."""
    column = table[COLUMNS[by]] if by in COLUMNS else pc.struct_field(table["features"], by)
    return pc.cast(column, pa.string())


def tally(keys: pa.ChunkedArray, table: pa.Table) -> dict[str, Tally]:
    """Count the rows of a table by ``keys``; rows without a key are left out."""
    narrow = pa.table({"key": keys, "decision": table["decision"], "skipped": table["skipped"]})
    counts = narrow.group_by(["key", "decision", "skipped"], use_threads=False).aggregate(
        [([], "count_all")]
    )
    found: dict[str, Tally] = {}
    for row in counts.to_pylist():
        if row["key"] is not None:
            decision, reason, count = row["decision"], row["skipped"], row["count_all"]
            part = Tally(skipped={reason or "no score": count})
            if decision is not None and reason is None:
                part = Tally(decision * count, count, count if decision == 0.5 else 0)
            found.setdefault(row["key"], Tally()).add(part)
    return found


def summarize(tables: Iterable[pa.Table], config: str) -> dict[str, Any]:
    """Count tables of scores, one after the other: ``rows``, ``overall``, ``macro`` and ``by``.

    ``macro`` is the plain mean of the accuracies of the UIDs, of the phenomena and of the
    constructions. Where the scores are sums over tokens, ``normalised`` and ``tokens_differ`` are
    there, too.
    """
    rows, overall, normalised = 0, Tally(), NormalisedTallies()
    by: dict[str, dict[str, Tally]] = {}
    for table in tables:
        rows += len(table)
        features = [field.name for field in table.schema.field("features").type]
        for name in (*COLUMNS, *(name for name in features if name not in NOT_GROUPED)):
            _merge(by.setdefault(name, {}), tally(group_column(table, name), table))
        everything = pa.chunked_array([pa.repeat(pa.scalar(config), len(table))])
        for part in tally(everything, table).values():
            overall.add(part)
        normalised.add(table)
    by = {k: groups for k, groups in by.items() if k in COLUMNS or 0 < len(groups) <= MAX_VALUES}
    by["config"] = {config: overall}
    return {
        "rows": rows,
        "overall": overall.to_json(),
        "macro": {name: _macro(by.get(name, {})) for name in COLUMNS},
        "by": {
            name: {key: groups[key].to_json() for key in sorted(groups, key=numeric_first)}
            for name, groups in by.items()
        },
        **normalised.to_json(),
    }


@dataclass
class NormalisedTallies:
    """The counts of the decisions of normalisers, of all pairs and by UID.

    ``differences``: the counts of the sums' decisions by the difference in tokens.
    """

    by_uid: dict[str, dict[str, Tally]] = field(default_factory=dict)
    differences: dict[str, Tally] = field(default_factory=dict)

    def add(self, table: pa.Table) -> None:
        """Count the rows of a table in."""
        names = usable(table)
        if not names:
            return
        uids = table["UID"].combine_chunks().dictionary_encode()
        groups, keys = np.asarray(uids.indices), uids.dictionary.to_pylist()
        for name in names:
            found = right_or_tie(margins(table, NORMALISERS[name]))
            for uid, part in _tallies(found, groups, keys).items():
                self.by_uid.setdefault(uid, {}).setdefault(name, Tally()).add(part)
        decided = table["decision"].to_numpy()
        _merge(self.differences, _tallies(decided, token_differences(table), DIFFERENCES))

    def to_json(self) -> dict[str, Any]:
        """Return what the summary has of them; nothing where nothing was counted."""
        if not self.by_uid:
            return {}
        overall: dict[str, Tally] = {}
        for groups in self.by_uid.values():
            _merge(overall, groups)
        n = sum(part.n for part in self.differences.values())
        same = self.differences.get("0", Tally()).n
        return {
            "normalised": {
                "overall": _plain(overall),
                "UID": {uid: _plain(self.by_uid[uid]) for uid in sorted(self.by_uid)},
            },
            "tokens_differ": {
                "share": (n - same) / n if n else None,
                "by": _plain(
                    {k: self.differences[k] for k in DIFFERENCES if k in self.differences}
                ),
            },
        }


def _tallies(
    decided: NDArray[np.float64], groups: NDArray[np.integer[Any]], keys: Sequence[str]
) -> dict[str, Tally]:
    """Count decisions (NaN: none) by group, a place in ``keys``."""
    known = ~np.isnan(decided)
    decided, groups = decided[known], groups[known]
    right = np.bincount(groups, decided, len(keys)).tolist()
    n = np.bincount(groups, minlength=len(keys)).tolist()
    ties = np.bincount(groups[decided == 0.5], minlength=len(keys)).tolist()
    counts = zip(keys, right, n, ties, strict=True)
    return {key: Tally(one, all_, tied) for key, one, all_, tied in counts if all_}


def _plain(groups: Mapping[str, Tally]) -> dict[str, Any]:
    """Return tallies without the reasons for skipping, which are those of the sums."""
    found = {key: group.to_json() for key, group in groups.items()}
    return {key: {k: v for k, v in one.items() if k != "skipped"} for key, one in found.items()}


def _merge(into: dict[str, Tally], parts: Mapping[str, Tally]) -> None:
    for key, part in parts.items():
        into.setdefault(key, Tally()).add(part)


def _macro(groups: Mapping[str, Tally]) -> float | None:
    found = [group.right / group.n for group in groups.values() if group.n]
    return sum(found) / len(found) if found else None


def numeric_first(key: str) -> tuple[int, float, str]:
    """Return a key for sorting: numbers by size, then texts."""
    return (0, float(key), key) if key.isdecimal() else (1, 0.0, key)


def summarize_file(
    path: str | Path, signature: Signature, environment: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the whole summary of the table ``<stem>.parquet``."""
    file = result_files(path)[1]
    return {
        "format": FORMAT,
        "signature": str(signature),
        "run": signature.to_json(),
        **summarize(_tables(file), signature.config),
        "environment": dict(environment or {}),
    }


def _tables(file: Path) -> Iterator[pa.Table]:
    wanted = [*COLUMNS.values(), "features", "method", *INPUTS, "decision", "skipped"]
    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(1 << 16, columns=wanted):
            yield pa.Table.from_batches([batch])


def items_right(path: str | Path) -> Tally:
    """Count the items of a result of suites, right where all their predictions hold.

    An item with a prediction that was skipped is skipped.
    """
    names = ["set_id", "decision", "skipped"]
    columns = pq.read_table(result_files(path)[1], columns=names).to_pydict()
    worst: dict[str, float] = {}
    skipped: dict[str, str] = {}
    for name, decision, reason in zip(*(columns[key] for key in names), strict=True):
        if decision is None:
            skipped[name] = reason
        worst[name] = min(worst.get(name, 1.0), decision or 0.0)
    total = Tally()
    for name, value in worst.items():
        reason = skipped.get(name)
        total.add(Tally(skipped={reason: 1}) if reason else Tally(value, 1, int(value == 0.5)))
    return total
