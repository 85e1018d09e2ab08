"""Suites: the surprisal of the regions of items, and whether the predictions about them hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from math import log
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import InputError, Problem, candidates, fail
from solecism.formula import WHOLE, Formula, parse, place_of, unknown_terms
from solecism.schema import ItemRow
from solecism.scoring.encoding import Encoded, shared_spans, words_of
from solecism.scoring.methods import Method, TextReader
from solecism.scoring.questions import windows
from solecism.scoring.results import UNALIGNED, score_schema

if TYPE_CHECKING:
    from solecism.baselines.ngram import NgramModel

UNKNOWN = "out of vocabulary"
UNREAD = "sentence not read"
NO_FIRST = "no surprisal of the first word"

Floats = NDArray[np.float64]

METRICS: dict[str, Callable[[Floats], np.float64]] = {
    "sum": np.sum, "mean": np.mean, "median": np.median, "range": np.ptp, "max": np.max, "min": np.min,
}  # fmt: skip
"""SyntaxGym's metrics, by name: each makes one number of the surprisals of a region's tokens."""


@dataclass(frozen=True)
class ReadSentence:
    """A sentence as a model has read it: its tokens and the surprisal of each, in bits.

    ``words``: the text is the condition's ``tokens`` (words with spaces between them) instead of
    its ``text``; ``unknown``: places of the tokens that the model does not know. The surprisal of
    the first token may be NaN, for none.
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

SentenceReader = Callable[[Sequence[ItemRow]], list[ReadSentence | None]]
"""A function that reads the conditions of items in order, None for a sentence of which nothing is
known."""


def measured_items(
    items: Sequence[ItemRow], reader: SentenceReader
) -> Iterator[tuple[ItemRow, list[MeasuredCondition]]]:
    """Read all sentences of items at once; yield each item with its measured conditions.

    A condition is measured by the surprisals of its regions and of the whole sentence.
    """
    read = iter(reader([condition for item in items for condition in item["conditions"]]))
    for item in items:
        metric = METRICS.get(item.get("metric") or "sum")
        if metric is None:
            near = candidates("metrics", list(METRICS), item["metric"])
            raise fail(f"suite {item['suite']!r}: unknown metric {item['metric']!r} {near}")
        conditions = [(condition, next(read)) for condition in item["conditions"]]
        out: list[MeasuredCondition] = []
        for condition, sentence in conditions:
            whole = MeasuredRegion(WHOLE, condition["text"], None, 0, UNREAD)
            if sentence is not None:
                bits, text = float(sentence.bits.sum()), sentence.encoded.text
                whole = MeasuredRegion(WHOLE, text, bits, len(sentence.bits))
                if np.isnan(bits):
                    whole = MeasuredRegion(WHOLE, text, None, 0, NO_FIRST)
            out.append({WHOLE: whole})
        for name in dict.fromkeys(r["name"] for c in item["conditions"] for r in c["regions"]):
            for place, region in _measured(name, conditions, metric):
                out[place][name] = region
        yield item, out


def _measured(
    name: str,
    conditions: Sequence[tuple[ItemRow, ReadSentence | None]],
    metric: Callable[[Floats], np.float64],
) -> Iterator[tuple[int, MeasuredRegion]]:
    """Yield a region of each condition that has it, after the number of the condition."""
    found = [
        (place, region, sentence, _place_of(condition, region, sentence))
        for place, (condition, sentence) in enumerate(conditions)
        for region in condition["regions"]
        if region["name"] == name
    ]
    known = [(n, s.encoded, at) for n, r, s, at in found if r["text"] and s is not None]
    spans = shared_spans([text for _, text, _ in known], [at for _, _, at in known])
    aligned = dict(zip((n for n, _, _ in known), spans or (), strict=False))
    for place, region, sentence, _ in found:
        span = aligned.get(place)
        if not region["text"]:
            yield place, MeasuredRegion(name, "", 0.0, 0)
        elif sentence is None or span is None:
            reason = UNREAD if sentence is None else UNALIGNED
            yield place, MeasuredRegion(name, region["text"], None, 0, reason)
        else:
            text = sentence.encoded.text[span.start : span.stop]
            unknown = sentence.unknown & set(range(span.first, span.last))
            bits = sentence.bits[span.first : span.last]
            if unknown or np.isnan(bits).any():
                why = UNKNOWN if unknown else NO_FIRST
                yield place, MeasuredRegion(name, text, None, 0, why)
            else:
                yield place, MeasuredRegion(name, text, float(metric(bits)), len(span))


def _place_of(
    condition: ItemRow, region: ItemRow, sentence: ReadSentence | None
) -> tuple[int, int]:
    """Return the first and the last character (exclusive) of a region in the text that was read."""
    if sentence is None or not sentence.words:
        return region["start"], region["end"]
    words = condition["tokens"].split(" ")
    start = sum(len(word) + 1 for word in words[: region["first"]])
    return start, start + len(" ".join(words[region["first"] : region["last"]]))


