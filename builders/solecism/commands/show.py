"""Show items, with the words that matter in brackets.

NAME: clams/he/subj_rel, agreement/he, or FOLDER/CONFIG of a built data set.
"""

from __future__ import annotations

import json
import random
import unicodedata
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.table import Table
from rich.text import Text

from solecism.commands.completion import complete_paradigms
from solecism.commands.list import mined_size, mined_table, treebank_table
from solecism.commands.options import JSON, ROOT, console, print_lines
from solecism.contrast import differing_span
from solecism.datasets.catalogue import MINED, catalogue_entry
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import find_paradigm, paths_of_configs
from solecism.datasets.from_treebanks import agreement_configs
from solecism.datasets.manifest import MANIFEST, read_manifest
from solecism.errors import InputError, candidates, fail
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Paradigm
from solecism.grammar.suites import draw_suites
from solecism.inputs import reading_parquet
from solecism.root import Root
from solecism.schema import FEATURES
from solecism.treebank.origins import find_code, known_code

__all__ = ["command", "mark_difference", "paradigm_of"]

SEEN = 200_000
"""Minimal sets that are drawn whole to be looked at; of more, a tenth of this number is sampled."""

ENOUGH = 2_000
"""Cloze items, or forms, that are mined to be looked at: the first of the treebanks."""

_ISOLATE, _END_ISOLATE = "\u2067", "\u2069"


@click.command(help=__doc__)
@click.argument("name", shell_complete=complete_paradigms)
@click.option("-n", "number", type=click.IntRange(1), default=5, show_default=True)
@click.option("--seed", type=int, default=0, help="Another seed shows other items.")
@click.option(
    "--where", "wanted", multiple=True, metavar="FEATURE=VALUE", help="As match=mismatch."
)
@JSON
@ROOT
def command(
    name: str, number: int, seed: int, wanted: tuple[str, ...], as_json: bool, root: Root
) -> None:
    overview = [] if as_json else _overview(root, name)
    try:
        shown, table, space = _items(root, name)
    except InputError:
        _print_tables(overview)
        raise
    kind = _kind(table)
    if wanted and kind == "suite":
        raise fail(f"{shown} is a suite: its items have no features to choose by")
    table = _select(table, dict(text.partition("=")[::2] for text in wanted))
    rows = random.Random(seed).sample(range(len(table)), min(number, len(table)))
    items = table.take(pa.array(sorted(rows), pa.int64())).to_pylist()
    if as_json:
        print_lines(*(json.dumps(item, ensure_ascii=False) for item in items))
        return
    more = f" (a sample of up to {space})" if space else ""
    print_lines(f"{shown}: {len(table)} items{more}, {len(items)} shown")
    for count, item in enumerate(items, 1):
        console().print(_SHOWN[kind](count, item))
    _print_tables(overview)


def _print_tables(tables: Sequence[Table]) -> None:
    for table in tables:
        console().print(table)


def paradigm_of(root: Root, name: str) -> Paradigm:
    """Load the paradigm ``dataset/language/UID``; raises :class:`InputError`.

    Where each paradigm is a config, ``dataset/UID`` is enough.
    """
    parts = name.strip("/").split("/")
    if len(parts) == 2 and catalogue_entry(root, parts[0]).configs == "paradigms":
        known = paths_of_configs(root, catalogue_entry(root, parts[0]))
        (name,) = choose(parts[0], known, parts[1:])
        if len(known[name]) == 1:
            parts.insert(1, known[name][0].parent.name)
    if len(parts) != 3:
        others = "agreement/he, or FOLDER/CONFIG of a data set that was built"
        message = f"{name!r} is not of the form dataset/language/UID, as clams/he/subj_rel"
        raise fail(f"{message}; nor is it mined, as {others}")
    return find_paradigm(root, *parts)


