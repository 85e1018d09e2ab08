"""Show what people found: accuracy, agreement, exclusions, what they reject.

With --out, a folder gets report.html, groups.csv, pairs.csv, judges.csv, answers.csv (those that
count) and analysis.R, a script of mixed models for R.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solecism.commands import cli
from solecism.files import write_text

if TYPE_CHECKING:
    from solecism.judge.outcome import Outcome
    from solecism.scoring.summary import Interval


_LEVELS = ("paradigm", "phenomenon", "config")


@click.command(help=__doc__)
@click.argument("study", type=cli.FOLDER)
@click.option("--by", type=click.Choice(_LEVELS), default="paradigm", show_default=True,
              help="What the table's rows are.")  # fmt: skip
@click.option("--out", type=cli.NEW_FOLDER, help="Folder for the page, the tables and the script.")
@cli.JSON
def command(study: Path, by: str, out: Path | None, as_json: bool) -> None:
    from solecism.judge.design import read_study
    from solecism.judge.importing import read_answer_table
    from solecism.judge.outcome import answers_csv, outcome_of, r_script
    from solecism.reports.judged import judged_csv, judged_json, judged_page

    found = read_study(study, foreign=True)
    table = read_answer_table(found)
    outcome, everyone = outcome_of(found, table), outcome_of(found, table, exclude=False)
    if out is not None:
        texts = {
            **judged_csv(outcome), "answers.csv": answers_csv(outcome), "analysis.R": r_script(),
            "report.html": judged_page(outcome, everyone),
        }  # fmt: skip
        for name, text in texts.items():
            write_text(out / name, text)
    if as_json:
        cli.print_json(judged_json(outcome, everyone))
        return
    _show(outcome, everyone, by)
    if out is not None:
        cli.echo(f"wrote {out}/report.html (with the pairs that people reject), tables, analysis.R")


def _show(outcome: Outcome, everyone: Outcome, by: str) -> None:
    from solecism.reports.judged import notes

    likert = outcome.study.design == "likert"
    rows = []
    for group in [*(group for group in outcome.levels[by] if group.name), outcome.overall]:
        gap = [f"{group.gap.value:.2f}" if group.gap else ""] if likert else []
        seconds = "" if group.time is None else f"{group.time / 1000:.1f}"
        agreement = ("" if x != x else f"{x:.2f}" for x in (group.alpha, group.ac1))
        confirmed = f"{group.kept}/{group.pairs}"
        row = (group.name, _share(group.individual), confirmed, group.answers)
        rows.append((*row, *agreement, *gap, seconds))
    more = ("alpha", "AC2", "gap") if likert else ("alpha", "AC1")
    heads = ("individual", "confirmed", "answers", *more, "s")
    cli.console().print(cli.plain_table(rows, [by], heads))
    out = len(outcome.excluded)
    cli.echo(f"{len(outcome.judges) - out} judges count, {out} are left out by the rules")
    for name, found in (("counting", outcome), ("all", everyone)):
        whole = found.overall
        shares = f"individual {_share(whole.individual)}, majority {_share(whole.majority)}"
        cli.echo(f"{name} answers: {shares}")
    cli.echo(f"{len(outcome.rejected)} of {len(outcome.pairs)} pairs are rejected by people")
    below = [group.name for group in outcome.failed]
    share = 100 * outcome.study.rules.paradigm
    named = ", ".join(below[:20]) + (f" and {len(below) - 20} more" if len(below) > 20 else "")
    cli.echo(f"fewer than {share:.0f} % of pairs are confirmed: {named or 'in no paradigm'}")
    for note in notes(outcome):
        cli.echo(f"note: {note}")


def _share(found: Interval) -> str:
    low, high = 100 * found.low, 100 * found.high
    return "" if found.value != found.value else f"{100 * found.value:.1f} ({low:.1f}–{high:.1f})"
