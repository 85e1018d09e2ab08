"""A part of an analysis: a table with its figure, and the files that are written for them.

Here are also the kinds of figures that analyses share: bars, dots with intervals, heat maps,
curves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from rich.table import Table

from solecism.files import writing
from solecism.reports.charts import Draw, figure_bytes
from solecism.reports.text import latex_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class AnalysisPart:
    """A table of an analysis.

    ``name``: the name of its files. ``source``: the paper and section that it recomputes. ``note``:
    what the columns are. ``draw``: the function that draws its figure, None if it has no figure.
    ``size``: the size of the figure in inches.
    """

    name: str
    title: str
    source: str
    table: pd.DataFrame
    note: str = ""
    draw: Draw | None = None
    size: tuple[float, float] = (7.0, 4.0)

    @property
    def texts(self) -> pd.DataFrame:
        """The table as people read it: three decimals, nothing where a value is unknown."""
        return self.table.astype(object).map(_text)

    def to_json(self) -> dict[str, object]:
        """Return title, source, note and rows."""
        rows = self.table.astype(object).where(self.table.notna(), None).to_dict("records")
        return {"title": self.title, "source": self.source, "note": self.note, "rows": rows}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield name and content of CSV with all digits, LaTeX (package ``booktabs``), figures."""
        yield f"{self.name}.csv", self.table.to_csv(index=False, lineterminator="\n").encode()
        caption = f"{self.title} ({self.source})."
        yield f"{self.name}.tex", latex_table(self.texts, caption, f"tab:{self.name}").encode()
        if draw := self.draw:

            def titled(axes: Axes) -> None:
                draw(axes)
                axes.set_title(self.title, loc="left")

            for kind in ("svg", "pdf"):
                yield f"{self.name}.{kind}", figure_bytes([titled], self.size, kind)


def _text(value: object) -> str:
    if value is None or value is pd.NA or value != value:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) >= 0.0005 or value == 0 else f"{value:.1e}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


_TEXTS = 32
"""The width that columns of texts may take in a terminal before longer texts are folded."""


def part_tables(part: AnalysisPart, width: int = 80) -> Iterator[Table]:
    """Yield the table of a part for a terminal, cut into several if it is wider than ``width``."""
    shown = part.texts
    widths = {name: max(map(len, [str(name), *texts])) + 1 for name, texts in shown.items()}
    numbers = [name for name in shown if pd.api.types.is_numeric_dtype(part.table[name])]
    texts = [name for name in shown if name not in numbers]
    room = width - min(sum(widths[name] for name in texts), _TEXTS)
    groups: list[list[Hashable]] = [[]]
    for name in numbers:
        if groups[-1] and sum(widths[other] for other in [*groups[-1], name]) > room:
            groups.append([])
        groups[-1].append(name)
    for some in groups:
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
        columns = [name for name in shown if name in {*texts, *some}]
        for name in columns:
            if name in numbers:
                table.add_column(str(name), justify="right", no_wrap=True)
            else:
                table.add_column(str(name), overflow="fold")
        for row in shown[columns].itertuples(index=False):
            table.add_row(*row)
        yield table


def write_parts(parts: Iterable[AnalysisPart], out: Path, signatures: Sequence[str]) -> list[Path]:
    """Write the files of parts into a folder, with the signatures of the results; return them."""
    files = {name: content for part in parts for name, content in part.files()}
    files["signatures.txt"] = "".join(f"{line}\n" for line in signatures).encode()
    for name, content in files.items():
        with writing(out / name) as fresh:
            fresh.write_bytes(content)
    return [out / name for name in files]


def legend_beside(axes: Axes) -> None:
    """Write the names of series on the right of a figure, where nothing is drawn."""
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def joined(table: pd.DataFrame, *columns: str) -> list[str]:
    """Return a name for each row: its values in some columns."""
    return [", ".join(map(str, row)) for row in table[list(columns)].itertuples(index=False)]


def side_by_side(
    series: Iterable[object], names: Iterable[object], values: Iterable[float]
) -> pd.DataFrame:
    """Return values with a row for each name and a column for each series, in their first order."""
    long = pd.DataFrame({"series": series, "name": names, "value": values}).astype({"name": str})
    wide = long.pivot(index="name", columns="series", values="value")
    return wide.reindex(index=long["name"].unique(), columns=long["series"].unique())


def grouped_bars(
    table: pd.DataFrame, label: str, chance: float | None = None,
    ends: tuple[pd.DataFrame, pd.DataFrame] | None = None,
) -> Draw:  # fmt: skip
    """Return bars: a group for each row, a colour for each column, and a line at ``chance``.

    ``ends``: the lower and the upper ends of intervals, if there are any.
    """

    def draw(axes: Axes) -> None:
        places = np.arange(len(table))
        width = 0.82 / max(table.shape[1], 1)
        for number, (title, heights) in enumerate(table.items()):
            errors = np.abs([end[title] - heights for end in ends]) if ends else None
            axes.bar(places + number * width, heights, width, yerr=errors, label=title, capsize=2)
        names = list(map(str, table.index))
        axes.set_xticks(places + 0.41 - width / 2, names, rotation=30, ha="right")
        axes.set_ylabel(label)
        if chance is not None:
            axes.axhline(chance, color="black", linewidth=0.8, linestyle=":")
        if 1 < table.shape[1] <= 12:
            legend_beside(axes)

    return draw


def dot_lines(names: Sequence[str], ends: pd.DataFrame, label: str, zero: float = 0.0) -> Draw:
    """Return a figure with a dot and its interval for each name.

    ``ends``: the value, the lower and the upper end of each; ``zero``: where a line is drawn.
    """

    def draw(axes: Axes) -> None:
        values = ends.to_numpy(dtype=float)
        places = np.arange(len(names))[::-1]
        errors = np.abs(values[:, 1:].T - values[:, 0])
        axes.errorbar(values[:, 0], places, xerr=errors, fmt="o", markersize=3.5, capsize=2)
        axes.set_yticks(places, names, fontsize=7)
        axes.axvline(zero, color="black", linewidth=0.8)
        axes.set_xlabel(label)

    return draw


def heat(table: pd.DataFrame) -> Draw:
    """Return a heat map of a table with its numbers, from 0 to 1."""

    def draw(axes: Axes) -> None:
        values = table.to_numpy()
        axes.imshow(values, vmin=0.0, vmax=1, cmap="Blues", aspect="auto")
        axes.set_xticks(range(table.shape[1]), map(str, table), rotation=30, ha="right")
        axes.set_yticks(range(len(table)), map(str, table.index))
        axes.spines[:].set_visible(False)
        for y, x in np.ndindex(*values.shape):
            if np.isfinite(values[y, x]):
                colour = "white" if values[y, x] > 0.6 else "black"
                axes.text(x, y, f"{values[y, x]:.2f}", ha="center", va="center", color=colour)

    return draw


def curves_of(table: pd.DataFrame, across: str, log: bool = False) -> Draw:
    """Return a figure with a line for each model: its accuracy by the column ``across``."""

    def draw(axes: Axes) -> None:
        for title, some in table.groupby("model", sort=False):
            points = some.sort_values([across, "accuracy"])
            axes.plot(points[across], points["accuracy"], marker="o", markersize=3, label=title)
        if log:
            axes.set_xscale("log")
        axes.set_xlabel(across)
        axes.set_ylabel("accuracy")
        if table["model"].nunique() > 1:
            legend_beside(axes)

    return draw
