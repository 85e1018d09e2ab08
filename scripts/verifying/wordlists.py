"""Word lists that a lexicon is held against: from treebanks and from three analysers."""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from solecism.errors import InputError, Problem
from solecism.lexicon.features import Feats
from solecism.treebank.conllu import COLUMNS
from solecism.treebank.unimorph import numbered_lines

OneWord = Callable[[str, str], bool]
"""A test whether a lemma and a form are one word."""


@cache
def fold(text: str) -> str:
    """Return a word as sources may spell it: without ё and without Hebrew vowel signs."""
    return re.sub("[\u0591-\u05c7]", "", text.replace("ё", "е").replace("Ё", "Е"))


@dataclass(frozen=True)
class Analysis:
    """A word form with what it is a form of and what it expresses."""

    form: str
    lemma: str
    upos: str
    feats: Feats


@dataclass(frozen=True)
class Attested:
    """An analysis of a source and how often it has it (1 in a word list)."""

    analysis: Analysis
    count: int = 1

    @property
    def feats(self) -> Feats:
        return self.analysis.feats

    def __str__(self) -> str:
        times = f" ×{self.count}" if self.count > 1 else ""
        return f"{self.analysis.form} ({self.feats or self.analysis.upos}){times}"


@dataclass(frozen=True)
class WordList:
    """The analyses that a source attests, by lemma and by form.

    ``minimum``: how many words it takes to contradict. ``knows_forms``: whether it contradicts a
    form that it has with other features only.
    """

    name: str
    title: str
    by_lemma: Mapping[str, Sequence[Attested]]
    by_form: Mapping[str, Sequence[Attested]]
    minimum: int = 1
    knows_forms: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        counts: Mapping[Analysis, int],
        knows_forms: bool,
        minimum: int = 1,
    ) -> WordList:
        """Index counted analyses."""
        by_lemma: dict[str, list[Attested]] = {}
        by_form: dict[str, list[Attested]] = {}
        for analysis, count in counts.items():
            attested = Attested(analysis, count)
            by_lemma.setdefault(fold(analysis.lemma), []).append(attested)
            by_form.setdefault(fold(analysis.form), []).append(attested)
        return cls(name, title, by_lemma, by_form, minimum, knows_forms)


def _optional(name: str) -> Any:
    """Return a package, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_OPEN_CORPORA_POS = {
    "NOUN": "NOUN", "ADJF": "ADJ Degree=Pos", "ADJS": "ADJ Degree=Pos|Variant=Short",
    "COMP": "ADJ Degree=Cmp", "VERB": "VERB VerbForm=Fin", "INFN": "VERB VerbForm=Inf",
    "PRTF": "VERB VerbForm=Part", "PRTS": "VERB Variant=Short|VerbForm=Part",
    "GRND": "VERB VerbForm=Conv", "NUMR": "NUM", "ADVB": "ADV", "NPRO": "PRON", "PRED": "ADV",
    "PREP": "ADP", "CONJ": "CCONJ", "PRCL": "PART", "INTJ": "INTJ",
}  # fmt: skip
_OPEN_CORPORA = {
    "nomn": "Case=Nom", "gent": "Case=Gen", "datv": "Case=Dat", "accs": "Case=Acc",
    "ablt": "Case=Ins", "loct": "Case=Loc", "voct": "Case=Voc", "gen2": "Case=Par",
    "acc2": "Case=Acc", "loc2": "Case=Loc",
    "masc": "Gender=Masc", "femn": "Gender=Fem", "neut": "Gender=Neut", "sing": "Number=Sing",
    "plur": "Number=Plur", "anim": "Animacy=Anim", "inan": "Animacy=Inan", "1per": "Person=1",
    "2per": "Person=2", "3per": "Person=3", "past": "Tense=Past", "pres": "Tense=Pres",
    "futr": "Tense=Fut", "indc": "Mood=Ind", "impr": "Mood=Imp", "perf": "Aspect=Perf",
    "impf": "Aspect=Imp", "actv": "Voice=Act", "pssv": "Voice=Pass",
}  # fmt: skip


@cache
def open_corpora_to_ud(tag: str) -> tuple[str, Feats]:
    """Return UPOS and features of a tag of OpenCorpora (opencorpora.org/dict.php?act=gram)."""
    pos, *grammemes = re.split("[ ,]", tag)
    upos, _, feats = _OPEN_CORPORA_POS.get(pos, "X").partition(" ")
    pairs = [*filter(None, feats.split("|")), *(_OPEN_CORPORA.get(g, "") for g in grammemes)]
    # A tag may have two of a kind: an accusative of *робот* is "anim ... inan".
    found = {pair.partition("=")[0]: pair for pair in pairs if pair}
    return "DET" if "Apro" in grammemes else upos, Feats.parse("|".join(found.values()))


def ask_pymorphy(words: Iterable[str]) -> WordList | None:
    """Look all words up in pymorphy3's dictionary (OpenCorpora), where it is installed."""
    if (package := _optional("pymorphy3")) is None:
        return None
    analyser = package.MorphAnalyzer()
    parses = {p for word in words for p in analyser.parse(word) if p.is_known}
    lemmas = {(p.normalized.word, str(p.normalized.tag)): p for p in parses}
    parses |= {form for p in lemmas.values() for form in p.lexeme}
    counts = {Analysis(p.word, p.normal_form, *open_corpora_to_ud(str(p.tag))): 1 for p in parses}
    return WordList.of("pymorphy3", version("pymorphy3"), counts, True)


