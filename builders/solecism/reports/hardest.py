"""The hardest pairs: those on which models have the lowest margins, with their sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from solecism.contrast import differing_parts
from solecism.errors import InputError
from solecism.scoring.items import pairs_of, rows_by_id
from solecism.scoring.results import Result

if TYPE_CHECKING:
    pass

__all__ = ["HardPair", "hardest"]

MOST, EACH = 8, 2
"""How many pairs are shown, and how many of one paradigm. Of a minimal set there is only one."""

_TEXTS = ("sentence_good", "sentence_bad", "language")

Parts = list[tuple[str, bool]]
"""A sentence in parts, each with whether it differs from the other one."""


@dataclass(frozen=True)
class HardPair:
    """A pair; ``good`` and ``bad``: its sentences in parts that differ or not.

    ``scores``: what each model gives it, natural logarithms and their difference, as a mapping with
    ``model``, ``good``, ``bad`` and ``margin``. Where the data are not here, the sentences are
    empty.
    """

    id: str
    uid: str
    language: str
    spec: str
    good: Parts
    bad: Parts
    scores: tuple[dict[str, Any], ...]


def hardest(results: Mapping[str, Result], most: int = MOST) -> list[HardPair]:
    """Return the hardest pairs of one config for all models together, the hardest first.

    ``results`` has a result of each model. Margins of different models are of different sizes, so
    what counts is the mean of the ranks that a pair has. Only pairs that all models have scored are
    looked at, few of a paradigm and one of a minimal set.
    """
    import pandas as pd

    frames = {}
    for name, result in results.items():
        table = result.read(["id", "set_id", "UID", "logp_good", "logp_bad", "margin"])
        frame = table.to_pandas().dropna(subset=["margin", "logp_good", "logp_bad"])
        frames[name] = frame.set_index("id")
    margins = pd.concat([f["margin"].rename(n) for n, f in frames.items()], axis=1, join="inner")
    ranks = margins.rank(method="min", pct=True).mean(axis=1)
    order = margins.index[np.lexsort((margins.mean(axis=1), ranks))]
    first = next(iter(frames.values())).loc[order].drop_duplicates("set_id")
    first = first[first.groupby("UID").cumcount() < EACH][:most]
    texts, spec = _sentences(next(iter(results.values())), list(first.index))
    made = []
    for one, uid in first["UID"].items():
        text = texts.get(one, dict.fromkeys(_TEXTS, ""))
        good, bad = differing_parts(text["sentence_good"], text["sentence_bad"])
        scores = tuple(
            {"model": name, **{
                key: float(frame.at[one, column])
                for key, column in (("good", "logp_good"), ("bad", "logp_bad"), ("margin", "margin"))
            }}
            for name, frame in frames.items()
        )  # fmt: skip
        made.append(HardPair(str(one), str(uid), text["language"] or "", spec, good, bad, scores))
    return made


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
