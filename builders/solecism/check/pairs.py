"""Checks of minimal pairs. Each flags the rows of a batch, without a loop over them.

The docstring of a check is its message and, below, what to do about it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import permutations
from operator import getitem, ne
from unicodedata import is_normalized

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.check.lexicons import SCRIPTS
from solecism.contrast import differing_span
from solecism.grammar.paradigm import Counts, Paradigm
from solecism.grouping import Ints, alike_rows
from solecism.hashing import Hashes, SeenHashes, column_hashes, combine, mix
from solecism.lexicon.features import Feats, agree
from solecism.lexicon.lexicon import Lexicon, unwanted_in
from solecism.lexicon.orthography import FINAL, Orthography, tokenize

Flags = NDArray[np.bool_]


@dataclass
class PairMemory:
    """Hashes of what was checked before: one memory for all pairs of a language of a data set.

    ``sentences`` has an entry for each batch: the UID of its paradigm, and the hashes of its good
    and bad sentences.
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

    @cached_property
    def sides(self) -> tuple[pa.StringArray, pa.StringArray]:
        """The good and the bad sentences (null is read as empty)."""
        columns = (self.table[f"sentence_{side}"] for side in ("good", "bad"))
        good, bad = (column.combine_chunks().fill_null("") for column in columns)
        return good, bad

    @cached_property
    def hashes(self) -> tuple[Hashes, Hashes]:
        """The hashes of the good and of the bad sentences."""
        good, bad = map(column_hashes, self.sides)
        return good, bad

    @cached_property
    def slots(self) -> pa.StructArray:
        """The slots of all pairs, one pair after the other."""
        return self.table["slots"].combine_chunks().flatten()

    def places(self, name: str) -> Ints:
        """Return a column of numbers of the slots, such as ``good_start``.

        The array has a row for each pair, a column for each slot, and -1 for null.
        """
        values = self.slots.field(name).fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(values, dtype=np.intp).reshape(len(self), -1)

    @property
    def spelling(self) -> Orthography:
        """The spelling of the language."""
        return self.paradigm.phrases.lexicon.orthography

    def matching(self, pattern: str) -> Flags:
        """Return flags of the pairs with a sentence in which a pattern (of RE2) is found.

        The pattern must match nothing that the patterns of ``_is_suspect`` do not: most batches
        have no such sentence, and are searched once for all checks.
        """
        if not self._is_suspect:
            return np.zeros(len(self), dtype=bool)
        return _any_side(self.sides, pattern)

    @cached_property
    def _is_suspect(self) -> bool:
        """Whether any sentence has what a check looks for by :meth:`matching`."""
        every = "|".join([_SPACES.format(_MARKS), _STRAY, _MIXED])
        return bool(_any_side(self.sides, every).any())

    def shown(self, row: int, code: str) -> str:
        """Return a pair in a line, as a finding of check ``code`` shows it.

        For I002 (a pair occurs twice) and I004 (a sentence is good and bad) the line names the
        other paradigms that have one of the sentences ("also in"), for I020 the other readings of
        the bad word.
        """
        good, bad = (side[row].as_py() for side in self.sides)
        text = f"{good} / *{bad}"
        if code == "I020":
            word = self.table["one_prefix_word_bad"][row].as_py()
            readings = _readings(word, self.paradigm.phrases.lexicon)
            return f"{text} ({word}: {', '.join(readings[:4])})"
        if code not in ("I002", "I004"):
            return text
        wanted, own = [hashes[row] for hashes in self.hashes], self.paradigm.template.id
        uids = [uid for uid, hashes in self.memory.sentences if np.isin(wanted, hashes).any()]
        others = ", ".join(uid for uid in dict.fromkeys(uids) if uid != own)
        return f"{text} (also in {others})" if others else text


def _any_side(sides: Sequence[pa.StringArray], pattern: str) -> Flags:
    return _flags(pc.or_(*(pc.match_substring_regex(side, pattern) for side in sides)))


