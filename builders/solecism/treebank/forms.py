"""The forms of a language, from its treebanks and UniMorph, and the values that they show."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from solecism.lexicon.evidence import parse_feats
from solecism.lexicon.features import Feats
from solecism.schema import FORMS
from solecism.treebank.analogy import PARTS, Analogies
from solecism.treebank.conllu import Flags, Ints, Tokens, read_tokens
from solecism.treebank.relations import AGREEMENT, Bundle, bundle, third_person
from solecism.works.sources import LocalSource
from solecism.works.unimorph import Attested, read_unimorph

AGREEING = ("NOUN", "PRON", "DET", "ADJ", "VERB", "AUX")
"""The parts of speech of words that may agree."""

_ABSENT = ("", "_")
"""How a lemma is written that is not annotated."""
_STEM, _ENDING, _MOST_FORMS = 3, 3, 12
"""Of a stem: the least number of letters, the greatest number that may follow it, and the greatest
number of forms (those of a beginning that more forms share are of several words)."""
_NOISE = ("Typo", "Abbr", "Foreign")
_FREE = frozenset({"Animacy", "Style", "Variant", "ExtPos", "Polite"})
"""Two forms that contrast in one feature of agreement may differ in these features too."""
_ANNOTATION = frozenset({"Animacy", "ExtPos", "NumType", "Foreign"})
"""The same for forms that replace each other in a sentence: these are often left out on one of the
two. Forms of two styles, short and long, or polite and plain forms do not replace each other."""
_LACKING = frozenset({*AGREEMENT, "Clusivity", "Polite", "VerbForm"})
"""Features that one of two such forms may lack, in any layer: gender has a singular alone in
Russian, clusivity a first person; Tamil plurals are without ``Polite``, some finite verbs of Moksha
without ``VerbForm``."""
_LEAST_FORMS = 5
"""An ending shows a feature if at least so many forms with it are known, and all show it."""
_ANALOGOUS = ("Number", "Person")
"""The features that an ending can show. In gender and case, words of one ending differ too much."""
_SHARE = 0.01
"""The least share of a form's occurrences that a reading must have (:meth:`Paradigms.readings`)."""
_RARE = 0.1
"""A form with less than this share of the most frequent one with the same features is left out."""
_ENOUGH, _EXCEPTIONS = 8, 0.02
"""Of nouns with an ending: how many tell that a case has another one, and the greatest share of
those that have this case with it (:meth:`Paradigms.spelt_otherwise`)."""
_OFTEN = 8
"""The least number of occurrences of a noun by which its gender is known."""
_DOTLESS = ("tr", "az")
_ROWS = 1 << 15
_MOST_CELLS = 2_000
"""The most forms of a lemma that are compared, each with each other. No paradigm has so many, but
a file of others may."""

_See = Callable[[Tokens], object]
_Stems = Mapping[tuple[str, str], str]


class WordForm(NamedTuple):
    """A word form as annotated; ``feats`` is the FEATS text."""

    form: str
    lemma: str
    upos: str
    feats: str


def distinct_words(tokens: Tokens, rows: Ints) -> tuple[list[WordForm], Ints]:
    """Return the distinct words of some rows, and for each row the place of its word in them."""
    columns = [column[rows] for column in (tokens.forms, tokens.lemmas, tokens.upos, tokens.feats)]
    sizes = [len(column.values) + 1 for column in columns]  # never 0, also without words
    number = np.ravel_multi_index([column.codes for column in columns], sizes)
    _, first, which = np.unique(number, return_index=True, return_inverse=True)
    texts = ([column.values[code] for code in column.codes[first]] for column in columns)
    return [WordForm(*cells) for cells in zip(*texts, strict=True)], which


def inflected_adpositions(tokens: Tokens) -> Flags:
    """Return flags of the adpositions that have a person, of any layer."""
    inflected: Flags = tokens.feats.table(lambda text: "Person" in text, bool)
    return tokens.upos.isin("ADP") & inflected


def agreeing_words(tokens: Tokens) -> Flags:
    """Return flags of the words that may agree: of adpositions, those that have a person."""
    return tokens.upos.isin(*AGREEING) | inflected_adpositions(tokens)


