"""What the verbs of the command line have in common: options, the console, where templates and lexicons are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solecism.errors import visible

if TYPE_CHECKING:
    from rich.console import Console

    from solecism.root import Root

__all__ = ["JSON", "ROOT", "console", "echo", "root_of"]

ROOT = click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with templates/ and lexicons/ (default: here, else the installed data).",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def console() -> Console:
    """Print to the terminal at its width, elsewhere at 80 columns."""
    from solecism.terminal import terminal

    return terminal()


def echo(text: object, err: bool = False) -> None:
    """Print a line, or an error's line, without obeying what others wrote into it."""
    click.echo(visible(str(text)), err=err)


def root_of(given: Path | None) -> Root:
    """Find the root named by ``--root``, or the one to take without it."""
    from solecism.root import find_root

    return find_root(given)
