"""List what can be built, with sizes.

NAMES: clams, clams/he, agreement, agreement/albanian; without one, every data set.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import click
from rich.table import Table

from solecism.commands.completion import complete_names
from solecism.commands.options import JSON, ROOT, console, echo, plain_table, print_lines
from solecism.datasets.catalogue import MINED, CatalogueEntry, catalogue_entry, cite, mined_names
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import load_paradigms, templates_of_configs
from solecism.datasets.from_treebanks import minable
from solecism.errors import fail
from solecism.harness import TASKS
from solecism.root import Root
from solecism.terminal import bar
from solecism.treebank.catalogue import find_code, iso_of, language_name, treebanks_of
from solecism.treebank.sources import present

BAR = 24
"""The columns of the longest bar."""


@click.command(help=__doc__)
@click.argument("names", nargs=-1, shell_complete=complete_names)
@click.option("--tasks", is_flag=True, help="Print the folder of our lm-eval tasks instead.")
@click.option("--cite", "cited", is_flag=True, help="Print BibTeX of the data sets instead.")
@JSON
@ROOT
def command(names: tuple[str, ...], tasks: bool, cited: bool, as_json: bool, root: Root) -> None:
    if tasks:
        echo(TASKS)
        return
    if cited:
        for name in names or (*root.datasets, *mined_names()):
            echo(cite(root, name.partition("/")[0]))
        return
    found = sizes(root, names)
    if as_json:
        print_lines(*(json.dumps(asdict(size)) for size in found))
        return
    mined = [size for size in found if isinstance(size, MinedSize)]
    if mined and len(mined) == len(found):
        for table in mined_tables(mined):
            console().print(table)
    else:
        print_lines(size_table(found, BAR if console().is_terminal else 0))


def size_table(found: Sequence[Size], width: int = 0) -> Table:
    """Return a table of sizes, with a bar of at most ``width`` columns for each."""
    table = plain_table(["name", "version"], ["paradigms", "minimal sets"])
    if width:
        table.add_column("", style="cyan")
    most = max((size.sets or 0 for size in found), default=0)
    for size in found:
        shown = f"mined, {size.here or 0} of {size.paradigms} treebanks here"
        if size.sets is not None:
            shown = f"{size.sets:,}"
        drawn = (bar(size.sets or 0, most, width),) if width else ()
        table.add_row(size.name, size.version, str(size.paradigms), shown, *drawn)
    return table


@dataclass(frozen=True)
class Size:
    """How many minimal sets (or suite items) something makes; ``paradigms`` counts those in it.

    What is mined from treebanks has these as its paradigms, and no ``sets`` before it was mined;
    ``here``: how many of them are at hand.
    """

    name: str
    version: str
    paradigms: int
    sets: int | None
    here: int | None = None


@dataclass(frozen=True)
class MinedSize(Size):
    """A language of a mined data set; ``sentences`` and ``words`` of its treebanks, if known."""

    language: str = ""
    iso: str | None = None
    licences: tuple[str, ...] = ()
    sentences: int | None = None
    words: int | None = None
    treebanks: tuple[Mapping[str, Any], ...] = ()


def sizes(root: Root, names: Sequence[str]) -> list[Size]:
    """Count what ``names`` (``clams``, ``clams/he``) can make: a line for each config or paradigm.

    Without names, data sets with a config for each paradigm get a line for the configs that collect
    them, and those that are mined a line for all their languages.
    """
    found: list[Size] = []
    for name in names or (*root.datasets, *mined_names()):
        dataset, _, config = name.strip("/").partition("/")
        if "/" in config:
            raise fail(f"{name!r}: name a data set or a config, as clams or clams/he")
        entry = catalogue_entry(root, dataset)
        if entry.configs == MINED:
            message = f"data set {dataset!r} has no config {{}}"
            codes = [find_code(config, message)] if config else minable()
            mined = [mined_size(entry, code) for code in codes]
            found += mined if names else [_together(mined, entry)]
        else:
            found += _drawn(root, entry, config, is_collected=not names)
    return found


def _together(sizes: Sequence[MinedSize], entry: CatalogueEntry) -> Size:
    treebanks, here = sum(s.paradigms for s in sizes), sum(s.here or 0 for s in sizes)
    return Size(entry.name, entry.version, treebanks, None, here)


def _drawn(root: Root, entry: CatalogueEntry, config: str, is_collected: bool) -> list[Size]:
    """Return the sizes of the configs of a data set, or of the paradigms of one of them."""
    known = templates_of_configs(root, entry)
    if config:
        (config,) = choose(entry.name, known, [config])
        known = {config: known[config]}
    paradigms = load_paradigms(root, entry.name, chain.from_iterable(known.values()))
    counts = {name: p.template.draw or p.plan.size() for name, p in paradigms.items()}
    if config:
        return [Size(name, entry.version, 1, count) for name, count in counts.items()]
    return [
        Size(f"{entry.name}/{name}", entry.version, len(some), sum(counts[t.name] for t in some))
        for name, some in known.items()
        if not is_collected or entry.configs == "languages" or len(some) > 1
    ]


def mined_size(entry: CatalogueEntry, code: str) -> MinedSize:
    """Return what is known of a language of a mined data set before it is mined."""
    here = {found.origin.name for found in present(code)}
    works = treebanks_of(code)
    keys = ("name", "licence", "commercial", "tag", "sentences", "words")
    return MinedSize(
        f"{entry.name}/{code}", entry.version, len(works), None, len(here), language_name(code),
        iso_of(code), tuple(sorted({work.licence for work in works})),
        _total(work.sentences for work in works), _total(work.words for work in works),
        tuple({**{k: getattr(w, k) for k in keys}, "here": w.name in here} for w in works),
    )  # fmt: skip


def _total(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of the numbers that are known, None if none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def mined_tables(found: Sequence[MinedSize]) -> list[Table]:
    """Return a table of languages, and of a single one a table of its treebanks."""
    languages = plain_table(["name", "language"], ["treebanks", "words"])
    languages.add_column("licence")
    for size in found:
        closed = sum(not work["commercial"] for work in size.treebanks)
        licence = f"{len(size.licences)} licences, {closed} NC"
        if len(size.licences) == 1:
            licence = _licence(size.licences[0], not closed)
        here = f"{size.here} of {size.paradigms}"
        languages.add_row(size.name, size.language, here, _number(size.words), licence)
    if len(found) > 1:
        return [languages]
    treebanks = plain_table(["treebank", "here"], ["sentences", "words"])
    treebanks.add_column("licence")
    for work in found[0].treebanks:
        numbers = (_number(work["sentences"]), _number(work["words"]))
        licence = _licence(work["licence"], work["commercial"])
        treebanks.add_row(work["name"], "yes" if work["here"] else "no", *numbers, licence)
    return [languages, treebanks]


def _licence(name: str, commercial: bool) -> str:
    """Mark a licence that forbids commercial use and does not say so in its name."""
    return name if commercial or "-NC" in name else f"{name} (NC)"


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"
