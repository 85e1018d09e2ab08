"""Forms and the values that they show: inventories made from treebanks and UniMorph."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from solecism.grouping import first_rows
from solecism.hashing import combine
from solecism.lexicon.features import Feats
from solecism.schema import FORMS
from solecism.treebank.conllu import Ints, Tokens, read_tokens
from solecism.treebank.feature_bits import AGREEMENT, bundle
from solecism.treebank.sources import LocalSource
from solecism.treebank.unimorph import read_unimorph

__all__ = [
    "AGREEING", "Bundle", "LanguageForms", "Morphology", "ParadigmCell", "Paradigms", "TreebankForms",
    "UniMorphForms", "WordForm", "alike", "count_treebank", "count_words", "distinct_words",
    "read_inventory",
]  # fmt: skip

Bundle = Mapping[str, frozenset[str]]
AGREEING = ("NOUN", "PRON", "DET", "ADJ", "VERB", "AUX")
"""The parts of speech of words that may agree."""
_ABSENT = ("", "_")
"""What stands for a lemma that is not annotated: words without one have no paradigm."""
_NOISE = ("Typo", "Abbr", "Foreign")
_FREE = frozenset({"Animacy", "Style", "Variant", "ExtPos", "Polite"})
"""Features in which two forms may differ and still be a minimal contrast in another."""


class WordForm(NamedTuple):
    """A word form as annotated; ``feats`` is the FEATS text."""

    form: str
    lemma: str
    upos: str
    feats: str


class Morphology(Protocol):
    """What ``strict`` asks of the forms of a language; features are those of agreement."""

    def contrasts(self, word: WordForm) -> frozenset[str]:
        """Return the features that a word shows.

        Its lemma has a form, spelt differently, that differs in the feature's value and in nothing
        else that both express.
        """

    def ambiguous(self, word: WordForm) -> frozenset[str]:
        """Return the features that a form leaves open.

        Spelt the same, it also has another value, all else that both express being alike.
        """

    def frequency(self, form: str) -> int:
        """Return how often the treebanks have a form, in any capitals."""


@dataclass(frozen=True)
class TreebankForms:
    """The forms that treebanks attest, with their counts.

    A bundle of features counts for :meth:`ambiguous` only where it makes up at least ``share`` of
    the form's occurrences and stands twice: single words are mistakes of annotation as often as
    not. With ``analogy`` a form also shows what the forms of other lemmas with its ending show in
    the same cell, without exception: a small treebank has few whole paradigms.
    """

    counts: Mapping[WordForm, int]
    share: float = 0.02
    analogy: bool = False

    @cached_property
    def _paradigms(self) -> Mapping[tuple[str, str], set[tuple[str, str]]]:
        found: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        for word in self.counts:
            if word.lemma not in _ABSENT:
                found[_lemma(word)].add((word.form.casefold(), word.feats))
        return found

    def contrasts(self, word: WordForm) -> frozenset[str]:
        """See :class:`Morphology`."""
        form = word.form.casefold()
        others = self._paradigms.get(_lemma(word), ())
        shown = _differing(word.feats, (feats for other, feats in others if other != form))
        return shown | self._by_analogy(word) if self.analogy else shown

    @cached_property
    def _frequencies(self) -> Mapping[str, int]:
        found: Counter[str] = Counter()
        for word, count in self.counts.items():
            found[word.form.casefold()] += count
        return found

    def frequency(self, form: str) -> int:
        """See :class:`Morphology`."""
        return self._frequencies.get(form.casefold(), 0)

    def _by_analogy(self, word: WordForm) -> frozenset[str]:
        """Return what the longest ending shows that enough lemmas have in the same cell."""
        for ending in _endings(word.form):
            told = self._told.get((word.upos, word.feats, ending))
            if told and told[0] >= _LEMMAS:
                sure = (f for f, n in told[1].items() if n == told[0])
                return frozenset(f for f in sure if f.partition("[")[0] in _ANALOGOUS)
        return frozenset()

    @cached_property
    def _told(self) -> Mapping[tuple[str, str, str], tuple[int, Counter[str]]]:
        """For a cell and an ending: the lemmas that have another form, and what it shows."""
        found: dict[tuple[str, str, str], tuple[int, Counter[str]]] = {}
        for (_, upos), forms in self._paradigms.items():
            for form, feats in forms if len(forms) > 1 else ():
                theirs = [(other, f) for other, f in forms if f != feats]
                shown = _differing(feats, (f for other, f in theirs if other != form))
                alike = _differing(feats, (f for other, f in theirs if other == form))
                for ending in _endings(form) if shown | alike else ():
                    number, counts = found.get((upos, feats, ending), (0, Counter[str]()))
                    counts.update(shown - alike)
                    found[upos, feats, ending] = number + 1, counts
        return found

    @cached_property
    def _readings(self) -> Mapping[tuple[str, str], Counter[str]]:
        return count_readings(self.counts)

    def ambiguous(self, word: WordForm) -> frozenset[str]:
        """See :class:`Morphology`."""
        counts = self._readings.get((word.form.casefold(), word.upos), Counter())
        least = max(2.0, self.share * counts.total())
        return _differing(word.feats, (feats for feats, count in counts.items() if count >= least))


_LEMMAS = 5
"""So many lemmas tell what an ending shows, and all of them must."""
_ANALOGOUS = ("Number", "Person")
"""What an ending tells; gender and case have too many classes of words."""


def _endings(form: str) -> Iterator[str]:
    """Yield the last three and two letters of a form."""
    low = form.casefold()
    return (low[-size:] for size in (3, 2) if len(low) > size)


def _differing(feats: str, others: Iterable[str]) -> frozenset[str]:
    """Return the features of agreement in which alone a bundle differs from one of the others."""
    ours = bundle(feats)
    found = (_difference(ours, bundle(other)) for other in others)
    return frozenset(name for name in found if name)


def _difference(ours: Mapping[str, frozenset[str]], theirs: Mapping[str, frozenset[str]]) -> str:
    """Return the one feature of agreement in which two bundles differ, else an empty text."""
    differing = [
        name
        for name, values in ours.items()
        if name not in _FREE and name in theirs and not values & theirs[name]
    ]
    return differing[0] if len(differing) == 1 and _agrees(differing[0]) else ""


def _agrees(name: str) -> bool:
    """Return whether a feature, of any layer, is one of agreement."""
    return name.partition("[")[0] in AGREEMENT


def distinct_words(tokens: Tokens, rows: Ints) -> tuple[list[WordForm], Ints]:
    """Return the distinct words among some rows, and for every row which of them it is."""
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
    return [WordForm(*cells) for cells in zip(*texts, *names, strict=True)], which


def count_words(tokens: Tokens, into: Counter[WordForm]) -> None:
    """Count the words of a chunk that may agree, but for misspelt, foreign and abbreviated ones."""
    noisy = tokens.feats.table(lambda text: any(f"{name}=Yes" in text for name in _NOISE), bool)
    rows = np.flatnonzero(tokens.upos.isin(*AGREEING) & ~noisy)
    words, which = distinct_words(tokens, rows)
    for word, count in zip(words, np.bincount(which, minlength=len(words)).tolist(), strict=True):
        into[word] += count


_See = Callable[[Tokens], object]


def forms_besides(tokens: Tokens) -> set[str]:
    """Return the forms of a chunk, in small letters, that are no words of :data:`AGREEING`."""
    rows = np.flatnonzero(~tokens.upos.isin(*AGREEING, "PUNCT", "X", "SYM", "NUM"))
    first = np.unique(tokens.form[rows].hashes(), return_index=True)[1]
    return {form.casefold() for form in tokens.form[rows[first]].texts()}


def count_treebank(
    paths: Iterable[Path], skipped: Callable[[int], object] | None = None, see: _See = id
) -> TreebankForms:
    """Count the forms in CoNLL-U files; ``skipped`` and errors are those of ``read_tokens``.

    ``see`` is shown every chunk, so that what else is to be counted needs no second reading.
    """
    counts: Counter[WordForm] = Counter()
    for path in paths:
        for tokens in read_tokens(path, skipped=skipped):
            count_words(tokens, counts)
            see(tokens)
    return TreebankForms(counts, analogy=True)


_FREE_IN_READINGS = frozenset({"Animacy", "Style", "ExtPos", "Polite", "NumType", "Foreign"})
_SHARE, _RARE = 0.01, 0.1


def alike(a: Bundle, b: Bundle, names: Iterable[str] | None = None) -> bool:
    """Return whether two bundles share a value in each feature (of ``names``) of both."""
    tried = a if names is None else names
    return all(a[name] & b[name] for name in tried if name in a and name in b)


def _contrast(ours: Bundle, theirs: Bundle) -> str:
    """Return the one feature in which two bundles differ if it is of agreement, else an empty text.

    A feature of agreement may be missing in one of them, as gender is in the plural of Russian.
    """
    differ = [
        name
        for name in ours
        if name in theirs and not ours[name] & theirs[name] and name not in _FREE_IN_READINGS
    ]
    only = (set(ours) ^ set(theirs)) - _FREE_IN_READINGS
    return differ[0] if len(differ) == 1 and all(map(_agrees, (*differ, *only))) else ""


@dataclass(frozen=True)
class ParadigmCell:
    """A form in a paradigm; ``count``: how often treebanks have it, 0 for UniMorph's."""

    form: str
    feats: str
    count: int

    @property
    def source(self) -> str:
        """The source that has it: ``UD`` or ``UniMorph``."""
        return "UD" if self.count else "UniMorph"


