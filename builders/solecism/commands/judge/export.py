"""Write the same study for another program.

pcibex: a project for PCIbex (PennController); label-studio: tasks of each list and the
configuration; jatos: a study archive with our page; sheet: a table that experts fill in.
`solecism judge import` reads what they give back.
"""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.options import FOLDER, NEW_FOLDER, echo
from solecism.judge.design import read_study

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("study", type=FOLDER)
@click.option(
    "--to", "target", required=True, metavar="PROGRAM", help="pcibex, label-studio, jatos or sheet."
)
@click.option("--out", type=NEW_FOLDER, required=True, help="Folder to write.")
def command(study: Path, target: str, out: Path) -> None:
    from solecism.judge.exporting import export_study

    for path in export_study(read_study(study), target, out):
        echo(f"wrote {path}")
