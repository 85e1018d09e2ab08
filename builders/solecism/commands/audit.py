"""Count what gives labels away in sets of minimal pairs: faults, leaks and cues.

PATHS: folders built by `solecism build`, or released BLiMP (.jsonl) and CLAMS (.txt).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich import box
from rich.table import Table

from solecism.check.audit import Audit, audit, total
from solecism.commands.options import JSON, ROOT, path_type, print_json, print_lines
from solecism.root import Root

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("paths", nargs=-1, required=True, type=path_type(exists=True))
@click.option("--language", default="en", help="Check number with its nouns ('': do not).")
@JSON
@ROOT
def command(paths: tuple[Path, ...], language: str, as_json: bool, root: Root) -> None:
    audits = audit(paths, language=language, root=root)
    every = total(audits)
    if as_json:
        print_json({"paradigms": [asdict(one) for one in audits], "total": asdict(every)})
    else:
        print_lines(*_tables([*audits, every]))


_TABLES: dict[str, dict[str, str]] = {
    "pairs": {
        "pairs": "pairs", "same": "good\n= bad", "duplicates": "dupli-\ncates", "unequal": "unequal\nlength",
        "good_longer": "good\nlonger", "shorter": "good\nshorter",
    },
    "leaks and faults": {
        "mark": "final\nmark", "capital": "capital", "more": "more\nchanged", "prefix_words": "prefix\nwords",
        "number": "number", "reordered": "re-\nordered",
    },
    "contrasts": {
        "one_word": "one\nword", "contrasts": "con-\ntrasts", "lemmas": "lemmas", "cue": "cue",
        "cue_grouped": "cue,\ngrouped", "cue_bigrams": "cue,\nbigrams",
    },
}  # fmt: skip
"""The titles of the tables, and the titles of their columns."""


def _tables(rows: Sequence[Audit]) -> Iterator[Table]:
    """Yield a table for each kind of count; the last line is of all paradigms."""
    for title, columns in _TABLES.items():
        table = Table(box=box.SIMPLE_HEAD, width=80, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column(title, overflow="fold", ratio=1)
        for head in columns.values():
            table.add_column(head, justify="right", width=7, no_wrap=True)
        for row in rows:
            cells = (_shown(getattr(row, name)) for name in columns)
            table.add_row(row.uid, *cells, end_section=row is rows[-2])
        yield table


def _shown(value: float) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"
