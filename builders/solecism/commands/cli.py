"""What verbs share: their group, common options, printing."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from solecism.errors import candidates, visible

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod, RenderableType
    from rich.table import Table

    from solecism.root import Root

Command = TypeVar("Command", bound=Callable[..., object])
"""A function that becomes a verb."""


class _PathType(click.Path):
    def convert(self, value: Any, *context: Any) -> Any:
        if "\0" in str(value):
            self.fail(f"{value!r} holds the character U+0000", *context)
        return super().convert(value, *context)


def path_type(**kinds: bool) -> click.Path:
    """Return a type of option that gives a :class:`Path`; ``kinds`` as of :class:`click.Path`."""
    return _PathType(path_type=Path, **kinds)


def option(*names: str, **kinds: Any) -> Callable[[Command], Command]:
    """Return an option as :func:`click.option` does; its help shows its default."""
    return click.option(*names, **{"show_default": bool(kinds.get("default")), **kinds})


PLACE = path_type(exists=True)
FOLDER = path_type(exists=True, file_okay=False)
FILE = path_type(exists=True, dir_okay=False)
NEW_FOLDER = path_type(file_okay=False)
NEW_FILE = path_type(dir_okay=False)

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def sides(command: Command) -> Command:
    """Add the options ``--good`` and ``--bad``: columns of pairs that are not ours."""

    def note(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if not value:
            return
        from solecism.own_pairs import ASKED, SIDES

        good, bad = ASKED.get() or SIDES
        ASKED.set((value, bad) if param.name == "good" else (good, value))
        ctx.call_on_close(lambda: ASKED.set(None))

    for name in ("bad", "good"):
        text = f"Column with the {name} sentences, of pairs that are not ours."
        command = click.option(
            f"--{name}", metavar="COLUMN", expose_value=False, callback=note, help=text
        )(command)
    return command


COMMERCIAL = click.option(
    "--commercial", is_flag=True, help="Leave out treebanks that forbid commercial use (NC)."
)
"""The option ``--commercial`` of verbs that fetch or mine treebanks."""


def _root(own: bool, default: str) -> Callable[[Command], Command]:
    def found(_: click.Context, __: click.Parameter, given: Path | None) -> Root:
        from solecism.root import find_root, own_root

        return own_root(given) if own else find_root(given)

    text = f"Folder with templates/ and lexicons/ (default: {default})."
    return click.option("--root", type=NEW_FOLDER, callback=found, help=text)


ROOT = _root(False, "here, else the installed data")
"""The option ``--root`` of verbs that read templates and lexicons; a verb gets a :class:`Root`."""

OWN_ROOT = _root(True, "here")
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


def plain_table(
    rows: Iterable[Iterable[object]], left: Sequence[str], right: Sequence[str] = (),
    more: Sequence[str] = (),
) -> Table:  # fmt: skip
    """Return a plain table: columns aligned to the left, to the right, and to the left again.

    What is not known (None) is a question mark.
    """
    from rich.table import Table

    made = Table(box=None, pad_edge=False)
    for title in (*left, *right, *more):
        side: JustifyMethod = "right" if title in right else "left"
        made.add_column(title, justify=side, overflow="fold" if title in left else "ellipsis")
    for row in rows:
        cells = ("?" if cell is None else cell for cell in row)
        made.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells))
    return made


class VerbGroup(click.Group):
    """Verbs by the title of their group, each registered or a file of the package ``module``."""

    def __init__(
        self, *, groups: Mapping[str, Sequence[str]], module: str = "", **kinds: Any
    ) -> None:
        super().__init__(**kinds)
        self.groups, self.module = groups, module
        self.verbs = [verb for verbs in groups.values() for verb in verbs]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.verbs

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if cmd_name in self.verbs:
            command: click.Command = import_module(self._module(cmd_name)).command
            command.name = cmd_name
            return command
        if ctx.resilient_parsing:  # completion of a line by the shell
            return None
        near = candidates("verbs", self.verbs, cmd_name)
        raise click.UsageError(f"unknown verb {cmd_name!r} {near}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(f"{verb:8}", self._summary(verb)) for verb in verbs])

    def _module(self, verb: str) -> str:
        return f"{self.module}.{verb}"

    def _summary(self, verb: str) -> str:
        """Return the first sentence of a verb's help, read without importing its file."""
        if verb in self.commands:
            text = self.commands[verb].help or ""
        else:
            origin = str(find_spec(self._module(verb)).origin)  # type: ignore[union-attr]
            text = ast.get_docstring(ast.parse(Path(origin).read_text(encoding="utf-8"))) or ""
        return " ".join(text.partition("\n\n")[0].split()).removesuffix(".")
