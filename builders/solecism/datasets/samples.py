"""Items to look at: of paradigms, of a built folder, or mined."""

import random
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from solecism.datasets.catalogue import catalogue_entry, mined_names
from solecism.datasets.configs import choose
from solecism.datasets.from_templates import (
    CONVERTED,
    find_paradigm,
    load_paradigms,
    templates_of_configs,
)
from solecism.datasets.from_treebanks import mined_configs
from solecism.datasets.glosses import find_glosses
from solecism.datasets.manifest import MANIFEST, read_manifest
from solecism.datasets.sizes import MinedSize, mined_size
from solecism.errors import fail, unknown_error
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Paradigm
from solecism.grammar.suites import draw_suites
from solecism.inputs import read_parquet
from solecism.own_pairs import is_own, own_pairs
from solecism.root import Root
from solecism.schema import GLOSSES, ItemRow, kind_of_items
from solecism.works.catalogue import find_code

SEEN = 200_000
"""A paradigm with more minimal sets than this is not drawn whole: a tenth of this is sampled."""

ENOUGH = 2_000
"""The number of cloze items or forms that are mined to choose from: the first ones."""


@dataclass(frozen=True)
class Sample:
    """Some of the ``found`` items of a paradigm or config, as rows.

    ``about`` is what the paradigm tests, if it is known. ``space``: 0 if all items were looked at;
    else how many there are at most. ``mined``: the language, if it is mined from treebanks.
    """

    name: str
    kind: str
    items: list[ItemRow]
    found: int
    about: str = ""
    space: int = 0
    mined: MinedSize | None = None


@dataclass(frozen=True)
class Wanted:
    """What items are looked for: how many (by default 5), chosen by which random seed.

    ``values`` are those of features of pairs, or of columns of other items.
    """

    number: int | None = None
    seed: int = 0
    values: Mapping[str, str] = field(default_factory=dict)
    glosses: bool = False

    def rows(self, size: int, number: int) -> list[int]:
        """Return so many random rows of a table, or all if it has fewer."""
        return sorted(random.Random(self.seed).sample(range(size), min(number, size)))

    def sample(self, root: Root, name: str, table: pa.Table, **facts: Any) -> Sample:
        """Choose among the items of a table."""
        kind = kind_of_items(table.column_names) or "forms"
        if self.values and kind == "suite":
            raise fail(f"{name} is a suite: its items have no features to choose by")
        table = _select(table, kind == "pair", self.values)
        rows = pa.array(self.rows(len(table), self.number or 5), pa.int64())
        items = table.take(rows).to_pylist()
        if self.glosses and GLOSSES not in table.column_names:
            known = find_glosses(root, items)
            items = [{**item, GLOSSES: known.get(item.get("id"))} for item in items]
        return Sample(name, kind, items, len(table), **facts)


def samples(root: Root, name: str, wanted: Wanted) -> Iterator[Sample]:
    """Yield items of what a name means; of a name with several paradigms, one of each.

    Items are drawn, read from a built folder, or mined. If a number is wanted and there are more
    paradigms, some are chosen. Raises :class:`InputError`.
    """
    path = own_pairs(Path(name)) if is_own(name) else Path(name)
    if path.suffix == ".parquet" and path.is_file():
        table = read_parquet(path)
        if not kind_of_items(table.column_names):
            raise fail(f"holds no items: its columns are {', '.join(table.column_names)}", name)
        yield wanted.sample(root, name, table)
        return
    folder, _, config = name.rstrip("/").rpartition("/")
    dataset = folder.partition("/")[0]
    is_paradigm = dataset in root.datasets and (
        folder != dataset or catalogue_entry(root, dataset).configs != "languages"
    )
    if folder and not is_paradigm and (Path(folder) / MANIFEST).is_file():
        tables = map(read_parquet, read_manifest(Path(folder)).paths(config))
        yield wanted.sample(root, f"{folder}/{config}", pa.concat_tables(tables))
    elif dataset not in root.datasets and folder in mined_names():
        yield _mined(root, folder, config, wanted)
    elif len(paradigms := _paradigms(root, name)) > 1:
        for row in wanted.rows(len(paradigms), wanted.number or len(paradigms)):
            yield _drawn(root, paradigms[row], replace(wanted, number=1))
    else:
        yield _drawn(root, paradigms[0], wanted)


def _paradigms(root: Root, name: str) -> list[Paradigm]:
    """Return the paradigms of a data set, of a config, or the one ``dataset/language/UID``."""
    dataset, *parts = name.strip("/").split("/")
    if len(parts) == 2:
        return [find_paradigm(root, dataset, *parts)]
    if len(parts) > 2 or dataset not in root.datasets:
        others = "agreement/he, or FOLDER/CONFIG of a data set that was built"
        message = f"{name!r} is not of the form dataset/language/UID, as clams/he/subj_rel"
        raise fail(f"{message}; nor is it mined, as {others}")
    if {*parts} & {*CONVERTED.values()}:
        raise fail(f"{name!r} is converted by a build: build it, then show FOLDER/{parts[0]}")
    known = templates_of_configs(root, catalogue_entry(root, dataset))
    chosen = chain.from_iterable(known[config] for config in choose(dataset, known, parts))
    return list(load_paradigms(root, chosen).values())


def _drawn(root: Root, paradigm: Paradigm, wanted: Wanted) -> Sample:
    """Draw a paradigm, or a part of a large one, and choose."""
    template, space = paradigm.template, 0
    size = template.draw or paradigm.plan.bound
    if size > SEEN:
        paradigm, space = replace(paradigm, template=replace(template, draw=SEEN // 10)), size
    if template.is_pair:
        extra = tuple(sorted(template.features))
        drawn = draw_pairs(paradigm, extra=extra, glosses=wanted.glosses)
    else:
        drawn = draw_suites(paradigm, glosses=wanted.glosses)
    table = pa.concat_tables(drawn)
    return wanted.sample(root, template.name, table, about=template.about, space=space)


def _mined(root: Root, dataset: str, name: str, wanted: Wanted) -> Sample:
    """Mine enough items to choose from; raises :class:`InputError` without their treebanks."""
    language, dash, kind = name.partition("-")
    code = find_code(language, f"data set {dataset!r} has no config {{}}")
    known = {config.name: config for config in mined_configs(dataset, [code])}
    (chosen,) = choose(dataset, known, [f"{code}{dash}{kind}"])
    if known[chosen].kind == "pair":  # pairs are made of items
        for source in next(iter(known.values())).sources:
            deque(source.tables(), maxlen=0)
    tables: list[pa.Table] = []
    for table in chain.from_iterable(source.tables() for source in known[chosen].sources):
        tables.append(table)
        if sum(map(len, tables)) >= ENOUGH:
            break
    mined = None if kind else mined_size(catalogue_entry(root, dataset), code)
    return wanted.sample(root, f"{dataset}/{chosen}", pa.concat_tables(tables), mined=mined)


def _select(table: pa.Table, is_pair: bool, wanted: Mapping[str, str]) -> pa.Table:
    """Take the pairs whose features, or other items whose columns, have the values wanted."""
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
