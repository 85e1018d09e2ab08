"""Show the surprisal of each token of a pair as bars.

ID: the id of a pair, or its first characters.
"""

from pathlib import Path
from typing import Any

import click

from solecism.commands.cli import JSON, NEW_FILE, console, echo, option, print_json, sides
from solecism.scoring.engines import BOS, DTYPES


@click.command(help=__doc__)
@click.argument("identifier", metavar="ID")
@option("--model", required=True, help="Hub id or folder of a causal, masked or n-gram model.")
@option("--data", help="As clams/he (default: the data sets here and in $SOLECISM_DATA).")
@option("--method", help="sentence; pll, pll:original; ngram. Default: the model's usual one.")
@option("--revision", help="Revision of the model.")
@option("--dtype", type=click.Choice(DTYPES), default="float32")
@option("--device", default="cpu", help="cpu, cuda, mps, auto.")
@option("--bos", type=click.Choice(BOS), default="auto")
@option("--word-correction", is_flag=True, help="Probabilities of words, not of their tokens.")
@option("--trust-remote-code", is_flag=True, help="Run code that comes with the model.")
@option("--html", type=NEW_FILE, help="Write one HTML page.")
@sides
@JSON
def command(identifier: str, html: Path | None, as_json: bool, **options: Any) -> None:
    from solecism.files import write_text
    from solecism.reports.explained import explained_page, explained_parts
    from solecism.scoring.explanation import explain

    pair = explain(identifier, **options)
    if as_json:
        print_json(pair.to_json())
    else:
        for part in explained_parts(pair):
            console().print(part)
    if html is not None:
        write_text(html, explained_page(pair))
        if not as_json:
            echo(f"wrote {html}")
