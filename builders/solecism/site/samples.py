"""What a page shows of the items of a paradigm: some of them, counts of features, an audit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from solecism.check.audit import Audit, NumberCheck, ParadigmPairs, audit_pairs
from solecism.errors import InputError
from solecism.inputs import reading_parquet
from solecism.lexicon.lexicon import Lexicon
from solecism.root import Root
from solecism.site.coded import Codes, ItemColumns, rows_of
from solecism.site.folders import SiteConfig
from solecism.site.glosses import glosses_of
from solecism.site.starred import ShownItem, choose_rows, shown_item

__all__ = ["AUDITED", "FeatureCounts", "ParadigmSample", "samples_of"]

AUDITED = 500
"""How many pairs of a paradigm are audited: the first, which are a fair sample of a build."""

SHOWN_VALUES = 8
"""How many values of a feature are listed."""

_HIDDEN = ("sent_id",)

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
    glosses = glosses_of(root, items.config.language) if uids else {}
    audits = _audits(items, groups, root) if uids and items.config.kind == "pair" else {}
    return {
        name: ParadigmSample(
            len(rows),
            tuple(shown_item(items, row, full[row], glosses) for row in chosen[name]),
            tuple(_features(items, rows, not name)),
            audits.get(name),
        )
        for name, rows in groups.items()
    }


def _features(items: ItemColumns, rows: Codes, whole: bool) -> Iterator[FeatureCounts]:
    mask = np.zeros(items.rows, dtype=bool)
    mask[rows] = True
    for column in items.features:
        counts = column.counts(mask)
        if len(counts) > 1 and (whole or column is not items.group) and column.name not in _HIDDEN:
            yield FeatureCounts(column.name, tuple(counts[:SHOWN_VALUES]), len(counts))


def _audits(items: ItemColumns, groups: Mapping[str, Codes], root: Root) -> dict[str, Audit]:
    numbers = _numbers(root.path) if items.config.language == "en" else None
    wanted = {name: rows[:AUDITED] for name, rows in groups.items()}
    last = max((int(rows[-1]) for rows in wanted.values() if len(rows)), default=-1)
    words = _words(items.config, last + 1)
    return {
        name: audit_pairs(_pairs(name, items, words, rows.tolist()), numbers)
        for name, rows in wanted.items()
    }


def _pairs(
    name: str, items: ItemColumns, words: Sequence[tuple[str | None, ...]], rows: Sequence[int]
) -> ParadigmPairs:
    good, bad = ([items.texts[row][side] for row in rows] for side in (0, 1))
    return ParadigmPairs(name, good, bad, [words[row] for row in rows] if words else [], [])


def _words(config: SiteConfig, most: int) -> list[tuple[str | None, ...]]:
    """Return the words of the prefix methods of the first rows, none where the data have none."""
    found: list[tuple[str | None, ...]] = []
    for path in config.files:
        with reading_parquet(path):
            file = pq.ParquetFile(path)
            if not set(_WORDS) <= set(file.schema_arrow.names):
                return []
            for batch in file.iter_batches(batch_size=1 << 14, columns=list(_WORDS)):
                if len(found) >= most:
                    break
                found += zip(*(batch[name].to_pylist() for name in _WORDS), strict=True)
    return found


@cache
def _numbers(root: Path) -> NumberCheck | None:
    """Return a check of the number of English nouns, where there is an English lexicon."""
    try:
        return NumberCheck.of(Lexicon(Root(root).lexicon("en")))
    except InputError:
        return None