def attested_words(file: Path) -> Iterator[Attested]:
    """Yield the words of a CoNLL-U file, chunk by chunk, but misspelt, foreign and short ones.

    Underscores in front mark a word within a Hebrew multiword token (``_הוא``); one at the end is
    written as its lemma and attests no form (``יד_`` for the plural). Raises :class:`InputError`
    for FEATS that are not UD's.
    """
    for tokens in read_tokens(file):
        for (text, lemma, upos, feats), times in _counted(tokens, np.ones(len(tokens), bool)):
            if len(text) == 1 or text[-1] not in "_ ":
                form = text.lstrip("_ ") or text
                # A capital begins a sentence or a title, unless the lemma has it.
                form = form.lower() if lemma == lemma.lower() else form
                lemma = form if lemma == "_" else lemma
                yield Attested(form, lemma, upos, parse_feats(feats, file), times)


def count_words(tokens: Tokens, into: Counter[WordForm]) -> None:
    """Add to ``into`` the words of a chunk that may agree, but misspelt, foreign and short ones."""
    for word, count in _counted(tokens, agreeing_words(tokens)):
        into[word] += count


def _counted(tokens: Tokens, chosen: Flags) -> Iterator[tuple[WordForm, int]]:
    noisy = tokens.feats.table(lambda text: any(f"{name}=Yes" in text for name in _NOISE), bool)
    words, which = distinct_words(tokens, np.flatnonzero(chosen & ~noisy))
    return zip(words, np.bincount(which, minlength=len(words)).tolist(), strict=True)


def alike(a: Bundle, b: Bundle, names: Iterable[str] | None = None) -> bool:
    """Return whether two bundles share a value of each feature (of ``names``) that both have."""
    tried = a if names is None else names
    return all(a[name] & b[name] for name in tried if name in a and name in b)


def may_lack(name: str) -> bool:
    """Return whether one of two forms that replace each other may lack a feature."""
    return name.partition("[")[0] in _LACKING


def _contrast(ours: Bundle, theirs: Bundle) -> str:
    """Return the feature of agreement in which alone two bundles differ, else an empty text.

    Only features that both have, and that are not in :data:`_FREE`, are looked at.
    """
    return _agreeing_alone(_clashing(ours, theirs) - _FREE)


def _clashing(ours: Bundle, theirs: Bundle) -> set[str]:
    """Return the features that two bundles have without a common value."""
    return {name for name in ours.keys() & theirs.keys() if not ours[name] & theirs[name]}


def _agreeing_alone(names: set[str]) -> str:
    """Return the only name of some, if it is one of agreement, else an empty text."""
    (name, *others) = names or {""}
    return name if not others and name.partition("[")[0] in AGREEMENT else ""


def differing(ours: Bundle, theirs: Bundle) -> set[str]:
    """Return in which features a form differs that is to replace another one in its sentence.

    These are features with other values, and features that one of the two must not lack.
    """
    lacking = {name for name in ours.keys() ^ theirs.keys() if not may_lack(name)}
    clashing = _clashing(ours, theirs) - (_ANNOTATION - {"Animacy"})  # uk. novyj, novyx
    return (lacking - _ANNOTATION) | clashing


def _contrasts(feats: str, others: Iterable[str]) -> frozenset[str]:
    """Return the features of agreement that are the only difference to one of the others."""
    ours = bundle(feats)
    found = (_contrast(ours, bundle(other)) for other in others)
    return frozenset(name for name in found if name)


def _lemma(word: WordForm, stems: _Stems) -> tuple[str, str]:
    """Return lemma and part of speech of a word; the stem, with a hyphen, where it has no lemma."""
    if word.lemma and word.lemma not in _ABSENT:
        return word.lemma.casefold(), word.upos
    return stems.get((word.form.casefold(), word.upos), ""), word.upos


