"""Print results as a table, and write other forms of it.

RESULTS: files that `solecism score` has written, or folders of them.
"""

from pathlib import Path
from typing import Any

import click

from solecism.commands import cli


@click.command(help=__doc__)
@click.argument("results", nargs=-1, type=cli.path_type())
@cli.option("--by", help="UID, phenomenon, construction, config or a feature.")
@cli.option("--diff", is_flag=True, help="Compare two models item by item.")
@cli.option(
    "--missed", is_flag=True,
    help="List the items that all models miss, by paradigm, with their share, and the share by "
    "chance: the product of the models' shares of misses.",
)  # fmt: skip
@cli.option("--group", is_flag=True, help="Seeds of a model: mean and standard deviation.")
@cli.option("--normaliser", default="sum",
              help="Decide by token, char, byte, slln, slln:ALPHA or slor.")  # fmt: skip
@cli.option("--judgments", type=cli.PLACE, help="CSV or Parquet: UID and accuracy of people.")
@cli.option("--html", type=cli.NEW_FILE, help="Write one HTML page.")
@cli.option(
    "--curve", type=cli.NEW_FILE, help="Write an SVG: accuracy over checkpoints of a model."
)
@cli.option("--eval-results", type=cli.FOLDER,
              help="Write .eval_results/*.yaml into a model's repository.")  # fmt: skip
@cli.option("--hub", help="Who has the data sets on the hub (for --eval-results).")
@cli.option("--csv", type=cli.NEW_FILE)
@cli.option("--latex", type=cli.NEW_FILE)
@cli.JSON
def command(
    results: tuple[Path, ...], html: Path | None, curve: Path | None, eval_results: Path | None,
    hub: str | None, csv: Path | None, latex: Path | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    from solecism.files import write_text
    from solecism.reports.report import report
    from solecism.reports.text import write_eval_results

    made = report(results, **options)
    if as_json:
        cli.print_json(made.to_json())
    else:
        made.print(cli.console())
    files = ((html, made.html), (curve, made.curve), (csv, made.csv), (latex, made.latex))
    for path, content in files:
        if path is not None:
            write_text(path, content())
            if not as_json:
                cli.echo(f"wrote {path}")
    written = write_eval_results(made.results, eval_results, hub) if eval_results else []
    for path in () if as_json else written:
        cli.echo(f"wrote {path}")
