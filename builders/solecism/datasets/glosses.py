"""Glosses of items that are in a file: their paradigms are drawn once more.

The data do not hold them: as columns they would make the files of CLAMS a quarter larger.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from solecism.datasets.catalogue import catalogue_entry
from solecism.datasets.from_templates import load_paradigms, templates_of_language
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.paradigm import Paradigm
from solecism.grammar.suites import draw_suites
from solecism.lexicon.glosses import REST
from solecism.lexicon.orthography import is_mark
from solecism.root import Root
from solecism.schema import GLOSSES, ItemRow


def find_glosses(root: Root, items: Sequence[ItemRow]) -> dict[str, list[str]]:
    """Return for each item its :data:`~solecism.schema.GLOSSES`, by its id.

    Items that no template below ``root`` makes, as mined ones, are not in it; neither are those
    that lack a sentence, as others may have changed them.
    """
    wanted: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for item in items:
        uid = item.get("UID") or item.get("suite") or ""
        wanted[language_of(item)][uid].add(item.get("id", ""))
    found: dict[str, list[str]] = {}
    for language, asked in wanted.items():
        for paradigm, seed in _paradigms(root, language, asked):
            found |= _drawn(paradigm, seed, asked[paradigm.template.id])
    whole = (item for item in items if item.get("id") in found and None not in _texts(item))
    return {i["id"]: found[i["id"]] for i in whole if len(_texts(i)) == len(found[i["id"]])}


def _texts(item: ItemRow) -> list[Any]:
    """Return the sentences of an item."""
    if "conditions" in item:
        return [condition["text"] for condition in item["conditions"] or ()]
    return [item.get(f"sentence_{side}") for side in ("good", "bad")]


def language_of(item: ItemRow) -> str:
    """Return the code of an item's language; the words of ``zh-Hant`` are those of ``zh``."""
    return str(item.get("language")).partition("-")[0]


def _paradigms(root: Root, language: str, uids: Collection[str]) -> Iterator[tuple[Paradigm, int]]:
    """Yield the paradigms of a language with these UIDs, each with the seed of its data set."""
    for dataset in root.datasets:
        if language in root.configs(dataset):
            known = templates_of_language(root, dataset, language)
            templates = [template for template in known if template.id in uids]
            seed = catalogue_entry(root, dataset).seed
            for paradigm in load_paradigms(root, templates).values():
                yield paradigm, seed


FIRST = 256
"""So many items of a paradigm are drawn first, to find a few: these are the first of most files."""


def _drawn(paradigm: Paradigm, seed: int, ids: Collection[str]) -> dict[str, list[str]]:
    """Draw a paradigm until the items with these ids are found; return their glosses by id."""
    found: dict[str, list[str]] = {}
    draw, whole = paradigm.template.draw, paradigm.template
    drawing = draw_pairs if whole.is_pair else draw_suites
    for most in (FIRST, draw) if draw and len(ids) < FIRST < draw else (draw,):
        part = replace(paradigm, template=replace(whole, draw=most))
        for table in drawing(part, seed, glosses=True):
            some = table.filter(pc.is_in(table["id"], value_set=pa.array(ids, pa.string())))
            found |= zip(some["id"].to_pylist(), some[GLOSSES].to_pylist(), strict=True)
            if len(found) == len(ids):
                return found
    return found


class GlossedSentence(NamedTuple):
    """A sentence of an item: its side (``good``, ``bad``) or condition, and words with glosses."""

    name: str
    text: str
    words: list[tuple[str, str]]


def glossed_sentences(item: ItemRow, glosses: Sequence[str]) -> list[GlossedSentence]:
    """Return the sentences of a pair or a suite item, given its glosses."""
    if "conditions" in item:
        sides = [(each["name"], each["tokens"] or "") for each in item["conditions"]]
    else:
        sides = [(side, item.get(f"tokens_{side}") or "") for side in ("good", "bad")]
    return [
        GlossedSentence(name, text, interlinear(text, tokens, gloss))
        for (name, tokens), text, gloss in zip(sides, _texts(item), glosses, strict=True)
    ]


def interlinear(text: str, tokens: str, glosses: str) -> list[tuple[str, str]]:
    """Return the words of a sentence, each with its gloss.

    Marks stand with their word and have no gloss. ``=`` is between words written as one, in both
    lines.

    >>> interlinear("L'ami rit.", "l' ami rit", "the.SG friend.SG laugh.PRS.3SG")
    [("L'=ami", 'the.SG=friend.SG'), ('rit.', 'laugh.PRS.3SG')]
    """
    words: list[tuple[str, str]] = []
    end, spaced = 0, " " in text
    for token, gloss in zip_longest(tokens.split(), glosses.split(), fillvalue=""):
        gap = text[end : end + 1] == " "
        start = end + gap
        end = start + len(token)
        shown = text[start:end]
        word, meaning = words[-1] if words else ("", "")
        if words and is_mark(token):
            words[-1] = f"{word}{shown}", meaning
        elif gloss == REST:
            words[-1] = f"{word} {shown}", meaning
        elif words and spaced and not gap:
            words[-1] = f"{word}={shown}", f"{meaning}={gloss}"
        else:
            words.append((shown, gloss))
    if words:
        words[-1] = words[-1][0] + text[end:], words[-1][1]
    return words
