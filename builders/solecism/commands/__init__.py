"""The command line: one verb a function. Verbs import what they need when they are called, so that
``solecism --help`` is fast."""

from __future__ import annotations

import errno
import signal
import sys
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir
from typing import Any

import click

from solecism.commands import scoring
from solecism.commands.options import JSON, ROOT, console, echo, root_of
from solecism.errors import InputError

__all__ = ["main"]

_EXTRAS = {
    "torch": "score", "transformers": "score", "tokenizers": "score", "datasets": "datasets",
    "lm_eval": "harness", "accelerate": "harness", "opencc": "zh", "spacy": "spacy",
}  # fmt: skip
"""The extra that brings a package which the base install lacks."""


class _Verbs(click.Group):
    """Prints bad input as plain lines and exits with 2, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            for problem in error.problems:
                echo(str(problem), err=True)
        except BrokenPipeError:
            raise
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            echo(f"this needs {error.name}: pip install 'solecism[{extra}]'", err=True)
        except OSError as error:
            echo(f"{error.filename or _full(error)}: {error.strerror or error}", err=True)
        return ctx.exit(2)


def _full(error: OSError) -> str:
    """Name what is full where an error does not: the folders that we, and what we use, write to."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return "error"
    places = {Path.cwd(), Path(gettempdir()), Path.home()}
    free = {place: disk_usage(place).free for place in places if place.is_dir()}
    return str(min(free, key=lambda place: free[place]))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="solecism")
def main() -> None:
    """Build and read minimal pairs that show what grammar a language model knows."""
    signal.signal(signal.SIGTERM, _stop)


def _stop(number: int, _: object) -> None:
    sys.exit(128 + number)


@main.command("list")
@click.argument("names", nargs=-1)
@JSON
@ROOT
def list_(names: tuple[str, ...], as_json: bool, root: Path | None) -> None:
    """List what can be built, with sizes (NAMES: clams, clams/he, agreement)."""
    from solecism.commands.list import list_sizes

    list_sizes(root_of(root), names, as_json, console())


@main.command()
@click.argument("name")
@click.option("-n", "number", type=click.IntRange(1), default=5, show_default=True)
@click.option("--seed", type=int, default=0, help="Another seed shows other items.")
@click.option(
    "--where", "wanted", multiple=True, metavar="FEATURE=VALUE", help="As match=mismatch."
)
@JSON
@ROOT
def show(
    name: str, number: int, seed: int, wanted: tuple[str, ...], as_json: bool, root: Path | None
) -> None:
    """Show items (NAME: clams/he/subj_rel, agreement/he, FOLDER/CONFIG), the words in question in brackets."""
    from solecism.commands.show import show as show_items

    pairs = dict(text.partition("=")[::2] for text in wanted)
    show_items(root_of(root), name, number, seed, pairs, as_json, console())


@main.command()
@click.argument("dataset", required=False)
@click.argument("configs", nargs=-1)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Default: ./DATASET.")
@click.option(
    "--avg",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder of attribute-varying grammars instead of a data set.",
)
@click.option(
    "--most", type=click.IntRange(1), default=10_000_000, help="Minimal sets `draw: all` may make."
)
@JSON
@ROOT
def build(
    dataset: str | None,
    configs: tuple[str, ...],
    out: Path | None,
    avg: Path | None,
    most: int,
    as_json: bool,
    root: Path | None,
) -> None:
    """Build a data set (DATASET: clams; CONFIGS: en he ...; or clams/en clams/he) into a folder that
    load_dataset opens."""
    if avg is not None:
        _build_avg(avg, dataset, out)
        return
    if dataset is None:
        raise click.UsageError("name a data set, as `solecism build clams`, or give --avg")
    from solecism.commands.build import build_and_report

    dataset, configs = _named(dataset, configs)
    target = out or Path(dataset)
    build_and_report(root_of(root), dataset, configs, target, as_json, most, console())


