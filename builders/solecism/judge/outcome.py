"""What people found: whose answers count, and the accuracy, agreement, ratings and time of pairs.

What "right" means depends on the design. In a forced choice an answer is right if it is the good
sentence. An expert is right to say yes to the good, no to the bad sentence; *not applicable* says
nothing. Nobody rates both sentences of a pair, so of ratings the individual accuracy is the share
of all pairs of a rating of the good and one of the bad sentence in which the good one is rated
higher (equal: half), ratings being z-scored within each judge.

A catch trial is answered right by ``good`` (choice), a rating of 1 to 3 (Likert) or ``no``
(expert).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from solecism.files import not_formula
from solecism.judge.design import Rules, Study
from solecism.judge.rater_agreement import (
    Codes,
    Numbers,
    answer_counts,
    gwet_ac,
    krippendorff_alpha,
    mean_interval,
    share_interval,
)
from solecism.scoring.summary import Interval, wilson

__all__ = [
    "LEVELS", "JudgeRecord", "JudgedGroup", "JudgedPair", "Outcome", "answers_csv", "judge_records",
    "outcome_of", "r_script",
]  # fmt: skip

LEVELS = {"paradigm": "uid", "phenomenon": "term", "config": "config"}
"""What pairs are grouped by: the name of the level, and the attribute of a pair."""


@dataclass(frozen=True)
class JudgeRecord:
    """What is known of a judge, and ``reasons`` why their answers do not count (none: they do).

    ``completed``: the share of trials that were answered; ``catch``: of catch trials that were
    answered right; ``one_sided``: of items, the share of the place (or rating) chosen most;
    ``median_time``: milliseconds, of items. None: there is nothing to know it from. ``left_out``:
    answers that do not count by themselves, for a flag or a native language.
    """

    participant: str
    answers: int
    completed: float
    catch: float | None
    one_sided: float | None
    median_time: float | None
    native_language: str
    left_out: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class JudgedPair:
    """A pair and its ``n`` answers that count.

    ``accuracy``: the share of answers that are right; ``kept``: whether people confirm the label
    (:class:`~solecism.judge.design.Rules`, ``pair``); ``ratings``: the mean ratings of the good and
    the bad sentence; ``gap``: the difference of their z-scores; ``time``: milliseconds, the median;
    ``good`` and ``bad``: the sentences, if the study has them.
    """

    config: str
    id: str
    set_id: str
    uid: str
    term: str
    n: int
    accuracy: float
    kept: bool
    ratings: tuple[float, float] | None
    gap: float | None
    time: float | None
    good: str = ""
    bad: str = ""

    @property
    def verdict(self) -> str:
        """What is to become of the pair: ``keep`` or ``drop``."""
        return "keep" if self.kept else "drop"

    def to_json(self) -> dict[str, Any]:
        """Return the pair's row of :data:`~solecism.judge.schema.JUDGMENTS`."""
        good, bad = self.ratings or (None, None)
        return {
            "id": self.id, "set_id": self.set_id, "UID": self.uid, "linguistics_term": self.term,
            "n": self.n, "accuracy": self.accuracy, "rating_good": good, "rating_bad": bad,
            "gap": self.gap, "time": self.time, "verdict": self.verdict,
        }  # fmt: skip


