"""Checks of minimal pairs, and batches of pairs as arrays, so that no check loops over rows.

The docstring of a check is its message and, below, what to do about it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.check.spelling import SCRIPTS, printed_as, words_apart
from solecism.contrast import count_differing
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.hashing import Hashes, combine, mix
from solecism.lexicon.orthography import FINAL, Orthography
from solecism.lexicon.unwanted import unwanted_in

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
    """A column of texts; ``chars`` are the code points of all of them, one after the other."""

    values: Sequence[str]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def joined(self) -> str:
        """All texts as one."""
        return "".join(self.values)

    @cached_property
    def chars(self) -> NDArray[np.uint32]:
        """The code points of ``joined``."""
        return np.frombuffer(self.joined.encode("utf-32-le"), dtype="<u4")

    @cached_property
    def lengths(self) -> Ints:
        """The number of characters of each text."""
        return np.fromiter(map(len, self.values), dtype=np.int64, count=len(self.values))

    @cached_property
    def starts(self) -> Ints:
        """Where each text begins in ``chars``."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def highest(self) -> int:
        """The highest code point, 127 where all are ASCII."""
        return 127 if self.joined.isascii() else int(self.chars.max())

    @cached_property
    def hashes(self) -> Hashes:
        """A 64-bit hash of each text (of this process only)."""
        numbers = np.fromiter(map(hash, self.values), dtype=np.int64, count=len(self.values))
        return numbers.view(np.uint64)

    def rows(self, places: Ints) -> Ints:
        """Return the number of the text to which each place in ``chars`` belongs."""
        return np.asarray(np.searchsorted(self.starts, places, side="right") - 1)

    def flags(self, places: Ints) -> Flags:
        """Return flags of the texts to which places in ``chars`` belong."""
        out = np.zeros(len(self), dtype=bool)
        out[self.rows(places)] = True
        return out


class HashSet:
    """A growing set of 64-bit hashes in sorted runs (each at least twice as long as the next)."""

    def __init__(self) -> None:
        self._runs: list[Hashes] = []

    def known(self, hashes: Hashes) -> Flags:
        """Return flags of the hashes that were added before."""
        out = np.zeros(len(hashes), dtype=bool)
        for run in self._runs:
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

    def texts(self, name: str) -> tuple[Ints, list[str]]:
        """Return a text of each slot, as a place in a list of distinct texts, and that list."""
        column = self._flat.field(name).dictionary_encode()
        codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        places = np.asarray(codes, dtype=np.int64).reshape(-1, self.count)
        return places, column.dictionary.to_pylist()


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
        return Text(self.table[name].fill_null("").to_pylist())

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
    if not batch.paradigm.plan.apart:
        return flags
    lemmas, names = batch.slots.texts("lemma")
    parts, _ = batch.slots.texts("upos")
    found = []
    for a, b in batch.paradigm.plan.apart:
        same = (lemmas[:, a] == lemmas[:, b]) & (parts[:, a] == parts[:, b])
        found += [(a, same)] if same.any() else []
    shared = _shared_lemmas(batch) if found else set()
    unsure = np.array([name in shared for name in names] + [True])
    for a, same in found:
        flags |= same & ~unsure[lemmas[:, a]]
    return flags


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


SPACE = 32
MARKS = ",.;:!?…)。，、；：？！»"
SPACED = {"fr": ";:!?»"}
"""Marks that a language writes with a space before them."""


def _either(batch: PairBatch, judge: Callable[[Text], Flags]) -> Flags:
    good, bad = batch.sentences
    return judge(good) | judge(bad)


def _codes(text: str) -> Ints:
    return np.array([ord(char) for char in text], dtype=np.int64)


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
        if unicodedata.is_normalized("NFC", text.joined):
            return batch.none()
        return np.array([not unicodedata.is_normalized("NFC", value) for value in text.values])

    return _either(batch, judge)


def bad_spacing(batch: PairBatch) -> Flags:
    """A sentence has a space too many.

    Two spaces in a row, one at an end, or one before a mark of punctuation (French `;`, `:`, `!`,
    `?` and `»` may have one). Look for spaces inside a form or a property that is printed.
    """
    marks = _codes("".join(set(MARKS) - set(SPACED.get(batch.paradigm.language, ""))))
    wrong = np.append(marks, SPACE)

    def judge(text: Text) -> Flags:
        places = np.flatnonzero(text.chars == SPACE)
        inside = places[places + 1 < len(text.chars)]
        inside = inside[np.isin(text.chars[inside + 1], wrong)]
        inside = inside[text.rows(inside) == text.rows(inside + 1)]
        flags = text.flags(inside)
        flags |= (_ends(text, 0) == SPACE) | (_ends(text, -1) == SPACE)
        return flags

    return _either(batch, judge)


def _ends(text: Text, place: int) -> Ints:
    """Return the first (0) or last (-1) character of each text; 0 where it is empty."""
    out = np.zeros(len(text), dtype=np.int64)
    full = text.lengths > 0
    at = text.starts if place == 0 else text.starts + text.lengths - 1
    out[full] = text.chars[at[full]]
    return out