@dataclass(frozen=True)
class Paradigms:
    """The words of an inventory by lemma and by form, in any capitals.

    ``attested``: words of treebanks with their counts; ``listed``: words of UniMorph.
    """

    attested: Mapping[WordForm, int]
    listed: Sequence[WordForm] = ()

    @cached_property
    def _treebank(self) -> Mapping[tuple[str, str], list[ParadigmCell]]:
        return _by_lemma(self.attested)

    @cached_property
    def _unimorph(self) -> Mapping[tuple[str, str], list[ParadigmCell]]:
        return _by_lemma(dict.fromkeys(self.listed, 0))

    @cached_property
    def _counts(self) -> Mapping[tuple[str, str], Counter[str]]:
        return count_readings({**dict.fromkeys(self.listed, 0), **self.attested})

    def others(self, word: WordForm, feature: str) -> list[ParadigmCell]:
        """Return the cells that differ from a word in one feature alone, the most frequent first.

        Cells of treebanks are compared with the word as annotated, those of UniMorph with the word
        as it lists it. A form that is rare beside another of the same cell (*du* for *do*) is left
        out.
        """
        ours = bundle(word.feats)
        cells = _common(self._treebank.get(_lemma(word), []))
        found = [cell for cell in cells if _contrast(ours, bundle(cell.feats)) == feature]
        cells = self._unimorph.get(_lemma(word), [])
        same = [c for c in cells if c.form.casefold() == word.form.casefold()]
        own = [bundle(c.feats) for c in same if alike(ours, bundle(c.feats))]
        found += [c for c in cells if any(_contrast(o, bundle(c.feats)) == feature for o in own)]
        wrong = (c for c in found if c.form.casefold() != word.form.casefold())
        return sorted(wrong, key=lambda cell: (-cell.count, cell.form, cell.feats))

    def readings(self, form: str, *parts: str) -> list[Bundle]:
        """Return the bundles of a form as one of some parts of speech.

        What makes up less than a hundredth of its occurrences is taken for a mistake of annotation.
        """
        found: list[Bundle] = []
        for upos in parts:
            counts = self._counts.get((form.casefold(), upos), Counter())
            least = _SHARE * counts.total()
            found += [bundle(f) for f, count in counts.items() if not count or count >= least]
        return found


