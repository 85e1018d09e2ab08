"""The outcome of a study with people: as a page, as CSV, as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from solecism.contrast import differing_parts
from solecism.files import csv_of
from solecism.judge.outcome import LEVELS, JudgedGroup, JudgedPair, Outcome
from solecism.reports.charts import bar_chart
from solecism.reports.figures import FigureCell
from solecism.reports.hardest import Parts
from solecism.reports.pages import render_page
from solecism.scoring.summary import Interval

__all__ = ["RejectedPair", "judged_csv", "judged_json", "judged_page", "notes", "rejected_pairs"]


@dataclass(frozen=True)
class RejectedPair:
    """A pair that people reject, with its sentences in parts of which some differ."""

    pair: JudgedPair
    good: Parts
    bad: Parts


def rejected_pairs(outcome: Outcome) -> list[RejectedPair]:
    """Return the pairs that people reject, those with the fewest right answers first."""
    return [
        RejectedPair(pair, *differing_parts(pair.good, pair.bad))
        for pair in sorted(outcome.pairs, key=lambda pair: (pair.accuracy, pair.uid, pair.id))
        if not pair.kept
    ]


def judged_page(outcome: Outcome, everyone: Outcome) -> str:
    """Return a page; ``everyone``: the outcome without exclusions."""
    design = outcome.study.design
    groups = {level: [g for g in outcome.by(level) if g.name] for level in LEVELS}
    chart = groups["phenomenon"] if len(groups["phenomenon"]) > 1 else groups["paradigm"]
    series = {
        "individual": {group.name: _cell(group.individual, group.answers) for group in chart},
        "majority": {group.name: _cell(group.majority, group.pairs) for group in chart},
    }
    return render_page(
        "judged.html.jinja",
        study=outcome.study, outcome=outcome, everyone=everyone, design=design,
        chart=bar_chart("What people decide", [g.name for g in chart], series),
        excluded=[r for r in outcome.judges if r.reasons],
        groups={level: some for level, some in groups.items() if some},
        failed=[g for g in outcome.paradigms if not g.passes(outcome.study.rules)],
        rejected=rejected_pairs(outcome), figure=_figure, seconds=_seconds, share=_share,
        language=outcome.study.language,
    )  # fmt: skip


def _cell(found: Interval, n: int) -> FigureCell:
    return FigureCell(found.value, found.low, found.high, n)


def _figure(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value / 1000:.1f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f}"


def judged_csv(outcome: Outcome) -> dict[str, str]:
    """Return tables by the name of their file: groups, pairs and judges."""
    rules = outcome.study.rules
    groups = [
        {"level": level, **_group_json(group), "passes": group.passes(rules)}
        for level in LEVELS
        for group in outcome.by(level)
    ]
    return {
        "groups.csv": csv_of([{"level": "all", **_group_json(outcome.overall)}, *groups]),
        "pairs.csv": csv_of(map(_pair_json, outcome.pairs)),
        "judges.csv": csv_of({**asdict(r), "reasons": " ".join(r.reasons)} for r in outcome.judges),
    }


def judged_json(outcome: Outcome, everyone: Outcome) -> dict[str, Any]:
    """Return all figures as JSON; ``everyone``: the outcome without exclusions."""
    rules = outcome.study.rules
    return {
        "study": outcome.study.id,
        "design": outcome.study.design,
        "judges": len(outcome.judges),
        "excluded": {r.participant: list(r.reasons) for r in outcome.judges if r.reasons},
        "simulated": outcome.simulated,
        "overall": _group_json(outcome.overall),
        "without_exclusions": _group_json(everyone.overall),
        **{level: [_group_json(group) for group in outcome.by(level)] for level in LEVELS},
        "paradigms_below": [g.name for g in outcome.paradigms if not g.passes(rules)],
        "pairs_rejected": [_pair_json(pair) for pair in outcome.pairs if not pair.kept],
    }


def _group_json(group: JudgedGroup) -> dict[str, Any]:
    found = {
        "name": group.name, "pairs": group.pairs, "answers": group.answers, "judges": group.judges,
        **_interval("individual", group.individual), **_interval("majority", group.majority),
        "kept": group.kept, "alpha": _number(group.alpha), "ac1": _number(group.ac1),
        "time": group.time,
    }  # fmt: skip
    return found | (_interval("gap", group.gap) if group.gap else {})


def _interval(name: str, found: Interval) -> dict[str, float | None]:
    ends = {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
    return {key: _number(value) for key, value in ends.items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _pair_json(pair: JudgedPair) -> dict[str, Any]:
    texts = {"sentence_good": pair.good, "sentence_bad": pair.bad}
    return {"config": pair.config, **pair.to_json(), **texts}


def notes(outcome: Outcome) -> Iterator[str]:
    """Yield what a reader must know of an outcome."""
    if outcome.simulated:
        yield f"{outcome.simulated:,} answers are those of programs"
    items = {i["id"] for i in outcome.study.items.values() if i["kind"] == "item"}
    if outcome.study.design == "likert" and (empty := items - {pair.id for pair in outcome.pairs}):
        yield f"{len(empty)} pairs have ratings of one sentence only and are left out"
