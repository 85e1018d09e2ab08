"""Write docs/languages.tsv: what was found in each language of builds of `agreement`.

Usage::

    python scripts/make_languages.py SAMPLES [MORE ...] [--whole BUILT] [--multiblimp README]
        > docs/languages.tsv

SAMPLES is the folder of `solecism build agreement` on a file of each language; further folders have
languages that were named, because a build without names leaves out all their treebanks. BUILT was
made of all files at hand, README is that of the tasks `multiblimp` of lm-eval, with numbers of
pairs by ISO 639-3.

A line has the language's codes, its name, its treebanks, the numbers of items, of certain pairs
made and kept, and of wide ones, the share of these that have a doubt; treebanks and pairs of BUILT
where it has other files and enough items; the pairs of MultiBLiMP; what agrees with what, or why
there is nothing.
"""

import csv
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import click

from solecism.datasets.from_treebanks import LEAST
from solecism.datasets.manifest import read_manifest
from solecism.language_tags import iso_of, language_name, tags_of

COLUMNS = (
    "code", "iso639_3", "tags", "language", "treebanks", "items", "made", "pairs", "wide",
    "doubtful", "all_treebanks", "all_items", "all_made", "all_pairs", "all_wide", "multiblimp",
    "agreement", "left_out",
)  # fmt: skip
_COUNTED = ("treebanks", "items", "made", "pairs", "wide")
_LISTED = re.compile(r"\| *(\w{3}) *\| *[^|]+\| *(\d+) *\|")

Row = dict[str, object]


def rows(manifest: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a line a language."""
    configs, left = manifest["configs"], manifest.get("left_out", {})
    built = {name for name, config in configs.items() if config["kind"] == "cloze"}
    alone = {name for name, reason in left.items() if reason and "-" not in name}
    for code in built | alone:
        config = configs.get(code)
        of = [configs.get(f"{code}-{part}", {"rows": 0}) for part in ("pairs", "pairs-wide")]
        pairs, wide = (found["rows"] for found in of)
        made = sum(p["made"][uid] for p in of[0].get("paradigms", {}).values() for uid in p["made"])
        parts = config["paradigms"] if config else {}
        told = next(iter(parts.values()))["agrees"] if parts else {}
        yield {
            "code": code, "iso639_3": iso_of(code), "tags": " ".join(tags_of([code])),
            "language": language_name(code), "treebanks": ", ".join(parts),
            "items": config["rows"] if config else 0, "made": made, "pairs": pairs, "wide": wide,
            "doubtful": f"{1 - pairs / wide:.2f}" if wide else "",
            "agreement": "; ".join(f"{kind}: {', '.join(own)}" for kind, own in told.items() if own),
            "left_out": left.get(code, ""),
        }  # fmt: skip


def files_of(manifest: Mapping[str, Any], code: str) -> set[str]:
    """Return the files of treebanks that a language was mined from."""
    parts = manifest["configs"].get(code, {}).get("paradigms", {}).values()
    return {file for part in parts for source in part["sources"] for file in source["files"]}


def write_rows(
    manifests: Iterable[Mapping[str, Any]], file: TextIO, whole: Mapping[str, Any] | None = None,
    multiblimp: str = "",
) -> None:  # fmt: skip
    """Write the table; a language counts in the last manifest that has it."""
    found, mined = dict[str, Row](), dict[str, set[str]]()
    for manifest in manifests:
        for row in rows(manifest):
            code = str(row["code"])
            found[code], mined[code] = row, files_of(manifest, code)
    for row in rows(whole) if whole else ():
        code = str(row["code"])
        large = int(str(row["items"])) >= LEAST
        if whole and large and code in found and files_of(whole, code) - mined[code]:
            found[code] |= {f"all_{name}": row[name] for name in _COUNTED}
    numbers = dict(_LISTED.findall(multiblimp))
    writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n", restval="")
    writer.writeheader()
    for code in sorted(found):
        writer.writerow({**found[code], "multiblimp": numbers.get(str(iso_of(code)), "")})


@click.command(help=__doc__)
@click.argument("built", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--whole", type=click.Path(exists=True, path_type=Path))
@click.option("--multiblimp", type=click.Path(exists=True, path_type=Path))
def main(built: tuple[Path, ...], whole: Path | None, multiblimp: Path | None) -> None:
    every = read_manifest(whole).raw if whole else None
    numbers = multiblimp.read_text("utf-8") if multiblimp else ""
    write_rows((read_manifest(folder).raw for folder in built), sys.stdout, every, numbers)


if __name__ == "__main__":
    main()
