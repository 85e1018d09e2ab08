"""The summary of a result: accuracies by every grouping, and what they depend on."""

from __future__ import annotations

import math
import platform
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.phenomena import phenomenon_named, renamed
from solecism.scoring.normalise import (
    DIFFERENCES,
    INPUTS,
    NORMALISERS,
    find_normaliser,
    margins,
    missing,
    token_differences,
)
from solecism.scoring.results import (
    FORMAT,
    Result,
    Summary,
    read_result,
    result_files,
    right_or_tie,
)
from solecism.version import __version__

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
    solecism: str = __version__

    def __str__(self) -> str:
        parts = {
            "data": _joined(_joined(self.data, "@", self.version), "#", self.digest[:8]),
            "cfg": self.config,
            "score": self.method,
            **dict(sorted(self.options.items())),
            "model": _joined(self.model, "@", short_revision(self.revision)),
            "dtype": self.dtype,
            "solecism": self.solecism,
        }
        texts = (f"{key}:{value.translate(_ESCAPES)}" for key, value in parts.items())
        return "|".join(["acc", *texts])

    def to_json(self) -> Summary:
        """Return the parts in full."""
        return asdict(self) | {"options": dict(sorted(self.options.items()))}


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
    there = read_result(file).run
    other = [
        f"{key} {there.get(key)!r}, not {value!r}"
        for key, value in signature.to_json().items()
        if there.get(key) != value
    ]
    if other:
        what = f"is the result of another run ({'; '.join(other)})"
        raise fail(f"{what}: move it, or give another --out", file)
    return True


