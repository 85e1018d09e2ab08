"""The items that a page shows: few, typical, and spread over the features; the same each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solecism.contrast import differing_parts
from solecism.site.coded import VERDICT, ItemColumns
from solecism.site.glosses import Glosses

__all__ = [
    "STARRED", "GlossedWord", "ShownItem", "ShownText", "TextPiece", "choose_rows", "shown_item", "swap_of",
]  # fmt: skip

STARRED = 10
"""How many items a page shows."""

CANDIDATES = 200
"""Among how many items of a paradigm, the first of the data, they are chosen."""

Rows = NDArray[np.int64]


def choose_rows(items: ItemColumns, rows: Rows, most: int = STARRED) -> list[int]:
    """Return rows of a paradigm that show its features, one of each minimal set.

    Each time the row is taken whose values were taken least before; of equal ones that whose length
    is nearest to the median, and of these the first. Items that people rejected are not taken.
    """
    rows = _kept(items, rows)[:CANDIDATES]
    codes = [column.codes[rows] for column in items.features]
    far = _distance([sum(map(len, items.texts[row])) for row in rows.tolist()])
    taken = np.zeros(len(rows))
    free = np.ones(len(rows), dtype=bool)
    chosen: list[int] = []
    sets = [items.sets[row] for row in rows.tolist()]
    while len(chosen) < most and free.any():
        score = np.where(free, taken + far, np.inf)
        best = int(np.argmin(score))
        chosen.append(int(rows[best]))
        free &= np.array([one != sets[best] for one in sets])
        for code in codes:
            taken += (code == code[best]) & (code >= 0)
    return chosen


def _kept(items: ItemColumns, rows: Rows) -> Rows:
    verdicts = next((column for column in items.features if column.name == VERDICT), None)
    if verdicts is None or "drop" not in verdicts.values:
        return rows
    kept: Rows = rows[verdicts.codes[rows] != verdicts.values.index("drop")]
    return kept


def _distance(lengths: Sequence[int]) -> NDArray[np.float64]:
    """Return how far lengths are from their median, as a share of it."""
    found = np.array(lengths, dtype=np.float64)
    middle = float(np.median(found)) if len(found) else 1.0
    return np.abs(found - middle) / max(middle, 1.0)


@dataclass(frozen=True)
class TextPiece:
    """A part of a sentence: whether it ``differs`` from the other one, and what is known of it."""

    text: str
    differs: bool = False
    note: str = ""


@dataclass(frozen=True)
class ShownText:
    """A sentence in pieces: of a pair its ``side`` (``good``, ``bad``), else its name."""

    name: str
    pieces: tuple[TextPiece, ...]
    side: str = ""

    @property
    def text(self) -> str:
        """The whole sentence."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def runs(self) -> list[tuple[bool, list[TextPiece]]]:
        """The pieces in runs of those that differ, and of those that do not."""
        return [(differs, list(some)) for differs, some in groupby(self.pieces, _differs)]


@dataclass(frozen=True)
class GlossedWord:
    """A word that was drawn: its slot, its form in the good sentence, and its features.

    ``bad``: its form in the bad sentence, if that is another, with the features of that form.
    """

    slot: str
    form: str
    lemma: str
    upos: str
    feats: str
    bad: str = ""
    bad_feats: str = ""


@dataclass(frozen=True)
class ShownItem:
    """An item of a page: its sentences, the gloss of its words, and its features."""

    id: str
    texts: tuple[ShownText, ...]
    words: tuple[GlossedWord, ...]
    features: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


def _differs(piece: TextPiece) -> bool:
    return piece.differs


def shown_item(
    items: ItemColumns, row: int, whole: Mapping[str, Any], glosses: Glosses
) -> ShownItem:
    """Return what a page shows of a row; ``whole``: all its columns."""
    kind = items.config.kind
    words = tuple(_words(whole, items.texts[row][1], glosses)) if kind == "pair" else ()
    texts = tuple(_TEXTS[kind](items.texts[row], {**whole, "words": words}))
    notes = tuple(map(str, whole.get("predictions") or ())) if kind == "suite" else ()
    features = tuple(
        (column.name, column.values[column.codes[row]])
        for column in items.features
        if column.codes[row] >= 0 and len(column.values) > 1 and column is not items.group
    )
    return ShownItem(items.ids[row], texts, words, features, notes)


def _words(whole: Mapping[str, Any], bad: str, glosses: Glosses) -> Iterator[GlossedWord]:
    for slot in _slots(whole, "good"):
        found = (str(slot.get(key) or "") for key in ("name", "form", "lemma", "upos", "feats"))
        word = GlossedWord(*found)
        span = _span(slot, "bad")
        other = bad[slice(*span)] if span else ""
        if other and other.casefold() != word.form.casefold():
            feats = glosses.get((word.lemma, other.casefold()), "")
            word = replace(word, bad=other, bad_feats=feats)
        yield word


