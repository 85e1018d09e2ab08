"""The tables about other ways to score: by normaliser, and by the difference in tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    some = [(name, result.summary) for name, result in results if "normalised" in result.summary]
    if not some:
        return []
    ways = [{"sum": s["overall"], **s["normalised"]["overall"]} for _, s in some]
    differing = [(name, s["tokens_differ"]) for name, s in some if _knows_tokens(s)]
    heads = [name for name in NORMALISERS if any(name in way for way in ways)]
    tables = [FigureTable("model", tuple(heads), tuple(_rows([n for n, _ in some], ways, heads)))]
    if differing:
        apart = [known["by"] for _, known in differing]
        classes = [name for name in DIFFERENCES if any(name in each for each in apart)]
        names = [f"{n} ({100 * known['share']:.1f} % differ)" for n, known in differing]
        rows = tuple(_rows(names, apart, classes))
        tables.append(FigureTable("model", tuple(classes), rows))
    return tables


def _knows_tokens(summary: Mapping[str, Any]) -> bool:
    return summary.get("tokens_differ", {}).get("share") is not None


def _rows(
    names: Iterable[str], figures: Iterable[Mapping[str, Any]], heads: Iterable[str]
) -> Iterator[FigureRow]:
    wanted = list(heads)
    for name, known in zip(names, figures, strict=True):
        yield FigureRow(name, 0, tuple(_cell(known.get(head)) for head in wanted))


def _cell(known: Mapping[str, Any] | None) -> FigureCell | None:
    if known is None or known["accuracy"] is None:
        return None
    found = wilson(known["accuracy"] * known["n"], known["n"])
    return FigureCell(known["accuracy"], found.low, found.high, known["n"])
