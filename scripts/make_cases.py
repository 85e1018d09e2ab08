"""Write docs/cases.tsv: how many pairs a build of `cases` has of each request and language.

Usage::

    python scripts/make_cases.py BUILT > docs/cases.tsv

BUILT is the folder of `solecism build cases`. A line has the language's code and name, the request,
its phenomenon, the numbers of certain and of doubtful pairs, and the treebanks that they are from.
"""

import csv
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow.parquet as pq

from solecism.language_tags import language_name

HEADS = ("code", "language", "request", "phenomenon", "pairs", "doubtful", "treebanks")


def main() -> None:
    """Read the wide pairs of all languages, and write the lines."""
    counts: dict[tuple[str, str, str], Counter[bool]] = defaultdict(Counter)
    sources: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for path in sorted(Path(sys.argv[1]).glob("*-pairs-wide/*.parquet")):
        code = path.parent.name.removesuffix("-pairs-wide")
        for row in pq.read_table(path).to_pylist():
            key = code, row["features"]["relation"], row["linguistics_term"]
            counts[key][bool(row["features"]["doubt"])] += 1
            sources[key].add(row["features"]["treebank"])
    writer = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    writer.writerow(HEADS)
    for (code, request, term), own in sorted(counts.items()):
        names = " ".join(sorted(sources[code, request, term]))
        row = (code, language_name(code), request, term, own[False], own[True], names)
        writer.writerow(row)


if __name__ == "__main__":
    main()