def stems_of(words: Iterable[WordForm]) -> _Stems:
    """Return the stem of each form, in lower case, and part of speech, if most have no lemma.

    It is the beginning that most forms share, the longest of several.

    >>> words = [WordForm(form, "_", "NOUN", "_") for form in ("hestur", "hestar", "hús")]
    >>> stems_of(words)["hestar", "NOUN"]
    'hest-'
    """
    keys = {(word.form.casefold(), word.upos, word.lemma in _ABSENT) for word in words}
    bare = {(form, upos): _beginnings(form) for form, upos, absent in sorted(keys) if absent}
    if 2 * len(bare) <= len(keys):
        return {}
    shared = Counter((start, upos) for (_, upos), starts in bare.items() for start in starts)
    forms = {key: number for key, number in shared.items() if number <= _MOST_FORMS}
    return {
        (form, upos): max(starts, key=lambda start: (forms.get((start, upos), 0), len(start))) + "-"
        for (form, upos), starts in bare.items()
    }


def _beginnings(form: str) -> list[str]:
    """Return the beginnings of a form that may be its stem."""
    sizes = range(max(_STEM, len(form) - _ENDING), len(form) + 1)
    return [form[:size] for size in sizes] or [form]


def _endings(form: str, sizes: tuple[int, ...] = (3, 2)) -> Iterator[str]:
    """Yield the last letters of a form, in lower case: so many as ``sizes`` says."""
    low = form.casefold()
    return (low[-size:] for size in sizes if len(low) > size)


def _has_case(feats: Bundle, case: Bundle) -> bool:
    """Return whether features have a case, and no other number."""
    return "Case" in feats and alike(feats, case)


@dataclass(frozen=True)
class CountedForms:
    """The forms that treebanks attest, or that a list has, with their counts.

    For :meth:`ambiguous`, features count only if at least ``share`` of the form's occurrences, and
    at least two, have them: those of a single word are often a mistake of annotation. A form of the
    parts of speech ``analogous`` also shows what all forms of other lemmas with the same ending and
    the same features show: a small treebank has few whole paradigms.
    """

    counts: Mapping[WordForm, int]
    share: float = 0.02
    analogous: frozenset[str] = frozenset()

    @cached_property
    def _paradigms(self) -> Mapping[tuple[str, str], set[tuple[str, str]]]:
        cells = _by_lemma(self.counts, self._stems)
        return {key: {(c.form.casefold(), c.feats) for c in own} for key, own in cells.items()}

    @cached_property
    def _stems(self) -> _Stems:
        return stems_of(self.counts)

    def contrasts(self, word: WordForm) -> frozenset[str]:
        """Return the features of agreement that a word's form shows.

        A form shows a feature if its lemma has another form, spelt differently, that differs in the
        value of this feature and of no other one that both have.
        """
        form = word.form.casefold()
        others = self._paradigms.get(_lemma(word, self._stems), ())
        shown = _contrasts(word.feats, (feats for other, feats in others if other != form))
        if word.upos not in self.analogous:
            return shown
        # For each feature, the longest ending counts that enough forms with these features have.
        found: dict[str, bool] = {}
        for ending in _endings(word.form):
            counts = self._evidence_of_endings.get((word.upos, word.feats, ending), {})
            sure = {name: no == 0 for name, (yes, no) in counts.items() if yes + no >= _LEAST_FORMS}
            found = {**sure, **found}
        return shown.union(name for name, always in found.items() if always)

    @cached_property
    def _evidence_of_endings(self) -> Mapping[tuple[str, str, str], Mapping[str, list[int]]]:
        """What an ending shows, by part of speech, FEATS and ending, for each feature.

        Values are the numbers of forms with the ending that show the feature, and of those that do
        not, as their lemma spells the form with another value alike (*sheep*). Lemmas without such
        a form are not counted.
        """
        found: dict[tuple[str, str, str], dict[str, list[int]]] = defaultdict(dict)
        for (_, upos), forms in self._paradigms.items():
            for form, feats in forms if len(forms) > 1 else ():
                theirs = [(other, f) for other, f in forms if f != feats]
                shown = _contrasts(feats, (f for other, f in theirs if other != form))
                same = _contrasts(feats, (f for other, f in theirs if other == form))
                for ending in _endings(form) if shown | same else ():
                    for name in shown | same:
                        if name.partition("[")[0] in _ANALOGOUS:
                            counts = found[upos, feats, ending].setdefault(name, [0, 0])
                            counts[name in same] += 1
        return found

    @cached_property
    def _readings(self) -> Mapping[tuple[str, str], list[str]]:
        """The FEATS of each form that are frequent enough."""
        found = {}
        for key, counts in _count_readings(self.counts).items():
            least = max(2.0, self.share * counts.total())
            found[key] = [feats for feats, count in counts.items() if count >= least]
        return found

    def ambiguous(self, word: WordForm) -> frozenset[str]:
        """Return the features of agreement that a word's form leaves open.

        A form leaves a feature open if it is also annotated with another value of this feature, and
        with the same values of all others that both have.
        """
        return _contrasts(word.feats, self._readings.get((word.form.casefold(), word.upos), ()))


