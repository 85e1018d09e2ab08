"""Show items, with the words that matter in brackets.

NAME: clams/he/subj_rel, agreement/he, or FOLDER/CONFIG of a built data set.
"""

import json
import random
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.compute as pc
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from solecism.commands.cli import JSON, ROOT, console, option, print_lines
from solecism.commands.completion import complete_paradigms
from solecism.commands.list import mined_size, mined_tables
from solecism.contrast import differing_span
from solecism.datasets.catalogue import catalogue_entry, mined_names
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import find_paradigm, templates_of_configs
from solecism.datasets.from_treebanks import agreement_configs
from solecism.datasets.glosses import find_glosses, glossed_sentences
from solecism.datasets.manifest import MANIFEST, read_manifest
from solecism.errors import fail, unknown_error
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Paradigm
from solecism.grammar.suites import draw_suites
from solecism.inputs import read_parquet
from solecism.lexicon.features import Feats
from solecism.lexicon.glosses import gloss_of_features
from solecism.root import Root
from solecism.schema import FEATURES, GLOSSES, ItemRow, kind_of_items
from solecism.terminal import isolated
from solecism.treebank.catalogue import find_code, known_code

SEEN = 200_000
"""A paradigm with more minimal sets than this is not drawn whole: a tenth of this is sampled."""

ENOUGH = 2_000
"""The number of cloze items or forms that are mined to choose from: the first ones."""


@click.command(help=__doc__)
@click.argument("name", shell_complete=complete_paradigms)
@option("-n", "number", type=click.IntRange(1), default=5)
@option("--seed", type=int, default=0, help="Another seed shows other items.")
@option("--where", "wanted", multiple=True, metavar="FEATURE=VALUE", help="As match=mismatch.")
@option("--gloss", is_flag=True, help="Gloss each word by the Leipzig rules.")
@JSON
@ROOT
def command(
    name: str, number: int, seed: int, wanted: tuple[str, ...], gloss: bool, as_json: bool,
    root: Root,
) -> None:  # fmt: skip
    shown, table, space = _items(root, name, gloss)
    kind = kind_of_items(table.column_names) or "forms"
    if wanted and kind == "suite":
        raise fail(f"{shown} is a suite: its items have no features to choose by")
    table = _select(table, kind, dict(text.partition("=")[::2] for text in wanted))
    rows = random.Random(seed).sample(range(len(table)), min(number, len(table)))
    taken = table.take(pa.array(sorted(rows), pa.int64()))
    items = taken.to_pylist()
    if gloss and GLOSSES not in taken.column_names:
        found = find_glosses(root, items)
        items = [{**item, GLOSSES: found.get(item.get("id"))} for item in items]
    if as_json:
        print_lines(*(json.dumps(item, ensure_ascii=False) for item in items))
        return
    more = f" (a sample of up to {space})" if space else ""
    print_lines(f"{shown}: {len(table)} items{more}, {len(items)} shown")
    for count, item in enumerate(items, 1):
        console().print(item_grid(kind, count, item, console().width))
    dataset, _, config = name.rstrip("/").rpartition("/")
    if _is_mined(root, dataset) and (code := known_code(config)):
        for overview in mined_tables([mined_size(catalogue_entry(root, dataset), code)]):
            console().print(overview)


def _is_mined(root: Root, folder: str) -> bool:
    """Return whether a name is that of a mined data set, and not of a built folder."""
    is_ours = folder.partition("/")[0] in root.datasets or (Path(folder) / MANIFEST).is_file()
    return not is_ours and folder in mined_names()


