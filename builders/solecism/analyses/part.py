"""A part of an analysis: a table with its figure, and the files that are made of them.

The figures that analyses share: bars, dots with intervals, heat maps, curves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.table import Table

from solecism.files import write_text, writing
from solecism.reports.charts import Draw, figure_bytes
from solecism.reports.text import latex_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class AnalysisPart:
    """A table of an analysis.

    ``name``: of its files; ``source``: the paper and section that it recomputes; ``note``: what the
    columns are; ``draw``: draws its figure, None where a table says all; ``size``: of the figure in
    inches.
    """

    name: str
    title: str
    source: str
    table: pd.DataFrame
    note: str = ""
    draw: Draw | None = None
    size: tuple[float, float] = (7.0, 4.0)

    def csv(self) -> str:
        """Return the table with all digits."""
        return str(self.table.to_csv(index=False, lineterminator="\n"))

    def latex(self) -> str:
        """Return the table for a paper (package ``booktabs``)."""
        shown = self.table.map(_cell)
        caption = f"{self.title} ({self.source})."
        return latex_table(shown, caption, f"tab:{self.name}")

    def to_json(self) -> dict[str, object]:
        """Return title, source, note and rows."""
        rows = self.table.astype(object).where(self.table.notna(), None).to_dict("records")
        return {"title": self.title, "source": self.source, "note": self.note, "rows": rows}

    def figure(self, kind: str) -> bytes:
        """Return the figure as ``svg`` or ``pdf``; the same table gives the same bytes."""
        draw = self.draw
        assert draw is not None

        def titled(axes: Axes) -> None:
            draw(axes)
            axes.set_title(self.title, loc="left")

        return figure_bytes([titled], self.size, kind)


def _cell(value: Any) -> str:
    """Return a value of a table as text: three decimals, nothing where it is unknown."""
    if pd.isna(value):
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) >= 0.0005 or value == 0 else f"{value:.1e}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


_TEXTS = 32
"""Columns of a terminal that the texts of a row have at least; what is longer is folded."""


def part_tables(part: AnalysisPart, width: int = 80) -> Iterator[Table]:
    """Yield the table of a part for a terminal, as many numbers side by side as ``width`` holds."""
    widths = {
        name: max([len(str(name)), *(len(_cell(value)) for value in column)]) + 1
        for name, column in part.table.astype(object).items()
    }
    numbers = [name for name in widths if pd.api.types.is_numeric_dtype(part.table[name])]
    texts = [name for name in widths if name not in numbers]
    room = width - min(sum(widths[name] for name in texts), _TEXTS)
    for some in _fitting(numbers, widths, room):
        yield _table(part.table[[name for name in widths if name in {*texts, *some}]], numbers)


def _fitting(
    names: Sequence[Hashable], widths: Mapping[Hashable, int], room: int
) -> Iterator[list[Hashable]]:
    """Yield columns in groups that fit into the room; a column that is too wide stands alone."""
    some: list[Hashable] = []
    for name in names:
        if some and sum(widths[other] for other in [*some, name]) > room:
            yield some
            some = []
        some.append(name)
    yield some


def _table(table: pd.DataFrame, numbers: Sequence[Hashable]) -> Table:
    made = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name in table:
        number = name in numbers
        side: Any = "right" if number else "left"
        made.add_column(str(name), justify=side, overflow="fold", no_wrap=number)
    for row in table.astype(object).itertuples(index=False):
        made.add_row(*map(_cell, row))
    return made


def write_parts(parts: Iterable[AnalysisPart], out: Path, signatures: Sequence[str]) -> list[Path]:
    """Write CSV, LaTeX and figures of parts into a folder, with the signatures of the results.

    Returns the files.
    """
    made = []
    for part in parts:
        texts = {f"{part.name}.csv": part.csv(), f"{part.name}.tex": part.latex()}
        for name, text in texts.items():
            write_text(out / name, text)
            made.append(out / name)
        for kind in ("svg", "pdf") if part.draw else ():
            path = out / f"{part.name}.{kind}"
            with writing(path) as fresh:
                fresh.write_bytes(part.figure(kind))
            made.append(path)
    write_text(out / "signatures.txt", "".join(f"{line}\n" for line in signatures))
    return [*made, out / "signatures.txt"]


def legend_beside(axes: Axes) -> None:
    """Write the names of series on the right of a figure, where nothing is drawn."""
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def grouped_bars(
    series: Mapping[Any, Mapping[Any, float]], label: str, chance: float | None = None
) -> Draw:
    """Return bars in groups: a colour a series; a line where ``chance`` is."""
    names = list(dict.fromkeys(name for values in series.values() for name in values))

    def draw(axes: Axes) -> None:
        width = 0.82 / max(len(series), 1)
        for number, (title, values) in enumerate(series.items()):
            heights = [values.get(name, np.nan) for name in names]
            axes.bar(np.arange(len(names)) + number * width, heights, width, label=title)
        names_shown = list(map(str, names))
        axes.set_xticks(
            np.arange(len(names)) + 0.41 - width / 2, names_shown, rotation=30, ha="right"
        )
        axes.set_ylabel(label)
        if chance is not None:
            axes.axhline(chance, color="black", linewidth=0.8, linestyle=":")
        if 1 < len(series) <= 12:
            legend_beside(axes)

    return draw


def dot_lines(
    points: Mapping[str, tuple[float, float, float]], label: str, zero: float = 0.0
) -> Draw:
    """Return a dot with its interval for each name: value, low, high; a line at ``zero``."""

    def draw(axes: Axes) -> None:
        values = np.array(list(points.values()), dtype=float).reshape(-1, 3)
        places = np.arange(len(points))[::-1]
        errors = np.abs(values[:, 1:].T - values[:, 0])
        axes.errorbar(values[:, 0], places, xerr=errors, fmt="o", markersize=3.5, capsize=2)
        axes.set_yticks(places, list(points), fontsize=7)
        axes.axvline(zero, color="black", linewidth=0.8)
        axes.set_xlabel(label)

    return draw


def heat(rows: Sequence[str], columns: Sequence[str], values: np.ndarray, low: float) -> Draw:
    """Return a heat map with its numbers, from ``low`` to 1."""

    def draw(axes: Axes) -> None:
        axes.imshow(values, vmin=low, vmax=1, cmap="Blues", aspect="auto")
        axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
        axes.set_yticks(range(len(rows)), rows)
        axes.spines[:].set_visible(False)
        for y, x in np.ndindex(*values.shape):
            if np.isfinite(values[y, x]):
                colour = "white" if values[y, x] - low > 0.6 * (1 - low) else "black"
                axes.text(x, y, f"{values[y, x]:.2f}", ha="center", va="center", color=colour)

    return draw


def curves_of(
    series: Mapping[str, Sequence[tuple[float, float]]], across: str, label: str, log: bool = False
) -> Draw:
    """Return a line for each series of points."""

    def draw(axes: Axes) -> None:
        for title, points in series.items():
            x, y = zip(*sorted(points), strict=True)
            axes.plot(x, y, marker="o", markersize=3, label=title)
        if log:
            axes.set_xscale("log")
        axes.set_xlabel(across)
        axes.set_ylabel(label)
        if len(series) > 1:
            legend_beside(axes)

    return draw
