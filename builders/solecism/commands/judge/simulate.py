"""Let synthetic participants take the real page of a study, in a headless browser.

Their answers are files as people would send them, with the flag "simulated": FOLDER/simulated. With
--url they take the page of a running `solecism judge serve`, which has their answers then.
"""

from __future__ import annotations

from pathlib import Path

import click

from solecism.commands.options import FOLDER, NEW_FOLDER, echo
from solecism.judge.design import read_study
from solecism.judge.simulate import Crowd, simulate
from solecism.terminal import progress_bar

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("folder", type=FOLDER)
@click.option("--participants", type=click.IntRange(1, 100_000),
              help="How many (default: as many as the study needs).")  # fmt: skip
@click.option("--accuracy", type=click.FloatRange(0, 1), default=0.95, show_default=True,
              help="The share of trials that they answer by the labels.")  # fmt: skip
@click.option("--guessers", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="The share of participants who press anything.")  # fmt: skip
@click.option("--seed", type=int, default=0, help="Another seed makes other participants.")
@click.option("--visual", is_flag=True, help="They look at each trial and click, in real time.")
@click.option("--url", default="", help="The address of a running `solecism judge serve`.")
@click.option("--out", type=NEW_FOLDER, help="Folder for their files (default: FOLDER/simulated).")
def command(
    folder: Path, participants: int | None, accuracy: float, guessers: float, seed: int,
    visual: bool, url: str, out: Path | None,
) -> None:  # fmt: skip
    study = read_study(folder)
    crowd = Crowd(participants or study.participants, accuracy, guessers, seed, visual)
    out = out or folder / "simulated"
    with progress_bar(first="participants") as progress:
        files = simulate(study, crowd, out, url, progress)
    where = f"answers in {out}" if files else f"their answers are with {url}"
    echo(f"{crowd.participants} synthetic participants have taken study {study.id}: {where}")
