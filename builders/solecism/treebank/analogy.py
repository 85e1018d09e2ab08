"""Forms by analogy: an ending is changed as other lemmas of the treebanks change it.

A treebank has most words of an agglutinating language in one form: of the Turkish targets that
agree, 53 % have no other form of their lemma.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

PARTS = ("VERB", "ADJ")
"""The parts of speech of which forms are made: the open ones."""
LEAST, ALIKE = 5, 0.95
"""How many other lemmas must change an ending, and the share of them that must change it alike."""
SURE = 0.97
"""The least share of attested forms that must be made right without their own lemma; of a part of
speech that has less no form is made."""
_MORE = 3
"""How many letters before those that change an ending may have."""
_FEWEST, _MOST = 2, 3
"""How many letters an ending has at least, and how many change at most: forms that differ in more
differ in more than a feature (tr. *almıştım*, *aldık*)."""

Form = tuple[str, str]
"""A form, in small letters, and its FEATS."""
_Change = tuple[str, str, str]
"""FEATS before and after a change, and the ending before it."""


@dataclass(frozen=True)
class Analogies:
    """The changes of endings in a part of speech.

    ``lemmas``: the forms of each lemma; ``targets``: for FEATS, those of the forms that differ from
    such a form in one feature of agreement alone.
    """

    lemmas: Mapping[str, frozenset[Form]]
    targets: Mapping[str, frozenset[str]]

    @cached_property
    def _endings(self) -> Mapping[_Change, Counter[str]]:
        """How many lemmas change an ending to which one."""
        found: dict[_Change, Counter[str]] = defaultdict(Counter)
        for lemma in self.lemmas:
            for change, ending in self._changes(lemma):
                found[change][ending] += 1
        return {change: counts for change, counts in found.items() if counts.total() >= LEAST}

    def _pairs(self, lemma: str) -> Iterator[tuple[Form, Form]]:
        """Yield two forms of a lemma that differ in one feature, in both directions."""
        own = self.lemmas.get(lemma, frozenset())
        for before in own:
            wanted = self.targets.get(before[1], frozenset())
            for after in own:
                longer = max(len(before[0]), len(after[0]))
                if after[1] in wanted and longer - shared_beginning(before[0], after[0]) <= _MOST:
                    yield before, after

    def _changes(self, lemma: str) -> set[tuple[_Change, str]]:
        """Return how a lemma changes endings, from the letters that change to some more."""
        found = set()
        for (form, feats), (other, theirs) in self._pairs(lemma):
            same = shared_beginning(form, other)
            for start in range(max(1, same - _MORE), min(same, len(form) - _FEWEST) + 1):
                found.add(((feats, theirs, form[start:]), other[start:]))
        return found

    def _changed(self, form: str, feats: str, theirs: str, own: set[tuple[_Change, str]]) -> str:
        """Return a form with other FEATS as other lemmas have it, an empty text without one."""
        for start in range(1, len(form) - _FEWEST + 1):
            change = feats, theirs, form[start:]
            counts = self._endings.get(change, Counter())
            others = {end: n - ((change, end) in own) for end, n in counts.items()}
            if sum(others.values()) >= LEAST:
                ending = max(others, key=lambda end: others[end])
                sure = others[ending] >= ALIKE * sum(others.values())
                return form[:start] + ending if sure else ""
        return ""

    @cached_property
    def _tried(self) -> Mapping[str, list[bool]]:
        """For each lemma, of each form that other lemmas make whether they make it right."""
        tried: dict[str, list[bool]] = defaultdict(list)
        for lemma, forms in self.lemmas.items():
            own = self._changes(lemma)
            for (form, feats), (_, theirs) in self._pairs(lemma):
                if made := self._changed(form, feats, theirs, own):
                    tried[lemma].append((made, theirs) in forms)
        return tried

    @cached_property
    def precision(self) -> float:
        """The share of attested forms that are made right without their own lemma."""
        made = [right for tried in self._tried.values() for right in tried]
        return sum(made) / len(made) if made else 0.0

    def of(self, lemma: str, form: str, feats: str) -> Iterator[Form]:
        """Yield the forms of a lemma that differ from one of its forms in one feature.

        None is made of a lemma with an irregular form, nor where :attr:`precision` is too low.
        """
        if self.precision < SURE or not all(self._tried.get(lemma, ())):
            return
        own = self._changes(lemma)
        for theirs in sorted(self.targets.get(feats, ())):
            if made := self._changed(form.casefold(), feats, theirs, own):
                yield made, theirs


def shared_beginning(form: str, other: str) -> int:
    """Return how many letters two forms begin with in common.

    >>> shared_beginning("libro", "libros"), shared_beginning("canta", "canto")
    (5, 4)
    """
    letters = enumerate(zip(form, other, strict=False))
    return next((n for n, (a, b) in letters if a != b), min(len(form), len(other)))
