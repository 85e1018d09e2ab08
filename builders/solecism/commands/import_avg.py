"""Turn an attribute-varying grammar into a template and lexicon rows to start from."""

from __future__ import annotations

from pathlib import Path

import click

from solecism.avg.importer import import_avg
from solecism.commands.options import NEW_FOLDER, echo, path_type

__all__ = ["command"]


@click.command("import-avg", help=__doc__)
@click.argument("grammar", type=path_type(exists=True, dir_okay=False))
@click.option("--language", required=True, help="Language code of the new templates.")
@click.option("--dataset", required=True, help="Data set the templates go to.")
@click.option("--out", type=NEW_FOLDER, default=Path())
def command(grammar: Path, language: str, dataset: str, out: Path) -> None:
    for written in import_avg(grammar, out, language, dataset):
        echo(f"wrote {written}")