def _common(cells: list[ParadigmCell]) -> list[ParadigmCell]:
    """Return the cells without the forms that are rare where they stand."""
    most: Counter[str] = Counter()
    for cell in cells:
        most[cell.feats] = max(most[cell.feats], cell.count)
    return [cell for cell in cells if cell.count >= _RARE * most[cell.feats]]


def _by_lemma(counts: Mapping[WordForm, int]) -> dict[tuple[str, str], list[ParadigmCell]]:
    cells: dict[tuple[str, str], list[ParadigmCell]] = defaultdict(list)
    for word, count in counts.items():
        if word.lemma in _ABSENT:
            continue
        cells[_lemma(word)].append(ParadigmCell(word.form, word.feats, count))
    return cells


def count_readings(counts: Mapping[WordForm, int]) -> dict[tuple[str, str], Counter[str]]:
    """Count the FEATS of every form, in any capitals, as a part of speech."""
    readings: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word, count in counts.items():
        readings[word.form.casefold(), word.upos][word.feats] += count
    return readings


def _lemma(word: WordForm) -> tuple[str, str]:
    return word.lemma.casefold(), word.upos


_ROWS = 1 << 15
_OFTEN = 8
_DOTLESS = ("tr", "az")
_BLANK = (" ", "\u00a0")


