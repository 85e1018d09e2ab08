"""Print to the terminal, and report progress.

Escape sequences and markup in texts of others have no effect.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from rich import progress
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from solecism.contrast import direction
from solecism.errors import visible

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, the amount that is done, and the whole amount (0: unknown)."""


class Tell(Protocol):
    """Called with the share of the work that is done."""

    def __call__(self, share: float, /) -> None: ...


UNWRAPPED = 10_000
"""The width of output that does not go to a terminal, in columns."""

EVERY = 5.0
"""The seconds between two lines that report progress, if there is no terminal."""

_BLOCKS = " ▏▎▍▌▋▊▉█"

_ISOLATES = "\u2066\u2067\u2068\u2069"
"""The marks of :func:`isolated`."""


class Terminal(Console):
    """A console that ignores markup in texts and shows control characters as ``\\x1b``."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as rich does, with the control characters of each text made visible."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else visible(segment.text, _ISOLATES)
            yield segment if text == segment.text else Segment(text, segment.style)


def terminal(stderr: bool = False) -> Terminal:
    """Return a console as wide as the terminal or ``$COLUMNS``; other output is not wrapped."""
    known = (sys.stderr if stderr else sys.stdout).isatty() or "COLUMNS" in os.environ
    width = None if known else UNWRAPPED
    return Terminal(width=width, stderr=stderr, highlight=False, markup=False, emoji=False)


def counted(number: int, name: str) -> str:
    """Return a number with the name of what it counts.

    >>> counted(1, "list"), counted(1200, "item")
    ('1 list', '1,200 items')
    """
    return f"{number:,} {name}{'s' * (number != 1)}"


def isolated(text: str) -> str:
    """Mark right-to-left text, so that terminals put its stop and brackets in their places."""
    return f"\u2067{text}\u2069" if direction(text) == "rtl" else text


def no_progress(name: str, done: int, total: int) -> None:
    """Report nothing."""


def bar(value: float, most: float, width: int) -> str:
    """Return a bar for ``value`` out of ``most``, at most ``width`` columns long.

    >>> bar(3, 8, 2), bar(8, 8, 2)
    ('▊', '██')
    """
    eighths = round(8 * width * min(max(value / most, 0.0), 1.0)) if most > 0 else 0
    full, rest = divmod(eighths, 8)
    return "█" * full + (_BLOCKS[rest] if rest else "")


@contextmanager
def progress_bar(*columns: progress.ProgressColumn, first: str = "reading") -> Iterator[Progress]:
    """Show a bar on standard error, and yield the function that moves it.

    ``first`` is the name of the first step. If standard error is no terminal, there is a line
    every few seconds instead.
    """
    console = terminal(stderr=True)
    step = progress.TextColumn("{task.description}", markup=False)
    shown = (step, progress.BarColumn(), *columns)
    hidden = not console.is_terminal
    with progress.Progress(*shown, console=console, transient=True, disable=hidden) as bars:
        task = bars.add_task(first, total=None)
        began = said = monotonic()

        def show(name: str, done: int, total: int) -> None:
            nonlocal said
            bars.update(task, description=name, completed=done, total=total or None)
            if bars.disable and monotonic() - said >= EVERY:
                said = monotonic()
                rest = f" of {total:,}" if total else ""
                if 0 < done <= total:
                    left = (said - began) * (total - done) / done
                    time = f"{left / 60:,.0f} minutes" if left > 90 else f"{left:.0f} seconds"
                    rest += f", about {time} left"
                print(visible(f"{name}: {done:,}{rest}"), file=sys.stderr, flush=True)

        yield show
