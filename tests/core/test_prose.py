"""Docstrings and pages: plain openings, lines of at most 100 characters."""

import ast
import re
from pathlib import Path

import pytest

from release import CHECKOUT

PAGES = sorted(
    path.relative_to(CHECKOUT).as_posix()
    for pattern in ("*.md", "docs/*.md", "dataset_cards/*.md", "lexicons/*/*.md")
    for path in CHECKOUT.glob(pattern)
)
MODULES = sorted(
    path.relative_to(CHECKOUT).as_posix()
    for folder in ("builders", "scripts")
    for path in (CHECKOUT / folder).rglob("*.py")
)
ODD = re.compile(r"(Gives?|Tells?|What|Whether|How|Whose|Where|Says?|Which|All|Any) ")
"""How no docstring of a function begins: it says what the function does."""


@pytest.mark.parametrize("page", PAGES)
def test_lines_of_prose_are_short(page: str) -> None:
    """Tables, code, front matter and lines with tags of templates may be longer."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    text = re.sub(r"\A---\n.*?^---\n|^```.*?^```|^    .*?$", "", text, flags=re.S | re.M)
    lines = [line for line in text.splitlines() if not line.startswith("|") and "{" not in line]
    assert [line for line in lines if len(line) > 100 and " " in line[:100]] == []


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_of_functions_say_what_they_do(module: str) -> None:
    tree = ast.parse(Path(CHECKOUT / module).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    plain = [node for node in functions if not _is_property(node)]
    texts = {node.name: ast.get_docstring(node) or "" for node in plain}
    assert {name: text.split("\n")[0] for name, text in texts.items() if ODD.match(text)} == {}


def _is_property(node: ast.FunctionDef) -> bool:
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
