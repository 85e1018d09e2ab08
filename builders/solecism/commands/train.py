"""Train word-level baselines: LSTM, Transformer or n-gram models.

TEXTS: files with one sentence a line, or folders of .txt files. Models go to OUT/seed-0, OUT/seed-1
...; what is trained is kept, and an interrupted run goes on.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.progress import TimeRemainingColumn

from solecism.commands.cli import NEW_FOLDER, echo, option, path_type
from solecism.terminal import progress_bar


@click.command(help=__doc__)
@click.argument("texts", nargs=-1, required=True, type=path_type())
@option("--out", required=True, type=NEW_FOLDER, help="Folder of the models.")
@option("--arch", type=click.Choice(["lstm", "ngram", "transformer"]), default="lstm")
@option("--preset", type=click.Choice(["paper", "small"]), default="paper")
@option("--valid", multiple=True, type=path_type(),
              help="Default: one sentence in twenty of TEXTS.")  # fmt: skip
@option("--seeds", type=click.IntRange(1), default=1, help="How many: 0, 1, ...")
@option("--lower", is_flag=True, help="Put the text into lower case.")
@option("--tokens", type=click.Choice(["spaces", "marks"]), default="spaces",
              help="Words stand between spaces, or split off punctuation as well.")  # fmt: skip
@option("--optimizer", type=click.Choice(["sgd", "adamw"]))
@option("--device", default="cpu")
@option("--hidden", type=int, help="Units of a layer.")
@option("--embedding", type=int, help="Dimensions of word embeddings (LSTM).")
@option("--layers", type=int, help="Layers.")
@option("--heads", type=int, help="Attention heads (Transformer).")
@option("--dropout", type=float, help="Probability of dropout.")
@option("--rate", type=float, help="First learning rate.")
@option("--anneal", type=float,
        help="Divisor of the rate when validation perplexity does not fall.")  # fmt: skip
@option("--clip", type=float, help="Longest gradient.")
@option("--batch", type=int, help="Sentences in a batch.")
@option("--epochs", type=int, help="Epochs.")
@option("--longest", type=int, help="Words of a sentence; the rest is cut off.")
@option("--vocabulary", type=int, help="Most frequent words kept; others are <unk>.")
@option("--order", type=int, help="Length of n-grams.")
def command(
    texts: tuple[Path, ...], out: Path, arch: str, preset: str, valid: tuple[Path, ...], seeds: int,
    lower: bool, tokens: str, device: str, **numbers: Any,
) -> None:  # fmt: skip
    from transformers.utils import logging

    from solecism.baselines.training import PRESETS, read_texts, train

    given = {name: value for name, value in numbers.items() if value is not None}
    options = replace(PRESETS[arch, preset], lower=lower, marks=tokens == "marks", **given)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]

    notice = partial(echo, err=True)
    with progress_bar(TimeRemainingColumn()) as show:
        folders = train(options, read_texts(texts, valid), out, range(seeds), device, show, notice)
    for folder in folders:
        echo(folder)
