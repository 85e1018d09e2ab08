"""Suites: the surprisal of the regions of items, and whether the predictions about them hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, candidates, fail
from solecism.formula import WHOLE, Formula, parse, place_of, unknown_terms
from solecism.scoring.encoding import Encoded, shared_spans, words_of
from solecism.scoring.methods import Method, Reader
from solecism.scoring.results import score_schema

if TYPE_CHECKING:
    from solecism.baselines.ngram import NgramModel

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
"""What can be made of the surprisals of the tokens of a region: SyntaxGym's metrics."""


@dataclass(frozen=True)
class ReadSentence:
    """A sentence as a model has read it: its tokens and the surprisal of each, in bits.

    ``words``: the text is the condition's ``tokens`` (words with spaces between them) instead of
    its ``text``; ``unknown``: places of the tokens that the model does not know.
    """

    encoded: Encoded
    bits: Floats
    words: bool = False
    unknown: frozenset[int] = frozenset()


@dataclass(frozen=True)
class MeasuredRegion:
    """A region of a condition: its text as scored, its surprisal in bits, or why it has none."""

    region: str
    text: str
    surprisal: float | None
    tokens: int
    skipped: str | None = None


MeasuredCondition = dict[str, MeasuredRegion]
"""A condition that was measured: its regions by name, and the whole sentence as :data:`WHOLE`."""

SentenceReader = Callable[[Sequence[Item]], list[ReadSentence | None]]
"""A function that reads the conditions of items in order, None for a sentence of which nothing is
known."""


def measured_items(
    items: Sequence[Item], reader: SentenceReader
) -> Iterator[tuple[Item, list[MeasuredCondition]]]:
    """Read all sentences of items at once; yield each item with its conditions as measured."""
    read = iter(reader([condition for item in items for condition in item["conditions"]]))
    for item in items:
        yield item, measure(item, [next(read) for _ in item["conditions"]])


def measure(item: Item, sentences: Sequence[ReadSentence | None]) -> list[MeasuredCondition]:
    """Return the surprisals of the regions of each condition, and of the condition as a whole."""
    metric = METRICS.get(item.get("metric") or "sum")
    if metric is None:
        near = candidates("metrics", list(METRICS), item["metric"])
        raise fail(f"suite {item['suite']!r}: unknown metric {item['metric']!r} {near}")
    out: list[MeasuredCondition] = []
    for condition, sentence in zip(item["conditions"], sentences, strict=True):
        whole = MeasuredRegion(WHOLE, condition["text"], None, 0, UNREAD)
        if sentence is not None:
            bits = float(sentence.bits.sum())
            whole = MeasuredRegion(WHOLE, sentence.encoded.text, bits, len(sentence.bits))
        out.append({WHOLE: whole})
    for name in dict.fromkeys(r["name"] for c in item["conditions"] for r in c["regions"]):
        for place, region in _measured(item, name, sentences, metric):
            out[place][name] = region
    return out


def _measured(
    item: Item,
    name: str,
    sentences: Sequence[ReadSentence | None],
    metric: Callable[[Floats], float],
) -> Iterator[tuple[int, MeasuredRegion]]:
    """Yield a region of each condition that has it, with the place of the condition."""
    found = [
        (place, condition, region, sentence)
        for place, (condition, sentence) in enumerate(
            zip(item["conditions"], sentences, strict=True)
        )
        for region in condition["regions"]
        if region["name"] == name
    ]
    known = [(n, s, _place_of(c, r, s)) for n, c, r, s in found if r["text"] and s is not None]
    spans = shared_spans([s.encoded for _, s, _ in known], [place for _, _, place in known])
    aligned = dict(zip((n for n, _, _ in known), spans or (), strict=False))
    for place, _, region, sentence in found:
        span = aligned.get(place)
        if not region["text"]:
            yield place, MeasuredRegion(name, "", 0.0, 0)
        elif sentence is None or span is None:
            reason = UNREAD if sentence is None else UNALIGNED
            yield place, MeasuredRegion(name, region["text"], None, 0, reason)
        else:
            text = sentence.encoded.text[span.start : span.stop]
            unknown = sentence.unknown & set(range(span.first, span.last))
            bits = None if unknown else metric(sentence.bits[span.first : span.last])
            tokens = 0 if unknown else len(span)
            yield place, MeasuredRegion(name, text, bits, tokens, UNKNOWN if unknown else None)


def _place_of(condition: Item, region: Item, sentence: ReadSentence) -> tuple[int, int]:
    """Return the characters of a region in the text that was read."""
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
"""The columns of all results, and ``terms``: the regions that the prediction speaks of, ``text`` as
scored, ``surprisal`` in bits. ``id`` is the item's with the number of the prediction, ``set_id``
the item's. Of a prediction that compares two regions ``logp_good`` is that of the one that
should be less surprising."""


