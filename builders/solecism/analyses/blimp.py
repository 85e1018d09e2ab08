"""The analyses of Warstadt et al. (2020), "BLiMP"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from solecism.analyses.answers import (
    accuracy_rows,
    by_paradigm,
    items_of,
    model_size,
    points_of,
    without_size,
)
from solecism.analyses.part import AnalysisPart, curves_of, dot_lines, grouped_bars, heat
from solecism.errors import fail
from solecism.scoring.results import Result

_PAPER = "Warstadt et al. 2020"
PEOPLE = "people"
MOST_SHOWN = 100
"""The most paradigms in the figure of difficulty, the hardest ones."""

_DETERMINERS = "determiner_noun_agreement"
_LOCAL = ("1", "2", "irregular_1", "irregular_2")
_ADJECTIVE = ("with_adjective_1", "with_adj_2", "with_adj_irregular_1", "with_adj_irregular_2")
_SUBJECTS = ("regular_plural_subject_verb_agreement", "irregular_plural_subject_verb_agreement")

CONTRASTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "intervening adjective": (
        tuple(f"{_DETERMINERS}_{name}" for name in _LOCAL),
        tuple(f"{_DETERMINERS}_{name}" for name in _ADJECTIVE),
    ),
    "attractor in a relational noun": (
        tuple(f"{name}_1" for name in _SUBJECTS),
        ("distractor_agreement_relational_noun",),
    ),
    "attractor in a relative clause": (
        tuple(f"{name}_1" for name in _SUBJECTS),
        ("distractor_agreement_relative_clause",),
    ),
    "irregular plural": (
        tuple(f"{_SUBJECTS[0]}_{n}" for n in (1, 2)), tuple(f"{_SUBJECTS[1]}_{n}" for n in (1, 2)),
    ),
    "irregular noun after a determiner": (
        tuple(f"{_DETERMINERS}_{n}" for n in (1, 2)),
        tuple(f"{_DETERMINERS}_irregular_{n}" for n in (1, 2)),
    ),
}  # fmt: skip
"""Paradigms without and with something that makes agreement harder (sections 6.1 and 6.2)."""


def analyse_blimp(
    results: Sequence[Result], tables: Sequence[pd.DataFrame] = (), chance: float = 0.5
) -> list[AnalysisPart]:
    """Return the parts that these results allow.

    ``tables``: accuracies of others by paradigm
    (:func:`~solecism.analyses.answers.read_accuracies`), people among them as :data:`PEOPLE`.
    """
    items = items_of(results, ("length_in_words",)) if results else None
    known = [by_paradigm(_plain(items))] if items is not None else []
    if not known and not tables:
        raise fail("name results, or a table of accuracies (--published)")
    accuracies = _with_phenomena(pd.concat([*known, *tables], ignore_index=True))
    if accuracies.empty:
        raise fail("the tables name no phenomena (linguistics_term): name one that does, too")
    wide = accuracies.pivot_table("accuracy", "UID", "model", sort=False)
    parts = [_phenomena(accuracies), _contrasts(wide), _difficulty(accuracies, wide, chance)]
    if wide.shape[1] > 1:
        parts.append(_correlations(wide))
    if items is not None:
        parts += [part for part in _of_items(items) if part is not None]
    return parts


def _plain(items: pd.DataFrame) -> pd.DataFrame:
    """Return the items by whole sentences, if there are any."""
    some = items[~items["method"].isin(_PREFIXES)]
    return some if len(some) else items


def _with_phenomena(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Fill in the phenomena of a table that lacks them from the others."""
    known = accuracies.dropna(subset=["phenomenon"]).drop_duplicates("UID")
    terms = known.set_index("UID")["phenomenon"]
    filled = accuracies["phenomenon"].fillna(accuracies["UID"].map(terms))
    return accuracies.assign(phenomenon=filled).dropna(subset=["phenomenon"])


