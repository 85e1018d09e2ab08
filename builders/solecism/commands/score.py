"""Score models on items.

DATA: a built folder and a config, as clams/he, or ORG/NAME/CONFIG; clams/he/simple_agrmt for one
paradigm, clams/* for several configs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solecism.commands import cli
from solecism.commands.completion import complete_built
from solecism.scoring.engines import BOS, DTYPES, ENGINES
from solecism.scoring.options import ScoreOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solecism.scoring.results import Result


_USUAL = {field.name: field.default for field in fields(ScoreOptions)}


class _MethodOption(click.Option):
    """The option for the method, whose help names those in the registry."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from solecism.scoring.methods import method_names

        usual = ", ".join(method_names(usual=True))
        self.help = f"{', '.join(method_names())}. Default: the usual one of {usual}."
        return super().get_help_record(ctx)


def _option(*names: str, **given: Any) -> Callable[[cli.Command], cli.Command]:
    """Return an option of :class:`ScoreOptions`, with its default."""
    name = names[0].removeprefix("--").replace("-", "_")
    return click.option(*names, **{"show_default": True, "default": _USUAL[name], **given})


def _percent(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    """Refuse a share where per cent are asked: nearly any model has more than half of one."""
    if value is not None and not (value == 0 or value > 1):
        raise click.BadParameter(f"it is in per cent: did you mean {100 * value:g}?")
    return value


@click.command(help=__doc__)
@click.argument("data", nargs=-1, shell_complete=complete_built)
@cli.option("--model", "models", multiple=True,
              help="Hub id, folder, GGUF file, or openai:http://HOST/v1#NAME. May be given again.")  # fmt: skip
@cli.sides
@cli.option("--surprisals", type=cli.FOLDER,
              help="Instead of a model: a folder of files with the surprisal of each token.")  # fmt: skip
@cli.option("--columns", default="", metavar="NAME=COLUMN,...",
              help="Columns of these files: sentence, number, token, surprisal; unit=nats.")  # fmt: skip
@_option("--method", cls=_MethodOption, show_default=False)
@_option("--revision", help="Revision of the model.")
@cli.option("--revisions", multiple=True, metavar="PATTERN",
              help="All revisions that fit, as 'chck_*M'.")  # fmt: skip
@_option("--data-revision", help="Revision of a data set of the hub.")
@_option("--dtype", help=f"{', '.join(DTYPES)}.")
@_option("--device", help="cpu, cuda, cuda:1, mps, auto, map (over all cards).")
@_option("--bos", help=f"auto (lm-eval's rule), {', '.join(BOS[1:])}.")
@_option("--eos", is_flag=True, help="Also score the end-of-sentence token.")
@_option("--engine", help=f"auto, {', '.join(ENGINES)}.")
@_option("--multi-piece", type=click.Choice(["skip", "pll"]),
         help="What focus does with words of several tokens.")  # fmt: skip
@_option("--word-correction", is_flag=True,
         help="Probabilities of words, not of their tokens (region, prefix methods).")  # fmt: skip
@_option("--prompt", help="in_template, yes_no, both: NAME, LANGUAGE/NAME.", show_default=False)
@_option("--chat", is_flag=True, help="Put prompts into the model's chat template.")
@_option("--unigram", type=cli.path_type(), metavar="TEXT",
         help="Text (a file or folder) for the unigram model of SLOR.")  # fmt: skip
@_option("--batch-tokens", type=click.IntRange(1), help="Tokens in a batch.")
@_option("--requests", type=click.IntRange(1), help="Requests that a server has at once.")
@_option("--limit", type=click.IntRange(1), help="Score only the first items.")
@_option("--sample", type=click.IntRange(1), help="Score so many items of each paradigm.")
@_option("--fast", is_flag=True, help="Score a fixed subset, 50 items of each paradigm.")
@_option("--again", is_flag=True, help="Score anew what has a result already.")
@_option("--name", help="What results call the model.", show_default=False)
@_option("--trust-remote-code", is_flag=True, help="Run code that comes with the model.")
@_option("--out", type=cli.NEW_FOLDER, help="Folder of the results.")
@cli.option("--fail-under", type=float, metavar="PERCENT", callback=_percent,
              help="Exit with 1 if an accuracy is lower.")  # fmt: skip
@cli.option("--baseline", type=cli.PLACE, help="Exit with 1 if an accuracy is lower"
              " than in this result, or folder of results.")  # fmt: skip
@cli.JSON
def command(
    data: tuple[str, ...], models: tuple[str, ...], surprisals: Path | None, columns: str,
    revisions: tuple[str, ...], fail_under: float | None, baseline: Path | None, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    if options["revision"] and revisions:
        raise click.UsageError("--revisions takes the place of --revision")
    if surprisals is not None and (models or len(data) != 1):
        raise click.UsageError("--surprisals takes the place of --model, and is of one config")
    if not data or not (models or surprisals):
        message = "name a config and a model, as `solecism score clams/he --model gpt2`"
        raise click.UsageError(message)
    best = _accuracies(baseline) if baseline else {}
    given = ScoreOptions(**options)
    if surprisals is not None:
        from solecism.scoring.surprisals import SurprisalColumns, score_surprisals

        named = SurprisalColumns.parse(columns)
        results = score_surprisals(data[0], surprisals, given.out, named)
    else:
        results = _scored(data, models, given, revisions)
    _print_results(results, as_json)
    lower = [line for result in results for line in _lower(result, fail_under, best)]
    for line in lower:
        cli.echo(line, err=True)
    if lower:
        raise click.exceptions.Exit(1)


def _scored(
    data: Sequence[str], models: Sequence[str], options: ScoreOptions, revisions: Sequence[str]
) -> list[Result]:
    import pyarrow.parquet as pq
    from rich.progress import TimeRemainingColumn

    from solecism.scoring.run import score_all
    from solecism.terminal import progress_bar

    notice = partial(cli.echo, err=True)
    try:
        with progress_bar(TimeRemainingColumn(), first=data[0]) as show:
            return score_all(
                data, models, options, revisions=revisions, progress=show, notice=notice
            )
    except KeyboardInterrupt:
        parts = Path(options.out).glob("*.parts/part-*.parquet")
        kept = f"{sum(pq.read_metadata(part).num_rows for part in parts):,} rows"
        notice(
            f"stopped: {kept} of unfinished results are kept in {options.out} for the same command"
        )
        raise click.exceptions.Exit(130) from None


def _accuracies(baseline: Path) -> dict[str, float | None]:
    """Return the accuracy of each config in a result, or in a folder of them."""
    from solecism.reports.report import open_results

    return {_config(result): result.accuracy for result in open_results([baseline])}


def _config(result: Result) -> str:
    return f"{result.run['data']}/{result.run['config']}"


def _lower(result: Result, least: float | None, best: Mapping[str, float | None]) -> Iterator[str]:
    """Yield a line for each accuracy that a result had to reach and has not reached."""
    config, found = _config(result), result.accuracy
    asked = ("--fail-under", least and least / 100), ("the baseline", best.get(config))
    for name, wanted in asked:
        if wanted is not None and (found is None or found < wanted):
            shown = "none" if found is None else f"{100 * found:.2f}"
            place = f"{result.run['model']} on {config}"
            yield f"{place}: accuracy {shown}, {name} has {100 * wanted:.2f}"


def _print_results(results: Sequence[Result], as_json: bool) -> None:
    from solecism.reports.report import report
    from solecism.reports.text import items_line, normalised_lines

    made = report([result.path for result in results])
    if as_json:
        overall = [
            {"path": str(r.path), "signature": r.signature, **r.summary["overall"]} for r in results
        ]
        known = [r.accuracy for r in results if r.accuracy is not None]
        mean = sum(known) / len(known) if known else None
        cli.print_json({"accuracy": mean, "results": overall, **made.to_json()})
        return
    made.print(cli.console())
    for result in results:
        if "items" in result.summary:
            cli.echo(items_line(result.summary["items"]))
        if "normalised" in result.summary:
            cli.echo(normalised_lines(result))
        cli.echo(f"written to {result.path}")
