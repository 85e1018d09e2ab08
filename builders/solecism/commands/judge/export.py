"""Write the page of a study again, or the same study for another program.

page: our page, after a change of study.toml or of its texts; jatos: a study archive with our page;
sheet: a table that experts fill in. `solecism judge import` reads what they give back.
"""

from pathlib import Path

import click

from solecism.commands.cli import FOLDER, NEW_FOLDER, echo
from solecism.judge.design import read_study


@click.command(help=__doc__)
@click.argument("study", type=FOLDER)
@click.option("--to", "target", required=True, metavar="PROGRAM", help="page, jatos or sheet.")
@click.option("--out", type=NEW_FOLDER, help="Folder to write (of the page: in the study).")
def command(study: Path, target: str, out: Path | None) -> None:
    from solecism.judge.exporting import export_study
    from solecism.judge.page import write_page

    if target == "page" and out is None:
        found = read_study(study)
        echo(f"study {found.id}: {write_page(found)}/index.html")
        return
    if out is None:
        raise click.UsageError("name a folder to write: --out")
    for path in export_study(read_study(study), target, out):
        echo(f"wrote {path}")
