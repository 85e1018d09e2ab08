"""The analyses of Mueller et al. (2020), "Cross-linguistic syntactic evaluation (CLAMS)"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from solecism.analyses.answers import items_of, require_columns
from solecism.analyses.part import AnalysisPart, dot_lines, grouped_bars
from solecism.errors import candidates, fail
from solecism.inputs import read_text
from solecism.scoring.results import Result

_PAPER = "Mueller et al. 2020"
_FEATURES = ("match", "distance", "controller_number", "attractor_number")
_GAIN = ("accuracy", "baseline", "gain", "low", "high", "n")
MIN_ITEMS = 10
"""Fewer items than this make no row of gains."""


def analyse_clams(
    results: Sequence[Result], complexity: Path | None = None, baseline: str = ""
) -> list[AnalysisPart]:
    """Return the parts that these results allow.

    ``complexity``: a CSV with the columns ``language`` and ``complexity`` (the paper's C_WALS of
    Bentz et al. 2016, or another measure); ``baseline``: the model that others are held against.
    Raises :class:`InputError` for a baseline without results.
    """
    items = items_of(results, _FEATURES)
    items["language"] = items["language"].fillna(items["config"])
    table = _cells(items)
    cells = table[table["construction"] != _AVERAGE]
    parts = [_accuracy(table, cells)]
    parts += filter(None, [_animacy(items), _multilingual(cells)])
    if complexity is not None:
        parts.append(_complexity(cells, read_complexity(complexity)))
    if baseline:
        parts.append(_gains(items, baseline))
    return parts


_AVERAGE = "average accuracy"


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
    return table.assign(n=by["size"].sum().to_numpy())


def _accuracy(table: pd.DataFrame, cells: pd.DataFrame) -> AnalysisPart:
    table["seeds"] = table["seeds"].astype("Int64")
    series = {
        f"{model}, {language}": some.set_index("construction")["accuracy"].to_dict()
        for (model, language), some in cells.groupby(["model", "language"], sort=False)
    }
    return AnalysisPart(
        "accuracy", "Accuracy by construction and language", f"{_PAPER}, Table 1, Appendix C", table,
        "sd: standard deviation over seeds; average: each construction counts once",
        grouped_bars(series, "accuracy", 0.5), (9.0, 4.5),
    )  # fmt: skip


def _animacy(items: pd.DataFrame) -> AnalysisPart | None:
    """Compare paradigms that differ in the animacy of the attractor alone (`_anim`, `_inanim`)."""
    found = items["UID"].str.extract(r"^(?P<base>.+)_(?P<animacy>anim|inanim)$")
    some = items.assign(**found).dropna(subset=["animacy"])
    rows = [
        {**dict(zip(("model", "language", "paradigm"), names, strict=True)), **_two_shares(group)}
        for names, group in some.groupby(["model", "language", "base"], sort=False)
        if group["animacy"].nunique() == 2
    ]
    if not rows:
        return None
    table = pd.DataFrame(rows)
    points = {
        f"{row['model']}, {row['language']}, {row['paradigm']}":
        (row["difference"], row["low"], row["high"])
        for _, row in table.iterrows()
    }  # fmt: skip
    return AnalysisPart(
        "animacy", "Animate less inanimate", f"{_PAPER}, section 3", table,
        "difference of two shares with Newcombe's 95 % interval",
        dot_lines(points, "difference"), (7.0, 0.25 * len(table) + 1.2),
    )  # fmt: skip


def _two_shares(group: pd.DataFrame) -> dict[str, float]:
    from statsmodels.stats.proportion import confint_proportions_2indep

    sides = {name: some["decision"] for name, some in group.groupby("animacy")}
    right = [round(float(sides[name].sum())) for name in ("anim", "inanim")]
    n = [len(sides[name]) for name in ("anim", "inanim")]
    low, high = confint_proportions_2indep(right[0], n[0], right[1], n[1], method="newcomb")
    one, two = (float(sides[name].mean()) for name in ("anim", "inanim"))
    return {
        "animate": one, "inanimate": two, "difference": one - two,
        "low": float(low), "high": float(high), "n": sum(n),
    }  # fmt: skip


def _multilingual(cells: pd.DataFrame) -> AnalysisPart | None:
    """Compare models that were scored on one language with those scored on several."""
    languages = cells.groupby("model")["language"].transform("nunique")
    sided = cells.assign(side=np.where(languages > 1, "multilingual", "monolingual"))
    means = sided.groupby(["language", "construction", "side"], sort=False)["accuracy"].mean()
    table = means.unstack("side").reset_index()
    if "monolingual" not in table or "multilingual" not in table:
        return None
    table = table.dropna().reset_index(drop=True)
    table["difference"] = table["multilingual"] - table["monolingual"]
    return AnalysisPart(
        "multilingual", "Monolingual and multilingual models", f"{_PAPER}, Tables 1 and 3", table,
        "a model is multilingual that was scored on several languages; difference: multi less mono",
        grouped_bars(
            {
                side: {
                    f"{row['language']}, {row['construction']}": row[side]
                    for _, row in table.iterrows()
                }
                for side in ("monolingual", "multilingual")
            },
            "accuracy", 0.5,
        ),
        (9.0, 4.5),
    )  # fmt: skip


def read_complexity(path: Path) -> dict[str, float]:
    """Return the complexity of each language. Raises :class:`InputError` for what is no number."""
    import io

    frame = pd.read_csv(io.StringIO(read_text(path, "utf-8-sig")))
    require_columns(frame, ["language", "complexity"], path)
    values = pd.to_numeric(frame["complexity"], errors="coerce")
    if values.isna().any():
        line = int(np.flatnonzero(values.isna())[0]) + 2
        raise fail(f"complexity is {frame['complexity'][line - 2]!r}, not a number", path, line)
    return dict(zip(frame["language"].astype(str), values.astype(float), strict=True))


def _complexity(cells: pd.DataFrame, complexity: dict[str, float]) -> AnalysisPart:
    """Correlate accuracy with complexity over languages, with all and without each of them.

    Constructions that not all languages have are left out, as in section 6.3.
    """
    table = pd.DataFrame(_correlated(cells, complexity))
    return AnalysisPart(
        "complexity", "Accuracy and morphological complexity", f"{_PAPER}, section 6.3", table,
        "Spearman's correlation over languages; constructions that all of them have",
        grouped_bars(_rho_by(table), "rho"),
    )  # fmt: skip


def _rho_by(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return the correlations of each group of models by the language that is left out."""
    return (
        {
            str(models): {
                f"without {row['without']}" if row["without"] else "all": row["rho"]
                for _, row in some.iterrows()
            }
            for models, some in table.groupby("models", sort=False)
        }
        if len(table)
        else {}
    )