@dataclass(frozen=True)
class ParadigmCell:
    """A form of a lemma; ``count``: how often the treebanks have it, 0 for a form of another
    ``source``: ``UD``, ``UniMorph`` or ``analogy``."""

    form: str
    feats: str
    count: int
    source: str = "UD"


class Paradigms:
    """The words of an inventory by lemma and by form, in any capitals.

    ``attested``: words of treebanks with their counts; ``listed``: words of UniMorph.
    """

    def __init__(self, attested: Mapping[WordForm, int], listed: Sequence[WordForm] = ()) -> None:
        without = dict.fromkeys(listed, 0)
        self._stems = stems_of(attested)
        self._treebank = _by_lemma(attested, self._stems)
        self._unimorph = _by_lemma(without, self._stems, "UniMorph")
        self._counts = _count_readings({**without, **attested})

    def others(self, word: WordForm, features: Set[str]) -> list[ParadigmCell]:
        """Return the forms of a word's lemma that differ from it in some features alone.

        The most frequent form comes first; forms that are spelt like the word are left out. Other
        features of agreement may be missing in one of the two, as gender is in the Russian plural.
        Forms of treebanks are compared with the word as annotated, those of UniMorph with the word
        as UniMorph lists it. A form is left out if it is rare beside another one with the same
        features (*du* for *do*).
        """
        ours, form = bundle(word.feats), word.form.casefold()
        lemma = _lemma(word, self._stems)
        cells = self._treebank.get(lemma, [])
        most: Counter[str] = Counter()
        for cell in cells:
            most[cell.feats] = max(most[cell.feats], cell.count)
        common = (cell for cell in cells if cell.count >= _RARE * most[cell.feats])
        found = [cell for cell in common if differing(ours, bundle(cell.feats)) == features]
        cells = self._unimorph.get(lemma, [])
        same = (bundle(cell.feats) for cell in cells if cell.form.casefold() == form)
        own = [feats for feats in same if alike(ours, feats)]
        found += [c for c in cells if any(differing(f, bundle(c.feats)) == features for f in own)]
        spelt_otherwise = (cell for cell in found if cell.form.casefold() != form)
        return sorted(spelt_otherwise, key=lambda cell: (-cell.count, cell.form, cell.feats))

    def by_analogy(self, word: WordForm, features: Set[str]) -> list[ParadigmCell]:
        """Return forms that no source has, made as other lemmas make them."""
        analogies = self._analogies.get(word.upos)
        if analogies is None:
            return []
        made = analogies.of(_lemma(word, self._stems)[0], word.form, word.feats)
        cells = [ParadigmCell(form, feats, 0, "analogy") for form, feats in made]
        ours = bundle(word.feats)
        return [cell for cell in cells if differing(ours, bundle(cell.feats)) == features]

    @cached_property
    def _analogies(self) -> Mapping[str, Analogies]:
        """How the lemmas of the treebanks change their endings, by part of speech."""
        found = {}
        for upos in PARTS:
            own = {key[0]: cells for key, cells in self._treebank.items() if key[1] == upos}
            lemmas = {
                lemma: frozenset((cell.form.casefold(), cell.feats) for cell in cells)
                for lemma, cells in own.items()
            }
            known = sorted({feats for forms in lemmas.values() for _, feats in forms})
            targets = {
                a: frozenset(b for b in known if _agreeing_alone(differing(bundle(a), bundle(b))))
                for a in known
            }
            found[upos] = Analogies(lemmas, targets)
        return found

    def readings(self, form: str, *parts: str) -> list[Bundle]:
        """Return the features that a form has as one of the parts of speech, a bundle for each
        reading.

        Features of less than a hundredth of its occurrences are taken for a mistake of annotation,
        and so is a word without any, and a noun without number and gender, if others of its form
        have them.
        """
        found: list[Bundle] = []
        for upos in parts:
            counts = self._counts.get((form.casefold(), upos), Counter())
            least = _SHARE * counts.total()
            own = [bundle(f) for f, count in counts.items() if not count or count >= least]
            shown = [feats for feats in own if "Number" in feats or "Gender" in feats]
            found += (upos == "NOUN" and shown) or [*filter(None, own)] or own
        return found

    def spelt_otherwise(self, noun: WordForm, case: Bundle) -> bool:
        """Return whether a noun surely has another form in a case and number.

        It is sure by another form of its lemma, or by its ending: of :data:`_ENOUGH` or more other
        lemmas with a form in it, less than :data:`_EXCEPTIONS` have it in that case and number.
        """
        key, form = _lemma(noun, self._stems), noun.form.casefold()
        own = [*self._treebank.get(key, ()), *self._unimorph.get(key, ())]
        forms = {c.form.casefold() for c in own if _has_case(bundle(c.feats), case)}
        if forms:
            return form not in forms
        for ending in _endings(form, (5, 4, 3, 2)):
            lemmas = self._nouns_by_ending.get(ending, {}).keys() - {key[0]}
            if len(lemmas) >= _ENOUGH:
                found = (self._nouns_by_ending[ending][lemma] for lemma in lemmas)
                alike_ = sum(any(_has_case(feats, case) for feats in own) for own in found)
                return alike_ < _EXCEPTIONS * len(lemmas)
        return False

    @cached_property
    def _nouns_by_ending(self) -> Mapping[str, Mapping[str, list[Bundle]]]:
        """The features of the nouns of the treebanks, by their last letters and by lemma."""
        found: dict[str, dict[str, list[Bundle]]] = defaultdict(lambda: defaultdict(list))
        for (lemma, upos), cells in self._treebank.items():
            for cell in cells if upos == "NOUN" else ():
                for ending in _endings(cell.form, (5, 4, 3, 2)):
                    found[ending][lemma].append(bundle(cell.feats))
        return found


