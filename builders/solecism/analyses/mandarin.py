"""The analyses of Wang et al. (2021), "Controlled evaluation of grammatical knowledge in Mandarin".

Results name the class of a suite as phenomenon and its modifier as construction; a row of a result
is a comparison of surprisals. What a model is follows from its name: ``rnng``, ``plm``, ``lstm``,
``trans`` (or ``gpt``), with ``xinhua`` or ``hybrid`` for the larger corpus (the published folders
are ``lstm_outputs`` and ``hybrid1_outputs_lstm``), and a seed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from solecism.analyses.answers import items_of
from solecism.analyses.mixed import FixedEffect, fit_mixed_logistic
from solecism.analyses.part import AnalysisPart, dot_lines, grouped_bars, legend_beside
from solecism.analyses.wang_2021 import class_accuracies
from solecism.reports.charts import Draw
from solecism.scoring.results import Result

_PAPER = "Wang et al. 2021"

_ARCHITECTURES = {
    "RNNG": ("rnng",), "PLM": ("plm",), "LSTM": ("lstm",),
    "Transformer": ("trans", "gpt", "vanilla"), "n-gram": ("gram",),
}  # fmt: skip
_CORPORA = ("CTB", "Xinhua")
_XINHUA = re.compile(r"xinhua|hybrid|(?<![a-z])xh(?![a-z])", re.IGNORECASE)

PAIRS = (("RNNG", "LSTM"), ("PLM", "Transformer"))
"""A model with structural supervision, and the same model without it."""


def architecture_of(model: str) -> str:
    """Return what a model is, by its name; empty where the name does not say it.

    >>> architecture_of("out/RNNG-xinhua"), architecture_of("gptlm")
    ('RNNG', 'Transformer')
    """
    name = model.lower()
    for architecture, marks in _ARCHITECTURES.items():
        if any(mark in name for mark in marks) and not (architecture == "PLM" and "tplm" in name):
            return architecture
    return ""


def corpus_of(model: str) -> str:
    """Return the corpus that a model is trained on, by its name.

    >>> corpus_of("rnng-Xinhua"), corpus_of("hybrid1_outputs_plm"), corpus_of("LSTM")
    ('Xinhua', 'Xinhua', 'CTB')
    """
    return _CORPORA[bool(_XINHUA.search(model))]


def analyse_mandarin(results: Sequence[Result]) -> list[AnalysisPart]:
    """Return the parts that these results allow.

    They are the accuracies by class (Table 6), the differences of surprisal by class and modifier,
    the effects of structural
    supervision (Table 1) and of the corpus, where there are the models to compare. Raises
    :class:`InputError` where no result is of suites.
    """
    items = items_of([result for result in results if result.run["method"] == "region"])
    models = items["model"].unique()
    items["architecture"] = items["model"].map({name: architecture_of(name) for name in models})
    items["corpus"] = items["model"].map({name: corpus_of(name) for name in models})
    items["item"] = items["id"].str.replace(r"^[^-]*-", "", regex=True)
    parts = [_accuracies(items), _differences(items)]
    supervision = list(_supervision(items))
    if supervision:
        parts.append(_effects("supervision", "Structural supervision", "Table 1", supervision))
    size = list(_sizes(items))
    if size:
        parts.append(_effects("corpus", "Xinhua against CTB", "section 4", size))
    return parts


def _accuracies(items: pd.DataFrame) -> AnalysisPart:
    table = class_accuracies(items)
    series = {str(model): row.to_dict() for model, row in table.iterrows()}
    return AnalysisPart(
        "accuracies", "Accuracy by class", f"{_PAPER}, Table 6", table.reset_index(),
        "mean over suites of the mean over seeds; a tie is a failure, of an n-gram model a half",
        grouped_bars(series, "accuracy", 0.5), (8.0, 4.5),
    )  # fmt: skip


def _differences(items: pd.DataFrame) -> AnalysisPart:
    """Return mean surprisal differences, with intervals over items."""
    bits = items.assign(bits=items["margin"] / math.log(2)).dropna(subset=["bits"])
    keys = ["model", "phenomenon", "construction"]
    by_item = bits.groupby([*keys, "set_id"], sort=False)["bits"].mean().reset_index()
    rows = [
        _difference(dict(zip(keys, map(str, names), strict=True)), some["bits"].to_numpy())
        for names, some in by_item.groupby(keys, sort=False)
    ]
    rows += [
        _difference(
            {"model": str(model), "phenomenon": str(term), "construction": "all"},
            some["bits"].to_numpy(),
        )
        for (model, term), some in by_item.groupby(["model", "phenomenon"], sort=False)
    ]
    table = pd.DataFrame(rows).rename(columns={"phenomenon": "class", "construction": "modifier"})
    table = table.sort_values(["model", "class"], kind="stable", ignore_index=True)
    return AnalysisPart(
        "differences", "Surprisal differences", f"{_PAPER}, Figure 4", table,
        "bits, bad less good, mean over items with its 95 % t interval; p: one-sample t test; without"
        " suites whose prediction is not one comparison",
        _draw_differences(table), (8.0, 4.5),
    )  # fmt: skip


def _difference(names: dict[str, str], values: np.ndarray) -> dict[str, object]:
    from scipy import stats

    mean, n = float(values.mean()), len(values)
    if n < 2 or not values.std():
        return {
            **names,
            "difference": mean,
            "low": math.nan,
            "high": math.nan,
            "p": math.nan,
            "n": n,
        }
    test = stats.ttest_1samp(values, 0.0)
    low, high = test.confidence_interval(0.95)
    return {
        **names, "difference": mean, "low": float(low), "high": float(high),
        "p": float(test.pvalue), "n": n,
    }  # fmt: skip


def _draw_differences(table: pd.DataFrame) -> Draw:
    def draw(axes) -> None:  # type: ignore[no-untyped-def]
        whole = table[table["modifier"] == "all"]
        classes, models = list(dict.fromkeys(whole["class"])), list(dict.fromkeys(whole["model"]))
        width = 0.8 / max(len(models), 1)
        for number, model in enumerate(models):
            some = whole[whole["model"] == model].set_index("class").reindex(classes)
            places = np.arange(len(classes)) + number * width
            errors = np.abs(some[["low", "high"]].to_numpy().T - some["difference"].to_numpy())
            axes.bar(places, some["difference"], width, yerr=errors, label=model, capsize=2)
        axes.set_xticks(np.arange(len(classes)) + 0.4 - width / 2, classes, rotation=20, ha="right")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_ylabel("bits")
        legend_beside(axes)

    return draw


def _supervision(items: pd.DataFrame) -> Iterator[dict[str, object]]:
    for corpus in _CORPORA:
        for structural, plain in PAIRS:
            some = items[
                (items["corpus"] == corpus) & items["architecture"].isin((structural, plain))
            ]
            effect = (some["architecture"] == structural).astype(float)
            yield from _by_class(
                some, effect, {"corpus": corpus, "models": f"{structural} – {plain}"}
            )


def _sizes(items: pd.DataFrame) -> Iterator[dict[str, object]]:
    for architecture in ("LSTM", "RNNG", "Transformer", "PLM"):
        some = items[items["architecture"] == architecture]
        effect = (some["corpus"] == "Xinhua").astype(float)
        yield from _by_class(some, effect, {"corpus": "Xinhua – CTB", "models": architecture})


def _by_class(
    items: pd.DataFrame, effect: pd.Series, names: dict[str, str]
) -> Iterator[dict[str, object]]:
    """Yield the effect in each class in which both sides were scored."""
    for term, some in items.groupby("phenomenon", sort=False):
        values = effect[some.index]
        if values.nunique() == 2:
            yield {**names, "class": term, **_fitted(some, values)}


def _fitted(items: pd.DataFrame, effect: pd.Series) -> dict[str, object]:
    """Fit `outcome ~ effect + (1|modifier) + (1|item) + (1|seed)`; a tie is no success."""
    from scipy.stats import binomtest

    outcome = np.asarray(items["decision"] == 1.0, dtype=float)
    groups = {
        "modifier": items["construction"].to_numpy(),
        "item": items["item"].to_numpy(),
        "seed": items["run"].str.extract(r"(\d+)$")[0].fillna("0").to_numpy(),
    }
    fit = fit_mixed_logistic(outcome, {"effect": effect.to_numpy()}, groups)
    found = fit.effects["effect"]
    better, worse = _discordant(items, outcome, effect)
    exact = binomtest(better, better + worse).pvalue if better + worse else 1.0
    on, off = (float(outcome[effect.to_numpy() == side].mean()) for side in (1.0, 0.0))
    return {
        "with": on, "without": off, "log_odds": found.estimate, "error": found.error, "z": found.z,
        "p": found.p, "sign": _sign(found), "mcnemar": float(exact),
        "sd_modifier": fit.deviations["modifier"], "sd_item": fit.deviations["item"],
        "sd_seed": fit.deviations["seed"], "rows": fit.rows,
    }  # fmt: skip


def _sign(effect: FixedEffect) -> str:
    """Return what Table 1 prints: which side is better, with stars by p (.05, .01, .001)."""
    stars = "*" * sum(effect.p < level for level in (0.05, 0.01, 0.001))
    return ("✓" if effect.estimate > 0 else "✗") + stars if stars else "-"


def _discordant(items: pd.DataFrame, outcome: np.ndarray, effect: pd.Series) -> tuple[int, int]:
    """Return how many items one side has oftener right than the other, seeds averaged."""
    frame = items[["construction", "item"]].assign(right=outcome, side=effect)
    means = frame.groupby(["construction", "item", "side"])["right"].mean().unstack("side").dropna()
    difference = means[1.0] - means[0.0]
    return int((difference > 1e-9).sum()), int((difference < -1e-9).sum())


def _effects(
    name: str, title: str, section: str, rows: Sequence[dict[str, object]]
) -> AnalysisPart:
    table = pd.DataFrame(rows)
    return AnalysisPart(
        name, title, f"{_PAPER}, {section}", table,
        "logistic regression with random intercepts of modifier, item and seed (Laplace), p by Wald's"
        " z; mcnemar: exact test over items, seeds averaged",
        dot_lines(_odds(table), "log odds, with 95 % interval"), (7.0, 0.28 * len(table) + 1.2),
    )  # fmt: skip


def _odds(table: pd.DataFrame) -> dict[str, tuple[float, float, float]]:
    """Return each effect with the ends of its interval, by its name."""
    return {
        f"{row['class']}, {row['corpus']}, {row['models']}": (
            row["log_odds"],
            row["log_odds"] - 1.96 * row["error"],
            row["log_odds"] + 1.96 * row["error"],
        )
        for _, row in table.iterrows()
    }
