"""The analyses of Warstadt et al. (2020), "BLiMP"."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from solecism.analyses.answers import accuracies, by_paradigm, items_of, model_size, without_size
from solecism.analyses.part import (
    AnalysisPart,
    curves_of,
    dot_lines,
    grouped_bars,
    heat,
    joined,
    side_by_side,
)
from solecism.errors import fail
from solecism.inputs import read_toml
from solecism.scoring.results import Result

_PAPER = "Warstadt et al. 2020"
PEOPLE = "people"
MOST_SHOWN = 100
"""The most paradigms in the figure of difficulty, the hardest ones."""

CONTRASTS: Mapping[str, tuple[list[str], list[str]]] = {
    name: (sides["without"], sides["with"])
    for name, sides in read_toml(Path(__file__).with_suffix(".toml")).items()
}
"""Paradigms without and with something that makes agreement harder (sections 6.1 and 6.2)."""

_PREFIXES = ["one_prefix", "two_prefix"]


def analyse_blimp(
    results: Sequence[Result], tables: Sequence[pd.DataFrame] = (), chance: float = 0.5
) -> list[AnalysisPart]:
    """Return the parts that these results allow.

    ``tables``: accuracies of others by paradigm
    (:func:`~solecism.analyses.answers.read_accuracies`), people among them as :data:`PEOPLE`.
    """
    parts: list[AnalysisPart | None] = []
    known = list(tables)
    if results:
        items = items_of(results, ("length_in_words",))
        whole = items[~items["method"].isin(_PREFIXES)]
        plain = whole if len(whole) else items
        known.insert(0, by_paradigm(plain))
        words = pd.to_numeric(plain["length_in_words"], errors="coerce")
        parts = [
            _curve(plain, "length", words, "words of a sentence"),
            _curve(plain, "good", _tenths(plain, plain["logp_good"]), "log P of the good sentence"),
            _curve(plain, "confidence", _tenths(plain, plain["margin"].abs()), "|margin|"),
            _methods(items), _sizes(plain),
        ]  # fmt: skip
    if not known:
        raise fail("name results, or a table of accuracies (--published)")
    table = _with_phenomena(pd.concat(known, ignore_index=True))
    if table.empty:
        raise fail("the tables name no phenomena (linguistics_term): name one that does, too")
    wide = table.pivot_table("accuracy", "UID", "model", sort=False)
    first = [_phenomena(table), _contrasts(wide), _difficulty(table, wide, chance)]
    if wide.shape[1] > 1:
        first.append(_correlations(wide))
    return [*first, *(part for part in parts if part is not None)]


def _with_phenomena(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Fill in the phenomena of a table that lacks them from the others."""
    known = accuracies.dropna(subset=["phenomenon"]).drop_duplicates("UID")
    terms = known.set_index("UID")["phenomenon"]
    filled = accuracies["phenomenon"].fillna(accuracies["UID"].map(terms))
    return accuracies.assign(phenomenon=filled).dropna(subset=["phenomenon"])


def _phenomena(accuracies: pd.DataFrame) -> AnalysisPart:
    """Return Table 3: each paradigm counts once."""
    means = accuracies.groupby(["phenomenon", "model"])["accuracy"].mean().unstack("model")
    means = means[accuracies["model"].unique()]
    overall = accuracies.groupby("model")["accuracy"].mean()[means.columns].to_frame("overall").T
    table = pd.concat([overall, means]).rename_axis("phenomenon").reset_index()
    return AnalysisPart(
        "phenomena", "Accuracy by phenomenon", f"{_PAPER}, Table 3", table,
        "mean over paradigms", grouped_bars(means, "accuracy", 0.5), (9.0, 4.5),
    )  # fmt: skip


def _correlations(wide: pd.DataFrame) -> AnalysisPart:
    found = wide.corr(method="pearson")
    note = f"Pearson's r over {len(wide.dropna())} paradigms"
    size = 1.6 + 0.8 * len(found)
    return AnalysisPart(
        "correlations", "Correlation of accuracies", f"{_PAPER}, Figure 1",
        found.rename_axis(index="model", columns=None).reset_index(), note, heat(found),
        (size + 1, size),
    )  # fmt: skip


def _contrasts(wide: pd.DataFrame) -> AnalysisPart:
    parts = []
    for name, sides in CONTRASTS.items():
        without, with_it = (wide.reindex(uids).mean(skipna=False) for uids in sides)
        known = {"without": without, "with": with_it, "cost": without - with_it}
        parts.append(pd.DataFrame(known).dropna().reset_index(names="model").assign(what=name))
    table = pd.concat(parts)[["what", "model", "without", "with", "cost"]]
    return AnalysisPart(
        "agreement", "What makes agreement harder", f"{_PAPER}, sections 6.1 and 6.2", table,
        "means over paradigms; cost: without less with",
        grouped_bars(side_by_side(table["model"], table["what"], table["cost"]), "cost"), (8.0, 4.5),
    )  # fmt: skip


