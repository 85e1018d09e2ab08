"""Print the folder of our lm-eval tasks (for lm_eval --include_path)."""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.options import echo

__all__ = ["command"]


@click.command(help=__doc__)
def command() -> None:
    echo(Path(__file__).parents[1] / "harness" / "tasks")
