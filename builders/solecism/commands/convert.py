"""Convert suites from and to SyntaxGym's JSON, Parquet and text; write the sentences of any config.

SOURCE: a config, .json of SyntaxGym, .parquet, cls_none_txt.txt; TARGET: what its ending says,
or a folder of SyntaxGym's JSON. The sentences of a config of any kind go to .txt or .jsonl.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq

from solecism.commands.options import echo, path_type
from solecism.errors import InputError, candidates, fail
from solecism.files import filling_folder, writing
from solecism.schema import SUITE
from solecism.scoring.items import open_items
from solecism.scoring.sentences import sentences_of, write_sentence_lines
from solecism.scoring.study import read_sentences, write_sentences
from solecism.scoring.syntaxgym import read_syntaxgym, refuse_unknown, write_syntaxgym

__all__ = ["command", "convert"]

Items = Sequence[dict[str, Any]]


def convert(source: str, target: Path) -> list[Path]:
    """Convert suites, or write the sentences of any config; return the files that were written.

    ``source``: a config of suites (``mandarin/classifier_none``, ``ORG/NAME/CONFIG``), SyntaxGym's
    ``.json``, ``.parquet``, or a text of the original study (``cls_none_txt.txt``). ``target``:
    ``.json``, ``.parquet``; a name without such an ending is a folder: SyntaxGym's JSON in it, a
    file a suite. Configs of any kind (``clams/he``) have sentences for ``.txt`` (a tokenised one a
    line) and ``.jsonl`` (:func:`solecism.scoring.sentences.write_sentence_lines`). Raises
    :class:`InputError`.
    """
    if target.suffix in (".txt", ".jsonl") and Path(source).suffix not in (".json", ".txt"):
        write_sentence_lines(sentences_of(open_items(source)), target)
        return [target]
    items = _read(source)
    if target.suffix in _WRITERS:
        _WRITERS[target.suffix](items.to_pylist(), target)
        return [target]
    if target.suffix:
        near = candidates("endings", list(_WRITERS), target.suffix)
        raise fail(f"cannot write {target.suffix!r} {near}", target)
    suites: dict[str, list[dict[str, Any]]] = {}
    for item in items.to_pylist():
        suites.setdefault(item["suite"], []).append(item)
    with filling_folder(target, _is_suite) as folder:
        for suite, some in suites.items():
            write_syntaxgym(some, folder / f"{suite}.json")
    return [target / f"{suite}.json" for suite in suites]


def _is_suite(path: Path) -> bool:
    """Return True if a file is SyntaxGym's JSON, which a conversion may have written."""
    try:
        read_syntaxgym(path)
    except InputError:
        return False
    return True


def _read(source: str) -> pa.Table:
    path = Path(source)
    readers = {".json": read_syntaxgym, ".txt": read_sentences}
    if path.suffix in readers:
        return readers[path.suffix](path)
    data = open_items(source)
    if data.kind != "suite":
        raise fail(f"{source!r} has no suites")
    items = pa.concat_tables(data.tables()).select(SUITE.names)
    refuse_unknown(items.to_pylist(), data.files[0])
    return items


def _write_parquet(items: Items, path: Path) -> None:
    table = pa.Table.from_pylist(list(items), schema=SUITE)
    with writing(path) as part:
        pq.write_table(table, part, compression="zstd")


_WRITERS: dict[str, Callable[[Items, Path], None]] = {
    ".json": write_syntaxgym,
    ".parquet": _write_parquet,
    ".txt": write_sentences,
}


@click.command(help=__doc__)
@click.argument("source")
@click.argument("target", type=path_type())
def command(source: str, target: Path) -> None:
    for path in convert(source, target):
        echo(f"wrote {path}")
