"""Make the lexicon of a language: hold its forms against other sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solecism.commands import cli
from solecism.lexicon.lexicon import Lexicon

if TYPE_CHECKING:
    from solecism.root import Root
    from solecism.witness.witness import Evidence, Witnessed


@click.group(cls=cli.VerbGroup, groups={"Verbs": ("witness",)}, help=__doc__)
def command() -> None:
    pass


@command.command("witness")
@click.argument("language")
@cli.option("--unimorph", type=cli.PLACE,
            help="List of UniMorph, or folder with lists (deu, fra ...).")  # fmt: skip
@cli.option("--treebank", "treebanks", type=cli.PLACE, multiple=True,
            help="CoNLL-U file, or folder with files of the language (de_*.conllu).")  # fmt: skip
@cli.option("--words", type=cli.PLACE, multiple=True,
            help="Words, apart by blanks or lines: witnesses of the spelling alone.")  # fmt: skip
@cli.option("--wrote", multiple=True, metavar="NAME",
            help="A source that wrote the forms, and so is no witness; the next call keeps it.")  # fmt: skip
@cli.JSON
@cli.OWN_ROOT
def witness(
    language: str, unimorph: Path | None, treebanks: tuple[Path, ...], words: tuple[Path, ...],
    wrote: tuple[str, ...], as_json: bool, root: Root,
) -> None:  # fmt: skip
    """Hold each form of a lexicon against other sources: who else has it?

    Writes lexicons/LANGUAGE/evidence.tsv. Analysers that are installed are asked too. The exit code
    is 2 if a source contradicts a form and exceptions.tsv gives no reason.
    """
    from solecism.witness.witness import find_evidence, write_evidence

    found = find_evidence(Lexicon(root.lexicon(language)), unimorph, treebanks, words, wrote)
    if not found.sources:
        _show_sources(found.lexicon.code, as_json)
        return
    unexplained = found.unexplained
    path = write_evidence(found)
    _show(found, unexplained, as_json)
    if not as_json:
        cli.echo(f"wrote {path}")
    if unexplained:
        sys.exit(2)


def _show_sources(language: str, as_json: bool) -> None:
    """Print which sources there are and how to get them."""
    from solecism.witness.analysers import analysers_of

    known = {
        "--unimorph PLACE": "https://github.com/unimorph (deu, fra ...)",
        "--treebank PLACE": "https://universaldependencies.org",
        "--words FILE": "any list of words, for the spelling alone", **analysers_of(language),
    }  # fmt: skip
    if as_json:
        cli.print_json({"sources": {}, "known": known})
        return
    cli.echo("no source was asked, nothing is written; there are")
    for name, how in known.items():
        cli.echo(f"{name}: {how}")


def _show(found: Evidence, forms: list[Witnessed], as_json: bool) -> None:
    """Print the counts of forms by table, and the contradictions without a reason."""
    from solecism.witness.witness import COUNTED

    counts = {
        name: {"forms": n.total(), **{state: n[state] for state in COUNTED}}
        for name, n in found.counts.items()
    }
    unexplained = [
        {"place": f"{f.claim.table.path}:{f.claim.row.line}", "table": f.claim.table.name,
         "lemma": f.claim.row.lemma, "form": f.claim.form, "cell": str(f.claim.cell),
         "sources": ", ".join(f.against), "says": f.objections[0]}
        for f in forms
    ]  # fmt: skip
    if as_json:
        cli.print_json({"sources": found.sources, "tables": counts, "unexplained": unexplained})
        return
    rows = [(name, *numbers.values()) for name, numbers in counts.items()]
    cli.console().print(cli.plain_table(rows, ["table"], ["forms", *COUNTED]))
    for form in unexplained:
        cli.echo("{place}: {lemma!r}: {form} ({cell}): {sources} has {says}".format_map(form))
