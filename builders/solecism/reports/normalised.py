"""The tables about other ways to score: by normaliser, and by the difference in tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from solecism.reports.figures import FigureCell
from solecism.reports.sections import FigureRow, FigureTable
from solecism.scoring.normalise import DIFFERENCES, NORMALISERS
from solecism.scoring.results import Result
from solecism.scoring.summary import wilson

__all__ = ["normalised_tables"]

NamedResult = tuple[str, Result]


def normalised_tables(results: Iterable[NamedResult]) -> list[FigureTable]:
    """Return tables with a row for each result that has normalised scores, none without any.

    The second, by the difference in tokens, is left out if the numbers of tokens are not known.

    ``results``: each with the name that the page gives it.
    """
    some = {name: result.summary for name, result in results if "normalised" in result.summary}
    if not some:
        return []
    ways = {n: {"sum": s["overall"], **s["normalised"]["overall"]} for n, s in some.items()}
    apart = {
        f"{name} ({100 * known['share']:.1f} % differ)": known["by"]
        for name, summary in some.items()
        if (known := summary.get("tokens_differ", {})).get("share") is not None
    }
    tables = [_table(ways, NORMALISERS)]
    return [*tables, _table(apart, DIFFERENCES)] if apart else tables


def _table(figures: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> FigureTable:
    """Return a table with a row for each result, and a column for each name that any has."""
    heads = tuple(name for name in names if any(name in known for known in figures.values()))
    rows = (
        FigureRow(name, 0, tuple(_cell(known.get(head)) for head in heads))
        for name, known in figures.items()
    )
    return FigureTable("model", heads, tuple(rows))


def _cell(known: Mapping[str, Any] | None) -> FigureCell | None:
    if known is None or known["accuracy"] is None:
        return None
    found = wilson(known["accuracy"] * known["n"], known["n"])
    return FigureCell(known["accuracy"], found.low, found.high, known["n"])
