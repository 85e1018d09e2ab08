"""Fill the column ``Freq`` of lexicon tables: the Zipf frequency of the lemma, two decimals.

    python scripts/add_frequency.py en               # all tables that have words of open classes
    python scripts/add_frequency.py en noun propn    # some tables
    python scripts/add_frequency.py en --check       # change nothing; exit code 1 if a value is off

The Zipf frequency (van Heuven et al. 2014) is the base-10 logarithm of how often a word occurs in a
thousand million words; wordfreq (Speer 2022) counts spellings, so homographs count together. The
mark of a homonym (``bank#2``) is left out; of several words the frequency is that of the whole,
estimated. A column that is lacking is added at the end; comments and the order of rows stay as they
are.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from solecism.errors import InputError
from solecism.files import write_text
from solecism.inputs import read_lines
from solecism.lexicon.table import read_table

ROOT = Path(__file__).resolve().parents[1]
COLUMN = "Freq"
TABLES = ("noun", "pluralia", "propn", "verb", "adj", "adv")
"""The tables of open classes."""

Zipf = Callable[[str], float]


def with_frequency(path: Path, zipf: Zipf) -> str:
    """Return the text of a table with the column ``Freq`` filled.

    Raises :class:`solecism.errors.InputError` where the table cannot be read.
    """
    rows = {row.line: row.shown for row in read_table(path).rows}
    lines = read_lines(path)
    header = next(n for n, text in enumerate(lines) if text.strip() and text[0] != "#")
    names = lines[header].split("\t")
    place = names.index(COLUMN) if COLUMN in names else len(names)
    values = {line - 1: f"{zipf(lemma):.2f}" for line, lemma in rows.items()} | {header: COLUMN}
    changed = [
        _put(text, place, values[n]) if n in values else text for n, text in enumerate(lines)
    ]
    return "\n".join(changed) + "\n"


def _put(line: str, place: int, value: str) -> str:
    cells = line.split("\t")
    return "\t".join([*cells[:place], value, *cells[place + 1 :]])


@click.command(help=__doc__)
@click.argument("language")
@click.argument("tables", nargs=-1)
@click.option("--lexicons", type=click.Path(path_type=Path), default=ROOT / "lexicons")
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if a value is off.")
def main(language: str, tables: tuple[str, ...], lexicons: Path, check: bool) -> None:
    try:
        from wordfreq import zipf_frequency
    except ImportError:
        raise click.UsageError("wordfreq is not installed: pip install wordfreq") from None
    off = False
    for name in tables or TABLES:
        path = lexicons / language / f"{name}.tsv"
        if not tables and not path.exists():
            continue
        try:
            text = with_frequency(path, lambda word: zipf_frequency(word, language))
        except InputError as error:
            click.echo(error, err=True)
            sys.exit(2)
        if text != path.read_text("utf-8"):
            off = True
            click.echo(f"{path}: {'column Freq is not up to date' if check else 'written'}")
            if not check:
                write_text(path, text)
    sys.exit(check and off)


if __name__ == "__main__":
    main()