def _flags(found: pa.BooleanArray) -> Flags:
    """Return flags as an array of numpy; null is false."""
    return np.asarray(pc.fill_null(found, False), dtype=bool)


def duplicate_id(batch: PairBatch) -> Flags:
    """Two pairs have the same id.

    This is a bug in Solecism, as ids are made from the words. Report it with the template.
    """
    return ~batch.memory.ids.fresh(column_hashes(batch.table["id"].combine_chunks()))


def duplicate_pair(batch: PairBatch) -> Flags:
    """A pair occurs twice.

    Look for a slot that is not printed, words that are spelt alike, bad lines that come to the
    same, or another paradigm of the config that makes the same pairs.
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

    One of the labels is wrong: the bad sentence has a reading on which it is grammatical, or the
    lines of a paradigm of the config are the wrong way round. Narrow the slots, or let the line
    name what makes the difference.
    """
    (good, bad), memory = batch.hashes, batch.memory
    memory.good.add(good)
    memory.bad.add(bad)
    # PairBatch.shown looks here for the other paradigms that have a sentence.
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
    # In pairs that the one-prefix method can score, exactly one word differs: skip them.
    for row in np.flatnonzero(~_flags(batch.table["one_prefix_method"].combine_chunks())).tolist():
        good, bad = (batch.table[f"tokens_{s}"][row].as_py().split() for s in ("good", "bad"))
        flags[row] = words_apart(good, bad, batch.spelling) > 1
    return flags


@lru_cache(maxsize=1 << 14)
def _respellings(word: str, spelling: Orthography) -> frozenset[str]:
    """Return a word and all texts that spelling rules can make of it, one rule after the other."""
    found = {word}
    for rule in spelling.rules:
        found |= {text for known in found for text in rule.outcomes(known)}
    return frozenset(found)


def words_apart(good: Sequence[str], bad: Sequence[str], spelling: Orthography) -> int:
    """Return how many words differ, not counting what spelling rules change.

    If the sides have different numbers of words where they differ, this is the larger number.
    """
    spans = differing_span(good, bad)
    ours, theirs = good[spans[0]], bad[spans[1]]
    if len(ours) != len(theirs):
        # A rule may write one word for two (French "du" for "de le"): it is compared with both.
        double = {rule.new_left for rule in spelling.rules if rule.new_right is None} - {"="}
        ours, theirs = (
            [copy for word in side for copy in [word] * (1 + (word in double))]
            for side in (ours, theirs)
        )
    if len(ours) != len(theirs):
        return max(len(ours), len(theirs))
    return sum(
        b not in _respellings(a, spelling) and a not in _respellings(b, spelling)
        for a, b in zip(ours, theirs, strict=True)
    )


def other_word(batch: PairBatch) -> Flags:
    """The words that differ are not forms of one word, or the good one does not agree.

    With a `controller`, the good sentence should have the form that agrees with the controller, and
    the bad one another form of the same word of the lexicon. Use `agree` and `clash`, or look
    whether the lines are the wrong way round. For another contrast, drop `controller` or write
    `allow: I018`.
    """
    if not batch.paradigm.template.controller:
        return np.zeros(len(batch), dtype=bool)
    features = batch.table["features"].combine_chunks()
    names = ("Number", "Gender", "Person")
    wanted = [features.field(f"controller_{name.lower()}") for name in names]
    columns = [*_words_that_differ(batch), *wanted]
    # Pairs that are alike in these columns are judged once.
    codes = [column.dictionary_encode().indices.fill_null(-1).to_numpy() for column in columns]
    firsts, group = alike_rows([code + 1 for code in codes], len(batch))
    cells_of = batch.paradigm.phrases.lexicon.cells_of_forms
    wrong = []
    for row in firsts.tolist():
        good, bad, *values = [column[row].as_py() for column in columns]
        controller = Feats.of({n: v for n, v in zip(names, values, strict=True) if v})
        if good and good not in cells_of:
            # The words may have a prefix (Hebrew); in the tokens it is a word of its own.
            good, bad = _differing_tokens(batch, row)
        ours, theirs = cells_of.get(good, {}), cells_of.get(bad, {})
        cells = [cell for word in ours.keys() & theirs.keys() for cell in ours[word]]
        wrong.append(bool(good) and not any(agree(cell, controller) for cell in cells))
    return np.asarray(np.array(wrong, dtype=bool)[group])


