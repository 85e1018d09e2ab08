"""The accuracy of people, shown beside the figures of models as the best to expect.

Judgments of a config are a table with a row for each paradigm: ``UID``, ``accuracy`` (0 to 1), and
``n`` (the number of judgments) if it is known; or a row for each pair, with an ``id``, too. They
are in the config ``<config>-judgments`` of the data set (`solecism judge accept`), or in a file
of their own (CSV or Parquet), which may have a column ``config``.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import InputError, candidates, fail
from solecism.inputs import read_text, reading_parquet
from solecism.phenomena import renamed
from solecism.reports.figures import ALL, FigureCell, FigureColumn, with_totals
from solecism.scoring.items import folder_of_data, listed_items
from solecism.scoring.results import Result
from solecism.scoring.summary import COLUMNS, wilson

if TYPE_CHECKING:
    import pandas as pd

PEOPLE = "people"
"""The name of the column."""

LEAST_RATED = 5
"""The fewest pairs for which a correlation of margins with ratings is shown."""


Judgments = dict[str, tuple[float, int]]
"""The share of judgments for the good sentence, and their number (0: unknown), by paradigm."""


def people_cell(judgments: Judgments, uids: Iterable[str]) -> FigureCell | None:
    """Return the accuracy of people on paradigms, each judgment (or paradigm) counted once."""
    some = [judgments[uid] for uid in uids if uid in judgments]
    if not some:
        return None
    value, n = _pooled(some)
    found = wilson(value * n, n)
    low, high = (found.low, found.high) if n else (None, None)
    return FigureCell(value, low, high, n or len(some))


Judged = Mapping[tuple[str, str], Judgments]
"""Judgments, by data set and config."""


def read_judgments(path: Path) -> dict[str, Judgments]:
    """Return the judgments of a file by config; the key is "" if the file names no configs.

    In a file with a row for each pair, which has an ``id``, each judgment counts once. Raises
    :class:`InputError` for a file that is neither CSV nor Parquet, has other columns, or has an
    accuracy that is not a number from 0 to 1.
    """
    import pandas as pd

    frame = _frame_of(path)
    names = list(map(str, frame.columns))
    if missing := [name for name in ("UID", "accuracy") if name not in names]:
        near = candidates("columns", names, missing[0])
        raise fail(f"the judgments have no column {', '.join(map(repr, missing))} {near}", path)
    if not len(frame):
        raise fail("holds no judgments", path)
    config = frame["config"] if "config" in names else pd.Series("", frame.index)
    n = frame["n"].replace("", 0) if "n" in names else pd.Series(0, frame.index)
    known = pd.DataFrame({
        "config": config.where(config.notna(), ""), "UID": frame["UID"],
        "accuracy": pd.to_numeric(frame["accuracy"], errors="coerce"),
        "n": pd.to_numeric(n.fillna(0), errors="coerce"),
    })  # fmt: skip
    for name, fits, what in (
        ("UID", known["UID"].map(lambda uid: isinstance(uid, str)), "a text"),
        ("config", known["config"].map(lambda config: isinstance(config, str)), "a text"),
        ("accuracy", known["accuracy"].between(0, 1), "a number from 0 to 1"),
        ("n", known["n"].between(0, 10**12) & (known["n"] % 1 == 0), "a count"),
    ):
        if not fits.all():
            row = int((~fits).argmax())
            value = frame[name][row]
            said = "empty" if value is None or value is pd.NA or value != value else repr(value)
            raise fail(f"{name} is {said}, wanted {what}", path, row + 2)
    if (
        "id" in names
        and (repeated := frame.assign(config=known["config"]).duplicated(["config", "id"])).any()
    ):
        row = int(repeated.argmax())
        raise fail(f"{frame['id'][row]!r} is the id of two pairs", path, row + 2)
    made: dict[str, Judgments] = {}
    for (group, uid), some in known.groupby(["config", "UID"], sort=False):
        if len(some) > 1 and "id" not in names:
            raise fail(f"paradigm {uid!r} is there twice", path, int(some.index[1]) + 2)
        figures = zip(some["accuracy"].tolist(), some["n"].astype(int).tolist(), strict=True)
        made.setdefault(str(group), {})[str(uid)] = _pooled(list(figures))
    return made


def _frame_of(path: Path) -> pd.DataFrame:
    import pandas as pd

    if path.suffix == ".parquet":
        with reading_parquet(path):
            frame: pd.DataFrame = pq.read_table(path).to_pandas()
        return frame
    text = read_text(path, "utf-8-sig")
    try:
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, index_col=False)
    except pd.errors.ParserWarning:
        raise fail("is not CSV: its rows have more cells than heads", path) from None
    except ValueError as error:
        raise fail(f"is not CSV: {error}", path) from None


def _pooled(figures: Sequence[tuple[float, int]]) -> tuple[float, int]:
    """Return the mean of accuracies, weighted by their numbers of judgments, and the total number.

    If a number is not known (0), each accuracy counts once, and the total is 0.
    """
    known = all(n for _, n in figures)
    weights = [n if known else 1 for _, n in figures]
    right = sum(w * accuracy for w, (accuracy, _) in zip(weights, figures, strict=True))
    return right / sum(weights), sum(weights) if known else 0


def find_judgments(results: Sequence[Result], path: Path | None = None) -> Judged:
    """Return the judgments of the configs of results, by data set and config.

    They come from the file, or else from the data sets that are here. Raises
    :class:`InputError` for a file that is broken or about other configs.
    """
    found: dict[tuple[str, str], Judgments] = {}
    read = None if path is None else read_judgments(path)
    for data, config in dict.fromkeys((r.run["data"], r.run["config"]) for r in results):
        if read is None:
            files = _files_beside(data, config)
            some = [judged for file in files for judged in read_judgments(file).values()]
        else:
            some = [read[name] for name in (config, "") if name in read][:1]
        for judged in some:
            new = renamed(data.rpartition("/")[2])
            named = {new.get(uid, uid): value for uid, value in judged.items()}
            found.setdefault((data, config), {}).update(named)
    if path is None:
        return found
    known = {uid for result in results for uid in result.summary["by"]["UID"]}
    fitting = {key: some for key, some in found.items() if known & some.keys()}
    if not fitting:
        near = candidates("paradigms", sorted(known))
        raise fail(f"the judgments are of none of the paradigms of these results {near}", path)
    return fitting


def _files_beside(data: str, config: str) -> tuple[Path, ...]:
    """Return the files with the judgments of a config, () if the data set is not here."""
    if folder_of_data(data) is None:
        return ()
    try:
        return listed_items(f"{data}/{config}-judgments").files
    except InputError:
        return ()


def ratings_of_pairs(data: str, config: str) -> dict[str, float]:
    """Return a number for each pair of a config, by id: the gap of its ratings, or its accuracy.

    The result is empty if the data set is not here or has no judgments of pairs.
    """
    found: dict[str, float] = {}
    for path in _files_beside(data, config):
        frame = _frame_of(path)
        if {"id", "accuracy"} <= set(frame):
            figures = frame.set_index("id").reindex(columns=["gap", "accuracy"]).astype(float)
            known = figures.bfill(axis=1)["gap"].dropna()
            found |= {str(name): value for name, value in known.items()}
    return found


@dataclass(frozen=True)
class MarginCorrelation:
    """Spearman's correlation of a model's margins with people's ratings of ``n`` pairs.

    The rating of a pair is the gap of its two ratings, in a forced choice its accuracy.
    """

    model: str
    config: str
    value: float
    n: int

    def __str__(self) -> str:
        figure = f"Spearman {self.value:.2f} ({self.n:,} pairs)"
        return f"margins of {self.model} and people on {self.config}: {figure}"


def margin_correlations(results: Iterable[Result]) -> Iterator[MarginCorrelation]:
    """Yield the correlation of each result whose data set has judgments of pairs beside it."""
    for result in results:
        run = result.run
        ratings = ratings_of_pairs(run["data"], run["config"])
        rows = result.read(["id", "margin"]).to_pylist() if ratings else []
        known = [r for r in rows if r["margin"] is not None and r["id"] in ratings]
        if len(known) >= LEAST_RATED:
            from scipy.stats import spearmanr

            value = spearmanr([r["margin"] for r in known], [ratings[r["id"]] for r in known])
            name = f"{run['data']}/{run['config']}"
            yield MarginCorrelation(run["model"], name, float(value.statistic), len(known))


def people_columns(results: Sequence[Result], judgments: Judged, by: str) -> list[FigureColumn]:
    """Return a column of what people decide for each config, by config one for all of them.

    By anything but ``UID``, ``phenomenon``, ``construction`` and ``config`` there is none.
    """
    made: dict[tuple[str, str], dict[str, FigureCell]] = {}
    for key, judged in judgments.items():
        first = next((r for r in results if (r.run["data"], r.run["config"]) == key), None)
        if first is not None and (by == "config" or by in COLUMNS):
            cells = _cells(first, judged, by)
            made |= {key: cells} if cells else {}
    if by == "config":
        totals = {config: cells[ALL] for (_, config), cells in made.items()}
        return [FigureColumn(PEOPLE, {"model": PEOPLE}, totals, ())] if totals else []
    return [
        FigureColumn(PEOPLE, {"model": PEOPLE, "data": data, "config": config}, cells, ())
        for (data, config), cells in made.items()
    ]


def _cells(result: Result, judged: Judgments, by: str) -> dict[str, FigureCell]:
    """Return what people decide on each group of paradigms of a result's config, and on all."""
    total = people_cell(judged, result.summary["by"]["UID"])
    if total is None or by == "config":
        return {} if total is None else {ALL: total}
    some = result.read(["UID", COLUMNS[by]])
    pairs = pa.table({"uid": some["UID"], "group": some[COLUMNS[by]]}).drop_null()
    groups: dict[str, list[str]] = {}
    for row in pairs.group_by(["group", "uid"], use_threads=False).aggregate([]).to_pylist():
        groups.setdefault(row["group"], []).append(row["uid"])
    cells = {name: people_cell(judged, members) for name, members in groups.items()}
    return with_totals({name: cell for name, cell in cells.items() if cell}, total)
