"""Which values a form shows: what ``strict`` asks an inventory of forms, and one made from treebanks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from solecism.hashing import combine
from solecism.mine.features import AGREEMENT, bundle
from solecism.mine.spans import Ints, first_rows
from solecism.mine.tokens import Tokens, read_tokens

__all__ = ["Inventory", "TreebankForms", "Word", "count_treebank", "count_words", "distinct_words"]

_UPOS = ("NOUN", "PRON", "DET", "ADJ", "VERB", "AUX")
_NOISE = ("Typo", "Abbr", "Foreign")
_FREE = frozenset({"Animacy", "Style", "Variant", "ExtPos", "Polite"})
"""Features in which two forms may differ and still be a minimal contrast in another."""


class Word(NamedTuple):
    """A word form as annotated; ``feats`` is the FEATS text."""

    form: str
    lemma: str
    upos: str
    feats: str


class Inventory(Protocol):
    """What ``strict`` asks of the forms of a language; features are those of agreement."""

    def contrasts(self, word: Word) -> frozenset[str]:
        """Features that the word shows: its lemma has a form, spelt differently, which differs in that
        feature's value and in nothing else that both express."""

    def ambiguous(self, word: Word) -> frozenset[str]:
        """Features that the form leaves open: spelt the same, it also has another value, all else
        that both express being alike."""


@dataclass(frozen=True)
class TreebankForms:
    """The forms that treebanks attest, with their counts.

    A bundle of features counts for :meth:`ambiguous` only where it makes up at least ``share`` of the
    form's occurrences and stands twice: single words are mistakes of annotation as often as not.
    """

    counts: Mapping[Word, int]
    share: float = 0.02
    _paradigms: dict[tuple[str, str], set[tuple[str, str]]] = field(init=False, repr=False)
    _forms: dict[tuple[str, str], Counter[str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        paradigms: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        forms: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for word, count in self.counts.items():
            form = word.form.casefold()
            paradigms[word.lemma.casefold(), word.upos].add((form, word.feats))
            forms[form, word.upos][word.feats] += count
        object.__setattr__(self, "_paradigms", paradigms)
        object.__setattr__(self, "_forms", forms)

    def contrasts(self, word: Word) -> frozenset[str]:
        """See :class:`Inventory`."""
        form = word.form.casefold()
        others = self._paradigms.get((word.lemma.casefold(), word.upos), ())
        return _differing(word.feats, (feats for other, feats in others if other != form))

    def ambiguous(self, word: Word) -> frozenset[str]:
        """See :class:`Inventory`."""
        counts = self._forms.get((word.form.casefold(), word.upos), Counter())
        least = max(2.0, self.share * counts.total())
        return _differing(word.feats, (feats for feats, count in counts.items() if count >= least))


def _differing(feats: str, others: Iterable[str]) -> frozenset[str]:
    """The agreement features in which a bundle differs from one of the others, and in nothing else."""
    ours = bundle(feats)
    found = (_difference(ours, bundle(other)) for other in others)
    return frozenset(name for name in found if name)


def _difference(ours: Mapping[str, frozenset[str]], theirs: Mapping[str, frozenset[str]]) -> str:
    """The one feature in which two bundles differ, if it is of agreement; else an empty text."""
    differing = [
        name
        for name, values in ours.items()
        if name not in _FREE and name in theirs and not values & theirs[name]
    ]
    return differing[0] if len(differing) == 1 and differing[0] in AGREEMENT else ""


def distinct_words(tokens: Tokens, rows: Ints) -> tuple[list[Word], Ints]:
    """Give the distinct words among some rows, and for every row which it is."""
    columns = (tokens.form[rows], tokens.lemma[rows])
    codes = tokens.upos.codes[rows], tokens.feats.codes[rows]
    numbers = [column.hashes() for column in columns] + [code.astype(np.uint64) for code in codes]
    encoded = pa.array(combine(np.zeros(len(rows), np.uint64), numbers)).dictionary_encode()
    which = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    first = first_rows(which, len(encoded.dictionary))
    texts = [column[first].texts() for column in columns]
    names = [
        [column.values[code] for code in column.codes[rows[first]]]
        for column in (tokens.upos, tokens.feats)
    ]
    return [Word(*cells) for cells in zip(*texts, *names, strict=True)], which


def count_words(tokens: Tokens, into: Counter[Word]) -> None:
    """Count the words of a block that may agree; misspelt, foreign and abbreviated ones are left out."""
    noisy = tokens.feats.table(lambda text: any(f"{name}=Yes" in text for name in _NOISE), bool)
    rows = np.flatnonzero(tokens.upos.isin(*_UPOS) & ~noisy)
    words, which = distinct_words(tokens, rows)
    for word, count in zip(words, np.bincount(which, minlength=len(words)).tolist(), strict=True):
        into[word] += count


def count_treebank(
    paths: Iterable[Path], skipped: Callable[[int], object] | None = None
) -> TreebankForms:
    """Make an inventory of the forms in CoNLL-U files; raises :class:`InputError` (see ``read_tokens``)."""
    counts: Counter[Word] = Counter()
    for path in paths:
        for tokens in read_tokens(path, skipped=skipped):
            count_words(tokens, counts)
    return TreebankForms(counts)
