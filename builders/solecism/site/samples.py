"""What a page shows of the items of a paradigm: some of them, counts of features, an audit."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from solecism.check.audit import Audit, ParadigmPairs, audit_pairs
from solecism.root import Root
from solecism.site.examples import ShownItem, choose_rows, form_features, shown_item
from solecism.site.item_columns import Codes, ItemColumns, rows_of

__all__ = ["AUDITED", "FeatureCounts", "ParadigmSample", "samples_of"]

AUDITED = 500
"""How many pairs of a paradigm are audited: the first, which are a fair sample of a build."""

SHOWN_VALUES = 8
"""How many values of a feature are listed."""


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
    made = {}
    for name, rows in groups.items():
        shown = tuple(shown_item(items, row, full[row], forms) for row in chosen[name])
        found = None
        if name and items.config.kind == "pair":
            texts = [items.texts[row] for row in rows[:AUDITED].tolist()]
            good, bad = ([text[side] for text in texts] for side in (0, 1))
            found = audit_pairs(ParadigmPairs(name, good, bad))
        features = tuple(_features(items, rows, not name))
        made[name] = ParadigmSample(len(rows), shown, features, found)
    return made


def _features(items: ItemColumns, rows: Codes, whole: bool) -> Iterator[FeatureCounts]:
    for column in items.features:
        counts = column.counts(rows)
        shown = column.name != "sent_id" and (whole or column is not items.group)
        if len(counts) > 1 and shown:
            yield FeatureCounts(column.name, tuple(counts[:SHOWN_VALUES]), len(counts))
