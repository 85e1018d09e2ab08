"""A report as one self-contained web page: no network, no scripts, fit for print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from solecism.reports.charts import bar_chart, curve_chart, forest_chart, heat_map
from solecism.reports.comparison import ModelDifference, correlations
from solecism.reports.figures import (
    ALL,
    MEAN,
    ColumnBlock,
    FigureColumn,
    columns,
    curves,
    grid,
    row_names,
)
from solecism.reports.text import difference_cells, signatures
from solecism.scoring.results import Result
from solecism.version import __version__

__all__ = ["html_page"]

_AXES = {
    "match": ("Attractor", "number of attractor and controller",
              "Attractors of the controller's number, and of another one."),
    "distance": ("Distance", "words from controller to target", "1: neighbours."),
    "length": ("Length", "bytes of the scored text",
               "Pairs in classes of about equal size by the length of the good sentence's scored text."),
    "margin": ("Margin", "probability of the preferred sentence",
               "How sure the model is of its choice (logistic of the difference in log probability) and how"
               " often it is right; a calibrated model lies on the dotted line."),
}  # fmt: skip
"""Title, axis and note of each curve."""

_ENVIRONMENT = ("device", "dtype", "torch", "transformers", "python", "platform")


def html_page(
    results: Sequence[Result],
    by: str,
    group: bool = False,
    difference: ModelDifference | None = None,
) -> str:
    """Return the page of a report, with tables and charts.

    A ``difference`` goes first. The same results give the same text.
    """
    environment = Environment(
        autoescape=True, loader=PackageLoader("solecism", "reports"), undefined=StrictUndefined
    )
    data = sorted({f"{r.run['data']} {r.run['version']}".strip() for r in results})
    by_config, by_this = (columns(results, name, group) for name in ("config", by))
    return environment.get_template("page.html.jinja").render(
        title=f"Results on {', '.join(data)}", by=by, totals=(ALL, MEAN), row_names=row_names,
        difference=difference, difference_cells=difference_cells,
        forest=_forest(difference) if difference else None,
        by_config=by_config, tables=dict(_tables(results, by, group)), bars=list(_bars(by_this, by)),
        curves=list(_curves(by_config)), correlations=list(_correlated(results)),
        paradigms=grid(columns(results, "UID", group)) if by != "UID" else [],
        signatures=signatures(results), environments=Counter(map(_environment, results)),
        version=__version__,
    )  # fmt: skip


def _forest(difference: ModelDifference) -> Markup:
    ends = {name: (it.difference, it.low, it.high) for name, it in difference.rows.items()}
    names = difference.first, difference.second
    return forest_chart(f"Difference between {names[0]} and {names[1]}", ends, names)


def _tables(
    results: Sequence[Result], by: str, group: bool
) -> Iterator[tuple[str, list[ColumnBlock]]]:
    """Yield the grouping that was asked for, then phenomena where there are several."""
    for name in dict.fromkeys([by, "phenomenon"]):
        some = columns(results, name, group)
        if name != "config" and (name == by or len(row_names(some)) > 3):
            yield name, grid(some)


def _bars(some: Sequence[FigureColumn], by: str) -> Iterator[tuple[str, Markup]]:
    for block in grid(some):
        rows = [row for row in row_names(block.columns) if row not in (ALL, MEAN)]
        series = {column.label: column.cells for column in block.columns}
        title = f"Accuracy by {by}" + (f", {block.title}" if block.title else "")
        if rows:
            yield block.title, bar_chart(title, rows, series)


def _curves(some: Sequence[FigureColumn]) -> Iterator[tuple[str, str, Markup]]:
    for name, lines in curves(some).items():
        title, axis, note = _AXES[name]
        shown = [line for line in lines if line.points]
        drawn = curve_chart(f"Accuracy by {title.lower()}", axis, shown, name == "margin")
        yield title, note, drawn


def _correlated(results: Sequence[Result]) -> Iterator[tuple[str, Markup]]:
    found = correlations(results)
    if len(found.names) < 2:
        return
    maps = {
        f"Pearson's r of the accuracies by paradigm ({found.paradigms} paradigms)": found.paradigm,
        "phi of the decisions, item by item": found.item,
    }
    yield from ((title, heat_map(title, found.names, values)) for title, values in maps.items())


def _environment(result: Result) -> str:
    known: dict[str, Any] = result.summary.get("environment", {})
    return ", ".join(f"{key} {known[key]}" for key in _ENVIRONMENT if known.get(key))
