"""Remove the answers of a person who asks for it.

CODE is what the page has shown at the end, or the name that the platform gives. The answers go from
the server's file and from the table; remove the files that were imported yourself.
"""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.options import FOLDER, echo
from solecism.errors import fail
from solecism.judge.design import read_study
from solecism.judge.importing import remove_person

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("study", type=FOLDER)
@click.argument("code")
def command(study: Path, code: str) -> None:
    removed = remove_person(read_study(study, foreign=True), code)
    if not removed:
        raise fail(f"nobody has the code {code!r}", study)
    echo(f"{removed:,} answers of {code} are removed")