def _items(root: Root, name: str, gloss: bool) -> tuple[str, pa.Table, int]:
    """Return the name of a paradigm or config, its items, and a number.

    Items are drawn (if ``gloss``, with glosses), read from a built folder, or mined. The number is
    0 if these are all items. If they are a sample, it says how many items there are at most.
    """
    folder, _, config = name.rstrip("/").rpartition("/")
    dataset = folder.partition("/")[0]
    is_paradigm = dataset in root.datasets and (
        folder != dataset or catalogue_entry(root, dataset).configs != "languages"
    )
    if folder and not is_paradigm and (Path(folder) / MANIFEST).is_file():
        tables = map(read_parquet, read_manifest(Path(folder)).paths(config))
        return f"{folder}/{config}", pa.concat_tables(tables), 0
    if not is_paradigm and _is_mined(root, folder):
        return *_mined(folder, config), 0
    paradigm, space = _paradigm(root, name), 0
    wanted = paradigm.template.draw or paradigm.plan.bound
    if wanted > SEEN:
        sampled = replace(paradigm.template, draw=SEEN // 10)
        paradigm, space = replace(paradigm, template=sampled), wanted
    extra = tuple(sorted(paradigm.template.features))
    if paradigm.template.is_pair:
        drawn = draw_pairs(paradigm, extra=extra, glosses=gloss)
    else:
        drawn = draw_suites(paradigm, glosses=gloss)
    return paradigm.template.name, pa.concat_tables(drawn), space


def _paradigm(root: Root, name: str) -> Paradigm:
    """Load the paradigm ``dataset/language/UID``; if each is a config, ``dataset/UID`` is enough.

    Raises :class:`InputError`.
    """
    parts = name.strip("/").split("/")
    if len(parts) == 2 and catalogue_entry(root, parts[0]).configs == "paradigms":
        known = templates_of_configs(root, catalogue_entry(root, parts[0]))
        (name,) = choose(parts[0], known, parts[1:])
        if len(known[name]) == 1:
            parts.insert(1, known[name][0].folder.name)
    if len(parts) != 3:
        others = "agreement/he, or FOLDER/CONFIG of a data set that was built"
        message = f"{name!r} is not of the form dataset/language/UID, as clams/he/subj_rel"
        raise fail(f"{message}; nor is it mined, as {others}")
    return find_paradigm(root, *parts)


def _mined(dataset: str, name: str) -> tuple[str, pa.Table]:
    """Mine enough items to choose from; raises :class:`InputError` without their treebanks."""
    language, dash, kind = name.partition("-")
    code = find_code(language, f"data set {dataset!r} has no config {{}}")
    known = {config.name: config for config in agreement_configs(dataset, [code])}
    (chosen,) = choose(dataset, known, [f"{code}{dash}{kind}"])
    if known[chosen].kind == "pair":  # pairs are made of items
        for source in next(iter(known.values())).sources:
            deque(source.tables(), maxlen=0)
    tables: list[pa.Table] = []
    for table in chain.from_iterable(source.tables() for source in known[chosen].sources):
        tables.append(table)
        if sum(map(len, tables)) >= ENOUGH:
            break
    return f"{dataset}/{chosen}", pa.concat_tables(tables)


def _select(table: pa.Table, kind: str, wanted: Mapping[str, str]) -> pa.Table:
    """Take the pairs whose features, or other items whose columns, have the values wanted."""
    is_pair = kind == "pair"
    fields = table.schema.field("features").type if is_pair else table.schema
    names = [field.name for field in fields if is_pair or not pa.types.is_nested(field.type)]
    what, one = ("feature", "pair") if is_pair else ("column", "item")
    for name, value in wanted.items():
        if name not in names:
            raise unknown_error(f"there is no {what}", name, f"{what}s", names)
        column = pc.struct_field(table["features"], name) if is_pair else table[name]
        texts = pc.cast(column, pa.string())
        known = sorted(texts.unique().drop_null().to_pylist())
        if value not in known:
            raise unknown_error(f"no {one} has {name}", value, "values", known)
        table = table.filter(pc.equal(texts, value))
    return table


def mark_difference(good: str, bad: str) -> tuple[str, str]:
    """Put brackets around the words in which two sentences differ."""
    space = " " if " " in good + bad else ""
    sides = [text.split(space) if space else list(text) for text in (good, bad)]
    for words, span in zip(sides, differing_span(*sides), strict=True):
        words[span] = [_bracketed(space.join(words[span]))]
    return space.join(sides[0]), space.join(sides[1])


def _bracketed(text: str) -> str:
    core = text.rstrip(".,;:!?")
    return f"[{core}]{text[len(core) :]}"


def item_grid(kind: str, count: int, item: ItemRow, width: int) -> Table:
    """Return the texts of an item, with what is known of it, and its id, below them.

    Glosses, if it has any, are below their words, in lines of up to ``width`` columns.
    """
    rows: list[tuple[str, Text]] = []
    if kind == "pair":
        good, bad = map(isolated, mark_difference(item["sentence_good"], item["sentence_bad"]))
        rows = [("good", Text(f" {good}", "green")), ("bad", Text(f"*{bad}", "red"))]
        for _, text in rows:
            text.highlight_regex(r"\[[^\]]*\]", "bold")
        about = _features(item["features"])
    elif kind == "suite":
        rows = [(c["name"], Text(isolated(c["text"]))) for c in item["conditions"]]
        about = "\n".join(item["predictions"])
    elif kind == "cloze":
        rows = [("", Text(isolated(f"{item['left']}[{item['answer']}]{item['right']}")))]
        ends = "; ".join(f"{end} {item[end]['form']}" for end in ("controller", "target"))
        agrees = ", ".join(item["agrees_in"])
        about = f"{item['relation']}, masked: {item['masked']}; {ends}; {agrees}"
    else:
        rows = [("", Text(isolated(str(item.get("form", "")))))]
        about = ", ".join(f"{name} {value}" for name, value in item.items() if name != "form")
    if item.get(GLOSSES):
        rows = _glossed_rows(kind, item, width)
    elif GLOSSES in item:
        about += _lemmas_and_features(item)
    about += f"; id {item['id']}" if "id" in item else ""
    grid = Table.grid(padding=(0, 1))
    for number, (label, text) in enumerate([*rows, ("", Text(about, style="dim"))]):
        grid.add_row("" if number else f"{count:>3}", label, text)
    return grid


def _glossed_rows(kind: str, item: ItemRow, width: int) -> list[tuple[str, Text]]:
    """Return the words of each sentence in a line and their glosses in the next, each with a label.

    Words stand in their order from left to right in every script, each above its gloss.
    """
    sentences = glossed_sentences(item, item[GLOSSES])
    styles = [(sentence.name, "", "") for sentence in sentences]
    lines = [sentence.words for sentence in sentences]
    if kind == "pair":
        styles = [("good", " ", "green"), ("bad", "*", "red")]
        _bracket(*lines)
    # The number of the item, the labels, and a space after each; then the star.
    room = width - 5 - max(len(name) + len(star) for name, star, _ in styles)
    rows = []
    for (label, star, style), line in zip(styles, lines, strict=True):
        for number, words in enumerate(_wrapped(line, room)):
            above, below = Text(" " * len(star) if number else star, style), Text(" " * len(star))
            for word, gloss in words:
                size = _size(word, gloss)
                above.append(isolated(word) + " " * (size - cell_len(word)))
                below.append(gloss.ljust(size))
            above.highlight_regex(r"\[[^\]]*\]", "bold")
            rows += [("" if number else label, above), ("", below)]
        rows.append(("", Text()))
    return rows


_Words = list[tuple[str, str]]
"""Words, each with its gloss."""


def _bracket(good: _Words, bad: _Words) -> None:
    """Put brackets around the words in which the sides of a pair differ."""
    spans = differing_span([word for word, _ in good], [word for word, _ in bad])
    for words, span in zip((good, bad), spans, strict=True):
        for place in range(span.start, span.stop):
            word, gloss = words[place]
            words[place] = _bracketed(word), gloss


def _wrapped(words: _Words, width: int) -> Iterator[_Words]:
    """Cut words into lines of up to ``width`` columns."""
    line, used = _Words(), 0
    for word in words:
        if line and used + _size(*word) > width:
            yield line
            line, used = [], 0
        line.append(word)
        used += _size(*word)
    yield line


def _size(word: str, gloss: str) -> int:
    """Return the width of a word with its gloss and the space after them, in columns."""
    return max(cell_len(word), cell_len(gloss)) + 2


def _lemmas_and_features(item: ItemRow) -> str:
    """Return lemma and features of the words of a mined item of which the treebank says them."""
    ends = [item[end] for end in ("controller", "target") if end in item]
    known = [*(item.get("slots") or ends), *(item.get("attractors") or ())]
    texts = []
    for word in known:
        features = gloss_of_features(Feats.parse(word["feats"] or ""))
        meaning = ".".join(filter(None, (word["lemma"], features)))
        texts.append(f"{word['form']} {meaning}")
    return f"; lemma and features: {', '.join(texts)}" if texts else ""


def _features(features: ItemRow) -> str:
    known = {name: str(value) for name, value in features.items() if value is not None}
    shown = []
    for role in ("controller", "attractor"):
        names = [name for name in known if name in FEATURES and name.partition("_")[0] == role]
        if names:
            shown.append(" ".join([role, *(known.pop(name) for name in names)]))
    known.pop("construction", None)
    shown += [f"{name} {value}" for name, value in known.items()]
    return "; ".join(shown) or "no features"
