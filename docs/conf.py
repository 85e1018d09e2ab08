"""How Sphinx makes the documentation: ``make docs``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click
from sphinx.application import Sphinx

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT / "builders"))

from solecism import __version__  # noqa: E402  (the checkout's, not an installed one)
from solecism.check.registry import render_codes  # noqa: E402

project = "Solecism"
author = copyright = "The Solecism authors"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
add_module_names = False
highlight_language = "none"
copybutton_exclude = ".linenos, .gp, .go"

smartquotes = False

html_theme = "furo"
html_title = "Solecism"
html_static_path = ["_static"]
html_css_files, html_js_files = ["solecism.css"], ["solecism.js"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1a7f37", "color-brand-content": "#12652a"},
    "dark_css_variables": {"color-brand-primary": "#4cc764", "color-brand-content": "#6fd983"},
    "top_of_page_buttons": [],
}

_FILE = re.compile(r"^( *)```file (\S+)$", re.MULTILINE)
_CARD = re.compile(r"\]\((?=(\.\./)+dataset_cards/)")
_LEXERS = {".py": "python", ".jinja": "html+jinja", ".toml": "toml", ".yaml": "yaml"}


def name_files(_: Sphinx, page: str, source: list[str]) -> None:
    """Put the names of files over their text: the blocks that tests and readers write to disk.

    The page of check codes gets the docstrings of the checks. Cards are no pages of the site: a
    link to one is a link to its file.
    """
    source[0] = _FILE.sub(_with_caption, source[0])
    source[0] = _CARD.sub("](path:", source[0])
    if page == "checks":
        source[0] += "\n" + render_codes()


def _with_caption(block: re.Match[str]) -> str:
    indent, name = block.groups()
    lexer = _LEXERS.get(Path(name).suffix, "text")
    return f"{indent}```{{code-block}} {lexer}\n{indent}:caption: {name}\n"


def escape_help(_: Sphinx, __: click.Context, lines: list[str]) -> None:
    """Escape what is markup to Sphinx in help texts, which are plain: ``clams/*``, ``chck_*M``."""
    lines[:] = [re.sub(r"(?<!\*)\*(?!\*)|_(?!\w)", r"\\\g<0>", line) for line in lines]


def setup(app: Sphinx) -> None:
    """Connect what is ours."""
    app.connect("source-read", name_files)
    for part in ("description", "options", "arguments"):
        app.connect(f"sphinx-click-process-{part}", escape_help)
