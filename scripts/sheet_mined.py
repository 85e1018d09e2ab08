"""Write sheets to read mined items and pairs, with their trees.

Usage: python scripts/sheet_mined.py BUILT TREEBANKS OUT CODE ... [--number 20] [--seed NAME]

BUILT is the folder of `solecism build agreement`, TREEBANKS the mirror that it was built from. For
each language OUT/CODE.tsv has items and pairs, spread over relations, and OUT/CODE.trees.txt the
dependency tree of each (ID, form, lemma, UPOS, FEATS, head, relation). OUT/README.txt says how to
read them.
"""

import csv
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click
import pyarrow.parquet as pq

Row = Mapping[str, Any]
COLUMNS = ("n", "kind", "relation", "sentence", "changed", "feature", "value", "controller", "target",
           "verdict", "comment")  # fmt: skip
HOW = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")


@cache
def sentences(folder: Path) -> Mapping[str, str]:
    """Return the sentences of a treebank by their sent_id, as lines of a tree."""
    found = {}
    for path in sorted(folder.glob("*.conllu")):
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            lines = block.splitlines()
            name = next(
                (t.partition("=")[2].strip() for t in lines if t.startswith("# sent_id")), ""
            )
            rows = [t.split("\t") for t in lines if t[:1].isdigit()]
            found[name] = "\n".join("\t".join((*row[:4], *row[5:8])) for row in rows)
    return found


def spread(rows: Sequence[Row], key: Callable[[Row], object], number: int) -> list[Row]:
    """Return some rows, each kind in turn."""
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    turns = zip_longest(*groups.values())
    return [row for turn in turns for row in turn if row is not None][:number]


def read(folder: Path, seed: str) -> list[Row]:
    """Return the rows of a config in an order that the seed names; there may be none."""
    files = sorted(folder.glob("*.parquet"))
    rows: list[Row] = pq.read_table(files[0]).to_pylist() if files else []
    random.Random(folder.name + seed).shuffle(rows)
    return rows


def item(row: Row) -> tuple[object, ...]:
    """Return the cells of an item."""
    masked = f"{row['left'] or ''}[[{row['answer']}]]{row['right'] or ''}"
    ends = (f"{end['form']} ({end['feats']})" for end in (row["controller"], row["target"]))
    layer = f" [{row['layer']}]" if row["layer"] else ""
    return (f"item, {row['masked']}", row["relation"] + layer, masked, row["answer"],
            ",".join(row["agrees_in"]), ",".join(row["decides"]), *ends)  # fmt: skip


def pair(row: Row) -> tuple[object, ...]:
    """Return the cells of a pair."""
    slots, told = {slot["name"]: slot for slot in row["slots"]}, row["features"]
    start, end = slots["target"]["bad_start"], slots["target"]["bad_end"]
    bad = row["sentence_bad"]
    changed = f"{bad[:start]}[[{bad[start:end]}]]{bad[end:]}"
    ends = (
        slots.get(name) or {"form": told[name], "feats": ""} for name in ("controller", "target")
    )
    return ("pair", row["UID"], row["sentence_good"], changed, told["flipped"],
            f"{told['good_value']}>{told['bad_value']}",
            *(f"{end['form']} ({end['feats']})" for end in ends))  # fmt: skip


def lines(
    built: Path, code: str, number: int, seed: str
) -> Iterator[tuple[tuple[object, ...], Row]]:
    """Yield the cells of a sheet, and the row that has the treebank and the sent_id."""
    items = spread(read(built / code, seed), lambda r: (r["relation"], r["masked"]), number)
    pairs = spread(read(built / f"{code}-pairs", seed), lambda r: r["UID"], number)
    yield from (((f"i{n}", *item(row)), row) for n, row in enumerate(items, 1))
    yield from (((f"p{n}", *pair(row)), row["features"]) for n, row in enumerate(pairs, 1))


@click.command(help=__doc__)
@click.argument("built", type=click.Path(exists=True, path_type=Path))
@click.argument("treebanks", type=click.Path(exists=True, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("codes", nargs=-1, required=True)
@click.option("--number", default=20, show_default=True, help="Items, and pairs, a language.")
@click.option("--seed", default="", help="Names another sample, for a further reading.")
def main(
    built: Path, treebanks: Path, out: Path, codes: tuple[str, ...], number: int, seed: str
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "README.txt").write_text(HOW, encoding="utf-8")
    for code in codes:
        sheet, trees = out / f"{code}.tsv", out / f"{code}.trees.txt"
        with sheet.open("w", encoding="utf-8", newline="") as file, trees.open("w") as beside:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(COLUMNS)
            for cells, row in lines(built, code, number, seed):
                writer.writerow([*cells, "", ""])
                tree = sentences(treebanks / row["treebank"]).get(row["sent_id"], "")
                beside.write(f"{cells[0]} {row['sent_id']}\n{tree}\n\n")
        click.echo(f"{code}: {sheet}")


if __name__ == "__main__":
    main()
