"""What a page shows of the items of a paradigm: some of them, counts of features, an audit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow.parquet as pq

from solecism.check.audit import Audit, NumberCheck, ParadigmPairs, audit_pairs
from solecism.errors import InputError
from solecism.inputs import reading_parquet
from solecism.lexicon.lexicon import Lexicon
from solecism.root import Root
from solecism.site.examples import ShownItem, choose_rows, form_features, shown_item
from solecism.site.folders import SiteConfig
from solecism.site.item_columns import Codes, ItemColumns, rows_of

__all__ = ["AUDITED", "FeatureCounts", "ParadigmSample", "samples_of"]

AUDITED = 500
"""How many pairs of a paradigm are audited: the first, which are a fair sample of a build."""

SHOWN_VALUES = 8
"""How many values of a feature are listed."""

_WORDS = ("one_prefix_word_good", "one_prefix_word_bad", "two_prefix_word")


@dataclass(frozen=True)
class FeatureCounts:
    """A feature: its most frequent values with their counts, and how many values it has."""

    name: str
    values: tuple[tuple[str, int], ...]
    different: int


@dataclass(frozen=True)
class ParadigmSample:
    """What a page shows of ``rows`` items."""

    rows: int
    items: tuple[ShownItem, ...]
    features: tuple[FeatureCounts, ...]
    audit: Audit | None


def samples_of(
    items: ItemColumns, root: Root, uids: Collection[str] = ()
) -> dict[str, ParadigmSample]:
    """Return samples by UID; without any one of the config as a whole, under the empty name."""
    groups = {uid: rows for uid, rows in items.by_group.items() if uid in uids}
    if not uids:
        groups = {"": np.arange(items.rows)}
    chosen = {name: choose_rows(items, rows) for name, rows in groups.items()}
    full = rows_of(items.config, [row for rows in chosen.values() for row in rows])
    forms = form_features(root.path, items.config.language) if uids else {}
    audits = _audits(items, groups, root) if uids and items.config.kind == "pair" else {}
    return {
        name: ParadigmSample(
            len(rows),
            tuple(shown_item(items, row, full[row], forms) for row in chosen[name]),
            tuple(_features(items, rows, not name)),
            audits.get(name),
        )
        for name, rows in groups.items()
    }


def _features(items: ItemColumns, rows: Codes, whole: bool) -> Iterator[FeatureCounts]:
    for column in items.features:
        counts = column.counts(rows)
        shown = column.name != "sent_id" and (whole or column is not items.group)
        if len(counts) > 1 and shown:
            yield FeatureCounts(column.name, tuple(counts[:SHOWN_VALUES]), len(counts))


def _audits(items: ItemColumns, groups: Mapping[str, Codes], root: Root) -> dict[str, Audit]:
    numbers = None
    if items.config.language == "en" and "en" in root.languages:
        try:
            numbers = NumberCheck.of(Lexicon(root.lexicon("en")))
        except InputError:
            numbers = None
    wanted = {name: rows[:AUDITED].tolist() for name, rows in groups.items()}
    words = _words(
        items.config, max((row + 1 for rows in wanted.values() for row in rows), default=0)
    )
    found = {}
    for name, rows in wanted.items():
        good, bad = ([items.texts[row][side] for row in rows] for side in (0, 1))
        pairs = ParadigmPairs(name, good, bad, [words[row] for row in rows] if words else [], [])
        found[name] = audit_pairs(pairs, numbers)
    return found


def _words(config: SiteConfig, most: int) -> list[tuple[str | None, ...]]:
    """Return the words of the prefix methods of the first rows, none if the data have none."""
    found: list[tuple[str | None, ...]] = []
    for path in config.files:
        with reading_parquet(path):
            if not set(_WORDS) <= set(pq.read_schema(path).names):
                return []
            for batch in pq.ParquetFile(path).iter_batches(1 << 14, columns=list(_WORDS)):
                if len(found) < most:
                    columns = (batch[name].cast("string").to_pylist() for name in _WORDS)
                    found += zip(*columns, strict=True)
    return found