def _phenomena(accuracies: pd.DataFrame) -> AnalysisPart:
    """Return Table 3: each paradigm counts once."""
    means = accuracies.groupby(["phenomenon", "model"])["accuracy"].mean().unstack("model")
    means = means[list(dict.fromkeys(accuracies["model"]))]
    overall = accuracies.groupby("model")["accuracy"].mean()[means.columns].to_frame("overall").T
    table = pd.concat([overall, means]).rename_axis("phenomenon").reset_index()
    series = {str(m): means[m].to_dict() for m in means}
    return AnalysisPart(
        "phenomena", "Accuracy by phenomenon", f"{_PAPER}, Table 3", table,
        "mean over paradigms", grouped_bars(series, "accuracy", 0.5), (9.0, 4.5),
    )  # fmt: skip


def _correlations(wide: pd.DataFrame) -> AnalysisPart:
    found = wide.corr(method="pearson")
    names = [str(name) for name in found]
    table = found.rename_axis(index="model", columns=None).reset_index()
    note = f"Pearson's r over {len(wide.dropna())} paradigms"
    size = 1.6 + 0.8 * len(names)
    return AnalysisPart(
        "correlations", "Correlation of accuracies", f"{_PAPER}, Figure 1", table, note,
        heat(names, names, found.to_numpy(), 0.0), (size + 1, size),
    )  # fmt: skip


def _contrasts(wide: pd.DataFrame) -> AnalysisPart:
    rows = []
    for name, (without, with_it) in CONTRASTS.items():
        for model in wide:
            one, two = (
                float(wide[model].reindex(list(uids)).mean(skipna=False))
                for uids in (without, with_it)
            )
            if not math.isnan(one + two):
                rows.append({"what": name, "model": model, "without": one, "with": two,
                             "cost": one - two})  # fmt: skip
    table = pd.DataFrame(rows, columns=["what", "model", "without", "with", "cost"])
    series = {
        str(model): some.set_index("what")["cost"].to_dict()
        for model, some in table.groupby("model", sort=False)
    }
    return AnalysisPart(
        "agreement", "What makes agreement harder", f"{_PAPER}, sections 6.1 and 6.2", table,
        "means over paradigms; cost: without less with", grouped_bars(series, "cost"), (8.0, 4.5),
    )  # fmt: skip


def _difficulty(accuracies: pd.DataFrame, wide: pd.DataFrame, chance: float) -> AnalysisPart:
    """Return paradigms by the best model; people are no model."""
    models = [name for name in wide if name != PEOPLE]
    terms = accuracies.drop_duplicates("UID").set_index("UID")["phenomenon"]
    table = pd.DataFrame(
        {
            "UID": wide.index, "phenomenon": terms[wide.index].to_numpy(),
            "best": wide[models].max(axis=1).to_numpy(),
            "mean": wide[models].mean(axis=1).to_numpy(),
            "worst": wide[models].min(axis=1).to_numpy(),
            **({PEOPLE: wide[PEOPLE].to_numpy()} if PEOPLE in wide else {}),
        }
    ).sort_values("best", ignore_index=True)  # fmt: skip
    table["all fail"] = np.where(table["best"] <= chance, "yes", "")
    shown = table.head(MOST_SHOWN)
    return AnalysisPart(
        "difficulty", "Paradigms by difficulty", f"{_PAPER}, Table 4", table,
        f"all fail: no model is above {chance:g}; the figure has the {len(shown)} hardest", dot_lines(
            {row["UID"]: (row["mean"], row["worst"], row["best"]) for _, row in shown.iterrows()},
            "mean, worst and best model", chance,
        ),
        (7.0, 0.16 * len(shown) + 1.2),
    )  # fmt: skip


def _of_items(items: pd.DataFrame) -> Iterator[AnalysisPart | None]:
    plain = _plain(items)
    yield _curve(
        plain,
        "length",
        pd.to_numeric(plain["length_in_words"], errors="coerce"),
        "words of a sentence",
        "Figure 2",
    )
    yield _curve(
        plain, "good", _tenths(plain, "logp_good"), "log P of the good sentence", "Figure 2"
    )
    confidence = plain.assign(size=plain["margin"].abs())
    yield _curve(confidence, "confidence", _tenths(confidence, "size"), "|margin|", "Figure 2")
    yield _methods(items)
    yield _sizes(plain)


