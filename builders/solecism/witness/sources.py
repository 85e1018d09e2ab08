"""What sources have of words: treebanks, UniMorph lists, analysers, each as a word list."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from solecism.errors import fail
from solecism.hashing import file_digest
from solecism.language_tags import iso_of
from solecism.lexicon.evidence import COLUMNS
from solecism.treebank.conllu import files_of
from solecism.treebank.forms import attested_words
from solecism.works.unimorph import Attested, read_unimorph

TREEBANK_MINIMUM = 3
"""So many words of a treebank are needed to contradict, or to outweigh a contradiction."""


@cache
def fold(text: str) -> str:
    """Return a word as sources may spell it: without ё and without Hebrew vowel signs."""
    return re.sub("[\u0591-\u05c7]", "", text.replace("ё", "е").replace("Ё", "Е"))


@dataclass(frozen=True)
class WordList:
    """What a source attests.

    ``title``: its version. ``minimum``: how many words it takes to contradict. ``knows_forms``:
    whether it contradicts a form that it has with other features only.
    """

    name: str
    title: str
    words: Collection[Attested]
    knows_forms: bool = False
    minimum: int = 1

    @property
    def column(self) -> str:
        """Its column of the evidence."""
        return name if (name := self.name.lower()) in COLUMNS else "analyser"

    @cached_property
    def by_lemma(self) -> Mapping[str, Sequence[Attested]]:
        """The words by lemma, folded."""
        return _index((word.lemma, word) for word in self.words)

    @cached_property
    def by_form(self) -> Mapping[str, Sequence[Attested]]:
        """The words by form, folded."""
        return _index((word.form, word) for word in self.words)


def _index(words: Iterable[tuple[str, Attested]]) -> Mapping[str, Sequence[Attested]]:
    found: dict[str, list[Attested]] = {}
    for text, word in words:
        found.setdefault(fold(text), []).append(word)
    return found


def version_of(paths: Iterable[Path]) -> str:
    """Return names of files, each with the first digits of its SHA-256."""
    return ", ".join(f"{path.name} {file_digest(path)[:8]}" for path in paths)


def read_treebanks(places: Sequence[Path], language: str) -> WordList:
    """Return the words of CoNLL-U files; of a folder, of those of the language.

    Misspelt, foreign and abbreviated words are left out.
    """
    files = [f for f in files_of(places) if f in places or f.name.startswith(f"{language}_")]
    if not files:
        raise fail(f"holds no treebank of {language!r} ({language}_*.conllu)", places[0])
    counts = Counter[Attested]()
    for word in (found for file in files for found in attested_words(file)):
        counts[word._replace(times=1)] += word.times
    words = [word._replace(times=times) for word, times in counts.items()]
    return WordList("UD", version_of(files), words, True, TREEBANK_MINIMUM)


def read_unimorph_lists(place: Path, language: str, words: Iterable[str]) -> WordList:
    """Return what a list, or those of a language in a folder, have of some words."""
    code, paths = iso_of(language) or language, [place]
    if place.is_dir():
        paths = [p for p in sorted(place.iterdir()) if re.split(r"[.\-_]", p.name)[0] == code]
    if not paths:
        raise fail(f"holds no list of {language!r} ({code})", place)
    folded = {fold(word) for word in words}
    every = (word for path in paths for word in read_unimorph(path, code))
    found = {word for word in every if folded & {fold(word.lemma), fold(word.form)}}
    return WordList("UniMorph", version_of(paths), found)
