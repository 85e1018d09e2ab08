"""Show how far each list of a study is"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solecism.commands.options import FOLDER, JSON, console, plain_table, print_json
from solecism.judge.design import Study, read_study

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("study", type=FOLDER)
@click.option("--watch", is_flag=True, help="Show it anew every two seconds, until Ctrl-C.")
@JSON
def command(study: Path, watch: bool, as_json: bool) -> None:
    from rich.live import Live

    from solecism.judge.store import tallies

    found = read_study(study)
    if as_json:
        print_json([tally._asdict() for tally in tallies(found)])
    elif not watch:
        console().print(_table(found))
    else:
        with Live(_table(found), console=console(), auto_refresh=False) as live:
            while True:
                time.sleep(2)
                live.update(_table(found), refresh=True)


def _table(study: Study) -> Table:
    from solecism.judge.store import tallies

    table = plain_table((), ("list", "people", "finished", "wanted", "answers", "trials"))
    found = tallies(study)
    for tally, trials in zip(found, study.totals, strict=True):
        table.add_row(
            *map(str, (tally.list, tally.sessions, tally.finished, study.judges)),
            f"{tally.answers:,}", str(trials),
        )  # fmt: skip
    sums = [sum(tally[place] for tally in found) for place in (1, 2, 3)]
    table.add_row("all", str(sums[0]), str(sums[1]), str(study.participants), f"{sums[2]:,}", "")
    return table
