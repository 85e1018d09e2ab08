"""The relations between words that agree, and the features in which they agree."""

from collections.abc import Mapping
from functools import lru_cache

AGREEMENT = ("Number", "Gender", "Case", "Person")
"""The features of the paper, in its order."""

PAPER_RELATIONS = ("determiner", "modifying", "predicated", "verb")
"""The relations of Bacon and Regier (2019): determiner and noun, attributive adjective and noun,
predicative adjective and subject, verb and subject."""

RELATIONS = (*PAPER_RELATIONS, "object", "indirect_object", "possessor", "adposition")
"""All relations: those of the paper, verb and object, verb and indirect object, noun and
possessor, adposition and its noun."""

KINDS: Mapping[str, str] = {
    **{relation: relation for relation in PAPER_RELATIONS},
    **dict.fromkeys(("auxiliary", "copula", "participle"), "verb"),
    **dict.fromkeys(("object", "object_auxiliary"), "object"),
    **dict.fromkeys(("indirect_object", "indirect_object_auxiliary"), "indirect_object"),
    "possessor": "possessor",
    "adposition": "adposition",
}
"""The relation of each kind of pair. A kind tells more: what the target of a relation is."""

Bundle = Mapping[str, frozenset[str]]
"""The values of each feature in a FEATS text."""


@lru_cache(maxsize=1 << 16)
def bundle(text: str | None) -> Bundle:
    """Return the values by feature of a FEATS text; parts without ``=`` are passed over.

    Names and values need not be those of UD.
    """
    pairs = (part.partition("=") for part in (text or "_").split("|"))
    return {name: frozenset(value.split(",")) for name, equals, value in pairs if equals}


def text_of(feats: Bundle, name: str) -> str | None:
    """Return the values of a feature as FEATS has them (``Fem,Masc``), None without any."""
    return ",".join(sorted(feats[name])) if name in feats else None


def layered(feature: str, layer: str | None) -> str:
    """Return the name of a feature in a layer: ``Number[abs]``.

    See https://universaldependencies.org/u/overview/feat-layers.html.

    >>> layered("Number", "abs"), layered("Number", "")
    ('Number[abs]', 'Number')
    """
    return f"{feature}[{layer}]" if layer else feature


def other_layers(feats: Bundle, layer: str | None) -> Bundle:
    """Return the features of agreement of layers other than one."""
    own = f"[{layer}]"
    names = (name for name in feats if "[" in name and own not in name)
    return {name: feats[name] for name in names if name.partition("[")[0] in AGREEMENT}


def third_person(feats: Bundle) -> Bundle:
    """Return features with third person for a noun; those of a pronoun are left as they are."""
    given = "Person" in feats or "PronType" in feats
    return feats if given else {**feats, "Person": frozenset({"3"})}


def is_finite(feats: Bundle) -> bool:
    """Return whether features are those of a finite word.

    Words without VerbForm are finite if they have a mood, a tense, or a person of any layer but a
    possessor's.
    """
    if "VerbForm" in feats:
        return "Fin" in feats["VerbForm"]
    return any(
        name in ("Mood", "Tense") or (name.startswith("Person") and name != "Person[psor]")
        for name in feats
    )
