"""The analyses of Bacon and Regier (2019), "Does BERT agree?"."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import pandas as pd

from solecism.analyses.answers import accuracies, items_of
from solecism.analyses.part import AnalysisPart, curves_of, grouped_bars, joined, side_by_side
from solecism.scoring.results import Result

_PAPER = "Bacon and Regier 2019"
_FEATURES = ("distance", "distractors", "agrees_in", "relation", "flipped", "attractors")
_OF_PAIRS = {"relation": "UID", "agrees_in": "flipped", "distractors": "attractors"}
"""Columns of cloze items, and where minimal pairs have the same."""

MIN_ITEMS = 20
"""Fewer items than this make no row of a curve, and no language of a correlation."""


def analyse_agreement(results: Sequence[Result]) -> list[AnalysisPart]:
    """Return accuracies by language and relation, curves, correlations and comparisons.

    Of pairs that were mined, the relation and the feature that was flipped are those of the pair,
    and ``distractors`` are its attractors.
    """
    items = items_of(results, _FEATURES)
    for name, other in _OF_PAIRS.items():
        items[name] = items[name].astype(object).where(items[name].notna(), items[other])
    parts = [
        _accuracy(items, ["relation"], "relations", "Figure 1"),
        _accuracy(items, ["language"], "languages", "Figure 2"),
        _accuracy(items, ["language", "relation"], "cells", "Tables 1 and 2"),
    ]
    for name, title in (("distance", "Figure 3"), ("distractors", "Figure 4")):
        if items[name].notna().any():
            parts.append(_curve(items, name, title))
    across = pd.DataFrame(_across(items))
    if len(across):
        series = side_by_side(across["model"], across["what"], across["pearson"])
        parts.append(AnalysisPart(
            "across", "Correlations across languages", f"{_PAPER}, section Results", across,
            f"over languages with at least {MIN_ITEMS} items on both sides",
            grouped_bars(series, "Pearson's r"),
        ))  # fmt: skip
    if items["agrees_in"].notna().any():
        parts.append(_features(items))
    return parts


def _accuracy(items: pd.DataFrame, keys: list[str], name: str, section: str) -> AnalysisPart:
    table = accuracies(items, keys)
    series = side_by_side(table["model"], joined(table, *keys), table["accuracy"])
    return AnalysisPart(
        name, f"Accuracy by {' and '.join(keys)}", f"{_PAPER}, {section}", table,
        "Wilson's 95 % intervals", grouped_bars(series, "accuracy"), (9.0, 4.0),
    )  # fmt: skip


def _curve(items: pd.DataFrame, name: str, section: str) -> AnalysisPart:
    some = items.assign(**{name: pd.to_numeric(items[name], errors="coerce")}).dropna(subset=[name])
    table = accuracies(some, [name])
    table = table[table["n"] >= MIN_ITEMS].reset_index(drop=True).astype({name: "Int64"})
    return AnalysisPart(
        name, f"Accuracy by {name}", f"{_PAPER}, {section}", table,
        f"Wilson's 95 % intervals; values of at least {MIN_ITEMS} items",
        curves_of(table, name) if len(table) else None,
    )  # fmt: skip


def _across(items: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Correlate over languages: relations with each other, accuracy with size and distance."""
    from scipy.stats import pearsonr, spearmanr

    for model, some in items.groupby("model", sort=False):
        by = some.groupby(["language", "relation"])["decision"].agg(["mean", "size"])
        wide = by["mean"].where(by["size"] >= MIN_ITEMS).unstack("relation")
        columns = {f"{one} – {two}": (wide[one], wide[two]) for one, two in combinations(wide, 2)}
        whole = some.groupby("language").agg(
            accuracy=("decision", "mean"), items=("decision", "size"), distance=("distance", "mean")
        )
        whole = whole[whole["items"] >= MIN_ITEMS]
        for name in ("items", "distance"):
            columns[f"accuracy – {name}"] = whole["accuracy"], whole[name]
        for what, sides in columns.items():
            both = pd.concat(sides, axis=1).astype(float).dropna()
            if len(both) >= 3 and (both.nunique() > 1).all():
                pearson, spearman = (test(*both.to_numpy().T) for test in (pearsonr, spearmanr))
                yield {
                    "model": model, "what": what, "pearson": float(pearson.statistic),
                    "p": float(pearson.pvalue), "spearman": float(spearman.statistic),
                    "languages": len(both),
                }  # fmt: skip


def _features(items: pd.DataFrame) -> AnalysisPart:
    """Compare items that agree in gender, case or person, too, with those in number alone."""
    rows = []
    for model, some in items.dropna(subset=["agrees_in"]).groupby("model", sort=False):
        features = some["agrees_in"].str.get_dummies("|").astype(bool)
        for name, has in features.items():
            rows.append({"model": model, "feature": name, **_two_sides(some, has)})
    table = pd.DataFrame(rows)
    sides = table.set_index(pd.Index(joined(table, "model", "feature")))[["with", "without"]]
    return AnalysisPart(
        "features", "Case and gender against number", f"{_PAPER}, section Results", table,
        "items that agree in the feature, and those that do not; within: the mean difference of"
        " languages and relations that have both",
        grouped_bars(sides, "accuracy"), (7.0, 4.0),
    )  # fmt: skip


def _two_sides(some: pd.DataFrame, has: pd.Series) -> dict[str, object]:
    by = some.groupby(["language", "relation", has.rename("side")])["decision"]
    cells = by.agg(["mean", "size"])
    wide = cells["mean"].where(cells["size"] >= MIN_ITEMS).unstack("side")
    both = wide.reindex(columns=[True, False]).dropna()
    one, two = (float(some["decision"][side].mean()) for side in (has, ~has))
    return {
        "with": one, "without": two, "difference": one - two,
        "within": float((both[True] - both[False]).mean()), "n": len(some), "n_with": int(has.sum()),
    }  # fmt: skip
