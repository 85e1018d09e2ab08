"""Write docs/languages.tsv: what was found in each language of a build of `agreement`.

Usage: python scripts/make_languages.py BUILT ... > docs/languages.tsv

BUILT is the folder of `solecism build agreement`; further folders, which count before it, have
languages that were named, because a build without names leaves out all their treebanks. A line has
the language's codes, its name, its treebanks, the numbers of items, of certain pairs and of wide
ones, the share of these that have a doubt, what agrees with what, or why there is nothing.
"""

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from solecism.datasets.manifest import read_manifest
from solecism.language_tags import iso_of, language_name, tags_of

COLUMNS = (
    "code", "iso639_3", "tags", "language", "treebanks", "items", "pairs", "wide", "doubtful",
    "agreement", "left_out",
)  # fmt: skip


def rows(manifest: Mapping[str, Any]) -> Iterator[Sequence[object]]:
    """Yield a line a language, in the order of the codes."""
    configs, left = manifest["configs"], manifest.get("left_out", {})
    built = {name for name, config in configs.items() if config["kind"] == "cloze"}
    alone = {name for name, reason in left.items() if reason and "-" not in name}
    for code in sorted(built | alone):
        config = configs.get(code)
        pairs, wide = (
            configs.get(f"{code}-{part}", {"rows": 0})["rows"] for part in ("pairs", "pairs-wide")
        )
        parts = config["paradigms"] if config else {}
        told = next(iter(parts.values()))["agrees"] if parts else {}
        agrees = "; ".join(f"{kind}: {', '.join(rules)}" for kind, rules in told.items() if rules)
        yield (
            code, iso_of(code), " ".join(tags_of([code])), language_name(code), ", ".join(parts),
            config["rows"] if config else 0, pairs, wide, f"{1 - pairs / wide:.2f}" if wide else "",
            agrees, left.get(code, ""),
        )  # fmt: skip


def write_rows(manifests: Iterable[Mapping[str, Any]], file: TextIO) -> None:
    """Write the table; a language counts in the last manifest that has it."""
    writer = csv.writer(file, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    found = {str(row[0]): row for manifest in manifests for row in rows(manifest)}
    writer.writerows(found[code] for code in sorted(found))


if __name__ == "__main__":
    write_rows((read_manifest(Path(folder)).raw for folder in sys.argv[1:]), sys.stdout)
