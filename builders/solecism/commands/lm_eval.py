"""Run lm-eval with our models, `solecism` and `solecism-mlm`, registered.

ARGUMENTS: those of lm-eval's own command line.
"""

from __future__ import annotations

import sys

import click

__all__ = ["command"]


@click.command(
    help=__doc__, context_settings={"ignore_unknown_options": True, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    from lm_eval.__main__ import cli_evaluate

    from solecism.harness import models

    assert models  # imported for what it registers
    sys.argv = ["lm_eval", *arguments]
    cli_evaluate()
