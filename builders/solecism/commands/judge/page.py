"""Write the page of a study again, after a change of study.toml or of its texts."""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.options import FOLDER, echo
from solecism.judge.design import read_study
from solecism.judge.page import write_page

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("folder", type=FOLDER)
def command(folder: Path) -> None:
    study = read_study(folder)
    echo(f"study {study.id}: {write_page(study)}/index.html")
