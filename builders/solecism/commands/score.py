"""Score a model on items.

DATA: clams/he, a built folder and a config, or ORG/NAME/CONFIG.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from solecism.commands.options import (
    FOLDER,
    JSON,
    NEW_FOLDER,
    console,
    echo,
    plain_table,
    print_json,
)
from solecism.scoring.engines import BOS, DTYPES, ENGINES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solecism.scoring.results import Result
    from solecism.scoring.study import StudyFigures

__all__ = ["command"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _ScoreOption(click.Option):
    """An option of :func:`solecism.score`, whose default is that of the function."""

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:
        from solecism.scoring.run import usual_value

        return usual_value(self.name or "")


class _MethodOption(_ScoreOption):
    """The option for the method, whose help names those in the registry."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from solecism.scoring.methods import method_names

        usual = ", ".join(method_names(usual=True))
        self.help = f"{', '.join(method_names())}. Default: the usual one of {usual}."
        return super().get_help_record(ctx)


def _option(*names: str, **given: Any) -> Callable[[_Command], _Command]:
    given = {"show_default": True, **given}
    return click.option(*names, **{"cls": _ScoreOption, **given})


def _listed(*values: str) -> str:
    return f"{', '.join(values)}."


@click.command(help=__doc__)
@click.argument("data", required=False)
@click.option("--model", help="Hub id or folder of a causal, masked or n-gram model.")
@click.option(
    "--surprisals",
    type=FOLDER,
    help="Instead of a model: a folder of files with the surprisal of each token.",
)
@_option("--method", cls=_MethodOption, show_default=False)
@_option("--revision", help="Revision of the model.")
@_option("--data-revision", help="Revision of a data set of the hub.")
@_option("--dtype", help=_listed(*DTYPES))
@_option("--device", help="cpu, cuda, cuda:1, mps, auto, map (over all cards).")
@_option("--bos", help=_listed("auto (lm-eval's rule)", *BOS[1:]))
@_option("--eos", is_flag=True, help="Also score the end-of-sentence token.")
@_option("--engine", help=_listed("auto", *ENGINES))
@_option(
    "--multi-piece",
    type=click.Choice(["skip", "pll"]),
    help="What focus does with words of several tokens.",
)
@_option("--batch-tokens", type=click.IntRange(1), help="Tokens in a batch.")
@_option("--limit", type=click.IntRange(1), help="Score only the first items.")
@_option("--sample", type=click.IntRange(1), help="Score so many items of each paradigm.")
@_option("--trust-remote-code", is_flag=True, help="Run code that comes with the model.")
@_option("--out", type=NEW_FOLDER, help="Folder of the results.")
@JSON
def command(
    data: str | None, model: str | None, surprisals: Path | None, as_json: bool, **options: Any
) -> None:
    if surprisals is not None:
        if model:
            raise click.UsageError("--surprisals takes the place of --model")
        _score_files(data, surprisals, options["out"], as_json)
        return
    if not data or not model:
        message = "name a config and a model, as `solecism score clams/he --model gpt2`"
        raise click.UsageError(message)
    from rich.progress import TimeRemainingColumn

    from solecism.scoring.run import score
    from solecism.terminal import progress_bar

    def notice(text: str) -> None:
        echo(text, err=True)

    with progress_bar(TimeRemainingColumn(), first=data) as show:
        result = score(data, model, **options, progress=show, notice=notice)
    _print_results([result], as_json)


def _print_results(results: Sequence[Result], as_json: bool) -> None:
    from solecism.reports.report import report
    from solecism.reports.text import items_line

    made = report([result.path for result in results])
    if as_json:
        print_json(made.to_json())
        return
    made.print(console())
    for result in results:
        if "items" in result.summary:
            echo(items_line(result.summary["items"]))
        echo(f"written to {result.path}")


def _score_files(data: str | None, folder: Path, out: Path, as_json: bool) -> None:
    if data is not None:
        from solecism.scoring.surprisals import score_surprisals

        _print_results(score_surprisals(data, folder, out), as_json)
        return
    from solecism.scoring.study import score_study

    found = score_study(folder, out)
    if as_json:
        print_json({"models": {model: figures.to_json() for model, figures in found.items()}})
    else:
        _print_study(found, out)


def _print_study(found: Mapping[str, StudyFigures], out: Path) -> None:
    from solecism.scoring.study import CLASSES, class_accuracy, table_rows

    if len(found) == 1:
        (model, figures), *_ = found.items()
        suites = plain_table(["suite"], ["accuracy", "all hold"])
        for suite, row in figures.to_json()["suites"].items():
            suites.add_row(suite, f"{row['accuracy']:.3f}", f"{row['all_hold']:.3f}")
        console().print(suites)
        echo(f"{model}: means over {len(figures.seeds)} seeds\n")
    classes = plain_table(["model"], [kind.short for kind in CLASSES.values()])
    for row in table_rows({m: class_accuracy(f.right) for m, f in found.items() if f.right}):
        classes.add_row(*row)
    console().print(classes)
    for model, figures in found.items():
        if figures.ties:
            how = "one half each" if figures.tie else "counted as failures, as in the study"
            echo(f"{model}: {figures.ties} ties, {how}")
    left = sorted({name for figures in found.values() for name in figures.left_out})
    if left:
        text = f"not of the study's 24 suites, left out: {', '.join(left)}"
        console().print(text, highlight=False)
    echo(f"results of each seed written to {out}")
