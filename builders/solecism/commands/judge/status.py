"""What `solecism judge serve --status` shows: how far each list of a study is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from solecism.commands.options import console, plain_table, print_json
from solecism.judge.design import Study, read_study

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["show_status"]

_NAMES = ("list", "people", "finished", "wanted", "answers", "trials")


def show_status(study: Path, watch: bool, as_json: bool) -> None:
    """Print a table of the lists of a study; ``watch``: again every two seconds."""
    from rich.live import Live

    found = read_study(study, foreign=True)
    if as_json:
        print_json([dict(zip(_NAMES, row, strict=True)) for row in _rows(found)])
    elif not watch:
        console().print(_table(found))
    else:
        with Live(_table(found), console=console(), auto_refresh=False) as live:
            while True:
                time.sleep(2)
                live.update(_table(found), refresh=True)


def _rows(study: Study) -> list[tuple[int, int, int, int, int, int]]:
    from solecism.judge.importing import states_of_lists

    found, rows = states_of_lists(study), []
    for number in sorted({*found, *range(1, len(study.lists) + 1)}):
        people, finished, answers = found.get(number, (0, 0, 0))
        trials = study.totals[number - 1] if 0 < number <= len(study.lists) else 0
        rows.append((number, people, finished, study.judges, answers, trials))
    return rows


def _table(study: Study) -> Table:
    table, rows = plain_table((), _NAMES), _rows(study)
    for row in rows:
        table.add_row(str(row[0] or "none"), *(f"{value:,}" for value in row[1:]))
    people, finished, answers = (f"{sum(row[n] for row in rows):,}" for n in (1, 2, 4))
    table.add_row("all", people, finished, str(study.participants), answers, "")
    return table