_PENN = {
    "NN": ("NOUN Number=Sing",), "NNS": ("NOUN Number=Plur",), "JJ": ("ADJ Degree=Pos",),
    "JJR": ("ADJ Degree=Cmp",), "JJS": ("ADJ Degree=Sup",), "VB": ("VERB VerbForm=Inf",),
    "VBZ": ("VERB Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",),
    "VBP": ("VERB Number=Sing|Person=1,2|Tense=Pres|VerbForm=Fin",
            "VERB Number=Plur|Person=1,2,3|Tense=Pres|VerbForm=Fin"),
    "VBD": ("VERB Tense=Past|VerbForm=Fin",), "VBN": ("VERB Tense=Past|VerbForm=Part",),
    "VBG": ("VERB Tense=Pres|VerbForm=Part",),
}  # fmt: skip
_TELLS_NO_PERSON = (("be", "VBP"), ("be", "VBD"))
"""am, are, was, were: their tags cover more than one of them."""


def ask_lemminflect(lemmas: Iterable[str]) -> WordList | None:
    """Look all lemmas up in lemminflect's dictionary, where it is installed."""
    if (package := _optional("lemminflect")) is None:
        return None
    asked = [pair for pair in product(lemmas, _PENN) if pair not in _TELLS_NO_PERSON]
    counts = {found: 1 for pair in asked for found in _inflections(package, *pair)}
    return WordList.of("lemminflect", version("lemminflect"), counts, False)


def _inflections(package: Any, lemma: str, tag: str) -> Iterator[Analysis]:
    forms = package.getInflection(lemma, tag, inflect_oov=False)
    for form, bundle in product(forms, _PENN[tag]):
        upos, _, feats = bundle.partition(" ")
        yield Analysis(form, lemma, upos, Feats.parse(feats))


@cache
def _dictionary(package: Any) -> Any:
    return package.DictionaryLookupStrategy()


def ask_simplemma(language: str) -> OneWord | None:
    """Return a test whether a form and a lemma are one word; None where simplemma cannot say."""
    package = _optional("simplemma.strategies")
    if package is None:
        return None
    look_up = _dictionary(package).get_lemma
    try:
        look_up("", language)
    except ValueError:
        return None

    def one_word(lemma: str, form: str) -> bool:
        found = look_up(form, language)
        return found is not None and (not lemma or found in (lemma, look_up(lemma, language)))

    return one_word


_MARKS = ("PUNCT", "SYM")


def count_forms(paths: Iterable[Path]) -> Counter[Analysis]:
    """Count the analyses of all syntactic words of CoNLL-U files.

    Multiword ranges and empty nodes are left out. A form takes the case of its lemma where it is
    the first word of a sentence or written in capitals throughout. Underscores that mark a word
    within a Hebrew multiword token are stripped in front (``_הוא``); a word with one at its end is
    left out, for it is written as its lemma and attests no form (``יד_`` for the plural). A lemma
    that is not given (``_``) is the form. Raises :class:`InputError` with every problem.
    """
    total: Counter[Analysis] = Counter()
    problems: list[Problem] = []
    for path in paths:
        first = True
        for number, line in numbered_lines(path):
            if not line or line[0] == "#":
                first = first or not line
                continue
            try:
                word = _analysis(line.split("\t"), first)
            except ValueError as error:
                problems.append(Problem(str(error), str(path), number))
                continue
            if word:
                first = first and word.upos in _MARKS
                total[word] += 1
    if problems:
        raise InputError(problems)
    return total


def _analysis(cells: list[str], first: bool) -> Analysis | None:
    """Return the analysis of a line, if it attests one; raise ValueError for bad columns."""
    if len(cells) != len(COLUMNS):
        raise ValueError(f"{len(cells)} columns where CoNLL-U has {len(COLUMNS)}")
    number, form, lemma, upos, _, feats, *_ = cells
    if not number.isdigit() or (len(form) > 1 and form[-1] == "_"):
        return None
    form = unicodedata.normalize("NFC", form.lstrip("_") or form)
    lemma = form if lemma == "_" else unicodedata.normalize("NFC", lemma)
    return Analysis(_case(form, lemma, first), lemma, upos, _feats(feats))


def _case(form: str, lemma: str, first: bool) -> str:
    if lemma != lemma.lower():
        return form
    if len(form) > 1 and form.isupper():
        return form.lower()
    return form[0].lower() + form[1:] if first else form


@cache
def _feats(text: str) -> Feats:
    try:
        return Feats.parse(text)
    except ValueError as error:
        raise ValueError(f"FEATS: {error}") from None
