"""What `solecism mine --profile` shows: what agrees with what, by the evidence of treebanks.

For each relation and feature: in how many pairs both ends express the feature, how many of them
agree, and whether that counts as agreement (docs/mining.md says by which test).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.progress import TaskProgressColumn
from rich.table import Table

from solecism.commands.options import echo, plain_table, print_json, print_lines
from solecism.files import write_text
from solecism.terminal import progress_bar
from solecism.treebank.mining import survey
from solecism.treebank.profile import Profile, ProfileRow

__all__ = ["show_profile"]

_SHOWN = 10
"""Lines with fewer pairs are left out; ``--json`` has all."""


def show_profile(
    paths: tuple[Path, ...], language: str | None, lenient: bool, out: Path | None, as_json: bool
) -> None:
    """Show the evidence, and a stanza to edit; with ``out`` write the stanza alone."""
    with progress_bar(TaskProgressColumn()) as show:
        profile = survey(paths, language=language, lenient=lenient, progress=show)
    if as_json:
        print_json(_facts(profile))
    elif out is not None:
        write_text(out, profile.stanza())
        echo(f"wrote {out}")
    else:
        rows = [row for row in profile.rows if row.both >= _SHOWN]
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
