"""Mine agreement items from treebanks, or from raw text.

PATHS: CoNLL-U files or folders of them; texts with --spacy. `mine PATHS --profile` shows what
agrees in their language; `mine agreement he --fetch` downloads the treebanks of a data set.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.progress import DownloadColumn, TaskProgressColumn, TimeRemainingColumn
from rich.table import Column, Table

from solecism.commands import cli
from solecism.datasets.catalogue import MINED, catalogue_entry
from solecism.errors import fail
from solecism.files import write_text
from solecism.language_tags import code_of
from solecism.root import Root
from solecism.terminal import progress_bar
from solecism.treebank.languages import languages
from solecism.treebank.mining import Mined, mine, survey
from solecism.treebank.relations import PAPER_RELATIONS, RELATIONS
from solecism.works.catalogue import catalogue_release, find_code, origin_languages
from solecism.works.sources import LocalSource, fetch, found_languages, mirrors


@click.command(help=__doc__)
@click.argument("paths", nargs=-1, required=True, type=cli.path_type())
@cli.option("--language", help="Code or name, as el or Greek (default: as the files' names begin).")
@cli.option("--preset", default="strict", help="strict, paper or paper-program.")
@cli.option("--mask", type=click.Choice(["controller", "target", "both"]), help="Which end of a pair"
              " is masked (default: both; with a preset of the paper, controller).")  # fmt: skip
@cli.option("--without", multiple=True, metavar="FILTER", help="Switch off: of strict, or analogy.")
@cli.option("--licence", default="", help="Licence of the treebank, for the items.")
@cli.option("--spacy", metavar="PIPELINE",
              help="PATHS are raw text: parse it with this spaCy pipeline.")  # fmt: skip
@cli.option("--stanza", type=cli.FILE,
              help="What agrees: a stanza that `mine --profile --out` wrote.")  # fmt: skip
@cli.option("--out", type=cli.NEW_FILE, help="Items: a .parquet or .jsonl file.")
@cli.option("--pairs", type=cli.NEW_FILE, help="Minimal pairs of the items: a .parquet file.")
@cli.option("--query", "tests", type=cli.FILE,
              help="Mine what the tests of a file ask for (docs/query.md).")  # fmt: skip
@cli.option("--items", type=cli.NEW_FILE, help="With --query: another name of --out.")
@cli.option("--profile", is_flag=True, help="Show what agrees; --out: write it as a stanza.")
@cli.option("--fetch", "fetched", is_flag=True,
              help="PATHS are a data set and languages (default: all).")  # fmt: skip
@cli.COMMERCIAL
@cli.JSON
@cli.ROOT
def command(
    paths: tuple[Path, ...], tests: Path | None, items: Path | None, profile: bool, fetched: bool,
    commercial: bool, as_json: bool, root: Root, **options: Any,
) -> None:  # fmt: skip
    if fetched:
        dataset, *codes = map(str, paths)
        _fetch_treebanks(dataset, codes, commercial, as_json, root)
        return
    language = options["language"] or ""
    if language not in languages():
        options["language"] = code_of(language) or options["language"]
    if tests:
        _mine_queries(paths, tests, items, as_json, **options)
        return
    if profile:
        _show_profile(paths, options["language"], options["out"], as_json)
        return
    with progress_bar(TaskProgressColumn(), TimeRemainingColumn()) as show:
        mined = mine(paths, keep=False, progress=show, **options)
    if as_json:
        cli.print_json(mined.facts())
    else:
        written = filter(None, (options["out"], options["pairs"]))
        cli.print_lines(_table(mined), *(f"wrote {path}: show or score it" for path in written))


def _mine_queries(
    paths: Sequence[Path], tests: Path, items: Path | None, as_json: bool, language: str | None,
    licence: str, out: Path | None, pairs: Path | None, **_: object,
) -> None:  # fmt: skip
    """Mine what tests ask for, and say what was found, and what was left out with an example."""
    from solecism.query.run import mine_queries
    from solecism.query.tests import read_tests

    out = items or out
    mined = mine_queries(paths, read_tests(tests), language or None, licence, out, pairs)
    if as_json:
        cli.print_json(mined.facts())
        return
    forms = mined.forms
    counted = (forms.matches, mined.items, mined.certain, mined.doubtful)
    rows = [(test.id, *(counts[test.id] for counts in counted)) for test in forms.tests]
    found = cli.plain_table(rows, ["test"], ["found", "items", "pairs", "doubtful"])
    why = [(reason, count) for reason, count in forms.skipped.most_common()]
    examples = [
        f"{'doubt' if reason in forms.marks else 'no pair'}, {reason}: {sentence}"
        for reason, sentence in sorted(forms.examples.items())
    ]
    written = [f"wrote {path}" for path in (out, pairs) if path]
    lost = [cli.plain_table(why, ["no pair, as"], ["words"])] if why else []
    cli.print_lines(found, *lost, *examples, *written)


def _table(mined: Mined) -> Table:
    counts = mined.counts
    found = {name: counts.relations[name] for name in RELATIONS}
    rows: dict[str, int | str | None] = {
        **{name: count for name, count in found.items() if count or name in PAPER_RELATIONS},
        "items": counts.items,
        "minimal pairs": counts.pairs,
        "no items": mined.reason or None,
        "sentences": counts.sentences,
        "words": counts.words,
        "sentences with other words in # text": counts.misfits or None,
        "duplicates": counts.duplicates,
        "left out, one of a sentence and relation is enough": counts.repeated or None,
        "left out, their document has its tenth already": counts.crowded or None,
        **{f"dropped: {name}": count for name, count in counts.dropped.items() if count},
        "what was dropped": "docs/mining.md, Filters of strict" if counts.dropped.total() else None,
    }
    table = Table("", Column(justify="right"), box=None, pad_edge=False, show_header=False)
    for name, value in rows.items():
        if value is not None:
            table.add_row(name, f"{value:,}" if isinstance(value, int) else value)
    return table


def _fetch_treebanks(
    dataset: str, languages: Sequence[str], commercial: bool, as_json: bool, root: Root
) -> None:
    """Download the treebanks of some or all languages of a mined data set, and list them."""
    if catalogue_entry(root, dataset).configs != MINED:
        raise fail(f"data set {dataset!r} is made from templates: there is nothing to fetch")
    every = found_languages if mirrors() else origin_languages
    codes = dict.fromkeys([find_code(name) for name in languages] or every(commercial))
    with progress_bar(DownloadColumn(), first="connecting") as show:
        fetched = [one for code in codes for one in fetch(code, show, commercial=commercial)]
    if as_json:
        cli.print_json([{**one.facts(), "paths": list(map(str, one.files))} for one in fetched])
        return
    rows, notes = [], list[str]()
    for one in fetched:
        name = one.origin.name
        size = sum(path.stat().st_size for path in one.files) / 1e6
        state = "none" if one.lost else "differ" if one.departures else "right"
        numbers = (len(one.files), len(one.missing), f"{size:,.1f}")
        rows.append((name, one.origin.licence, *numbers, state))
        notes += (f"{name}: {note}" for note in _notes(one))
    table = cli.plain_table(rows, ["source", "licence"], ["files", "missing", "MB"], ["hashes"])
    left = [] if languages else cli.left_out(every(), codes)
    cli.print_lines(f"treebanks as in UD {catalogue_release()}", table, *notes, *left)


def _notes(one: LocalSource) -> Iterator[str]:
    """Yield what differs from what the project pins, and what may not be done with it."""
    if one.departures:
        yield f"does not match the pinned checksum: {', '.join(one.departures)}"
    if one.lost:
        yield f"could not be downloaded, building without it: {one.lost}"
    if not one.origin.redistributable:
        yield "derived data may not be redistributed"


_SHOWN = 10
"""Lines with fewer pairs are left out; ``--json`` has all."""


def _show_profile(
    paths: tuple[Path, ...], code: str | None, out: Path | None, as_json: bool
) -> None:
    """Show the evidence, and a stanza to edit; with ``out`` write the stanza alone."""
    with progress_bar(TaskProgressColumn()) as show:
        profile = survey(paths, language=code, progress=show)
    language = profile.language
    if as_json:
        cli.print_json({
            "language": language.code, "sentences": profile.sentences, "agrees": language.rule_texts(),
            "verbforms": list(language.verbforms), "cases": list(language.cases),
            "third": language.third, "reason": profile.reason, **profile.flaws, "bare": list(profile.bare),
            "rows": [{**asdict(row), "agrees": not row.reason} for row in profile.rows],
        })  # fmt: skip
        return
    if out is not None:
        write_text(out, profile.stanza())
        cli.echo(f"wrote {out}")
        return
    rows = []
    for row in (row for row in profile.rows if row.both >= _SHOWN):
        kind, side = row.kind.replace("_", " "), f"{row.side} {row.of}"
        share = f"{row.agree / row.both:.1%}"
        feature = f"{row.feature} {row.value}"
        rows.append((kind, feature, side, row.both, share, row.reason or "yes"))
    heads = ["target", "feature", "controller"], ["pairs", "agree"], ["agreement"]
    bare = [f"{name}: most nouns have no features" for name in profile.bare]
    told = [*bare, "", profile.reason or profile.stanza()]
    cli.print_lines(cli.plain_table(rows, *heads), *told)