def _slots(whole: Mapping[str, Any], side: str) -> list[Mapping[str, Any]]:
    """Return the slots that are printed in a sentence, in its order, none within another."""
    found, end = [], 0
    known = [slot for slot in whole.get("slots") or () if _span(slot, side) is not None]
    for slot in sorted(known, key=lambda slot: _span(slot, side) or (0, 0)):
        start, stop = _span(slot, side) or (0, 0)
        if start >= end:
            found.append(slot)
            end = stop
    return found


def _span(slot: Mapping[str, Any], side: str) -> tuple[int, int] | None:
    start, end = slot.get(f"{side}_start"), slot.get(f"{side}_end")
    known = isinstance(start, int) and isinstance(end, int) and 0 <= start < end
    return (start, end) if known and slot.get("lemma") else None  # type: ignore[return-value]


def _pair(texts: Sequence[str], whole: Mapping[str, Any]) -> Iterator[ShownText]:
    for name, found in zip(("good", "bad"), differing_parts(*texts), strict=True):
        parts = list(_trimmed(found))
        yield ShownText("", tuple(_pieces(parts, whole, name)), name)


def _trimmed(parts: Sequence[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a sentence, without blanks at the ends of those that differ."""
    for text, differs in parts:
        core = text.strip()
        if not differs or not core:
            yield text, False
            continue
        start = text.index(core)
        yield text[:start], False
        yield core, True
        yield text[start + len(core) :], False


def _pieces(
    parts: Sequence[tuple[str, bool]], whole: Mapping[str, Any], side: str
) -> Iterator[TextPiece]:
    """Cut the parts of a sentence at the ends of its words, and note what the words are."""
    text = "".join(part for part, _ in parts)
    ends, at = list[tuple[int, bool]](), 0
    for part, differs in parts:
        at += len(part)
        ends.append((at, differs))
    spans = _notes(whole, side)
    cuts = sorted({0, *(end for end, _ in ends), *(end for span in spans for end in span)})
    for start, end in pairwise(cuts):
        differs = next((differs for stop, differs in ends if start < stop), False)
        note = next((n for s, n in spans.items() if s[0] <= start and end <= s[1]), "")
        if text[start:end]:
            yield TextPiece(text[start:end], differs, note)


def _notes(whole: Mapping[str, Any], side: str) -> dict[tuple[int, int], str]:
    """Return what is known of the words of a sentence by their places."""
    known = {word.slot: word for word in whole["words"]}
    found: dict[tuple[int, int], str] = {}
    for slot in _slots(whole, side):
        span, word = _span(slot, side), known.get(str(slot.get("name") or ""))
        if span and word:
            changed = side == "bad" and word.bad
            parts = (word.upos, word.lemma, word.bad_feats if changed else word.feats)
            found[span] = f"{word.slot}: " + ", ".join(part for part in parts if part)
    return found


def _suite(texts: Sequence[str], whole: Mapping[str, Any]) -> Iterator[ShownText]:
    for condition, text in zip(whole.get("conditions") or (), texts, strict=False):
        yield ShownText(str(condition["name"]), tuple(_regions(text, condition)))


def _regions(text: str, condition: Mapping[str, Any]) -> Iterator[TextPiece]:
    at = 0
    for region in sorted(condition.get("regions") or (), key=lambda r: r["start"] or 0):
        start, end = region["start"], region["end"]
        if not isinstance(start, int) or not isinstance(end, int) or not at <= start < end:
            continue
        if text[at:start]:
            yield TextPiece(text[at:start])
        yield TextPiece(text[start:end], True, f"region {region['name']}")
        at = end
    if text[at:]:
        yield TextPiece(text[at:])


def _cloze(texts: Sequence[str], whole: Mapping[str, Any]) -> Iterator[ShownText]:
    left, answer, right = texts
    facts = (whole.get(key) for key in ("upos", "lemma", "feats"))
    note = ", ".join(str(fact) for fact in facts if fact)
    pieces = (TextPiece(left), TextPiece(answer, True, f"masked: {note}"), TextPiece(right))
    yield ShownText("", tuple(piece for piece in pieces if piece.text))


def _form(texts: Sequence[str], whole: Mapping[str, Any]) -> Iterator[ShownText]:
    form, lemma, feats = texts
    upos = str(whole.get("upos") or "")
    yield ShownText(", ".join(filter(None, (upos, lemma, feats))), (TextPiece(form),))


_TEXTS = {"pair": _pair, "suite": _suite, "cloze": _cloze, "forms": _form}


def swap_of(item: ShownItem) -> tuple[str, str] | None:
    """Return what the bad sentence of a pair has, and what the good one has in its place.

    None where they differ in more than one place.
    """
    sides = [[run for differs, run in text.runs if differs] for text in item.texts]
    if len(sides) != 2 or [len(side) for side in sides] != [1, 1]:
        return None
    good, bad = ("".join(piece.text for piece in side[0]) for side in sides)
    return (bad, good) if bad != good else None
