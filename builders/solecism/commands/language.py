"""Make the lexicon of a language, its first paradigms, and hold its forms against other sources."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

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
    _say(vars(out), as_json, [*out.lines()])
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
    from solecism.witness.analysers import analysers_of
    from solecism.witness.witness import find_evidence, write_evidence

    found = find_evidence(Lexicon(root.lexicon(language)), unimorph, treebanks, words, wrote)
    if not found.sources:
        known = {
            "--unimorph PLACE": "https://github.com/unimorph (deu, fra ...)",
            "--treebank PLACE": "https://universaldependencies.org",
            "--words FILE": "any list of words, for the spelling alone",
            **analysers_of(found.lexicon.code),
        }
        _say({"sources": {}, "known": known}, as_json, [
            "no source was asked, nothing is written; there are",
            *(f"{name}: {how}" for name, how in known.items()),
        ])  # fmt: skip
        return
    unexplained = [
        {"place": f"{f.claim.table.path}:{f.claim.row.line}", "table": f.claim.table.name,
         "lemma": f.claim.row.lemma, "form": f.claim.form, "cell": str(f.claim.cell),
         "sources": ", ".join(f.against), "says": f.objections[0]}
        for f in found.unexplained
    ]  # fmt: skip
    figures = {"sources": found.sources, "tables": found.counts, "unexplained": unexplained}
    path = write_evidence(found)
    if not as_json:
        rows = [(name, *numbers.values()) for name, numbers in found.counts.items()]
        titles = next(iter(found.counts.values()), ())
        cli.console().print(cli.plain_table(rows, ["table"], [*titles]))
    line = "{place}: {lemma!r}: {form} ({cell}): {sources} has {says}"
    told = [*map(line.format_map, unexplained), found.second, f"wrote {path}"]
    _say({**figures, "path": str(path)}, as_json, told)
    if unexplained:
        sys.exit(2)


def _say(figures: Mapping[str, Json], as_json: bool, lines: Sequence[str]) -> None:
    if as_json:
        cli.print_json(figures)
    else:
        cli.echo("\n".join(lines))
