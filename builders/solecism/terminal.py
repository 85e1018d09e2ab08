"""The terminal: what is printed there never obeys texts of others, neither escape sequences nor markup."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
from rich.segment import Segment

from solecism.errors import visible

__all__ = ["Terminal", "progress", "progress_bar", "terminal"]

_ISOLATES = "\u2066\u2067\u2068\u2069"
"""What `show` puts around right-to-left text, so that its stop and brackets stand in their places."""


class Terminal(Console):
    """A console that takes no markup from texts and shows their control characters as ``\\x1b``."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as rich does, each piece of text made visible."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else visible(segment.text, _ISOLATES)
            yield segment if text == segment.text else Segment(text, segment.style)


def terminal(stderr: bool = False) -> Terminal:
    """Print to the terminal at its width; standard output that is none has 80 columns."""
    wide = stderr or sys.stdout.isatty()
    return Terminal(
        width=None if wide else 80, stderr=stderr, highlight=False, markup=False, emoji=False
    )


def progress(*columns: ProgressColumn) -> Progress:
    """A bar on standard error, if that is a terminal, that goes when it is done."""
    console = terminal(stderr=True)
    shown = (TextColumn("{task.description}", markup=False), BarColumn(), *columns)
    return Progress(*shown, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def progress_bar(*columns: ProgressColumn, first: str = "reading") -> Iterator[Callable[..., None]]:
    """Show a bar on standard error; yields the function that moves it.

    The function takes what is being done, how much of it is done, and how much there is (0: unknown).
    ``first`` is shown until it is called.
    """
    with progress(*columns) as bar:
        task = bar.add_task(first, total=None)

        def show(name: str, done: int, total: int) -> None:
            bar.update(task, description=name, completed=done, total=total or None)

        yield show
