"""The check of the spans in ``slots``: they must cover the words that they say they cover."""

from __future__ import annotations

import numpy as np

from solecism.check.batch import Batch, Flags, Ints, Text
from solecism.check.spelling import printed_as

__all__ = ["span_wrong"]


def span_wrong(batch: Batch) -> Flags:
    """The span of a slot does not cover its word.

    `sentence_good[good_start:good_end]` must be the form (spelling rules and the sentence capital left
    aside), and no span may reach out of its sentence. A fault of the engine: report it with the template.
    """
    if not batch.slots.count:
        return batch.none()
    flags = batch.none()
    for side, text in (("good", batch.good), ("bad", batch.bad)):
        flags |= _outside(batch, side, text).any(axis=1)
    forms, names = batch.slots.texts("form")
    starts, ends = (batch.slots.numbers(f"good_{end}") for end in ("start", "end"))
    for slot in range(batch.slots.count):
        rows = np.flatnonzero((starts[:, slot] >= 0) & (forms[:, slot] >= 0) & ~flags)
        spans = starts[rows, slot], ends[rows, slot]
        flags[rows[_unlike(batch, rows, spans, forms[rows, slot], Text(names))]] = True
    return flags


def _outside(batch: Batch, side: str, text: Text) -> Flags:
    start, end = (batch.slots.numbers(f"{side}_{name}") for name in ("start", "end"))
    printed = (start >= 0) | (end >= 0)
    inside = (start >= 0) & (start < end) & (end <= text.lengths[:, None])
    return np.asarray(printed & ~inside)


def _unlike(batch: Batch, rows: Ints, spans: tuple[Ints, Ints], forms: Ints, names: Text) -> Flags:
    """Flag the spans (of rows of the good sentences) that do not print their form."""
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
    """Compare stretches of equal length: flag those with a differing character."""
    which = np.repeat(np.arange(len(lengths)), lengths)
    step = np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    differ = a.chars[a_starts[which] + step] != b.chars[b_starts[which] + step]
    return np.bincount(which[differ], minlength=len(lengths)) > 0
