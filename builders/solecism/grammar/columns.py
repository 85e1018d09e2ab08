"""The columns of pairs: where sentences differ, words drawn, features, measures, and prefixes.

Each is computed once for equal texts or words of a batch, and then copied to all rows that have
them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.contrast import differing_span
from solecism.grammar.render import PrintedWord, Rendered, SpellingSpan, Spelt
from solecism.grammar.slots import Domain
from solecism.grouping import Ints, alike_rows
from solecism.lexicon.orthography import Orthography, Token, is_mark
from solecism.lexicon.vocabulary import Limits
from solecism.schema import FEATURES, SLOT

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Differences:
    """Where the sentences of each pair of a batch differ.

    ``prefix``: the text before the difference, the same in both sentences. ``good`` and ``bad``:
    the words that differ. ``word``: the number of the first of them in the good sentence.
    ``target``: its lemma (null where it is not of the lexicon). ``single``: whether exactly one
    word differs. ``shuffled``: whether the words that differ are the same in another order.
    """

    prefix: pa.StringArray
    good: pa.StringArray
    bad: pa.StringArray
    word: Ints
    target: pa.StringArray
    single: Flags
    shuffled: Flags


def compare(good: Rendered, bad: Rendered, spelling: Orthography) -> Differences:
    """Compare the sentences of a batch of pairs, row by row."""
    spans = _differing_stretches(good, bad)
    lead = spans[0].start
    firsts, inverse = alike_rows([*good.index[spans[0]], *bad.index[spans[1]]], len(good))
    found = [
        _contrast(_values(good, spans[0], row), _values(bad, spans[1], row), lead == 0, spelling)
        for row in firsts.tolist()
    ]
    prefix, our_words, their_words, target = (
        pa.array([row[name] for row in found], pa.string()).take(pa.array(inverse))
        for name in ("prefix", "good", "bad", "target")
    )
    word, single, shuffled = (
        np.array([row[name] for row in found])[inverse] for name in ("word", "single", "shuffled")
    )
    before = good.texts(lambda value: value.text, slice(0, lead))
    whole = pc.binary_join_element_wise(before, prefix, "")
    first = good.words[lead] + word
    return Differences(whole, our_words, their_words, first, target, single, shuffled)


def _differing_stretches(good: Rendered, bad: Rendered) -> tuple[slice, slice]:
    """Return which stretches of the good and of the bad line differ, as slices.

    They stand between the stretches that both lines share at the start and at the end. A shared
    stretch counts as different if it may be written together with one that differs: then both
    are parts of a word that differs.
    """
    ours, _ = differing_span(good.stretches, bad.stretches)
    start, end = ours.start, len(good.stretches) - ours.stop
    while end and _glued(good.stretches[-end]):
        end -= 1
    while start and any(_glued(s) for x in (good, bad) for s in x.stretches[start : start + 1]):
        start -= 1
    return slice(start, len(good.stretches) - end), slice(start, len(bad.stretches) - end)


def _glued(stretch: SpellingSpan) -> bool:
    """Return whether the stretch can be written together with the word before it."""
    heads = (value.tokens[0] for value in stretch.values)
    return any(head.glued and not is_mark(head.text) for head in heads)


def _values(side: Rendered, span: slice, row: int) -> list[Spelt]:
    """Return the values of some stretches in one sentence."""
    pairs = zip(side.stretches[span], side.index[span], strict=True)
    return [stretch.values[index[row]] for stretch, index in pairs]


class _WordOrMark(NamedTuple):
    """A word (tokens written together) or a mark of punctuation.

    ``start``: its first character; ``word``: the number of the word, for a mark that of the word
    before it; ``parts``: its tokens, each with the value that it stands in.
    """

    text: str
    start: int
    word: int
    parts: tuple[tuple[Token, Spelt], ...] = ()


def _words_and_marks(values: Sequence[Spelt], first: bool, space: bool) -> list[_WordOrMark]:
    """Return the words and marks of neighbouring values, in order.

    ``first``: the values begin the sentence; ``space``: the language has spaces between words.
    """
    found: list[_WordOrMark] = []
    place, word = 0, -1
    for token, value in [(token, v) for v in values for token in v.tokens]:
        text = token.text
        begins = not token.glued or (first and not found)
        if begins:
            place += space and not (first and not found)
            word += 1
        if begins or not found or is_mark(text) or is_mark(found[-1].text):
            found.append(_WordOrMark(text, place, word, ((token, value),)))
        else:
            last = found[-1]
            parts = (*last.parts, (token, value))
            found[-1] = _WordOrMark(last.text + text, last.start, last.word, parts)
        place += len(text)
    return found


def _contrast(
    good: Sequence[Spelt], bad: Sequence[Spelt], first: bool, spelling: Orthography
) -> dict[str, object]:
    """Compare the differing stretches of a good and a bad sentence.

    Return the fields of :class:`Differences` by name, for this pair. ``prefix`` and ``word`` count
    from the first of these stretches. ``first``: the stretches begin the sentence.
    """
    ours, theirs = (_words_and_marks(side, first, spelling.space) for side in (good, bad))
    spans = differing_span([word.text for word in ours], [word.text for word in theirs])
    our_part, their_part = ours[spans[0]], theirs[spans[1]]
    text = "".join([value.text for value in good])
    here = our_part[0] if our_part else _WordOrMark("", len(text), len(ours))
    # A word may have several tokens: the target is the lemma of the first token that differs.
    pairs = zip(here.parts, their_part[0].parts if their_part else (), strict=False)
    lemmas = (value.lemma(token) for (token, value), (t, _) in pairs if token.text != t.text)
    our_words, their_words = ([word.text for word in part] for part in (our_part, their_part))
    return {
        "prefix": text[: here.start].rstrip(),
        "good": " ".join(our_words),
        "bad": " ".join(their_words),
        "word": here.word,
        "target": next(lemmas, "") or None,
        "single": len(our_words) == 1 == len(their_words),
        "shuffled": len(our_words) == len(their_words)
        and sorted(map(str.casefold, our_words)) == sorted(map(str.casefold, their_words)),
    }


@dataclass(frozen=True)
class SlotPlaces:
    """Where a slot stands in the sentences of a batch.

    In sentence ``n``, ``records[code[n]]`` is the word printed, ``start[n]:stop[n]`` are its
    characters, and ``word[n]`` is its number. All four numbers are -1 if the slot is not printed.
    """

    name: str
    records: Sequence[PrintedWord]
    code: Ints
    start: Ints
    stop: Ints
    word: Ints

    @classmethod
    def find(cls, name: str, side: Rendered) -> SlotPlaces:
        """Find the slot's first printed word in every sentence."""
        numbers: dict[PrintedWord, int] = {}
        found = [np.full(len(side), -1, dtype=np.intp) for _ in range(4)]
        for place, (stretch, index) in enumerate(zip(side.stretches, side.index, strict=True)):
            if not any(name in unit.uses for unit in stretch.units):
                continue
            spots = [(-1, -1, -1, -1)] * len(stretch.values)
            for number, value in enumerate(stretch.values):
                if name in value.slots:
                    record, spot = value.slots[name]
                    spots[number] = numbers.setdefault(record, len(numbers)), *spot
            mine = [column[index] for column in np.array(spots, dtype=np.intp).T.copy()]
            new = (found[0] < 0) & (mine[0] >= 0)
            shifts = 0, side.chars[place], side.chars[place], side.words[place]
            moved = zip(mine, shifts, found, strict=True)
            found = [np.where(new, here + shift, there) for here, shift, there in moved]
        return cls(name, tuple(numbers), *found)


