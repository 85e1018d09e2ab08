"""Convert items: to tables, suites to SyntaxGym's JSON, to CLDF; grammars to templates.

SOURCE: a config, .json of SyntaxGym, .parquet, cls_none_txt.txt or a grammar (.avg); TARGET: what
its ending says, or a folder. Of any config, .csv and .tsv have all columns, and .txt and .jsonl the
sentences; with --to cldf or euroeval, TARGET is a folder. With --tasks, SOURCE is the
folder of a data set; "" names those that come with the package.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq

from solecism.analyses.wang_2021 import read_sentences, write_sentences
from solecism.commands.cli import echo, option, path_type, sides
from solecism.datasets.cldf import write_cldf
from solecism.datasets.euroeval import write_euroeval
from solecism.errors import InputError, candidates, fail
from solecism.files import csv_of, filling_folder, write_text, writing
from solecism.inputs import check_name
from solecism.language_tags import code_of
from solecism.root import find_root
from solecism.schema import SUITE
from solecism.scoring.items import open_items, open_pairs
from solecism.scoring.surprisals import sentences_of, write_sentence_lines
from solecism.scoring.syntaxgym import read_syntaxgym, refuse_unknown, write_syntaxgym

Items = Sequence[dict[str, object]]

_READERS = {".json": read_syntaxgym, ".txt": read_sentences}


def convert(source: str, target: Path, to: str | None = None, hub: str = "") -> list[Path]:
    """Convert items; return the files that were written.

    ``source``: a config (``clams/he``, ``mandarin/classifier_none``, ``ORG/NAME/CONFIG``),
    SyntaxGym's ``.json``, ``.parquet``, or a text of the original study (``cls_none_txt.txt``).
    ``target``: of configs of any kind ``.csv`` or ``.tsv`` with all columns, ``.txt`` (a tokenised
    sentence a line) or ``.jsonl`` (:func:`solecism.scoring.surprisals.write_sentence_lines`); of
    suites ``.json``, ``.parquet``, or a folder with a file of SyntaxGym's JSON for each suite;
    ``to="cldf"``: a folder with a data set of examples; ``to="euroeval"``: one with single
    sentences, which ``hub`` will have. Raises :class:`InputError`.
    """
    kind = target.suffix
    if to:
        return _write_folder(source, target, to, hub)
    if kind in (".csv", ".tsv"):
        write_text(target, csv_of(_records(source), delimiter="\t" if kind == ".tsv" else ","))
    elif kind in (".txt", ".jsonl") and Path(source).suffix not in (".json", ".txt"):
        write_sentence_lines(sentences_of(open_items(source)), target)
    elif kind in _WRITERS:
        _WRITERS[kind](_read(source).to_pylist(), target)
    elif kind:
        near = candidates("endings", [".csv", ".tsv", ".jsonl", *_WRITERS], kind)
        raise fail(f"cannot write {kind!r} {near}", target)
    else:
        suites: dict[str, list[dict[str, object]]] = {}
        for item in _read(source).to_pylist():
            suites.setdefault(item["suite"], []).append(item)
        with filling_folder(target, _is_suite) as folder:
            for suite, some in suites.items():
                write_syntaxgym(some, folder / f"{check_name(suite, 'suite', source)}.json")
        return [target / f"{suite}.json" for suite in suites]
    return [target]


def _write_folder(source: str, target: Path, to: str, hub: str) -> list[Path]:
    """Write items into a folder in the form that ``to`` names."""
    data = open_pairs(source) if to == "euroeval" else open_items(source)
    items = pa.concat_tables(data.tables())
    with filling_folder(target) as folder:
        title = f"{data.name}/{data.config} {data.version}".rstrip()
        if to == "cldf":
            write_cldf(items, find_root(), folder, title)
        else:
            for line in write_euroeval(items.to_pylist(), folder, data.name, hub or data.name):
                echo(f"right without grammar, {line}")
        return sorted(target / path.name for path in folder.iterdir())


def _records(source: str) -> Iterator[dict[str, object]]:
    """Yield items with all columns; lists become JSON."""
    data = None if Path(source).suffix in _READERS else open_items(source)
    for table in data.tables() if data else [_read(source)]:
        for row in table.flatten().to_pylist():  # the fields of a struct become columns
            lists = {n: value for n, value in row.items() if isinstance(value, list | dict)}
            texts = {n: json.dumps(some, ensure_ascii=False) for n, some in lists.items()}
            yield {**row, **texts}


def _is_suite(path: Path) -> bool:
    """Return True if a file is SyntaxGym's JSON, which a conversion may have written."""
    try:
        read_syntaxgym(path)
    except InputError:
        return False
    return True


def _read(source: str) -> pa.Table:
    path = Path(source)
    if path.suffix in _READERS:
        return _READERS[path.suffix](path)
    data = open_items(source)
    if data.kind != "suite":
        raise fail(f"{source!r} has no suites")
    items = pa.concat_tables(data.tables()).select(SUITE.names)
    refuse_unknown(items.to_pylist(), data.files[0])
    return items


def _write_parquet(items: Items, path: Path) -> None:
    with writing(path) as part:
        pq.write_table(pa.Table.from_pylist(list(items), SUITE), part, compression="zstd")


_WRITERS: dict[str, Callable[[Items, Path], None]] = {
    ".json": write_syntaxgym,
    ".parquet": _write_parquet,
    ".txt": write_sentences,
}


@click.command(help=__doc__)
@click.argument("source")
@click.argument("target", type=path_type())
@option("--language", help="Of a grammar: the language code of the new templates.")
@option("--dataset", help="Of a grammar: the data set that the templates go to.")
@option(
    "--to",
    type=click.Choice(["cldf", "euroeval"]),
    help="cldf: glossed examples; euroeval: single sentences, labelled.",
)
@option("--tasks", is_flag=True, help="Write lm-eval tasks of the data set into a folder.")
@option(
    "--hub",
    metavar="ORG",
    default="",
    help="The tasks load ORG's data from the hub; of euroeval, ORG/NAME.",
)
@sides
def command(
    source: str, target: Path, language: str | None, dataset: str | None, to: str | None, tasks: bool,
    hub: str,
) -> None:  # fmt: skip
    if tasks:
        from solecism.harness.task_files import write_tasks

        written = write_tasks(target, source, hub)
    elif Path(source).suffix == ".avg":
        from solecism.avg.importer import import_avg

        if not language or not dataset:
            raise click.UsageError("a grammar needs --language and --dataset")
        written = import_avg(Path(source), target, code_of(language) or language, dataset)
    else:
        written = convert(source, target, to, hub)
    for path in written:
        echo(f"wrote {path}")
