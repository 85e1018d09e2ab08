"""Bring answers into one table, from the server and from files of any program.

STUDY is a folder that `solecism judge new` made; of a study that others have made it needs only
study.toml. Without FILES the answers are those of `solecism judge serve`. The table is
STUDY/answers.parquet, in place of an earlier one.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from solecism.commands.options import FOLDER, JSON, echo, path_type, print_json
from solecism.judge.creation import pairs_of_config
from solecism.judge.design import read_study
from solecism.judge.importing import KnownTrials, answer_table, import_answers, save_answers


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
    pairs = None
    if data:
        pairs = KnownTrials({p.id: p.item(p.id, "item") for p in pairs_of_config(data)[0]})
    imported = import_answers(found, _every(files), name, pairs)
    path = save_answers(found, answer_table(imported.rows))
    kinds = Counter(row["kind"] for row in imported.rows)
    told = {
        "table": str(path), "answers": len(imported.rows), "twice": imported.twice,
        "participants": len({row["participant"] for row in imported.rows}),
        "kinds": dict(kinds),
    }  # fmt: skip
    if as_json:
        print_json(told)
        return
    of_kinds = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items())
    echo(f"{path}: {len(imported.rows):,} answers of {told['participants']} people ({of_kinds})")
    if imported.twice:
        echo(f"{imported.twice:,} answers are there twice and count once")


def _every(files: tuple[Path, ...]) -> list[Path]:
    """Return files; a folder stands for what is in it."""
    found = [sorted(p for p in f.iterdir() if p.is_file()) if f.is_dir() else [f] for f in files]
    return [path for paths in found for path in paths]