WINDOW = 1024
"""The number of items that are read together."""


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
    for table, _ in windows(tables, WINDOW):
        found = (_result_rows(*measured) for measured in measured_items(table.to_pylist(), reader))
        yield pa.Table.from_pylist(list(chain.from_iterable(found)), schema=SUITE_SCORES)


def _result_rows(
    item: ItemRow, measured: Sequence[MeasuredCondition]
) -> Iterator[dict[str, object]]:
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
            place = None if region == WHOLE else place_of(region, regions[condition])
            name = WHOLE if place is None else regions[condition][place]
            terms.append((condition, by_name[condition][name]))
        yield {
            "id": f"{item['id']}-{number}", "set_id": item["id"], "UID": item["suite"],
            "linguistics_term": item["phenomenon"], "construction": item["modifier"],
            "language": item["language"], "features": {"prediction": formula.text},
            "method": "region", **_outcome(formula, terms),
        }  # fmt: skip


def _outcome(formula: Formula, terms: Sequence[tuple[str, MeasuredRegion]]) -> dict[str, object]:
    """Return the regions of a prediction, and whether it holds.

    Of one that compares two regions also what it has in common with a pair.
    """
    rows = [{"condition": condition, **asdict(term)} for condition, term in terms]
    found: dict[str, object] = {"terms": rows}
    skipped = next((term.skipped for _, term in terms if term.skipped), None)
    if skipped:
        return found | {"skipped": skipped}
    values = iter([term.surprisal or 0.0 for _, term in terms])
    found["decision"] = formula(lambda condition, region: next(values))
    if formula.comparison is None:
        return found
    logp = []
    for side, number in zip(("good", "bad"), formula.comparison, strict=True):
        term = terms[number][1]
        logp.append(-(term.surprisal or 0.0) * log(2))
        found |= {
            f"logp_{side}": logp[-1], f"tokens_{side}": term.tokens,
            f"bytes_{side}": len(term.text.encode()), f"chars_{side}": len(term.text),
        }  # fmt: skip
    return found | {"margin": logp[0] - logp[1]}


def read_with_causal(
    reader: TextReader, conditions: Sequence[ItemRow]
) -> list[ReadSentence | None]:
    """Read sentences with a causal model.

    A word-level model of ours is given the ``tokens`` of a condition, others its ``text``.
    """
    words, longest = reader.word_level, reader.longest
    encoded = reader.encode([c["tokens" if words else "text"] or "" for c in conditions])
    rows = [reader.with_bos(text.ids)[0] for text in encoded]
    kept = [n for n, ids in enumerate(rows) if encoded[n].text.strip() and len(ids) <= longest]
    out: list[ReadSentence | None] = [None] * len(rows)
    values = reader.log_probs([rows[n] for n in kept])
    for n, logp in zip(kept, values, strict=True):
        text = encoded[n]
        bits = -np.asarray(logp, np.float64)[len(rows[n]) - len(text.ids) :] / log(2)
        tokens = (text.text[slice(*at)] for at in text.offsets) if words else ()
        unknown = frozenset(n for n, word in enumerate(tokens) if word not in reader.vocabulary)
        out[n] = ReadSentence(text, bits, words, unknown)
    return out


def read_with_ngrams(model: NgramModel, conditions: Sequence[ItemRow]) -> list[ReadSentence | None]:
    """Read the ``tokens`` of sentences with an n-gram model.

    Nothing is known of a sentence whose words are others to the model (it may leave out marks).
    """
    texts = [condition["tokens"] or "" for condition in conditions]
    stream, starts = model.stream(pa.array(texts, pa.string()))
    out: list[ReadSentence | None] = []
    surprisals = np.split(-model.word_logp(stream) / log(2), starts[1:])
    for text, values in zip(texts, surprisals, strict=True):
        words, bits = text.split(" "), values[1:-1]
        unknown = frozenset(n for n, word in enumerate(words) if word not in model.vocabulary)
        same = len(words) == len(bits)
        out.append(ReadSentence(words_of(words), bits, True, unknown) if same else None)
    return out


_FORMULA = "surprisal of regions, and whether the predictions about them hold"

METHODS = (
    Method(
        "region", _FORMULA, "suite", ("causal",),
        lambda tables, run: score_suites(tables, partial(read_with_causal, run.reader)),
        usual=True, options=("bos", "word_correction"), window=WINDOW,
    ),
    Method(
        "region", _FORMULA, "suite", ("n-gram",),
        lambda tables, run: score_suites(tables, partial(read_with_ngrams, run.reader)),
        usual=True, window=WINDOW,
    ),
)  # fmt: skip