def _words_that_differ(batch: PairBatch) -> list[pa.StringArray]:
    """Return two columns: of each pair the good word and the bad word in which alone it differs.

    Both are null if more than one word differs.
    """
    columns = [batch.table[f"one_prefix_word_{side}"].combine_chunks() for side in ("good", "bad")]
    good, bad = (column.to_pylist() for column in columns)
    for row in [row for row, word in enumerate(good) if word is None]:
        good[row], bad[row] = _differing_tokens(batch, row)
    return [pa.array(good, pa.string()), pa.array(bad, pa.string())]


def _differing_tokens(batch: PairBatch, row: int) -> tuple[str | None, str | None]:
    """Return the good and the bad token of a pair that differs in one token, else None twice."""
    ours, theirs = (batch.table[f"tokens_{side}"][row].as_py().split() for side in ("good", "bad"))
    spans = differing_span(ours, theirs)
    one = len(ours[spans[0]]) == 1 == len(theirs[spans[1]])
    return (ours[spans[0]][0], theirs[spans[1]][0]) if one else (None, None)


def other_cell(batch: PairBatch) -> Flags:
    """A bad word is spelt like another form of it, or like another word.

    Is the sentence good if it is that one? Then write it as a line `also`, or leave the word out by
    a group or a column.
    """
    lexicon = batch.paradigm.phrases.lexicon
    codes = batch.table["one_prefix_word_bad"].combine_chunks().dictionary_encode()
    words = codes.dictionary.to_pylist()
    found = np.array([*(len(_readings(word, lexicon)) > 1 for word in words), False], dtype=bool)
    return np.asarray(found[codes.indices.fill_null(-1).to_numpy()])


@lru_cache(maxsize=1 << 14)
def _readings(word: str, lexicon: Lexicon) -> list[str]:
    """Return the forms that a text can be, as lemma and features."""
    found = lexicon.cells_of_forms.get(word, {})
    readings = (f"{lemma} {cell}" for (_, lemma), cells in found.items() for cell in cells)
    return list(dict.fromkeys(readings))


def lemma_twice(batch: PairBatch) -> Flags:
    """Two slots have taken the same word.

    Slots of one table never take the same word, unless `may_repeat` names both: this is a bug in
    Solecism. Report it.
    """
    flags = np.zeros(len(batch), dtype=bool)
    count = len(batch.paradigm.template.slots)
    rows_of = [pa.array(np.arange(slot, count * len(batch), count)) for slot in range(count)]
    for pair in batch.paradigm.plan.apart:
        lemmas, tags = (
            [batch.slots.field(name).take(rows_of[slot]) for slot in pair]
            for name in ("lemma", "upos")
        )
        if (same := _flags(pc.equal(*lemmas))).any():
            shared = pc.is_in(lemmas[0], pa.array(_shared_lemmas(batch.paradigm), pa.string()))
            flags |= same & _flags(pc.equal(*tags)) & ~_flags(shared)
    return flags


def _shared_lemmas(paradigm: Paradigm) -> list[str]:
    """Return the lemmas (without a mark such as `#1`) that several words of the slots have.

    These are homonyms, or words of two tables: they are different words with the same lemma.
    """
    words = [word for domain in paradigm.plan.domains for word in domain.words]
    lemmas = {(word.table.name, word.row.lemma): word.row.shown for word in words}
    return [lemma for lemma, number in Counter(lemmas.values()).items() if number > 1]


