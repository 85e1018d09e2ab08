"""Turn results into data frames with a row for each item or for each paradigm."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from solecism.errors import candidates, fail
from solecism.inputs import read_json_lines, read_text
from solecism.reports.charts import checkpoint_of
from solecism.reports.figures import seedless
from solecism.reports.report import by_numbers
from solecism.scoring.options import step_of
from solecism.scoring.results import Result, feature
from solecism.scoring.summary import wilson

_COLUMNS = (
    "id", "set_id", "UID", "linguistics_term", "construction", "language", "decision", "margin",
    "logp_good",
)  # fmt: skip


def items_of(results: Iterable[Result], features: Sequence[str] = ()) -> pd.DataFrame:
    """Return a row for each item of the results that has a score, sorted by model.

    The columns are those of a result (``linguistics_term`` is called ``phenomenon``), the
    ``features`` that are asked for (empty where a data set lacks them), ``data``, ``config``,
    ``method``, ``run`` (the name of the model), ``checkpoint`` (as ``step1000``, mostly empty) and
    ``model`` (``run`` without its seed, and the checkpoint). Raises :class:`InputError` if there
    are no results.
    """

    frames: list[pd.DataFrame] = []
    # by the numbers in names: lstm-8M before lstm-64M
    in_order = sorted(results, key=lambda r: by_numbers(f"{r.run['model']}@{checkpoint_of(r)}"))
    for result in in_order:
        run, checkpoint = result.run, checkpoint_of(result)
        table = result.read([*_COLUMNS, "features"])
        table = table.filter(pc.is_valid(table["decision"]))
        columns = {name: table[name] for name in _COLUMNS}
        columns |= {name: feature(table["features"], name) for name in features}
        model = "@".join(filter(None, [seedless(run["model"]), checkpoint]))
        names = {name: run[name] for name in ("data", "config", "method")}
        names |= {"run": run["model"], "checkpoint": checkpoint, "model": model}
        frames.append(pa.table(columns).to_pandas().assign(**names))
    if not frames:
        raise fail("name at least one result")
    return pd.concat(frames, ignore_index=True).rename(columns={"linguistics_term": "phenomenon"})


def accuracies(items: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return the accuracy of each model by ``keys``, with Wilson's interval and the item count."""
    counts = items.groupby(["model", *keys])["decision"].agg(["sum", "size"])
    found = [vars(wilson(float(right), int(n))) for right, n in counts.itertuples(index=False)]
    table = pd.DataFrame(found, counts.index, columns=["value", "low", "high"])
    return table.assign(n=counts["size"]).rename(columns={"value": "accuracy"}).reset_index()


def by_paradigm(items: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracy of each model on each paradigm, the mean over its seeds and configs."""
    keys = ["model", "UID", "phenomenon"]
    each = items.groupby([*keys, "run", "config"], sort=False, dropna=False)["decision"].mean()
    return each.groupby(level=keys, sort=False, dropna=False).mean().reset_index(name="accuracy")


def read_accuracies(path: Path, name: str = "") -> pd.DataFrame:
    """Read a table of accuracies that others have published, as JSON lines or CSV.

    It has a column ``UID`` (or ``Condition``), perhaps ``linguistics_term``, and a column of
    numbers for each model. If ``name`` is given, only this model is read; its column may also be
    called ``accuracy`` or ``total_mean``. Return a row for each model and paradigm, with the
    columns ``model``, ``UID``, ``phenomenon`` and ``accuracy``. Raises :class:`InputError` for
    other tables.
    """
    frame = read_frame(path).rename(columns={"Condition": "UID", "linguistics_term": "phenomenon"})
    require_columns(frame, ["UID"], path)
    if repeated := sorted(map(str, frame.columns[frame.columns.duplicated()])):
        raise fail(f"column {repeated[0]!r} stands twice", path)
    if name:
        frame = frame.rename(columns={"accuracy": name, "total_mean": name})
    keys = ["UID", "phenomenon"]
    models = [c for c in frame.select_dtypes("float") if c not in keys and name in ("", c)]
    if not models:
        raise fail("has no column of accuracies", path)
    terms = pd.Series(frame.get("phenomenon"), frame.index, object)
    known = frame.assign(UID=frame["UID"].astype(str), phenomenon=terms)
    long = known.melt(keys, models, "model", "share").rename(columns={"share": "accuracy"})
    long = long.dropna(subset=["accuracy"])
    if not long["accuracy"].between(0, 1).all():
        raise fail("has an accuracy that is no number from 0 to 1", path)
    return long[long["UID"] != "overall"]


def read_frame(path: Path) -> pd.DataFrame:
    """Return a table in JSON lines or CSV; raises :class:`InputError` for other files."""
    if path.suffix in (".jsonl", ".json"):
        return pd.DataFrame(read_json_lines(path, dict, "table of accuracies"))
    try:
        return pd.read_csv(io.StringIO(read_text(path, "utf-8-sig")), sep=None, engine="python")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error, ValueError) as error:
        raise fail(f"is no CSV: {error}", path) from None


def require_columns(frame: pd.DataFrame, names: Sequence[str], path: Path) -> None:
    """Raise :class:`InputError` if a table lacks one of the columns ``names``."""
    for name in names:
        if name not in frame:
            near = candidates("columns", [str(c) for c in frame], name)
            raise fail(f"has no column {name!r} {near}", path)


_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:[._]\d+)?)([KMBkmb])(?![A-Za-z0-9])")
_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9}


def model_size(name: str, checkpoint: str = "") -> float | None:
    """Return the step of a checkpoint, or the size in the name of a model; None without either.

    >>> model_size("lstm-8M/seed-1"), model_size("pythia", "step1000"), model_size("gpt2")
    (8000000.0, 1000.0, None)
    """
    if (step := step_of(checkpoint)) is not None:
        return step
    found = _SIZE.search(name)
    return float(found[1].replace("_", ".")) * _UNITS[found[2].upper()] if found else None


def without_size(name: str) -> str:
    """Return the name of a model without its size.

    >>> without_size("lstm-8M"), without_size("gpt2")
    ('lstm', 'gpt2')
    """
    return _SIZE.sub("", name).strip("-_ ") or name
