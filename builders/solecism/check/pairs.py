"""Checks of minimal pairs, and batches of pairs as arrays, so that no check loops over rows.

The docstring of a check is its message and, below, what to do about it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.check.spelling import SCRIPTS, printed_as, words_apart
from solecism.contrast import count_differing
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.grouping import alike_rows
from solecism.hashing import Hashes, column_hashes, combine, mix
from solecism.lexicon.orthography import FINAL, Orthography
from solecism.lexicon.unwanted import unwanted_in
from solecism.texts import TextBytes, pieces

__all__ = [
    "HashSet", "PairBatch", "PairMemory", "Text", "bad_spacing", "duplicate_id", "duplicate_pair",
    "good_and_bad", "good_is_bad", "left_out", "lemma_twice", "mixed_letters", "mostly_left_out",
    "no_capital", "no_final_mark", "not_nfc", "not_printed", "several_words_differ", "span_wrong",
    "unwanted_words",
]  # fmt: skip

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Text:
    """A column of texts; ``data`` are the UTF-8 bytes of all of them, one after the other."""

    values: pa.StringArray

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def _bytes(self) -> TextBytes:
        return TextBytes.of(self.values)

    @property
    def data(self) -> NDArray[np.uint8]:
        """The bytes of all texts."""
        return self._bytes.data

    @property
    def bounds(self) -> Ints:
        """Where each text begins in ``data`` and, last, where all end."""
        return self._bytes.bounds

    @cached_property
    def edges(self) -> NDArray[np.uint8]:
        """The first and the last byte of each text; 0 where it is empty."""
        places = np.stack([self.bounds[:-1], self.bounds[1:] - 1])
        full = places[0] <= places[1]
        out = np.zeros(places.shape, dtype=np.uint8)
        out[:, full] = self.data[places[:, full]]
        return out

    @cached_property
    def highest(self) -> int:
        """The highest byte, below 128 where all are ASCII."""
        return int(self.data.max(initial=0))

    @cached_property
    def lengths(self) -> Ints:
        """The number of characters of each text."""
        return np.asarray(pc.utf8_length(self.values).to_numpy(), dtype=np.int64)

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit hash of each text."""
        return column_hashes(self.values)

    @cached_property
    def _characters(self) -> tuple[Ints, Ints]:
        """Where each character begins in ``data``, and the number of each text's first one."""
        begun = (self.data & 0xC0) != 0x80  # other bytes go on with a character
        places = np.flatnonzero(np.append(begun, True))
        return places, np.cumsum(self.lengths) - self.lengths

    def cut(self, rows: Ints, starts: Ints, ends: Ints) -> pa.StringArray:
        """Return the characters ``start:end`` of texts; ``rows`` ascend."""
        if self.highest < 128:
            places, firsts = None, self.bounds[rows]
        else:
            places, firsts = self._characters[0], self._characters[1][rows]
        spans = np.column_stack([firsts + starts, firsts + ends]).ravel()
        found = pieces(self.data, spans if places is None else places[spans])
        return found.take(pa.array(np.arange(0, len(found), 2)))  # between them is the rest

    def matching(self, suspects: Flags, pattern: str) -> Flags:
        """Return which texts a pattern of RE2 is found in, of those that are ``suspects``."""
        rows = np.flatnonzero(suspects)
        out = np.zeros(len(self), dtype=bool)
        if len(rows):
            found = pc.match_substring_regex(self.values.take(pa.array(rows)), pattern)
            out[rows] = found.to_numpy(zero_copy_only=False)
        return out


