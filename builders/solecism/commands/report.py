"""Print results as a table, and write other forms of it.

RESULTS: files that `solecism score` has written, or folders of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from solecism.commands.options import JSON, NEW_FILE, console, path_type
from solecism.errors import InputError, Problem, fail
from solecism.files import write_text
from solecism.reports.comparison import Difference, difference
from solecism.reports.figures import ALL, Block, Column, columns, grid
from solecism.reports.html import html_page
from solecism.reports.text import (
    bos_notes,
    counts_line,
    csv_text,
    difference_table,
    latex_difference,
    latex_text,
    signatures,
    tables,
    to_json,
)
from solecism.scoring.results import FORMAT, Result, read_result

__all__ = ["command", "open_results", "report"]


def report(
    paths: Sequence[Path],
    by: str | None,
    diff: bool,
    html: Path | None,
    csv: Path | None,
    latex: Path | None,
    as_json: bool,
    console: Console,
    group: bool = False,
) -> None:
    """Print results (files, or folders of them) in a table; write the other forms that are asked for.

    ``by``: ``UID``, ``phenomenon``, ``construction``, ``config`` or a feature; by default the construction,
    where the data set has none the phenomenon. ``diff``: compare two models item by item. ``group``: seeds
    of a model in one column, mean and standard deviation. Raises :class:`InputError`.
    """
    results = open_results(paths)
    by = by or _default(results)
    some = columns(results, by, group)
    found = difference(results, by) if diff else None
    if as_json:
        console.print_json(json.dumps(to_json(some, by, found), ensure_ascii=False))
    else:
        _print(some, by, found, console)
    notice = None if as_json else console
    if html is not None:
        _write(html, html_page(results, by, group, found), notice)
    if csv is not None:
        _write(csv, csv_text(some, by, found), notice)
    if latex is not None:
        _write(latex, latex_difference(found) if found else latex_text(grid(some), by), notice)


def open_results(paths: Sequence[Path]) -> list[Result]:
    """Open results; of a folder all that are in it. All that is wrong with any of them is reported at once."""
    results, problems = [], list[Problem]()
    for file in dict.fromkeys(file for path in paths for file in _files(path)):
        try:
            results.append(read_result(file))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    if not results:
        raise fail("name at least one result, as out/gpt2-he.json")
    return list({result.path.resolve(): result for result in results}.values())


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = [file for file in sorted(path.glob("*.json")) if _is_result(file)]
    if not files:
        raise fail("there is no result in this folder", path)
    return files


def _is_result(file: Path) -> bool:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return FORMAT in lines.read(200)


def _default(results: Sequence[Result]) -> str:
    known = all(result.summary["by"].get("construction") for result in results)
    return "construction" if known else "phenomenon"


def _print(some: list[Column], by: str, found: Difference | None, console: Console) -> None:
    if found is not None:
        _print_difference(found, console)
        return
    blocks = grid(some)
    for part in tables(blocks, by, console.width):
        console.print(part)
    _print_notes(blocks, some, console)


def _print_notes(blocks: Sequence[Block], some: Sequence[Column], console: Console) -> None:
    """What the figures are of: the counts of each column, then the signatures."""
    for block in blocks:
        for column in block.columns:
            name = f"{block.title} {column.label}".strip()
            console.print(Text(counts_line(column, name, ALL), style="dim"))
    results = [result for column in some for result in column.results]
    for note in bos_notes(results):
        console.print(Text(note, style="yellow"), soft_wrap=True)
    for signature in signatures(results):
        console.print(Text(signature, style="dim"), soft_wrap=True)


def _print_difference(found: Difference, console: Console) -> None:
    console.print(difference_table(found))
    notes = "difference: points, 95 % bootstrap interval over minimal sets; p: McNemar, mid-p"
    console.print(Text(notes, style="dim"))
    if found.left_out:
        left = f"{found.left_out:,} items that not both have scored are left out"
        console.print(Text(left, style="dim"))


def _write(path: Path, text: str, console: Console | None) -> None:
    write_text(path, text)
    if console is not None:
        console.print(Text(f"wrote {path}"), soft_wrap=True)


@click.command(help=__doc__)
@click.argument("results", nargs=-1, type=path_type())
@click.option("--by", help="UID, phenomenon, construction, config or a feature.")
@click.option("--diff", is_flag=True, help="Compare two models item by item.")
@click.option("--group", is_flag=True, help="Seeds of a model: mean and standard deviation.")
@click.option("--html", type=NEW_FILE, help="Write one HTML page.")
@click.option("--csv", type=NEW_FILE)
@click.option("--latex", type=NEW_FILE)
@JSON
def command(
    results: tuple[Path, ...],
    by: str | None,
    diff: bool,
    group: bool,
    html: Path | None,
    csv: Path | None,
    latex: Path | None,
    as_json: bool,
) -> None:
    report(results, by, diff, html, csv, latex, as_json, console(), group)