@dataclass(frozen=True)
class JudgedGroup:
    """Pairs that belong together: a paradigm, a phenomenon, a config, or all.

    ``individual``: the share of answers that are right, the mean over pairs, with an interval that
    is clustered by judge and item; ``majority``: the share of pairs that people confirm, with
    Wilson's interval; ``alpha``, ``ac1``: agreement (of ratings alpha for ordinal data, and AC2);
    ``gap``: of ratings, in z-scores.
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
    gap: Interval | None
    time: float | None

    def passes(self, rules: Rules) -> bool:
        """Return whether enough of its pairs are confirmed."""
        return self.kept >= rules.paradigm * self.pairs - 1e-9


@dataclass(frozen=True)
class Outcome:
    """The outcome of a study: its judges, and the pairs by answers that count.

    ``answers``: those that count, with ``pair`` (the place in ``pairs``), ``value`` (1 right, 0
    wrong, or the z-score of a rating), ``choice`` (its number) and ``influence`` (what it adds to
    the pair's accuracy).
    """

    study: Study
    judges: tuple[JudgeRecord, ...]
    pairs: tuple[JudgedPair, ...]
    simulated: int
    answers: pd.DataFrame = field(repr=False)

    @cached_property
    def overall(self) -> JudgedGroup:
        """The figures of all pairs."""
        return self.group("all", range(len(self.pairs)))

    @cached_property
    def paradigms(self) -> list[JudgedGroup]:
        """The figures by paradigm."""
        return self.by("paradigm")

    def by(self, level: str, places: Sequence[int] | None = None) -> list[JudgedGroup]:
        """Return the figures by one of :data:`LEVELS`, in the order of names; of some pairs."""
        if places is None and level in self._groups:
            return self._groups[level]
        found: dict[str, list[int]] = {}
        for place in range(len(self.pairs)) if places is None else places:
            found.setdefault(getattr(self.pairs[place], LEVELS[level]), []).append(place)
        groups = [self.group(name, found[name]) for name in sorted(found)]
        if places is None:
            self._groups[level] = groups
        return groups

    @cached_property
    def _groups(self) -> dict[str, list[JudgedGroup]]:
        return {}

    @cached_property
    def _columns(self) -> dict[str, np.ndarray[Any, Any]]:
        names = ("judge", "pair", "value", "influence", "choice", "time", "good")
        return {name: self.answers[name].to_numpy() for name in names}

    @cached_property
    def _starts(self) -> Codes:
        return np.searchsorted(self._columns["pair"], np.arange(len(self.pairs) + 1))

    def group(self, name: str, places: Sequence[int]) -> JudgedGroup:
        """Return the figures of some pairs together, named by their places."""
        if not places:
            nothing = wilson(0, 0)
            return JudgedGroup(name, 0, 0, 0, nothing, nothing, 0, math.nan, math.nan, None, None)
        pairs = [self.pairs[place] for place in places]
        of_pairs = [np.arange(*self._starts[place : place + 2]) for place in places]
        rows = {name: column[np.concatenate(of_pairs)] for name, column in self._columns.items()}
        accuracy = np.array([pair.accuracy for pair in pairs])
        n = np.array([pair.n for pair in pairs])
        more = np.repeat((accuracy - accuracy.mean()) / n, n)
        influence = (rows["influence"] + more) / len(pairs)
        is_rated, kept = self.study.design == "likert", sum(pair.kept for pair in pairs)
        units = rows["pair"] if self.study.design == "choice" else 2 * rows["pair"] + rows["good"]
        counts = answer_counts(units, rows["choice"], 7 if is_rated else 2)
        times = rows["time"][~np.isnan(rows["time"])]
        return JudgedGroup(
            name, len(pairs), int(n.sum()), len(np.unique(rows["judge"])),
            share_interval(float(accuracy.mean()), influence, rows["judge"], rows["pair"]),
            wilson(kept, len(pairs)), kept, krippendorff_alpha(counts, is_rated),
            gwet_ac(counts, is_rated), _gap(rows) if is_rated else None,
            float(np.median(times)) if len(times) else None,
        )  # fmt: skip


def outcome_of(study: Study, table: pa.Table, exclude: bool = True) -> Outcome:
    """Return the outcome of a study; with ``exclude`` false all answers to items count.

    ``table``: answers (:data:`~solecism.judge.schema.ANSWERS`). Pairs without an answer that counts
    are not in it.
    """
    rows = _frame(table, study.rules)
    records = judge_records(table, study.rules)
    counting = rows[rows["kind"] == "item"]
    if exclude:
        out = {record.participant for record in records if record.reasons}
        counting = counting[~counting["participant"].isin(out) & ~counting["ruled_out"]]
    simulated = int(_has_flag(table, ("simulated",)).sum())
    pairs, answers = _pairs(_with_values(counting, study.design), study)
    return Outcome(study, tuple(records), tuple(pairs), simulated, answers)


def _frame(table: pa.Table, rules: Rules) -> pd.DataFrame:
    """Return answers as a data frame; ``ruled_out``: they do not count by themselves.

    That is for a flag, or for the native language.
    """
    frame: pd.DataFrame = table.drop_columns(["flags"]).to_pandas()
    out = _has_flag(table, rules.flags)
    if rules.native_language:
        known = {code.lower() for code in rules.native_language}
        out |= ~frame["native_language"].fillna("").str.lower().isin(known).to_numpy()
    return frame.assign(ruled_out=out)


def _has_flag(table: pa.Table, flags: Sequence[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which answers have one of some flags."""
    lists = table["flags"].combine_chunks()
    found = np.zeros(len(table), np.bool_)
    is_in = pc.is_in(pc.list_flatten(lists), pa.array([*flags], pa.string()))
    found[pc.list_parent_indices(lists).filter(is_in).to_numpy()] = True
    return found


def judge_records(table: pa.Table, rules: Rules) -> list[JudgeRecord]:
    """Return a record of each judge, in the order of their names."""
    rows = _frame(table, rules)
    items, catch = rows[rows["kind"] == "item"], rows[rows["kind"] == "catch"]
    wanted = {"choice": catch["answer"] == "good", "expert": catch["answer"] == "no"}
    right = wanted.get(rows["design"].iloc[0] if len(rows) else "", catch["rating"] <= 3)
    by_judge = rows.groupby("participant")
    chosen = items.assign(chosen=_chosen(items)).dropna(subset="chosen")
    counts = chosen.groupby(["participant", "chosen"]).size().groupby("participant")
    of_items = items.groupby("participant")
    found = pd.DataFrame({
        "answers": by_judge.size(),
        "completed": by_judge.size() / by_judge["trials"].max(),
        "catch": right.groupby(catch["participant"]).mean(),
        "one_sided": counts.max() / counts.sum(),
        "median_time": of_items["time"].median(),
        "native_language": by_judge["native_language"].first(),
        "left_out": of_items["ruled_out"].sum(),
    })  # fmt: skip
    return [_record(row, rules) for row in _records(found)]


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a data frame, with its index."""
    return [{str(k): v for k, v in row.items()} for row in frame.reset_index().to_dict("records")]


def _chosen(items: pd.DataFrame) -> pd.Series:
    """Return what was chosen: the rating, the reading, or whether it was the first sentence."""
    design = items["design"].iloc[0] if len(items) else ""
    if design == "likert":
        return items["rating"]
    if design == "expert":
        return items["answer"]
    return (items["answer"] == items["shown"]).astype(float).where(items["shown"].notna())


def _record(row: dict[str, Any], rules: Rules) -> JudgeRecord:
    names = ("completed", "catch", "one_sided", "median_time")
    found: dict[str, Any] = {n: None if pd.isna(row[n]) else float(row[n]) for n in names}
    reasons = [
        name for name, value in found.items()
        if value is not None and name != "one_sided" and value < getattr(rules, name)
    ]  # fmt: skip
    if found["one_sided"] is not None and found["one_sided"] > rules.one_sided:
        reasons.append("one_sided")
    language = row["native_language"]
    left_out = 0 if pd.isna(row["left_out"]) else int(row["left_out"])
    return JudgeRecord(
        participant=row["participant"], answers=int(row["answers"]), **found, left_out=left_out,
        native_language="" if pd.isna(language) else language, reasons=tuple(reasons),
    )  # fmt: skip


def _with_values(rows: pd.DataFrame, design: str) -> pd.DataFrame:
    """Return rows with ``good``: whether the good sentence was judged; ``choice``: the number of
    the answer; ``value``: 1 right, 0 wrong, or the z-score of the rating."""
    rows = rows.assign(good=rows["shown"] == "good", time=rows["time"].astype(float))
    if design == "choice":
        right = rows["answer"] == "good"
        return rows.assign(choice=right.astype(int), value=right.astype(float))
    if design == "expert":
        rows = rows[rows["answer"] != "not applicable"]
        yes = rows["answer"] == "yes"
        return rows.assign(choice=yes.astype(int), value=(yes == rows["good"]).astype(float))
    ratings = rows.groupby("participant")["rating"]
    spread = ratings.transform("std", ddof=0).replace(0, 1.0)  # 0: always the same rating
    value = (rows["rating"] - ratings.transform("mean")) / spread
    return rows.assign(choice=rows["rating"].astype(int) - 1, value=value)


def _pairs(rows: pd.DataFrame, study: Study) -> tuple[list[JudgedPair], pd.DataFrame]:
    """Return the pairs in order, and the answers to them, sorted by pair.

    A pair with ratings of one sentence only is left out.
    """
    if study.design == "likert":
        rows = rows[rows.groupby(["config", "id"])["shown"].transform("nunique") == 2]
    order = ["config", "UID", "id"]
    rows = rows.sort_values(order, kind="stable")
    code = rows.groupby(["config", "id"], sort=False).ngroup().to_numpy()
    judge = rows["participant"].factorize()[0]
    rows = rows.assign(pair=code, judge=judge, influence=0.0)
    by_pair = rows.groupby("pair")
    found = by_pair[["config", "id", "set_id", "UID", "linguistics_term"]].first()
    found["n"], found["time"] = by_pair.size(), by_pair["time"].median()
    found["accuracy"] = by_pair["value"].mean()
    means = rows.pivot_table(index="pair", columns="shown", values="value", aggfunc="mean")
    if study.design == "likert":
        ratings = rows.pivot_table(index="pair", columns="shown", values="rating", aggfunc="mean")
        found["good"], found["bad"], found["gap"] = (
            ratings["good"],
            ratings["bad"],
            means["good"] - means["bad"],
        )
        shares = [_higher(some) for _, some in by_pair[["value", "good"]]]
        found["accuracy"] = [share for share, _ in shares]
        rows["influence"] = np.concatenate([each for _, each in shares]) if shares else []
        found["kept"] = found["gap"] > 0
    else:
        rows["influence"] = (rows["value"] - found["accuracy"].take(code).to_numpy()) / found[
            "n"
        ].take(code).to_numpy()
        found["kept"] = found["accuracy"] > study.rules.pair
        if study.design == "expert":
            both = means.reindex(columns=["good", "bad"]) > study.rules.pair
            found["kept"] = both.all(axis=1)
    texts = {
        (item["config"], item["id"], side): item[side]
        for item in study.items.values() for side in ("good", "bad") if item.get(side)
    }  # fmt: skip
    return [_judged_pair(row, texts) for row in _records(found)], rows


def _judged_pair(row: dict[str, Any], texts: dict[tuple[str, str, str], str]) -> JudgedPair:
    config, key = row["config"], row["id"]
    is_rated = "gap" in row
    return JudgedPair(
        config, key, row["set_id"], row["UID"], row["linguistics_term"], int(row["n"]),
        float(row["accuracy"]), bool(row["kept"]),
        (float(row["good"]), float(row["bad"])) if is_rated else None,
        float(row["gap"]) if is_rated else None,
        None if pd.isna(row["time"]) else float(row["time"]),
        texts.get((config, key, "good"), ""), texts.get((config, key, "bad"), ""),
    )  # fmt: skip


def _higher(rows: pd.DataFrame) -> tuple[float, Numbers]:
    """Return how often good ratings are above bad ones, and what each rating adds to that."""
    values, good = rows["value"].to_numpy(), rows["good"].to_numpy()
    wins = (np.sign(np.subtract.outer(values[good], values[~good])) + 1) / 2
    share = float(wins.mean())
    influence = np.empty(len(values))
    influence[good] = (wins.mean(1) - share) / good.sum()
    influence[~good] = (wins.mean(0) - share) / (~good).sum()
    return share, influence


def _gap(rows: dict[str, np.ndarray[Any, Any]]) -> Interval:
    """Return the difference of the mean z-scores of good and bad sentences."""
    values, good = rows["value"], rows["good"]
    influence = np.empty(len(values))
    for side, sign in ((good, 1), (~good, -1)):
        influence[side] = sign * (values[side] - values[side].mean()) / side.sum()
    gap = float(values[good].mean() - values[~good].mean())
    return mean_interval(gap, influence, rows["judge"], rows["pair"])


_COLUMNS = (
    "participant", "list", "position", "design", "config", "id", "set_id", "UID", "linguistics_term",
    "shown", "answer", "rating", "time",
)  # fmt: skip


def answers_csv(outcome: Outcome) -> str:
    """Return the answers that count as CSV, with the sentences.

    ``right``: 1 or 0, of ratings the z-score. It is the input of :func:`r_script`.
    """
    rows = outcome.answers
    found = rows[[*_COLUMNS]].astype({"list": "Int64", "rating": "Int64", "time": "Int64"})
    for side in ("good", "bad"):
        texts = np.array([getattr(pair, side) for pair in outcome.pairs], dtype=object)
        found[f"sentence_{side}"] = texts[rows["pair"]] if len(rows) else []
    for name in found.select_dtypes(exclude="number"):
        found[name] = found[name].map({text: not_formula(text) for text in found[name].unique()})
    found["right"] = rows["value"].map("{:g}".format)
    return str(found.to_csv(index=False, lineterminator="\n"))


def r_script() -> str:
    """Return the script for R that fits mixed models to :func:`answers_csv`."""
    return Path(__file__).with_name("analysis.R").read_text(encoding="utf-8")