class HashSet:
    """A growing set of 64-bit hashes in sorted runs (each at least twice as long as the next)."""

    def __init__(self) -> None:
        self._runs: list[Hashes] = []

    def known(self, hashes: Hashes) -> Flags:
        """Return flags of the hashes that were added before."""
        out = np.zeros(len(hashes), dtype=bool)
        ascending = np.sort(hashes)
        for run in self._runs:
            if _any_of(run, ascending):  # seldom
                places = np.minimum(np.searchsorted(run, hashes), len(run) - 1)
                out |= run[places] == hashes
        return out

    def add(self, hashes: Hashes) -> None:
        """Add hashes."""
        run = _distinct(hashes)
        while self._runs and len(self._runs[-1]) <= len(run):
            run = _distinct(np.concatenate([self._runs.pop(), run]))
        if len(run):
            self._runs.append(run)

    def repeated(self, hashes: Hashes) -> Flags:
        """Add hashes; return flags of those that were added before or repeat in the array."""
        out = self.known(hashes)
        if len(_distinct(hashes)) < len(hashes):
            again = np.ones(len(hashes), dtype=bool)
            again[np.unique(hashes, return_index=True)[1]] = False
            out |= again
        self.add(hashes)
        return out


def _any_of(run: Hashes, hashes: Hashes) -> bool:
    """Return whether sorted hashes have one in common (to look up sorted ones is quick)."""
    places = np.minimum(np.searchsorted(run, hashes), len(run) - 1)
    return bool((run[places] == hashes).any())


def _distinct(hashes: Hashes) -> Hashes:
    """Return the distinct hashes, sorted (numpy sorts numbers faster than it hashes them)."""
    run = np.sort(hashes)
    return np.asarray(run[np.concatenate([run[:1] == run[:1], run[1:] != run[:-1]])])


@dataclass(frozen=True)
class PairMemory:
    """The hashes of earlier batches."""

    ids: HashSet = field(default_factory=HashSet)
    pairs: HashSet = field(default_factory=HashSet)
    good: HashSet = field(default_factory=HashSet)
    bad: HashSet = field(default_factory=HashSet)


