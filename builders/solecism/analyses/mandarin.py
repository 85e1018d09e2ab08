"""The analyses of Wang et al. (2021), "Controlled evaluation of grammatical knowledge in Mandarin".

Results name the class of a suite as phenomenon and its modifier as construction; a row of a result
is a comparison of surprisals. Architecture, corpus and seed of a model are read from its name:
``rnng``, ``plm``, ``lstm``, ``trans`` (or ``gpt``), with ``xinhua`` or ``hybrid`` for the larger
corpus (the published folders are ``lstm_outputs`` and ``hybrid1_outputs_lstm``).
"""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd

from solecism.analyses.answers import items_of
from solecism.analyses.mixed import fit_mixed_logistic
from solecism.analyses.part import AnalysisPart, dot_lines, grouped_bars, joined, side_by_side
from solecism.analyses.wang_2021 import class_accuracies
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
    """Return the architecture of a model, by its name; empty where the name does not say it.

    >>> architecture_of("out/RNNG-xinhua"), architecture_of("gptlm")
    ('RNNG', 'Transformer')
    """
    name = model.lower()
    found = (a for a, marks in _ARCHITECTURES.items() if any(mark in name for mark in marks))
    return next(found, "")


def corpus_of(model: str) -> str:
    """Return the corpus that a model is trained on, by its name.

    >>> corpus_of("rnng-Xinhua"), corpus_of("hybrid1_outputs_plm"), corpus_of("LSTM")
    ('Xinhua', 'Xinhua', 'CTB')
    """
    return _CORPORA[bool(_XINHUA.search(model))]


def analyse_mandarin(results: Sequence[Result]) -> list[AnalysisPart]:
    """Return the parts that these results allow.

    They are the accuracies by class (Table 6), the differences of surprisal by class and modifier,
    the effects of structural supervision (Table 1) and of the corpus, where there are the models to
    compare. Raises :class:`InputError` where no result is of suites.
    """
    items = items_of([result for result in results if result.run["method"] == "region"])
    items["architecture"] = items["model"].map(architecture_of)
    items["corpus"] = items["model"].map(corpus_of)
    items["item"] = items["id"].str.replace(r"^[^-]*-", "", regex=True)
    rows: dict[str, list[dict[str, object]]] = {}
    for name, some, names in _contrasts(items):
        for term, of_class in some.groupby("phenomenon", sort=False):
            if of_class["side"].nunique() == 2:
                row = {**names, "class": term, **_fitted(of_class)}
                rows.setdefault(name, []).append(row)
    effects = (_effects(name, pd.DataFrame(found)) for name, found in rows.items())
    return [_accuracies(items), _differences(items), *effects]


def _accuracies(items: pd.DataFrame) -> AnalysisPart:
    table = class_accuracies(items)
    return AnalysisPart(
        "accuracies", "Accuracy by class", f"{_PAPER}, Table 6", table.reset_index(),
        "mean over suites of the mean over seeds; a tie is a failure (of n-gram models a half)",
        grouped_bars(table.T, "accuracy", 0.5), (8.0, 4.5),
    )  # fmt: skip


def _differences(items: pd.DataFrame) -> AnalysisPart:
    """Return mean surprisal differences, with intervals over items."""
    bits = items.assign(bits=items["margin"] / math.log(2)).dropna(subset=["bits"])
    keys = ["model", "phenomenon", "construction"]
    by_item = bits.groupby([*keys, "set_id"], sort=False)["bits"].mean().reset_index()
    every = pd.concat([by_item, by_item.assign(construction="all")])
    table = pd.DataFrame(
        {**dict(zip(keys, names, strict=True)), **_difference(some.to_numpy())}
        for names, some in every.groupby(keys, sort=False)["bits"]
    ).rename(columns={"phenomenon": "class", "construction": "modifier"})
    table = table.sort_values(["model", "class"], kind="stable", ignore_index=True)
    whole = table[table["modifier"] == "all"]
    heights, low, high = (
        side_by_side(whole["model"], whole["class"], whole[name])
        for name in ("difference", "low", "high")
    )
    return AnalysisPart(
        "differences", "Surprisal differences", f"{_PAPER}, Figure 4", table,
        "bits, bad less good, mean over items with its 95 % t interval; p: one-sample t test; without"
        " suites whose prediction is not one comparison",
        grouped_bars(heights, "bits", 0.0, (low, high)), (8.0, 4.5),
    )  # fmt: skip


