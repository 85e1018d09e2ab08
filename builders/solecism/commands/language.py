"""Make the lexicon of a language, its first paradigms, and hold its forms against other sources."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solecism.commands import cli
from solecism.inputs import Json, check_name
from solecism.kit.inflecting import inflect
from solecism.kit.skeleton import write_skeleton
from solecism.kit.sources import ADAPTERS, read_sources
from solecism.kit.starting import start
from solecism.language_tags import code_of
from solecism.lexicon.lexicon import Lexicon
from solecism.root import Root

if TYPE_CHECKING:
    from solecism.witness.witness import Evidence


_TREEBANK = cli.option("--treebank", type=cli.PLACE, help="CoNLL-U file, or folder of them.")
_UNIMORPH = cli.option("--unimorph", type=cli.PLACE, help="UniMorph file.")


@click.group(
    cls=cli.VerbGroup, groups={"Verbs": ("new", "inflect", "witness", "skeleton")}, help=__doc__
)
def command() -> None:
    pass


@command.command("new")
@click.argument("code")
@_TREEBANK
@_UNIMORPH
@cli.option("--least", type=click.IntRange(0), default=50, help="Cells seen more often are listed.")
@cli.OWN_ROOT
def new(code: str, treebank: Path | None, unimorph: Path | None, least: int, root: Root) -> None:
    """Write the files that a linguist fills: words, cells, spelling, macros.

    CODE: ca, or cat. The cells of the tables are those that the treebank shows, else UniMorph.
    """
    code = check_name(code_of(code) or code, "language")
    kind, path = ("treebank", treebank) if treebank else ("unimorph", unimorph)
    cli.echo(start(root, code, ADAPTERS[kind](path, code) if path else (), least))


@command.command("inflect")
@click.argument("code")
@_TREEBANK
@_UNIMORPH
@cli.option("--forms", type=cli.PLACE, help="Table: lemma, form, FEATS; perhaps `guessed`.")
@cli.OWN_ROOT
@cli.JSON
def inflect_tables(code: str, root: Root, as_json: bool, **places: Path | None) -> None:
    """Fill the tables of a language with the forms that sources have.

    From words.txt and cells.toml of lexicons/CODE. A cell that no source has is `?`: write it into
    the table, and run this again; what a person typed stays. Where two sources differ, write one.

    There is no inflector here: verbecc, morfeusz2, pymorphy3 and lt-proc run in an environment of
    their own and write the table for --forms (with `guessed` in a fourth column of a word that
    the program does not know).

    Who may write a row: in your own lexicon, any source. Into lexicons that ship with Solecism,
    sources under BSD, MIT, Apache or CC BY, and words typed in; all others (verbecc, pymorphy3,
    Apertium, UniMorph, most treebanks) only witness. What wrote a form is not its witness.
    """
    folder = root.lexicon(code)
    out = inflect(folder, read_sources(places, folder.name))
    if as_json:
        cli.print_json(vars(out))
    else:
        cli.echo("\n".join(out.lines()))
    if out.refused:
        click.get_current_context().exit(1)


@command.command("skeleton")
@click.argument("name")
@cli.OWN_ROOT
def skeleton(name: str, root: Root) -> None:
    """Write the paradigms, of twelve that most languages have, that the lexicon can fill.

    NAME: mine/ca. A paradigm waits until the tables and macros have what it needs: run this again.
    """
    dataset, _, code = name.partition("/")
    cli.echo("\n".join(write_skeleton(root, check_name(dataset, "data set"), code)))


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


def _known_sources(language: str) -> dict[str, Json]:
    """Return which sources there are and how to get them."""
    from solecism.witness.analysers import analysers_of

    known = {
        "--unimorph PLACE": "https://github.com/unimorph (deu, fra ...)",
        "--treebank PLACE": "https://universaldependencies.org",
        "--words FILE": "any list of words, for the spelling alone", **analysers_of(language),
    }  # fmt: skip
    return {"sources": {}, "known": known}


def _write(found: Evidence) -> dict[str, Json]:
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


def _show(figures: dict[str, Json]) -> None:
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
