"""The analyses of Bacon and Regier (2019), "Does BERT agree?"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from solecism.analyses.answers import accuracy_rows, items_of, points_of
from solecism.analyses.part import AnalysisPart, curves_of, grouped_bars
from solecism.scoring.results import Result

_PAPER = "Bacon and Regier 2019"
_FEATURES = ("distance", "distractors", "agrees_in", "relation", "flipped", "attractors")
MIN_ITEMS = 20
"""Fewer items than this make no row of a curve, and no language of a correlation."""


def analyse_agreement(results: Sequence[Result]) -> list[AnalysisPart]:
    """Return accuracies by language and relation, curves, correlations and comparisons.

    Of pairs that were mined, the relation and the feature that was flipped are those of the pair,
    and ``distractors`` are its attractors.
    """
    items = items_of(results, _FEATURES)
    for name, other in (
        ("relation", "UID"),
        ("agrees_in", "flipped"),
        ("distractors", "attractors"),
    ):
        items[name] = items[name].astype(object).where(items[name].notna(), items[other])
    parts = [
        _accuracy(items, ["relation"], "relations", "Figure 1"),
        _accuracy(items, ["language"], "languages", "Figure 2"),
        _accuracy(items, ["language", "relation"], "cells", "Tables 1 and 2"),
    ]
    for name, title in (("distance", "Figure 3"), ("distractors", "Figure 4")):
        if items[name].notna().any():
            parts.append(_curve(items, name, title))
    if (across := _across(items)) is not None:
        parts.append(across)
    if items["agrees_in"].notna().any():
        parts.append(_features(items))
    return parts


def _accuracy(items: pd.DataFrame, keys: Sequence[str], name: str, section: str) -> AnalysisPart:
    table = pd.DataFrame(accuracy_rows(items, keys))
    labels = table[list(keys)].astype(str).agg(", ".join, axis=1)
    series = {
        str(model): dict(zip(labels[some.index], some["accuracy"], strict=True))
        for model, some in table.groupby("model", sort=False)
    }
    title = f"Accuracy by {' and '.join(keys)}"
    return AnalysisPart(
        name, title, f"{_PAPER}, {section}", table, "Wilson's 95 % intervals",
        grouped_bars(series, "accuracy"), (9.0, 4.0),
    )  # fmt: skip


def _curve(items: pd.DataFrame, name: str, section: str) -> AnalysisPart:
    some = items.assign(**{name: pd.to_numeric(items[name], errors="coerce")}).dropna(subset=[name])
    table = pd.DataFrame(accuracy_rows(some, [name]))
    table = table[table["n"] >= MIN_ITEMS].reset_index(drop=True).astype({name: "Int64"})
    series = points_of(table, name)
    return AnalysisPart(
        name, f"Accuracy by {name}", f"{_PAPER}, {section}", table,
        f"Wilson's 95 % intervals; values of at least {MIN_ITEMS} items",
        curves_of(series, name, "accuracy") if series else None,
    )  # fmt: skip


def _across(items: pd.DataFrame) -> AnalysisPart | None:
    """Correlate over languages: relations with each other, accuracy with size and distance."""
    rows: list[dict[str, object]] = []
    for model, some in items.groupby("model", sort=False):
        by = some.groupby(["language", "relation"])["decision"].agg(["mean", "size"])
        wide = by["mean"].where(by["size"] >= MIN_ITEMS).unstack("relation")
        names = list(wide)
        for number, one in enumerate(names):
            for two in names[number + 1 :]:
                rows += _correlation(str(model), f"{one} – {two}", wide[one], wide[two])
        whole = some.groupby("language").agg(
            accuracy=("decision", "mean"), n=("decision", "size"), distance=("distance", "mean")
        )
        whole = whole[whole["n"] >= MIN_ITEMS]
        rows += _correlation(str(model), "accuracy – items", whole["accuracy"], whole["n"])
        rows += _correlation(
            str(model), "accuracy – distance", whole["accuracy"], whole["distance"]
        )
    if not rows:
        return None
    table = pd.DataFrame(rows)
    series = {
        str(model): some.set_index("what")["pearson"].to_dict()
        for model, some in table.groupby("model", sort=False)
    }
    return AnalysisPart(
        "across", "Correlations across languages", f"{_PAPER}, section Results", table,
        f"over languages with at least {MIN_ITEMS} items on both sides",
        grouped_bars(series, "Pearson's r"),
    )  # fmt: skip


def _correlation(
    model: str, what: str, one: pd.Series, two: pd.Series
) -> Iterator[dict[str, object]]:
    from scipy.stats import pearsonr, spearmanr

    both = pd.concat([one, two], axis=1).astype(float).dropna()
    if len(both) < 3 or (both.nunique() < 2).any():
        return
    pearson, spearman = (test(both.iloc[:, 0], both.iloc[:, 1]) for test in (pearsonr, spearmanr))
    yield {
        "model": model, "what": what, "pearson": float(pearson.statistic), "p": float(pearson.pvalue),
        "spearman": float(spearman.statistic), "languages": len(both),
    }  # fmt: skip


def _features(items: pd.DataFrame) -> AnalysisPart:
    """Compare items that agree in gender, case or person, too, with those in number alone."""
    known = items.dropna(subset=["agrees_in"])
    rows = []
    for model, some in known.groupby("model", sort=False):
        names = sorted({name for text in some["agrees_in"].unique() for name in text.split("|")})
        for name in names:
            has = some["agrees_in"].str.split("|").map(lambda parts, name=name: name in parts)
            rows.append({"model": model, "feature": name, **_two_sides(some, has)})
    table = pd.DataFrame(rows)
    series = {
        side: {f"{row['model']}, {row['feature']}": row[side] for _, row in table.iterrows()}
        for side in ("with", "without")
    }
    return AnalysisPart(
        "features", "Case and gender against number", f"{_PAPER}, section Results", table,
        "items that agree in the feature, and those that do not; within: the mean difference of"
        " languages and relations that have both",
        grouped_bars(series, "accuracy"), (7.0, 4.0),
    )  # fmt: skip


def _two_sides(some: pd.DataFrame, has: pd.Series) -> dict[str, object]:
    means = some.assign(side=has).groupby(["language", "relation", "side"])["decision"]
    cells = means.agg(["mean", "size"])
    wide = cells["mean"].where(cells["size"] >= MIN_ITEMS).unstack("side")
    both = wide.dropna() if wide.shape[1] == 2 else wide.iloc[:0]
    within = float((both[True] - both[False]).mean()) if len(both) else math.nan
    sides = [some["decision"][has], some["decision"][~has]]
    one, two = (float(side.mean()) if len(side) else np.nan for side in sides)
    return {
        "with": one, "without": two, "difference": one - two, "within": within,
        "n": len(some), "n_with": int(has.sum()),
    }  # fmt: skip