def score_suites(tables: Iterable[pa.Table], reader: SentenceReader) -> Iterator[pa.Table]:
    """Yield the scores of suite items as tables of :data:`SUITE_SCORES`.

    Raises :class:`InputError` for a prediction that cannot be read or names what an item does not
    have.
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


def _result_rows(item: Item, measured: Sequence[MeasuredCondition]) -> Iterator[dict[str, Any]]:
    conditions = item["conditions"]
    by_name = dict(zip((c["name"] for c in conditions), measured, strict=True))
    regions = {c["name"]: [r["name"] for r in c["regions"]] for c in conditions}
    formulas = [parse(text) for text in item["predictions"]]
    wrong = [text for formula in formulas for text in unknown_terms(formula, regions)]
    if wrong:
        what = f"suite {item['suite']!r}, item {item['id']!r}"
        raise InputError(Problem(f"{what}: {text}") for text in wrong)
    for number, formula in enumerate(formulas):
        terms = []
        for condition, region in formula.terms:
            place = place_of(region, regions[condition])
            name = WHOLE if region == WHOLE or place is None else regions[condition][place]
            terms.append((condition, by_name[condition][name]))
        yield {
            "id": f"{item['id']}-{number}", "set_id": item["id"], "UID": item["suite"],
            "linguistics_term": item["phenomenon"], "construction": item["modifier"],
            "language": item["language"], "features": {"prediction": formula.text},
            "method": "region", **_outcome(formula, terms),
        }  # fmt: skip


def _outcome(formula: Formula, terms: Sequence[tuple[str, MeasuredRegion]]) -> dict[str, Any]:
    """Return the regions of a prediction, and whether it holds.

    Of one that compares two regions also what it has in common with a pair.
    """
    measured = [
        {
            "condition": c, "region": m.region, "text": m.text,
            "surprisal": m.surprisal, "tokens": m.tokens,
        }
        for c, m in terms
    ]  # fmt: skip
    skipped = next((m.skipped for _, m in terms if m.skipped), None)
    if skipped:
        return {"terms": measured, "skipped": skipped}
    places = iter(terms)
    decision = formula(lambda condition, region: next(places)[1].surprisal or 0.0)
    found = {"terms": measured, "decision": decision}
    if formula.comparison is None:
        return found
    good, bad = (terms[n][1] for n in formula.comparison)
    logs = [-(m.surprisal or 0.0) * log(2) for m in (good, bad)]
    return {
        **found,
        "logp_good": logs[0], "logp_bad": logs[1], "margin": logs[0] - logs[1],
        "tokens_good": good.tokens, "tokens_bad": bad.tokens,
        "bytes_good": len(good.text.encode()), "bytes_bad": len(bad.text.encode()),
        "chars_good": len(good.text), "chars_bad": len(bad.text),
    }  # fmt: skip


def causal_reader(reader: Reader) -> SentenceReader:
    """Return a function that reads sentences with a causal model.

    A word-level model of ours is given the ``tokens`` of a condition, others its ``text``.
    """
    words = reader.word_level

    def read(conditions: Sequence[Item]) -> list[ReadSentence | None]:
        encoded = reader.encode([c["tokens" if words else "text"] or "" for c in conditions])
        rows = [reader.with_bos(text.ids)[0] for text in encoded]
        longest = reader.longest
        kept = [n for n, ids in enumerate(rows) if encoded[n].text.strip() and len(ids) <= longest]
        out: list[ReadSentence | None] = [None] * len(rows)
        values = reader.log_probs([rows[n] for n in kept])
        for n, logp in zip(kept, values, strict=True):
            text = encoded[n]
            bits = -np.asarray(logp, np.float64)[len(rows[n]) - len(text.ids) :] / log(2)
            unknown = (
                n
                for n, (a, b) in enumerate(text.offsets)
                if text.text[a:b] not in reader.vocabulary
            )
            out[n] = ReadSentence(text, bits, words, frozenset(unknown if words else ()))
        return out

    return read


def ngram_reader(model: NgramModel) -> SentenceReader:
    """Return a function that reads the ``tokens`` of sentences with an n-gram model.

    Nothing is known of a sentence whose words are others to the model (it may leave out marks).
    """

    def read(conditions: Sequence[Item]) -> list[ReadSentence | None]:
        texts = [condition["tokens"] or "" for condition in conditions]
        stream, starts = model.stream(pa.array(texts, pa.string()))
        out: list[ReadSentence | None] = []
        for text, values in zip(
            texts, np.split(-model.word_logp(stream) / log(2), starts[1:]), strict=True
        ):
            words, bits = text.split(" "), values[1:-1]
            unknown = frozenset(n for n, word in enumerate(words) if word not in model.vocabulary)
            same = len(words) == len(bits)
            out.append(ReadSentence(words_of(words), bits, True, unknown) if same else None)
        return out

    return read


_FORMULA = "surprisal of regions, and whether the predictions about them hold"

METHODS = (
    Method(
        "region", _FORMULA, "suite", ("causal",),
        lambda tables, run: score_suites(tables, causal_reader(run.reader)),
        usual=True, options=("bos",), window=WINDOW,
    ),
    Method(
        "region", _FORMULA, "suite", ("n-gram",),
        lambda tables, run: score_suites(tables, ngram_reader(run.reader)),
        usual=True, window=WINDOW,
    ),
)  # fmt: skip
