"""Bring answers into one table, from the server and from files of any program.

STUDY is a folder that `solecism judge new` made; of a study that others have made it needs only
study.toml. Without FILES the answers are those of `solecism judge serve`. The table is
STUDY/answers.parquet, in place of an earlier one.
"""

from collections import Counter
from pathlib import Path

import click

from solecism.commands.cli import FOLDER, JSON, echo, path_type, print_json
from solecism.judge.creation import pairs_of_config
from solecism.judge.design import read_study
from solecism.judge.importing import import_answers, known_trials, save_answers


@click.command(help=__doc__)
@click.argument("study", type=FOLDER)
@click.argument("files", nargs=-1, type=path_type(exists=True))
@click.option("--format", "name", default="", metavar="NAME",
              help="own, jspsych, pcibex, label-studio, mturk, table (default: what fits).")  # fmt: skip
@click.option("--data", default="", metavar="CONFIG",
              help="The pairs that answers are about (blimp/all), known by their sentences.")  # fmt: skip
@JSON
def command(study: Path, files: tuple[Path, ...], name: str, data: str, as_json: bool) -> None:
    found = read_study(study, foreign=True)
    pairs = known_trials({p["id"]: p for p in pairs_of_config(data)[0]}) if data else None
    table, twice = import_answers(found, _every(files), name, pairs)
    path = save_answers(found, table)
    kinds = Counter(table["kind"].to_pylist())
    people = len(table["participant"].unique())
    if as_json:
        told = {"table": str(path), "answers": len(table), "twice": twice, "participants": people}
        print_json({**told, "kinds": dict(kinds)})
        return
    of_kinds = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items())
    echo(f"{path}: {len(table):,} answers of {people} people ({of_kinds})")
    if twice:
        echo(f"{twice:,} answers are there twice and count once")


def _every(files: tuple[Path, ...]) -> list[Path]:
    """Return the files that are named, and those in folders that are named."""
    found = [sorted(p for p in f.iterdir() if p.is_file()) if f.is_dir() else [f] for f in files]
    return [path for paths in found for path in paths]
