"""Results as data frames: a row an item, or a row a paradigm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import candidates, fail
from solecism.inputs import read_json_lines, read_text
from solecism.reports.charts import checkpoint_of
from solecism.reports.figures import seedless
from solecism.scoring.options import step_of
from solecism.scoring.results import Result
from solecism.scoring.summary import wilson

CHANCE = 0.5

_COLUMNS = (
    "id", "set_id", "UID", "linguistics_term", "construction", "language", "decision", "margin",
    "logp_good",
)  # fmt: skip


def items_of(results: Iterable[Result], features: Sequence[str] = ()) -> pd.DataFrame:
    """Return a row for each item that was scored, skipped ones left out, models in order.

    Columns: those of a result, ``phenomenon``, the ``features`` that are asked for (empty where a
    data set lacks them), and ``data``, ``config``, ``method``, ``run`` (the name of the model),
    ``checkpoint`` (``step1000``, mostly empty) and ``model`` (both, without the seed).
    """
    ordered = sorted(results, key=lambda r: _in_order(f"{r.run['model']}@{checkpoint_of(r)}"))
    frames = [_frame(result, features) for result in ordered]
    if not frames:
        raise fail("name at least one result")
    return pd.concat(frames, ignore_index=True)


def _in_order(name: str) -> list[tuple[str, int]]:
    """Return a key that puts numbers in a name in order: ``lstm-8M`` before ``lstm-64M``."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def _frame(result: Result, features: Sequence[str]) -> pd.DataFrame:
    table = result.read([*_COLUMNS, "features"])
    table = table.filter(pc.is_valid(table["decision"]))
    kind = table["features"].type
    known = {name: i for i in range(kind.num_fields) if (name := kind.field(i).name) in features}
    columns = {name: table[name] for name in _COLUMNS if name in table.column_names}
    for name in features:
        columns[name] = (
            pc.struct_field(table["features"], name) if name in known else pa.nulls(len(table))
        )
    frame: pd.DataFrame = pa.table(columns).to_pandas()
    run = result.run
    frame["phenomenon"] = frame.pop("linguistics_term")
    for name in ("data", "config", "method"):
        frame[name] = run[name]
    frame["run"], frame["checkpoint"] = run["model"], checkpoint_of(result)
    frame["model"] = "@".join(filter(None, [seedless(run["model"]), checkpoint_of(result)]))
    return frame


def accuracy_rows(items: pd.DataFrame, keys: Sequence[str]) -> Iterator[dict[str, object]]:
    """Yield the accuracy of each model by ``keys``, with its Wilson interval and the items."""
    for names, some in items.groupby(["model", *keys], sort=True):
        found = wilson(float(some["decision"].sum()), len(some))
        yield {
            **dict(zip(["model", *keys], names, strict=True)), "accuracy": found.value,
            "low": found.low, "high": found.high, "n": len(some),
        }  # fmt: skip


def points_of(table: pd.DataFrame, across: str) -> dict[str, list[tuple[float, float]]]:
    """Return the points of a curve of each model: a number and the accuracy there."""
    return {
        str(model): list(zip(some[across], some["accuracy"], strict=True))
        for model, some in table.groupby("model", sort=False)
    }


def by_paradigm(items: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracy of each model on each paradigm: the mean of its seeds."""
    keys = ["model", "run", "config", "UID", "phenomenon"]
    each = items.groupby(keys, sort=False, dropna=False)["decision"].mean().reset_index()
    means = each.groupby(["model", "UID", "phenomenon"], sort=False, dropna=False)[
        "decision"
    ].mean()
    return means.rename("accuracy").reset_index()


def read_accuracies(path: Path, name: str = "") -> pd.DataFrame:
    """Return the accuracies in a table of others: ``model``, ``UID``, ``phenomenon``, ``accuracy``.

    JSON lines or CSV with a column ``UID`` (or ``Condition``), perhaps ``linguistics_term``, and a
    column of numbers for each model; ``name``: the model, where the column is called ``accuracy``
    or ``total_mean``. Raises :class:`InputError` where there is no such column.
    """
    frame = _read(path)
    frame = frame.rename(columns={"Condition": "UID", "linguistics_term": "phenomenon"})
    require_columns(frame, ["UID"], path)
    if repeated := sorted({str(c) for c in frame.columns[frame.columns.duplicated()]}):
        raise fail(f"column {repeated[0]!r} stands twice", path)
    frame = frame.rename(columns={c: name for c in ("accuracy", "total_mean") if name})
    models = [c for c in frame if pd.api.types.is_float_dtype(frame[c]) and c != "phenomenon"]
    models = [c for c in models if c == name] if name else models
    if not models:
        raise fail("has no column of accuracies", path)
    terms = frame["phenomenon"] if "phenomenon" in frame else pd.Series([None] * len(frame))
    known = {"UID": frame["UID"].astype(str), "phenomenon": terms.astype(object)}
    parts = [pd.DataFrame({"model": str(m), **known, "accuracy": frame[m]}) for m in models]
    long = pd.concat(parts, ignore_index=True).dropna(subset=["accuracy"])
    if not long["accuracy"].between(0, 1).all():
        raise fail("has an accuracy that is no number from 0 to 1", path)
    return long[long["UID"] != "overall"]


def _read(path: Path) -> pd.DataFrame:
    if path.suffix in (".jsonl", ".json"):
        return pd.DataFrame(read_json_lines(path, dict, "table of accuracies"))
    import csv
    import io

    try:
        return pd.read_csv(io.StringIO(read_text(path, "utf-8-sig")), sep=None, engine="python")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error, ValueError) as error:
        raise fail(f"is no CSV: {error}", path) from None


def require_columns(frame: pd.DataFrame, names: Sequence[str], path: Path) -> None:
    """Raise :class:`InputError` for a column that a table does not have."""
    for name in names:
        if name not in frame:
            near = candidates("columns", [str(c) for c in frame], name)
            raise fail(f"has no column {name!r} {near}", path)


_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:[._]\d+)?)([KMBkmb])(?![A-Za-z0-9])")
_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9}


def model_size(name: str, checkpoint: str = "") -> float | None:
    """Return the number that a model is named after: that of a checkpoint, or a size.

    >>> model_size("lstm-8M/seed-1"), model_size("pythia", "step1000"), model_size("gpt2")
    (8000000.0, 1000.0, None)
    """
    if (step := step_of(checkpoint)) is not None:
        return step
    found = _SIZE.search(name)
    if not found:
        return None
    return float(found[1].replace("_", ".")) * _UNITS[found[2].upper()]


def without_size(name: str) -> str:
    """Return the name of a model without its size.

    >>> without_size("lstm-8M"), without_size("gpt2")
    ('lstm', 'gpt2')
    """
    return _SIZE.sub("", name).strip("-_ ") or name
