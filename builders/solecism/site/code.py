"""Templates and snippets with their syntax in colours."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from markupsafe import Markup
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from solecism.inputs import read_source

__all__ = ["coloured", "coloured_file"]


def coloured(text: str, language: str) -> Markup:
    """Return code as HTML, with a class for each kind of token; ``language`` as of Pygments."""
    lexer = get_lexer_by_name(language, stripnl=False)
    return Markup(highlight(text, lexer, HtmlFormatter(nowrap=True)))


@lru_cache(maxsize=1 << 10)
def coloured_file(path: Path) -> Markup:
    """Return a template or a table of slots as HTML."""
    return coloured(read_source(path), "yaml+jinja")
