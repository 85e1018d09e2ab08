"""Checks of suite items: each flags items of a batch.

The docstring of a check is its message and, below, what to do about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from solecism.check.pairs import (
    PairBatch,
    PairMemory,
    bad_spacing,
    mixed_letters,
    no_capital,
    no_final_mark,
    not_nfc,
    stray_characters,
)
from solecism.contrast import count_changes
from solecism.errors import InputError
from solecism.formula import Formula, parse, place_of, unknown_terms
from solecism.grammar.paradigm import Paradigm
from solecism.lexicon.unwanted import unwanted_in

__all__ = [
    "SuiteBatch", "SuiteMemory", "always_a_tie", "badly_written", "conditions_equal", "item_twice",
    "prediction_unreadable", "region_wrong", "same_id", "several_places_differ",
    "target_without_control", "unwanted_conditions",
]  # fmt: skip

Item = Mapping[str, Any]
Place = tuple[Item, Item]
"""A condition and one of its regions."""

Flags = list[bool]


@dataclass(frozen=True)
class SuiteMemory:
    """The ids and sentences of earlier batches."""

    ids: set[str] = field(default_factory=set)
    texts: set[tuple[str, ...]] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class SuiteBatch:
    """Some items of a suite, rows of :data:`solecism.schema.SUITE`."""

    paradigm: Paradigm
    items: Sequence[Item]
    memory: SuiteMemory

    def flags(self, judge: Callable[[Item], bool]) -> list[bool]:
        """Return the judgement of every item."""
        return [judge(item) for item in self.items]

    def shown(self, row: int) -> str:
        """Return an item in a line: its sentences, and what is wrong with its predictions."""
        wrong = [reading for reading in self.readings if isinstance(reading, str)]
        regions = _regions(self.items[row])
        for formula in self.readings:
            wrong += [] if isinstance(formula, str) else unknown_terms(formula, regions)
        return " / ".join([c["text"] for c in self.items[row]["conditions"]] + wrong)

    @cached_property
    def readings(self) -> list[Formula | str]:
        """The predictions of the suite, or the error of one that cannot be read."""
        return [_read(text) for text in self.items[0]["predictions"]] if self.items else []

    def compared(self, item: Item) -> Iterator[tuple[Place, Place]]:
        """Yield the two regions of each prediction that compares two."""
        for formula in self.readings:
            terms = () if isinstance(formula, str) else formula.terms
            found = [place for term in terms if (place := _place(item, *term))]
            if len(terms) == len(found) == 2:
                yield found[0], found[1]


def _read(text: str) -> Formula | str:
    try:
        return parse(text)
    except InputError as error:
        return error.problems[0].message


def _regions(item: Item) -> dict[str, list[str]]:
    return {c["name"]: [r["name"] for r in c["regions"]] for c in item["conditions"]}


def _place(item: Item, condition: str, region: str) -> Place | None:
    for made in item["conditions"]:
        place = place_of(region, [r["name"] for r in made["regions"]])
        if made["name"] == condition and place is not None:
            return made, made["regions"][place]
    return None


def same_id(batch: SuiteBatch) -> Flags:
    """Two items have the same id.

    This is a bug in Solecism, as ids are made from the words. Report it with the template.
    """
    return batch.flags(lambda item: _repeated(batch.memory.ids, item["id"]))


def item_twice(batch: SuiteBatch) -> Flags:
    """An item occurs twice.

    Two combinations of words make the same sentences. Look for a slot that is not printed, or for
    two rows of a table of items that are alike.
    """

    def judge(item: Item) -> bool:
        return _repeated(batch.memory.texts, tuple(c["text"] for c in item["conditions"]))

    return batch.flags(judge)


def _repeated(seen: set[Any], key: object) -> bool:
    known = key in seen
    seen.add(key)
    return known


def conditions_equal(batch: SuiteBatch) -> Flags:
    """Two conditions of an item are the same sentence.

    Their words are spelt alike. Correct the words, or remove the condition.
    """

    def judge(item: Item) -> bool:
        texts = [c["text"] for c in item["conditions"]]
        return len(set(texts)) < len(texts)

    return batch.flags(judge)


def prediction_unreadable(batch: SuiteBatch) -> Flags:
    """A prediction cannot be computed.

    It is not of the form `bad.noun > good.noun`, or names a condition or a region that the items do
    not have. `docs/suites.md` describes the language.
    """

    def judge(item: Item) -> bool:
        regions = _regions(item)
        return any(
            isinstance(formula, str) or any(unknown_terms(formula, regions))
            for formula in batch.readings
        )

    return batch.flags(judge)


def region_wrong(batch: SuiteBatch) -> Flags:
    """A region is not where its span says, or is empty.

    `text[start:end]` and the words `first:last` of `tokens` must both be the region. An empty
    region has no surprisal. If its words are there, this is a bug in Solecism: report it with the
    template.
    """
    return batch.flags(lambda item: any(not _in_place(c) for c in item["conditions"]))


def _in_place(condition: Item) -> bool:
    text, tokens = condition["text"], condition["tokens"].split(" ")
    return all(
        r["text"]
        and text[r["start"] : r["end"]] == r["text"]
        and "".join(tokens[r["first"] : r["last"]]) == r["text"].replace(" ", "")
        for r in condition["regions"]
    )


def always_a_tie(batch: SuiteBatch) -> Flags:
    """A prediction compares a region with itself.

    The two conditions are the same from their beginning to the end of the region, so every model
    finds it equally surprising in both. What differs must come before the region.
    """

    def judge(item: Item) -> bool:
        return any(_beginning(a) == _beginning(b) for a, b in batch.compared(item))

    return batch.flags(judge)


def _beginning(place: Place) -> str:
    condition, region = place
    return str(condition["text"])[: region["end"]]


def target_without_control(batch: SuiteBatch) -> Flags:
    """A region that is compared is in one condition only.

    Each text of a region that predictions compare should be in two of the conditions, so that the
    same words are compared after different beginnings. Make the region identical.
    """

    def judge(item: Item) -> bool:
        places = {(c["name"], r["name"]): r["text"] for p in batch.compared(item) for c, r in p}
        return 1 in Counter(places.values()).values()

    return batch.flags(judge)


def several_places_differ(batch: SuiteBatch) -> Flags:
    """Two conditions with the same region differ in more than one place.

    A minimal item differs in the stimulus and in nothing else, so that a difference in surprisal
    has no other cause.
    """

    def judge(item: Item) -> bool:
        pairs = [(a, b) for a, b in batch.compared(item) if a[1]["text"] == b[1]["text"]]
        tokens = [[str(place[0]["tokens"]).split(" ") for place in pair] for pair in pairs]
        return any(count_changes(*sides) > 1 for sides in tokens)

    return batch.flags(judge)


def unwanted_conditions(batch: SuiteBatch) -> Flags:
    """A sentence has words that a public data set should not have.

    Which words, and why, is said in `unwanted.tsv` of the lexicon. Use other words.
    """
    rows = [row for row, item in enumerate(batch.items) for _ in item["conditions"]]
    tokens = pa.array([c["tokens"] for item in batch.items for c in item["conditions"]])
    found = unwanted_in(batch.paradigm.phrases.lexicon.unwanted, tokens)
    unwanted = {row for row, flag in zip(rows, found, strict=True) if flag}
    return [row in unwanted for row in range(len(batch.items))]


def badly_written(batch: SuiteBatch) -> Flags:
    """A sentence is not written as it should be.

    One of the checks of sentences (I010 to I014, I019: normal form, spaces, final mark, capital,
    letters of two scripts, characters of templates) applies to one of the conditions.
    """
    rows = [(n, c) for n, item in enumerate(batch.items) for c in item["conditions"]]
    texts, tokens = ([c[key] for _, c in rows] for key in ("text", "tokens"))
    names = ("sentence_good", "sentence_bad", "tokens_good", "tokens_bad")
    table = pa.table(dict(zip(names, (texts, texts, tokens, tokens), strict=True)))
    sentences = PairBatch(batch.paradigm, table, PairMemory())
    checks = (not_nfc, bad_spacing, no_final_mark, no_capital, mixed_letters, stray_characters)
    wrong = np.logical_or.reduce([check(sentences) for check in checks])
    items = {number for (number, _), bad in zip(rows, wrong.tolist(), strict=True) if bad}
    return [number in items for number in range(len(batch.items))]
