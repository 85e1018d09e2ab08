"""Normalised scores: what a run would have decided, had the sums been divided by lengths.

All come from the columns of a result's table; no model is asked again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import candidates, fail
from solecism.scoring.results import TIE

__all__ = [
    "DIFFERENCES", "INPUTS", "NORMALISERS", "Normaliser", "are_sums", "decisions", "find_normaliser", "margins",
    "right_or_tie", "token_differences", "usable",
]  # fmt: skip

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Normaliser:
    """A way to make scores of texts of different lengths comparable: log P / length ** alpha.

    ``length``: ``tokens``, ``chars`` or ``bytes``; ``less_unigram``: log P is first reduced by that
    of the unigram model.
    """

    name: str
    formula: str
    length: str = "tokens"
    alpha: float = 1.0
    less_unigram: bool = False


NORMALISERS = {
    each.name: each
    for each in (
        Normaliser("sum", "log P", alpha=0.0),
        Normaliser("token", "log P / tokens"),
        Normaliser("char", "log P / characters", "chars"),
        Normaliser("byte", "log P / bytes", "bytes"),
        Normaliser("slln", "log P / tokens ** 0.5", alpha=0.5),
        Normaliser("slor", "(log P - log P of the unigram model) / tokens", less_unigram=True),
    )
}
"""The normalisers by name. ``slln``: Liu et al. (2024, ZhoBLiMP), whose exponent may be another one
(``slln:0.8``); ``slor``: Pauls and Klein (2012), Lau et al. (2017)."""

INPUTS = tuple(
    f"{name}_{side}"
    for name in ("logp", "tokens", "bytes", "chars", "unigram")
    for side in ("good", "bad")
)
"""The columns that normalised scores are made of."""

_NO_SUMS = ("region", "cloze")


def find_normaliser(name: str) -> Normaliser:
    """Return the normaliser of a name. Raises :class:`InputError` for an unknown one.

    >>> find_normaliser("slln:0.8").formula
    'log P / tokens ** 0.8'
    """
    if name in NORMALISERS:
        return NORMALISERS[name]
    alpha = re.fullmatch(r"slln:(\d+(\.\d+)?|\.\d+)", name)
    if alpha is None:
        near = candidates("normalisers", [*NORMALISERS, "slln:ALPHA"], name)
        raise fail(f"unknown normaliser {name!r} {near}")
    power = float(alpha[1])
    formula = f"log P / tokens ** {power:g}"
    return replace(NORMALISERS["slln"], name=name, formula=formula, alpha=power)


def are_sums(table: pa.Table) -> bool:
    """Return whether the scores of a table are sums over the tokens of texts.

    Those of suites compare surprisals of regions, those of cloze items sets of words.
    """
    return not len(table) or table["method"][0].as_py().partition(":")[0] not in _NO_SUMS


def usable(table: pa.Table) -> list[str]:
    """Return the normalisers for which a table has the columns, but ``sum``."""
    if not are_sums(table):
        return []
    some = (each for each in NORMALISERS.values() if each.name != "sum")
    return [each.name for each in some if not _lacking(table, each)]


def decisions(table: pa.Table, name: str) -> pa.Array:
    """Return what a normaliser decides of each row of a result's table, as ``decision`` does.

    1 right, 0 wrong, 0.5 tie, null where there is no score. Raises :class:`InputError` for an
    unknown name, and where the table has not what the normaliser needs.
    """
    if name == "sum":
        return table["decision"].combine_chunks()
    normaliser = find_normaliser(name)
    if not are_sums(table):
        method = table["method"][0].as_py()
        raise fail(f"scores of the method {method!r} are no sums over tokens: none by {name!r}")
    lacking = _lacking(table, normaliser)
    if lacking:
        why = "no unigram model was named (--unigram)" if "unigram" in lacking else "score it anew"
        raise fail(f"the result has nothing in column {lacking!r}, which {name!r} needs: {why}")
    return pa.array(right_or_tie(margins(table, normaliser)), from_pandas=True)


def right_or_tie(margin: Floats) -> Floats:
    """Return 1 for a margin above 0, 0 for one below, 0.5 for a tie, NaN where there is none."""
    decided = np.where(np.abs(margin) <= TIE, 0.5, np.where(margin > 0, 1.0, 0.0))
    return np.where(np.isnan(margin), np.nan, decided)


def margins(table: pa.Table, normaliser: Normaliser) -> Floats:
    """Return by how much the good sides of pairs score better, NaN where there are no scores.

    In natural logarithms on the scale of the good side's sum: where both sides have the same
    length, this is what the sums differ by, so that ties are the same.
    """
    good, bad = (_sums(table, side, normaliser) for side in ("good", "bad"))
    long, short = (_floats(table, f"{normaliser.length}_{side}") for side in ("good", "bad"))
    known = ~(np.isnan(good) | np.isnan(bad)) & (long > 0) & (short > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = bad * (long / short) ** normaliser.alpha
        found = np.where(good == scaled, 0.0, good - scaled)  # both may be minus infinity
    return np.where(known, found, np.nan)


def _sums(table: pa.Table, side: str, normaliser: Normaliser) -> Floats:
    found = _floats(table, f"logp_{side}")
    return found - _floats(table, f"unigram_{side}") if normaliser.less_unigram else found


def _floats(table: pa.Table, name: str) -> Floats:
    """Return a column of numbers, NaN for null."""
    return np.asarray(table[name].cast(pa.float64()).to_numpy(), np.float64)


def _lacking(table: pa.Table, normaliser: Normaliser) -> str:
    """Return a column that a normaliser needs and the table does not have, else nothing."""
    needed = [normaliser.length, *(["unigram"] if normaliser.less_unigram else [])]
    names = [f"{name}_good" for name in needed]
    empty = (
        n
        for n in names
        if n not in table.column_names or (len(table) and table[n].null_count == len(table))
    )
    return next(empty, "")


DIFFERENCES = ("-3 or less", "-2", "-1", "0", "1", "2", "3 or more")
"""Classes of the number of tokens of the good side less that of the bad side."""


def token_differences(table: pa.Table) -> NDArray[np.int64]:
    """Return the class of each pair, as a place in :data:`DIFFERENCES`."""
    apart = _floats(table, "tokens_good") - _floats(table, "tokens_bad")
    return np.clip(np.nan_to_num(apart), -3, 3).astype(np.int64) + 3
