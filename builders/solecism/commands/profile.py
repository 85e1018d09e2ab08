"""Show what agrees with what in a language, by the evidence of its treebanks.

PATHS: CoNLL-U files, or folders of them, of one language. Prints, for each relation and feature, in
how many pairs both ends express the feature, how many of them agree, and whether that counts as
agreement (docs/mining.md says by which test); then a stanza of languages.toml, to edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.progress import TaskProgressColumn
from rich.table import Table

from solecism.commands.options import JSON, echo, path_type, plain_table, print_json, print_lines
from solecism.terminal import progress_bar
from solecism.treebank.mining import survey
from solecism.treebank.profile import Profile, ProfileRow

__all__ = ["command"]

_SHOWN = 10


@click.command(help=__doc__)
@click.argument("paths", nargs=-1, required=True, type=path_type())
@click.option("--language", help="Language code, as el (default: as the files' names begin).")
@click.option("--all", "every", is_flag=True, help=f"Also lines with fewer than {_SHOWN} pairs.")
@click.option("--lenient", is_flag=True, help="Skip broken sentences.")
@click.option("--stanza", is_flag=True, help="Print the stanza alone.")
@JSON
def command(
    paths: tuple[Path, ...], language: str | None, every: bool, lenient: bool, stanza: bool,
    as_json: bool,
) -> None:  # fmt: skip
    with progress_bar(TaskProgressColumn()) as show:
        profile = survey(paths, language=language, lenient=lenient, progress=show)
    if as_json:
        print_json(_facts(profile))
    elif stanza:
        echo(profile.stanza().rstrip())
    else:
        rows = [row for row in profile.rows if every or row.both >= _SHOWN]
        print_lines(_table(rows), "", profile.reason or profile.stanza())


def _facts(profile: Profile) -> dict[str, object]:
    agrees = {kind: [*map(str, rules)] for kind, rules in profile.language.agrees.items()}
    return {
        "language": profile.language.code,
        "sentences": profile.sentences,
        "agrees": agrees,
        "verbforms": list(profile.language.verbforms),
        "cases": list(profile.language.cases),
        "third": profile.language.third,
        "reason": profile.reason,
        "rows": [{**asdict(row), "agrees": row.agrees} for row in profile.rows],
    }


def _table(rows: Sequence[ProfileRow]) -> Table:
    table = plain_table(["target", "feature", "controller"], ["pairs", "agree", "noun", "pron"])
    table.add_column("agreement")
    for row in rows:
        shares = (row.agree / row.both, row.noun, row.pronoun)
        told = ("" if share is None else f"{share:.1%}" for share in shares)
        kind = row.kind.replace("_", " ")
        table.add_row(kind, row.feature, row.side, f"{row.both:,}", *told, row.reason or "yes")
    return table
