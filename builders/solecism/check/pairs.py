"""Checks of minimal pairs. Each flags the rows of a batch, without a loop over them.

The docstring of a check is its message and, below, what to do about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from unicodedata import is_normalized

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.check.spelling import SCRIPTS, printed_as, words_apart
from solecism.contrast import count_differing, differing_span
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.grouping import alike_rows
from solecism.hashing import Hashes, SeenHashes, column_hashes, combine, mix
from solecism.lexicon.features import Feats, agree
from solecism.lexicon.orthography import FINAL, Orthography
from solecism.lexicon.unwanted import unwanted_in

__all__ = [
    "PairBatch", "PairMemory", "bad_spacing", "duplicate_id", "duplicate_pair", "good_and_bad",
    "good_is_bad", "left_out", "lemma_twice", "mixed_letters", "mostly_left_out", "no_capital",
    "no_final_mark", "not_nfc", "not_printed", "other_word", "several_words_differ", "span_wrong",
    "stray_characters", "unwanted_words",
]  # fmt: skip

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass
class PairMemory:
    """The hashes of the pairs of a config that were checked before.

    ``sentences`` are the good and bad sentences of each batch, with the UID of its paradigm.
    """

    ids: SeenHashes = field(default_factory=SeenHashes)
    pairs: SeenHashes = field(default_factory=SeenHashes)
    good: SeenHashes = field(default_factory=SeenHashes)
    bad: SeenHashes = field(default_factory=SeenHashes)
    sentences: list[tuple[str, Hashes]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Some pairs of a paradigm: a table of :func:`solecism.schema.pair_schema`."""

    paradigm: Paradigm
    table: pa.Table
    memory: PairMemory

    def __len__(self) -> int:
        return len(self.table)

    def text(self, name: str) -> pa.StringArray:
        """Return a column of texts (null is read as empty)."""
        column = self.table[name].combine_chunks()
        return column.fill_null("") if column.null_count else column

    @cached_property
    def good(self) -> pa.StringArray:
        """The good sentences."""
        return self.text("sentence_good")

    @cached_property
    def bad(self) -> pa.StringArray:
        """The bad sentences."""
        return self.text("sentence_bad")

    @cached_property
    def hashes(self) -> tuple[Hashes, Hashes]:
        """The hashes of the good and of the bad sentences."""
        return column_hashes(self.good), column_hashes(self.bad)

    @cached_property
    def _slots(self) -> pa.StructArray:
        return self.table["slots"].combine_chunks().flatten()

    def places(self, name: str) -> Ints:
        """Return a number of each slot, as ``good_start``: a row for each pair, -1 for null."""
        values = self._slots.field(name).fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(values, dtype=np.int64).reshape(len(self), -1)

    def slot_texts(self, name: str, slot: int) -> pa.StringArray:
        """Return a text of a slot, as ``lemma``."""
        count = len(self.paradigm.template.slots)
        return self._slots.field(name).take(pa.array(np.arange(slot, count * len(self), count)))

    @property
    def spelling(self) -> Orthography:
        """The spelling of the language."""
        return self.paradigm.phrases.lexicon.orthography

    def matching(self, pattern: str) -> Flags:
        """Return the pairs with a sentence in which a pattern (of RE2) is found."""
        if not self._suspects:
            return np.zeros(len(self), dtype=bool)
        return self._matching(pattern)

    def _matching(self, pattern: str) -> Flags:
        found = [pc.match_substring_regex(side, pattern) for side in (self.good, self.bad)]
        return _flags(pc.or_(*found))

    @cached_property
    def _suspects(self) -> bool:
        """Whether one of the patterns of the checks is found in any sentence."""
        return bool(self._matching("|".join([_SPACES.format(MARKS), STRAY, _MIXED])).any())

    def elsewhere(self, row: int) -> list[str]:
        """Return the other paradigms that have one of the sentences of a pair."""
        wanted = [hashes[row] for hashes in self.hashes]
        uids = [uid for uid, hashes in self.memory.sentences if np.isin(wanted, hashes).any()]
        return [uid for uid in dict.fromkeys(uids) if uid != self.paradigm.template.id]


def _flags(found: pa.BooleanArray) -> Flags:
    """Return flags as an array of numpy; null is false."""
    return np.asarray(found.fill_null(False).to_numpy(zero_copy_only=False), dtype=bool)


def duplicate_id(batch: PairBatch) -> Flags:
    """Two pairs have the same id.

    This is a bug in Solecism, as ids are made from the words. Report it with the template.
    """
    return ~batch.memory.ids.fresh(column_hashes(batch.text("id")))


def duplicate_pair(batch: PairBatch) -> Flags:
    """A pair occurs twice.

    Two combinations of words make the same two sentences, so the pair counts twice. Look for a slot
    that is not printed, for two words that are spelt alike, for two bad lines that come to the
    same, or for another paradigm of the config that makes the same pairs.
    """
    good, bad = batch.hashes
    return ~batch.memory.pairs.fresh(combine(mix(good), [bad]))


