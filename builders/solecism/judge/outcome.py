"""What people found: accuracy, agreement, ratings and time, of pairs and of groups of pairs.

What "right" means depends on the design. In a forced choice an answer is right if it is the good
sentence. An expert is right to say yes to the good, no to the bad sentence; *not applicable* says
nothing. Nobody rates both sentences of a pair, so of ratings the individual accuracy is the share
of all pairs of a rating of the good and one of the bad sentence in which the good one is rated
higher (equal: half), ratings being z-scored within each judge.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solecism.judge.agreement import answer_counts, gwet_ac, krippendorff_alpha
from solecism.judge.design import Rules, Study
from solecism.judge.exclusions import JudgeRecord, counting_rows, judge_records
from solecism.judge.intervals import mean_influence, mean_interval, share_interval
from solecism.judge.protocol import READINGS
from solecism.scoring.summary import Interval, wilson

__all__ = [
    "LEVELS", "JudgedGroup", "JudgedPair", "Outcome", "answers_csv", "judged_groups", "outcome_of",
    "r_script", "whole_group",
]  # fmt: skip

Row = Mapping[str, Any]
Numbers = NDArray[np.float64]

LEVELS = {"paradigm": "uid", "phenomenon": "term", "config": "config"}
"""What pairs are grouped by: the name of the level, and the attribute of a pair."""


@dataclass(frozen=True)
class JudgedPair:
    """A pair and its ``n`` answers that count.

    ``accuracy``: the share of answers that are right; ``kept``: whether people confirm the label
    (:class:`~solecism.judge.design.Rules`, ``pair``); ``ratings``: the mean ratings of the good and
    the bad sentence; ``gap``: the difference of their z-scores; ``time``: milliseconds, the median.
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
    rows: Sequence[Row]
    influence: Numbers

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
    """The outcome of a study: its judges, and the pairs by answers that count."""

    study: Study
    judges: tuple[JudgeRecord, ...]
    pairs: tuple[JudgedPair, ...]
    simulated: int

    @cached_property
    def overall(self) -> JudgedGroup:
        """The figures of all pairs."""
        return whole_group(self.pairs, self.study.design)

    @cached_property
    def paradigms(self) -> list[JudgedGroup]:
        """The figures by paradigm."""
        return self.by("paradigm")

    def by(self, level: str) -> list[JudgedGroup]:
        """Return the figures by one of :data:`LEVELS`, in the order of names."""
        return judged_groups(self.pairs, level, self.study.design)


def outcome_of(study: Study, rows: Sequence[Row], exclude: bool = True) -> Outcome:
    """Return the outcome of a study; with ``exclude`` false all answers to items count.

    Pairs without an answer that counts are not in it.
    """
    rules = study.rules
    records = judge_records(rows, rules)
    counting = (
        counting_rows(rows, records, rules)
        if exclude
        else [row for row in rows if row["kind"] == "item"]
    )
    simulated = sum("simulated" in (row["flags"] or ()) for row in rows)
    return Outcome(study, tuple(records), tuple(_pairs(counting, study)), simulated)


def whole_group(pairs: Sequence[JudgedPair], design: str) -> JudgedGroup:
    """Return the figures of all pairs together."""
    return _group("all", pairs, design)


def judged_groups(pairs: Iterable[JudgedPair], level: str, design: str) -> list[JudgedGroup]:
    """Return the figures of pairs by one of :data:`LEVELS`."""
    found: dict[str, list[JudgedPair]] = {}
    for pair in pairs:
        found.setdefault(getattr(pair, LEVELS[level]), []).append(pair)
    return [_group(name, found[name], design) for name in sorted(found)]


def _pairs(rows: Sequence[Row], study: Study) -> list[JudgedPair]:
    by_pair: dict[tuple[str, str], list[Row]] = {}
    for row in _with_values(rows, study.design):
        by_pair.setdefault((row["config"], row["id"]), []).append(row)
    made = (_pair(some, study) for some in by_pair.values())
    found = [pair for pair in made if pair is not None]
    return sorted(found, key=lambda pair: (pair.config, pair.uid, pair.id))


def _with_values(rows: Sequence[Row], design: str) -> list[Row]:
    """Return rows with ``value``: 1 right, 0 wrong, or the z-score of the rating."""
    if design == "choice":
        return [{**row, "value": float(row["answer"] == "good")} for row in rows]
    if design == "expert":
        right = {("good", "yes"): 1.0, ("bad", "no"): 1.0}
        said = [row for row in rows if row["answer"] != "not applicable"]
        return [{**row, "value": right.get((row["shown"], row["answer"]), 0.0)} for row in said]
    return _standardised(rows)


def _standardised(rows: Sequence[Row]) -> list[Row]:
    """Return ratings less the judge's mean, in the judge's standard deviations (0: always one)."""
    by_judge: dict[str, list[int]] = {}
    for row in rows:
        by_judge.setdefault(row["participant"], []).append(row["rating"])
    scale = {name: (np.mean(some), np.std(some) or 1.0) for name, some in by_judge.items()}
    return [
        {**row, "value": float((row["rating"] - centre) / spread)}
        for row in rows
        for centre, spread in [scale[row["participant"]]]
    ]


