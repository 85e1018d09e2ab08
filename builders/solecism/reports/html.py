"""A report as one self-contained web page: no network, no scripts, fit for phones and print.

It has an overview, then a section for each config with the models side by side.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from markupsafe import Markup

from solecism.contrast import differing_parts
from solecism.inputs import read_toml
from solecism.reports.charts import bar_chart, checkpoint_curves, curve_chart
from solecism.reports.comparison import ModelDifference, correlations
from solecism.reports.figures import (
    ALL,
    MEAN,
    FigureCell,
    FigureColumn,
    columns,
    curves,
    grid,
    group_names,
    key_of,
    labels,
    row_names,
)
from solecism.reports.people import PEOPLE, Judged, margin_correlations, people_columns
from solecism.reports.text import difference_cells, row_label
from solecism.scoring.items import rows_of_result
from solecism.scoring.normalise import DIFFERENCES, NORMALISERS
from solecism.scoring.results import Result
from solecism.scoring.summary import COLUMNS, Tally

_AXES = read_toml(Path(__file__).with_name("axes.toml"))
"""Title, axis and note of each curve."""

_ENVIRONMENT = ("device", "dtype", "torch", "transformers", "python", "platform")


def page_values(
    results: Sequence[Result], by: str, group: bool = False,
    difference: ModelDifference | None = None, judgments: Judged | None = None,
) -> dict[str, object]:  # fmt: skip
    """Return what the template of the page needs; a ``difference`` goes first on it.

    ``by``: the grouping of the charts; ``group``: the seeds of a model are one column.
    """
    figures = page_figures(results, by, group, judgments)
    data = sorted({f"{r.run['data']} {r.run['version']}".strip() for r in results})
    shown = [(column.label, result) for column in figures.of_configs for result in column.results]
    runs = [(f"{label} on {r.run['data']} {r.run['config']}", r) for label, r in shown]
    plots = []
    for name, lines in curves(figures.of_configs).items():
        title, axis, note = _AXES[name]
        drawn = curve_chart(f"Accuracy by {title.lower()}", axis, lines, name == "margin")
        plots.append({"title": title, "note": note, "chart": drawn})
    return {
        "title": f"Results on {', '.join(data)}", "by": by, "figures": figures,
        "judged": bool(judgments), "total": ALL,
        "difference": difference, "difference_cells": difference_cells,
        "checkpoints": checkpoint_curves(results, by), "plots": plots,
        "normalised": _normalised(runs),
        "correlations": correlations(results) if len(figures.models) > 1 else None,
        "margins": list(margin_correlations(results)), "notes": runs,
        "environments": Counter(
            ", ".join(f"{key} {known[key]}" for key in _ENVIRONMENT if known.get(key))
            for known in (result.summary.get("environment", {}) for result in results)
        ),
        "widest": max(map(len, figures.models)),
    }  # fmt: skip


@dataclass(frozen=True)
class FigureRow:
    """A row of a table of figures: a cell (or None) for each model.

    ``level``: 0 for the largest groups; ``note``: the paradigm, where a group has only one;
    ``total``: a last row.
    """

    name: str
    level: int
    cells: tuple[FigureCell | None, ...]
    note: str = ""
    total: bool = False


@dataclass(frozen=True)
class FigureTable:
    """A table: the names of models above, groups on the left."""

    by: str
    heads: tuple[str, ...]
    rows: tuple[FigureRow, ...]


MOST, EACH = 8, 2
"""How many pairs are shown, and how many of one paradigm. Of a minimal set there is only one."""

_TEXTS = ("sentence_good", "sentence_bad", "language")

Parts = list[tuple[str, bool]]
"""A sentence in parts, each with whether it differs from the other one."""


@dataclass(frozen=True)
class HardPair:
    """A pair; ``good`` and ``bad``: its sentences in parts that differ or not.

    ``scores``: what each model gives it, natural logarithms and their difference, as a mapping with
    ``model``, ``good``, ``bad`` and ``margin``. Where the data are not here, the sentences are
    empty.
    """

    id: str
    uid: str
    language: str
    spec: str
    good: Parts
    bad: Parts
    scores: tuple[dict[str, object], ...]


@dataclass(frozen=True)
class ConfigSection:
    """What a page says of a config."""

    anchor: str
    title: str
    by: str
    chart: Markup | None
    tables: tuple[FigureTable, ...]
    hardest: tuple[HardPair, ...]


_MOST_BARS = 500


@dataclass(frozen=True)
class PageFigures:
    """The figures of a page.

    ``models``: their names in order; ``of_configs``: for each model a column with a row for each
    config; ``overview`` and ``chart``: these columns; ``sections``: each config by itself;
    ``phenomena``: by phenomenon and language, a table for each model, after its name.
    """

    models: tuple[str, ...]
    of_configs: tuple[FigureColumn, ...]
    overview: FigureTable | None
    chart: Markup | None
    sections: tuple[ConfigSection, ...]
    phenomena: tuple[tuple[str, FigureTable], ...] = ()


def page_figures(
    results: Sequence[Result], by: str, group: bool = False, judgments: Judged | None = None
) -> PageFigures:
    """Return the figures of a page.

    ``by``: the grouping of the charts; ``group``: the seeds of a model are one column.
    """
    people = judgments or {}
    of_configs = columns(results, "config", group)
    keys = list(dict.fromkeys(key_of(column.fields) for column in of_configs))
    models = labels([dict(key) for key in keys], with_model=True)
    names = dict(zip(keys, models, strict=True))

    def side_by_side(some: Sequence[Result], grouping: str) -> list[FigureColumn]:
        found = columns(some, grouping, group)
        found.sort(key=lambda column: keys.index(key_of(column.fields)))
        renamed = [replace(column, label=names[key_of(column.fields)]) for column in found]
        return [*renamed, *people_columns(some, people, grouping)]

    configs: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        run = result.run
        configs.setdefault((run["data"], run["config"], run["version"]), []).append(result)
    sections = []
    for number, ((data, config, version), some) in enumerate(configs.items(), 1):
        # Of a bare Parquet file both names are that of the file.
        name = data if data == config else f"{data}/{config}"
        title = f"{name} {version}".strip()
        anchor = f"{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}-{number}"
        figures = {grouping: side_by_side(some, grouping) for grouping in COLUMNS}
        names_of = {name: group_names(figures[name]) for name in ("phenomenon", "construction")}
        telling = next((name for name, groups in names_of.items() if len(groups) > 1), "UID")
        shown = by if by != "config" else telling
        if shown not in figures:
            figures[shown] = side_by_side(some, shown)
        # The nested table has phenomena, constructions and paradigms already.
        tables = [] if shown in COLUMNS else [_table(shown, figures[shown])]
        tables.append(_nested(figures, some))
        # Of several seeds of a model the first is asked for its hardest pairs.
        scored = {c.label: c.results[0] for c in figures["UID"] if c.label != PEOPLE}
        chart, hard = _chart(shown, figures[shown], models), tuple(hardest(scored))
        sections.append(ConfigSection(anchor, title, shown, chart, tuple(tables), hard))
    every = side_by_side(results, "config")
    several = len(group_names(of_configs)) > 1
    blocks = grid(columns(results, by, group)) if several and by == "phenomenon" else []
    return PageFigures(
        tuple(models), tuple(column for column in every if column.label != PEOPLE),
        _table("config", every) if several else None,
        _chart("config", every, models) if several else None, tuple(sections),
        tuple((title, _table(by, some)) for title, some in blocks),
    )  # fmt: skip


def _chart(by: str, some: Sequence[FigureColumn], models: Sequence[str]) -> Markup:
    """Return bars; each of the ``models`` of the page has the same colour in all charts.

    There are none where one alone would say no more than the table, or nobody could read them.
    """
    rows = group_names(some) or [ALL]
    if len(rows) == len(some) == 1 or len(rows) > _MOST_BARS:
        return Markup("")
    cells = {column.label: column.cells for column in some}
    series = {name: cells.get(name, {}) for name in models}
    return bar_chart(f"Accuracy by {by}", rows, series, cells.get(PEOPLE))


def _table(by: str, some: Sequence[FigureColumn]) -> FigureTable:
    rows = (
        replace(_row(name, 0, some), name=row_label(name, by, some)) for name in row_names(some)
    )
    return FigureTable(by, tuple(column.label for column in some), tuple(rows))


def _row(name: str, level: int, some: Sequence[FigureColumn], note: str = "") -> FigureRow:
    cells = tuple(column.cells.get(name) for column in some)
    return FigureRow(name, level, cells, note, total=name in (ALL, MEAN))


def _nested(
    figures: Mapping[str, Sequence[FigureColumn]], results: Sequence[Result]
) -> FigureTable:
    """Return all paradigms, below their phenomena and constructions.

    A group of one paradigm has only one row, with a note.
    """
    places = _places(results)
    tree: dict[str, dict[str, list[str]]] = {}
    for uid in group_names(figures["UID"]):
        phenomenon, construction = places.get(uid, ("", ""))
        tree.setdefault(phenomenon, {}).setdefault(construction, []).append(uid)
    rows: list[FigureRow] = []
    for phenomenon, groups in tree.items():
        every = [uid for uids in groups.values() for uid in uids]
        has_row = bool(phenomenon) and len(tree) > 1
        if has_row:
            note = every[0] if len(every) == 1 else ""
            rows.append(_row(phenomenon, 0, figures["phenomenon"], note))
        if has_row and len(every) == 1:
            continue  # the row of the phenomenon says all
        for construction, uids in groups.items():
            own_row = bool(construction) and len(groups) > 1
            if own_row:
                note = uids[0] if len(uids) == 1 else ""
                rows.append(_row(construction, int(has_row), figures["construction"], note))
            if not own_row or len(uids) > 1:
                rows += [_row(uid, has_row + own_row, figures["UID"]) for uid in uids]
    totals = [name for name in (ALL, MEAN) if name in row_names(figures["UID"])]
    rows += [_row(name, 0, figures["UID"]) for name in totals]
    return FigureTable("paradigm", tuple(c.label for c in figures["UID"]), tuple(rows))


def _places(results: Sequence[Result]) -> dict[str, tuple[str, str]]:
    """Return the phenomenon and the construction of each paradigm, "" where it has several.

    All constructions are left out as soon as one belongs to several phenomena, or one paradigm to
    several constructions: then they do not nest.
    """
    names = ["UID", "linguistics_term", "construction"]
    tables = [result.read(names).group_by(names).aggregate([]) for result in results]
    places = pa.concat_tables(tables).to_pandas().fillna("").drop_duplicates()
    named = places[places["construction"] != ""].drop_duplicates(names[1:])
    is_nested = places["UID"].is_unique and named["construction"].is_unique
    terms = places.groupby("UID")["linguistics_term"].agg(set)
    firsts = places.set_index("UID")["construction"]
    return {
        uid: (min(some) if len(some) == 1 else "", firsts[uid] if is_nested else "")
        for uid, some in terms.items()
    }


def _normalised(results: Sequence[tuple[str, Result]]) -> list[FigureTable]:
    """Return a table of the accuracies by normaliser, and one by the difference in tokens.

    The second is about pairs whose sides differ by so many tokens. There is none where no result
    has normalised scores, and no second one where the numbers of tokens are not known. ``results``:
    each with the name that the page gives it.
    """
    some = {name: result.summary for name, result in results if "normalised" in result.summary}
    by_normaliser = {
        n: {"sum": s["overall"], **s["normalised"]["overall"]} for n, s in some.items()
    }
    by_tokens = {
        f"{name} ({100 * known['share']:.1f} % differ)": known["by"]
        for name, summary in some.items()
        if (known := summary.get("tokens_differ", {})).get("share") is not None
    }
    tables = []
    for figures, names in ((by_normaliser, NORMALISERS), (by_tokens, DIFFERENCES)):
        heads = [name for name in names if any(name in known for known in figures.values())]
        rows = []
        for model, known in figures.items():
            tallies = (known.get(head, {}) for head in heads)
            counts = ((t.get("accuracy"), t.get("n", 0)) for t in tallies)
            cells = (None if a is None else FigureCell.of(Tally(a * n, n)) for a, n in counts)
            rows.append(FigureRow(model, 0, tuple(cells)))
        if rows:
            tables.append(FigureTable("model", tuple(heads), tuple(rows)))
    return tables


def hardest(results: Mapping[str, Result], most: int = MOST) -> list[HardPair]:
    """Return the hardest pairs of one config for all models together, the hardest first.

    ``results`` has a result of each model. Margins of different models are of different sizes, so
    what counts is the mean of the ranks that a pair has. Only pairs that all models have scored are
    looked at, few of a paradigm and one of a minimal set.
    """
    import pandas as pd

    frames = {}
    for name, result in results.items():
        table = result.read(["id", "set_id", "UID", "logp_good", "logp_bad", "margin"])
        frame = table.to_pandas().dropna(subset=["margin", "logp_good", "logp_bad"])
        frames[name] = frame.set_index("id")
    margins = pd.concat([f["margin"].rename(n) for n, f in frames.items()], axis=1, join="inner")
    ranks = margins.rank(method="min", pct=True).mean(axis=1)
    order = margins.index[np.lexsort((margins.mean(axis=1), ranks))]
    first = next(iter(frames.values())).loc[order].drop_duplicates("set_id")
    first = first[first.groupby("UID").cumcount() < EACH][:most]
    run = next(iter(results.values())).run
    texts, spec = rows_of_result(run, list(first.index), _TEXTS)
    made = []
    for one, uid in first["UID"].items():
        text = texts.get(one, dict.fromkeys(_TEXTS, ""))
        good, bad = differing_parts(text["sentence_good"], text["sentence_bad"])
        scores = tuple(
            {"model": name, "good": frame.at[one, "logp_good"], "bad": frame.at[one, "logp_bad"],
             "margin": frame.at[one, "margin"]}
            for name, frame in frames.items()
        )  # fmt: skip
        made.append(HardPair(str(one), str(uid), text["language"] or "", spec, good, bad, scores))
    return made
