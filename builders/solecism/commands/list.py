"""List what can be built, with sizes.

NAMES: clams, clams/he, agreement; without one, every data set.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import click

from solecism.commands.options import JSON, ROOT, plain_table, print_lines
from solecism.datasets.catalogue import BUILT_IN, MINED, Stanza, read_catalogue, stanza
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import load_paradigms, paths_of_configs
from solecism.datasets.from_treebanks import minable
from solecism.errors import candidates, fail
from solecism.grammar.paradigm import Paradigm
from solecism.root import Root
from solecism.treebank.sources import present, treebanks_of

__all__ = ["Size", "command", "sizes"]


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@JSON
@ROOT
def command(names: tuple[str, ...], as_json: bool, root: Root) -> None:
    found = sizes(root, names)
    if as_json:
        print_lines(*(json.dumps(asdict(size)) for size in found))
        return
    table = plain_table(["name", "version"], ["paradigms", "minimal sets"])
    for size in found:
        table.add_row(size.name, size.version, str(size.paradigms), _shown(size))
    print_lines(table)


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


def sizes(root: Root, names: Sequence[str]) -> list[Size]:
    """Count what ``names`` (``clams``, ``clams/he``) can make: a line a config, or a line a
    paradigm.

    Without names, data sets with a config for each paradigm get a line for the configs that collect
    them, and those that are mined a line for all their languages.
    """
    if not names:
        found = [size for name in root.datasets for size in _configs(root, name, collected=True)]
        return found + [_all_mined(root, name) for name in _mined_names()]
    return [size for name in names for size in _sizes(root, name.strip("/"))]


def _sizes(root: Root, name: str) -> list[Size]:
    dataset, _, config = name.partition("/")
    if "/" in config:
        raise fail(f"{name!r}: name a data set or a config, as clams or clams/he")
    entry = stanza(root, dataset)
    if entry.configs == MINED:
        return _mined(entry, config)
    if not config:
        return _configs(root, dataset)
    known = paths_of_configs(root, entry)
    (name,) = choose(dataset, known, [config])
    found = load_paradigms(root, dataset, known[name]).values()
    return [Size(paradigm.name, entry.version, 1, _count(paradigm)) for paradigm in found]


def _mined(entry: Stanza, config: str) -> list[Size]:
    known = minable()
    if config and config not in known:
        raise fail(
            f"data set {entry.name!r} has no config {config!r} {candidates('configs', known, config)}"
        )
    return [
        Size(
            f"{entry.name}/{language}",
            entry.version,
            len(treebanks_of(language)),
            None,
            len(present(language)),
        )
        for language in known
        if config in ("", language)
    ]


def _mined_names() -> list[str]:
    return [name for name, entry in read_catalogue(BUILT_IN).items() if entry.configs == MINED]


def _all_mined(root: Root, name: str) -> Size:
    entry = stanza(root, name)
    of = _mined(entry, "")
    return Size(
        name, entry.version, sum(s.paradigms for s in of), None, sum(s.here or 0 for s in of)
    )


def _configs(root: Root, dataset: str, collected: bool = False) -> list[Size]:
    entry = stanza(root, dataset)
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
