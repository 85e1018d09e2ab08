"""The figures of a report, in any format: columns of accuracies, and curves."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import fail, unknown_error
from solecism.inputs import reading_parquet
from solecism.phenomena import is_judged, phenomena
from solecism.scoring.results import Result, feature
from solecism.scoring.summary import COLUMNS, Tally, group_column, short_revision, tally, wilson

ALL, MEAN = "all pairs", "mean of rows"
"""The names of a table's last rows: means in which each pair counts once, or each row."""

_SEED = re.compile(r"[-_./]*seed[-_]?\d+", re.IGNORECASE)
_DATA = ("data", "config", "language")


@dataclass(frozen=True)
class FigureCell:
    """An accuracy (0 to 1) with its 95 % Wilson interval, or the mean of ``seeds`` results.

    A mean has the standard ``deviation`` of the seeds in place of an interval. ``n``: the pairs
    that were scored (of all seeds), ``ties`` among them. ``correlation``: of log P of the two sides
    (:func:`paradigm_correlations`), the mean over paradigms; None if there is none.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    ties: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    deviation: float | None = None
    seeds: int = 1
    correlation: float | None = None

    @classmethod
    def of(cls, part: Tally, correlations: Sequence[float] = ()) -> FigureCell:
        """Return the accuracy of a tally with its interval, and the mean of ``correlations``."""
        at = wilson(part.right, part.n)
        mean = float(np.mean(correlations)) if correlations else None
        low, high = (at.low, at.high) if part.counted else (None, None)
        return cls(at.value, low, high, part.n, part.ties, part.skipped, correlation=mean)

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval, or the mean less and plus the deviation; None if there is neither."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        half = self.deviation
        return None if half is None else (self.value - half, self.value + half)

    @property
    def spread(self) -> str:
        """The interval in per cent, as ``92.7–93.5``, or the deviation over seeds, as ``±1.2``."""
        if self.low is not None and self.high is not None:
            return f"{100 * self.low:.1f}–{100 * self.high:.1f}"
        return "" if self.deviation is None else f"±{100 * self.deviation:.1f}"


@dataclass(frozen=True)
class FigureColumn:
    """The figures of a model (on a config): ``cells`` by row; ``fields`` identify the result."""

    label: str
    fields: Mapping[str, str]
    cells: Mapping[str, FigureCell]
    results: tuple[Result, ...]


ColumnBlock = tuple[str, list[FigureColumn]]
"""A title (empty if there is only one block), and the columns that are shown together under it."""


def identity(result: Result) -> dict[str, str]:
    """Return the fields that identify a result, such as model, options and config."""
    run = result.run
    data = f"{run['data']}@{run['version']}" + (f"#{run['digest'][:8]}" if run["digest"] else "")
    return {
        "model": run["model"],
        "revision": short_revision(run["revision"]),
        "method": run["method"],
        **{k: f"{k}:{v}" for k, v in run["options"].items()},
        "dtype": run["dtype"],
        "solecism": run["solecism"],
        "data": data,
        "config": run["config"],
    }


System = tuple[str, list[Result]]
Key = tuple[tuple[str, str], ...]


def labels(fields: Sequence[Mapping[str, str]], with_model: bool = False) -> list[str]:
    """Return short names of columns: the model, and what differs between columns of one model.

    A single model is not named, unless ``with_model`` or of several checkpoints, which stand in
    place of their hashes. Paths and hub names are shortened to as many of their last parts as keep
    models apart.
    """
    models = list(dict.fromkeys(found.get("model", "") for found in fields))
    ends = (["/".join(m.rstrip("/").split("/")[-n:]) for m in models] for n in range(1, 10))
    names = next((some for some in ends if len(set(some)) == len(models)), models)
    short = dict(zip(models, names, strict=True))
    keys = dict.fromkeys(key for found in fields for key in found if key != "model")
    values = {k: {(f.get("model", ""), f.get(k, "")) for f in fields} for k in keys}
    telling = [key for key in keys if len(values[key]) > len(models)]
    if "checkpoint" in telling:
        with_model, telling = True, [key for key in telling if key != "revision"]
    made = []
    for found in fields:
        parts = [found[key] for key in telling if found.get(key)]
        is_named = with_model or len(models) > 1 or not parts
        made.append(" ".join([short[found.get("model", "")], *parts] if is_named else parts))
    return made


def systems(results: Sequence[Result], with_model: bool = False) -> list[System]:
    """Return the results of each model with its options, after its name (:func:`labels`)."""
    found: dict[Key, list[Result]] = {}
    for result in results:
        found.setdefault(key_of(identity(result)), []).append(result)
    names = labels([dict(key) for key in found], with_model)
    return list(zip(names, found.values(), strict=True))


def key_of(fields: Mapping[str, str], without: Sequence[str] = _DATA) -> Key:
    """Return the fields that are not in ``without``, as a key for dictionaries."""
    return tuple((k, v) for k, v in fields.items() if k not in without)


def columns(results: Sequence[Result], by: str, group: bool = False) -> list[FigureColumn]:
    """Arrange results as columns: one a result, or (by config) one a model with a row a config.

    Several configs by phenomenon have a column for each language, and one of all; a cell is the
    mean of the accuracies of its paradigms, that of all languages the mean of theirs.
    ``group`` puts the seeds of a model (``lstm/seed-0``, ``lstm/seed-1``) into one column. Raises
    :class:`InputError` for an unknown grouping and for results that are there twice.
    """
    prefixed = len({identity(r)["data"] for r in results}) > 1
    seen: dict[Key, Result] = {}
    series: dict[Key, list[Result]] = {}
    for result in results:
        whole = key_of(identity(result), ())
        if seen.setdefault(whole, result) is not result:
            message = f"has the same signature as {seen[whole].path}: {result.signature}"
            raise fail(message, result.path)
        key = key_of(identity(result), _DATA if by == "config" else ())
        series.setdefault(key, []).append(result)
    if by == "phenomenon" and len({(r.run["data"], r.run["config"]) for r in results}) > 1:
        made = _by_language(results)
    else:
        made = [
            FigureColumn("", dict(key), _series(some, by, prefixed), tuple(some))
            for key, some in series.items()
        ]
    if group:
        made = _grouped(made)
    names = labels([column.fields for column in made])
    return [replace(column, label=name) for name, column in zip(names, made, strict=True)]


def _series(results: Sequence[Result], by: str, prefixed: bool) -> dict[str, FigureCell]:
    tallies: dict[str, Tally] = {}
    similar: dict[str, list[float]] = {}
    overall = Tally()
    for result in results:
        run = result.run
        whole = tally_of(result.summary["overall"])
        name = f"{run['data']}/{run['config']}" if prefixed else run["config"]
        for key, part in {name: whole}.items() if by == "config" else _tallies(result, by):
            tallies.setdefault(key, Tally()).add(part)
        overall.add(whole)
        by_uid = paradigm_correlations(result, "UID")
        every = list(chain.from_iterable(by_uid.values()))
        if by == "config":
            similar[name] = every
        else:
            similar |= by_uid if by == "UID" else paradigm_correlations(result, by)
        similar.setdefault(ALL, []).extend(every)
    met = {key: part for key, part in tallies.items() if part.n or part.skipped}
    cells = {key: FigureCell.of(part, similar.get(key, ())) for key, part in met.items()}
    return with_totals(cells, FigureCell.of(overall, similar[ALL]))


EVERY = "all"
"""The name of the column over all languages."""


def _by_language(results: Sequence[Result]) -> list[FigureColumn]:
    """Return for each model a column for each language, and one of all if there are several."""
    made: list[FigureColumn] = []
    series: dict[Key, dict[str, list[Result]]] = {}
    for result in results:
        codes = result.read(["language"])["language"].unique().drop_null().to_pylist()
        known = series.setdefault(key_of(identity(result)), {})
        known.setdefault(", ".join(sorted(codes)), []).append(result)
    for key, languages in series.items():
        own = [
            FigureColumn("", {**dict(key), "language": code}, _paradigm_means(some), tuple(some))
            for code, some in sorted(languages.items())
        ]
        rows = [name for name in row_names(own) if is_judged(name) and name != MEAN]
        cells = {name: _mean_of([c.cells[name] for c in own if name in c.cells]) for name in rows}
        total = with_totals(cells, cells.pop(ALL))
        every = FigureColumn("", {**dict(key), "language": EVERY}, total, ())
        made += [*own, every] if len(own) > 1 else own
    return made


def _paradigm_means(results: Sequence[Result]) -> dict[str, FigureCell]:
    """Return a cell for each phenomenon: the mean of its paradigms, each of which counts once.

    In totals, phenomena without judgements (garden paths) are left out.
    """
    found: dict[str, list[FigureCell]] = defaultdict(list)
    total = Tally()
    for result in results:
        table = result.read(["linguistics_term", "UID", "decision", "skipped"])
        keys = pc.binary_join_element_wise(table["linguistics_term"], table["UID"], "\n")
        for key, part in tally(keys, table).items():
            name = key.partition("\n")[0]
            found[name].append(FigureCell.of(part))
            if is_judged(name):
                total.add(part)
    cells = {name: _mean_of(some) for name, some in found.items()}
    return with_totals(cells, FigureCell.of(total))


def _mean_of(cells: Sequence[FigureCell]) -> FigureCell:
    return replace(mean_of_seeds([cell for cell in cells if cell.n] or cells), seeds=1)


_WHOLE = ("sentence", "in_template", "pll", "pll:original", "ngram")
"""The methods that give log P of whole sentences."""


def paradigm_correlations(result: Result, by: str) -> dict[str, list[float]]:
    """Return how minimal the pairs of each paradigm are, by the groups of ``by``.

    That is Pearson's correlation of log P of the good and the bad sentence over the pairs (Hu et
    al. 2026). Paradigms of fewer than three pairs have none, nor have methods that do not score
    whole sentences.
    """
    if result.run["method"] not in _WHOLE:
        return {}
    table = result.read(["UID", "logp_good", "logp_bad", COLUMNS.get(by, "features")])
    groups = group_column(table, by)
    known = pc.and_(pc.is_valid(pc.add(table["logp_good"], table["logp_bad"])), pc.is_valid(groups))
    keys = pa.table({"group": groups, "UID": table["UID"]}).filter(known)
    good, bad = (table[f"logp_{side}"].filter(known).to_numpy() for side in ("good", "bad"))
    coded = pc.binary_join_element_wise(keys["group"], keys["UID"], "\n").combine_chunks()
    coded = coded.dictionary_encode()
    places = coded.indices.to_numpy()
    n = np.bincount(places)
    x, y = (side - (np.bincount(places, side) / n)[places] for side in (good, bad))
    xy, xx, yy = (np.bincount(places, product) for product in (x * y, x * x, y * y))
    found: dict[str, list[float]] = {}
    for name, count, top, below in zip(coded.dictionary.to_pylist(), n, xy, xx * yy, strict=True):
        if count > 2 and below > 0:
            found.setdefault(name.partition("\n")[0], []).append(float(top / np.sqrt(below)))
    return found


def with_totals(cells: Mapping[str, FigureCell], total: FigureCell) -> dict[str, FigureCell]:
    """Return the rows of a column with its last rows: the total, and the mean of several rows."""
    found = [cell.value for name, cell in cells.items() if cell.n and is_judged(name)]
    mean = FigureCell(sum(found) / max(1, len(found)), None, None, total.n)
    return {**cells, ALL: total, **({MEAN: mean} if len(found) > 1 else {})}


def _tallies(result: Result, by: str) -> Iterable[tuple[str, Tally]]:
    """Return the tallies from the summary if it has this grouping, otherwise from the table."""
    known = result.summary["by"]
    if by in known:
        return [(key, tally_of(found)) for key, found in known[by].items()]
    features = [f.name for f in result.table.schema.field("features").type]
    if by not in features and by not in COLUMNS:
        choices = list(dict.fromkeys(["config", *COLUMNS, *known, *features]))
        raise unknown_error("no grouping", by, "groupings", choices, result.path)
    return tally(group_column(result.table, by), result.table).items()


def tally_of(found: Mapping[str, Any]) -> Tally:
    """Return the tally of a summary."""
    right = (found["accuracy"] or 0.0) * found["n"]
    is_counted = found.get("low", 0.0) is not None
    return Tally(right, found["n"], found["ties"], dict(found["skipped"]), is_counted)


def seedless(model: str) -> str:
    """Return the name of a model without its seed.

    >>> seedless("lstm/seed-0")
    'lstm'
    """
    return _SEED.sub("", model) or model


def _grouped(made: Sequence[FigureColumn]) -> list[FigureColumn]:
    """Put the seeds of a model together."""
    families: dict[Key, list[FigureColumn]] = {}
    for column in made:
        family = {**column.fields, "model": seedless(column.fields["model"])}
        without = ("revision",) if family["model"] != column.fields["model"] else ()
        families.setdefault(key_of(family, without), []).append(column)
    grouped = []
    for key, members in families.items():
        cells = dict(members[0].cells)
        if len(members) > 1:
            rows = dict.fromkeys(row for member in members for row in member.cells)
            found = {row: [m.cells[row] for m in members if row in m.cells] for row in rows}
            known = {row: [cell for cell in some if cell.n] for row, some in found.items()}
            cells = {row: mean_of_seeds(some) for row, some in known.items() if some}
        results = tuple(result for member in members for result in member.results)
        grouped.append(FigureColumn("", dict(key), cells, results))
    return grouped


def mean_of_seeds(cells: Sequence[FigureCell]) -> FigureCell:
    """Return the mean of seeds and the sample standard deviation (over n - 1)."""
    values = np.array([cell.value for cell in cells])
    total = Tally()
    for cell in cells:
        total.add(Tally(0.0, cell.n, cell.ties, dict(cell.skipped)))
    known = float(values.std(ddof=1)) if len(cells) > 1 else None
    similar = [cell.correlation for cell in cells if cell.correlation is not None]
    return FigureCell(
        float(values.mean()), None, None, total.n, total.ties, total.skipped, known, len(cells),
        float(np.mean(similar)) if similar else None,
    )  # fmt: skip


def row_names(some: Iterable[FigureColumn]) -> list[str]:
    """Return the rows of a table, in the order of the first column that has them.

    Phenomena of our list follow in its order, then totals.
    """
    names = dict.fromkeys(key for column in some for key in column.cells)
    order = ["", *phenomena(), ALL, MEAN]
    return sorted(names, key=lambda name: order.index(name if name in order else ""))


def group_names(some: Iterable[FigureColumn]) -> list[str]:
    """Return the rows of a table without its totals."""
    return [name for name in row_names(some) if name not in (ALL, MEAN)]


def grid(some: Sequence[FigureColumn]) -> list[ColumnBlock]:
    """Return columns in blocks: one for each model where there are several models and configs."""
    blocks: dict[Key, list[FigureColumn]] = {}
    for column in some:
        blocks.setdefault(key_of(column.fields), []).append(column)
    if len(blocks) == 1 or all(len(block) == 1 for block in blocks.values()):
        return [("", list(some))]
    made = []
    titles = labels([dict(key) for key in blocks])
    for title, block in zip(titles, blocks.values(), strict=True):
        names = labels([{k: c.fields[k] for k in _DATA if k in c.fields} for c in block])
        if len(block) == 1:
            names = [block[0].fields.get("config", block[0].label)]
        renamed = [replace(c, label=name) for name, c in zip(names, block, strict=True)]
        made.append((title, renamed))
    return made


BINS = 8
"""The number of classes of lengths, of about equally many pairs each."""

FEWEST = 5
"""Points of fewer pairs than this are not drawn."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class AccuracyPoint:
    """Accuracy (0 to 1, with its Wilson interval) of the ``n`` pairs at ``x``."""

    x: float
    label: str
    value: float
    low: float
    high: float
    n: int


