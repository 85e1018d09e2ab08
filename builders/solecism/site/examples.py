"""Choose what a page shows of the items of a paradigm: examples, counts of features, an audit.

The examples are few and typical and cover the values of features. They are the same each time.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, groupby, pairwise
from pathlib import Path

import numpy as np

from solecism.check.audit import Audit, audit_pairs
from solecism.check.heuristics import PairTexts
from solecism.contrast import differing_parts
from solecism.datasets.glosses import find_glosses, glossed_sentences
from solecism.errors import InputError
from solecism.lexicon.lexicon import Lexicon
from solecism.root import Root
from solecism.schema import ItemRow
from solecism.site.item_columns import VERDICT, Codes, ItemColumns, rows_of

SHOWN = 10
"""How many items a page shows."""

AUDITED = 500
"""How many pairs of a paradigm are audited: the first ones, a fair sample of those of a build."""

SHOWN_VALUES = 8
"""How many values of a feature are listed."""

CANDIDATES = 200
"""From how many items of a paradigm, its first, examples are chosen."""

READINGS = 3
"""How many sets of features are listed for a form that has several."""

Span = tuple[int, int]
"""Start and end of a part of a sentence."""

FormFeatures = Mapping[tuple[str, str], str]
"""Features by lemma and form (in small letters); several of a form are joined by "or"."""


def choose_rows(items: ItemColumns, rows: Codes, most: int = SHOWN) -> list[int]:
    """Return at most ``most`` rows of a paradigm that show its features.

    No two are of one minimal set, and items that people rejected are left out. Rows are taken one
    by one. The next is the row with the lowest sum of two numbers: how often its values are in rows
    already taken, and how far its length is from the median (as a share of it).
    """
    for column in items.features:
        if column.name == VERDICT and "drop" in column.values:
            rows = rows[column.codes[rows] != column.values.index("drop")]
    rows = rows[:CANDIDATES]
    codes = [column.codes[rows] for column in items.features]
    lengths = np.array([sum(map(len, items.texts[row])) for row in rows.tolist()], dtype=float)
    middle = max(float(np.median(lengths)), 1.0) if len(lengths) else 1.0
    far = np.abs(lengths - middle) / middle
    sets = np.array([items.sets[row] for row in rows.tolist()], dtype=object)
    taken, free = np.zeros(len(rows)), np.ones(len(rows), dtype=bool)
    chosen: list[int] = []
    while len(chosen) < most and free.any():
        best = int(np.argmin(np.where(free, taken + far, np.inf)))
        chosen.append(int(rows[best]))
        free &= sets != sets[best]
        for code in codes:
            taken += (code == code[best]) & (code >= 0)
    return chosen


@cache
def form_features(root: Path, language: str) -> FormFeatures:
    """Return the features of all forms in the lexicon of a language, none if it has no lexicon.

    Pages need them for the wrong forms: data have the features of the good forms only.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    try:
        lexicon = Lexicon(Root(root).lexicon(language))
        for name in lexicon.names:
            for row in lexicon.table(name).rows:
                for cell, form in row.forms.items():
                    found.setdefault((row.shown, form.casefold()), {})[str(cell)] = None
    except InputError:
        return {}
    return {key: " or ".join(list(some)[:READINGS]) for key, some in found.items() if any(some)}


@dataclass(frozen=True)
class TextPiece:
    """A part of a sentence; ``differs``: it is marked on the page; ``note``: what is said of it."""

    text: str
    differs: bool = False
    note: str = ""


@dataclass(frozen=True)
class ShownText:
    """A sentence in pieces, with its ``side`` (``good``, ``bad``) if it is one of a pair.

    ``interlinear``: its words, each with its gloss, if glosses are known.
    """

    name: str
    pieces: tuple[TextPiece, ...]
    side: str = ""
    interlinear: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The whole sentence."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def runs(self) -> list[tuple[bool, list[TextPiece]]]:
        """Neighbouring pieces together: whether they differ, and the pieces."""
        grouped = groupby(self.pieces, lambda piece: piece.differs)
        return [(differs, list(some)) for differs, some in grouped]

    @property
    def glossed(self) -> Iterator[tuple[TextPiece, str]]:
        """The words with their glosses; a word differs, and has notes, as its pieces do."""
        ends = list(accumulate(len(piece.text) for piece in self.pieces))
        end = 0
        for word, gloss in self.interlinear:
            plain = word.replace("=", "")
            start = max(self.text.find(plain, end), end)
            end = start + len(plain)
            placed = zip(self.pieces, ends, strict=True)
            inside = [p for p, stop in placed if start < stop and end > stop - len(p.text)]
            notes = "; ".join(dict.fromkeys(piece.note for piece in inside if piece.note))
            yield TextPiece(word, any(piece.differs for piece in inside), notes), gloss