def slots_column(good: Sequence[SlotPlaces], bad: Sequence[SlotPlaces], rows: int) -> pa.ListArray:
    """Return the column ``slots``: for each pair a list of slots, in the order of the template.

    ``good`` and ``bad``: where the slots stand in both sentences; the words are of the good one.
    """
    if not good:
        return pa.array([[]] * rows, pa.list_(SLOT))
    shifts = np.cumsum([0, *(len(p.records) + 1 for p in good)])
    records = [r for p in good for r in (*p.records, None)]
    names = [p.name for p in good for _ in (*p.records, None)]
    pairs = zip(good, shifts, strict=False)
    codes = [np.where(p.code < 0, len(p.records), p.code) + shift for p, shift in pairs]
    place = pa.array(np.stack(codes, axis=1).ravel())
    texts = [pa.array(names).take(place)]
    for field in ("lemma", "form", "upos", "feats"):
        values = [getattr(r, field) if r else None for r in records]
        texts.append(pa.array(values, pa.string()).take(place))
    spans = []
    for side in (good, bad):
        for end in ("start", "stop"):
            flat = np.stack([getattr(p, end) for p in side], axis=1).ravel()
            spans.append(pa.array(flat.astype(np.int32), mask=flat < 0))
    struct = pa.StructArray.from_arrays([*texts, *spans], fields=list(SLOT))
    offsets = np.arange(0, rows * len(good) + 1, len(good), dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), struct, type=pa.list_(SLOT))


