"""Checks of what pairs say: each flags the pairs of a batch that it concerns.

The docstring of a check is its message and, below, what to do about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from solecism.check.batch import Batch, Flags, Ints
from solecism.check.spelling import words_apart
from solecism.generate.pairs import Counts
from solecism.hashing import combine, mix
from solecism.words.orthography import Orthography

__all__ = ["duplicate_id", "duplicate_pair", "good_and_bad", "good_is_bad", "left_out", "lemma_twice",
           "mostly_left_out", "not_printed", "several_words_differ"]  # fmt: skip


def duplicate_id(batch: Batch) -> Flags:
    """Two pairs have the same id.

    A fault of the engine: ids are made from the words. Report it with the template.
    """
    return batch.memory.ids.repeated(batch.text("id").hashes)


def duplicate_pair(batch: Batch) -> Flags:
    """A pair occurs twice.

    Two combinations of words make the same two sentences, so the pair counts twice. Look for a slot that
    is not printed, for two words that are spelt alike, or for two bad lines that come to the same.
    """
    return batch.memory.pairs.repeated(combine(mix(batch.good.hashes), [batch.bad.hashes]))


def good_is_bad(batch: Batch) -> Flags:
    """The good and the bad sentence are the same.

    The form of the bad line is spelt like that of the good one.
    """
    return np.asarray(batch.good.hashes == batch.bad.hashes)


def good_and_bad(batch: Batch) -> Flags:
    """A sentence is good in one pair and bad in another.

    One of the labels is wrong: the bad sentence has a reading on which it is grammatical. Narrow the
    slots or let the line name what makes the difference.
    """
    good, bad = batch.good.hashes, batch.bad.hashes
    flags = batch.memory.bad.known(good) | batch.memory.good.known(bad)
    flags |= np.isin(good, bad) | np.isin(bad, good)
    batch.memory.good.add(good)
    batch.memory.bad.add(bad)
    return flags & ~good_is_bad(batch)


def several_words_differ(batch: Batch) -> Flags:
    """More than one word differs in an agreement paradigm.

    With a `controller`, good and bad should differ in the word that agrees and in nothing else (a
    neighbour that is only respelt, `je suis`, `j'es`, does not count). Let other words keep agreeing in the
    bad line.
    """
    flags = batch.none()
    if not batch.paradigm.template.controller:
        return flags
    known: dict[tuple[str, str], bool] = {}
    good, bad = batch.table["tokens_good"], batch.table["tokens_bad"]
    suspects = np.flatnonzero(_differing(batch) != 1)
    pairs = zip(good.take(suspects).to_pylist(), bad.take(suspects).to_pylist(), strict=True)
    for row, pair in zip(suspects.tolist(), pairs, strict=True):
        if pair not in known:
            known[pair] = _several(*pair, batch.spelling)
        flags[row] = known[pair]
    return flags


def _several(good: str, bad: str, spelling: Orthography) -> bool:
    return words_apart(good.split(), bad.split(), spelling) > 1


def _differing(batch: Batch) -> Ints:
    """Count the tokens that differ; -1 where the sentences have not the same number of tokens."""
    good, bad = (
        pc.split_pattern(batch.table[name].combine_chunks(), " ")
        for name in ("tokens_good", "tokens_bad")
    )
    same = pc.equal(pc.list_value_length(good), pc.list_value_length(bad))
    out = np.full(len(batch), -1, dtype=np.int64)
    rows = np.flatnonzero(same.to_numpy(zero_copy_only=False))
    if len(rows):
        mine, other = good.filter(same), bad.filter(same)
        differ = pc.not_equal(mine.flatten(), other.flatten()).to_numpy(zero_copy_only=False)
        lengths = pc.list_value_length(mine).to_numpy(zero_copy_only=False)
        out[rows] = np.add.reduceat(differ.astype(np.int64), np.cumsum(lengths) - lengths)
    return out


def lemma_twice(batch: Batch) -> Flags:
    """Two slots have taken the same word.

    Slots of one table never do, unless `may_repeat` names both: a fault of the engine. Report it.
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


def _shared_lemmas(batch: Batch) -> set[str]:
    """Lemmas as printed that several words of the slots have (homonyms, words of two tables)."""
    words = [word for domain in batch.paradigm.plan.domains for word in domain.words]
    rows = {(word.table.name, word.row.lemma): word.row.shown for word in words}
    return {lemma for lemma, number in Counter(rows.values()).items() if number > 1}


def not_printed(batch: Batch) -> Flags:
    """The controller or an attractor does not stand in a good sentence.

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

    Words lack forms or have forms that are spelt alike. Narrow the slots to words that can make a pair;
    else the words that remain may not be those you meant.
    """
    skipped = counts.skipped.total()
    if skipped > counts.sets:
        yield f"{skipped} of {skipped + counts.sets} ({_reasons(counts)})"


def left_out(counts: Counts) -> Iterator[str]:
    """Some combinations or forms were left out.

    `lacking`: a word lacks the form. `syncretic`: the bad form is spelt like the good one. `equal`: the
    sentences would be the same. Nothing needs to be done.
    """
    if counts.skipped or counts.syncretic_forms:
        forms = f"{counts.syncretic_forms} bad forms spelt like the good one"
        made = f"{counts.sets} minimal sets, {counts.pairs} pairs"
        yield f"{made}; left out: {', '.join(filter(None, (_reasons(counts), forms)))}"


def _reasons(counts: Counts) -> str:
    return ", ".join(f"{n} {reason}" for reason, n in sorted(counts.skipped.items()))