def _tenths(items: pd.DataFrame, column: str) -> pd.Series:
    """Return the middle of the tenth of a model's items in which each item is."""

    def middles(values: pd.Series) -> pd.Series:
        known = values.dropna()
        if known.empty:
            return values
        tenth = pd.qcut(known.rank(method="first"), min(10, len(known)), labels=False)
        return known.groupby(tenth).transform("median").reindex(values.index)

    return items.groupby("model")[column].transform(middles)


def _curve(
    items: pd.DataFrame, name: str, across: pd.Series, label: str, section: str
) -> AnalysisPart | None:
    """Return accuracy against a number, a row each value of it."""
    some = items.assign(**{label: across.astype(float)}).dropna(subset=[label])
    if some.empty:
        return None
    table = pd.DataFrame(accuracy_rows(some, [label]))
    if (table[label] % 1 == 0).all():
        table[label] = table[label].astype("Int64")
    return AnalysisPart(
        name, f"Accuracy by {label}", f"{_PAPER}, {section}", table, "Wilson's 95 % intervals",
        curves_of(points_of(table, label), label, "accuracy"),
    )  # fmt: skip


_PREFIXES = ("one_prefix", "two_prefix")


def _methods(items: pd.DataFrame) -> AnalysisPart | None:
    """Compare whole sentences with the prefix methods, on the paradigms that allow each."""
    if not set(items["method"]) & set(_PREFIXES):
        return None
    method = items["method"].where(items["method"].isin(_PREFIXES), "whole sentences")
    by = items.assign(method=method).groupby(["model", "UID", "method"])
    each = by["decision"].mean().unstack("method")
    rows: list[dict[str, Any]] = []
    for prefix in (name for name in _PREFIXES if name in each and "whole sentences" in each):
        both = each.dropna(subset=["whole sentences", prefix])
        for model, some in both.groupby("model"):
            rows.append({
                "model": model, "method": prefix, "accuracy": some[prefix].mean(),
                "whole sentences": some["whole sentences"].mean(),
                "difference": (some[prefix] - some["whole sentences"]).mean(),
                "paradigms": len(some),
            })  # fmt: skip
    if not rows:
        return None
    series = {
        side: {f"{row['model']}, {row['method']}": row[column] for row in rows}
        for side, column in (("prefix", "accuracy"), ("whole sentences", "whole sentences"))
    }
    return AnalysisPart(
        "methods", "Prefix methods and whole sentences", f"{_PAPER}, section 6.4",
        pd.DataFrame(rows), "the same paradigms on both sides",
        grouped_bars(series, "accuracy", 0.5),
    )  # fmt: skip


def _sizes(items: pd.DataFrame) -> AnalysisPart | None:
    """Return accuracy by phenomenon against what models are named after: steps, or a size."""
    named = items[["run", "checkpoint"]].drop_duplicates()
    sizes = {(r, v): model_size(r, v) for r, v in named.itertuples(index=False)}
    keys = pd.Series(list(zip(items["run"], items["checkpoint"], strict=True)), index=items.index)
    families = items["model"].str.partition("@")[0].map(without_size)
    some = items.assign(size=keys.map(sizes), family=families)
    some = some.dropna(subset=["size"])
    some = some[some.groupby("family")["size"].transform("nunique") > 1]
    if some.empty:
        return None
    each = some.groupby(["family", "phenomenon", "size", "UID"])["decision"].mean()
    table = each.groupby(["family", "phenomenon", "size"]).mean().rename("accuracy").reset_index()
    several = table["family"].nunique() > 1
    series = {
        f"{family}, {term}" if several else str(term):
        list(zip(group["size"], group["accuracy"], strict=True))
        for (family, term), group in table.groupby(["family", "phenomenon"])
    }  # fmt: skip
    return AnalysisPart(
        "training", "Accuracy by training", f"{_PAPER}, section 6.3",
        table.rename(columns={"family": "model"}).astype({"size": "Int64"}),
        "size: the step of a checkpoint, or the size in a model's name",
        curves_of(series, "size", "accuracy", log=True), (8.0, 5.0),
    )  # fmt: skip