def _by_lemma(
    counts: Mapping[WordForm, int], stems: _Stems, source: str = "UD"
) -> Mapping[tuple[str, str], list[ParadigmCell]]:
    cells: dict[tuple[str, str], list[ParadigmCell]] = defaultdict(list)
    for word, count in counts.items():
        cells[_lemma(word, stems)].append(ParadigmCell(word.form, word.feats, count, source))
    return {key: found for key, found in cells.items() if key[0] and len(found) <= _MOST_CELLS}


def _count_readings(counts: Mapping[WordForm, int]) -> Mapping[tuple[str, str], Counter[str]]:
    """Return how often each form has which FEATS, by form (in lower case) and part of speech."""
    readings: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word, count in counts.items():
        readings[word.form.casefold(), word.upos][word.feats] += count
    return readings


def read_list(
    paths: Sequence[Path], language: str, auxiliaries: frozenset[str] = frozenset()
) -> tuple[WordForm, ...]:
    """Return the words of a UniMorph list, or of its parts one after the other, in UD's terms.

    ``language`` is an ISO 639-3 code. Lines with unknown tags, and forms of several words (*os
    ababillabais*), are left out. Verbs whose lemma is in ``auxiliaries`` are returned a second time
    as AUX, because UniMorph does not distinguish auxiliaries from verbs.
    """
    words: dict[WordForm, None] = {}
    for line in (line for path in paths for line in read_unimorph(path, language, lenient=True)):
        if " " in line.form or "\u00a0" in line.form:
            continue
        word = WordForm(line.form, line.lemma, line.upos, str(line.feats))
        words[word] = None
        if line.upos == "VERB" and line.lemma in auxiliaries:
            words[word._replace(upos="AUX")] = None
    return tuple(words)


