"""A report as one self-contained web page: no network, no scripts, fit for phones and print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from solecism.reports.charts import curve_chart
from solecism.reports.checkpoints import checkpoint_curves
from solecism.reports.comparison import ModelDifference, correlations
from solecism.reports.figures import ALL, curves
from solecism.reports.normalised import normalised_tables
from solecism.reports.pages import render_page
from solecism.reports.people import Judgments, margin_correlations
from solecism.reports.sections import page_figures
from solecism.reports.text import difference_cells
from solecism.scoring.results import Result

__all__ = ["html_page", "page_values"]

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


class PlotFigure(NamedTuple):
    """A chart with its title and what is said below it."""

    title: str
    note: str
    chart: Markup


def html_page(
    results: Sequence[Result],
    by: str,
    group: bool = False,
    difference: ModelDifference | None = None,
    judgments: Mapping[tuple[str, str], Judgments] | None = None,
) -> str:
    """Return the page of a report, with tables, charts and the hardest pairs.

    A ``difference`` goes first. The same results give the same text.
    """
    return render_page("page.html.jinja", **page_values(results, by, group, difference, judgments))


def page_values(
    results: Sequence[Result],
    by: str,
    group: bool = False,
    difference: ModelDifference | None = None,
    judgments: Mapping[tuple[str, str], Judgments] | None = None,
) -> dict[str, Any]:
    """Return what the template of the page needs."""
    figures = page_figures(results, by, group, judgments)
    data = sorted({f"{r.run['data']} {r.run['version']}".strip() for r in results})
    named = [
        (f"{column.label} on {result.run['data']} {result.run['config']}", result)
        for column in figures.pooled
        for result in column.results
    ]
    plots = []
    for name, lines in curves(figures.pooled).items():
        title, axis, note = _AXES[name]
        shown = [line for line in lines if line.points]
        drawn = curve_chart(f"Accuracy by {title.lower()}", axis, shown, name == "margin")
        plots.append(PlotFigure(title, note, drawn))
    return {
        "title": f"Results on {', '.join(data)}", "by": by, "figures": figures,
        "judged": bool(judgments), "total": ALL,
        "difference": difference, "difference_cells": difference_cells,
        "checkpoints": checkpoint_curves(results, by), "plots": plots,
        "normalised": normalised_tables(named),
        "correlations": correlations(results) if len(figures.models) > 1 else None,
        "margins": list(margin_correlations(results)), "notes": named,
        "environments": Counter(map(_environment, results)),
        "widest": max(map(len, figures.models)),
    }  # fmt: skip


def _environment(result: Result) -> str:
    known: dict[str, Any] = result.summary.get("environment", {})
    return ", ".join(f"{key} {known[key]}" for key in _ENVIRONMENT if known.get(key))
