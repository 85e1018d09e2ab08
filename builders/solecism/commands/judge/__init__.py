"""Let people judge pairs: make a study, collect answers, report what people found."""

import click

from solecism.commands.cli import VerbGroup

VERBS = ("new", "export", "serve", "import", "report", "accept")
"""The verbs in the order of work."""


@click.group(cls=VerbGroup, groups={"Verbs": VERBS}, module=__name__, help=__doc__)
def command() -> None:
    pass
