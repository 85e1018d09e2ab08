"""The features of forms from the lexicon: a data set has those of its good sentences only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from solecism.errors import InputError
from solecism.lexicon.lexicon import Lexicon
from solecism.root import Root

__all__ = ["Glosses", "glosses_of"]

Glosses = Mapping[tuple[str, str], str]
"""Features by lemma and form (in small letters); those of a form with several readings together."""

READINGS = 3
"""The most readings of a form that are listed."""


def glosses_of(root: Root, language: str) -> Glosses:
    """Return the features of all forms of a language's lexicon; none where there is no lexicon."""
    try:
        return _glosses(root.lexicon(language))
    except InputError:
        return {}


@cache
def _glosses(folder: Path) -> Glosses:
    lexicon = Lexicon(folder)
    found: dict[tuple[str, str], dict[str, None]] = {}
    for name in lexicon.names:
        for row in lexicon.table(name).rows:
            for cell, form in row.forms.items():
                found.setdefault((row.shown, form.casefold()), {})[str(cell)] = None
    return {key: " or ".join(list(some)[:READINGS]) for key, some in found.items() if any(some)}
