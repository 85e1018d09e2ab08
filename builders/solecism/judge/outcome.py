"""What people found: whose answers count, and the accuracy, agreement, ratings and time of pairs.

What "right" means depends on the design. In a forced choice an answer is right if it is the good
sentence. An expert is right to say yes to the good sentence and no to the bad one; the answer *not
applicable* does not count. In a study with ratings (Likert) nobody rates both sentences of a pair.
Therefore each rating of the good sentence is compared with each rating of the bad one, after all
ratings were turned into z-scores within each judge. The individual accuracy of the pair is the
share of these comparisons in which the good sentence is rated higher; equal ratings count a half.

Agreement coefficients are computed from a table of counts: how often each unit (row) got each
answer (column). A unit is a pair in a forced choice, otherwise one sentence of a pair. Units with
fewer than two answers say nothing about agreement.

A catch trial is answered right by ``good`` (choice), a rating of 1 to 3 (Likert) or ``no``
(expert).
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from solecism.files import csv_of
from solecism.judge.design import Rules, Study
from solecism.judge.schema import PAIR, SIDES
from solecism.scoring.summary import Z95, Interval, wilson

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]

LEVELS = {"paradigm": "UID", "phenomenon": "linguistics_term", "config": "config"}
"""The levels at which pairs are grouped, and the column of each."""


@dataclass(frozen=True)
class JudgedGroup:
    """The figures of pairs that belong together: a paradigm, a phenomenon, a config, or all.

    ``individual``: the share of right answers, as the mean over pairs, with an interval that is
    clustered by judge and pair. ``kept``: how many pairs people confirm. ``majority``: the share of
    these, with Wilson's interval. ``alpha``, ``ac1``: Krippendorff's alpha and Gwet's AC1; for
    ratings ordinal alpha and AC2. ``gap``: for ratings, how much higher good sentences are rated
    than bad ones, in z-scores. ``time``: the median time of an answer in milliseconds.
    """

    name: str
    pairs: int
    answers: int
    judges: int
    individual: Interval
    majority: Interval
    kept: int
    alpha: float
    ac1: float
    time: float | None
    gap: Interval | None

    def passes(self, rules: Rules) -> bool:
        """Return whether enough of its pairs are confirmed."""
        return self.kept >= rules.paradigm * self.pairs - 1e-9


@dataclass(frozen=True)
class Outcome:
    """The outcome of a study.

    ``judges``: see :func:`judge_records`. ``pairs``: the pairs with answers that count, with the
    columns of :data:`~solecism.judge.schema.JUDGMENTS`, the config, and the sentences if the study
    has them. ``answers``: the answers that count, with ``pair`` (the row in ``pairs``), ``value``
    (1 right, 0 wrong, or the z-score of a rating), ``choice`` (the number of the answer) and
    ``influence`` (how much it moves the pair's accuracy).
    """

    study: Study
    judges: pd.DataFrame = field(repr=False)
    pairs: pd.DataFrame = field(repr=False)
    answers: pd.DataFrame = field(repr=False)

    @property
    def excluded(self) -> pd.DataFrame:
        """The judges whose answers do not count."""
        return self.judges[self.judges["reasons"] != ""]

    @property
    def rejected(self) -> pd.DataFrame:
        """The pairs that people reject."""
        return self.pairs[self.pairs["verdict"] == "drop"]

    @cached_property
    def overall(self) -> JudgedGroup:
        """The figures of all pairs."""
        return self.group("all", self.pairs)

    @cached_property
    def levels(self) -> dict[str, list[JudgedGroup]]:
        """The figures of each group, for each of :data:`LEVELS`."""
        return {level: self.by(level, self.pairs) for level in LEVELS}

    @cached_property
    def failed(self) -> list[JudgedGroup]:
        """The paradigms with too few pairs that people confirm."""
        return [one for one in self.levels["paradigm"] if not one.passes(self.study.rules)]

    def by(self, level: str, pairs: pd.DataFrame) -> list[JudgedGroup]:
        """Return the figures of pairs, grouped at one of :data:`LEVELS`, in the order of names."""
        return [self.group(str(name), some) for name, some in pairs.groupby(LEVELS[level])]

    def group(self, name: str, pairs: pd.DataFrame) -> JudgedGroup:
        """Return the figures of some of the pairs together."""
        if not len(pairs):
            nothing = wilson(0, 0)
            return JudgedGroup(name, 0, 0, 0, nothing, nothing, 0, math.nan, math.nan, None, None)
        rows = self.answers[self.answers["pair"].isin(pairs.index)]
        accuracy = float(pairs["accuracy"].to_numpy().mean())
        pair, judge = rows["pair"].to_numpy(), rows["judge"].to_numpy()
        # How far a pair is from the mean is divided among its answers.
        pair_share = (rows["pair"].map(pairs["accuracy"]) - accuracy) / rows["pair"].map(pairs["n"])
        influence = ((rows["influence"] + pair_share) / len(pairs)).to_numpy()
        is_rated, kept = self.study.design == "likert", int((pairs["verdict"] == "keep").sum())
        units = pair if self.study.design == "choice" else 2 * pair + rows["good"].to_numpy()
        counts = answer_counts(units, rows["choice"].to_numpy(), 7 if is_rated else 2)
        time = rows["time"].median()
        return JudgedGroup(
            name, len(pairs), len(rows), len(np.unique(judge)),
            share_interval(accuracy, influence, judge, pair), wilson(kept, len(pairs)), kept,
            krippendorff_alpha(counts, is_rated), gwet_ac(counts, is_rated),
            None if math.isnan(time) else float(time), _gap(rows) if is_rated else None,
        )  # fmt: skip


def outcome_of(study: Study, table: pa.Table, exclude: bool = True) -> Outcome:
    """Return the outcome of a study.

    ``table``: answers (:data:`~solecism.judge.schema.ANSWERS`). If ``exclude`` is false, all
    answers to items count. The outcome has only pairs with an answer that counts.
    """
    rows = _frame(table, study.rules)
    judges = judge_records(rows, study.rules)
    counting = rows[rows["kind"] == "item"]
    if exclude:
        out = judges.loc[judges["reasons"] != "", "participant"]
        counting = counting[~counting["participant"].isin(out) & ~counting["ruled_out"]]
    return Outcome(study, judges, *_pairs(_with_values(counting, study.design), study))


def _frame(table: pa.Table, rules: Rules) -> pd.DataFrame:
    """Return answers as a data frame, with a column ``ruled_out``.

    It is true for answers that do not count, whatever else the judge answered: they have one of the
    flags, or not one of the native languages, that the rules name.
    """
    frame: pd.DataFrame = table.drop_columns(["flags"]).to_pandas()
    flags = (flags or () for flags in table["flags"].to_pylist())
    out = np.array([any(flag in rules.flags for flag in one) for one in flags], np.bool_)
    if rules.native_language:
        known = {code.lower() for code in rules.native_language}
        out |= ~frame["native_language"].fillna("").str.lower().isin(known).to_numpy()
    return frame.assign(ruled_out=out)


def judge_records(rows: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Return a row for each judge, in the order of their names.

    ``completed``: the share of trials that the judge answered. ``catch``: the share of catch trials
    that were answered right. ``one_sided``: the share of items in which the place (or rating, or
    answer) that the judge chose most was chosen. ``median_time``: the median time of an item in
    milliseconds. ``left_out``: how many answers are ruled out by a flag or a native language.
    ``reasons``: the rules that the judge broke, so that no answer counts; empty if none.
    """
    items, catch = rows[rows["kind"] == "item"], rows[rows["kind"] == "catch"]
    design = rows["design"].iloc[0] if len(rows) else ""
    right = {"choice": catch["answer"] == "good", "expert": catch["answer"] == "no"}
    chosen = {"likert": items["rating"], "expert": items["answer"]}.get(
        design, (items["answer"] == items["shown"]).astype(float).where(items["shown"].notna())
    )
    known = items.assign(chosen=chosen).dropna(subset="chosen")
    counts = known.groupby(["participant", "chosen"]).size().groupby("participant")
    by_judge, of_items = rows.groupby("participant"), items.groupby("participant")
    found = pd.DataFrame({
        "answers": by_judge.size(),
        "completed": by_judge.size() / by_judge["trials"].max(),
        "catch": right.get(design, catch["rating"] <= 3).groupby(catch["participant"]).mean(),
        "one_sided": counts.max() / counts.sum(),
        "median_time": of_items["time"].median(),
        "native_language": by_judge["native_language"].first(),
        "left_out": of_items["ruled_out"].sum(),
    })  # fmt: skip
    found["native_language"] = found["native_language"].fillna("")
    found["left_out"] = found["left_out"].fillna(0).astype(int)
    broken = pd.DataFrame({
        name: found[name] < getattr(rules, name) for name in ("completed", "catch", "median_time")
    }).assign(one_sided=found["one_sided"] > rules.one_sided)  # fmt: skip
    found["reasons"] = [
        " ".join(str(name) for name, is_broken in row.items() if is_broken)
        for row in broken.to_dict("records")
    ]
    return found.rename_axis("participant").reset_index()


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a data frame as dictionaries; missing values become None."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]


def _with_values(rows: pd.DataFrame, design: str) -> pd.DataFrame:
    """Return answers with three more columns; *not applicable* is left out.

    ``good``: whether the good sentence was shown (in a forced choice: shown first). ``choice``: the
    number of the answer. ``value``: 1 if it is right, 0 if wrong, or the z-score of the rating.
    """
    rows = rows.assign(good=rows["shown"] == "good", time=rows["time"].astype(float))
    if design == "choice":
        right = rows["answer"] == "good"
        return rows.assign(choice=right.astype(int), value=right.astype(float))
    if design == "expert":
        rows = rows[rows["answer"] != "not applicable"]
        yes = rows["answer"] == "yes"
        return rows.assign(choice=yes.astype(int), value=(yes == rows["good"]).astype(float))
    ratings = rows.groupby("participant")["rating"]
    spread = ratings.transform("std", ddof=0).replace(0, 1.0)  # 0: all ratings of a judge are equal
    value = (rows["rating"] - ratings.transform("mean")) / spread
    return rows.assign(choice=rows["rating"].astype(int) - 1, value=value)


def _pairs(rows: pd.DataFrame, study: Study) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the pairs in order, and the answers to them, sorted by pair.

    In a study with ratings, pairs with ratings of one sentence only are left out.
    """
    is_rated, limit = study.design == "likert", study.rules.pair
    if is_rated:
        rows = rows[rows.groupby(["config", "id"])["shown"].transform("nunique") == 2]
    rows = rows.sort_values(["config", "UID", "id"], kind="stable")
    code = rows.groupby(["config", "id"], sort=False).ngroup().to_numpy()
    rows = rows.assign(pair=code, judge=rows["participant"].factorize()[0], influence=0.0)
    by_pair = rows.groupby("pair")
    found = by_pair[list(PAIR)].first()
    found["n"], found["accuracy"] = by_pair.size(), by_pair["value"].mean()
    means = (rows.pivot_table(name, "pair", "shown", "mean") for name in ("value", "rating"))
    value, rating = (mean.reindex(columns=[*SIDES]) for mean in means)
    for side in SIDES:
        found[f"rating_{side}"] = rating[side] if is_rated else None
    found["gap"] = value["good"] - value["bad"] if is_rated else None
    found["time"] = by_pair["time"].median()
    if is_rated:
        shares = [_higher(some) for _, some in by_pair[["value", "good"]]]
        found["accuracy"] = [share for share, _ in shares]
        rows["influence"] = np.concatenate([each for _, each in shares]) if shares else []
        kept = found["gap"] > 0
    else:
        accuracy, n = (rows["pair"].map(found[name]) for name in ("accuracy", "n"))
        rows["influence"] = (rows["value"] - accuracy) / n
        kept = found["accuracy"] > limit
        if study.design == "expert":
            kept = (value > limit).all(axis=1)
    found["verdict"] = np.where(kept, "keep", "drop")
    texts = pd.DataFrame([*study.items.values()], columns=["config", "id", *SIDES])
    texts = texts.replace("", None).groupby(["config", "id"]).first()
    texts = texts.fillna("").add_prefix("sentence_")
    return found.join(texts, on=["config", "id"]).fillna(dict.fromkeys(texts, "")), rows


def _higher(rows: pd.DataFrame) -> tuple[float, Numbers]:
    """Return how often good ratings are above bad ones, and how each rating moves this share."""
    values, good = rows["value"].to_numpy(), rows["good"].to_numpy()
    wins = (np.sign(np.subtract.outer(values[good], values[~good])) + 1) / 2
    share = float(wins.mean())
    influence = np.empty(len(values))
    influence[good] = (wins.mean(1) - share) / good.sum()
    influence[~good] = (wins.mean(0) - share) / (~good).sum()
    return share, influence


def _gap(rows: pd.DataFrame) -> Interval:
    """Return the mean z-score of good sentences minus that of bad ones, with its interval."""
    values, good = rows["value"].to_numpy(), rows["good"].to_numpy()
    influence = np.empty(len(values))
    for side, sign in ((good, 1), (~good, -1)):
        influence[side] = sign * (values[side] - values[side].mean()) / side.sum()
    gap = float(values[good].mean() - values[~good].mean())
    error = clustered_error(influence, rows["judge"].to_numpy(), rows["pair"].to_numpy())
    return Interval(gap, gap - Z95 * error, gap + Z95 * error)  # by the normal distribution


def answer_counts(units: Codes, answers: Codes, possible: int) -> Numbers:
    """Return how often each unit got each of the ``possible`` answers; both are given by number."""
    _, row = np.unique(units, return_inverse=True)
    counts = np.bincount(row * possible + answers, minlength=(row.max(initial=-1) + 1) * possible)
    return counts.reshape(-1, possible).astype(float)


def krippendorff_alpha(counts: Numbers, ordered: bool = False) -> float:
    """Return alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability").

    It is nominal, or ordinal if the columns are ``ordered``. It is NaN if no unit has two answers,
    or if all answers are the same: then nobody could disagree.
    """
    paired = counts[counts.sum(1) >= 2]
    totals = paired.sum(0)
    n = totals.sum()
    middles = np.cumsum(totals) - totals / 2
    apart = np.subtract.outer(middles, middles) ** 2 if ordered else 1 - np.eye(len(totals))
    expected = totals @ apart @ totals / (n - 1) if n > 1 else 0.0
    if not expected:
        return math.nan
    within = ((paired @ apart) * paired).sum(1) / (paired.sum(1) - 1)
    return float(1 - within.sum() / expected)


def gwet_ac(counts: Numbers, ordered: bool = False) -> float:
    """Return AC1, or AC2 with quadratic weights if the answers are ``ordered``.

    Gwet (2008, "Computing inter-rater reliability and its variance"; 2014, "Handbook of inter-rater
    reliability"). Unlike alpha it does not fall if nearly all answers are the same. It is NaN if no
    unit has two answers, or if only one answer was possible.
    """
    size = counts.shape[1]
    rated = counts[counts.sum(1) > 0]
    paired = rated[rated.sum(1) >= 2]
    if size < 2 or not len(paired):
        return math.nan
    apart = np.subtract.outer(np.arange(size), np.arange(size)) ** 2 / (size - 1) ** 2
    weights = 1 - apart if ordered else np.eye(size)
    n = paired.sum(1)
    agreed = ((paired * (paired @ weights - 1)).sum(1) / (n * (n - 1))).mean()
    shares = (rated / rated.sum(1, keepdims=True)).mean(0)
    chance = weights.sum() / (size * (size - 1)) * (shares * (1 - shares)).sum()
    return float((agreed - chance) / (1 - chance))


def clustered_error(influence: Numbers, judges: Codes, items: Codes) -> float:
    """Return the standard error of a figure, clustered by judge and by item.

    ``influence``: how much each answer moves the figure. Answers of one judge are alike, and so are
    answers about one item, so neither are independent. The variance is the one clustered by judge,
    plus the one clustered by item, minus the one clustered by both (Cameron, Gelbach and Miller
    2011, section 2.1), but at least the larger of the first two.
    """
    variances = []
    for keys in (judges, items, judges * (items.max(initial=0) + 1) + items):
        _, place = np.unique(keys, return_inverse=True)
        sums = np.bincount(place, influence)
        few = len(sums) / (len(sums) - 1) if len(sums) > 1 else 1.0
        variances.append(float((sums**2).sum()) * few)
    by_judge, by_item, within = variances
    return math.sqrt(max(by_judge + by_item - within, by_judge, by_item))


def share_interval(share: float, influence: Numbers, judges: Codes, items: Codes) -> Interval:
    """Return a share with a 95 % interval: Wilson's, for the effective number of answers.

    That is how many independent answers would have the same error:
    ``share * (1 - share) / error ** 2`` (Korn and Graubard 1998), at most the number of answers. If
    the error is 0, it is the number of judges or of items, whichever is smaller.
    """
    error = clustered_error(influence, judges, items)
    clusters = min(len(np.unique(judges)), len(np.unique(items)))
    worth = share * (1 - share) / error**2 if error else float(clusters)
    number = max(1, math.floor(min(worth, len(influence))))
    return wilson(share * number, number)


def answers_csv(outcome: Outcome) -> str:
    """Return the answers that count as CSV, with the sentences.

    The column ``right`` is 1 or 0; for ratings it is the z-score. The script of :func:`r_script`
    reads this CSV.
    """
    rows, numbers = outcome.answers, ("list", "rating", "time")
    trial, said = ["list", "position", "design"], ["shown", "answer", "rating", "time"]
    found = rows[["participant", *trial, *PAIR, *said]].astype(dict.fromkeys(numbers, "Int64"))
    for side in SIDES:
        found[f"sentence_{side}"] = rows["pair"].map(outcome.pairs[f"sentence_{side}"])
    found["right"] = rows["value"].map(lambda value: float(f"{value:g}"))
    if outcome.study.design != "likert":
        found["right"] = rows["value"].astype(int)
    return csv_of(records(found))


def r_script() -> str:
    """Return the script for R that fits mixed models to :func:`answers_csv`."""
    return Path(__file__).with_name("analysis.R").read_text(encoding="utf-8")
