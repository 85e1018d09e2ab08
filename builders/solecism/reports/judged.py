"""The outcome of a study with people: as a page, as CSV, as JSON."""

import math
from collections.abc import Iterator

from solecism.contrast import differing_parts
from solecism.files import csv_of
from solecism.judge.outcome import JudgedGroup, Outcome, records
from solecism.reports.charts import bar_chart
from solecism.reports.figures import FigureCell
from solecism.reports.pages import render_page
from solecism.scoring.summary import Interval


def judged_page(outcome: Outcome, everyone: Outcome) -> str:
    """Return a page; ``everyone``: the outcome without exclusions.

    Of the pairs that people reject those with the fewest right answers come first.
    """
    groups = {level: [g for g in some if g.name] for level, some in outcome.levels.items()}
    chart = groups["phenomenon"] if len(groups["phenomenon"]) > 1 else groups["paradigm"]
    series = {
        name: {
            group.name: FigureCell(**vars(getattr(group, name)), n=getattr(group, counted))
            for group in chart
        }
        for name, counted in (("individual", "answers"), ("majority", "pairs"))
    }
    rejected = records(outcome.rejected.sort_values(["accuracy", "UID", "id"]))
    for pair in rejected:
        pair["parts"] = differing_parts(pair["sentence_good"], pair["sentence_bad"])
    return render_page(
        "judged.html.jinja",
        study=outcome.study, outcome=outcome, everyone=everyone, design=outcome.study.design,
        chart=bar_chart("What people decide", [g.name for g in chart], series),
        excluded=records(outcome.excluded), left_out=int(outcome.judges["left_out"].sum()),
        groups={level: some for level, some in groups.items() if some},
        failed=outcome.failed, rejected=rejected,
        figure=lambda value: "" if math.isnan(value) else f"{value:.2f}",
        seconds=lambda value: "" if value is None else f"{value / 1000:.1f}",
        share=lambda value: "" if value is None else f"{100 * value:.0f}",
        language=outcome.study.language,
    )  # fmt: skip


def judged_csv(outcome: Outcome) -> dict[str, str]:
    """Return tables by the name of their file: groups, pairs and judges."""
    groups = [
        {"level": level, **_group_json(group), "passes": group.passes(outcome.study.rules)}
        for level, some in outcome.levels.items()
        for group in some
    ]
    return {
        "groups.csv": csv_of([{"level": "all", **_group_json(outcome.overall)}, *groups]),
        "pairs.csv": csv_of(records(outcome.pairs)),
        "judges.csv": csv_of(records(outcome.judges)),
    }


def judged_json(outcome: Outcome, everyone: Outcome) -> dict[str, object]:
    """Return all figures as JSON; ``everyone``: the outcome without exclusions."""
    excluded = outcome.excluded.set_index("participant")["reasons"]
    return {
        "study": outcome.study.id, "design": outcome.study.design, "judges": len(outcome.judges),
        "excluded": {person: reasons.split() for person, reasons in excluded.items()},
        "overall": _group_json(outcome.overall),
        "without_exclusions": _group_json(everyone.overall),
        **{level: [_group_json(g) for g in some] for level, some in outcome.levels.items()},
        "paradigms_below": [group.name for group in outcome.failed],
        "pairs_rejected": records(outcome.rejected),
    }  # fmt: skip


def _group_json(group: JudgedGroup) -> dict[str, object]:
    """Return the figures; what is not a number becomes null, an interval three figures."""
    found: dict[str, object] = {}
    for name, value in vars(group).items():
        if isinstance(value, Interval):
            ends = (value.value, value.low, value.high)
            found |= zip((name, f"{name}_low", f"{name}_high"), ends, strict=True)
        elif name != "gap":
            found[name] = value
    return {name: None if value != value else value for name, value in found.items()}


def notes(outcome: Outcome) -> Iterator[str]:
    """Yield what a reader must know of an outcome."""
    items = {i["id"] for i in outcome.study.items.values() if i["kind"] == "item"}
    if outcome.study.design == "likert" and (empty := items - set(outcome.pairs["id"])):
        yield f"{len(empty)} pairs have ratings of one sentence only and are left out"
