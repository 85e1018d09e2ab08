"""Train word-level baselines on text files with one sentence a line: LSTM, Transformer or n-gram models.

Usage: python scripts/train_lm.py --arch lstm --out models/lstm-fr --seeds 5 text/fr/*.txt
See docs/baselines.md.
"""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from transformers.utils import logging

from solecism.baselines.training import PRESETS, Epoch, Options, Tick, read_texts, train
from solecism.errors import InputError

_ARCHS = sorted({arch for arch, _ in PRESETS})
_FILE = click.Path(path_type=Path, dir_okay=False)
_HELP = {
    "hidden": "Units of a layer.",
    "embedding": "Dimensions of word embeddings (LSTM).",
    "layers": "Layers.",
    "heads": "Attention heads (Transformer).",
    "dropout": "Probability of dropout.",
    "rate": "First learning rate.",
    "anneal": "What the rate is divided by when validation perplexity does not fall.",
    "clip": "Longest gradient.",
    "batch": "Sentences in a batch.",
    "epochs": "Epochs.",
    "longest": "Words of a sentence; the rest is cut off.",
    "vocabulary": "Most frequent words kept; others are <unk>.",
    "order": "Length of n-grams.",
}


def _overrides(command: Any) -> Any:
    """Add an option for every number of a preset."""
    for field in reversed(fields(Options)):
        if field.name in _HELP:
            kind = type(field.default)
            option = click.option(f"--{field.name}", type=kind, help=_HELP[field.name])
            command = option(command)
    return command


@click.command()
@click.argument("texts", nargs=-1, required=True, type=_FILE)
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option("--arch", type=click.Choice(_ARCHS), default="lstm", show_default=True)
@click.option("--preset", type=click.Choice(["paper", "small"]), default="paper", show_default=True)
@click.option(
    "--valid", multiple=True, type=_FILE, help="Default: one sentence in twenty of TEXTS."
)
@click.option(
    "--seeds", type=click.IntRange(1), default=1, show_default=True, help="How many: 0, 1, ..."
)
@click.option("--lower", is_flag=True, help="Put the text into lower case.")
@click.option(
    "--tokens",
    type=click.Choice(["spaces", "marks"]),
    default="spaces",
    show_default=True,
    help="Words stand between spaces, or split off punctuation as well.",
)
@click.option("--optimizer", type=click.Choice(["sgd", "adamw"]))
@click.option("--device", default="cpu", show_default=True)
@_overrides
def main(
    texts: tuple[Path, ...], out: Path, arch: str, preset: str, valid: tuple[Path, ...], seeds: int,
    lower: bool, tokens: str, device: str, **given: Any,
) -> None:  # fmt: skip
    """Train a model for each seed on TEXTS into OUT/seed-0, OUT/seed-1, ...; finished seeds are skipped."""
    set_ = {name: value for name, value in given.items() if value is not None}
    options = replace(PRESETS[arch, preset], lower=lower, marks=tokens == "marks", **set_)
    console = Console(stderr=True, highlight=False)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"))
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None, said="")

        def on_tick(seed: int, tick: Tick) -> None:
            said = f"loss {tick.loss:.3f}  {tick.speed:,.0f} tokens/s"
            label = f"seed {seed}, epoch {tick.epoch}/{options.epochs}"
            bar.update(task, completed=tick.done, total=tick.total, description=label, said=said)

        def on_epoch(seed: int, epoch: Epoch) -> None:
            console.print(
                f"seed {seed}  epoch {epoch.number:>3}  rate {epoch.rate:.4g}  "
                f"perplexity {epoch.train_perplexity:.2f} (training) {epoch.perplexity:.2f} (validation)  "
                f"{epoch.speed:,.0f} tokens/s",
                soft_wrap=True,
            )

        folders = train(
            options, read_texts(texts, valid), out, range(seeds), device, on_tick, on_epoch
        )
    for folder in folders:
        click.echo(folder)


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
