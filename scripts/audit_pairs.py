"""Audit a data set of minimal pairs: faults, leaks and cues, by paradigm and in total.

What each column counts is said in ``solecism.check.audit.Audit``. Reads folders built by
``solecism build``, released BLiMP (``*.jsonl``) and CLAMS (``*.txt``).

Usage: python scripts/audit_pairs.py DIR|FILE... [--json]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from solecism.check.audit import NumberCheck, as_json, audit, print_audits, read_pairs
from solecism.errors import InputError
from solecism.lexicon.lexicon import Lexicon
from solecism.root import find_root


@click.command(help=__doc__)
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_text", is_flag=True, help="Print JSON for programs.")
@click.option("--language", default="en", help="Whose nouns number is checked with ('': not).")
def main(paths: tuple[Path, ...], as_text: bool, language: str) -> None:
    """Read, count, print."""
    try:
        numbers = NumberCheck.of(Lexicon(find_root().lexicon(language))) if language else None
        audits = [audit(pairs, numbers) for pairs in read_pairs(paths)]
    except InputError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    if as_text:
        click.echo(json.dumps(as_json(audits), indent=1, ensure_ascii=False))
    else:
        print_audits(audits, Console())


if __name__ == "__main__":
    main()