@dataclass(frozen=True)
class UniMorphForms:
    """The words of a UniMorph list, in UD's terms, and the licence of the list."""

    words: tuple[WordForm, ...]
    licence: str = ""

    @classmethod
    def read(
        cls,
        paths: Path | Sequence[Path],
        language: str,
        licence: str = "",
        auxiliaries: frozenset[str] = frozenset(),
    ) -> UniMorphForms:
        """Read a list, or its parts one after the other; ``language`` is ISO 639-3.

        Lines with tags that are not in the schema are passed over.
        Verbs whose lemmas are ``auxiliaries`` stand in it as such too, for UniMorph does not keep
        them apart. Forms of several words (*os ababillabais*) are left out.
        """
        words = dict.fromkeys(
            WordForm(t.form, t.lemma, upos, str(t.feats))
            for path in ([paths] if isinstance(paths, Path) else paths)
            for t in read_unimorph(path, language, lenient=True)
            if not any(blank in t.form for blank in _BLANK)
            for upos in (t.upos, *(("AUX",) if t.upos == "VERB" and t.lemma in auxiliaries else ()))
        )
        return cls(tuple(words), licence)

    @cached_property
    def forms(self) -> TreebankForms:
        """The words as a :class:`Morphology` that takes every line of the list for right."""
        return TreebankForms(dict.fromkeys(self.words, 2), share=0.0)


