"""Check lexicons, templates and the items they draw.

PATHS: files, folders, clams/he ...; without one, everything.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict

import click
from rich.text import Text

from solecism.check.finding import Level
from solecism.check.run import CheckedCounts, check_paths
from solecism.commands.options import JSON, ROOT, print_json, print_lines
from solecism.root import Root

__all__ = ["command"]

_STYLES: dict[Level, str] = {"error": "red", "warning": "yellow", "note": "dim"}


@click.command(help=__doc__)
@click.argument("paths", nargs=-1)
@JSON
@ROOT
def command(paths: tuple[str, ...], as_json: bool, root: Root) -> None:
    checked = CheckedCounts()
    findings = check_paths(paths, root.path, counts=checked)
    counts = Counter(finding.level for finding in findings)
    if as_json:
        figures = {f"{level}s": counts[level] for level in _STYLES}
        found = [finding.to_json() for finding in findings]
        print_json({"checked": asdict(checked), **figures, "findings": found})
    else:
        print_lines(*(Text(str(f), style=_STYLES[f.level]) for f in findings))
        shown = ", ".join(f"{counts[level]} {level}s" for level in _STYLES)
        print_lines(f"{checked}: {shown}")
    if counts["error"]:
        sys.exit(2)
