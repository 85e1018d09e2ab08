"""List what can be built, with sizes.

NAMES: clams, clams/he, agreement, agreement/albanian; without one, every data set. Another word,
as negation, finds the paradigms that say it.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict

import click
from rich.table import Table

from solecism.commands.cli import JSON, ROOT, console, echo, option, plain_table, print_lines
from solecism.commands.completion import complete_names
from solecism.datasets.catalogue import cite, mined_names
from solecism.datasets.from_templates import paradigms_on
from solecism.datasets.sizes import MinedSize, Size, sizes
from solecism.errors import InputError
from solecism.grammar.template import Template
from solecism.harness import TASKS
from solecism.language_tags import isos_of
from solecism.query.tests import shipped_tests
from solecism.root import Root


@click.command(help=__doc__)
@click.argument("names", nargs=-1, shell_complete=complete_names)
@option("--tasks", is_flag=True, help="Print the folder of our lm-eval tasks instead.")
@option("--cite", "cited", is_flag=True, help="Print BibTeX of the data sets instead.")
@option("--queries", is_flag=True, help="The requests that ship (docs/query.md) instead.")
@option("--phenomenon", metavar="NAME", help="The paradigms of all data sets that test it.")
@JSON
@ROOT
def command(
    names: tuple[str, ...], tasks: bool, cited: bool, queries: bool, phenomenon: str | None,
    as_json: bool, root: Root,
) -> None:  # fmt: skip
    if tasks:
        echo(TASKS)
        return
    if queries:
        _print_queries(as_json)
        return
    if cited:
        for name in names or (*root.datasets, *mined_names()):
            echo(cite(root, name.partition("/")[0]))
        return
    if paradigms := _paradigms(root, names, phenomenon):
        _print_paradigms(paradigms, as_json)
        return
    found = sizes(root, names)
    _print_sizes(found, as_json)
    if problems := [problem for size in found for problem in size.problems]:
        raise InputError(problems)  # told as always, when the rest is shown


def _print_sizes(found: Sequence[Size], as_json: bool) -> None:
    if as_json:
        known = ({**asdict(size), "iso639_3": isos_of(size.language_tags)} for size in found)
        print_lines(*map(json.dumps, known))
        return
    mined = [size for size in found if isinstance(size, MinedSize)]
    is_mined = mined and len(mined) == len(found)
    for table in mined_tables(mined) if is_mined else [size_table(found)]:
        console().print(table)


def _print_queries(as_json: bool) -> None:
    """Print the tests that ship: their names, languages, and what they say."""
    if as_json:
        print_lines(*(json.dumps({**t.facts(), "languages": t.languages}) for t in shipped_tests()))
        return
    rows = [(test.id, test.about, " ".join(test.languages)) for test in shipped_tests()]
    console().print(plain_table(rows, ["test", "about", "languages"]))


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
        items: object = size.items
        if size.problems:
            items = f"broken: {size.problems[0]}"
        elif size.here is not None:
            items = f"mined, {size.here} of {size.paradigms} treebanks here"
        elif size.items is None:
            items = f"up to {size.sets:,} sets"
        rows.append((size.name, size.version, size.paradigms, items))
    return plain_table(rows, ["name", "version"], ["paradigms", "items"])


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
