"""Analysers that are installed on the machine: ``analysers.toml`` says which know a language."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from solecism.lexicon.features import Feats
from solecism.witness.sources import Analysis, WordList

ANALYSERS: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)

Spelt = Callable[[str, str], bool]
"""Whether a source knows a form (of a lemma; ``""``: of any), without its features."""

_ONE_OF_SEVERAL = (("be", "VBP"), ("be", "VBD"))
"""am, are, was, were: their tags cover more than one of them."""


def analysers_of(language: str) -> dict[str, str]:
    """Return the analysers of a language, each with how to get it."""
    return {
        name: entry["install"]
        for name, entry in ANALYSERS.items()
        if language in entry["languages"] or "*" in entry["languages"]
    }


def ask_analyser(
    name: str, language: str, lemmas: set[str], words: set[str]
) -> WordList | Spelt | None:
    """Ask an analyser about words: None where it is not installed or lacks the language."""
    entry = ANALYSERS[name]
    if "command" in entry:
        arguments = [part.format(entry["languages"][language]) for part in entry["command"]]
        files = (Path(part) for part in arguments if part.startswith("/"))
        if not shutil.which(arguments[0]) or not all(path.exists() for path in files):
            return None
        return _COMMANDS[entry["kind"]](entry, arguments, sorted(words))
    try:
        package = importlib.import_module(entry["kind"])
    except ImportError:
        return None
    return _PACKAGES[entry["kind"]](package, language, lemmas, words)


def _printed(entry: Mapping[str, Any], command: list[str], words: list[str]) -> str:
    """Return what a command prints of words, one a line."""
    encoding = entry.get("encoding", "utf-8")
    given = "\n".join(words).encode(encoding, "replace") + b"\n"
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    return done.stdout.decode(encoding, "replace")


def _apertium(entry: Mapping[str, Any], command: list[str], words: list[str]) -> WordList:
    counts = {}
    for unit in re.findall(r"\^([^$]*)\$", _printed(entry, command, words)):
        form, *readings = unit.split("/")
        for lemma, tags in (reading.split("<", 1) for reading in readings if "<" in reading):
            if "+" not in tags and (found := to_ud("apertium", *re.split("[<>]+", tags[:-1]))):
                counts[Analysis(form, lemma, *found)] = 1
    title = Path(command[-1]).name.partition(".")[0]
    return WordList.of("apertium", title, "analyser", counts, False)


def _unknown_words(entry: Mapping[str, Any], command: list[str], words: list[str]) -> Spelt:
    known = {*words} - {*_printed(entry, command, words).split()}
    return lambda _, form: form in known


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


def _pymorphy3(package: Any, language: str, _: set[str], words: set[str]) -> WordList:
    analyser = package.MorphAnalyzer(lang=language)
    parses = {p for word in words for p in analyser.parse(word) if p.is_known}
    lemmas = {(p.normalized.word, str(p.normalized.tag)): p for p in parses}
    parses |= {form for p in lemmas.values() for form in p.lexeme}
    known = ANALYSERS["pymorphy3"]["tags"]
    counts = {}
    for parse in parses:
        tags = (tag for tag in re.split("[ ,]", str(parse.tag)) if tag in known)
        if found := to_ud("pymorphy3", *tags):
            counts[Analysis(parse.word, parse.normal_form, *found)] = 1
    return WordList.of("pymorphy3", version("pymorphy3"), "analyser", counts, True)


def _lemminflect(package: Any, _: str, lemmas: set[str], __: set[str]) -> WordList:
    tags = ANALYSERS["lemminflect"]["tags"]
    asked = (pair for pair in product(lemmas, tags) if pair not in _ONE_OF_SEVERAL)
    counts = {found: 1 for pair in asked for found in _inflections(package, *pair)}
    return WordList.of("lemminflect", version("lemminflect"), "analyser", counts, False)


def _inflections(package: Any, lemma: str, tag: str) -> Iterator[Analysis]:
    upos, feats = to_ud("lemminflect", tag) or ("X", Feats())
    numbers = ({"Number": "Sing", "Person": "1,2"}, {"Number": "Plur"}) if tag == "VBP" else ({},)
    for form, more in product(package.getInflection(lemma, tag, inflect_oov=False), numbers):
        yield Analysis(form, lemma, upos, feats.updated(Feats.of(more)))


def _simplemma(package: Any, language: str, _: set[str], __: set[str]) -> Spelt | None:
    look_up = package.strategies.DictionaryLookupStrategy().get_lemma
    try:
        look_up("", language)
    except ValueError:
        return None

    def one_word(lemma: str, form: str) -> bool:
        found = look_up(form, language)
        return found is not None and (not lemma or found in (lemma, look_up(lemma, language)))

    return one_word


_COMMANDS: Mapping[str, Callable[..., WordList | Spelt]] = {
    "apertium": _apertium, "unknown_words": _unknown_words,
}  # fmt: skip
_PACKAGES: Mapping[str, Callable[..., WordList | Spelt | None]] = {
    "pymorphy3": _pymorphy3, "lemminflect": _lemminflect, "simplemma": _simplemma,
}  # fmt: skip