@dataclass(frozen=True)
class LanguageForms:
    """All that is known of a language's forms; a :class:`Morphology`.

    ``counts``: how often which treebank has a word, as written; ``licences``: of treebanks by name;
    ``besides``: forms, in small letters, of words that never agree (adverbs, particles, names).
    """

    language: str
    counts: Mapping[str, Mapping[WordForm, int]]
    licences: Mapping[str, str]
    unimorph: UniMorphForms | None = None
    besides: frozenset[str] = frozenset()

    @cached_property
    def _sources(self) -> tuple[TreebankForms, ...]:
        total: Counter[WordForm] = Counter()
        for words in self.counts.values():
            total.update(words)
        attested = TreebankForms(total, analogy=self.unimorph is None)
        return attested, *((self.unimorph.forms,) if self.unimorph else ())

    def contrasts(self, word: WordForm) -> frozenset[str]:
        """Return what the treebanks or UniMorph show, see :class:`Morphology`."""
        return frozenset().union(*(source.contrasts(word) for source in self._sources))

    def ambiguous(self, word: WordForm) -> frozenset[str]:
        """Return what the treebanks or UniMorph show, see :class:`Morphology`."""
        return frozenset().union(*(source.ambiguous(word) for source in self._sources))

    def frequency(self, form: str) -> int:
        """See :class:`Morphology`; UniMorph counts nothing."""
        return self._sources[0].frequency(form)

    @cached_property
    def attested(self) -> Mapping[WordForm, Mapping[str, int]]:
        """The words of the treebanks, put in order, with their counts by treebank.

        What has no letter, or a stand-in for one (``_``), is left out.
        """
        found: dict[WordForm, Counter[str]] = defaultdict(Counter)
        for treebank, counts in self.counts.items():
            for word, count in counts.items():
                if "_" in word.form or not any(map(str.isalpha, word.form)):
                    continue
                form = _uncapitalised(word.form, word.lemma, self.language)
                found[word._replace(form=form, feats=_in_order(word.feats))][treebank] += count
        return found

    @cached_property
    def paradigms(self) -> Paradigms:
        """The words of all sources by lemma and by form."""
        attested = {word: sum(counts.values()) for word, counts in self.attested.items()}
        return Paradigms(attested, self.unimorph.words if self.unimorph else ())

    @cached_property
    def _genders(self) -> Mapping[str, Counter[frozenset[str]]]:
        found: dict[str, Counter[frozenset[str]]] = defaultdict(Counter)
        for word, count in self._sources[0].counts.items():
            if word.upos == "NOUN":
                found[word.lemma.casefold()][bundle(word.feats).get("Gender", frozenset())] += count
        return found

    def has_one_gender(self, lemma: str) -> bool:
        """Return whether the treebanks have a noun often enough, always of the same gender."""
        genders = self._genders.get(lemma.casefold(), Counter())
        return len(genders) == 1 and genders.total() >= _OFTEN and all(map(len, genders))

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows of ``<lang>-forms`` (:data:`solecism.schema.FORMS`), in order."""
        rows = _rows(self)
        while some := list(islice(rows, _ROWS)):
            yield pa.Table.from_pylist(some, FORMS)


def read_inventory(
    language: str,
    treebanks: Iterable[LocalSource],
    unimorph: LocalSource | None = None,
    see: _See = id,
) -> LanguageForms:
    """Count the forms of treebanks and read a UniMorph list; raises :class:`InputError`.

    ``see`` is shown every chunk of the treebanks.
    """
    counts: dict[str, Counter[WordForm]] = {}
    licences: dict[str, str] = {}
    besides: set[str] = set()
    for found in treebanks:
        words = counts.setdefault(found.origin.name, Counter())
        licences[found.origin.name] = found.origin.licence
        for path in found.files:
            for tokens in read_tokens(path):
                count_words(tokens, words)
                besides |= forms_besides(tokens)
                see(tokens)
    triples = None
    if unimorph is not None:
        code = unimorph.origin.repository.partition("/")[2]
        auxiliaries = frozenset(w.lemma for c in counts.values() for w in c if w.upos == "AUX")
        triples = UniMorphForms.read(unimorph.files, code, unimorph.origin.licence, auxiliaries)
    return LanguageForms(language, counts, licences, triples, frozenset(besides))


Row = dict[str, object]
_Key = tuple[str, str, str]


def _rows(inventory: LanguageForms) -> Iterator[Row]:
    attested = inventory.attested
    lists: dict[_Key, list[str]] = defaultdict(list)
    for word in inventory.unimorph.words if inventory.unimorph else ():
        lists[_key(word)].append(word.feats)
    by_key: dict[_Key, list[str]] = defaultdict(list)
    for word in attested:
        by_key[_key(word)].append(word.feats)
    rows = [_row_of_treebanks(word, counts, lists, inventory) for word, counts in attested.items()]
    if inventory.unimorph is not None:
        licences = [inventory.unimorph.licence] if inventory.unimorph.licence else []
        rows += [
            {**word._asdict(), "source": "UniMorph", "frequency": 0, "treebanks": [],
             "licences": licences}
            for word in inventory.unimorph.words if not _covered(word, by_key)
        ]  # fmt: skip
    yield from sorted(rows, key=lambda row: tuple(str(row[n]) for n in FORMS.names[:5]))


def _uncapitalised(form: str, lemma: str, language: str) -> str:
    """Return a form without the capitals of its place in the sentence; those of its lemma stay."""
    if lemma[:1].isupper() and not form.isupper():
        return form
    if lemma[:1].isupper():
        return form.capitalize() if len(form) > 1 and not lemma.isupper() else form
    if language in _DOTLESS:
        form = form.replace("İ", "i").replace("I", "ı")
    return form.lower()


@lru_cache(maxsize=1 << 16)
def _in_order(feats: str) -> str:
    """Return features in UD's order, without those that are not spelt as UD spells them."""
    good = {}
    for name, values in bundle(feats).items():
        try:
            Feats.of({name: values})
        except ValueError:
            continue
        good[name] = values
    return str(Feats.of(good))


def _key(word: WordForm) -> _Key:
    return word.form.casefold(), word.lemma.casefold(), word.upos


def _covered(word: WordForm, attested: Mapping[_Key, list[str]]) -> bool:
    """Return whether a word of UniMorph shows no agreement that the treebanks do not show."""
    names = [name for name in AGREEMENT if name in bundle(word.feats)]
    return any(
        alike(bundle(feats), bundle(word.feats)) and all(name in bundle(feats) for name in names)
        for feats in attested.get(_key(word), ())
    )


def _row_of_treebanks(
    word: WordForm,
    counts: Mapping[str, int],
    lists: Mapping[_Key, list[str]],
    inventory: LanguageForms,
) -> Row:
    both = any(alike(bundle(word.feats), bundle(feats)) for feats in lists.get(_key(word), ()))
    licences = [inventory.licences.get(name, "") for name in counts]
    licences += [inventory.unimorph.licence] if both and inventory.unimorph else []
    return {
        **word._asdict(),
        "source": "both" if both else "UD",
        "frequency": sum(counts.values()),
        "treebanks": sorted(counts),
        "licences": sorted({licence for licence in licences if licence}),
    }
