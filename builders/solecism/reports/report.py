"""Reports: results as tables, for terminals, papers, spreadsheets and browsers."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from rich.console import Console, RenderableType
from rich.text import Text

from solecism.errors import InputError, Problem, fail
from solecism.files import csv_of
from solecism.reports import text
from solecism.reports.comparison import ModelDifference, difference
from solecism.reports.figures import ColumnBlock, FigureColumn, columns, grid
from solecism.reports.missed import Missed, missed_by_all
from solecism.reports.people import Judged, find_judgments, margin_correlations, people_columns
from solecism.scoring.from_lm_eval import is_from_lm_eval, read_lm_eval
from solecism.scoring.options import step_of
from solecism.scoring.results import FORMAT, Result, read_result
from solecism.scoring.summary import renormalise, with_current_names

Source = str | Path | Result
"""A result, a file of one, or a folder of them."""


def report(
    results: Source | Iterable[Source], *, by: str | None = None, diff: bool = False,
    missed: bool = False, group: bool = False, normaliser: str = "sum",
    judgments: str | Path | None = None,
) -> ResultReport:  # fmt: skip
    """Return a report of results.

    Arguments:
        results: results, files that ``solecism score`` has written, or folders of them.
        by: ``UID``, ``phenomenon``, ``construction``, ``config`` or a feature; by default the
            construction, where the data set has none the phenomenon. By phenomenon, several configs
            of a model are laid side by side by language.
        diff: compare two models item by item.
        missed: the items that all models miss, in place of the accuracies (text and JSON).
        group: put the seeds of a model into one column, with mean and standard deviation.
        normaliser: decide by ``token``, ``char``, ``byte``, ``slln``, ``slln:0.8`` or ``slor`` in
            place of the sum (:mod:`solecism.scoring.normalise`).
        judgments: a CSV or Parquet file with the columns ``UID`` and ``accuracy``: what people
            decide. By default the config ``<config>-judgments`` of a data set that is here.

    Raises :class:`InputError` for a file that is not a result, an unknown grouping, a result given
    twice, and where ``diff`` is not given two models.

    Example::

        made = solecism.report("results", by="UID")
        print(made.text())
        print(made.csv())
    """
    given = [results] if isinstance(results, str | Path | Result) else list(results)
    if diff and missed:
        raise fail("--diff and --missed are two reports: choose one")
    found = [renormalise(result, normaliser) for result in open_results(given)]
    has_construction = all(result.summary["by"].get("construction") for result in found)
    by = by or ("construction" if has_construction else "phenomenon")
    compared = difference(found, by) if diff else None
    by_all = missed_by_all(found) if missed else None
    people = find_judgments(found, None if judgments is None else Path(judgments))
    made = [*columns(found, by, group), *people_columns(found, people, by)]
    return ResultReport(tuple(found), by, group, tuple(made), compared, people, by_all)


@dataclass(frozen=True)
class ResultReport:
    """Results as figures: a column for each result, or the ``difference`` between two models."""

    results: tuple[Result, ...]
    by: str
    group: bool
    columns: tuple[FigureColumn, ...]
    difference: ModelDifference | None = None
    judgments: Judged = field(default_factory=dict)
    missed: Missed | None = None

    @cached_property
    def blocks(self) -> list[ColumnBlock]:
        """The columns in blocks: one for each model where there are several models and configs."""
        return grid(self.columns)

    def print(self, console: Console) -> None:
        """Print tables, with what the figures are of below them."""
        parts = self._tables(console.width) if self.difference is None else self._compared()
        if self.missed is not None:
            parts = text.missed_items(self.missed)
        for part in parts:
            console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))

    def text(self, width: int = 80) -> str:
        """Return what :meth:`print` prints, as plain text."""
        out = io.StringIO()
        self.print(Console(file=out, width=width, highlight=False, color_system=None))
        return out.getvalue()

    def _tables(self, width: int) -> Iterator[RenderableType]:
        yield from text.tables(self.blocks, self.by, width)
        for title, some in self.blocks:
            for column in some:
                if column.results:
                    name = f"{title} {column.label}".strip()
                    yield Text(text.counts_line(column, name, self.by), style="dim")
        if any("language" in column.fields for column in self.columns):
            yield Text("±: standard deviation of paradigms; under all, of languages", style="dim")
        if any(cell.low is not None for column in self.columns for cell in column.cells.values()):
            yield Text("with the 95 % interval (Wilson)", style="dim")
        if any(c.correlation is not None for column in self.columns for c in column.cells.values()):
            yield Text(text.MINIMALITY, style="dim")
        shown = [result for column in self.columns for result in column.results]
        notes = [*map(str, margin_correlations(shown)), *text.signatures(shown)]
        yield from (Text(note, style="dim", no_wrap=True) for note in notes)

    def _compared(self) -> Iterator[RenderableType]:
        assert self.difference is not None
        yield text.difference_table(self.difference)
        notes = "difference: points, 95 % bootstrap interval over minimal sets; p: McNemar, mid-p"
        yield Text(notes, style="dim")
        if self.difference.left_out:
            left = f"{self.difference.left_out:,} items that not both have scored are left out"
            yield Text(left, style="dim")

    def to_json(self) -> dict[str, object]:
        """Return the report for programs: ``by`` and ``cells``, a comparison, or what all miss."""
        found = self.difference
        if self.missed is not None:
            return asdict(self.missed)
        if found is None:
            return {"by": self.by, "cells": text.records(self.columns, self.by)}
        rows = {name: vars(it) for name, it in found.rows.items()}
        sides = {"first": found.first, "second": found.second}
        return {"by": self.by, **sides, "rows": rows, "left_out": found.left_out}

    def csv(self) -> str:
        """Return one line a figure with all digits, of a comparison one line a group."""
        found, records = self.difference, text.records(self.columns, self.by)
        if found is None:
            return csv_of({**r, "skipped": sum(r["skipped"].values())} for r in records)
        sides = {"first_label": found.first, "second_label": found.second}
        rows = found.rows.items()
        return csv_of({"by": self.by, "group": name, **sides, **vars(it)} for name, it in rows)

    def latex(self) -> str:
        """Return tables for a paper (package ``booktabs``)."""
        if self.difference is not None:
            return text.latex_difference(self.difference)
        return text.latex_text(self.blocks, self.by)

    def curve(self) -> str:
        """Return an SVG: the accuracy of each group over the checkpoints of each model.

        Raises :class:`InputError` where there are no two checkpoints of one model.
        """
        from solecism.reports.charts import checkpoint_page

        return checkpoint_page(self.results, self.by)

    def html(self) -> str:
        """Return a web page with tables and charts: one file, without scripts, fit for print."""
        from solecism.reports.html import page_values
        from solecism.reports.pages import render_page

        given = (self.results, self.by, self.group, self.difference, self.judgments)
        return render_page("page.html.jinja", **page_values(*given))


def open_results(sources: Sequence[Source]) -> list[Result]:
    """Open results, of a folder all that are in it; raise with all that is wrong."""
    results, problems = [], list[Problem]()
    for file in dict.fromkeys(file for source in sources for file in _files(source)):
        try:
            results += read_lm_eval(file) if is_from_lm_eval(file) else [read_result(file)]
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    if not results:
        raise fail("name at least one result, as out/gpt2-he.json")
    models = list(dict.fromkeys(result.run["model"] for result in results))
    paths = {result.path.resolve(): result for result in results}
    found = list(map(with_current_names, paths.values()))
    # Checkpoints of a model by their numbers: names of files begin with their fingerprints.
    return sorted(found, key=lambda result: (models.index(result.run["model"]), _step(result)))


def _step(result: Result) -> float:
    step = step_of(result.run["options"].get("checkpoint", "0"))
    return math.inf if step is None else step  # main comes after all steps


def _files(source: Source) -> list[Path]:
    path = source.path if isinstance(source, Result) else Path(source)
    if not path.is_dir():
        return [path]
    # lm-eval makes a folder for each model.
    listed = [*path.glob("*.json"), *filter(is_from_lm_eval, path.glob("*/*.json"))]
    files = [file for file in listed if is_from_lm_eval(file) or _is_result(file)]
    if not files:
        raise fail("there is no result in this folder", path)
    return sorted(files, key=lambda file: (by_numbers(file.name), file))


def by_numbers(name: str) -> list[tuple[str, int]]:
    """Return a key that puts ``checkpoint-200`` before ``checkpoint-1000``."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def _is_result(file: Path) -> bool:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return FORMAT in lines.read(200)
