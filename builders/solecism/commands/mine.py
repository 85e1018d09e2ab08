"""Mine agreement items from treebanks, or from raw text.

PATHS: CoNLL-U files or folders of them; texts with --spacy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import pyarrow as pa
from rich.console import Console
from rich.progress import TaskProgressColumn, TimeRemainingColumn, track
from rich.table import Table

from solecism.commands.options import JSON, NEW_FILE, console, path_type
from solecism.errors import fail
from solecism.terminal import progress, terminal
from solecism.treebank.cloze import MASKS
from solecism.treebank.conllu import files_of
from solecism.treebank.forms import Inventory, count_treebank
from solecism.treebank.languages import find_language
from solecism.treebank.mining import Tally, mine_file, unique, write_items
from solecism.treebank.relations.pairs import RELATIONS
from solecism.treebank.relations.presets import Settings

__all__ = ["Request", "command", "mine_and_report"]

_CODE = re.compile("[a-z]{2,3}")


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    paths: tuple[Path, ...]
    language: str | None = None
    preset: str = "strict"
    mask: str = "controller"
    relations: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    inventory: bool = True
    licence: str = ""
    lenient: bool = False
    spacy: str | None = None
    out: Path | None = None


def mine_and_report(request: Request, as_json: bool, console: Console) -> None:
    """Mine, write the items where ``out`` says so, and print the counts."""
    if request.spacy is None:
        _mine(request, files_of(request.paths), as_json, console)
        return
    with TemporaryDirectory() as folder:
        files, language = _parse(request.paths, request.spacy, Path(folder))
        request = replace(request, language=request.language or language)
        _mine(request, files, as_json, console)


def _parse(paths: Sequence[Path], pipeline: str, folder: Path) -> tuple[list[Path], str]:
    """Parse texts into files in a folder, with progress on a terminal; tell the pipeline's language."""
    from solecism.treebank.spacy import load_pipeline, parse_file, texts_of

    texts, parser = texts_of(paths), load_pipeline(pipeline)
    files = [folder / f"{n:05d}" / f"{text.stem}.conllu" for n, text in enumerate(texts)]
    console = terminal(stderr=True)
    for text, file in track(
        list(zip(texts, files, strict=True)),
        "parsing",
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ):
        parse_file(text, parser, file)
    return files, parser.lang or ""


def _mine(request: Request, files: Sequence[Path], as_json: bool, console: Console) -> None:
    language = find_language(request.language or _language_of(files), request.relations)
    masks = MASKS if request.mask == "both" else (request.mask,)
    without = frozenset(request.without)
    settings = Settings(language, request.preset, masks, without)
    if request.preset == "strict" and request.inventory:
        found = _inventory(files, request.lenient)
        settings = Settings(language, request.preset, masks, without, found)
    tally = Tally()
    tables = unique(_mined(files, settings, tally, request), tally)
    if request.out is None:
        for _ in tables:
            pass
    else:
        write_items(tables, request.out)
    if as_json:
        console.print(
            json.dumps(_counts(tally, settings)), soft_wrap=True, markup=False, highlight=False
        )
    else:
        _print(tally, settings, console)


def _language_of(files: Sequence[Path]) -> str:
    """The language that the names of the files begin with, as UD names them (``el_gdt-ud-dev.conllu``)."""
    codes = {file.name.partition("_")[0] for file in files}
    if len(codes) == 1 and _CODE.fullmatch(code := codes.pop()):
        return code
    told = ", ".join(sorted({*codes, *(file.name for file in files)})[:5])
    raise fail(
        f"the names of the files do not begin with one language code ({told}): give --language"
    )


def _inventory(files: Sequence[Path], lenient: bool) -> Inventory:
    return count_treebank(files, (lambda number: None) if lenient else None)


def _mined(
    files: Sequence[Path], settings: Settings, tally: Tally, request: Request
) -> Iterator[pa.Table]:
    """Mine file by file, with progress on a terminal."""
    total = sum(file.stat().st_size for file in files)
    with progress(TaskProgressColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task("mining", total=total)
        for file in files:
            bar.update(task, description=file.name)
            for table in mine_file(file, settings, tally, request.licence, request.lenient):
                bar.update(task, completed=tally.bytes)
                yield table


def _counts(tally: Tally, settings: Settings) -> dict[str, Any]:
    """The counts as JSON: ``items`` is the total of the relations."""
    return {
        "language": settings.language.code,
        "preset": settings.preset,
        "items": tally.items,
        **{name: tally.relations[name] for name in RELATIONS},
        "masked": {name: tally.masked[name] for name in settings.masks},
        "sentences": tally.sentences,
        "words": tally.words,
        "duplicates": tally.duplicates,
        "skipped_sentences": tally.skipped,
        "dropped": {name: count for name, count in tally.dropped.items() if count},
    }


def _print(tally: Tally, settings: Settings, console: Console) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name in RELATIONS:
        table.add_row(name, f"{tally.relations[name]:,}")
    table.add_row("items", f"{tally.items:,}")
    rows = [
        ("sentences", tally.sentences),
        ("words", tally.words),
        ("duplicates", tally.duplicates),
    ]
    rows += [("sentences skipped", tally.skipped)] if tally.skipped else []
    rows += [(f"dropped: {name}", count) for name, count in tally.dropped.items() if count]
    for name, count in rows:
        table.add_row(name, f"{count:,}", style="dim")
    console.print(table)


@click.command(help=__doc__)
@click.argument("paths", nargs=-1, required=True, type=path_type())
@click.option("--language", help="Language code, as el (default: told by the files' names).")
@click.option(
    "--preset", default="strict", show_default=True, help="strict, paper or paper-program."
)
@click.option(
    "--mask",
    type=click.Choice(["controller", "target", "both"]),
    default="controller",
    show_default=True,
    help="Which end of a pair is masked.",
)
@click.option("--relation", "relations", multiple=True, help="In place of the language's own.")
@click.option("--without", multiple=True, metavar="FILTER", help="Switch a filter of strict off.")
@click.option(
    "--inventory/--no-inventory",
    default=True,
    help="strict: take what is overt from the forms in the files (default), or from annotation.",
)
@click.option("--licence", default="", help="Licence of the treebank, for the items.")
@click.option("--lenient", is_flag=True, help="Skip sentences with faults, and count them.")
@click.option(
    "--spacy", metavar="PIPELINE", help="PATHS are raw text: parse it with this spaCy pipeline."
)
@click.option(
    "--out",
    type=NEW_FILE,
    help="Items: a .parquet or .jsonl file.",
)
@JSON
def command(as_json: bool, **request: Any) -> None:
    mine_and_report(Request(**request), as_json, console())