def no_final_mark(batch: PairBatch) -> Flags:
    """A sentence ends without a full stop.

    The orthography has a stop, and the sentence ends in no mark of `.?!…。？！`. An empty sentence
    is reported here too.
    """
    if not batch.spelling.stop:
        return _either(batch, lambda text: text.lengths == 0)
    marks = _codes("".join(FINAL) + batch.spelling.stop[-1:])
    return _either(batch, lambda text: ~np.isin(_ends(text, -1), marks))


def no_capital(batch: PairBatch) -> Flags:
    """A sentence begins with a small letter.

    The orthography asks for capitals (`capital yes`). Look at what the line begins with.
    """
    if not batch.spelling.capital:
        return batch.none()

    def judge(text: Text) -> Flags:
        first, which = np.unique(_ends(text, 0), return_inverse=True)
        small = np.array([_has_capital(chr(code)) for code in first.tolist()])
        return np.asarray(small[which])

    return _either(batch, judge)


def _has_capital(char: str) -> bool:
    upper = char.upper()
    return char.islower() and len(upper) == 1 and upper != char


def mixed_letters(batch: PairBatch) -> Flags:
    """A word of a sentence mixes Latin, Greek and Cyrillic letters.

    Letters that look alike are not the same to a model. Type the word again, in the lexicon or in
    the line of the template.
    """

    def judge(text: Text) -> Flags:
        if text.highest < 0x370:
            return batch.none()
        kind = _script_numbers()[np.minimum(text.chars, 0x1FFF)]
        mixed = (kind[:-1] != kind[1:]) & (kind[:-1] > 0) & (kind[1:] > 0)
        places = np.flatnonzero(mixed)
        return text.flags(places[text.rows(places) == text.rows(places + 1)])

    return _either(batch, judge)


@cache
def _script_numbers() -> NDArray[np.uint8]:
    """Return the number of the script of each code point below U+2000 (0: none of the three)."""
    out = np.zeros(0x2000, dtype=np.uint8)
    for number, ranges in enumerate(SCRIPTS.values(), 1):
        for first, last in zip(ranges[::3], ranges[2::3], strict=True):
            out[ord(first) : ord(last) + 1] = number
    out[0x1FFF] = 0
    return out


def span_wrong(batch: PairBatch) -> Flags:
    """The span of a slot does not cover its word.

    `sentence_good[good_start:good_end]` must be the form (spelling rules and the sentence capital
    left aside), and no span may reach out of its sentence. This is a bug in Solecism: report it
    with the template.
    """
    if not batch.slots.count:
        return batch.none()
    forms, names = batch.slots.texts("form")
    starts, ends, *bad = map(
        batch.slots.numbers, ("good_start", "good_end", "bad_start", "bad_end")
    )
    outside = _outside(starts, ends, batch.good) | _outside(bad[0], bad[1], batch.bad)
    flags = np.asarray(outside.any(axis=1))
    for slot in range(batch.slots.count):
        rows = np.flatnonzero((starts[:, slot] >= 0) & (forms[:, slot] >= 0) & ~flags)
        spans = starts[rows, slot], ends[rows, slot]
        flags[rows[_unlike(batch, rows, spans, forms[rows, slot], Text(names))]] = True
    return flags


def _outside(start: Ints, end: Ints, text: Text) -> Flags:
    printed = (start >= 0) | (end >= 0)
    inside = (start >= 0) & (start < end) & (end <= text.lengths[:, None])
    return np.asarray(printed & ~inside)


def _unlike(
    batch: PairBatch, rows: Ints, spans: tuple[Ints, Ints], forms: Ints, names: Text
) -> Flags:
    """Return flags of the spans (of rows of the good sentences) that do not print their form."""
    start, end = spans
    suspect = (end - start) != names.lengths[forms]
    alike = np.flatnonzero(~suspect)
    here = batch.good.starts[rows[alike]] + start[alike]
    there = names.starts[forms[alike]]
    suspect[alike] = _chars_differ(batch.good, here, names, there, (end - start)[alike])
    known: dict[tuple[str, str, bool], bool] = {}
    for place in np.flatnonzero(suspect).tolist():
        first, last = int(start[place]), int(end[place])
        sentence = batch.good.values[int(rows[place])]
        key = names.values[int(forms[place])], sentence[first:last], first == 0
        if key not in known:
            known[key] = not printed_as(*key, batch.spelling)
        suspect[place] = known[key]
    return np.asarray(suspect)


def _chars_differ(a: Text, a_starts: Ints, b: Text, b_starts: Ints, lengths: Ints) -> Flags:
    """Compare spans of equal length; return flags of those with a differing character."""
    which = np.repeat(np.arange(len(lengths)), lengths)
    step = np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    differ = a.chars[a_starts[which] + step] != b.chars[b_starts[which] + step]
    return np.bincount(which[differ], minlength=len(lengths)) > 0
