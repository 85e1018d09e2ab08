"""Surprisal of the regions of suite items (Hu et al. 2020; Wang et al. 2021, section 3.1).

The surprisal of a region is the sum over its tokens, in bits. A region that begins or ends inside a token is
widened to the smallest token-aligned span that widens it alike in all conditions of the item that have it;
where there is none the region has no surprisal in any condition, and is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Any

import pyarrow as pa

from solecism.score.causal import CausalScorer
from solecism.score.spans import Encoded, TokenSpan, aligned, shared_spans

__all__ = ["SURPRISALS", "score_regions"]

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


def score_regions(tables: Iterable[pa.Table], scorer: CausalScorer) -> Iterator[pa.Table]:
    """Yield the surprisals of all regions of suite items (:data:`solecism.items.SUITE`)."""
    for table in tables:
        items = table.to_pylist()
        texts = [condition["text"] for item in items for condition in item["conditions"]]
        encoded = scorer.encode(texts)
        rows = [scorer.with_prefix(text.ids) for text in encoded]
        values = iter(zip(encoded, rows, scorer.values([ids for ids, _ in rows]), strict=True))
        out: list[dict[str, Any]] = []
        for item in items:
            scored = [next(values) for _ in item["conditions"]]
            out += _item_rows(item, scored)
        yield pa.Table.from_pylist(out, schema=SURPRISALS)


def _item_rows(item: Mapping[str, Any], scored: Sequence[Any]) -> Iterator[dict[str, Any]]:
    names = dict.fromkeys(r["name"] for c in item["conditions"] for r in c["regions"])
    spans = {name: _shared(item, name, [text for text, _, _ in scored]) for name in names}
    for place, (condition, (text, (ids, _), logp)) in enumerate(
        zip(item["conditions"], scored, strict=True)
    ):
        shift = len(ids) - len(text.ids)
        for region in condition["regions"]:
            span = spans[region["name"]].get(place)
            row = {
                "id": item["id"], "suite": item["suite"], "item": item["item"],
                "condition": condition["name"], "region": region["name"],
            }  # fmt: skip
            if span is None:
                yield {
                    **row,
                    "text": region["text"],
                    "surprisal": None,
                    "tokens": 0,
                    "skipped": UNALIGNED,
                }
                continue
            bits = -float(logp[span.first + shift : span.last + shift].sum()) / log(2)
            found = text.text[span.start : span.stop]
            yield {
                **row,
                "text": found,
                "surprisal": bits,
                "tokens": span.last - span.first,
                "skipped": None,
            }


def _shared(
    item: Mapping[str, Any], name: str, texts: Sequence[Encoded]
) -> dict[int, TokenSpan | None]:
    """Align one region in all conditions that have it (condition's place: its tokens)."""
    given = {
        place: (region["start"], region["end"])
        for place, condition in enumerate(item["conditions"])
        for region in condition["regions"]
        if region["name"] == name
    }
    found: dict[int, TokenSpan | None] = {p: aligned(texts[p], *span) for p, span in given.items()}
    for first, second in pairwise(given):
        pair = shared_spans(texts[first], texts[second], given[first], given[second])
        if pair is None:
            return dict.fromkeys(given)
        found[first], found[second] = pair
    return found if _alike(texts, given, found) else dict.fromkeys(given)


def _alike(
    texts: Sequence[Encoded],
    given: Mapping[int, tuple[int, int]],
    found: Mapping[int, TokenSpan | None],
) -> bool:
    """Whether a region is widened by the same characters in all conditions."""
    edges = set()
    for place, (start, stop) in given.items():
        span = found[place]
        if span is None:
            return False
        text = texts[place].text
        edges.add(
            (
                text[min(span.start, start) : start].strip(),
                text[stop : max(span.stop, stop)].strip(),
            )
        )
    return len(edges) <= 1
