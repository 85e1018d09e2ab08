"""Morphological features as Universal Dependencies writes them: ``Case=Dat|Number=Plur``.

Source: https://universaldependencies.org/format.html (FEATS) and the list of universal features.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

UNIVERSAL = frozenset({
    "Abbr", "Animacy", "Aspect", "Case", "Clusivity", "Definite", "Degree", "Deixis",
    "DeixisRef", "Evident", "ExtPos", "Foreign", "Gender", "Mood", "NounClass", "NumType",
    "Number", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex", "Tense", "Typo",
    "VerbForm", "Voice",
})  # fmt: skip
"""The universal features of UD v2; a property with one of these names takes part in agreement."""

_NAME = re.compile(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?")
_KNOWN: dict[tuple[tuple[str, frozenset[str]], ...], Feats] = {}
_VALUE = re.compile(r"[A-Z0-9][A-Za-z0-9]*")


class Feats(Mapping[str, frozenset[str]]):
    """An immutable set of features, each with one or more values.

    A feature with several values (``Person=1,2``) agrees with each of them. ``pairs`` are names
    with values, sorted by name as UD sorts them: upper and lower case alike. Equal sets of features
    are one object.
    """

    pairs: tuple[tuple[str, frozenset[str]], ...]
    _values: dict[str, frozenset[str]]

    def __new__(cls, pairs: tuple[tuple[str, frozenset[str]], ...] = ()) -> Feats:
        """Return the one object that these features have."""
        if pairs not in _KNOWN:
            made = super().__new__(cls)
            made.pairs, made._values = pairs, dict(pairs)
            _KNOWN[pairs] = made
        return _KNOWN[pairs]

    def __reduce__(self) -> tuple[type[Feats], tuple[object]]:
        """Let copies and pickles be the one object too."""
        return Feats, (self.pairs,)

    @classmethod
    def of(cls, values: Mapping[str, str | Iterable[str]]) -> Feats:
        """Return features from names and values; a value may be a list as text, ``"1,2"``.

        Raises ``ValueError`` when a name or a value is not spelt as UD spells them.
        """
        split = {n: v.split(",") if isinstance(v, str) else list(v) for n, v in values.items()}
        for name, options in split.items():
            _require(_NAME, "feature", name)
            if not options:
                raise ValueError(f"feature {name!r} has no value")
            for option in options:
                _require(_VALUE, f"value of {name}", option)
        return _sorted({name: frozenset(options) for name, options in split.items()})

    @classmethod
    def parse(cls, text: str) -> Feats:
        """Return the features of a FEATS text; ``""`` and ``"_"`` give a set without any.

        Raises ``ValueError`` for a part without ``=``, a bad name or value, or a feature given
        twice.
        """
        if text in ("", "_"):
            return cls()
        found: dict[str, str] = {}
        for part in text.split("|"):
            name, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"{part!r} is not of the form Feature=Value")
            if name in found:
                raise ValueError(f"feature {name!r} stands twice in {text!r}")
            found[name] = value
        return cls.of(found)

    def __str__(self) -> str:
        return "|".join(f"{name}={','.join(sorted(values))}" for name, values in self.pairs)

    def __getitem__(self, name: str) -> frozenset[str]:
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self.pairs)

    __hash__ = object.__hash__
    __eq__ = object.__eq__

    def text(self, name: str) -> str:
        """Return the value of a feature as text (``"1,2"``), ``""`` if it is not expressed."""
        return ",".join(sorted(self[name])) if name in self else ""

    def updated(self, other: Mapping[str, frozenset[str]]) -> Feats:
        """Return these features and those of ``other``, whose values replace these."""
        return _sorted({**self._values, **other}) if other else self


def _sorted(values: Mapping[str, frozenset[str]]) -> Feats:
    return Feats(tuple(sorted(values.items(), key=lambda pair: (pair[0].lower(), pair[0]))))


def agree(a: Feats, b: Feats, ignoring: Iterable[str] = ()) -> bool:
    """Return whether both have a value in common of every feature that both express.

    Features that only one side expresses do not matter, nor do those named in ``ignoring``.

    >>> agree(Feats.parse("Number=Sing|Person=3"), Feats.parse("Gender=Fem|Number=Sing"))
    True
    """
    skipped = set(ignoring)
    return all(values & b[name] for name, values in a.pairs if name in b and name not in skipped)


def clash(a: Feats, b: Feats, names: Iterable[str]) -> bool:
    """Return whether two sets of features differ in one or more of ``names`` and in nothing else.

    >>> clash(Feats.parse("Number=Plur|Tense=Past"), Feats.parse("Number=Sing"), ["Number"])
    True
    """
    tried = list(names)
    differ = any(n in a and n in b and not a[n] & b[n] for n in tried)
    return differ and agree(a, b, ignoring=tried)


def subset(a: Feats, b: Feats) -> bool:
    """Return whether ``b`` expresses every feature of ``a``, and they share a value of each."""
    return all(name in b and values & b[name] for name, values in a.pairs)


def _require(pattern: re.Pattern[str], what: str, text: str) -> None:
    if not pattern.fullmatch(text):
        raise ValueError(f"{what} {text!r} is not spelt as UD spells it")
