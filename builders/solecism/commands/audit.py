"""Count what gives labels away in sets of minimal pairs: faults, leaks and cues.

PATHS: folders built by `solecism build` (clams, clams/en, clams/en/subj_rel), or released BLiMP
(.jsonl) and CLAMS (.txt). All figures but those of cues are numbers of pairs.
"""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import click
from rich import box
from rich.table import Table

from solecism.check.audit import Audit, audit, total
from solecism.commands.cli import JSON, ROOT, option, path_type, print_json, print_lines, sides
from solecism.inputs import read_toml
from solecism.root import Root

_KNOWN = read_toml(Path(__file__).with_suffix(".toml"))
_VERDICTS: dict[str, tuple[float, str]] = _KNOWN.pop("verdicts")
COLUMNS: dict[str, dict[str, tuple[str, str]]] = _KNOWN
"""The titles of the tables; of each column the title, and what it says."""


def _help() -> str:
    """Return the help: a line for each column."""
    columns = chain.from_iterable(columns.values() for columns in COLUMNS.values())
    plain = ((title.replace("-\n", "").replace("\n", " "), meaning) for title, meaning in columns)
    return "\n".join([__doc__ or "", "\b", *(f"{title:<14} {meaning}" for title, meaning in plain)])


@click.command(help=_help())
@click.argument("paths", nargs=-1, required=True, type=path_type())
@option("--language", default="", help="en: check number after English determiners.")
@sides
@JSON
@ROOT
def command(paths: tuple[Path, ...], language: str, as_json: bool, root: Root) -> None:
    audits = audit(paths, language=language, root=root)
    every = total(audits)
    if as_json:
        print_json({"paradigms": [asdict(one) for one in audits], "total": asdict(every)})
    else:
        tables = _tables([*audits, every] if len(audits) > 1 else audits)
        told = list(_verdicts(audits))
        nothing = "nothing gives the labels away: no column is beyond what chance allows"
        print_lines(*tables, *(told or [nothing]))
        print_lines("What the columns say: solecism audit --help; more: docs/trust.md#the-audit")


def _verdicts(audits: Sequence[Audit]) -> Iterator[str]:
    """Yield a sentence for each kind of finding, with the paradigms that have it."""
    for column, (limit, text) in _VERDICTS.items():
        values = {one.uid: (getattr(one, column), one.pairs) for one in audits}
        found = [
            uid
            for uid, (value, pairs) in values.items()
            if value is not None
            and (value > limit * pairs if isinstance(value, int) else abs(value - 0.5) > limit)
        ]
        if found:
            more = f" and {len(found) - 3} more" if len(found) > 3 else ""
            line = f"{column}: {text} ({', '.join(found[:3])}{more})"
            yield textwrap.fill(line, 80, subsequent_indent="  ")


def _tables(rows: Sequence[Audit]) -> Iterator[Table | str]:
    """Yield a table for each kind of count; the last line is of all paradigms."""
    for title, columns in COLUMNS.items():
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0)
        table.add_column(title, width=31, overflow="fold")  # so that a table has 80 columns
        for head, _ in columns.values():
            table.add_column(head, justify="right", min_width=7, no_wrap=True)
        for row in rows:
            values = (getattr(row, name) for name in columns)
            cells = (
                "–" if v is None else f"{v:.3f}" if isinstance(v, float) else f"{v:,}"
                for v in values
            )
            table.add_row(row.uid, *cells, end_section=row is rows[-2:][0])
        yield table
        yield ""
