"""A group of verbs, each in a file of its own that is imported only when the verb is run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Any

import click

from solecism.errors import candidates

__all__ = ["VerbGroup"]


class VerbGroup(click.Group):
    """Verbs by the title of their group; each is a file of the package ``module``."""

    def __init__(self, *, groups: Mapping[str, Sequence[str]], module: str, **kinds: Any) -> None:
        super().__init__(**kinds)
        self.groups, self.module = groups, module
        self.verbs = [verb for verbs in groups.values() for verb in verbs]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.verbs

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (
            cmd_name not in self.verbs and ctx.resilient_parsing
        ):  # completion of a line by the shell
            return None
        if cmd_name not in self.verbs:
            near = candidates("verbs", self.verbs, cmd_name)
            raise click.UsageError(f"unknown verb {cmd_name!r} {near}", ctx)
        command: click.Command = import_module(self._module(cmd_name)).command
        command.name = cmd_name
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(f"{verb:8}", self._summary(verb)) for verb in verbs])

    def _module(self, verb: str) -> str:
        name = verb.replace("-", "_")
        return f"{self.module}.{name}_" if iskeyword(name) else f"{self.module}.{name}"

    def _summary(self, verb: str) -> str:
        """Return the first sentence of a verb's help, read without importing its file."""
        spec = find_spec(self._module(verb))
        if spec is None or spec.origin is None:
            raise RuntimeError(f"{self._module(verb)}: no such file")
        text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
        return " ".join(text.partition("\n\n")[0].split()).removesuffix(".")