def not_printed(batch: PairBatch) -> Flags:
    """The controller or an attractor is missing in a good sentence.

    The template prints the slot in some sentences only. In the others `distance` and `match` cannot
    be computed.
    """
    template = batch.paradigm.template
    names = filter(None, (template.controller, *template.attractors))
    columns = [template.slot_names.index(name) for name in names]
    if not columns:
        return np.zeros(len(batch), dtype=bool)
    return np.asarray((batch.places("good_start")[:, columns] < 0).any(axis=1))


def mostly_left_out(counts: Counts) -> Iterator[str]:
    """More than half of all combinations of words make no pair.

    Words lack forms or have forms that are spelt alike. Narrow the slots to words that can make a
    pair: those that remain may not be the ones you meant.
    """
    skipped = counts.skipped.total()
    if skipped > counts.sets:
        yield f"{skipped} of {skipped + counts.sets} ({counts.reasons})"


def left_out(counts: Counts) -> Iterator[str]:
    """Some combinations of words, or some forms, were left out.

    `lacking`: a word lacks the form. `syncretic`: the bad form is spelt like the good one. `equal`:
    the sentences would be the same. Nothing needs to be done.
    """
    if counts.skipped or counts.syncretic_forms:
        forms = f"{counts.syncretic_forms} bad forms spelt like the good one"
        made = f"{counts.sets} minimal sets, {counts.pairs} pairs"
        yield f"{made}; left out: {', '.join(filter(None, (counts.reasons, forms)))}"


def unwanted_words(batch: PairBatch) -> Flags:
    """A sentence has words that a public data set should not have.

    `unwanted.tsv` of the lexicon says which, and why: violence by or against nations, self-harm,
    sexual readings. Let the slots take other words.
    """
    lists = batch.paradigm.phrases.lexicon.unwanted
    good, bad = (unwanted_in(lists, batch.table[f"tokens_{side}"]) for side in ("good", "bad"))
    return good | bad


def not_nfc(batch: PairBatch) -> Flags:
    """A sentence is not in Unicode normal form C.

    Probably two words are written together, and the second begins with a combining mark. Write the
    letter and its mark as one character.
    """
    found = np.zeros(len(batch), dtype=bool)
    for side in batch.sides:
        # All sentences at once, as they are rarely wrong. pyarrow before 26 takes NFD for NFC.
        if not is_normalized("NFC", side.buffers()[2].to_pybytes().decode()):
            found |= np.array([not is_normalized("NFC", text) for text in side.to_pylist()], bool)
    return found


_SPACES = "^ | $| [ {}]"
_STRAY = r"[\\{}|_<>]"
_MARKS = ",.;:!?…)。，、；：？！»"
_SPACED = {"fr": ";:!?»"}
"""Marks that a language writes with a space before them."""


def bad_spacing(batch: PairBatch) -> Flags:
    """A sentence has a space too many.

    Two spaces in a row, one at an end, or one before a mark of punctuation (French `;`, `:`, `!`,
    `?` and `»` may have one). Look for spaces inside a form or a property that is printed.
    """
    marks = "".join(sorted(set(_MARKS) - set(_SPACED.get(batch.paradigm.language, ""))))
    return batch.matching(_SPACES.format(re.escape(marks)))


def stray_characters(batch: PairBatch) -> Flags:
    r"""A sentence has one of the characters `\ { } | _ < >`.

    Look at the line of the template, at the form in the lexicon and at the results of spelling
    rules.
    """
    return batch.matching(_STRAY)


def no_final_mark(batch: PairBatch) -> Flags:
    """A sentence ends without a full stop.

    The orthography has a stop, and the sentence ends in none of the marks `.?!…。？！`. An empty
    sentence is reported too, even if the orthography has no stop.
    """
    stop = batch.spelling.stop
    ended = f"[{re.escape(''.join(sorted({*FINAL, *stop[-1:]})))}]$" if stop else "."
    return ~_flags(pc.and_(*(pc.match_substring_regex(side, ended) for side in batch.sides)))


