"""Serve a study: its page, its lists, and a place for answers

The address is for people on this machine; others reach it through a proxy that speaks HTTPS. What
was confirmed is on the disk, in `answers.sqlite` beside the study. Results need the token in
`token.txt`: `curl -H "Authorization: Bearer $(cat study/token.txt)" http://127.0.0.1:8080/api/answers`.
"""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.options import FOLDER, echo
from solecism.judge.design import read_study

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("study", type=FOLDER)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True)
def command(study: Path, host: str, port: int) -> None:
    from solecism.judge.server import make_app, open_socket, serve

    app = make_app(read_study(study))
    with open_socket(host, port) as socket:
        address, found = socket.getsockname()[:2]
        echo(f"the study is at http://{f'[{address}]' if ':' in address else address}:{found}/")
        serve(app, socket)
