"""The analyses of Mueller et al. (2020), "Cross-linguistic syntactic evaluation (CLAMS)"."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from solecism.analyses.answers import items_of, read_frame, require_columns
from solecism.analyses.part import AnalysisPart, dot_lines, grouped_bars, joined, side_by_side
from solecism.errors import candidates, fail
from solecism.language_tags import code_of
from solecism.scoring.results import Result

_PAPER = "Mueller et al. 2020"
_AVERAGE = "average accuracy"
MIN_ITEMS = 10
"""Fewer items than this make no row of gains."""

C_WALS = {"en": 0.3293, "fr": 0.4341, "de": 0.3970, "he": 0.5291, "ru": 0.4534}
"""The morphological complexity of languages that the paper takes, from 0 to 1.

It is the mean of up to 28 features of WALS (Dryer and Haspelmath 2013, CC-BY-4.0), each divided by
its maximum, after Bentz et al. (2016): 28 features of English and Russian, 27 of German and Hebrew,
26 of French.
"""


def analyse_clams(
    results: Sequence[Result], complexity: Path | None = None, baseline: str = ""
) -> list[AnalysisPart]:
    """Return the parts that these results allow.

    ``complexity``: a CSV with the columns ``language`` and ``complexity``, in place of
    :data:`C_WALS`; ``baseline``: the model that others are held against.
    Raises :class:`InputError` for a baseline without results.
    """
    items = items_of(results, ("match", "distance"))
    items["language"] = items["language"].fillna(items["config"])
    table = _cells(items)
    cells = table[table["construction"] != _AVERAGE]
    models = joined(cells, "model", "language")
    bars = side_by_side(models, cells["construction"], cells["accuracy"])
    accuracy = AnalysisPart(
        "accuracy", "Accuracy by construction and language", f"{_PAPER}, Table 1, Appendix C", table,
        "sd: standard deviation over seeds; average: each construction counts once",
        grouped_bars(bars, "accuracy", 0.5), (9.0, 4.5),
    )  # fmt: skip
    measure = read_complexity(complexity) if complexity else C_WALS
    parts = [accuracy, _animacy(items), _multilingual(cells), _complexity(cells, measure)]
    if baseline:
        parts.append(_gains(items, baseline))
    return [part for part in parts if part is not None]


def _cells(items: pd.DataFrame) -> pd.DataFrame:
    """Return accuracy by model, language and construction: mean and deviation over seeds.

    The last rows of a model and language are averages in which each construction counts once.
    """
    keys = ["model", "run", "language", "construction"]
    runs = items.groupby(keys, sort=False)["decision"].agg(["mean", "size"]).reset_index()
    whole = runs.groupby(keys[:3], sort=False).agg({"mean": "mean", "size": "sum"}).reset_index()
    every = pd.concat([runs, whole.assign(construction=_AVERAGE)], ignore_index=True)
    by = every.groupby(["model", "language", "construction"], sort=False)
    table = by["mean"].agg(accuracy="mean", sd="std", seeds="size").reset_index()
    return table.assign(n=by["size"].sum().to_numpy()).astype({"seeds": "Int64"})


def _animacy(items: pd.DataFrame) -> AnalysisPart | None:
    """Compare paradigms that differ in the animacy of the attractor alone (`_anim`, `_inanim`)."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    some = items.assign(**items["UID"].str.extract(r"^(?P<paradigm>.+)_(?P<animacy>anim|inanim)$"))
    by = some.groupby(["model", "language", "paradigm", "animacy"], sort=False)["decision"]
    sides = by.agg(["mean", "sum", "size"]).unstack("animacy", sort=False).dropna()
    if sides.empty:
        return None
    table = pd.DataFrame({"animate": sides["mean", "anim"], "inanimate": sides["mean", "inanim"]})
    table["difference"] = table["animate"] - table["inanimate"]
    table[["low", "high"]] = [
        confint_proportions_2indep(
            round(row["sum", "anim"]), row["size", "anim"],
            round(row["sum", "inanim"]), row["size", "inanim"], method="newcomb",
        )
        for _, row in sides.iterrows()
    ]  # fmt: skip
    table["n"] = (sides["size", "anim"] + sides["size", "inanim"]).astype(int)
    table = table.reset_index()
    return AnalysisPart(
        "animacy", "Animate less inanimate", f"{_PAPER}, section 3", table,
        "difference of two shares with Newcombe's 95 % interval",
        dot_lines(joined(table, "model", "language", "paradigm"), table[["difference", "low", "high"]],
                  "difference"),
        (7.0, 0.25 * len(table) + 1.2),
    )  # fmt: skip


