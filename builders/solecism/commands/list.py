"""List what can be built, with sizes.

NAMES: clams, clams/he, agreement, agreement/albanian; without one, every data set. Another word,
as negation, finds the paradigms that say it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain

import click
from rich.table import Table

from solecism.commands.cli import JSON, ROOT, console, echo, option, plain_table, print_lines
from solecism.commands.completion import complete_names
from solecism.datasets.catalogue import MINED, CatalogueEntry, catalogue_entry, cite, mined_names
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import (
    load_paradigms,
    paradigms_on,
    tags_of_config,
    templates_of_configs,
)
from solecism.errors import fail
from solecism.grammar.template import Template
from solecism.harness import TASKS
from solecism.language_tags import isos_of, language_name, tags_of
from solecism.root import Root
from solecism.schema import ItemRow
from solecism.treebank.catalogue import find_code, origin_languages, treebanks_of
from solecism.treebank.sources import present


@click.command(help=__doc__)
@click.argument("names", nargs=-1, shell_complete=complete_names)
@option("--tasks", is_flag=True, help="Print the folder of our lm-eval tasks instead.")
@option("--cite", "cited", is_flag=True, help="Print BibTeX of the data sets instead.")
@option("--phenomenon", metavar="NAME", help="The paradigms of all data sets that test it.")
@JSON
@ROOT
def command(
    names: tuple[str, ...], tasks: bool, cited: bool, phenomenon: str | None, as_json: bool, root: Root
) -> None:  # fmt: skip
    if tasks:
        echo(TASKS)
        return
    if cited:
        for name in names or (*root.datasets, *mined_names()):
            echo(cite(root, name.partition("/")[0]))
        return
    if paradigms := _paradigms(root, names, phenomenon):
        _print_paradigms(paradigms, as_json)
        return
    found = sizes(root, names)
    if as_json:
        known = ({**asdict(size), "iso639_3": isos_of(size.language_tags)} for size in found)
        print_lines(*map(json.dumps, known))
        return
    mined = [size for size in found if isinstance(size, MinedSize)]
    is_mined = mined and len(mined) == len(found)
    for table in mined_tables(mined) if is_mined else [size_table(found)]:
        console().print(table)


def _paradigms(root: Root, names: Sequence[str], phenomenon: str | None) -> list[Template]:
    """Return the paradigms that were asked for; none where ``names`` are data sets."""
    if phenomenon:
        return paradigms_on(root, phenomenon)
    known = {*root.datasets, *mined_names()}
    is_text = len(names) == 1 and names[0].partition("/")[0] not in known
    return paradigms_on(root, text=names[0]) if is_text else []


def _print_paradigms(paradigms: Sequence[Template], as_json: bool) -> None:
    if as_json:
        keys = ("name", "phenomenon", "field", "about", "draw")
        print_lines(*(json.dumps({k: getattr(t, k) for k in keys}) for t in paradigms))
        return
    rows = [(t.name, t.draw or "all", t.about) for t in paradigms]
    console().print(plain_table(rows, ["paradigm"], ["minimal sets"], ["about"]))


def size_table(found: Sequence[Size]) -> Table:
    """Return a table of sizes."""
    rows = []
    for size in found:
        mined = f"mined, {size.here or 0} of {size.paradigms} treebanks here"
        sets = mined if size.sets is None else size.sets
        rows.append((size.name, size.version, size.paradigms, sets))
    return plain_table(rows, ["name", "version"], ["paradigms", "minimal sets"])


@dataclass(frozen=True)
class Size:
    """How many minimal sets (or suite items) a config or paradigm makes.

    ``paradigms`` is the number of its paradigms. If it is mined from treebanks, that is the number
    of treebanks, ``here`` is how many of them are on this machine, and ``sets`` is not known.
    ``language_tags`` are those of its languages (``deu_Latn``).
    """

    name: str
    version: str
    paradigms: int
    sets: int | None
    here: int | None = None
    language_tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class MinedSize(Size):
    """A language of a mined data set; ``sentences`` and ``words`` of its treebanks, if known."""

    language: str = ""
    licences: tuple[str, ...] = ()
    sentences: int | None = None
    words: int | None = None
    treebanks: tuple[ItemRow, ...] = ()


def sizes(root: Root, names: Sequence[str]) -> list[Size]:
    """Return the sizes of what ``names`` make: of configs (``clams``) or paradigms (``clams/he``).

    Without names, of a data set with a config for each paradigm only the configs of several
    paradigms are there, and a mined data set has one size for all its languages.
    """
    found: list[Size] = []
    for name in names or (*root.datasets, *mined_names()):
        dataset, _, config = name.strip("/").partition("/")
        if "/" in config:
            raise fail(f"{name!r}: name a data set or a config, as clams or clams/he")
        entry = catalogue_entry(root, dataset)
        if entry.configs == MINED:
            message = f"data set {dataset!r} has no config {{}}"
            codes = [find_code(config, message)] if config else origin_languages()
            mined = [mined_size(entry, code) for code in codes]
            treebanks, here = sum(s.paradigms for s in mined), sum(s.here or 0 for s in mined)
            together = Size(entry.name, entry.version, treebanks, None, here, tags_of(codes))
            found += mined if names else [together]
        else:
            found += _drawn(root, entry, config, is_collected=not names)
    return found


def _drawn(root: Root, entry: CatalogueEntry, config: str, is_collected: bool) -> list[Size]:
    """Return the sizes of the configs of a data set, or of the paradigms of one of them."""
    known = templates_of_configs(root, entry)
    if config:
        (config,) = choose(entry.name, known, [config])
        known = {config: known[config]}
    drawn = {t.name: t for t in chain.from_iterable(known.values())}
    whole = [template for template in drawn.values() if not template.draw]
    counts = {name: p.plan.size() for name, p in load_paradigms(root, whole).items()}
    found = []
    for name, some in known.items():
        tags = tags_of_config(entry, name, some)
        sets = [(t.name, 1, t.draw or counts[t.name]) for t in some]
        if not config:
            sets = [(f"{entry.name}/{name}", len(some), sum(count for *_, count in sets))]
        if not is_collected or entry.configs == "languages" or len(some) > 1:
            found += [Size(what, entry.version, n, count, None, tags) for what, n, count in sets]
    return found


def mined_size(entry: CatalogueEntry, code: str) -> MinedSize:
    """Return what is known of a language of a mined data set before it is mined."""
    here = {found.origin.name for found in present(code)}
    works = treebanks_of(code)
    keys = ("name", "licence", "commercial", "tag", "sentences", "words")
    return MinedSize(
        f"{entry.name}/{code}", entry.version, len(works), None, len(here), tags_of([code]),
        language_name(code), tuple(sorted({work.licence for work in works})),
        sum(w.sentences or 0 for w in works) or None, sum(w.words or 0 for w in works) or None,
        tuple({**{k: getattr(w, k) for k in keys}, "here": w.name in here} for w in works),
    )  # fmt: skip


def mined_tables(found: Sequence[MinedSize]) -> list[Table]:
    """Return a table of languages; of a single language also a table of its treebanks."""
    rows = []
    for size in found:
        closed = sum(not work["commercial"] for work in size.treebanks)
        licence = f"{len(size.licences)} licences, {closed} NC"
        if len(size.licences) == 1:
            licence = _licence(size.licences[0], not closed)
        here = f"{size.here} of {size.paradigms}"
        rows.append((size.name, size.language, here, size.words, licence))
    tables = [plain_table(rows, ["name", "language"], ["treebanks", "words"], ["licence"])]
    if len(found) == 1:
        works = [
            (work["name"], "yes" if work["here"] else "no", work["sentences"], work["words"],
             _licence(work["licence"], work["commercial"]))
            for work in found[0].treebanks
        ]  # fmt: skip
        heads = ["treebank", "here"], ["sentences", "words"], ["licence"]
        tables.append(plain_table(works, *heads))
    return tables


def _licence(name: str, commercial: bool) -> str:
    """Return a licence, with (NC) if it forbids commercial use and its name does not say so."""
    return name if commercial or "-NC" in name else f"{name} (NC)"