def _correlated(cells: pd.DataFrame, complexity: dict[str, float]) -> Iterator[dict[str, object]]:
    known = cells[cells["language"].isin(list(complexity))]
    counted = known.groupby("model")["language"].nunique()
    sides = {"multilingual": counted[counted > 1].index, "monolingual": counted[counted == 1].index}
    groups = {model: known[known["model"] == model] for model in sides["multilingual"]}
    groups["monolingual models"] = known[known["model"].isin(sides["monolingual"])]
    for name, some in groups.items():
        languages = sorted(some["language"].unique())
        if len(languages) < 3:
            continue
        shared = some.groupby("construction")["language"].nunique() == len(languages)
        kept = some[some["construction"].isin(shared[shared].index)]
        means = kept.groupby("language")["accuracy"].mean()
        for without in ("", *languages):
            left = [code for code in languages if code != without]
            if len(left) >= 3:
                yield {
                    "models": name, "without": without, "languages": len(left),
                    "constructions": int(shared.sum()),
                    **_spearman([complexity[code] for code in left], means[left].tolist()),
                }  # fmt: skip


def _spearman(one: Sequence[float], two: Sequence[float]) -> dict[str, float]:
    from scipy.stats import spearmanr

    found = spearmanr(one, two)
    return {"rho": float(found.statistic), "p": float(found.pvalue)}


def _gains(items: pd.DataFrame, baseline: str) -> AnalysisPart:
    """Return how much better models are than a baseline, by attractor and distance."""
    models = list(dict.fromkeys(items["model"]))
    if baseline not in models:
        raise fail(
            f"no result of the baseline {baseline!r} {candidates('models', models, baseline)}"
        )
    keys = ["config", "id"]
    kept = items.assign(distance=items["distance"].astype("Int64"))
    base = kept[kept["model"] == baseline].groupby(keys)["decision"].mean().rename("base")
    rows = []
    for model in (name for name in models if name != baseline):
        mine = kept[kept["model"] == model].drop_duplicates(keys)
        right = kept[kept["model"] == model].groupby(keys)["decision"].mean().rename("right")
        joined = mine.join(right, on=keys).join(base, on=keys).dropna(subset=["base"])
        for by in ("match", "distance"):
            for value, some in joined.groupby(by, sort=True):
                if len(some) >= MIN_ITEMS:
                    rows.append({"model": model, "by": by, "value": str(value), **_gain(some)})
    table = pd.DataFrame(rows, columns=["model", "by", "value", *_GAIN])
    points = {
        f"{row['model']}, {row['by']} {row['value']}": (row["gain"], row["low"], row["high"])
        for _, row in table.iterrows()
    }
    return AnalysisPart(
        "gain", f"Gain over {baseline}", f"{_PAPER}, section 6", table,
        f"difference of accuracies on the same items ({MIN_ITEMS} or more), with a 95 % interval clustered"
        " by minimal set",
        dot_lines(points, "gain"), (7.0, 0.25 * len(table) + 1.2),
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