def _difference(values: np.ndarray) -> dict[str, float]:
    from scipy import stats

    known = {"difference": float(values.mean()), "low": math.nan, "high": math.nan, "p": math.nan}
    if len(values) > 1 and values.std():
        test = stats.ttest_1samp(values, 0.0)
        low, high = test.confidence_interval(0.95)
        known |= {"low": float(low), "high": float(high), "p": float(test.pvalue)}
    return {**known, "n": len(values)}


def _contrasts(items: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, dict[str, str]]]:
    """Yield the items to compare, with their ``side``, and what the comparison is of."""
    for corpus, (structural, plain) in product(_CORPORA, PAIRS):
        is_pair = items["architecture"].isin((structural, plain))
        some = items[(items["corpus"] == corpus) & is_pair]
        names = {"corpus": corpus, "models": f"{structural} – {plain}"}
        yield "supervision", some.assign(side=some["architecture"] == structural), names
    for architecture in ("LSTM", "RNNG", "Transformer", "PLM"):
        some = items[items["architecture"] == architecture]
        names = {"corpus": "Xinhua – CTB", "models": architecture}
        yield "corpus", some.assign(side=some["corpus"] == "Xinhua"), names


def _fitted(items: pd.DataFrame) -> dict[str, object]:
    """Fit `outcome ~ side + (1|modifier) + (1|item) + (1|seed)`; a tie is no success.

    The seeds of a model are numbered in order, as in the authors' analysis: those of the published
    RNNG on CTB are called 0 and 2, and count as the first and the second.
    McNemar's test is on the items that one side has oftener right than the other, seeds averaged.
    """
    from scipy.stats import binomtest

    seeds = items["run"].str.extract(r"(\d+)$")[0].fillna("0").astype(int)
    some = items.assign(
        right=(items["decision"] == 1.0).astype(float), modifier=items["construction"],
        seed=seeds.groupby(items["model"]).rank("dense").astype(int),
    )  # fmt: skip
    groups = {name: some[name] for name in ("modifier", "item", "seed")}
    fit = fit_mixed_logistic(some["right"], {"side": some["side"]}, groups)
    found = fit.effects["side"]
    means = some.groupby(["modifier", "item", "side"])["right"].mean().unstack("side").dropna()
    difference = means[True] - means[False]
    better, worse = int((difference > 1e-9).sum()), int((difference < -1e-9).sum())
    exact = binomtest(better, better + worse).pvalue if better + worse else 1.0
    on, off = (float(some["right"][some["side"] == side].mean()) for side in (True, False))
    stars = "*" * sum(found.p < level for level in (0.05, 0.01, 0.001))
    return {
        "with": on, "without": off, "log_odds": found.estimate, "error": found.error, "z": found.z,
        "p": found.p, "sign": ("✓" if found.estimate > 0 else "✗") + stars if stars else "-",
        "mcnemar": float(exact), **{f"sd_{name}": sd for name, sd in fit.deviations.items()},
        "rows": len(some),
    }  # fmt: skip


_EFFECTS = {
    "supervision": ("Structural supervision", f"{_PAPER}, Table 1"),
    "corpus": ("Xinhua against CTB", f"{_PAPER}, section 4"),
}


def _effects(name: str, table: pd.DataFrame) -> AnalysisPart:
    names = joined(table, "class", "corpus", "models")
    odds, half = table["log_odds"], 1.96 * table["error"]
    ends = pd.concat([odds, odds - half, odds + half], axis=1)
    return AnalysisPart(
        name, *_EFFECTS[name], table,
        "logistic regression with random intercepts of modifier, item and seed (Laplace), p by Wald's"
        " z; mcnemar: exact test over items, seeds averaged",
        dot_lines(names, ends, "log odds, with 95 % interval"), (7.0, 0.28 * len(table) + 1.2),
    )  # fmt: skip
