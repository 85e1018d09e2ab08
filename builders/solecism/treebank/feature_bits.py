"""The agreement features of words as sets of bits, so that agreement is arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

import numpy as np

from solecism.hashing import Hashes
from solecism.treebank.conllu import Coded, Flags

__all__ = [
    "AGREEMENT", "ALL_VALUES", "PAPER_VALUES", "Bits", "bits_of", "bundle", "conflicts",
    "layered", "shares", "somewhere",
]  # fmt: skip

AGREEMENT = ("Number", "Gender", "Case", "Person")
"""The features of the paper, in its order; bit ``n`` of a set of features is the feature ``n``."""

Values = Mapping[str, tuple[str, ...]]
Bits = tuple[Hashes, ...]
"""A column for each of :data:`AGREEMENT`: the values of words, a bit each, 0 for none."""

PAPER_VALUES: Values = {
    "Number": ("Sing", "Plur"),
    "Gender": ("Masc", "Fem", "Neut"),
    "Case": ("Nom", "Acc", "Erg", "Abs"),
    "Person": ("1", "2", "3"),
}
"""The values that the paper's program knows; others count as no value."""

ALL_VALUES: Values = {
    "Number": ("Sing", "Plur", "Dual", "Tri", "Pauc", "Grpa", "Grpl", "Inv", "Coll", "Ptan", "Count"),
    "Gender": ("Masc", "Fem", "Neut", "Com"),
    "Case": (
        "Nom", "Acc", "Erg", "Abs", "Abe", "Ben", "Cau", "Cmp", "Cns", "Com", "Dat", "Dis", "Equ",
        "Gen", "Ins", "Par", "Tem", "Tra", "Voc", "Abl", "Add", "Ade", "All", "Del", "Ela", "Ess",
        "Ill", "Ine", "Lat", "Loc", "Per", "Sbe", "Sbl", "Spl", "Sub", "Sup", "Ter",
    ),
    "Person": ("0", "1", "2", "3", "4"),
}  # fmt: skip
"""The universal values (https://universaldependencies.org/u/feat/)."""


@lru_cache(maxsize=1 << 16)
def bundle(text: str) -> dict[str, frozenset[str]]:
    """Read a FEATS text, whatever names and values it has; what has no ``=`` is passed over."""
    pairs = (part.partition("=") for part in text.split("|"))
    return {name: frozenset(value.split(",")) for name, equals, value in pairs if equals}


def layered(feature: str, layer: str) -> str:
    """Return the name of a feature in a layer: ``Number[abs]``.

    >>> layered("Number", "abs"), layered("Number", "")
    ('Number[abs]', 'Number')
    """
    return f"{feature}[{layer}]" if layer else feature


def bits_of(feats: Coded, values: Values, layer: str = "") -> Bits:
    """Return the values of all words as bits, in the order of ``values``; others count as none.

    ``layer``: that of the features (https://universaldependencies.org/u/overview/feat-layers.html).
    """
    return tuple(
        feats.table(partial(_bits, feature=layered(name, layer), values=values[name]), np.uint64)
        for name in AGREEMENT
    )


def _bits(text: str, feature: str, values: tuple[str, ...]) -> int:
    found = bundle(text).get(feature, frozenset())
    return sum(1 << place for place, value in enumerate(values) if value in found)


def conflicts(a: Bits, b: Bits) -> Flags:
    """Return where both have a feature without a value in common."""
    return somewhere([(x > 0) & (y > 0) & (x & y == 0) for x, y in zip(a, b, strict=True)])


def somewhere(rows: Sequence[Flags] | Flags) -> Flags:
    """Return, of rows of flags, in which columns any is set."""
    found: Flags = np.logical_or.reduce(np.asarray(rows), axis=0)
    return found


def shares(a: Bits, b: Bits) -> Flags:
    """Return, a row a feature, where both have it with a value in common."""
    return np.array([x & y > 0 for x, y in zip(a, b, strict=True)])
