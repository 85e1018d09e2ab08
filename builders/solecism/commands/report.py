"""Print results as a table, and write other forms of it.

RESULTS: files that `solecism score` has written, or folders of them.
"""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.options import JSON, NEW_FILE, console, echo, path_type, print_json

__all__ = ["command"]


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
    from solecism.files import write_text
    from solecism.reports.report import report

    made = report(results, by=by, diff=diff, group=group)
    if as_json:
        print_json(made.to_json())
    else:
        made.print(console())
    for path, content in ((html, made.html), (csv, made.csv), (latex, made.latex)):
        if path is not None:
            write_text(path, content())
            if not as_json:
                echo(f"wrote {path}")
