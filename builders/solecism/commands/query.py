"""Search treebanks with a request in Grew's language.

PATHS: CoNLL-U files or folders of them, then the REQUEST: a text or a file. docs/query.md has the
language; `solecism mine PATHS --query FILE` makes minimal pairs of what is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click
import numpy as np

from solecism.commands import cli
from solecism.errors import candidates, fail
from solecism.inputs import read_text
from solecism.query.graph import Graphs, Maps
from solecism.query.keys import EDGE_KEYS, read_key
from solecism.query.match import find_maps
from solecism.query.request import Request, read_request
from solecism.treebank.cloze import texts_of
from solecism.treebank.conllu import files_of, read_tokens

Row = dict[str, object]


@click.command(help=__doc__)
@click.argument("paths", nargs=-1, required=True, type=cli.path_type())
@click.argument("request", metavar="REQUEST")
@cli.option("--count", "only_count", is_flag=True, help="Print how many matches there are.")
@cli.option(
    "--show", "most", type=click.IntRange(0), default=10, help="How many to show (default: 10)."
)
@cli.option("--by", "keys", multiple=True, metavar="KEY",
            help="Count by S.Case, e.label, e.length, delta(X,Y) ...")  # fmt: skip
@cli.JSON
def command(
    paths: tuple[Path, ...], request: str, only_count: bool, most: int, keys: Sequence[str],
    as_json: bool,
) -> None:  # fmt: skip
    read, source = _request_of(request)
    asked = [read_key(key, read, source) for key in keys]
    counts, shown, found = Counter[tuple[str, ...]](), list[Row](), 0
    named = (part for key in keys for part in key.partition(".")[2].split("/"))
    wanted = read.asked | {(name, "") for name in named if name and name not in EDGE_KEYS}
    values: dict[str, set[str]] = {name: set() for name, _ in wanted}
    for graphs in _graphs_of(files_of(paths), values):
        for maps in find_maps(graphs, read):
            found += len(maps[""])
            counts.update(zip(*(key(graphs, maps) for key in asked), strict=True))
            if not (only_count or keys or len(shown) == most):
                shown += _shown(graphs, maps, most - len(shown))
    if as_json:
        by = [
            {**dict(zip(keys, key, strict=True)), "matches": n} for key, n in counts.most_common()
        ]
        cli.print_json({"matches": found, **({"by": by} if keys else {"shown": shown})})
    elif keys:
        rows = [(*key, f"{n:,}", f"{n / found:.1%}") for key, n in counts.most_common()]
        cli.print_lines(cli.plain_table(rows, list(keys), ["matches", "share"]))
    elif only_count:
        cli.echo(found)
    else:
        lines = [f"{one['sent_id'] or '-'}: {one['marked']}" for one in shown]
        cli.print_lines(*lines, f"{found:,} matches")
    for note in _notes(wanted, values):
        cli.echo(note, err=True)


def _notes(wanted: Iterable[tuple[str, str]], values: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield which features, or values of them, a request names that no word has."""
    for name, value in sorted(wanted):
        if not value and not values[name]:
            yield f"note: no word has the feature {name}"
        elif value and values[name] and value not in values[name]:
            listed = name not in ("form", "lemma")  # of these there are too many
            known = f" {candidates('values', sorted(values[name]), value)}" if listed else ""
            yield f"note: no word has {name}={value}{known}"


def _request_of(given: str) -> tuple[Request, str]:
    """Return the request that is given as a text, or in a file, and the file."""
    if "{" in given or not given.strip():
        return read_request(given, "REQUEST"), "REQUEST"
    if not Path(given).is_file():
        raise fail(f"{given!r} is neither a file nor a request, as pattern {{ X [upos=VERB] }}")
    return read_request(read_text(Path(given)), given), given


def _graphs_of(files: Sequence[Path], values: Mapping[str, set[str]]) -> Iterator[Graphs]:
    """Yield the graphs of files, and note the values that some features have there."""
    for tokens in (tokens for path in files for tokens in read_tokens(path)):
        if len(tokens):
            graphs = Graphs(tokens)
            for name, seen in values.items():
                column = graphs.labels if name == "label" else graphs.column(name)
                seen.update(filter(None, column.values))
            yield graphs


def _shown(graphs: Graphs, maps: Maps, most: int) -> Iterator[Row]:
    """Yield matches: their words in brackets, with their names."""
    tokens = graphs.tokens
    names = [name for name in maps if name]
    sentences = maps[""][:most]
    texts, starts = texts_of(tokens, np.isin(np.arange(len(tokens.sentences)), sentences))
    for number, sentence in enumerate(sentences.tolist()):
        text, nodes = texts.values[sentence], {name: int(maps[name][number]) for name in names}
        rows = {name: int(graphs.row[node]) for name, node in nodes.items()}
        marks: dict[int, list[str]] = {}
        for name, row in rows.items():
            if row >= 0:
                marks.setdefault(int(tokens.written[row]), []).append(name)
        for token in sorted(marks, reverse=True):
            at, form = int(starts[token]), tokens.surface.values[tokens.surface.codes[token]]
            text = f"{text[:at]}[{','.join(marks[token])}: {form}]{text[at + len(form) :]}"
        said = tokens.sentences.said[sentence]
        ids = {name: int(graphs.position[node]) for name, node in nodes.items()}
        yield {"sent_id": said.get("sent_id", ""), "marked": text, "nodes": ids}
