"""Results: a table with every item's scores, and its summary (``docs/results-format.md``)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.errors import InputError, candidates, fail
from solecism.items import FEATURES, pair_schema
from solecism.score.writing import ResultWriter, result_files

__all__ = [
    "FORMAT", "SCORES", "Result", "ResultWriter", "feature", "read_result", "result_files", "score_schema",
    "scores_table", "write_summary",
]  # fmt: skip

FORMAT = "solecism result 1"
"""What the key ``format`` of a summary says."""

TIE = 1e-9
"""Log probabilities (natural, float64) closer than this are equal: sums in another order differ by less."""

_TEXTS = ("id", "set_id", "UID", "linguistics_term", "construction", "language")


def score_schema(features: pa.DataType) -> pa.Schema:
    """Schema of a result's table for a data set whose ``features`` have this type."""
    floats, ints = pa.float64(), pa.int32()
    return pa.schema(
        [
            *((name, pa.string()) for name in _TEXTS),
            ("features", features),
            ("method", pa.string()),
            *((name, floats) for name in ("logp_good", "logp_bad")),
            *((n, ints) for n in ("tokens_good", "tokens_bad", "bytes_good", "bytes_bad")),
            *((name, floats) for name in ("decision", "margin")),
            ("skipped", pa.string()),
        ]
    )


SCORES = score_schema(pair_schema().field("features").type)
"""What every result's table has, a row a pair; ``features`` are those of the data set.

``logp_*``: natural logarithms, null when skipped; ``tokens_*``, ``bytes_*``: tokens summed over and UTF-8
length of the scored text; ``decision``: 1 right, 0 wrong, 0.5 tie, null when skipped; ``margin``:
``logp_good - logp_bad``; ``skipped``: why there is no score, else null."""

Numbers = np.ndarray[Any, Any]


def scores_table(
    pairs: pa.Table,
    method: str,
    logp_good: Numbers,
    logp_bad: Numbers,
    tokens_good: Numbers,
    tokens_bad: Numbers,
    bytes_good: Numbers,
    bytes_bad: Numbers,
    skipped: Sequence[str | None],
) -> pa.Table:
    """Make the rows of a result from ``pairs`` (of which it takes the texts and, if any, the features).

    Log probabilities are natural logarithms; where ``skipped`` holds a reason they are not looked at. Both
    sides minus infinity is a tie. Raises :class:`InputError` for a score that is not a number and not
    skipped, ``ValueError`` for arrays of another length than ``pairs``.
    """
    out = np.array([reason is not None for reason in skipped], bool)
    good, bad = np.asarray(logp_good, np.float64), np.asarray(logp_bad, np.float64)
    _refuse_nan(pairs, np.isnan(good) | np.isnan(bad), out)
    with np.errstate(invalid="ignore"):
        margin = np.where(good == bad, 0.0, good - bad)
    decision = np.where(np.abs(margin) <= TIE, 0.5, np.where(margin > 0, 1.0, 0.0))
    floats = {"logp_good": good, "logp_bad": bad, "decision": decision, "margin": margin}
    ints = {
        "tokens_good": tokens_good, "tokens_bad": tokens_bad,
        "bytes_good": bytes_good, "bytes_bad": bytes_bad,
    }  # fmt: skip
    columns = {name: pairs[name] for name in _TEXTS if name != "construction"}
    columns["features"] = features = _features(pairs)
    columns["construction"] = feature(features, "construction")
    columns["method"] = pa.repeat(pa.scalar(method), len(pairs))
    columns |= {n: pa.array(values, pa.float64(), mask=out) for n, values in floats.items()}
    columns |= {n: pa.array(np.asarray(values, np.int32)) for n, values in ints.items()}
    columns["skipped"] = pa.array(skipped, pa.string())
    schema = score_schema(features.type)
    return pa.table({name: columns[name] for name in schema.names}, schema=schema)


def _features(pairs: pa.Table) -> pa.ChunkedArray:
    """The features; all null for a data set that has none."""
    if "features" in pairs.column_names:
        return pairs["features"]
    kind = SCORES.field("features").type
    return pa.chunked_array([pa.array([{}] * len(pairs), kind)], kind)


