"""Check lexicons, templates and the items they draw.

PATHS: files, folders, clams/he ...; without one, everything.
"""

import sys
from collections import Counter
from dataclasses import asdict

import click
from rich.text import Text

from solecism.check.registry import render_codes
from solecism.check.run import check_paths
from solecism.commands.cli import JSON, ROOT, option, print_json, print_lines
from solecism.datasets.catalogue import BUILT_IN, read_catalogue
from solecism.root import Root
from solecism.terminal import counted

_COUNTED = ("lexicon", "paradigm", "pair", "item")
_STYLES: dict[str, str] = {"error": "red", "warning": "yellow", "note": "dim"}


@click.command(help=__doc__)
@click.argument("paths", nargs=-1)
@option("--codes", is_flag=True, help="Print all codes with what to do, and check nothing.")
@option("--no-items", is_flag=True, help="Draw no items: `build` checks those, too.")
@JSON
@ROOT
def command(paths: tuple[str, ...], codes: bool, no_items: bool, as_json: bool, root: Root) -> None:
    if codes:
        click.echo(render_codes(), nl=False)
        return
    if (catalogue := root.path / BUILT_IN.name).is_file():
        read_catalogue(catalogue)
    found = Counter[str]()
    findings = check_paths(paths, root.path, items=not no_items, counts=found)
    counts = Counter(finding.level for finding in findings)
    if as_json:
        figures = {f"{level}s": counts[level] for level in _STYLES}
        checked = {f"{name}s": found[f"{name}s"] for name in _COUNTED}
        print_json({"checked": checked, **figures, "findings": list(map(asdict, findings))})
    else:
        print_lines(*(Text(str(f), style=_STYLES[f.level]) for f in findings))
        shown = ", ".join(counted(counts[level], level) for level in _STYLES)
        kinds = [counted(found[f"{name}s"], name) for name in _COUNTED if found[f"{name}s"]]
        print_lines(f"{', '.join(kinds) or 'nothing'} checked: {shown}")
    if counts["error"]:
        sys.exit(2)