def _named(dataset: str, configs: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Read ``clams/he clams/fr`` as ``clams he fr``."""
    name, *more = (text.rstrip("/") for text in (dataset, *configs))
    name, _, first = name.partition("/")
    for text in more:
        if "/" in text and not text.startswith(f"{name}/"):
            raise click.UsageError(f"one data set at a time: {name!r} or {text.split('/')[0]!r}")
    return name, tuple(text.removeprefix(f"{name}/") for text in (first, *more) if text)


def _build_avg(avg: Path, dataset: str | None, out: Path | None) -> None:
    if dataset is not None or out is None:
        raise click.UsageError("--avg DIR wants --out DIR and no data set")
    from solecism.avg.grammar import build_avg

    for name, lines in build_avg(avg, out).items():
        echo(f"{lines:>9,}  {out / name}.txt")


@main.command()
@click.argument("dataset")
@click.argument("languages", nargs=-1)
@JSON
@ROOT
def fetch(dataset: str, languages: tuple[str, ...], as_json: bool, root: Path | None) -> None:
    """Download the treebanks of a mined data set (DATASET: agreement; LANGUAGES: he fr ...)."""
    from solecism.commands.fetch import fetch_and_report

    fetch_and_report(root_of(root), dataset, languages, as_json, console())


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--to", "repo", required=True, metavar="ORG/NAME", help="The hub's repository.")
@click.option("--private", is_flag=True, help="Make a private repository; refuse a public one.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and what changed.")
@JSON
def push(folder: Path, repo: str, private: bool, dry_run: bool, as_json: bool) -> None:
    """Publish a built data set (FOLDER) as an immutable version, and read it back."""
    from solecism.commands.push import push_and_report

    push_and_report(folder, repo, private, dry_run, as_json, console())


@main.command()
@click.argument("old")
@click.argument("new")
@click.option("--changelog", is_flag=True, help="Write the changes into NEW's changelog (--root).")
@JSON
@ROOT
def diff(old: str, new: str, changelog: bool, as_json: bool, root: Path | None) -> None:
    """Compare two data sets item by item (OLD, NEW: built folders or ORG/NAME@v1.0.0)."""
    from solecism.commands.releases import diff_and_report

    diff_and_report(old, new, root_of(root) if changelog else None, as_json, console())


@main.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--check", is_flag=True, help="Write nothing; fail where something changed.")
@click.option("--replace", is_flag=True, help="Lock anew a version that was never pushed.")
@click.option(
    "--commits", nargs=2, metavar="DATASET ORG/NAME", help="Note the commits of the hub's tags."
)
@ROOT
def lock(
    folders: tuple[Path, ...],
    check: bool,
    replace: bool,
    commits: tuple[str, str] | None,
    root: Path | None,
) -> None:
    """Lock what built data sets (FOLDERS) hold, so that no content changes under an old version."""
    from solecism.commands.releases import lock_and_report, note_and_report

    if not folders and commits is None:
        raise click.UsageError("name a built folder, as `solecism lock clams`, or give --commits")
    lock_and_report(root_of(root), folders, check, replace, console())
    if commits is not None:
        note_and_report(root_of(root), *commits, console())


@main.command()
@click.argument("dataset")
@ROOT
def cite(dataset: str, root: Path | None) -> None:
    """Print BibTeX of a data set and of the works that it follows."""
    from solecism.datasets.citation import cite as bibtex_of

    echo(bibtex_of(root_of(root), dataset))


@main.command("import-avg")
@click.argument("grammar", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--language", required=True, help="Language code of the new templates.")
@click.option("--dataset", required=True, help="Data set the templates go to.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path())
def import_avg(grammar: Path, language: str, dataset: str, out: Path) -> None:
    """Turn an attribute-varying grammar into a template and lexicon rows to start from."""
    from solecism.avg.importer import import_avg as convert

    for path in convert(grammar, out, language, dataset):
        echo(f"wrote {path}")


@main.command()
@click.argument("name")
@ROOT
def new(name: str, root: Path | None) -> None:
    """Start a paradigm (NAME: clams/it/simple_agrmt): its template and the missing lexicon tables."""
    from solecism.commands.new import scaffold
    from solecism.root import own_root

    for path in scaffold(own_root(root), name):
        echo(f"wrote {path}")


@main.command()
@click.argument("paths", nargs=-1)
@JSON
@ROOT
def check(paths: tuple[str, ...], as_json: bool, root: Path | None) -> None:
    """Check lexicons, templates and the items they draw (PATHS: files, folders, clams/he ...)."""
    from solecism.commands.check import check_and_report

    if check_and_report(root_of(root), paths, as_json, console()):
        sys.exit(2)


for _verb in scoring.VERBS:
    main.add_command(_verb)