@dataclass(frozen=True)
class LanguageForms:
    """All that is known of a language's forms.

    ``counts``: for each treebank, how often it has which word, as written; ``licences``: the
    licences of the treebanks by name; ``unimorph``: the words of the UniMorph list, None without a
    list; ``list_licence``: the licence of the list; ``besides``: forms, in small letters, of words
    that never agree (adverbs, particles, names).
    """

    language: str
    counts: Mapping[str, Mapping[WordForm, int]]
    licences: Mapping[str, str] = field(default_factory=dict)
    unimorph: tuple[WordForm, ...] | None = None
    besides: frozenset[str] = frozenset()
    list_licence: str = ""

    @cached_property
    def _sources(self) -> tuple[CountedForms, ...]:
        """The forms of the treebanks, then those of the list, if there is one.

        Endings show what the list does not have: that of Persian has verbs alone. Each word of it
        has the count 2, the least that :meth:`CountedForms.ambiguous` takes.
        """
        total: Counter[WordForm] = Counter()
        for words in self.counts.values():
            total.update(words)
        listed = self.unimorph or ()
        known = CountedForms(total, analogous=frozenset(AGREEING) - {word.upos for word in listed})
        return (known, CountedForms(dict.fromkeys(listed, 2), share=0.0)) if listed else (known,)

    def contrasts(self, word: WordForm) -> frozenset[str]:
        """Return the features that a form shows by the treebanks or by UniMorph.

        See :meth:`CountedForms.contrasts`.
        """
        return frozenset().union(*(source.contrasts(word) for source in self._sources))

    def ambiguous(self, word: WordForm) -> frozenset[str]:
        """Return the features that a form leaves open by the treebanks or by UniMorph.

        See :meth:`CountedForms.ambiguous`.
        """
        return frozenset().union(*(source.ambiguous(word) for source in self._sources))

    @cached_property
    def _frequencies(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for word, count in self._sources[0].counts.items():
            found[word.form.casefold()] += count
        return found

    def frequency(self, form: str) -> int:
        """Return how often the treebanks have a form, in any capitals."""
        return self._frequencies[form.casefold()]

    @cached_property
    def attested(self) -> Mapping[WordForm, Mapping[str, int]]:
        """The words of the treebanks with their counts by treebank.

        Capitals that come from the place in the sentence are removed, features are in UD's order.
        Forms without a letter, or with ``_`` in place of one, are left out.
        """
        found: dict[WordForm, Counter[str]] = defaultdict(Counter)
        for treebank, counts in self.counts.items():
            for word, count in counts.items():
                if "_" in word.form or not any(map(str.isalpha, word.form)):
                    continue
                form = _uncapitalised(word.form, word.lemma, self.language)
                found[word._replace(form=form, feats=in_order(word.feats))][treebank] += count
        return found

    @cached_property
    def paradigms(self) -> Paradigms:
        """The words of all sources by lemma and by form."""
        attested = {word: sum(counts.values()) for word, counts in self.attested.items()}
        return Paradigms(attested, self.unimorph or ())

    def of_lemma(self, upos: str, lemma: str | None) -> Sequence[tuple[str, Bundle]]:
        """Return all forms of a lemma with their features; a noun is third person."""
        return self._by_lemma.get((upos, lemma), ()) if lemma not in _ABSENT else ()

    @cached_property
    def _by_lemma(self) -> Mapping[tuple[str, str | None], Sequence[tuple[str, Bundle]]]:
        found: dict[tuple[str, str | None], list[tuple[str, Bundle]]] = defaultdict(list)
        for word in (*self.attested, *(self.unimorph or ())):
            feats = bundle(word.feats)
            read = third_person(feats) if word.upos == "NOUN" else feats
            found[word.upos, word.lemma].append((word.form, read))
        return found

    @cached_property
    def _genders(self) -> Mapping[str, Counter[frozenset[str]]]:
        found: dict[str, Counter[frozenset[str]]] = defaultdict(Counter)
        for word, count in self._sources[0].counts.items():
            if word.upos == "NOUN":
                found[word.lemma.casefold()][bundle(word.feats).get("Gender", frozenset())] += count
        return found

    def has_one_gender(self, lemma: str) -> bool:
        """Return whether the treebanks have a noun often enough, and always with one gender."""
        genders = self._genders.get(lemma.casefold(), Counter())
        return len(genders) == 1 and genders.total() >= _OFTEN and all(map(len, genders))

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows of ``<lang>-forms`` (:data:`solecism.schema.FORMS`), in order.

        A word of UniMorph has a row of its own, unless a word of the treebanks with its form, lemma
        and part of speech has all its features of agreement and differs from it in no value. A row
        of the treebanks is from ``both`` if a word of UniMorph differs from it in no value, even if
        that word has more features and so a row of its own.
        """
        in_treebanks, in_list = (defaultdict[tuple[str, ...], list[Bundle]](list) for _ in range(2))
        for words, readings in ((self.attested, in_treebanks), (self.unimorph or (), in_list)):
            for word in words:
                readings[_key(word)].append(bundle(word.feats))
        rows: list[dict[str, object]] = []
        for word, counts in self.attested.items():
            both = any(alike(bundle(word.feats), other) for other in in_list.get(_key(word), ()))
            licences = {self.licences.get(name, "") for name in counts}
            licences |= {self.list_licence} if both else set()
            rows.append({
                **word._asdict(), "source": "both" if both else "UD",
                "frequency": sum(counts.values()), "treebanks": sorted(counts),
                "licences": sorted(filter(None, licences)),
            })  # fmt: skip
        for word in self.unimorph or ():
            ours = bundle(word.feats)
            names = {name for name in AGREEMENT if name in ours}
            known = in_treebanks.get(_key(word), ())
            if not any(alike(other, ours) and names <= set(other) for other in known):
                rows.append({
                    **word._asdict(), "source": "UniMorph", "frequency": 0, "treebanks": [],
                    "licences": [*filter(None, [self.list_licence])],
                })  # fmt: skip
        rows.sort(key=lambda row: tuple(str(row[name]) for name in FORMS.names[:5]))
        for start in range(0, len(rows), _ROWS):
            yield pa.Table.from_pylist(rows[start : start + _ROWS], FORMS)


def read_forms(language: str, files: Iterable[tuple[str, Path]], see: _See) -> LanguageForms:
    """Return the forms of ``files``, each after the name of its treebank.

    ``see`` is called with each chunk, so that other things can be counted without reading the files
    again. Raises :class:`InputError` for broken files.
    """
    counts: dict[str, Counter[WordForm]] = {}
    besides: set[str] = set()
    for name, path in files:
        for tokens in read_tokens(path):
            count_words(tokens, counts.setdefault(name, Counter()))
            others = ~agreeing_words(tokens) & ~tokens.upos.isin("PUNCT", "X", "SYM", "NUM")
            besides.update(map(str.casefold, tokens.forms[others].texts()))
            see(tokens)
    return LanguageForms(language, counts, besides=frozenset(besides))


def read_inventory(
    language: str,
    treebanks: Sequence[LocalSource],
    unimorph: LocalSource | None = None,
    see: _See = lambda _: None,
) -> LanguageForms:
    """Return the forms of treebanks and of a UniMorph list.

    ``see`` is called with each chunk of the treebanks. Raises :class:`InputError` for files that
    cannot be read.
    """
    files = ((found.origin.name, path) for found in treebanks for path in found.files)
    forms = read_forms(language, files, see)
    licences = {found.origin.name: found.origin.licence for found in treebanks}
    if unimorph is None:
        return replace(forms, licences=licences)
    words = (word for counts in forms.counts.values() for word in counts)
    auxiliaries = frozenset(word.lemma for word in words if word.upos == "AUX")
    code, licence = unimorph.origin.repository.partition("/")[2], unimorph.origin.licence
    listed = read_list(unimorph.files, code, auxiliaries)
    return replace(forms, licences=licences, unimorph=listed, list_licence=licence)


def _uncapitalised(form: str, lemma: str, language: str) -> str:
    """Return a form without the capitals that it has for its place in the sentence.

    Capitals that its lemma has too are kept.
    """
    if lemma[:1].isupper() and not form.isupper():
        return form
    if lemma[:1].isupper():
        return form.capitalize() if len(form) > 1 and not lemma.isupper() else form
    if language in _DOTLESS:
        form = form.replace("İ", "i").replace("I", "ı")
    return form.lower()


@lru_cache(maxsize=1 << 16)
def in_order(feats: str) -> str:
    """Return FEATS in UD's order, without features whose name or value UD does not allow."""
    good = {}
    for name, values in bundle(feats).items():
        try:
            Feats.of({name: values})
        except ValueError:
            continue
        good[name] = values
    return str(Feats.of(good))


def _key(word: WordForm) -> tuple[str, ...]:
    return word.form.casefold(), word.lemma.casefold(), word.upos
