"""Make what people found a part of a data set.

DATA is the folder of a data set that `solecism build` made. It gets the config CONFIG-judgments
with a verdict on each pair, a section in its card, and excluded/CONFIG.jsonl with the pairs that
people reject. A build makes the folder anew: accept the study again after it.
"""

from pathlib import Path

import click

from solecism.commands.cli import FOLDER, echo


@click.command(help=__doc__)
@click.argument("study", type=FOLDER)
@click.argument("data", type=FOLDER)
@click.option("--judges", default="", metavar="TEXT",
              help='Who they were, for the card ("students of the University of X").')  # fmt: skip
def command(study: Path, data: Path, judges: str) -> None:
    from solecism.judge.accepting import accept
    from solecism.judge.design import read_study
    from solecism.judge.importing import read_answer_table
    from solecism.judge.outcome import outcome_of

    found = read_study(study, foreign=True)
    outcome = outcome_of(found, read_answer_table(found))
    for config in accept(outcome, data, judges):
        echo(f"{data}/{config.name}: {config.rows:,} pairs")
    echo(f"{len(outcome.rejected)} of them are to be dropped: {data}/excluded/")
