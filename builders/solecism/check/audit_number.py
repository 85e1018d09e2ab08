"""Number agreement inside English sentences: determiners and the noun that they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from solecism.words.features import Feats
from solecism.words.language import Lexicon

__all__ = ["NumberCheck"]

_ONE = frozenset(["a", "an", "another", "each", "every", "one", "this"])
_SEVERAL = frozenset(
    [
        "both",
        "few",
        "fewer",
        "many",
        "more",
        "several",
        "these",
        "those",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
    ]
)
_SMALL = "of who whom which that to in on at by for with from about not and or but than"
_AUXILIARIES = "will would can could may might must should had has have did do does is are was were"
_STOP = _ONE | _SEVERAL | frozenset(f"{_SMALL} {_AUXILIARIES}".split())
_REACH = 3
"""Words in which the (first) noun of a determiner is looked for."""


@dataclass(frozen=True)
class NumberCheck:
    """The number of each noun form that can be nothing else: ``Sing`` or ``Plur``.

    A rough check, made to be seldom wrong where it tells something: it looks at a determiner or numeral and
    at the nouns shortly after it.
    """

    number: Mapping[str, str]

    @classmethod
    def of(cls, lexicon: Lexicon) -> NumberCheck:
        """Take the count nouns of a lexicon; of those of several words the last one (football *players*)."""
        forms: dict[str, set[str]] = {}
        for row in lexicon.table("noun").rows:
            if row.properties.get("Count", "count") != "count":
                continue
            for cell, form in row.forms.items():
                forms.setdefault(form.split()[-1], set()).add(_number(cell))
        known = {form: next(iter(values)) for form, values in forms.items() if len(values) == 1}
        return cls({form: value for form, value in known.items() if value})

    def disagrees(self, words: Sequence[str]) -> bool:
        """Tell whether a determiner is followed by a noun of the other number."""
        return any(
            self._wrong(words[place + 1 :], "Plur" if word in _ONE else "Sing")
            for place, word in enumerate(map(str.lower, words))
            if word in _ONE or word in _SEVERAL
        )

    def _wrong(self, after: Sequence[str], wrong: str) -> bool:
        """Tell whether the first nouns that stand together (a compound) have only the wrong number."""
        found: list[str] = []
        for place, word in enumerate(after):
            number = self.number.get(word, "")
            done = not number if found else place == _REACH
            if done or word.lower() in _STOP or not word[:1].isalpha():
                break
            found += [number] if number else []
        return bool(found) and set(found) == {wrong}


def _number(cell: Feats) -> str:
    return cell.text("Number")