def no_capital(batch: PairBatch) -> Flags:
    """A sentence begins with a small letter.

    The orthography asks for capitals (`capital yes`), but not every letter can be capitalised. Look
    at the first word of the line.
    """
    flags = np.zeros(len(batch), dtype=bool)
    for side in batch.sides if batch.spelling.capital else ():
        first = pc.utf8_slice_codeunits(side, 0, 1).dictionary_encode()
        letters = first.dictionary.to_pylist()
        small = [c.islower() and len(c.upper()) == 1 and c.upper() != c for c in letters]
        flags |= np.array(small, dtype=bool)[first.indices.to_numpy()]
    return flags


_MIXED = "|".join(map("".join, permutations((f"[{letters}]" for letters in SCRIPTS.values()), 2)))


def mixed_letters(batch: PairBatch) -> Flags:
    """A word of a sentence mixes Latin, Greek and Cyrillic letters.

    Letters that look alike are not the same to a model. Type the word again, in the lexicon or in
    the line of the template.
    """
    return batch.matching(_MIXED)


def span_wrong(batch: PairBatch) -> Flags:
    """The span of a slot does not cover its word.

    `sentence_good[good_start:good_end]` must be the form (but for spelling rules and the capital of
    the sentence), and no span may reach out of its sentence. This is a bug in Solecism: report it
    with the template.
    """
    flags = np.zeros(len(batch), dtype=bool)
    count = len(batch.paradigm.template.slots)
    if not count:
        return flags
    for side, texts in zip(("good", "bad"), batch.sides, strict=True):
        start, end = batch.places(f"{side}_start"), batch.places(f"{side}_end")
        lengths = pc.utf8_length(texts).to_numpy()[:, None]
        inside = (start >= 0) & (start < end) & (end <= lengths)
        # A slot that is not printed has neither a start nor an end.
        flags |= (((start >= 0) | (end >= 0)) & ~inside).any(axis=1)
    sentences = batch.sides[0].to_pylist()
    starts, ends = batch.places("good_start"), batch.places("good_end")
    for slot in range(count):
        first, last = starts[:, slot].tolist(), ends[:, slot].tolist()
        forms = batch.slots.field("form")[slot::count].to_pylist()
        texts = map(getitem, sentences, map(slice, first, last))
        # Most spans are the form itself; only the others are compared by the spelling rules.
        unlike = np.fromiter(map(ne, texts, forms), dtype=bool, count=len(batch))
        for row in np.flatnonzero(unlike & (starts[:, slot] >= 0)).tolist():
            text = sentences[row][first[row] : last[row]]
            flags[row] |= not printed_as(forms[row], text, first[row] == 0, batch.spelling)
    return flags


@lru_cache(maxsize=1 << 14)
def printed_as(form: str, printed: str, first: bool, spelling: Orthography) -> bool:
    """Return whether spelling rules can make ``printed`` of ``form``.

    ``first``: the form begins the sentence, so a capital makes no difference.
    """
    small = printed[:1].lower() + printed[1:] if first and spelling.capital else printed
    tokens = spelling.spell(tokenize(form))
    spelt = "".join(f"{'' if t.glued else ' '}{t.text}" for t in tokens).strip()
    words = form.split()
    for text in (printed, small):
        shown = text.split()
        pairs = zip(words, shown, strict=False)
        alike = len(words) == len(shown) and all(b in _respellings(a, spelling) for a, b in pairs)
        if alike or (len(words) != len(shown) and text == spelt):
            return True
    return False


TEXT_CHECKS = (not_nfc, bad_spacing, no_final_mark, no_capital, mixed_letters, stray_characters)
"""The checks of how a sentence is written. They look at one sentence at a time."""