def _pair(rows: Sequence[Row], study: Study) -> JudgedPair | None:
    ratings, gap = None, None
    values = np.array([row["value"] for row in rows])
    good = np.array([row["shown"] == "good" for row in rows])
    if study.design == "likert":
        if good.all() or not good.any():
            return None
        accuracy, influence = _higher(values, good)
        gap = float(values[good].mean() - values[~good].mean())
        ratings = (_mean(rows, "good"), _mean(rows, "bad"))
        kept = gap > 0
    else:
        accuracy, influence = float(values.mean()), mean_influence(values)
        kept = _confirmed(values, good, study)
    times = [row["time"] for row in rows if row["time"] is not None]
    first = rows[0]
    return JudgedPair(
        first["config"], first["id"], first["set_id"], first["UID"], first["linguistics_term"],
        len(rows), accuracy, kept, ratings, gap, median(times) if times else None, rows, influence,
    )  # fmt: skip


def _confirmed(values: Numbers, good: NDArray[np.bool_], study: Study) -> bool:
    """Return whether people confirm the label; of experts' readings that of both sentences."""
    least = study.rules.pair
    if study.design == "choice":
        return bool(values.mean() > least)
    sides = [values[side] for side in (good, ~good)]
    return all(len(side) and side.mean() > least for side in sides)


def _higher(values: Numbers, good: NDArray[np.bool_]) -> tuple[float, Numbers]:
    """Return how often good ratings are above bad ones, and what each rating adds to that."""
    wins = (np.sign(np.subtract.outer(values[good], values[~good])) + 1) / 2
    share = float(wins.mean())
    influence = np.empty(len(values))
    influence[good] = (wins.mean(1) - share) / good.sum()
    influence[~good] = (wins.mean(0) - share) / (~good).sum()
    return share, influence


def _mean(rows: Sequence[Row], side: str) -> float:
    return mean(float(row["rating"]) for row in rows if row["shown"] == side)


def _group(name: str, pairs: Sequence[JudgedPair], design: str) -> JudgedGroup:
    rows = [row for pair in pairs for row in pair.rows]
    people = [row["participant"] for row in rows]
    items = [f"{row['config']}/{row['id']}" for row in rows]
    kept = sum(pair.kept for pair in pairs)
    times = [row["time"] for row in rows if row["time"] is not None]
    alpha, ac1 = _agreement(rows, design)
    return JudgedGroup(
        name, len(pairs), len(rows), len(set(people)), _individual(pairs, people, items),
        wilson(kept, len(pairs)), kept, alpha, ac1,
        _gap(rows, people, items) if design == "likert" else None,
        median(times) if times else None,
    )  # fmt: skip


def _individual(
    pairs: Sequence[JudgedPair], people: Sequence[str], items: Sequence[str]
) -> Interval:
    """Return the mean of the pairs' shares of right answers."""
    if not pairs:
        return wilson(0, 0)
    share = mean(pair.accuracy for pair in pairs)
    influence = [pair.influence + (pair.accuracy - share) / pair.n for pair in pairs]
    return share_interval(share, np.concatenate(influence) / len(pairs), people, items)


def _gap(rows: Sequence[Row], people: Sequence[str], items: Sequence[str]) -> Interval | None:
    """Return the difference of the mean z-scores of good and bad sentences."""
    if not rows:
        return None
    values = np.array([row["value"] for row in rows])
    good = np.array([row["shown"] == "good" for row in rows])
    influence = np.empty(len(values))
    for side, sign in ((good, 1), (~good, -1)):
        influence[side] = sign * mean_influence(values[side])
    gap = float(values[good].mean() - values[~good].mean())
    return mean_interval(gap, influence, people, items)


def _agreement(rows: Sequence[Row], design: str) -> tuple[float, float]:
    """Return alpha and AC1 (of ratings alpha for ordinal data, and AC2)."""
    if not rows:
        return math.nan, math.nan
    units = [f"{row['config']}/{row['id']}" for row in rows]
    if design == "choice":
        counts = answer_counts(units, [row["answer"] for row in rows], ("good", "bad"))
        return krippendorff_alpha(counts), gwet_ac(counts)
    units = [f"{unit}/{row['shown']}" for unit, row in zip(units, rows, strict=True)]
    if design == "expert":
        counts = answer_counts(units, [row["answer"] for row in rows], READINGS[:2])
        return krippendorff_alpha(counts), gwet_ac(counts)
    counts = answer_counts(units, [row["rating"] for row in rows], range(1, 8))
    return krippendorff_alpha(counts, "ordinal"), gwet_ac(counts, ordered=True)


_COLUMNS = (
    "participant", "list", "position", "design", "config", "id", "set_id", "UID", "linguistics_term",
    "shown", "answer", "rating", "time",
)  # fmt: skip


def answers_csv(outcome: Outcome) -> str:
    """Return the answers that count as CSV; ``right``: 1 or 0, of ratings the z-score."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_COLUMNS, "right"])
    for pair in outcome.pairs:
        writer.writerows(
            [*(row[name] for name in _COLUMNS), f"{row['value']:g}"] for row in pair.rows
        )
    return out.getvalue()


def r_script() -> str:
    """Return the script for R that fits mixed models to :func:`answers_csv`."""
    return Path(__file__).with_name("analysis.R").read_text(encoding="utf-8")
