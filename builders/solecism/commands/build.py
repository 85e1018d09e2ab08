"""Build a data set into a folder that load_dataset opens.

DATASET and CONFIGS: clams, clams en he, or clams/en clams/he; agreement he.
"""

import atexit
import gc
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import click
from rich.progress import MofNCompleteColumn

from solecism.avg.grammar import build_avg
from solecism.commands import cli
from solecism.commands.completion import complete_configs
from solecism.datasets.build import build
from solecism.datasets.catalogue import MINED, CatalogueEntry, catalogue_entry
from solecism.datasets.configs import BuiltConfig
from solecism.datasets.limited import limited_entry
from solecism.datasets.lock import departures
from solecism.datasets.manifest import read_manifest
from solecism.lexicon.vocabulary import (
    EVERYTHING,
    Limits,
    count_words,
    read_frequencies,
    read_vocabulary,
)
from solecism.root import Root
from solecism.terminal import progress_bar
from solecism.works.sources import found_languages


@click.command(help=__doc__)
@click.argument("dataset", required=False, shell_complete=complete_configs)
@click.argument("configs", nargs=-1, shell_complete=complete_configs)
@cli.option("--out", type=cli.NEW_FOLDER, help="Default: ./DATASET.")
@cli.option("--avg", type=cli.FOLDER, help="Build a folder of attribute-varying grammars instead.")
@cli.option("--most", type=click.IntRange(1), default=10_000_000,
              help="Minimal sets `draw: all` may make.")  # fmt: skip
@cli.COMMERCIAL
@cli.option("--hub", default="", metavar="ORG/NAME", help="The repository that the card names.")
@cli.option("--vocabulary", type=cli.FILE, help="Print only words of this list: a word a line, or"
              " word, tab, count.")  # fmt: skip
@cli.option("--corpus", type=cli.FILE, help="Print only words of this text.")
@cli.option("--min-count", type=click.IntRange(1),
              help="Leave out words that occur more seldom.")  # fmt: skip
@cli.option("--frequency", type=cli.FILE, help="Zipf frequencies: word, tab, number. Columns with"
              " those of what differs.")  # fmt: skip
@cli.option("--match-frequency", type=click.FloatRange(0),
              help="By how much these may differ in a pair.")  # fmt: skip
@cli.option("--name", default="", help="Of the data set that is drawn so."
              "  [default: DATASET-DIGEST]")  # fmt: skip
@cli.JSON
@cli.ROOT
def command(
    dataset: str | None, configs: tuple[str, ...], out: Path | None, avg: Path | None, most: int,
    commercial: bool, hub: str, vocabulary: Path | None, corpus: Path | None, min_count: int | None,
    frequency: Path | None, match_frequency: float | None, name: str, as_json: bool, root: Root,
) -> None:  # fmt: skip
    if avg is not None:
        if dataset is not None or out is None:
            raise click.UsageError("--avg DIR needs --out DIR and takes no data set")
        for name, lines in build_avg(avg, out).items():
            cli.echo(f"{lines:>9,}  {out / name}.txt")
        return
    if dataset is None:
        raise click.UsageError("name a data set, as `solecism build clams`, or give --avg")
    source, names = _configs_of(dataset, configs)
    limits = _limits(vocabulary, corpus, min_count or 0, frequency, match_frequency)
    if name and limits == EVERYTHING:
        raise click.UsageError("--name needs --vocabulary, --corpus or --frequency")
    entry = catalogue_entry(root, source)
    entry = limited_entry(entry, limits, name) if limits != EVERYTHING else entry
    out = out or Path(entry.name)
    # Spare the garbage collector: a build keeps nearly all that it makes, until the process ends.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    with progress_bar(MofNCompleteColumn()) as show:
        built = build(
            source, names, out=out, root=root, most=most, commercial=commercial, hub=hub,
            progress=show, limits=limits, name=name, tell=partial(cli.echo, err=True),
        )  # fmt: skip
    mined = commercial and not names and entry.configs == MINED
    missing = cli.left_out(found_languages(), found_languages(commercial=True)) if mined else []
    for line in (*missing, *_notes(root, entry, built)):
        cli.echo(f"note: {line}", err=True)
    if as_json:
        facts = {
            c.name: {"sets": c.sets, "pairs": c.rows, "content": c.content.sha256} for c in built
        }
        cli.print_json({"path": str(out), "configs": facts})
    else:
        rows = [
            (c.name, len(c.paradigms), c.sets, c.rows,
             sum(sum(p.counts.skipped.values()) for p in c.paradigms),
             sum(f.level == "warning" for p in c.paradigms for f in p.findings))
            for c in built
        ]  # fmt: skip
        heads = ["paradigms", "minimal sets", "pairs", "skipped", "warnings"]
        left = _left_out(read_manifest(out).raw.get("left_out", {}))
        cli.print_lines(cli.plain_table(rows, ["config"], heads), *left, f"written to {out}")


def _limits(
    vocabulary: Path | None, corpus: Path | None, least: int, frequency: Path | None,
    apart: float | None,
) -> Limits:  # fmt: skip
    """Read what may be printed; ``least``: how often a word must occur."""
    if vocabulary and corpus:
        raise click.UsageError("give --vocabulary or --corpus, not both")
    if least and not vocabulary and not corpus:
        raise click.UsageError("--min-count needs --vocabulary or --corpus")
    if apart is not None and not frequency:
        raise click.UsageError("--match-frequency needs --frequency")
    words = read_vocabulary(vocabulary, least) if vocabulary else None
    words = count_words(corpus, least) if corpus else words
    return Limits(words, read_frequencies(frequency) if frequency else None, apart)


def _left_out(reasons: Mapping[str, str]) -> list[str]:
    """Return the configs that were too small, by reason."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name, reason in reasons.items():
        by_reason[reason.partition(":")[0]].append(name)
    by_reason.pop("", None)  # those that go with another
    return [f"left out, {reason}: {', '.join(names)}" for reason, names in by_reason.items()]


def _configs_of(dataset: str, configs: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Read ``clams/he clams/fr`` as ``clams he fr``."""
    name, *more = (text.rstrip("/") for text in (dataset, *configs))
    name, _, first = name.partition("/")
    for text in more:
        if "/" in text and not text.startswith(f"{name}/"):
            raise click.UsageError(f"one data set at a time: {name!r} or {text.split('/')[0]!r}")
    return name, tuple(text.removeprefix(f"{name}/") for text in (first, *more) if text)


def _notes(root: Root, entry: CatalogueEntry, built: Sequence[BuiltConfig]) -> list[str]:
    """Return what departs from the lock, and from the sources that the project pins."""
    changed = departures(root, entry, built)
    notes = [f"{line}: raise the version before a release" for line in changed]
    found = [s for c in built for p in c.paradigms for s in p.facts.get("sources", ())]
    sources = {source["treebank"]: source for source in found}.values()
    reasons = {"changed": "other bytes than the project pins", "missing": "missing"}
    notes += [
        f"{source['treebank']}: {reason}: {', '.join(source[key])}"
        for source in sources
        for key, reason in reasons.items()
        if source[key]
    ]
    closed = [source["treebank"] for source in sources if not source["redistributable"]]
    return notes + [f"{name}: what is made of it may not be passed on" for name in closed]
