"""The figures that analyses share: bars, dots with intervals, heat maps, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from solecism.plots import Draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["curves_of", "dot_lines", "grouped_bars", "heat", "legend_beside"]


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
