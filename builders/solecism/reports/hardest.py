"""The hardest pairs: those on which models have the lowest margins, with their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from solecism.contrast import differing_parts
from solecism.errors import InputError
from solecism.scoring.items import pairs_of, rows_by_id
from solecism.scoring.results import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["HardPair", "PairScore", "Parts", "hardest"]

MOST, EACH = 8, 2
"""How many pairs are shown, and how many of one paradigm. Of a minimal set there is only one."""

_TEXTS = ("sentence_good", "sentence_bad", "language")

Parts = list[tuple[str, bool]]
"""A sentence in parts, each with whether it differs from the other one."""


@dataclass(frozen=True)
class PairScore:
    """What a model gives a pair: scores (natural logarithms) and their difference."""

    model: str
    good: float
    bad: float
    margin: float


@dataclass(frozen=True)
class HardPair:
    """A pair with its scores; ``good`` and ``bad``: its sentences in parts that differ or not.

    Where the data are not here, the sentences are empty.
    """

    id: str
    uid: str
    language: str
    spec: str
    good: Parts
    bad: Parts
    scores: tuple[PairScore, ...]


def hardest(results: Mapping[str, Result], most: int = MOST) -> list[HardPair]:
    """Return the hardest pairs of one config for all models together, the hardest first.

    ``results`` has a result of each model. Margins of different models are of different sizes, so
    what counts is the mean of the ranks that a pair has. Only pairs that all models have scored are
    looked at.
    """
    import pandas as pd

    frames = {}
    for name, result in results.items():
        table = result.read(["id", "set_id", "UID", "logp_good", "logp_bad", "margin"])
        frame = table.to_pandas().dropna(subset=["margin", "logp_good", "logp_bad"])
        frames[name] = frame.set_index("id")
    first = next(iter(frames.values()))
    margins = pd.concat([f["margin"].rename(n) for n, f in frames.items()], axis=1, join="inner")
    ranks = margins.rank(method="min", pct=True).mean(axis=1)
    order = np.lexsort((margins.mean(axis=1), ranks))
    ids = list(_varied(first.loc[margins.index[order]], most))
    texts, spec = _sentences(next(iter(results.values())), ids)
    made = []
    for one in ids:
        text = texts.get(one, dict.fromkeys(_TEXTS, ""))
        good, bad = differing_parts(text["sentence_good"], text["sentence_bad"])
        rows = ((name, frame.loc[one]) for name, frame in frames.items())
        scores = tuple(
            PairScore(name, float(row["logp_good"]), float(row["logp_bad"]), float(row["margin"]))
            for name, row in rows
        )
        uid, language = str(first.loc[one, "UID"]), text["language"] or ""
        made.append(HardPair(one, uid, language, spec, good, bad, scores))
    return made


def _varied(frame: pd.DataFrame, most: int) -> Iterator[str]:
    """Yield the first ids, few of a paradigm and one of a minimal set."""
    counts: dict[str, int] = {}
    seen: set[str] = set()
    for one, uid, group in zip(frame.index, frame["UID"], frame["set_id"], strict=True):
        if len(seen) == most:
            return
        if group not in seen and counts.get(uid, 0) < EACH:
            seen.add(group)
            counts[uid] = counts.get(uid, 0) + 1
            yield one


def _sentences(result: Result, ids: Sequence[str]) -> tuple[dict[str, dict[str, Any]], str]:
    """Return the texts of pairs by id, and the name of their config, if it is here."""
    run = result.run
    items = pairs_of(run["data"], run["config"], run["digest"])
    if items is None or not set(_TEXTS) <= set(items.columns):
        return {}, ""
    try:
        return rows_by_id(items, ids, _TEXTS), items.spec
    except InputError:
        return {}, ""
