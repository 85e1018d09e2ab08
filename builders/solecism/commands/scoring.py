"""The verbs that mine, score and report; :mod:`solecism.commands` has the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from solecism.commands.options import JSON, console, echo

__all__ = ["VERBS"]


@click.command()
@click.argument("data", required=False)
@click.option("--model", help="Hub id or folder of a causal, masked or n-gram model.")
@click.option(
    "--surprisals",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Instead of a model: a folder of files with the surprisal of each token.",
)
@click.option(
    "--method",
    default="",
    show_default="sentence, for masked models pll; region for suites, cloze for cloze items",
    help="sentence, one_prefix, focus, pll, region, cloze ...",
)
@click.option("--revision", help="Revision of the model.")
@click.option("--data-revision", help="Revision of a data set of the hub.")
@click.option("--dtype", default="float32", show_default=True)
@click.option("--device", default="cpu", show_default=True)
@click.option(
    "--bos", default="auto", show_default=True, help="auto (lm-eval's rule), always, never."
)
@click.option("--eos", is_flag=True, help="Also score the end-of-sentence token.")
@click.option(
    "--engine", default="auto", show_default=True, help="auto, tree, cached, plain, loop."
)
@click.option(
    "--multi-piece", type=click.Choice(["skip", "pll"]), default="skip", show_default=True
)
@click.option("--batch-tokens", "tokens", type=click.IntRange(1), default=4096, show_default=True)
@click.option("--limit", type=click.IntRange(1), help="Score only the first pairs.")
@click.option("--sample", type=click.IntRange(1), help="Score so many pairs of each paradigm.")
@click.option("--trust-remote-code", is_flag=True, help="Run code that comes with the model.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Folder of the results.",
)
@JSON
def score(as_json: bool, surprisals: Path | None, **request: Any) -> None:
    """Score a model on items (DATA: clams/he, a built folder and a config, or ORG/NAME/CONFIG)."""
    if surprisals is not None:
        _score_surprisals(surprisals, as_json, **request)
        return
    if not request["data"] or not request["model"]:
        raise click.UsageError(
            "name a config and a model, as `solecism score clams/he --model gpt2`"
        )
    from solecism.commands.score import Request, score_and_report

    score_and_report(Request(**request), as_json, console())


def _score_surprisals(
    folder: Path, as_json: bool, data: str | None, model: str | None, out: Path, **_: Any
) -> None:
    if model:
        raise click.UsageError("--surprisals takes the place of --model")
    from solecism.commands.surprisals import score_study_and_report, score_surprisals_and_report

    if data:
        score_surprisals_and_report(data, folder, out, as_json, console())
    else:
        score_study_and_report(folder, out, as_json, console())


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--language", help="Language code, as el (default: told by the files' names).")
@click.option(
    "--preset", default="strict", show_default=True, help="strict, paper or paper-program."
)
@click.option(
    "--mask",
    type=click.Choice(["controller", "target", "both"]),
    default="controller",
    show_default=True,
    help="Which end of a pair is masked.",
)
@click.option("--relation", "relations", multiple=True, help="In place of the language's own.")
@click.option("--without", multiple=True, metavar="FILTER", help="Switch a filter of strict off.")
@click.option(
    "--inventory/--no-inventory",
    default=True,
    help="strict: take what is overt from the forms in the files (default), or from annotation.",
)
@click.option("--licence", default="", help="Licence of the treebank, for the items.")
@click.option("--lenient", is_flag=True, help="Skip sentences with faults, and count them.")
@click.option(
    "--spacy", metavar="PIPELINE", help="PATHS are raw text: parse it with this spaCy pipeline."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Items: a .parquet or .jsonl file.",
)
@JSON
def mine(as_json: bool, **request: Any) -> None:
    """Mine agreement items from treebanks (PATHS: CoNLL-U files, or folders of them; or raw text)."""
    from solecism.commands.mine import Request, mine_and_report

    mine_and_report(Request(**request), as_json, console())


@click.command()
@click.argument("source")
@click.argument("target", type=click.Path(path_type=Path))
def convert(source: str, target: Path) -> None:
    """Convert suites (SOURCE: a config, .json of SyntaxGym, .parquet, cls_none_txt.txt) to TARGET's kind."""
    from solecism.commands.convert import convert as convert_suites

    for path in convert_suites(source, target):
        echo(f"wrote {path}")


@click.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option("--by", help="UID, phenomenon, construction, config or a feature.")
@click.option("--diff", is_flag=True, help="Compare two models item by item.")
@click.option("--group", is_flag=True, help="Seeds of a model: mean and standard deviation.")
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), help="Write one HTML page."
)
@click.option("--csv", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--latex", type=click.Path(path_type=Path, dir_okay=False))
@JSON
def report(
    results: tuple[Path, ...],
    by: str | None,
    diff: bool,
    group: bool,
    html: Path | None,
    csv: Path | None,
    latex: Path | None,
    as_json: bool,
) -> None:
    """Print results (files, or folders of them) as a table; write other forms."""
    from solecism.commands.report import report as print_report

    print_report(results, by, diff, html, csv, latex, as_json, console(), group)


@click.command()
def tasks() -> None:
    """Print the folder of our lm-eval tasks (for lm_eval --include_path)."""
    echo(Path(__file__).parents[1] / "harness" / "tasks")


@click.command(
    "lm-eval", context_settings={"ignore_unknown_options": True, "help_option_names": []}
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def lm_eval(arguments: tuple[str, ...]) -> None:
    """Run lm-eval with our models, `solecism` and `solecism-mlm`, registered."""
    from solecism.harness.command import run_lm_eval

    run_lm_eval(arguments)


VERBS: list[click.Command] = [score, mine, convert, report, tasks, lm_eval]
"""In the order of work."""