def environment(device: str, dtype: str, seconds: float, sentences: int) -> dict[str, object]:
    """Return what a run ran on; it scored ``sentences`` (two a pair) in ``seconds``."""
    versions: dict[str, str | None] = {}
    for name in ("torch", "transformers", "tokenizers", "numpy", "pyarrow"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return {
        "python": platform.python_version(),
        **versions,
        "solecism": __version__,
        "platform": platform.platform(),
        "device": device,
        "dtype": dtype,
        "seconds": round(seconds, 3),
        "sentences_per_second": round(sentences / seconds, 1) if seconds > 0 else None,
    }


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
    """The counts that accuracy is made of; tallies of parts add up to that of the whole.

    ``counted``: the accuracy is a mean over ``n`` decisions; else there is no interval.
    """

    right: float = 0.0
    n: int = 0
    ties: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    counted: bool = True

    def add(self, other: Tally) -> None:
        """Count another part in."""
        self.right += other.right
        self.n += other.n
        self.ties += other.ties
        self.counted &= other.counted
        for reason, count in other.skipped.items():
            self.skipped[reason] = self.skipped.get(reason, 0) + count

    def to_json(self, skipped: bool = True) -> Summary:
        """Return the counts, and the accuracy (ties count one half, null of nothing) with its 95 %
        interval; ``skipped``: also the reasons for skipping."""
        found = wilson(self.right, self.n)
        return {
            "accuracy": found.value if self.n else None,
            "low": found.low if self.counted else None,
            "high": found.high if self.counted else None,
            "n": self.n,
            "ties": self.ties,
            **({"skipped": dict(sorted(self.skipped.items()))} if skipped else {}),
        }


def group_column(table: pa.Table, by: str) -> pa.ChunkedArray:
    """Return the groups (texts, or null) of a grouping, which is a column or a feature."""
    column = table[COLUMNS[by]] if by in COLUMNS else pc.struct_field(table["features"], by)
    return pc.cast(column, pa.string())


def tally(keys: pa.ChunkedArray, table: pa.Table) -> dict[str, Tally]:
    """Count the rows of a table by ``keys``; rows without a key are left out."""
    reasons = table["skipped"]
    missing = pc.or_(pc.is_null(table["decision"]), pc.is_valid(reasons))
    found = _count(keys, np.where(missing, np.nan, table["decision"].to_numpy()))
    left = zip(keys.filter(missing).to_pylist(), reasons.filter(missing).to_pylist(), strict=True)
    for (key, reason), count in Counter(left).items():
        if key is not None:
            found[key].add(Tally(skipped={reason or "no score": count}))
    return found


def _count(keys: pa.ChunkedArray, decided: NDArray[np.float64]) -> dict[str, Tally]:
    """Count decisions (NaN: none) by key."""
    coded = keys.combine_chunks().dictionary_encode()
    names: list[str] = coded.dictionary.to_pylist()
    groups = np.asarray(coded.indices.fill_null(len(names)))
    known = ~np.isnan(decided)
    right = np.bincount(groups[known], decided[known], len(names)).tolist()
    n = np.bincount(groups[known], minlength=len(names)).tolist()
    ties = np.bincount(groups[decided == 0.5], minlength=len(names)).tolist()
    return {key: Tally(*counts) for key, *counts in zip(names, right, n, ties, strict=False)}


def _overall(table: pa.Table) -> Tally:
    everything = pa.chunked_array([pa.repeat(pa.scalar("all"), len(table))])
    return tally(everything, table).get("all", Tally())


def summarize(table: pa.Table, config: str) -> Summary:
    """Count a table of scores: ``rows``, ``overall``, ``macro`` and ``by``.

    ``macro`` is the plain mean of the accuracies of the UIDs, of the phenomena and of the
    constructions. Where the scores are sums over tokens, ``normalised`` and ``tokens_differ`` are
    there, too.
    """
    features = [f.name for f in table.schema.field("features").type if f.name not in NOT_GROUPED]
    by = {name: tally(group_column(table, name), table) for name in (*COLUMNS, *features)}
    by = {k: groups for k, groups in by.items() if k in COLUMNS or 0 < len(groups) <= MAX_VALUES}
    overall = _overall(table)
    by["config"] = {config: overall}
    accuracies = {
        name: [group.right / group.n for group in by[name].values() if group.n] for name in COLUMNS
    }
    means = {name: sum(some) / len(some) if some else None for name, some in accuracies.items()}
    return {
        "rows": len(table),
        "overall": overall.to_json(),
        "macro": means,
        "by": {
            name: {key: groups[key].to_json() for key in sorted(groups, key=numeric_first)}
            for name, groups in by.items()
        },
        **_normalised(table),
    }


def _normalised(table: pa.Table) -> Summary:
    """Return what normalisers decide, and the sums' decisions by the difference in tokens."""
    by_uid: dict[str, dict[str, Tally]] = {}
    overall: dict[str, Tally] = {}
    for name, normaliser in NORMALISERS.items():
        if name == "sum" or missing(table, normaliser):
            continue
        found = _count(table["UID"], right_or_tie(margins(table, normaliser)))
        for uid, part in found.items():
            if part.n:
                by_uid.setdefault(uid, {})[name] = part
                overall.setdefault(name, Tally()).add(part)
    if not by_uid:
        return {}
    classes = pa.chunked_array([pa.array(DIFFERENCES).take(pa.array(token_differences(table)))])
    parts = _count(classes, table["decision"].to_numpy())
    n = sum(part.n for part in parts.values())
    same = parts.get("0", Tally()).n

    def plain(groups: Mapping[str, Tally]) -> Summary:
        return {key: group.to_json(skipped=False) for key, group in groups.items()}

    return {
        "normalised": {
            "overall": plain(overall),
            "UID": {uid: plain(by_uid[uid]) for uid in sorted(by_uid)},
        },
        "tokens_differ": {
            "share": (n - same) / n if n else None,
            "by": plain({k: parts[k] for k in DIFFERENCES if k in parts and parts[k].n}),
        },
    }


def numeric_first(key: str) -> tuple[int, float, str]:
    """Return a key for sorting: numbers by size, then texts."""
    return (0, float(key), key) if key.isdecimal() else (1, 0.0, key)


def summarize_file(
    path: str | Path, signature: Signature, environment: Mapping[str, object] | None = None
) -> Summary:
    """Return the whole summary of the table ``<stem>.parquet``.

    Of suites, whose ids are of items and predictions, it counts items, too.
    """
    file = result_files(path)[1]
    wanted = [*COLUMNS.values(), "set_id", "features", "method", *INPUTS, "decision", "skipped"]
    table = pq.read_table(file, columns=wanted)
    whole = {"items": _items_right(table).to_json()} if signature.method == "region" else {}
    return {
        "format": FORMAT,
        "signature": str(signature),
        "run": signature.to_json(),
        **summarize(table, signature.config),
        "environment": dict(environment or {}),
        **whole,
    }


def _items_right(table: pa.Table) -> Tally:
    """Count the items of a result of suites, right where all their predictions hold.

    An item with a prediction that was skipped is skipped.
    """
    worst = pc.ScalarAggregateOptions(skip_nulls=False)
    columns = [("decision", "min", worst), ("skipped", "last")]
    items = table.group_by("set_id", use_threads=False).aggregate(columns)
    return _overall(items.rename_columns(["set_id", "decision", "skipped"]))


def with_current_names(result: Result) -> Result:
    """Return a result with the names that its paradigms and phenomena have now.

    Its figures are counted anew where a name is an older one; nothing is written.
    """
    terms = {name: phenomenon_named(name) for name in result.summary["by"]["phenomenon"]}
    names = {
        "UID": renamed(result.run["data"].rpartition("/")[2]),
        "linguistics_term": {old: it.name for old, it in terms.items() if it and it.name != old},
    }
    if not names["linguistics_term"] and not names["UID"].keys() & result.summary["by"]["UID"]:
        return result
    table = result.table
    for column, new in names.items():
        values = [new.get(value, value) for value in table[column].to_pylist()]
        place = table.column_names.index(column)
        table = table.set_column(place, column, pa.array(values, pa.string()))
    counted = summarize(table, result.run["config"])
    summary = {key: counted.get(key, told) for key, told in result.summary.items()}
    return Result(result.path, summary, table)


def renormalise(result: Result, name: str) -> Result:
    """Return a result as a normaliser would have decided it; nothing is written.

    Its signature names the normaliser, its figures are counted anew. Margins are in natural
    logarithms on the scale of the good side's sum. Raises :class:`InputError` for an unknown name,
    and for a result that has not what the normaliser needs.
    """
    normaliser = find_normaliser(name)
    if name == "sum":
        return result
    table = result.table
    if lacks := missing(table, normaliser):
        raise fail(f"{lacks}, which {name!r} needs", result.path)
    margin = margins(table, normaliser)
    for key, column in (("decision", right_or_tie(margin)), ("margin", margin)):
        values = pa.array(column, from_pandas=True)
        table = table.set_column(table.column_names.index(key), key, values)
    parts = result.run | {"options": {**result.run["options"], "normaliser": name}}
    signature = Signature(**parts)
    head = {"signature": str(signature), "run": signature.to_json()}
    summary = {**result.summary, **head, **summarize(table, signature.config)}
    return Result(result.path, summary, table)
