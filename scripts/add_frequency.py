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

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from solecism.errors import InputError, fail
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


def _wordfreq(language: str) -> Zipf:
    try:
        package = importlib.import_module("wordfreq")
    except ImportError:
        raise fail("wordfreq is not installed: pip install wordfreq", "") from None
    return lambda word: float(package.zipf_frequency(word, language))


def _tables(folder: Path, names: Sequence[str]) -> list[Path]:
    if names:
        return [folder / f"{name}.tsv" for name in names]
    return [path for name in TABLES if (path := folder / f"{name}.tsv").exists()]


def _change(path: Path, zipf: Zipf, write: bool) -> bool:
    text = with_frequency(path, zipf)
    if text == path.read_text("utf-8"):
        return False
    print(f"{path}: {'written' if write else 'column Freq is not up to date'}")
    if write:
        write_text(path, text)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language", metavar="LANG")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"default: {', '.join(TABLES)}")
    parser.add_argument("--lexicons", type=Path, default=ROOT / "lexicons", metavar="DIR")
    parser.add_argument("--check", action="store_true", help="only tell whether values are off")
    options = parser.parse_args(arguments)
    try:
        zipf = _wordfreq(options.language)
        paths = _tables(options.lexicons / options.language, options.tables)
        changed = [_change(path, zipf, not options.check) for path in paths]
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return int(options.check and any(changed))


if __name__ == "__main__":
    sys.exit(main())
