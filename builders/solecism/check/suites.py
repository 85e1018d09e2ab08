"""Checks of suite items: each judges an item of a batch.

The docstring of a check is its message and, below, what to do about it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import TypeVar

import numpy as np
import pyarrow as pa

from solecism.check.pairs import TEXT_CHECKS, Flags, PairBatch, PairMemory, unwanted_words
from solecism.errors import InputError
from solecism.formula import Formula, parse, place_of, unknown_terms
from solecism.grammar.paradigm import Paradigm
from solecism.schema import ItemRow

T = TypeVar("T")

RegionOf = tuple[ItemRow, ItemRow]
"""A condition and one of its regions."""


@dataclass(frozen=True)
class SuiteMemory:
    """What was checked before: ids of items, and the sentences of each item."""

    ids: set[str] = field(default_factory=set)
    texts: set[tuple[str, ...]] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class SuiteBatch:
    """Some items of a suite, rows of :data:`solecism.schema.SUITE`."""

    paradigm: Paradigm
    items: Sequence[ItemRow]
    memory: SuiteMemory

    @cached_property
    def predictions(self) -> list[Formula]:
        """The predictions of the suite that have no syntax error."""
        return [formula for formula in self._readings if isinstance(formula, Formula)]

    @cached_property
    def _readings(self) -> list[Formula | str]:
        """Each prediction of the suite as a formula, or the error message if it cannot be read."""
        return [_read(text) for text in self.items[0]["predictions"]]

    def wrong_predictions(self, item: ItemRow) -> list[str]:
        """Return messages: what is wrong with the predictions of an item."""
        regions = {c["name"]: [r["name"] for r in c["regions"]] for c in item["conditions"]}
        unknown = [text for formula in self.predictions for text in unknown_terms(formula, regions)]
        return [text for text in self._readings if isinstance(text, str)] + unknown

    def shown(self, row: int, _: str) -> str:
        """Return an item in a line: its sentences, and what is wrong with its predictions."""
        item = self.items[row]
        return " / ".join([*_texts(item), *self.wrong_predictions(item)])

    def compared(self, item: ItemRow) -> Iterator[tuple[RegionOf, RegionOf]]:
        """Yield both regions of each prediction that compares two regions of the item."""
        for formula in self.predictions:
            found = [region for term in formula.terms if (region := _find_region(item, *term))]
            if len(formula.terms) == len(found) == 2:
                yield found[0], found[1]

    @cached_property
    def sentences(self) -> PairBatch:
        """The sentences of all conditions, for checks of pairs: each is its good and bad side."""
        conditions = [condition for item in self.items for condition in item["conditions"]]
        texts, tokens = ([c[key] for c in conditions] for key in ("text", "tokens"))
        names = ("sentence_good", "sentence_bad", "tokens_good", "tokens_bad")
        table = pa.table(dict(zip(names, (texts, texts, tokens, tokens), strict=True)))
        return PairBatch(self.paradigm, table, PairMemory())

    def any_sentence(self, flags: Flags) -> list[bool]:
        """Return for each item whether one of its sentences is flagged."""
        numbers = [n for n, item in enumerate(self.items) for _ in item["conditions"]]
        flagged = {n for n, flag in zip(numbers, flags.tolist(), strict=True) if flag}
        return [number in flagged for number in range(len(self.items))]


def _read(text: str) -> Formula | str:
    """Return a prediction as a formula, or the error message if it cannot be read."""
    try:
        return parse(text)
    except InputError as error:
        return error.problems[0].message


def _texts(item: ItemRow) -> tuple[str, ...]:
    """Return the sentences of the conditions of an item."""
    return tuple(condition["text"] for condition in item["conditions"])


def _find_region(item: ItemRow, condition: str, region: str) -> RegionOf | None:
    """Return the condition and the region that a prediction names, or None if it has no such."""
    for row in item["conditions"]:
        number = place_of(region, [r["name"] for r in row["regions"]])
        if row["name"] == condition and number is not None:
            return row, row["regions"][number]
    return None


def same_id(batch: SuiteBatch) -> list[bool]:
    """Two items have the same id.

    This is a bug in Solecism, as ids are made from the words. Report it with the template.
    """
    return _repeated(batch.memory.ids, [item["id"] for item in batch.items])


def item_twice(batch: SuiteBatch) -> list[bool]:
    """An item occurs twice.

    Two combinations of words make the same sentences. Look for a slot that is not printed, or for
    two rows of a lexicon table with the same forms.
    """
    return _repeated(batch.memory.texts, list(map(_texts, batch.items)))


def _repeated(seen: set[T], keys: Sequence[T]) -> list[bool]:
    """Return for each key whether it was seen before, and add it to what was seen."""
    flags = []
    for key in keys:
        flags.append(key in seen)
        seen.add(key)
    return flags


def conditions_equal(batch: SuiteBatch) -> list[bool]:
    """Two conditions of an item are the same sentence.

    Their words are spelt alike. Correct the words, or remove the condition.
    """
    return [len(set(texts)) < len(texts) for texts in map(_texts, batch.items)]


def prediction_unreadable(batch: SuiteBatch) -> list[bool]:
    """A prediction cannot be computed.

    It is not of the form `bad.noun > good.noun`, or names a condition or a region that the items do
    not have. `docs/suites.md` describes the language.
    """
    return [bool(batch.wrong_predictions(item)) for item in batch.items]


def region_wrong(batch: SuiteBatch) -> list[bool]:
    """A region is not where its span says, or is empty.

    `text[start:end]` and the words `first:last` of `tokens` must both be the text of the region. An
    empty region has no surprisal: give it a word. If the region is not empty, this is a bug in
    Solecism: report it with the template.
    """
    return [not all(map(_is_in_place, item["conditions"])) for item in batch.items]


def _is_in_place(condition: ItemRow) -> bool:
    text, tokens = condition["text"], condition["tokens"].split(" ")
    return all(
        r["text"]
        and text[r["start"] : r["end"]] == r["text"]
        and "".join(tokens[r["first"] : r["last"]]) == r["text"].replace(" ", "")
        for r in condition["regions"]
    )


def always_a_tie(batch: SuiteBatch) -> list[bool]:
    """Two compared conditions are the same up to the end of the region.

    Every model that reads from left to right finds the region equally surprising in both. What
    differs must come before the region.
    """
    flags = []
    for pairs in map(batch.compared, batch.items):
        beginnings = [[c["text"][: region["end"]] for c, region in pair] for pair in pairs]
        flags.append(any(one == other for one, other in beginnings))
    return flags


def target_without_control(batch: SuiteBatch) -> list[bool]:
    """The words of a compared region are in no other compared region.

    The same words should be compared after different beginnings: a difference in surprisal may
    otherwise come from the words themselves. Write the same words in the region of two conditions.
    """
    flags = []
    for pairs in map(batch.compared, batch.items):
        texts = {(c["name"], r["name"]): r["text"] for pair in pairs for c, r in pair}
        flags.append(1 in Counter(texts.values()).values())
    return flags


def several_places_differ(batch: SuiteBatch) -> list[bool]:
    """Two conditions with the same words in the region differ in more than one place.

    They should differ in the words that are tested and in nothing else, so that a difference in
    surprisal has no other cause.
    """
    flags = []
    for pairs in map(batch.compared, batch.items):
        same_region = [pair for pair in pairs if pair[0][1]["text"] == pair[1][1]["text"]]
        tokens = [[c["tokens"].split(" ") for c, _ in pair] for pair in same_region]
        flags.append(any(_count_changes(*sides) > 1 for sides in tokens))
    return flags


def _count_changes(a: Sequence[str], b: Sequence[str]) -> int:
    """Return in how many places words are replaced, added or left out between two sentences."""
    codes = SequenceMatcher(a=a, b=b, autojunk=False).get_opcodes()
    return sum(code[0] != "equal" for code in codes)


def unwanted_conditions(batch: SuiteBatch) -> list[bool]:
    """A sentence has words that a public data set should not have.

    `unwanted.tsv` of the lexicon says which, and why. Use other words.
    """
    return batch.any_sentence(unwanted_words(batch.sentences))


def badly_written(batch: SuiteBatch) -> list[bool]:
    """A sentence is not written as it should be.

    One of the checks of sentences (I010 to I014, I019: normal form, spaces, final mark, capital,
    letters of two scripts, characters of templates) applies to one of the conditions.
    """
    found = [check(batch.sentences) for check in TEXT_CHECKS]
    return batch.any_sentence(np.logical_or.reduce(found))