GlossedWord = Mapping[str, str]
"""A word that was drawn: the ``name`` of its slot, its ``form`` in the good sentence, ``lemma``,
``upos`` and ``feats``; if its form in the bad sentence is another, ``bad`` and ``bad_feats``."""


@dataclass(frozen=True)
class ShownItem:
    """An item of a page: its sentences, the gloss of its words, and its features."""

    id: str
    texts: tuple[ShownText, ...]
    words: tuple[GlossedWord, ...]
    features: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()

    @property
    def swap(self) -> tuple[str, str] | None:
        """The words in which the two sentences of a pair differ: of the bad, then of the good one.

        None if they do not differ in exactly one place.
        """
        sides = [
            ["".join(p.text for p in run) for differs, run in text.runs if differs]
            for text in self.texts
        ]
        if len(sides) != 2 or [len(side) for side in sides] != [1, 1] or sides[0] == sides[1]:
            return None
        return sides[1][0], sides[0][0]


def shown_item(
    items: ItemColumns, row: int, whole: ItemRow, forms: FormFeatures, glosses: Sequence[str]
) -> ShownItem:
    """Return what a page shows of an item; ``whole`` is its row with all columns of the data."""
    kind, texts = items.config.kind, items.texts[row]
    words = tuple(_words(whole, texts[1], forms)) if kind == "pair" else ()
    shown = tuple(_pair(texts, whole, words) if kind == "pair" else _OTHERS[kind](texts, whole))
    if len(glosses) == len(shown):  # not so if a stranger changed the item
        sentences = glossed_sentences(whole, glosses)
        shown = tuple(
            replace(text, interlinear=tuple(sentence.words))
            for text, sentence in zip(shown, sentences, strict=True)
        )
    features = tuple(
        (column.name, column.values[column.codes[row]])
        for column in items.features
        if column.codes[row] >= 0 and len(column.values) > 1 and column is not items.group
    )
    notes = tuple(map(str, whole.get("predictions") or ())) if kind == "suite" else ()
    return ShownItem(items.ids[row], shown, words, features, notes)


def _words(whole: ItemRow, bad: str, forms: FormFeatures) -> Iterator[GlossedWord]:
    """Yield the words of the good sentence, with their forms in the ``bad`` one."""
    for slot in _slots(whole, "good").values():
        names = ("name", "form", "lemma", "upos", "feats")
        word = {name: str(slot.get(name) or "") for name in names}
        span = _span(slot, "bad")
        other = bad[slice(*span)] if span else ""
        other = "" if other.casefold() == word["form"].casefold() else other
        known = forms.get((word["lemma"], other.casefold()), "")
        yield {**word, "bad": other, "bad_feats": known}


def _slots(whole: ItemRow, side: str) -> dict[Span, ItemRow]:
    """Return the slots printed in a sentence by start and end; none of them overlap."""
    spans = [(span, slot) for slot in whole.get("slots") or () if (span := _span(slot, side))]
    found: dict[Span, ItemRow] = {}
    end = 0
    for span, slot in sorted(spans, key=lambda pair: pair[0]):
        if span[0] >= end:
            found[span] = slot
            end = span[1]
    return found


def _span(slot: ItemRow, side: str) -> Span | None:
    """Return start and end of a slot in a sentence; None if it is not printed there."""
    start, end = slot.get(f"{side}_start"), slot.get(f"{side}_end")
    if slot.get("lemma") and isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
        return start, end
    return None


def _pair(
    texts: Sequence[str], whole: ItemRow, words: Sequence[GlossedWord]
) -> Iterator[ShownText]:
    known = {word["name"]: word for word in words}
    for side, parts in zip(("good", "bad"), differing_parts(*texts), strict=True):
        notes: dict[Span, str] = {}
        for span, slot in _slots(whole, side).items():
            if word := known.get(str(slot.get("name") or "")):
                feats = word["bad_feats" if side == "bad" and word["bad"] else "feats"]
                facts = filter(None, (word["upos"], word["lemma"], feats))
                notes[span] = f"{word['name']}: {', '.join(facts)}"
        text, differing = "", []
        for part, differs in parts:
            start = len(text) + len(part) - len(part.lstrip())  # blanks at the ends are not marked
            text += part
            if differs and part.strip():
                differing.append((start, start + len(part.strip())))
        yield ShownText("", tuple(_pieces(text, differing, notes)), side)


