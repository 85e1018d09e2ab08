"""Count modules, code lines and functions of Python folders, by package.

A code line is a line with a token that is neither comment nor docstring. Usage::

    python scripts/count_code.py builders tests scripts
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLANK = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip


def _docstring_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines of all docstrings, those of constants too (PEP 257)."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def count_file(path: Path) -> Counter[str]:
    """Return the numbers of modules (1), code lines, functions and private functions of a file."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _BLANK:
            lines.update(range(token.start[0], token.end[0] + 1))
    names = [node.name for node in ast.walk(tree) if isinstance(node, _FUNCTION)]
    private = [name for name in names if name.startswith("_") and not name.startswith("__")]
    code = len(lines - _docstring_lines(tree))
    return Counter(modules=1, code=code, functions=len(names), private=len(private))


def main(folders: list[str]) -> None:
    """Print a table for each folder, with a line for each package and the sum."""
    columns = ("modules", "code", "functions", "private")
    print(f"{'package':32}" + "".join(f"{name:>11}" for name in columns))
    for folder in folders:
        packages: dict[str, Counter[str]] = {}
        for path in sorted(Path(folder).rglob("*.py")):
            package = "/".join(path.parent.relative_to(folder).parts[:2]) or "."
            packages.setdefault(package, Counter()).update(count_file(path))
        packages[f"{folder}, all"] = sum(packages.values(), Counter())
        for package, counts in packages.items():
            print(f"{package:32}" + "".join(f"{counts[name]:>11,}" for name in columns))


if __name__ == "__main__":
    main(sys.argv[1:])