def _sampled(paradigm: Paradigm) -> tuple[Paradigm, int]:
    """Sample from a space that is too large to be drawn whole just to look at it.

    Return the paradigm and, if it is sampled, how many minimal sets it makes at most.
    """
    wanted = paradigm.template.draw
    space = paradigm.plan.bound if wanted is None else wanted
    if space > SEEN:
        return replace(paradigm, template=replace(paradigm.template, draw=SEEN // 10)), space
    return paradigm, 0


def _items(root: Root, name: str) -> tuple[str, pa.Table, int]:
    """Return what items are called, and the items: drawn, read from a built folder, or mined;
    and, where they are a sample, how many there are at most."""
    folder, _, config = name.rstrip("/").rpartition("/")
    dataset = folder.partition("/")[0]
    drawn = dataset in root.datasets
    if not drawn or (folder == dataset and catalogue_entry(root, dataset).configs == "languages"):
        if (Path(folder) / MANIFEST).is_file() and folder:
            return f"{folder}/{config}", _built(Path(folder), config), 0
        if _is_mined(root, folder):
            return *_mined(folder, config), 0
    paradigm, space = _sampled(paradigm_of(root, name))
    if not paradigm.template.is_pair:
        return paradigm.name, pa.concat_tables(draw_suites(paradigm)), space
    extra = tuple(sorted(paradigm.template.features))
    return paradigm.name, pa.concat_tables(draw_pairs(paradigm, extra=extra)), space


def _built(folder: Path, config: str) -> pa.Table:
    tables = []
    for path in read_manifest(folder).paths(config):
        with reading_parquet(path):
            tables.append(pq.ParquetFile(path).read())
    return pa.concat_tables(tables)


def _mined(dataset: str, name: str) -> tuple[str, pa.Table]:
    """Mine enough items to choose from; raises :class:`InputError` where the treebanks are not
    there."""
    language, dash, kind = name.partition("-")
    code = find_code(language, f"data set {dataset!r} has no config {{}}")
    known = {config.name: config for config in agreement_configs(dataset, [code])}
    (chosen,) = choose(dataset, known, [f"{code}{dash}{kind}"])
    config = known[chosen]
    if config.kind == "pair":  # pairs are made of items
        for source in next(iter(known.values())).sources:
            deque(source.tables(), maxlen=0)
    tables: list[pa.Table] = []
    for table in (table for source in config.sources for table in source.tables()):
        tables.append(table)
        if sum(map(len, tables)) >= ENOUGH:
            break
    return f"{dataset}/{chosen}", pa.concat_tables(tables)


def _is_mined(root: Root, folder: str) -> bool:
    """Return whether a name is that of a data set to be mined, and not of a folder of its own."""
    if (
        not folder
        or folder.partition("/")[0] in root.datasets
        or (Path(folder) / MANIFEST).is_file()
    ):
        return False
    return catalogue_entry(root, folder).configs == MINED


def _overview(root: Root, name: str) -> list[Table]:
    """Return tables about a language of a mined data set: its treebanks, and which are here."""
    dataset, _, config = name.rstrip("/").rpartition("/")
    code = known_code(config) if _is_mined(root, dataset) else None
    size = mined_size(catalogue_entry(root, dataset), code) if code else None
    return [mined_table([size]), treebank_table(size)] if size else []


def _kind(table: pa.Table) -> str:
    """Return the kind of items, found by a column that only this kind has."""
    marks = {"conditions": "suite", "sentence_good": "pair", "masked": "cloze"}
    return next((kind for mark, kind in marks.items() if mark in table.column_names), "forms")


def _select(table: pa.Table, wanted: Mapping[str, str]) -> pa.Table:
    """Take the pairs whose features, or other items whose columns, have the values wanted."""
    pairs = _kind(table) == "pair"
    fields = table.schema.field("features").type if pairs else table.schema
    names = [field.name for field in fields if pairs or not pa.types.is_nested(field.type)]
    what, one = ("feature", "pair") if pairs else ("column", "item")
    for name, value in wanted.items():
        if name not in names:
            raise fail(f"there is no {what} {name!r} {candidates(f'{what}s', names, name)}")
        column = pc.struct_field(table["features"], name) if pairs else table[name]
        texts = pc.cast(column, pa.string())
        known = sorted(texts.unique().drop_null().to_pylist())
        if value not in known:
            raise fail(f"no {one} has {name} {value!r} {candidates('values', known, value)}")
        table = table.filter(pc.equal(texts, value))
    return table


def mark_difference(good: str, bad: str) -> tuple[str, str]:
    """Put brackets around the words in which two sentences differ."""
    space = " " if " " in good + bad else ""
    ours, theirs = (text.split(space) if space else list(text) for text in (good, bad))
    spans = differing_span(ours, theirs)
    return _bracketed(ours, spans[0], space), _bracketed(theirs, spans[1], space)


def _bracketed(words: Sequence[str], span: slice, space: str) -> str:
    middle = space.join(words[span])
    core = middle.rstrip(".,;:!?")
    parts = [*words[: span.start], f"[{core}]{middle[len(core) :]}", *words[span.stop :]]
    return space.join(parts)


def _readable(text: str) -> str:
    """Isolate right-to-left text, so that terminals put its stop and brackets in their places."""
    rtl = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    return f"{_ISOLATE}{text}{_END_ISOLATE}" if rtl else text


def _grid(count: int, rows: Sequence[tuple[str, Text]]) -> Table:
    grid = Table.grid(padding=(0, 1))
    for number, (label, text) in enumerate(rows):
        grid.add_row(f"{count:>3}" if number == 0 else "", label, text)
    return grid


def _pair(count: int, item: Mapping[str, Any]) -> Table:
    good, bad = mark_difference(item["sentence_good"], item["sentence_bad"])
    rows = [
        ("good", _coloured(f" {_readable(good)}", "green")),
        ("bad", _coloured(f"*{_readable(bad)}", "red")),
        ("", _dim(_features(item["features"]), item)),
    ]
    return _grid(count, rows)


def _coloured(text: str, colour: str) -> Text:
    """Return a sentence in a colour, the words in brackets in bold."""
    shown = Text(text, style=colour)
    shown.highlight_regex(r"\[[^\]]*\]", "bold")
    return shown


def _dim(about: str, item: Mapping[str, Any]) -> Text:
    """Return what is said of an item, and its id, as in results and for `explain`."""
    return Text(f"{about}; id {item['id']}", style="dim")


def _features(features: Mapping[str, Any]) -> str:
    roles = [_role(features, role) for role in ("controller", "attractor")]
    rest = [name for name in features if not name.startswith(("controller", "attractor"))]
    shown = [f"{n} {features[n]}" for n in rest if features[n] is not None and n != "construction"]
    return "; ".join([*filter(None, roles), *shown]) or "no features"


def _role(features: Mapping[str, Any], role: str) -> str:
    names = [name for name in FEATURES if name.startswith(role)]
    values = [str(features[name]) for name in names if features.get(name) is not None]
    return f"{role} {' '.join(values)}" if values else ""


def _suite(count: int, item: Mapping[str, Any]) -> Table:
    rows = [(c["name"], Text(_readable(c["text"]))) for c in item["conditions"]]
    predictions = "\n".join(item["predictions"])
    return _grid(count, [*rows, ("", _dim(predictions, item))])


def _cloze(count: int, item: Mapping[str, Any]) -> Table:
    ends = "; ".join(f"{end} {item[end]['form']}" for end in ("controller", "target"))
    about = f"{item['relation']}, masked: {item['masked']}; {ends}; {', '.join(item['agrees_in'])}"
    text = f"{item['left']}[{item['answer']}]{item['right']}"
    return _grid(count, [("", Text(_readable(text))), ("", _dim(about, item))])


def _form(count: int, item: Mapping[str, Any]) -> Table:
    about = ", ".join(f"{name} {value}" for name, value in item.items() if name != "form")
    form = str(item.get("form", ""))
    return _grid(count, [("", Text(_readable(form))), ("", Text(about, style="dim"))])


_SHOWN = {"pair": _pair, "suite": _suite, "cloze": _cloze, "forms": _form}