@dataclass(frozen=True, eq=False)
class SlotColumns:
    """The column ``slots`` as arrays of shape (rows, slots); -1 if a slot is not printed."""

    table: pa.Table
    count: int

    @cached_property
    def _flat(self) -> pa.StructArray:
        return self.table["slots"].combine_chunks().flatten()

    def numbers(self, name: str) -> Ints:
        """Return a number of each slot, such as ``good_start``."""
        values = self._flat.field(name).fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(values, dtype=np.int64).reshape(-1, self.count)

    def texts(self, name: str, slot: int, rows: Ints) -> pa.StringArray:
        """Return a text of a slot in some rows."""
        return self._flat.field(name).take(pa.array(rows * self.count + slot))


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Some pairs of a paradigm: a table of :func:`solecism.schema.pair_schema`."""

    paradigm: Paradigm
    table: pa.Table
    memory: PairMemory

    def __len__(self) -> int:
        return len(self.table)

    def text(self, name: str) -> Text:
        """Return a column of texts (null is read as empty)."""
        return Text(self.table[name].combine_chunks().fill_null(""))

    @cached_property
    def good(self) -> Text:
        """The good sentences."""
        return self.text("sentence_good")

    @cached_property
    def bad(self) -> Text:
        """The bad sentences."""
        return self.text("sentence_bad")

    @property
    def sentences(self) -> tuple[Text, Text]:
        """The good and the bad sentences."""
        return self.good, self.bad

    @cached_property
    def slots(self) -> SlotColumns:
        """The words of the slots."""
        return SlotColumns(self.table, len(self.paradigm.template.slots))

    @property
    def spelling(self) -> Orthography:
        """The spelling of the language."""
        return self.paradigm.phrases.lexicon.orthography

    def none(self) -> Flags:
        """Return flags that are all false."""
        return np.zeros(len(self), dtype=bool)


def duplicate_id(batch: PairBatch) -> Flags:
    """Two pairs have the same id.

    This is a bug in Solecism, as ids are made from the words. Report it with the template.
    """
    return batch.memory.ids.repeated(batch.text("id").hashes)


def duplicate_pair(batch: PairBatch) -> Flags:
    """A pair occurs twice.

    Two combinations of words make the same two sentences, so the pair counts twice. Look for a slot
    that is not printed, for two words that are spelt alike, or for two bad lines that come to the
    same.
    """
    return batch.memory.pairs.repeated(combine(mix(batch.good.hashes), [batch.bad.hashes]))


def good_is_bad(batch: PairBatch) -> Flags:
    """The good and the bad sentence are the same.

    The form of the bad line is spelt like that of the good one.
    """
    return np.asarray(batch.good.hashes == batch.bad.hashes)


def good_and_bad(batch: PairBatch) -> Flags:
    """A sentence is good in one pair and bad in another.

    One of the labels is wrong: the bad sentence has a reading on which it is grammatical. Narrow
    the slots or let the line name what makes the difference.
    """
    good, bad = batch.good.hashes, batch.bad.hashes
    batch.memory.good.add(good)
    batch.memory.bad.add(bad)
    flags = batch.memory.bad.known(good) | batch.memory.good.known(bad)
    return flags & ~good_is_bad(batch)


def several_words_differ(batch: PairBatch) -> Flags:
    """More than one word differs in an agreement paradigm.

    With a `controller`, good and bad should differ in the word that agrees and in nothing else (a
    neighbour that is only respelt, `je suis`, `j'es`, does not count). Let other words keep
    agreeing in the bad line.
    """
    flags = batch.none()
    if not batch.paradigm.template.controller:
        return flags
    known: dict[tuple[str, str], bool] = {}
    good, bad = (batch.table[f"tokens_{side}"].combine_chunks() for side in ("good", "bad"))
    suspects = np.flatnonzero(count_differing(good, bad) != 1)
    pairs = zip(good.take(suspects).to_pylist(), bad.take(suspects).to_pylist(), strict=True)
    for row, pair in zip(suspects.tolist(), pairs, strict=True):
        if pair not in known:
            known[pair] = _several(*pair, batch.spelling)
        flags[row] = known[pair]
    return flags


def _several(good: str, bad: str, spelling: Orthography) -> bool:
    return words_apart(good.split(), bad.split(), spelling) > 1


def lemma_twice(batch: PairBatch) -> Flags:
    """Two slots have taken the same word.

    Slots of one table never do, unless `may_repeat` names both, so this is a bug in Solecism.
    Report it.
    """
    flags = batch.none()
    apart = batch.paradigm.plan.apart
    every = np.arange(len(batch))
    lemmas = {s: batch.slots.texts("lemma", s, every) for s in {s for pair in apart for s in pair}}
    for a, b in apart:
        rows = _true(pc.equal(lemmas[a], lemmas[b]))
        parts = [batch.slots.texts("upos", slot, rows).fill_null("") for slot in (a, b)]
        rows = rows[_true(pc.equal(*parts))]
        if len(rows):
            shared = _shared_lemmas(batch)
            names = lemmas[a].take(pa.array(rows)).to_pylist()
            flags[rows[[name not in shared for name in names]]] = True
    return flags


def _true(flags: pa.BooleanArray) -> Ints:
    """Return the rows whose flag is true (null is not)."""
    return np.flatnonzero(flags.fill_null(False).to_numpy(zero_copy_only=False))


def _shared_lemmas(batch: PairBatch) -> set[str]:
    """Return printed lemmas of several words of the slots (homonyms, words of two tables)."""
    words = [word for domain in batch.paradigm.plan.domains for word in domain.words]
    rows = {(word.table.name, word.row.lemma): word.row.shown for word in words}
    return {lemma for lemma, number in Counter(rows.values()).items() if number > 1}


def not_printed(batch: PairBatch) -> Flags:
    """The controller or an attractor is missing in a good sentence.

    The template prints the slot in some of the sentences only, so that no distance and match can be
    computed for the others.
    """
    template = batch.paradigm.template
    names = [name for name in (template.controller, *template.attractors) if name]
    if not names:
        return batch.none()
    columns = [batch.paradigm.slot_number(name) for name in names]
    return np.asarray((batch.slots.numbers("good_start")[:, columns] < 0).any(axis=1))


def mostly_left_out(counts: Counts) -> Iterator[str]:
    """More than half of all combinations make no pair.

    Words lack forms or have forms that are spelt alike. Narrow the slots to words that can make a
    pair; otherwise the words that remain may not be the ones you meant.
    """
    skipped = counts.skipped.total()
    if skipped > counts.sets:
        yield f"{skipped} of {skipped + counts.sets} ({_reasons(counts)})"


def left_out(counts: Counts) -> Iterator[str]:
    """Some combinations or forms were left out.

    `lacking`: a word lacks the form. `syncretic`: the bad form is spelt like the good one. `equal`:
    the sentences would be the same. Nothing needs to be done.
    """
    if counts.skipped or counts.syncretic_forms:
        forms = f"{counts.syncretic_forms} bad forms spelt like the good one"
        made = f"{counts.sets} minimal sets, {counts.pairs} pairs"
        yield f"{made}; left out: {', '.join(filter(None, (_reasons(counts), forms)))}"


def _reasons(counts: Counts) -> str:
    return ", ".join(f"{n} {reason}" for reason, n in sorted(counts.skipped.items()))


SPACE = ord(" ")
MARKS = ",.;:!?…)。，、；：？！»"
SPACED = {"fr": ";:!?»"}
"""Marks that a language writes with a space before them."""


def _either(batch: PairBatch, judge: Callable[[Text], Flags]) -> Flags:
    good, bad = batch.sentences
    return judge(good) | judge(bad)


def unwanted_words(batch: PairBatch) -> Flags:
    """A sentence has words that a public data set should not have.

    Which words, and why, is said in `unwanted.tsv` of the lexicon: violence by or against nations,
    self-harm, sexual readings. Let the slots take other words.
    """
    lists = batch.paradigm.phrases.lexicon.unwanted
    good, bad = (unwanted_in(lists, batch.table[f"tokens_{side}"]) for side in ("good", "bad"))
    return good | bad


def not_nfc(batch: PairBatch) -> Flags:
    """A sentence is not in Unicode normal form C.

    A combining mark meets a letter where two words are written together. Write the letter composed.
    """

    def judge(text: Text) -> Flags:
        low = text.highest < 0xCC  # the first byte of U+0300: nothing below it can be composed
        if low or unicodedata.is_normalized("NFC", bytes(text.data).decode()):
            return batch.none()
        normal = [unicodedata.is_normalized("NFC", value) for value in text.values.to_pylist()]
        return ~np.array(normal)

    return _either(batch, judge)


def bad_spacing(batch: PairBatch) -> Flags:
    """A sentence has a space too many.

    Two spaces in a row, one at an end, or one before a mark of punctuation (French `;`, `:`, `!`,
    `?` and `»` may have one). Look for spaces inside a form or a property that is printed.
    """
    marks = "".join(sorted(set(MARKS) - set(SPACED.get(batch.paradigm.language, ""))))
    wrong = np.zeros(256, dtype=bool)
    wrong[[SPACE, *(mark.encode()[0] for mark in marks)]] = True

    def judge(text: Text) -> Flags:
        # Patterns are slow: they are tried where a space stands at an end, or before a byte that
        # one of the marks begins with.
        suspects = (text.edges == SPACE).any(axis=0)
        spaces = np.flatnonzero(text.data[:-1] == SPACE)
        met = spaces[wrong[text.data[spaces + 1]]]
        suspects[np.searchsorted(text.bounds, met, side="right") - 1] = True
        return text.matching(suspects, f"^ | $| [ {re.escape(marks)}]")

    return _either(batch, judge)


def no_final_mark(batch: PairBatch) -> Flags:
    """A sentence ends without a full stop.

    The orthography has a stop, and the sentence ends in no mark of `.?!…。？！`. An empty sentence
    is reported here too.
    """
    if not batch.spelling.stop:
        return _either(batch, lambda text: text.lengths == 0)
    marks = "".join(sorted(FINAL)) + batch.spelling.stop[-1:]
    plain = np.frombuffer(marks.encode("ascii", "ignore"), dtype=np.uint8)

    def judge(text: Text) -> Flags:
        suspects = ~np.isin(text.edges[1], plain)
        return suspects & ~text.matching(suspects, f"[{re.escape(marks)}]$")

    return _either(batch, judge)


def no_capital(batch: PairBatch) -> Flags:
    """A sentence begins with a small letter.

    The orthography asks for capitals (`capital yes`). Look at what the line begins with.
    """
    if not batch.spelling.capital:
        return batch.none()

    def judge(text: Text) -> Flags:
        first = pc.utf8_slice_codeunits(text.values, 0, 1).dictionary_encode()
        small = np.array([_has_capital(char) for char in first.dictionary.to_pylist()])
        return np.asarray(small[first.indices.to_numpy()])

    return _either(batch, judge)


def _has_capital(char: str) -> bool:
    upper = char.upper()
    return char.islower() and len(upper) == 1 and upper != char


def mixed_letters(batch: PairBatch) -> Flags:
    """A word of a sentence mixes Latin, Greek and Cyrillic letters.

    Letters that look alike are not the same to a model. Type the word again, in the lexicon or in
    the line of the template.
    """

    pairs = permutations((f"[{letters}]" for letters in SCRIPTS.values()), 2)
    mixed = "|".join(map("".join, pairs))

    def judge(text: Text) -> Flags:
        # Greek letters begin with the byte CD or a higher one, Latin ones with lower ones.
        return text.matching(np.full(len(text), text.highest >= 0xCD), mixed)

    return _either(batch, judge)


def span_wrong(batch: PairBatch) -> Flags:
    """The span of a slot does not cover its word.

    `sentence_good[good_start:good_end]` must be the form (spelling rules and the sentence capital
    left aside), and no span may reach out of its sentence. This is a bug in Solecism: report it
    with the template.
    """
    if not batch.slots.count:
        return batch.none()
    starts, ends, *bad = map(
        batch.slots.numbers, ("good_start", "good_end", "bad_start", "bad_end")
    )
    outside = _outside(starts, ends, batch.good) | _outside(bad[0], bad[1], batch.bad)
    flags = np.asarray(outside.any(axis=1))
    for slot in range(batch.slots.count):
        rows = np.flatnonzero((starts[:, slot] >= 0) & ~flags)
        if len(rows):
            flags[_unlike(batch, rows, slot, starts[rows, slot], ends[rows, slot])] = True
    return flags


def _outside(start: Ints, end: Ints, text: Text) -> Flags:
    printed = (start >= 0) | (end >= 0)
    inside = (start >= 0) & (start < end) & (end <= text.lengths[:, None])
    return np.asarray(printed & ~inside)


def _unlike(batch: PairBatch, rows: Ints, slot: int, starts: Ints, ends: Ints) -> Ints:
    """Return those of the rows whose good sentence does not print the form of a slot."""
    forms, printed = batch.slots.texts("form", slot, rows), batch.good.cut(rows, starts, ends)
    suspects = _true(pc.not_equal(forms, printed))
    places = pa.array(suspects)
    coded = [texts.take(places).dictionary_encode() for texts in (forms, printed)]
    codes = [np.asarray(texts.indices.to_numpy(), dtype=np.intp) for texts in coded]
    firsts, group = alike_rows([*codes, (starts[suspects] == 0).astype(np.intp)], len(suspects))
    wrong = [
        not printed_as(forms[n].as_py(), printed[n].as_py(), starts[n] == 0, batch.spelling)
        for n in suspects[firsts].tolist()
    ]
    return np.asarray(rows[suspects[np.array(wrong, dtype=bool)[group]]])
