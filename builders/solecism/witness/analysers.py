"""Analysers that are installed on the machine: ``analysers.toml`` says which know a language."""

import re
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from solecism.inputs import Json, read_toml
from solecism.lexicon.evidence import SPELLING
from solecism.lexicon.features import Feats
from solecism.witness.sources import WordList, version_of
from solecism.works.unimorph import Attested

ANALYSERS: Mapping[str, Json] = read_toml(Path(__file__).with_suffix(".toml"))

Pair = tuple[str, str]
"""A lemma, and a form that is looked up; the lemma ``""`` is any."""

_OBSOLETE = frozenset({"arch.", "daw.", "przest.", "rzad."})
"""The styles of forms that nobody uses today (Morfeusz 2)."""
_ONE_OF_SEVERAL = (("be", "VBP"), ("be", "VBD"))
"""am, are, was, were: their tags cover more than one of them."""


def analysers_of(language: str) -> dict[str, str]:
    """Return the analysers of a language, each with how to get it."""
    return {
        name: entry["install"] for name, entry in ANALYSERS.items()
        if language in entry.get("languages", [language])
    }  # fmt: skip


def ask_analyser(
    name: str, language: str, pairs: Collection[Pair]
) -> WordList | tuple[str, set[Pair]] | None:
    """Ask an analyser about words: its analyses, or its version and the pairs that it can spell.

    None where it is not installed or knows none of them.
    """
    entry = ANALYSERS[name]
    code = entry.get("languages", {}).get(language) or language
    try:
        file = [Path(entry["file"].format(code))] if "file" in entry else []
        title = version_of(file) or version(name)
        found = set(_ASK[entry["ask"]](name, code, pairs))
    except (ImportError, OSError, subprocess.CalledProcessError):
        return None
    if "tags" in entry and found:
        return WordList(name, title, found, entry.get("knows_forms", False))
    return (f"{title}, {SPELLING}", found) if found else None


def _printed(name: str, code: str, pairs: Collection[Pair]) -> str:
    """Return what a command prints of words, one a line."""
    entry = ANALYSERS[name]
    command = [part.format(code) for part in entry["command"]]
    words = "\n".join(sorted({word for pair in pairs for word in pair if word})) + "\n"
    encoding = entry.get("encoding", "utf-8")
    given = words.encode(encoding, "replace")
    done = subprocess.run(command, input=given, capture_output=True, check=True)
    return done.stdout.decode(encoding, "replace")


def _readings(name: str, code: str, pairs: Collection[Pair]) -> Iterator[Attested]:
    for unit in re.findall(r"\^([^$]*)\$", _printed(name, code, pairs)):
        form, *readings = unit.split("/")
        for lemma, tags in (reading.split("<", 1) for reading in readings if "<" in reading):
            if "+" not in tags and (found := to_ud(name, *re.split("[<>]+", tags[:-1]))):
                yield Attested(form, lemma, *found)


def _unknown_words(name: str, code: str, pairs: Collection[Pair]) -> Iterator[Pair]:
    """Yield the pairs of which the command names neither the form nor a piece of it."""
    unknown = frozenset(_printed(name, code, pairs).split())
    return (pair for pair in pairs if unknown.isdisjoint((pair[1], *re.split(r"\W+", pair[1]))))


@cache
def to_ud(analyser: str, *tags: str) -> tuple[str, Feats] | None:
    """Return UPOS and features of an analyser's tags; None if one is not known."""
    known = ANALYSERS[analyser]["tags"]
    if any(tag not in known for tag in tags):
        return None
    parts = [part for tag in tags for part in known[tag].split("|") if part]
    # A tag may have two of a kind: an accusative of *робот* is "anim ... inan".
    pairs = dict(part.split("=") for part in parts if "=" in part)
    upos = [part for part in parts if "=" not in part]
    return (upos[-1], Feats.of(pairs)) if upos else None


def _pymorphy3(name: str, code: str, pairs: Collection[Pair]) -> Iterator[Attested]:
    analyser = import_module(name).MorphAnalyzer(lang=code)
    words = {word for pair in pairs for word in pair}
    parses = {p for word in words for p in analyser.parse(word) if p.is_known}
    lemmas = {(p.normalized.word, str(p.normalized.tag)): p for p in parses}
    for parse in parses.union(*(p.lexeme for p in lemmas.values())):
        tags = (t for t in re.split("[ ,]", str(parse.tag)) if t in ANALYSERS[name]["tags"])
        if found := to_ud(name, *tags):
            form, lemma = parse.word, parse.normal_form
            if found[0] == "PROPN":  # it writes names in small letters
                form, lemma = form.capitalize(), lemma.capitalize()
            yield Attested(form, lemma, *found)


def _lemminflect(name: str, _: str, pairs: Collection[Pair]) -> Iterator[Attested]:
    inflect = import_module(name).getInflection
    lemmas = {lemma for lemma, _ in pairs if lemma}
    for lemma, tag in product(lemmas, ANALYSERS[name]["tags"]):
        penn = tag.partition(" ")[0]
        if (lemma, penn) not in _ONE_OF_SEVERAL and (found := to_ud(name, tag)):
            for form in inflect(lemma, penn, inflect_oov=False):
                yield Attested(form, lemma, *found)


def _morfeusz2(name: str, _: str, pairs: Collection[Pair]) -> Iterator[Attested]:
    """Yield all forms of lemmas but obsolete ones; a tag lists cases and genders: nom.acc."""
    generate = import_module(name).Morfeusz().generate
    for lemma in {lemma for lemma, _ in pairs if lemma}:
        for form, full, tag, labels, style in generate(lemma):
            if not _OBSOLETE.isdisjoint(style):
                continue
            kinds = [label for label in labels if label in ANALYSERS[name]["tags"]]
            for tags in product(*(part.split(".") for part in tag.split(":"))):
                if found := to_ud(name, *tags, *kinds):
                    yield Attested(form, full.partition(":")[0], *found)


def _simplemma(name: str, code: str, pairs: Collection[Pair]) -> Iterator[Pair]:
    look_up = import_module(name).strategies.DictionaryLookupStrategy().get_lemma
    try:
        look_up("", code)
    except ValueError:  # it lacks the language
        return
    for lemma, form in pairs:
        found = look_up(form, code)
        if found is not None and (not lemma or found in (lemma, look_up(lemma, code))):
            yield lemma, form


_ASK: Mapping[str, Callable[[str, str, Collection[Pair]], Iterator[Any]]] = {
    "pymorphy3": _pymorphy3, "lemminflect": _lemminflect, "morfeusz2": _morfeusz2,
    "simplemma": _simplemma, "readings": _readings, "unknown_words": _unknown_words,
}  # fmt: skip
