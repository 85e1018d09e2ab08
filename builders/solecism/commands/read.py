"""Have sentences read blind: write a sheet without labels, or report what readers said.

NAMES: clams/he, blimp/en/transitive, a folder that was built, released BLiMP (.jsonl) or CLAMS
(.txt). `solecism read clams/he --sample 100 --out DIR` writes DIR/sheet.tsv, a key beside it and a
page for readers; `solecism read --answers DIR` reports their answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import click
from rich import box
from rich.table import Table

from solecism.check.audit import read_pairs
from solecism.commands.options import (
    JSON,
    NEW_FOLDER,
    ROOT,
    echo,
    path_type,
    print_json,
    print_lines,
)
from solecism.datasets.catalogue import catalogue_entry
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import find_paradigm, load_paradigms, paths_of_configs
from solecism.errors import fail
from solecism.grammar.pairs import draw_sentences
from solecism.judge.reading import (
    LABELS,
    SENSES,
    AnswerCount,
    Answers,
    ReadPair,
    agreement,
    read_answers,
    sample,
    tally_answers,
    write_sheet,
)
from solecism.root import Root
from solecism.scoring.summary import wilson

__all__ = ["command"]


@click.command(help=__doc__)
@click.argument("names", nargs=-1)
@click.option("--sample", "number", type=click.IntRange(1), default=100, show_default=True,
              help="Pairs of each set, spread evenly over its paradigms.")  # fmt: skip
@click.option("--with", "others", multiple=True, type=path_type(exists=True), metavar="PATH",
              help="Another set to mix in.")  # fmt: skip
@click.option("--out", type=NEW_FOLDER, help="Folder to write the sheet to.")
@click.option("--seed", type=int, default=0, help="Another seed takes other pairs.")
@click.option("--answers", type=path_type(exists=True, file_okay=False), metavar="DIR",
              help="Report the answers in a folder.")  # fmt: skip
@click.option("--by", "by_uid", type=click.Choice(["set", "UID"]), default="set",
              show_default=True, help="Report each set, or each paradigm.")  # fmt: skip
@JSON
@ROOT
def command(
    names: tuple[str, ...], number: int, others: tuple[Path, ...], out: Path | None, seed: int,
    answers: Path | None, by_uid: str, as_json: bool, root: Root,
) -> None:  # fmt: skip
    if answers:
        _report(answers, by_uid == "UID", as_json)
        return
    if not names or out is None:
        raise click.UsageError("name a set and a folder: solecism read clams/he --out DIR")
    sets = [_pairs(root, name) for name in (*names, *map(str, others))]
    chosen = [pair for pairs in sets for pair in sample(pairs, number, seed)]
    write_sheet(chosen, out, seed)
    echo(f"{len(chosen)} pairs of {len(sets)} sets: {out}/sheet.tsv (how to read: README.txt)")


def _pairs(root: Root, name: str) -> list[ReadPair]:
    """Return all pairs of a set; raises :class:`InputError` with the candidates."""
    if Path(name).exists():
        return [
            ReadPair(name, paradigm.uid, good, bad)
            for paradigm in read_pairs([Path(name)])
            for good, bad in zip(paradigm.good, paradigm.bad, strict=True)
        ]
    dataset, *rest = name.split("/")
    if len(rest) == 2:
        drawn = [find_paradigm(root, dataset, *rest)]
    else:
        known = paths_of_configs(root, catalogue_entry(root, dataset))
        configs = choose(dataset, known, rest)
        paths = dict.fromkeys(path for config in configs for path in known[config])
        drawn = list(load_paradigms(root, dataset, list(paths)).values())
    pairs = [
        ReadPair(name, paradigm.template.id, good, bad)
        for paradigm in drawn
        if paradigm.template.is_pair
        for texts in draw_sentences(paradigm)
        for good, bad in zip(*(text.to_pylist() for text in texts), strict=True)
    ]
    if not pairs:
        raise fail(f"{name!r} has no minimal pairs")
    return pairs


def _report(folder: Path, by_uid: bool, as_json: bool) -> None:
    key, answers = read_answers(folder)
    findings = tally_answers(key, answers, by_uid)
    between = list(_between(answers))
    if as_json:
        shown = [_json(finding) for finding in findings]
        print_json(
            {
                "findings": shown,
                "agreement": [dict(zip(_BETWEEN, row, strict=True)) for row in between],
            }
        )
        return
    print_lines(_table(findings))
    for reader, other, what, same, kappa in between:
        print_lines(f"{reader} and {other}, {what}: {same:.1%} the same, kappa {kappa:.2f}")


_BETWEEN = ("reader", "other", "answers", "same", "kappa")


def _between(answers: Sequence[Answers]) -> Iterator[tuple[str, str, str, float, float]]:
    for one, other in combinations(answers, 2):
        yield one.reader, other.reader, "labels", *agreement(one.labels, other.labels)
        yield one.reader, other.reader, "sense", *agreement(one.senses, other.senses)


def _json(finding: AnswerCount) -> dict[str, object]:
    sensible = wilson(finding.senses["sensible"], finding.items)
    return {
        "reader": finding.reader, "set": finding.set, "UID": finding.uid, "items": finding.items,
        **{label: finding.labels[label] for label in LABELS},
        **{sense: finding.senses[sense] for sense in SENSES},
        "sensible_low": sensible.low, "sensible_high": sensible.high,
    }  # fmt: skip


def _table(findings: Sequence[AnswerCount]) -> Table:
    """Return a table of counts; of the sensible ones the share, with its 95 % Wilson interval."""
    table = Table(box=box.SIMPLE_HEAD, width=80, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("set", overflow="fold", ratio=1)
    table.add_column("reader", overflow="fold")
    for head in (
        "items",
        "right",
        "wrong",
        "both\nfine",
        "nei-\nther",
        "sensible",
        "odd",
        "non-\nsense",
    ):
        table.add_column(head, justify="right")
    for one in findings:
        share = wilson(one.senses["sensible"], one.items)
        sensible = f"{100 * share.value:.0f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"
        labels = [str(one.labels[label]) for label in LABELS]
        senses = [sensible, str(one.senses["odd"]), str(one.senses["nonsense"])]
        table.add_row(one.uid or one.set, one.reader, str(one.items), *labels, *senses)
    return table