def _pieces(
    text: str, differing: Collection[Span], notes: Mapping[Span, str]
) -> Iterator[TextPiece]:
    """Cut a sentence into pieces that differ or not, and that have a note or not."""
    spans = [*notes, *differing]
    cuts = sorted({0, len(text), *(end for span in spans for end in span if end <= len(text))})
    for start, end in pairwise(cuts):
        note = next((n for span, n in notes.items() if span[0] <= start and end <= span[1]), "")
        yield TextPiece(text[start:end], any(a <= start and end <= b for a, b in differing), note)


def _suite(texts: Sequence[str], whole: ItemRow) -> Iterator[ShownText]:
    """Yield the sentences of the conditions, with their regions marked."""
    for condition, text in zip(whole.get("conditions") or (), texts, strict=False):
        known = ((r["start"] or 0, r["end"] or 0, r["name"]) for r in condition["regions"] or ())
        regions = {(start, end): f"region {name}" for start, end, name in known if 0 <= start < end}
        yield ShownText(str(condition["name"]), tuple(_pieces(text, regions, regions)))


def _cloze(texts: Sequence[str], whole: ItemRow) -> Iterator[ShownText]:
    left, answer, right = texts
    note = ", ".join(str(whole[key]) for key in ("upos", "lemma", "feats") if whole.get(key))
    place = (len(left), len(left) + len(answer))
    yield ShownText("", tuple(_pieces(left + answer + right, [place], {place: f"masked: {note}"})))


def _form(texts: Sequence[str], whole: ItemRow) -> Iterator[ShownText]:
    form, *facts = texts
    about = ", ".join(filter(None, (str(whole.get("upos") or ""), *facts)))
    yield ShownText(about, (TextPiece(form),))


_OTHERS = {"suite": _suite, "cloze": _cloze, "forms": _form}


@dataclass(frozen=True)
class ParadigmSample:
    """What a page shows of a paradigm, or of a config as a whole, with ``rows`` items.

    ``features``: for each feature its name, the number of different values, and the most frequent
    values with their counts. ``audit``: None where the items are not audited.
    """

    rows: int
    items: tuple[ShownItem, ...]
    features: tuple[Mapping[str, object], ...]
    audit: Audit | None


def samples_of(
    items: ItemColumns, root: Root, uids: Collection[str] = ()
) -> dict[str, ParadigmSample]:
    """Return a sample of each paradigm by UID; without ``uids`` one of the config, under ``""``."""
    groups = {uid: rows for uid, rows in items.by_group.items() if uid in uids}
    if not uids:
        groups = {"": np.arange(items.rows)}
    chosen = {name: choose_rows(items, rows) for name, rows in groups.items()}
    full = rows_of(items.config, [row for rows in chosen.values() for row in rows])
    forms = form_features(root.path, items.config.language) if uids else {}
    glosses = find_glosses(root, list(full.values())) if uids else {}
    made = {}
    for name, rows in groups.items():
        shown = tuple(
            shown_item(items, row, full[row], forms, glosses.get(items.ids[row], ()))
            for row in chosen[name]
        )
        found = None
        if name and items.config.kind == "pair":
            pairs = [PairTexts(*items.texts[row]) for row in rows[:AUDITED].tolist()]
            found = audit_pairs(name, pairs)
        features = tuple(_features(items, rows, not name))
        made[name] = ParadigmSample(len(rows), shown, features, found)
    return made


def _features(items: ItemColumns, rows: Codes, whole: bool) -> Iterator[Mapping[str, object]]:
    """Yield the features that have several values in some rows (:class:`ParadigmSample`).

    ``whole``: the rows are those of the config, so that the column of paradigms is a feature, too.
    """
    for column in items.features:
        counts = column.counts(rows)
        shown = column.name != "sent_id" and (whole or column is not items.group)
        if len(counts) > 1 and shown:
            values = counts[:SHOWN_VALUES]
            yield {"name": column.name, "different": len(counts), "values": values}
