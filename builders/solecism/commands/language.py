"""Make the lexicon of a language: hold its forms against other sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solecism.commands import cli
from solecism.lexicon.lexicon import Lexicon

if TYPE_CHECKING:
    from solecism.root import Root
    from solecism.witness.witness import Evidence


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
    from solecism.witness.witness import find_evidence

    found = find_evidence(Lexicon(root.lexicon(language)), unimorph, treebanks, words, wrote)
    figures = _write(found) if found.sources else _known_sources(found.lexicon.code)
    if as_json:
        cli.print_json(figures)
    else:
        _show(figures)
    if figures.get("unexplained"):
        sys.exit(2)


def _known_sources(language: str) -> dict[str, Any]:
    """Return which sources there are and how to get them."""
    from solecism.witness.analysers import analysers_of

    known = {
        "--unimorph PLACE": "https://github.com/unimorph (deu, fra ...)",
        "--treebank PLACE": "https://universaldependencies.org",
        "--words FILE": "any list of words, for the spelling alone", **analysers_of(language),
    }  # fmt: skip
    return {"sources": {}, "known": known}


def _write(found: Evidence) -> dict[str, Any]:
    """Write the evidence; return counts of forms by table, and contradictions without a reason."""
    from solecism.witness.witness import write_evidence

    unexplained = [
        {"place": f"{f.claim.table.path}:{f.claim.row.line}", "table": f.claim.table.name,
         "lemma": f.claim.row.lemma, "form": f.claim.form, "cell": str(f.claim.cell),
         "sources": ", ".join(f.against), "says": f.objections[0]}
        for f in found.unexplained
    ]  # fmt: skip
    return {
        "sources": found.sources, "tables": found.counts, "unexplained": unexplained,
        "path": str(write_evidence(found)),
    }  # fmt: skip


def _show(figures: dict[str, Any]) -> None:
    """Print what is known of sources, or what was found."""
    if "known" in figures:
        cli.echo("no source was asked, nothing is written; there are")
        cli.echo("\n".join(f"{name}: {how}" for name, how in figures["known"].items()))
        return
    rows = [(name, *numbers.values()) for name, numbers in figures["tables"].items()]
    titles = list(next(iter(figures["tables"].values()), ()))
    cli.console().print(cli.plain_table(rows, ["table"], titles))
    for form in figures["unexplained"]:
        cli.echo("{place}: {lemma!r}: {form} ({cell}): {sources} has {says}".format_map(form))
    cli.echo(f"wrote {figures['path']}")