def agreement_features(
    controller: SlotPlaces | None, attractors: Sequence[SlotPlaces], target: Ints, known: Flags
) -> dict[str, pa.Array]:
    """Return the features of agreement by name.

    ``target`` is the number of the word that differs; it is right only where ``known`` is true.
    """
    rows = len(target)
    out: dict[str, pa.Array] = {name: pa.nulls(rows, kind) for name, kind in FEATURES.items()}
    if controller is None:
        return out
    out["controller"] = _printed([controller], "lemma")
    for name in ("number", "gender", "person"):
        out[f"controller_{name}"] = _printed([controller], name)
    distance = np.abs(target - controller.word)
    nowhere = ~known | (controller.code < 0)
    out["distance"] = pa.array(distance.astype(np.int32), mask=nowhere)
    if attractors:
        out["attractor"] = _printed(attractors, "lemma")
        out["attractor_number"] = _printed(attractors, "number")
        out["attractor_gender"] = _printed(attractors, "gender")
        numbers = [_printed([slot], "number") for slot in (controller, *attractors)]
        same = reduce(pc.and_, [pc.equal(numbers[0], number) for number in numbers[1:]])
        out["match"] = pc.if_else(same, "match", "mismatch")
        between = [(a.word - controller.word) * (a.word - target) < 0 for a in attractors]
        out["intervenes"] = pa.array(np.any(between, axis=0), mask=nowhere)
    return out


def _printed(slots: Sequence[SlotPlaces], field: str) -> pa.StringArray:
    """Return a field of the words that slots print, those of several slots joined by commas.

    It is null where a slot is not printed, and where no word has a value.
    """
    texts = []
    for slot in slots:
        values = pa.array([getattr(record, field) for record in slot.records], pa.string())
        texts.append(values.take(pa.array(slot.code, mask=slot.code < 0)))
    joined = pc.utf8_trim(pc.binary_join_element_wise(*texts, ","), ",")
    return pc.if_else(pc.equal(joined, ""), None, joined)


MEASURES = {
    "$length": "words of the good sentence",
    "$good": "the words of the good sentence that differ",
    "$bad": "the words of the bad sentence that differ",
    "$before": "words before the first that differs",
    "$rarest": "Zipf frequency (column Freq) of the rarest word of the good sentence, rounded down to a half",
}
"""The measures that a template may have as features, and what each measures (as a text)."""


def measure(
    name: str, difference: Differences, good: Rendered, words: Sequence[Drawn]
) -> pa.StringArray:
    """Return one of :data:`MEASURES` for each pair of a batch; null where it has no value.

    ``words`` are the slots of the good sentences, with the words that were drawn for them.
    """
    if name in ("$good", "$bad"):
        return difference.good if name == "$good" else difference.bad
    if name == "$rarest":
        return _rarest(words, len(good))
    numbers = difference.word if name == "$before" else good.words[-1]
    return pa.array(np.asarray(numbers).astype(str).tolist(), pa.string())


Drawn = tuple[SlotPlaces, Domain, NDArray[np.int32]]
"""Where a slot stands, the words it may take, and for each sentence the place of the word drawn."""