def good_is_bad(batch: PairBatch) -> Flags:
    """The good and the bad sentence are the same.

    The form of the bad line is spelt like that of the good one.
    """
    good, bad = batch.hashes
    return np.asarray(good == bad)


def good_and_bad(batch: PairBatch) -> Flags:
    """A sentence is good in one pair and bad in another.

    One of the labels is wrong: the bad sentence has a reading on which it is grammatical, or a
    paradigm of the config has its lines the wrong way round. Narrow the slots or let the line name
    what makes the difference.
    """
    (good, bad), memory = batch.hashes, batch.memory
    memory.good.add(good)
    memory.bad.add(bad)
    memory.sentences.append((batch.paradigm.template.id, np.concatenate([good, bad])))
    return (memory.bad.known(good) | memory.good.known(bad)) & ~good_is_bad(batch)


def several_words_differ(batch: PairBatch) -> Flags:
    """More than one word differs in an agreement paradigm.

    With a `controller`, good and bad should differ in the word that agrees and in nothing else (a
    neighbour that is only respelt, `je suis`, `j'es`, does not count). Let other words keep
    agreeing in the bad line.
    """
    flags = np.zeros(len(batch), dtype=bool)
    if not batch.paradigm.template.controller:
        return flags
    good, bad = batch.text("tokens_good"), batch.text("tokens_bad")
    for row in np.flatnonzero(count_differing(good, bad) != 1).tolist():
        pair = good[row].as_py().split(), bad[row].as_py().split()
        flags[row] = words_apart(*pair, batch.spelling) > 1
    return flags


def other_word(batch: PairBatch) -> Flags:
    """The words that differ are not forms of one word of which the good one agrees.

    With a `controller`, the good sentence should have the form that agrees with it, and the bad one
    another form of the same word of the lexicon. Use `agree` and `clash`, or look whether the lines
    are the wrong way round. If the contrast is another, drop `controller` or write `allow: I018`.
    """
    if not batch.paradigm.template.controller:
        return np.zeros(len(batch), dtype=bool)
    features = batch.table["features"].combine_chunks()
    names = ("Number", "Gender", "Person")
    models = [features.field(f"controller_{name.lower()}") for name in names]
    columns = [*_words_that_differ(batch), *models]
    codes = [column.dictionary_encode().indices.fill_null(-1).to_numpy() for column in columns]
    firsts, group = alike_rows([code + 1 for code in codes], len(batch))
    cells_of = batch.paradigm.phrases.lexicon.cells_of_forms
    wrong = []
    for row in firsts.tolist():
        good, bad, *values = [column[row].as_py() for column in columns]
        model = Feats.of({name: value for name, value in zip(names, values, strict=True) if value})
        if good and good not in cells_of:  # a prefix may be written together with it
            good, bad = _differing_tokens(batch, row)
        ours, theirs = cells_of.get(good, {}), cells_of.get(bad, {})
        cells = [cell for word in ours.keys() & theirs.keys() for cell in ours[word]]
        wrong.append(bool(good) and not any(agree(cell, model) for cell in cells))
    return np.asarray(np.array(wrong, dtype=bool)[group])


def _words_that_differ(batch: PairBatch) -> tuple[pa.StringArray, pa.StringArray]:
    """Return the word of each side of a pair in which alone they differ, or null."""
    columns = [batch.table[f"one_prefix_word_{side}"].combine_chunks() for side in ("good", "bad")]
    if not columns[0].null_count:
        return columns[0], columns[1]
    good, bad = (column.to_pylist() for column in columns)
    for row in [row for row, word in enumerate(good) if word is None]:
        good[row], bad[row] = _differing_tokens(batch, row)
    return pa.array(good, pa.string()), pa.array(bad, pa.string())


def _differing_tokens(batch: PairBatch, row: int) -> tuple[str | None, str | None]:
    ours, theirs = (batch.table[f"tokens_{side}"][row].as_py().split() for side in ("good", "bad"))
    spans = differing_span(ours, theirs)
    one = len(ours[spans[0]]) == 1 == len(theirs[spans[1]])
    return (ours[spans[0]][0], theirs[spans[1]][0]) if one else (None, None)


def lemma_twice(batch: PairBatch) -> Flags:
    """Two slots have taken the same word.

    Slots of one table never do, unless `may_repeat` names both, so this is a bug in Solecism.
    Report it.
    """
    flags = np.zeros(len(batch), dtype=bool)
    apart = batch.paradigm.plan.apart
    lemmas = {slot: batch.slot_texts("lemma", slot) for pair in apart for slot in pair}
    for a, b in apart:
        same = _flags(pc.equal(lemmas[a], lemmas[b]))
        for row in np.flatnonzero(same).tolist():
            slots = batch.table["slots"][row].as_py()
            shared = lemmas[a][row].as_py() in _shared_lemmas(batch.paradigm)
            flags[row] = slots[a]["upos"] == slots[b]["upos"] and not shared
    return flags