def _multilingual(cells: pd.DataFrame) -> AnalysisPart | None:
    """Compare models that were scored on one language with those scored on several."""
    languages = cells.groupby("model")["language"].transform("nunique")
    sided = cells.assign(side=np.where(languages > 1, "multilingual", "monolingual"))
    means = sided.groupby(["language", "construction", "side"], sort=False)["accuracy"].mean()
    table = means.unstack("side").reset_index()
    sides = ["monolingual", "multilingual"]
    if not set(sides) <= set(table):
        return None
    table = table.dropna().reset_index(drop=True)
    table["difference"] = table["multilingual"] - table["monolingual"]
    shown = table.set_index(pd.Index(joined(table, "language", "construction")))[sides]
    return AnalysisPart(
        "multilingual", "Monolingual and multilingual models", f"{_PAPER}, Tables 1 and 3", table,
        "a model is multilingual that was scored on several languages; difference: multi less mono",
        grouped_bars(shown, "accuracy", 0.5), (9.0, 4.5),
    )  # fmt: skip


def read_complexity(path: Path) -> dict[str, float]:
    """Return the complexity of each language. Raises :class:`InputError` for what is no number."""
    frame = read_frame(path)
    require_columns(frame, ["language", "complexity"], path)
    values = pd.to_numeric(frame["complexity"], errors="coerce")
    if values.isna().any():
        line = int(values.isna().argmax()) + 2
        raise fail(f"complexity is {frame['complexity'][line - 2]!r}, not a number", path, line)
    codes = [code_of(name) or name for name in frame["language"].astype(str)]
    return dict(zip(codes, values.astype(float), strict=True))


def _complexity(cells: pd.DataFrame, complexity: dict[str, float]) -> AnalysisPart | None:
    """Correlate accuracy with complexity over languages, with all and without each of them.

    Constructions that not all languages have are left out, as in section 6.3.
    """
    columns = ["models", "without", "languages", "constructions", "rho", "p"]
    table = pd.DataFrame(_correlated(cells, complexity), columns=columns)
    if table.empty:
        return None
    names = table["without"].map(lambda code: f"without {code}" if code else "all")
    return AnalysisPart(
        "complexity", "Accuracy and morphological complexity", f"{_PAPER}, section 6.3", table,
        "Spearman's correlation over languages; constructions that all of them have",
        grouped_bars(side_by_side(table["models"], names, table["rho"]), "rho"),
    )  # fmt: skip


def _correlated(cells: pd.DataFrame, complexity: dict[str, float]) -> Iterator[tuple[object, ...]]:
    from scipy.stats import spearmanr

    known = cells[cells["language"].isin(list(complexity))]
    several = known.groupby("model")["language"].transform("nunique") > 1
    groups = dict(list(known[several].groupby("model")))
    groups["monolingual models"] = known[~several]
    for name, some in groups.items():
        languages = some.groupby("construction")["language"].transform("nunique")
        kept = some[languages == some["language"].nunique()]
        means = kept.groupby("language")["accuracy"].mean()
        for without in ("", *means.index) if len(means) > 2 else ():
            left = means.drop(without, errors="ignore")
            if len(left) > 2:
                found = spearmanr([complexity[code] for code in left.index], left)
                shared = kept["construction"].nunique()
                yield name, without, len(left), shared, float(found.statistic), float(found.pvalue)


def _gains(items: pd.DataFrame, baseline: str) -> AnalysisPart:
    """Return how much better models are than a baseline, by attractor and distance."""
    models = items["model"].unique().tolist()
    if baseline not in models:
        near = candidates("models", models, baseline)
        raise fail(f"no result of the baseline {baseline!r} {near}")
    keys = ["config", "id"]
    right = items.groupby(["model", *keys])["decision"].mean().rename("right").reset_index()
    base = right[right["model"] == baseline].drop(columns="model").rename(columns={"right": "base"})
    kept = items.assign(distance=items["distance"].astype("Int64"))
    kept = kept[kept["model"] != baseline].drop_duplicates(["model", *keys])
    paired = kept.merge(right, on=["model", *keys]).merge(base, on=keys)
    rows = [
        {"model": model, "by": by, "value": str(value), **_gain(some)}
        for model, mine in paired.groupby("model", sort=False)
        for by in ("match", "distance")
        for value, some in mine.groupby(by)
        if len(some) >= MIN_ITEMS
    ]
    columns = ["model", "by", "value", "accuracy", "baseline", "gain", "low", "high", "n"]
    table = pd.DataFrame(rows, columns=columns)
    names = [f"{row.model}, {row.by} {row.value}" for row in table.itertuples()]
    return AnalysisPart(
        "gain", f"Gain over {baseline}", f"{_PAPER}, section 6", table,
        f"difference of accuracies on the same items ({MIN_ITEMS} or more), with a 95 % interval clustered"
        " by minimal set",
        dot_lines(names, table[["gain", "low", "high"]], "gain"), (7.0, 0.25 * len(table) + 1.2),
    )  # fmt: skip


def _gain(some: pd.DataFrame) -> dict[str, float]:
    difference = some["right"] - some["base"]
    by_set = (difference - difference.mean()).groupby(some["set_id"]).sum()
    error = math.sqrt(float((by_set**2).sum())) / len(some)
    mean = float(difference.mean())
    return {
        "accuracy": float(some["right"].mean()), "baseline": float(some["base"].mean()),
        "gain": mean, "low": mean - 1.96 * error, "high": mean + 1.96 * error, "n": len(some),
    }  # fmt: skip