def _rarest(words: Sequence[Drawn], rows: int) -> pa.StringArray:
    """Return the lowest frequency of the printed words, rounded; null if no word has one."""
    lowest = np.full(rows, np.inf)
    for slot, domain, taken in words:
        entries, inverse = np.unique(taken, return_inverse=True)
        texts = [domain.words[n].row.properties.get("Freq", "") for n in entries.tolist()]
        frequency = np.array([float(text or "nan") for text in texts])[inverse]
        known = (slot.code >= 0) & ~np.isnan(frequency)
        lowest = np.where(known, np.minimum(lowest, frequency), lowest)
    return pc.cast(pa.array(np.floor(2 * lowest) / 2, mask=np.isinf(lowest)), pa.string())


FREQUENCY = ("frequency", "frequency_good", "frequency_bad")
"""Features of pairs: the Zipf frequencies of what differs in both sentences (of its rarest word),
and the lower of the two, rounded down to a half."""


def frequency_columns(
    good: pa.StringArray, bad: pa.StringArray, limits: Limits
) -> dict[str, pa.StringArray]:
    """Return :data:`FREQUENCY` of pairs by name, null where they are not known; else nothing."""
    if limits.frequencies is None:
        return {}
    pairs = zip(good.to_pylist(), bad.to_pylist(), strict=True)
    found = [limits.frequencies.of_pair(*pair) or (None, None) for pair in pairs]
    rows = [
        (None if a is None or b is None else math.floor(2 * min(a, b)) / 2, a, b) for a, b in found
    ]
    texts = [[None if n is None else f"{n:.4g}" for n in values] for values in rows]
    columns = zip(*texts, strict=True) if texts else [()] * len(FREQUENCY)
    arrays = (pa.array(column, pa.string()) for column in columns)
    return dict(zip(FREQUENCY, arrays, strict=True))


CRITICAL = "critical"
"""The region that holds the word compared by the two-prefix method."""


def prefix_columns(difference: Differences, good: Rendered, bad: Rendered) -> dict[str, pa.Array]:
    """Compute the columns of the one- and two-prefix methods (Warstadt et al. 2020, section 6.4).

    Where both lines mark a region ``critical`` with the same words after different texts, the pair
    is for the two-prefix method; else, where exactly one word differs after a shared text, for the
    one-prefix method.
    """
    nothing = pa.nulls(len(bad), pa.string()), pa.nulls(len(bad), pa.string())
    (before, word), (bad_before, bad_word) = (_critical(side) or nothing for side in (good, bad))
    two = pc.fill_null(pc.and_(pc.equal(word, bad_word), pc.not_equal(before, bad_before)), False)
    one = pc.and_not(pa.array(difference.single & (difference.word > 0)), two)
    texts = {
        "one_prefix_prefix": (one, difference.prefix),
        "one_prefix_word_good": (one, difference.good),
        "one_prefix_word_bad": (one, difference.bad),
        "two_prefix_prefix_good": (two, before),
        "two_prefix_prefix_bad": (two, bad_before),
        "two_prefix_word": (two, word),
    }
    columns = {name: pc.if_else(mask, text, None) for name, (mask, text) in texts.items()}
    return {"one_prefix_method": one, "two_prefix_method": two, **columns}


def _critical(side: Rendered) -> tuple[pa.Array, pa.Array] | None:
    """Return the text before the critical words, and these words; None if the line marks none."""
    marked = [
        n for n, c in enumerate(side.stretches) if any(CRITICAL in v.regions for v in c.values)
    ]
    if not marked:
        return None

    def before(value: Spelt) -> str:
        place = value.regions.get(CRITICAL)
        return value.text[: place.start] if place else value.text

    def inside(value: Spelt) -> str:
        place = value.regions.get(CRITICAL)
        # With the space before it: the region may go on from the stretch before.
        return value.text[len(value.text[: place.start].rstrip()) : place.stop] if place else ""

    prefix = side.texts(before, slice(0, marked[0] + 1))
    return pc.utf8_rtrim_whitespace(prefix), pc.utf8_ltrim_whitespace(side.texts(inside))