Curves = Mapping[str, Sequence[AccuracyPoint]]
"""The points of each model, or of each group."""


def curves(some: Sequence[FigureColumn]) -> dict[str, Curves]:
    """Return curves of each column: by ``match``, ``distance``, ``length`` and ``margin``.

    ``length``: bytes of the good sentence's scored text, in classes common to all columns.
    ``margin``: the probability that the model gives the sentence of the pair it prefers, the
    logistic of ``|margin|``, in classes of 0.05; a model that is calibrated is right as often.
    Curves and plots without any point are left out.
    """
    tables = {column.label: _scored(column) for column in some}
    every = [table["length"].drop_null().to_numpy() for table in tables.values()]
    edges = lengths = np.concatenate([np.empty(0), *every])
    if len(lengths):
        edges = np.unique(np.quantile(lengths, np.linspace(0, 1, BINS + 1)))
    found: dict[str, dict[str, list[AccuracyPoint]]] = {}
    for label, table in tables.items():
        for name in ("match", "distance", "length", "margin"):
            known = table.filter(table[name].is_valid())
            x, right = known[name].to_numpy().astype(np.float64), known["decision"].to_numpy()
            classes = x
            if name == "length":
                classes = np.searchsorted(edges[1:-1], x, side="right")
            elif name == "margin":
                x = 1 / (1 + np.exp(-np.abs(x)))
                classes = np.minimum((x - 0.5) // 0.05, 9)
            if points := _points(classes, x, right, _MATCH if name == "match" else ()):
                found.setdefault(name, {})[label] = points
    return dict(found)


_MATCH = ("match", "mismatch")


def _scored(column: FigureColumn) -> pa.Table:
    """Return the scored rows of all results of a column, with ``match`` as 0 and 1."""
    tables = []
    for result in column.results:
        table = result.read(["decision", "margin", "bytes_good", "features"])
        flat = {name: table[name] for name in ("decision", "margin")}
        flat["length"] = table["bytes_good"]
        with reading_parquet(result.path.with_suffix(".parquet")):
            match = feature(table["features"], "match").cast(pa.string())
            flat["match"] = pc.index_in(match, value_set=pa.array(_MATCH))
            flat["distance"] = feature(table["features"], "distance").cast(pa.int64())
        tables.append(pa.table(flat).filter(table["decision"].is_valid()))
    return pa.concat_tables(tables)


def _points(
    classes: Numbers, x: Numbers, right: Numbers, names: Sequence[str]
) -> list[AccuracyPoint]:
    """Return a point for each class, at the mean of its ``x``."""
    points = []
    for one in np.unique(classes):
        at = classes == one
        n = int(at.sum())
        if n >= FEWEST:
            found, place = wilson(float(right[at].sum()), n), float(x[at].mean())
            label = names[int(one)] if names else f"{place:g}"
            points.append(AccuracyPoint(place, label, found.value, found.low, found.high, n))
    return points