def feature(features: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """One of the features, all null where the data set does not have it."""
    if any(field.name == name for field in features.type):
        return pc.struct_field(features, name)
    kind = FEATURES.get(name, pa.string())
    return pa.chunked_array([pa.nulls(len(features), kind)], kind)


def _refuse_nan(pairs: pa.Table, nan: Numbers, skipped: Numbers) -> None:
    """A score that is not a number would silently count as wrong: say which item has it."""
    found = np.flatnonzero(nan & ~skipped)
    if len(found):
        ids = pairs["id"].take(pa.array(found[:3])).to_pylist()
        shown = ", ".join(map(repr, ids)) + (", ..." if len(found) > 3 else "")
        raise fail(f"the model's score of {len(found)} items is not a number (NaN): {shown}")


@dataclass(frozen=True)
class Result:
    """A result on disk: ``summary`` is its JSON, ``table`` its rows (read when first asked for)."""

    path: Path
    summary: dict[str, Any]

    @property
    def signature(self) -> str:
        """All that the figures depend on, in one line."""
        return str(self.summary["signature"])

    @property
    def run(self) -> dict[str, Any]:
        """The signature's parts: ``data``, ``config``, ``method``, ``model``, ... (all texts)."""
        return dict(self.summary["run"])

    @cached_property
    def table(self) -> pa.Table:
        """All rows, in the order of the data set; columns as in ``SCORES``."""
        return pq.read_table(result_files(self.path)[1])

    def read(self, names: Sequence[str]) -> pa.Table:
        """Read some columns only."""
        return pq.read_table(result_files(self.path)[1], columns=list(dict.fromkeys(names)))


def read_result(path: str | Path) -> Result:
    """Open a result by the name of its JSON or Parquet file, or by what both names begin with.

    Raises :class:`InputError` where a file is missing, is no result, lacks columns, or where the two files
    are not of the same run.
    """
    summary_file, table_file = result_files(path)
    for file in (summary_file, table_file):
        if not file.is_file():
            raise fail(f"there is no such file{_near(file)}", file)
    summary = _read_summary(summary_file)
    rows = _check_table(table_file)
    if rows != summary["rows"]:
        message = (
            f"has {rows} rows, {summary_file.name} speaks of {summary['rows']}: not of one run"
        )
        raise fail(message, table_file)
    return Result(summary_file, summary)


def _near(file: Path) -> str:
    if not file.parent.is_dir():
        return ""
    names = sorted(p.name for p in file.parent.glob("*.json"))
    return f" {candidates('files', names, file.name)}" if names else ""


def _read_summary(file: Path) -> dict[str, Any]:
    try:
        summary = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise fail(f"is no JSON: {error}", file) from None
    if not isinstance(summary, dict) or summary.get("format") != FORMAT:
        found = summary.get("format") if isinstance(summary, dict) else None
        raise fail(f"is no result of solecism score (format: {found!r}, wanted {FORMAT!r})", file)
    missing = [k for k in ("signature", "run", "rows", "overall", "by") if k not in summary]
    if missing:
        raise fail(f"lacks {', '.join(missing)}", file)
    return summary


def _check_table(file: Path) -> int:
    """Number of rows; raises where columns are missing or of another type."""
    try:
        metadata = pq.read_metadata(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise fail(f"is no Parquet file: {error}", file) from None
    schema = metadata.schema.to_arrow_schema()
    wrong = [_wrong_column(field, schema) for field in SCORES]
    if any(wrong):
        raise InputError([fail(text, file).problems[0] for text in wrong if text])
    return int(metadata.num_rows)


def _wrong_column(field: pa.Field, schema: pa.Schema) -> str:
    if field.name not in schema.names:
        return (
            f"there is no column {field.name!r} {candidates('columns', schema.names, field.name)}"
        )
    if schema.names.count(field.name) > 1:
        return f"there is more than one column {field.name!r}"
    found = schema.field(field.name).type
    if field.name != "features" and found != field.type:
        return f"column {field.name!r} is {found}, wanted {field.type}"
    return ""


def write_summary(path: str | Path, summary: dict[str, Any]) -> Path:
    """Write the JSON of a result in one step (never half-written); return its path."""
    file = result_files(path)[0]
    fresh = file.with_name(f".{file.name}.new-{os.getpid()}")
    text = json.dumps(summary, ensure_ascii=False, indent=2) + "\n"
    fresh.write_text(text, encoding="utf-8", newline="\n")
    fresh.replace(file)
    return file
