"""Score models on items.

DATA: a built folder and a config, as clams/he, or ORG/NAME/CONFIG; clams/he/simple_agrmt for one
paradigm, clams/* for several configs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from solecism.commands.completion import complete_built
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
@click.argument("data", nargs=-1, shell_complete=complete_built)
@click.option(
    "--model",
    "models",
    multiple=True,
    help="Hub id, folder, or openai:http://HOST/v1#NAME. May be given again.",
)
@click.option(
    "--surprisals",
    type=FOLDER,
    help="Instead of a model: a folder of files with the surprisal of each token.",
)
@_option("--method", cls=_MethodOption, show_default=False)
@_option("--revision", help="Revision of the model.")
@click.option(
    "--revisions",
    multiple=True,
    metavar="PATTERN",
    help="All revisions that fit, as 'chck_*M'.",
)
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
@_option(
    "--unigram",
    type=click.Path(path_type=Path),
    metavar="TEXT",
    help="Text (a file or folder) for the unigram model of SLOR.",
)
@_option("--batch-tokens", type=click.IntRange(1), help="Tokens in a batch.")
@_option("--requests", type=click.IntRange(1), help="Requests that a server has at once.")
@_option("--limit", type=click.IntRange(1), help="Score only the first items.")
@_option("--sample", type=click.IntRange(1), help="Score so many items of each paradigm.")
@_option("--fast", is_flag=True, help="Score a fixed subset, 50 items of each paradigm.")
@_option("--again", is_flag=True, help="Score anew what has a result already.")
@_option("--trust-remote-code", is_flag=True, help="Run code that comes with the model.")
@_option("--out", type=NEW_FOLDER, help="Folder of the results.")
@JSON
def command(
    data: tuple[str, ...],
    models: tuple[str, ...],
    surprisals: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    if surprisals is not None:
        if models:
            raise click.UsageError("--surprisals takes the place of --model")
        if len(data) > 1:
            raise click.UsageError("--surprisals are of one config: name one")
        _score_files(data[0] if data else None, surprisals, options["out"], as_json)
        return
    if options["revision"] and options["revisions"]:
        raise click.UsageError("--revisions takes the place of --revision")
    if not data or not models:
        message = "name a config and a model, as `solecism score clams/he --model gpt2`"
        raise click.UsageError(message)
    from rich.progress import TimeRemainingColumn

    from solecism.scoring.many import score_all
    from solecism.terminal import progress_bar

    def notice(text: str) -> None:
        echo(text, err=True)

    with progress_bar(TimeRemainingColumn(), first=data[0]) as show:
        results = score_all(data, models, **options, progress=show, notice=notice)
    _print_results(results, as_json)


def _print_results(results: Sequence[Result], as_json: bool) -> None:
    from solecism.reports.report import report
    from solecism.reports.text import items_line, normalised_lines

    made = report([result.path for result in results])
    if as_json:
        print_json(made.to_json())
        return
    made.print(console())
    for result in results:
        if "items" in result.summary:
            echo(items_line(result.summary["items"]))
        if "normalised" in result.summary:
            echo(normalised_lines(result.summary))
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
