"""Print BibTeX of a data set and of the works that it follows."""

from __future__ import annotations

import click

from solecism.commands.options import ROOT, echo
from solecism.datasets.citation import cite
from solecism.root import Root

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("dataset")
@ROOT
def command(dataset: str, root: Root) -> None:
    echo(cite(root, dataset))