def _shared_lemmas(paradigm: Paradigm) -> set[str]:
    """Return printed lemmas of several words of the slots (homonyms, words of two tables)."""
    words = [word for domain in paradigm.plan.domains for word in domain.words]
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
        return np.zeros(len(batch), dtype=bool)
    columns = [batch.paradigm.slot_number(name) for name in names]
    return np.asarray((batch.places("good_start")[:, columns] < 0).any(axis=1))


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


_SPACES = "^ | $| [ {}]"
STRAY = r"[\\{}|_<>]"
MARKS = ",.;:!?…)。，、；：？！»"
SPACED = {"fr": ";:!?»"}
"""Marks that a language writes with a space before them."""


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
    found = np.zeros(len(batch.table), bool)
    for side in (batch.good, batch.bad):
        # All sentences at once; not by pyarrow, which takes NFD for NFC before version 26.
        if not is_normalized("NFC", side.buffers()[2].to_pybytes().decode()):
            texts = side.to_pylist()
            found |= np.array([not is_normalized("NFC", text) for text in texts], bool)
    return found


def bad_spacing(batch: PairBatch) -> Flags:
    """A sentence has a space too many.

    Two spaces in a row, one at an end, or one before a mark of punctuation (French `;`, `:`, `!`,
    `?` and `»` may have one). Look for spaces inside a form or a property that is printed.
    """
    marks = "".join(sorted(set(MARKS) - set(SPACED.get(batch.paradigm.language, ""))))
    return batch.matching(_SPACES.format(re.escape(marks)))


def stray_characters(batch: PairBatch) -> Flags:
    r"""A sentence has one of the characters `\ { } | _ < >`.

    They belong to templates, regular expressions or markup, and no sentence of a language has them.
    Look at the line of the template, at the form in the lexicon and at the results of spelling
    rules.
    """
    return batch.matching(STRAY)


def no_final_mark(batch: PairBatch) -> Flags:
    """A sentence ends without a full stop.

    The orthography has a stop, and the sentence ends in no mark of `.?!…。？！`. An empty sentence
    is reported here too.
    """
    stop = batch.spelling.stop
    marks = "".join(sorted({*FINAL, *stop[-1:]}))
    ended = f"[{re.escape(marks)}]$" if stop else "."
    found = [pc.match_substring_regex(side, ended) for side in (batch.good, batch.bad)]
    return ~_flags(pc.and_(*found))


def no_capital(batch: PairBatch) -> Flags:
    """A sentence begins with a small letter.

    The orthography asks for capitals (`capital yes`). Look at what the line begins with.
    """
    flags = np.zeros(len(batch), dtype=bool)
    for side in (batch.good, batch.bad) if batch.spelling.capital else ():
        first = pc.utf8_slice_codeunits(side, 0, 1).dictionary_encode()
        small = np.array([_has_capital(char) for char in first.dictionary.to_pylist()], dtype=bool)
        flags |= small[first.indices.to_numpy()]
    return flags


def _has_capital(char: str) -> bool:
    upper = char.upper()
    return char.islower() and len(upper) == 1 and upper != char


_MIXED = "|".join(map("".join, permutations((f"[{letters}]" for letters in SCRIPTS.values()), 2)))


def mixed_letters(batch: PairBatch) -> Flags:
    """A word of a sentence mixes Latin, Greek and Cyrillic letters.

    Letters that look alike are not the same to a model. Type the word again, in the lexicon or in
    the line of the template.
    """
    return batch.matching(_MIXED)


def span_wrong(batch: PairBatch) -> Flags:
    """The span of a slot does not cover its word.

    `sentence_good[good_start:good_end]` must be the form (spelling rules and the sentence capital
    left aside), and no span may reach out of its sentence. This is a bug in Solecism: report it
    with the template.
    """
    flags = np.zeros(len(batch), dtype=bool)
    if not batch.paradigm.template.slots:
        return flags
    for side, texts in (("good", batch.good), ("bad", batch.bad)):
        start, end = batch.places(f"{side}_start"), batch.places(f"{side}_end")
        lengths = np.asarray(pc.utf8_length(texts).to_numpy())[:, None]
        inside = (start >= 0) & (start < end) & (end <= lengths)
        flags |= (((start >= 0) | (end >= 0)) & ~inside).any(axis=1)
    sentences = batch.good.to_pylist()
    starts, ends = batch.places("good_start").T, batch.places("good_end").T
    for slot, (first, last) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        forms = batch.slot_texts("form", slot).to_pylist()
        rows = zip(sentences, first, last, forms, strict=True)
        suspects = [n for n, (s, a, b, form) in enumerate(rows) if a >= 0 and s[a:b] != form]
        flags[list(_unlike(suspects, sentences, first, last, forms, batch.spelling))] = True
    return flags


def _unlike(
    rows: Iterable[int], sentences: list[str], first: list[int], last: list[int],
    forms: list[str], spelling: Orthography,
) -> Iterator[int]:  # fmt: skip
    """Yield the rows in which the text of a span is not the form, even as rules may spell it."""
    known: dict[tuple[str, str, bool], bool] = {}
    for row in rows:
        key = forms[row], sentences[row][first[row] : last[row]], first[row] == 0
        if key not in known:
            known[key] = printed_as(*key, spelling)
        if not known[key]:
            yield row
