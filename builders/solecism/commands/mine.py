"""Mine agreement items from treebanks, or from raw text.

PATHS: CoNLL-U files or folders of them; texts with --spacy. `mine PATHS --profile` shows what
agrees in their language; `mine agreement he --fetch` downloads the treebanks of a data set.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.progress import TaskProgressColumn, TimeRemainingColumn
from rich.table import Table

from solecism.commands.fetch import fetch_treebanks
from solecism.commands.options import (
    COMMERCIAL,
    JSON,
    NEW_FILE,
    ROOT,
    path_type,
    print_json,
    print_lines,
)  # fmt: skip
from solecism.commands.profile import show_profile
from solecism.root import Root
from solecism.terminal import progress_bar
from solecism.treebank.catalogue import known_code
from solecism.treebank.languages import languages
from solecism.treebank.mining import Mined, mine
from solecism.treebank.relations import PAPER_RELATIONS, RELATIONS

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("paths", nargs=-1, required=True, type=path_type())
@click.option(
    "--language", help="Code or name, as el or Greek (default: as the files' names begin)."
)
@click.option(
    "--preset", default="strict", show_default=True, help="strict, paper or paper-program."
)
@click.option(
    "--mask",
    type=click.Choice(["controller", "target", "both"]),
    help="Which end of a pair is masked (default: both; with a preset of the paper, controller).",
)
@click.option("--relation", "relations", multiple=True, help="In place of the language's own.")
@click.option("--without", multiple=True, metavar="FILTER", help="Switch a filter of strict off.")
@click.option(
    "--inventory/--no-inventory",
    default=True,
    help="strict: take what is overt from the forms in the files (default), or from annotation.",
)
@click.option("--licence", default="", help="Licence of the treebank, for the items.")
@click.option("--lenient", is_flag=True, help="Skip broken sentences, and count them.")
@click.option(
    "--spacy", metavar="PIPELINE", help="PATHS are raw text: parse it with this spaCy pipeline."
)
@click.option("--stanza", type=path_type(exists=True, dir_okay=False),
              help="What agrees: a stanza that `mine --profile --out` wrote.")  # fmt: skip
@click.option("--out", type=NEW_FILE, help="Items: a .parquet or .jsonl file.")
@click.option("--pairs", type=NEW_FILE, help="Minimal pairs of the items: a .parquet file.")
@click.option("--profile", is_flag=True, help="Show what agrees; --out: write it as a stanza.")
@click.option("--fetch", is_flag=True, help="PATHS are a data set and languages (default: all).")
@COMMERCIAL
@JSON
@ROOT
def command(
    paths: tuple[Path, ...], profile: bool, fetch: bool, commercial: bool, as_json: bool,
    root: Root, **options: Any,
) -> None:  # fmt: skip
    if fetch:
        dataset, *codes = map(str, paths)
        fetch_treebanks(dataset, codes, commercial, as_json, root)
        return
    if profile:
        show_profile(paths, options["language"], options["lenient"], options["out"], as_json)
        return
    language = options["language"] or ""
    if language not in languages():
        options["language"] = known_code(language) or options["language"]
    with progress_bar(TaskProgressColumn(), TimeRemainingColumn()) as show:
        mined = mine(paths, keep=False, progress=show, **options)
    if as_json:
        print_json(mined.facts())
    else:
        print_lines(_table(mined))


def _table(mined: Mined) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    counts = mined.counts
    for name in RELATIONS:
        if counts.relations[name] or name in PAPER_RELATIONS:
            table.add_row(name, f"{counts.relations[name]:,}")
    table.add_row("items", f"{counts.items:,}")
    if counts.pairs is not None:
        table.add_row("minimal pairs", f"{counts.pairs:,}")
    if mined.reason:
        table.add_row("no items", mined.reason)
    rows = {"sentences": counts.sentences, "words": counts.words, "duplicates": counts.duplicates}
    rows |= {"one of a sentence is enough": counts.repeated} if counts.repeated else {}
    rows |= {"its document has its share": counts.crowded} if counts.crowded else {}
    rows |= {"sentences skipped": counts.skipped} if counts.skipped else {}
    rows |= {f"dropped: {name}": count for name, count in counts.dropped.items() if count}
    for name, count in rows.items():
        table.add_row(name, f"{count:,}", style="dim")
    return table
