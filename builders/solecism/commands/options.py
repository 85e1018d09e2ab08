"""What verbs share: their decorator, common options, printing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from solecism.errors import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from solecism.root import Root

_Command = TypeVar("_Command", bound=Callable[..., Any])

__all__ = [
    "COMMERCIAL", "FOLDER", "JSON", "NEW_FILE", "NEW_FOLDER", "OWN_ROOT", "ROOT", "console", "echo",
    "left_out", "path_type", "plain_table", "print_json", "print_lines",
]  # fmt: skip


def path_type(**kinds: bool) -> click.Path:
    """Return a type of option that gives a :class:`Path`; ``kinds`` as of :class:`click.Path`."""
    return click.Path(path_type=Path, **kinds)


FOLDER = path_type(exists=True, file_okay=False)
NEW_FOLDER = path_type(file_okay=False)
NEW_FILE = path_type(dir_okay=False)

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


COMMERCIAL = click.option(
    "--commercial", is_flag=True, help="Leave out treebanks that forbid commercial use (NC)."
)
"""The option ``--commercial`` of verbs that fetch or mine treebanks."""


def _found(_: click.Context, __: click.Parameter, given: Path | None) -> Root:
    from solecism.root import find_root

    return find_root(given)


def _own(_: click.Context, __: click.Parameter, given: Path | None) -> Root:
    from solecism.root import own_root

    return own_root(given)


def _root(find: Callable[..., Root], default: str) -> Callable[[_Command], _Command]:
    text = f"Folder with templates/ and lexicons/ (default: {default})."
    return click.option("--root", type=NEW_FOLDER, callback=find, help=text)


ROOT = _root(_found, "here, else the installed data")
"""The option ``--root`` of verbs that read templates and lexicons; a verb gets a :class:`Root`."""

OWN_ROOT = _root(_own, "here")
"""The option ``--root`` of verbs that write templates and lexicons."""


def left_out(every: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return a note about the languages that ``--commercial`` leaves out, if there are any."""
    codes = sorted({*every} - {*taken})
    return [f"left out, no treebank allows commercial use: {', '.join(codes)}"] if codes else []


def console() -> Console:
    """Return a console for standard output; lines are wrapped only for a terminal."""
    from solecism.terminal import terminal

    return terminal()


def echo(text: object, err: bool = False) -> None:
    """Print a line, with the control characters in it made visible."""
    click.echo(visible(str(text)), err=err)


def print_lines(*lines: RenderableType) -> None:
    """Print lines that are not wrapped."""
    out = console()
    for line in lines:
        out.print(line, soft_wrap=True)


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    console().print_json(json.dumps(value, ensure_ascii=False))


def plain_table(left: Sequence[str], right: Sequence[str] = ()) -> Table:
    """Return a plain table with columns that are aligned to the left, then to the right."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False)
    for title in left:
        made.add_column(title, overflow="fold")
    for title in right:
        made.add_column(title, justify="right")
    return made
