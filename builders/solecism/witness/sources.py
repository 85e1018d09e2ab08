"""What sources have of words: treebanks, UniMorph lists, analysers, each as a word list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from solecism.language_tags import iso_of
from solecism.lexicon.features import Feats
from solecism.treebank.conllu import Tokens, files_of, read_tokens
from solecism.treebank.forms import distinct_words
from solecism.treebank.unimorph import read_unimorph

TREEBANK_MINIMUM = 3
"""So many words of a treebank are needed to contradict, or to outweigh a contradiction."""

NOISE = frozenset(("Abbr=Yes", "Foreign=Yes", "Typo=Yes"))


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

    ``column``: its column of the evidence. ``minimum``: how many words it takes to contradict.
    ``knows_forms``: whether it contradicts a form that it has with other features only.
    """

    name: str
    title: str
    column: str
    by_lemma: Mapping[str, Sequence[Attested]]
    by_form: Mapping[str, Sequence[Attested]]
    minimum: int = 1
    knows_forms: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        column: str,
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
        return cls(name, title, column, by_lemma, by_form, minimum, knows_forms)


def read_treebanks(paths: Sequence[Path]) -> WordList:
    """Return the words of CoNLL-U files; misspelt, foreign and abbreviated ones are left out."""
    counts: Counter[Analysis] = Counter()
    files = files_of(paths)
    for tokens in (chunk for file in files for chunk in read_tokens(file)):
        _count(tokens, counts)
    title = ", ".join(dict.fromkeys(file.parent.name for file in files))
    return WordList.of("UD", title, "ud", counts, True, TREEBANK_MINIMUM)


def _count(tokens: Tokens, counts: Counter[Analysis]) -> None:
    """Add the words of a chunk.

    Underscores in front mark a word within a Hebrew multiword token (``_הוא``); one at the end is
    written as its lemma and attests no form (``יד_`` for the plural).
    """
    words, which = distinct_words(tokens, np.arange(len(tokens)))
    numbers = np.bincount(which, minlength=len(words)).tolist()
    for (text, lemma, upos, feats), number in zip(words, numbers, strict=True):
        if NOISE.isdisjoint(feats.split("|")) and (len(text) == 1 or text[-1] not in "_ "):
            form = text.lstrip("_ ") or text
            # A capital begins a sentence or a title, unless the lemma has it.
            form = form.lower() if lemma == lemma.lower() else form
            counts[Analysis(form, form if lemma == "_" else lemma, upos, _feats(feats))] += number


@cache
def _feats(text: str) -> Feats:
    return Feats.parse(text)


def read_unimorph_folder(folder: Path, language: str, words: Iterable[str]) -> WordList | None:
    """Return what the files of a language in a folder have of some words; None without files."""
    code = iso_of(language) or language
    paths = [p for p in sorted(folder.iterdir()) if re.split(r"[.\-_]", p.name)[0] == code]
    folded = {fold(word) for word in words}
    counts = {
        Analysis(t.form, t.lemma, t.upos, t.feats): 1
        for path in paths
        for t in read_unimorph(path, code)
        if fold(t.lemma) in folded or fold(t.form) in folded
    }
    title = ", ".join(path.name for path in paths)
    return WordList.of("UniMorph", title, "unimorph", counts, False) if paths else None
