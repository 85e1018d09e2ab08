"""What the verbs of the command line have in common: options, the console, where templates and lexicons are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from solecism.sources import Root

__all__ = ["JSON", "ROOT", "console", "root_of"]

ROOT = click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with templates/ and lexicons/ (default: here, else the installed data).",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def console() -> Console:
    """Print to the terminal at its width, elsewhere at 80 columns."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 80, highlight=False)


def root_of(given: Path | None) -> Root:
    """Find the root named by ``--root``, or the one to take without it."""
    from solecism.sources import find_root

    return find_root(given)
