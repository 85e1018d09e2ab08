"""What agrees in what: relations between words, and the features of agreement."""

from collections.abc import Mapping
from functools import lru_cache

AGREEMENT = ("Number", "Gender", "Case", "Person")
"""The features of the paper, in its order."""

PAPER_RELATIONS = ("determiner", "modifying", "predicated", "verb")
"""The relations of Bacon and Regier (2019): determiner and noun, attributive adjective and noun,
predicative adjective and subject, verb and subject."""

RELATIONS = (*PAPER_RELATIONS, "object", "indirect_object", "possessor")
"""Ours beside those: verb and object, verb and indirect object, noun and its possessor."""

KINDS: Mapping[str, str] = {
    **{relation: relation for relation in PAPER_RELATIONS},
    **dict.fromkeys(("auxiliary", "copula", "participle"), "verb"),
    **dict.fromkeys(("object", "object_auxiliary"), "object"),
    **dict.fromkeys(("indirect_object", "indirect_object_auxiliary"), "indirect_object"),
    "possessor": "possessor",
}
"""How the two ends hang together, and the relation that it is a kind of."""

Bundle = Mapping[str, frozenset[str]]
"""The values of features, as FEATS has them."""


@lru_cache(maxsize=1 << 16)
def bundle(text: str | None) -> Bundle:
    """Read a FEATS text, whatever names and values it has; what has no ``=`` is passed over."""
    pairs = (part.partition("=") for part in (text or "_").split("|"))
    return {name: frozenset(value.split(",")) for name, equals, value in pairs if equals}


def text_of(feats: Bundle, name: str) -> str | None:
    """Return the values of a feature as FEATS has them, None without any."""
    return ",".join(sorted(feats[name])) if name in feats else None


def layered(feature: str, layer: str | None) -> str:
    """Return the name of a feature in a layer: ``Number[abs]``.

    See https://universaldependencies.org/u/overview/feat-layers.html.

    >>> layered("Number", "abs"), layered("Number", "")
    ('Number[abs]', 'Number')
    """
    return f"{feature}[{layer}]" if layer else feature


def is_finite(feats: Bundle) -> bool:
    """Return whether a bundle is of a finite word.

    Without VerbForm, that is what has a mood, a tense, or a person (of any layer but that of a
    possessor).
    """
    if "VerbForm" in feats:
        return "Fin" in feats["VerbForm"]
    return any(
        name in ("Mood", "Tense") or (name.startswith("Person") and name != "Person[psor]")
        for name in feats
    )
