"""Print the folder of our lm-eval tasks (for lm_eval --include_path)."""

from __future__ import annotations

import click

from solecism.commands.options import echo
from solecism.harness import TASKS

__all__ = ["command"]


@click.command(help=__doc__)
def command() -> None:
    echo(TASKS)
