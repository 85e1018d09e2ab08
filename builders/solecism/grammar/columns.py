"""The columns of pairs: words drawn, features to split results by, measures, and prefixes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.grammar.difference import Difference
from solecism.grammar.groups import alike_rows
from solecism.grammar.render import Place, Record, Rendered, Value
from solecism.grammar.sampling.elimination import Columns
from solecism.grammar.slots import Domain
from solecism.schema import FEATURES, SLOT

__all__ = [
    "CRITICAL",
    "MEASURES",
    "Measured",
    "Printed",
    "agreement_features",
    "expressions",
    "prefix_columns",
    "slots_column",
]


Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Printed:
    """A slot in the sentences of a batch: ``records[code]``, characters and word number; -1: not printed."""

    name: str
    records: Sequence[Record]
    code: Ints
    start: Ints
    stop: Ints
    word: Ints

    @classmethod
    def find(cls, name: str, side: Rendered) -> Printed:
        """Find the slot's first printed word in every sentence."""
        numbers: dict[Record, int] = {}
        found = [np.full(len(side), -1, dtype=np.intp) for _ in range(4)]
        for place, (chunk, index) in enumerate(zip(side.chunks, side.index, strict=True)):
            if not any(name in unit.uses for unit in chunk.units):
                continue
            spots = [_spot(value.slots.get(name), numbers) for value in chunk.values]
            mine = [column[index] for column in np.array(spots, dtype=np.intp).T.copy()]
            new = (found[0] < 0) & (mine[0] >= 0)
            shifts = 0, side.chars[place], side.chars[place], side.words[place]
            found = [
                np.where(new, here + shift, there)
                for here, shift, there in zip(mine, shifts, found, strict=True)
            ]
        return cls(name, tuple(numbers), *found)


def _spot(
    found: tuple[Record, Place] | None, numbers: dict[Record, int]
) -> tuple[int, int, int, int]:
    """The number of the record, the characters and the word where it stands."""
    if found is None:
        return -1, -1, -1, -1
    record, place = found
    return numbers.setdefault(record, len(numbers)), *place


def slots_column(good: Sequence[Printed], bad: Sequence[Printed]) -> pa.ListArray:
    """Build the column ``slots``: for each pair the slots in the order of the template."""
    rows = len(good[0].code) if good else 0
    shifts = np.cumsum([0, *(len(p.records) + 1 for p in good)])
    records = [r for p in good for r in (*p.records, None)]
    names = [p.name for p in good for _ in (*p.records, None)]
    codes = np.stack(
        [
            np.where(p.code < 0, len(p.records), p.code) + shift
            for p, shift in zip(good, shifts, strict=False)
        ],
        axis=1,
    ).ravel()
    place = pa.array(codes)
    texts = [pa.array(names).take(place)]
    for field in ("lemma", "form", "upos", "feats"):
        values = [getattr(r, field) if r else None for r in records]
        texts.append(pa.array(values, pa.string()).take(place))
    spans = [
        _spans([getattr(p, end) for p in side]) for side in (good, bad) for end in ("start", "stop")
    ]
    struct = pa.StructArray.from_arrays([*texts, *spans], fields=list(SLOT))
    offsets = np.arange(0, rows * len(good) + 1, max(len(good), 1), dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), struct, type=pa.list_(SLOT))


def _spans(columns: Sequence[Ints]) -> pa.Int32Array:
    flat = np.stack(columns, axis=1).ravel()
    return pa.array(flat.astype(np.int32), mask=flat < 0)


def agreement_features(
    controller: Printed | None,
    attractors: Sequence[Printed],
    target: Ints,
    known: NDArray[np.bool_],
) -> Mapping[str, pa.Array]:
    """Compute the features of agreement; ``target`` numbers the word that differs where ``known``."""
    rows = len(target)
    out: dict[str, pa.Array] = {name: pa.nulls(rows, kind) for name, kind in FEATURES.items()}
    if controller is None:
        return out
    out["controller"] = _record_texts([controller], "lemma")
    for name in ("number", "gender", "person"):
        out[f"controller_{name}"] = _record_texts([controller], name)
    distance = np.abs(target - controller.word)
    nowhere = ~known | (controller.code < 0)
    out["distance"] = pa.array(distance.astype(np.int32), mask=nowhere)
    if attractors:
        out["attractor"] = _record_texts(attractors, "lemma")
        out["attractor_number"] = _record_texts(attractors, "number")
        out["attractor_gender"] = _record_texts(attractors, "gender")
        out["match"] = _match(controller, attractors)
        between = [(a.word - controller.word) * (a.word - target) < 0 for a in attractors]
        out["intervenes"] = pa.array(np.any(between, axis=0), mask=nowhere)
    return out


def _record_texts(slots: Sequence[Printed], field: str) -> pa.StringArray:
    """Give a field of the slots' records, several slots joined by commas, ``""`` as null."""
    return _by_records(
        slots, lambda records: ",".join(getattr(r, field) for r in records).strip(",")
    )


def _match(controller: Printed, attractors: Sequence[Printed]) -> pa.StringArray:
    def judge(records: Sequence[Record]) -> str:
        numbers = {record.number for record in records}
        return "" if "" in numbers else "match" if len(numbers) == 1 else "mismatch"

    return _by_records([controller, *attractors], judge)


