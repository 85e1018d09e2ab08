"""Method ``region``: the surprisal of regions of suite items, and whether the predictions hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, candidates, fail
from solecism.formula import WHOLE, Formula, parse, place_of, unknown_terms
from solecism.scoring.encoding import Encoded, TokenSpan, shared_by_all
from solecism.scoring.results import result_files, score_schema
from solecism.scoring.summary import Tally

__all__ = [
    "METRICS",
    "SUITE_SCORES",
    "SURPRISALS",
    "UNALIGNED",
    "UNKNOWN",
    "UNREAD",
    "Condition",
    "Measured",
    "Reader",
    "Sentence",
    "all_hold",
    "items_line",
    "leave_out",
    "measure",
    "measured_items",
    "score_regions",
    "score_suites",
]


SURPRISALS = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "suite", "item", "condition", "region", "text")),
        ("surprisal", pa.float64()),
        ("tokens", pa.int32()),
        ("skipped", pa.string()),
    ]
)
"""A row for each region of each condition: ``text`` as scored, ``surprisal`` in bits (null: skipped, why)."""

UNALIGNED = "no shared token boundary"
UNKNOWN = "out of vocabulary"
UNREAD = "sentence not read"

Floats = NDArray[np.float64]
Item = Mapping[str, Any]

METRICS: dict[str, Callable[[Floats], float]] = {
    "sum": lambda bits: float(bits.sum()),
    "mean": lambda bits: float(bits.mean()),
    "median": lambda bits: float(np.median(bits)),
    "range": lambda bits: float(bits.max() - bits.min()),
    "max": lambda bits: float(bits.max()),
    "min": lambda bits: float(bits.min()),
}
"""What can be made of the surprisals of a region's tokens: SyntaxGym's metrics."""


@dataclass(frozen=True)
class Sentence:
    """A sentence as a model has read it: its tokens and the surprisal of each, in bits.

    ``words``: the text is the condition's ``tokens`` (words with spaces between them) instead of its ``text``;
    ``unknown``: places of the tokens that the model does not know.
    """

    encoded: Encoded
    bits: Floats
    words: bool = False
    unknown: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Measured:
    """A region of a condition: ``text`` as scored, its surprisal in bits (None: ``skipped`` says why)."""

    region: str
    text: str
    surprisal: float | None
    tokens: int
    skipped: str | None = None


@dataclass(frozen=True)
class Condition:
    """A condition as measured: its regions in order, and the whole sentence."""

    regions: tuple[Measured, ...]
    whole: Measured


Reader = Callable[[Sequence[Item]], list[Sentence | None]]
"""Reads the conditions of items (in order); None for a sentence of which nothing is known."""


def score_regions(tables: Iterable[pa.Table], reader: Reader) -> Iterator[pa.Table]:
    """Yield the surprisals of all regions of suite items (:data:`solecism.schema.SUITE`)."""
    for table in tables:
        rows = [
            row
            for item, measured in measured_items(table.to_pylist(), reader)
            for row in _rows(item, measured)
        ]
        yield pa.Table.from_pylist(rows, schema=SURPRISALS)


def measured_items(items: Sequence[Item], reader: Reader) -> Iterator[tuple[Item, list[Condition]]]:
    """Read all sentences of items at once; yield each item with the regions of each of its conditions."""
    read = iter(reader([condition for item in items for condition in item["conditions"]]))
    for item in items:
        yield item, measure(item, [next(read) for _ in item["conditions"]])


def _rows(item: Item, measured: Sequence[Condition]) -> Iterator[dict[str, Any]]:
    for condition, regions in zip(item["conditions"], measured, strict=True):
        for region in regions.regions:
            yield {
                "id": item["id"],
                "suite": item["suite"],
                "item": item["item"],
                "condition": condition["name"],
                **vars(region),
            }


def measure(item: Item, sentences: Sequence[Sentence | None]) -> list[Condition]:
    """Give the surprisals of all regions of each condition, and of the condition as a whole."""
    metric = METRICS.get(item.get("metric") or "sum")
    if metric is None:
        near = candidates("metrics", list(METRICS), item["metric"])
        raise fail(f"suite {item['suite']!r}: unknown metric {item['metric']!r} {near}")
    names = dict.fromkeys(r["name"] for c in item["conditions"] for r in c["regions"])
    found = {name: _aligned(item, name, sentences) for name in names}
    out = []
    for place, (condition, sentence) in enumerate(zip(item["conditions"], sentences, strict=True)):
        regions = (
            _measured(region, sentence, found[region["name"]].get(place), metric)
            for region in condition["regions"]
        )
        out.append(Condition(tuple(regions), _whole(condition, sentence)))
    return out


def _whole(condition: Item, sentence: Sentence | None) -> Measured:
    if sentence is None:
        return Measured(WHOLE, condition["text"], None, 0, UNREAD)
    bits = sentence.bits
    return Measured(WHOLE, sentence.encoded.text, float(bits.sum()), len(bits))


def _measured(
    region: Item,
    sentence: Sentence | None,
    span: TokenSpan | None,
    metric: Callable[[Floats], float],
) -> Measured:
    name = region["name"]
    if not region["text"]:
        return Measured(name, "", 0.0, 0)
    if sentence is None or span is None:
        return Measured(name, region["text"], None, 0, UNREAD if sentence is None else UNALIGNED)
    text = sentence.encoded.text[span.start : span.stop]
    if sentence.unknown & set(range(span.first, span.last)):
        return Measured(name, text, None, 0, UNKNOWN)
    bits = sentence.bits[span.first : span.last]
    return Measured(name, text, metric(bits), span.last - span.first)


def _aligned(
    item: Item, name: str, sentences: Sequence[Sentence | None]
) -> dict[int, TokenSpan | None]:
    """Align one region in all conditions that have it (condition's place: its tokens)."""
    places, texts, spans = [], [], []
    for place, (condition, sentence) in enumerate(zip(item["conditions"], sentences, strict=True)):
        for region in condition["regions"]:
            if region["name"] == name and region["text"] and sentence is not None:
                places.append(place)
                texts.append(sentence.encoded)
                spans.append(_span(condition, region, sentence))
    found = shared_by_all(texts, spans)
    return dict(zip(places, found, strict=True)) if found else {}


def _span(condition: Item, region: Item, sentence: Sentence) -> tuple[int, int]:
    if not sentence.words:
        return region["start"], region["end"]
    words = condition["tokens"].split(" ")
    start = sum(len(word) + 1 for word in words[: region["first"]])
    return start, start + len(" ".join(words[region["first"] : region["last"]]))


WINDOW = 1024
"""Items that are read together."""


_TERM = pa.struct(
    [
        *((name, pa.string()) for name in ("condition", "region", "text")),
        ("surprisal", pa.float64()),
        ("tokens", pa.int32()),
    ]
)
SUITE_SCORES = score_schema(pa.struct([("prediction", pa.string())])).append(
    pa.field("terms", pa.list_(_TERM))
)
"""The columns of all results, and ``terms``: the regions that the prediction speaks of, ``text`` as scored,
``surprisal`` in bits. ``id`` is the item's with the number of the prediction, ``set_id`` the item's. Of
a prediction that compares two regions ``logp_good`` is that of the one that should be less surprising."""


def score_suites(tables: Iterable[pa.Table], reader: Reader) -> Iterator[pa.Table]:
    """Yield the scores of suite items (:data:`solecism.schema.SUITE`) as tables of :data:`SUITE_SCORES`.

    Raises :class:`InputError` for a prediction that cannot be read or names what an item does not have.
    """
    for table in tables:
        for start in range(0, len(table), WINDOW):
            items = table.slice(start, WINDOW).to_pylist()
            rows = [
                row
                for item, measured in measured_items(items, reader)
                for row in _result_rows(item, measured)
            ]
            yield pa.Table.from_pylist(rows, schema=SUITE_SCORES)


@lru_cache(maxsize=1 << 12)
def _parsed(text: str) -> Formula:
    return parse(text)


def _result_rows(item: Item, measured: Sequence[Condition]) -> Iterator[dict[str, Any]]:
    names = [c["name"] for c in item["conditions"]]
    regions = dict(zip(names, measured, strict=True))
    formulas = [_parsed(text) for text in item["predictions"]]
    _refuse_unknown(item, formulas)
    for number, formula in enumerate(formulas):
        terms = [
            _term(condition, region, regions[condition]) for condition, region in formula.terms
        ]
        yield {**_identity(item, number, formula), **_outcome(formula, terms)}


def _refuse_unknown(item: Item, formulas: Sequence[Formula]) -> None:
    regions = {c["name"]: [r["name"] for r in c["regions"]] for c in item["conditions"]}
    wrong = [text for formula in formulas for text in unknown_terms(formula, regions)]
    if wrong:
        place = f"suite {item['suite']!r}, item {item['id']!r}"
        raise InputError(Problem(f"{place}: {text}") for text in wrong)


def _term(condition: str, region: str, measured: Condition) -> tuple[str, Measured]:
    if region == WHOLE:
        return condition, measured.whole
    place = place_of(region, [m.region for m in measured.regions])
    assert place is not None
    return condition, measured.regions[place]


def _identity(item: Item, number: int, formula: Formula) -> dict[str, Any]:
    return {
        "id": f"{item['id']}-{number}",
        "set_id": item["id"],
        "UID": item["suite"],
        "linguistics_term": item["phenomenon"],
        "construction": item["modifier"],
        "language": item["language"],
        "features": {"prediction": formula.text},
        "method": "region",
    }


def _outcome(formula: Formula, terms: Sequence[tuple[str, Measured]]) -> dict[str, Any]:
    skipped = next((m.skipped for _, m in terms if m.skipped), None)
    told = [
        {
            "condition": c, "region": m.region, "text": m.text,
            "surprisal": m.surprisal, "tokens": m.tokens,
        }
        for c, m in terms
    ]  # fmt: skip
    if skipped:
        return {"terms": told, "skipped": skipped}
    places = iter(terms)
    decision = formula(lambda condition, region: next(places)[1].surprisal or 0.0)
    return {"terms": told, "decision": decision, **_sides(formula, terms)}


def _sides(formula: Formula, terms: Sequence[tuple[str, Measured]]) -> dict[str, Any]:
    """What a plain comparison of two regions has in common with a pair."""
    order = formula.comparison
    if order is None:
        return {}
    good, bad = (terms[n][1] for n in order)
    logs = [-(m.surprisal or 0.0) * log(2) for m in (good, bad)]
    return {
        "logp_good": logs[0], "logp_bad": logs[1], "margin": logs[0] - logs[1],
        "tokens_good": good.tokens, "tokens_bad": bad.tokens,
        "bytes_good": len(good.text.encode()), "bytes_bad": len(bad.text.encode()),
    }  # fmt: skip


def leave_out(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Leave out the leading items, whose predictions have ``rows`` rows in a result already."""
    for table in tables:
        counts = [len(predictions) for predictions in table["predictions"].to_pylist()]
        start = 0
        while start < len(counts) and rows >= counts[start] and rows:
            rows -= counts[start]
            start += 1
        if start < len(counts):
            yield table.slice(start)


def all_hold(path: str | Path) -> Tally:
    """Count the items of a result all of whose predictions hold (an item with a skipped one is skipped)."""
    names = ["set_id", "decision", "skipped"]
    columns = pq.read_table(result_files(path)[1], columns=names).to_pydict()
    worst: dict[str, float] = {}
    skipped: dict[str, str] = {}
    for name, decision, reason in zip(*(columns[key] for key in names), strict=True):
        if decision is None:
            skipped[name] = reason
        worst[name] = min(worst.get(name, 1.0), decision or 0.0)
    total = Tally()
    for name, value in worst.items():
        reason = skipped.get(name)
        total.add(
            Tally(skipped={reason: 1}) if reason else Tally(value, 1, 1 if value == 0.5 else 0)
        )
    return total


def items_line(found: Mapping[str, Any]) -> str:
    """Say of how many items all predictions hold (``found``: a tally as JSON)."""
    if not found["n"]:
        return "no item could be scored"
    return (
        f"all predictions of an item hold: {100 * found['accuracy']:.1f} % of {found['n']:,} items"
    )
