"""List what can be built, with sizes.

NAMES: clams, clams/he, agreement, agreement/albanian; without one, every data set.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click
from rich.table import Table

from solecism.commands.completion import complete_names
from solecism.commands.options import JSON, ROOT, console, echo, plain_table, print_lines
from solecism.datasets.catalogue import MINED, CatalogueEntry, catalogue_entry, mined_names
from solecism.datasets.citation import cite
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import load_paradigms, paths_of_configs
from solecism.datasets.from_treebanks import minable
from solecism.errors import fail
from solecism.grammar.paradigm import Paradigm
from solecism.root import Root
from solecism.terminal import bar
from solecism.treebank.origins import Origin, find_code, iso_of, language_name, treebanks_of
from solecism.treebank.sources import present

__all__ = [
    "MinedSize",
    "Size",
    "command",
    "mined_size",
    "mined_table",
    "size_table",
    "sizes",
    "treebank_table",
]


@click.command(help=__doc__)
@click.argument("names", nargs=-1, shell_complete=complete_names)
@click.option("--cite", "cited", is_flag=True, help="Print BibTeX of the data sets instead.")
@JSON
@ROOT
def command(names: tuple[str, ...], cited: bool, as_json: bool, root: Root) -> None:
    if cited:
        for name in names or (*root.datasets, *mined_names()):
            echo(cite(root, name.partition("/")[0]))
        return
    found = sizes(root, names)
    if as_json:
        print_lines(*(json.dumps(asdict(size)) for size in found))
        return
    if found and all(isinstance(size, MinedSize) for size in found):
        _print_mined([size for size in found if isinstance(size, MinedSize)])
        return
    print_lines(size_table(found, BAR if console().is_terminal else 0))


BAR = 24
"""The columns of the longest bar."""


def size_table(found: Sequence[Size], width: int = 0) -> Table:
    """Return a table of sizes, with a bar of at most ``width`` columns for each."""
    table = plain_table(["name", "version"], ["paradigms", "minimal sets"])
    if width:
        table.add_column("", style="cyan")
    most = max((size.sets or 0 for size in found), default=0)
    for size in found:
        shown = (bar(size.sets or 0, most, width),) if width else ()
        table.add_row(size.name, size.version, str(size.paradigms), _shown(size), *shown)
    return table


def _print_mined(found: Sequence[MinedSize]) -> None:
    console().print(mined_table(found))
    if len(found) == 1:
        console().print(treebank_table(found[0]))


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
    """Count what ``names`` (``clams``, ``clams/he``) can make: a line a config, or a line a
    paradigm.

    Without names, data sets with a config for each paradigm get a line for the configs that collect
    them, and those that are mined a line for all their languages.
    """
    if not names:
        found = [size for name in root.datasets for size in _configs(root, name, collected=True)]
        return found + [_all_mined(root, name) for name in mined_names()]
    return [size for name in names for size in _sizes(root, name.strip("/"))]


def _sizes(root: Root, name: str) -> list[Size]:
    dataset, _, config = name.partition("/")
    if "/" in config:
        raise fail(f"{name!r}: name a data set or a config, as clams or clams/he")
    entry = catalogue_entry(root, dataset)
    if entry.configs == MINED:
        return _mined(entry, config)
    if not config:
        return _configs(root, dataset)
    known = paths_of_configs(root, entry)
    (name,) = choose(dataset, known, [config])
    found = load_paradigms(root, dataset, known[name]).values()
    return [Size(paradigm.name, entry.version, 1, _count(paradigm)) for paradigm in found]


def _mined(entry: CatalogueEntry, config: str) -> list[Size]:
    message = f"data set {entry.name!r} has no config {{}}"
    codes = [find_code(config, message)] if config else minable()
    return [mined_size(entry, code) for code in codes]


def mined_size(entry: CatalogueEntry, code: str) -> MinedSize:
    """Return what is known of a language of a mined data set before it is mined."""
    here = {found.origin.name: found for found in present(code)}
    works = treebanks_of(code)
    return MinedSize(
        f"{entry.name}/{code}", entry.version, len(works), None, len(here), language_name(code),
        iso_of(code), tuple(sorted({work.licence for work in works})),
        _total(work.sentences for work in works), _total(work.words for work in works),
        tuple(_treebank(work, work.name in here) for work in works),
    )  # fmt: skip


def _treebank(work: Origin, here: bool) -> dict[str, Any]:
    keys = ("name", "licence", "commercial", "tag", "sentences", "words")
    return {**{key: getattr(work, key) for key in keys}, "here": here}


def _total(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of the numbers that are known, None if none is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def mined_table(found: Sequence[MinedSize]) -> Table:
    """Return a table of languages, as wide as 80 columns."""
    table = plain_table(["name", "language"], ["treebanks", "words"])
    table.add_column("licence")
    for size in found:
        here = f"{size.here} of {size.paradigms}"
        table.add_row(size.name, size.language, here, _number(size.words), _licences(size))
    return table


def treebank_table(size: MinedSize) -> Table:
    """Return a table of the treebanks of a language."""
    table = plain_table(["treebank", "here"], ["sentences", "words"])
    table.add_column("licence")
    for work in size.treebanks:
        numbers = (_number(work["sentences"]), _number(work["words"]))
        licence = work["licence"] + _mark(work["commercial"], work["licence"])
        table.add_row(work["name"], "yes" if work["here"] else "no", *numbers, licence)
    return table


def _licences(size: MinedSize) -> str:
    closed = sum(not work["commercial"] for work in size.treebanks)
    if len(size.licences) == 1:
        return size.licences[0] + _mark(not closed, size.licences[0])
    return f"{len(size.licences)} licences, {closed} NC"


def _mark(commercial: bool, licence: str) -> str:
    """Mark a licence that forbids commercial use and does not say so in its name."""
    return "" if commercial or "-NC" in licence else " (NC)"


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def _all_mined(root: Root, name: str) -> Size:
    entry = catalogue_entry(root, name)
    of = _mined(entry, "")
    return Size(
        name, entry.version, sum(s.paradigms for s in of), None, sum(s.here or 0 for s in of)
    )


def _configs(root: Root, dataset: str, collected: bool = False) -> list[Size]:
    entry = catalogue_entry(root, dataset)
    found = paths_of_configs(root, entry)
    paradigms = load_paradigms(root, dataset, {path for paths in found.values() for path in paths})
    counts = {path: _count(paradigm) for path, paradigm in paradigms.items()}
    return [
        Size(f"{dataset}/{name}", entry.version, len(paths), sum(counts[path] for path in paths))
        for name, paths in found.items()
        if not collected or entry.configs == "languages" or len(paths) > 1
    ]


def _shown(size: Size) -> str:
    if size.sets is None:
        return f"mined, {size.here or 0} of {size.paradigms} treebanks here"
    return f"{size.sets:,}"


def _count(paradigm: Paradigm) -> int:
    return paradigm.template.draw or paradigm.plan.size()
