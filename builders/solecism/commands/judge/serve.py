"""Serve a study: its page, its lists, and a place for answers

The address is for people on this machine; others reach it through a proxy that speaks HTTPS. What
was confirmed is on the disk, in `answers.sqlite` beside the study. Results need the token in
`token.txt`: `curl -H "Authorization: Bearer $(cat study/token.txt)" http://127.0.0.1:8080/api/answers`.

A person who asks for it, with the code that the page has shown at the end (or the name that the
platform gives), is removed by --remove; remove files that were imported yourself.
"""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.judge.status import show_status
from solecism.commands.options import FOLDER, JSON, echo
from solecism.errors import fail
from solecism.judge.design import read_study
from solecism.judge.importing import remove_person

__all__ = ["command"]


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
        show_status(study, watch, as_json)
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