def _difficulty(accuracies: pd.DataFrame, wide: pd.DataFrame, chance: float) -> AnalysisPart:
    """Return paradigms by the best model; people are no model."""
    models = wide.drop(columns=PEOPLE, errors="ignore")
    table = accuracies.drop_duplicates("UID").set_index("UID")[["phenomenon"]].loc[wide.index]
    table = table.assign(
        best=models.max(axis=1), mean=models.mean(axis=1), worst=models.min(axis=1),
        **({PEOPLE: wide[PEOPLE]} if PEOPLE in wide else {}),
    ).reset_index().sort_values("best", ignore_index=True)  # fmt: skip
    table["all fail"] = np.where(table["best"] <= chance, "yes", "")
    shown = table.head(MOST_SHOWN)
    ends = shown[["mean", "worst", "best"]]
    return AnalysisPart(
        "difficulty", "Paradigms by difficulty", f"{_PAPER}, Table 4", table,
        f"all fail: no model is above {chance:g}; the figure has the {len(shown)} hardest",
        dot_lines(list(shown["UID"]), ends, "mean, worst and best model", chance),
        (7.0, 0.16 * len(shown) + 1.2),
    )  # fmt: skip


def _tenths(items: pd.DataFrame, numbers: pd.Series) -> pd.Series:
    """Return the middle of the tenth of a model's items in which each item is."""

    def middles(values: pd.Series) -> pd.Series:
        known = values.dropna()
        if known.empty:
            return values
        tenth = pd.qcut(known.rank(method="first"), min(10, len(known)), labels=False)
        return known.groupby(tenth).transform("median").reindex(values.index)

    return numbers.groupby(items["model"]).transform(middles)


def _curve(items: pd.DataFrame, name: str, across: pd.Series, label: str) -> AnalysisPart | None:
    """Return accuracy against a number, a row each value of it."""
    some = items.assign(**{label: across.astype(float)}).dropna(subset=[label])
    if some.empty:
        return None
    table = accuracies(some, [label])
    if (table[label] % 1 == 0).all():
        table[label] = table[label].astype("Int64")
    return AnalysisPart(
        name, f"Accuracy by {label}", f"{_PAPER}, Figure 2", table, "Wilson's 95 % intervals",
        curves_of(table, label),
    )  # fmt: skip


def _methods(items: pd.DataFrame) -> AnalysisPart | None:
    """Compare whole sentences with the prefix methods, on the paradigms that allow each."""
    whole = "whole sentences"
    method = items["method"].where(items["method"].isin(_PREFIXES), whole)
    by = items.assign(method=method).groupby(["model", "UID", "method"])
    each = by["decision"].mean().unstack("method")
    parts = []
    for prefix in (name for name in _PREFIXES if {name, whole} <= set(each)):
        both = each.dropna(subset=[whole, prefix])
        both["accuracy"], both["difference"] = both[prefix], both[prefix] - both[whole]
        by = both.assign(method=prefix).groupby(["model", "method"])
        means = by[["accuracy", whole, "difference"]].mean()
        parts.append(means.assign(paradigms=by.size()).reset_index())
    if not parts:
        return None
    table = pd.concat(parts, ignore_index=True)
    sides = table.set_index(pd.Index(joined(table, "model", "method")))
    sides = sides.rename(columns={"accuracy": "prefix"})[["prefix", whole]]
    return AnalysisPart(
        "methods", "Prefix methods and whole sentences", f"{_PAPER}, section 6.4", table,
        "the same paradigms on both sides", grouped_bars(sides, "accuracy", 0.5),
    )  # fmt: skip


def _sizes(items: pd.DataFrame) -> AnalysisPart | None:
    """Return accuracy by phenomenon against what models are named after: steps, or a size."""
    sizes = list(map(cache(model_size), items["run"], items["checkpoint"]))
    size = pd.Series(sizes, items.index, float)
    family = items["model"].str.partition("@")[0].map(without_size)
    some = items.assign(size=size, model=family).dropna(subset=["size"])
    some = some[some.groupby("model")["size"].transform("nunique") > 1]
    if some.empty:
        return None
    each = some.groupby(["model", "phenomenon", "size", "UID"])["decision"].mean()
    table = each.groupby(["model", "phenomenon", "size"]).mean().reset_index(name="accuracy")
    keys = ["model", "phenomenon"] if table["model"].nunique() > 1 else ["phenomenon"]
    return AnalysisPart(
        "training", "Accuracy by training", f"{_PAPER}, section 6.3", table.astype({"size": "Int64"}),
        "size: the step of a checkpoint, or the size in a model's name",
        curves_of(table.assign(model=joined(table, *keys)), "size", log=True), (8.0, 5.0),
    )  # fmt: skip