def _by_records(slots: Sequence[Printed], judge: object) -> pa.StringArray:
    assert callable(judge)
    columns = [(slot.code + 1, len(slot.records) + 1) for slot in slots]
    firsts, inverse = alike_rows(columns, len(slots[0].code))
    values = []
    for row in firsts.tolist():
        places = [int(slot.code[row]) for slot in slots]
        records = [
            slot.records[place] for slot, place in zip(slots, places, strict=True) if place >= 0
        ]
        values.append((judge(records) or None) if len(records) == len(slots) else None)
    return pa.array(values, pa.string()).take(pa.array(inverse))


MEASURES = {
    "$length": "words of the good sentence",
    "$good": "the words of the good sentence that differ",
    "$bad": "the words of the bad sentence that differ",
    "$before": "words before the first that differs",
    "$rarest": "Zipf frequency (column Freq) of the rarest word of the good sentence, rounded down to a half",
}
"""What each measures; the values are texts, as all further features are."""


def expressions(features: Mapping[str, str]) -> list[str]:
    """The Jinja expressions among the features of a template."""
    return [source for source in features.values() if source not in MEASURES]


@dataclass(frozen=True)
class Measured:
    """Pairs of a batch: the slots printed in good sentences, with the words they may have and those taken."""

    difference: Difference
    good: Rendered
    printed: Sequence[Printed]
    domains: Sequence[Domain]
    taken: Columns

    def by(self, name: str) -> pa.StringArray:
        """Measure all pairs of a batch; null where there is nothing to measure."""
        if name in ("$good", "$bad"):
            return self.difference.words(good=name == "$good")
        if name == "$rarest":
            return self._rarest()
        numbers = self.difference.word if name == "$before" else self.good.words[-1]
        return pa.array(np.asarray(numbers).astype(str).tolist(), pa.string())

    def _rarest(self) -> pa.StringArray:
        lowest = np.full(len(self.good), np.inf)
        for slot, domain, column in zip(self.printed, self.domains, self.taken, strict=True):
            frequency = _frequencies(domain, column)
            known = (slot.code >= 0) & ~np.isnan(frequency)
            lowest = np.where(known, np.minimum(lowest, frequency), lowest)
        halves = pa.array(np.floor(2 * lowest) / 2, mask=np.isinf(lowest))
        return pc.cast(halves, pa.string())


def _frequencies(domain: Domain, taken: NDArray[np.int32]) -> NDArray[np.float64]:
    """The number in the column ``Freq`` of each word taken; nan where there is none."""
    entries, inverse = np.unique(taken, return_inverse=True)
    texts = [domain.words[entry].row.properties.get("Freq", "") for entry in entries.tolist()]
    return np.array([float(text or "nan") for text in texts])[inverse]


CRITICAL = "critical"
"""The region that holds the word compared by the two-prefix method."""


def prefix_columns(difference: Difference, good: Rendered, bad: Rendered) -> dict[str, pa.Array]:
    """Compute the columns of the one- and two-prefix methods (Warstadt et al. 2020, section 6.4).

    Where both lines mark a region ``critical`` with the same words after different texts, the pair is one
    for the two-prefix method; else, where exactly one word differs after a shared text, for the one-prefix.
    """
    nothing = pa.nulls(len(bad), pa.string()), pa.nulls(len(bad), pa.string())
    critical = [_critical(side) or nothing for side in (good, bad)]
    same = pc.and_(
        pc.equal(critical[0][1], critical[1][1]), pc.not_equal(critical[0][0], critical[1][0])
    )
    two = pc.fill_null(same, False)
    one = pc.and_not(pa.array(difference.single & (difference.word > 0)), two)
    texts = {
        "one_prefix_prefix": (one, difference.prefix),
        "one_prefix_word_good": (one, difference.words(good=True)),
        "one_prefix_word_bad": (one, difference.words(good=False)),
        "two_prefix_prefix_good": (two, critical[0][0]),
        "two_prefix_prefix_bad": (two, critical[1][0]),
        "two_prefix_word": (two, critical[0][1]),
    }
    columns = {name: pc.if_else(mask, text, None) for name, (mask, text) in texts.items()}
    return {"one_prefix_method": one, "two_prefix_method": two, **columns}


def _critical(side: Rendered) -> tuple[pa.Array, pa.Array] | None:
    """The text before the critical words and these words, where the line marks them."""
    marked = [n for n, c in enumerate(side.chunks) if any(CRITICAL in v.regions for v in c.values)]
    if not marked:
        return None
    first, last = marked[0], marked[-1]
    before = side.texts(lambda value: value.text, slice(0, first))
    here = side.texts(_before_critical, slice(first, first + 1))
    word = side.texts(_critical_words, slice(first, first + 1))
    more = side.texts(_further_words, slice(first + 1, last + 1))
    prefix = pc.utf8_rtrim_whitespace(pc.binary_join_element_wise(before, here, ""))
    return prefix, pc.binary_join_element_wise(word, more, "")


def _before_critical(value: Value) -> str:
    return value.text[: value.regions[CRITICAL].start] if CRITICAL in value.regions else value.text


def _critical_words(value: Value) -> str:
    place = value.regions.get(CRITICAL)
    return value.text[place.start : place.stop] if place else ""


def _further_words(value: Value) -> str:
    return value.text[: value.regions[CRITICAL].stop] if CRITICAL in value.regions else ""
