"""The presets: which pairs of words are taken to agree; those of the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from solecism.errors import candidates, fail
from solecism.treebank.cloze import MASKS, Found
from solecism.treebank.conllu import Tokens
from solecism.treebank.features import PAPER_VALUES, bits_of, conflicts, shares, somewhere
from solecism.treebank.forms import Inventory
from solecism.treebank.languages import Language
from solecism.treebank.relations.pairs import RELATIONS, Pairs, letter_pairs, meant_pairs
from solecism.treebank.relations.strict import SWITCHES, find_strictly

__all__ = ["PRESETS", "Settings", "find_as_paper"]


@dataclass(frozen=True)
class Settings:
    """How to mine.

    ``masks``: which ends are masked, of :data:`solecism.treebank.cloze.MASKS`; ``without``: filters of
    ``strict`` that are switched off; ``inventory``: the forms by which ``strict`` tells that a value is
    overt (none: annotation is believed). Raises :class:`InputError` for an unknown preset, mask or filter.
    """

    language: Language
    preset: str = "strict"
    masks: tuple[str, ...] = MASKS[:1]
    without: frozenset[str] = field(default_factory=frozenset)
    inventory: Inventory | None = None

    def __post_init__(self) -> None:
        _require("preset", (self.preset,), list(PRESETS))
        _require("mask", self.masks, MASKS)
        _require("filter", sorted(self.without), SWITCHES)

    def find(self, tokens: Tokens) -> tuple[Found, Counter[str]]:
        """Find what agrees in a block, and count what was dropped, by reason."""
        return PRESETS[self.preset](tokens, self)


def _require(
    kind: str, given: tuple[str, ...] | list[str], known: tuple[str, ...] | list[str]
) -> None:
    for name in given:
        if name not in known:
            raise fail(f"there is no {kind} {name!r} {candidates(kind + 's', known, name)}")


def _program(tokens: Tokens, settings: Settings) -> tuple[Found, Counter[str]]:
    return find_as_paper(tokens, settings.language, letter_pairs)


def _paper(tokens: Tokens, settings: Settings) -> tuple[Found, Counter[str]]:
    return find_as_paper(tokens, settings.language, meant_pairs)


def _strict(tokens: Tokens, settings: Settings) -> tuple[Found, Counter[str]]:
    return find_strictly(tokens, settings.language, settings.inventory, settings.without)


PRESETS: Mapping[str, Callable[[Tokens, Settings], tuple[Found, Counter[str]]]] = {
    "paper-program": _program,
    "paper": _paper,
    "strict": _strict,
}
"""``paper-program``: the published program's letter; ``paper``: its meaning; ``strict``: ours."""


def find_as_paper(
    tokens: Tokens, language: Language, pairs_of: Callable[[Tokens], Pairs]
) -> tuple[Found, Counter[str]]:
    """Keep the pairs of the language's relations that disagree in no feature, where the masked word has one.

    Counts what is dropped: ``relation`` (not one of the language's), ``disagree``, ``no feature``
    (neither end has any).
    """
    pairs = pairs_of(tokens)
    known = np.isin(pairs.relation, [RELATIONS.index(name) for name in language.paper])
    dropped = Counter(relation=int((~known).sum()))
    pairs = pairs[known]
    bits = bits_of(tokens.feats, PAPER_VALUES)
    target = tuple(feature[pairs.target] for feature in bits)
    controller = tuple(feature[pairs.controller] for feature in bits)
    agrees = ~conflicts(target, controller)
    valued = np.array([somewhere([f > 0 for f in end]) for end in (controller, target)])
    dropped["disagree"] = int((~agrees).sum())
    dropped["no feature"] = int((agrees & ~somewhere(valued)).sum())
    return Found(pairs, agrees & valued, shares(target, controller), bits), dropped
