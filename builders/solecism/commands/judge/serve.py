"""Serve a study: its page, its lists, and a place for answers

The address is for people on this machine; others reach it through a proxy that speaks HTTPS. What
was confirmed is on the disk, in `answers.sqlite` beside the study. Results need the token in
`token.txt`: `curl -H "Authorization: Bearer $(cat study/token.txt)" http://127.0.0.1:8080/api/answers`.

A person who asks for it, with the code that the page has shown at the end (or the name that the
platform gives), is removed by --remove; remove files that were imported yourself.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solecism.commands.cli import FOLDER, JSON, console, echo, plain_table, print_json
from solecism.errors import fail
from solecism.judge.design import Study, read_study
from solecism.judge.importing import remove_person, states_of_lists

if TYPE_CHECKING:
    from rich.table import Table


@click.command(help=__doc__)
@click.argument("study", type=FOLDER)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
@click.option("--status", is_flag=True, help="Show how far each list is, and serve nothing.")
@click.option("--watch", is_flag=True, help="With --status: again every two seconds, until Ctrl-C.")
@click.option("--remove", "code", help="Remove the answers of the person with this code.")
@JSON
def command(
    study: Path, host: str, port: int, status: bool, watch: bool, code: str | None, as_json: bool
) -> None:
    if status:
        _show_status(study, watch, as_json)
        return
    if code is not None:
        removed = remove_person(read_study(study, foreign=True), code)
        if not removed:
            raise fail(f"nobody has the code {code!r}", study)
        echo(f"{removed:,} answers of {code} are removed")
        return
    from solecism.judge.server import make_app, open_socket, serve

    app = make_app(read_study(study))
    with open_socket(host, port) as socket:
        address, found = socket.getsockname()[:2]
        echo(f"the study is at http://{f'[{address}]' if ':' in address else address}:{found}/")
        serve(app, socket)


_NAMES = ("list", "people", "finished", "wanted", "answers", "trials")


def _show_status(study: Path, watch: bool, as_json: bool) -> None:
    """Print a table of the lists of a study; ``watch``: again every two seconds."""
    from rich.live import Live

    found = read_study(study, foreign=True)
    if as_json:
        print_json([dict(zip(_NAMES, row, strict=True)) for row in _rows(found)])
        return
    if not watch:
        console().print(_table(found))
        return
    with Live(_table(found), console=console(), auto_refresh=False) as live:
        while True:
            time.sleep(2)
            live.update(_table(found), refresh=True)


def _rows(study: Study) -> list[tuple[int, int, int, int, int, int]]:
    found, rows = states_of_lists(study), []
    for number in sorted({*found, *range(1, len(study.lists) + 1)}):
        people, finished, answers = found.get(number, (0, 0, 0))
        trials = study.totals[number - 1] if 0 < number <= len(study.lists) else 0
        rows.append((number, people, finished, study.judges, answers, trials))
    return rows


def _table(study: Study) -> Table:
    rows = _rows(study)
    people, finished, answers = (sum(row[n] for row in rows) for n in (1, 2, 4))
    shown = [(str(number or "none"), *rest) for number, *rest in rows]
    last = ("all", people, finished, str(study.participants), answers, "")
    return plain_table([*shown, last], (), _NAMES)
