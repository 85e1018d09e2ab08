"""Suite items: named conditions with regions and the predictions about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa

from solecism.errors import fail
from solecism.grammar.paradigm import Counts, Paradigm, blocks, check_enough
from solecism.grammar.render import Rendered, Spelt
from solecism.grammar.sampling.elimination import Columns
from solecism.grouping import Ints
from solecism.hashing import hex_ids
from solecism.schema import SUITE


def draw_suites(
    paradigm: Paradigm, seed: int = 0, counts: Counts | None = None
) -> Iterator[pa.Table]:
    """Yield the items of a suite in batches, as tables of :data:`solecism.schema.SUITE`.

    An item is a combination of words that makes every condition. Raises :class:`InputError` as
    :func:`solecism.grammar.pairs.draw_pairs` does.
    """
    counts = counts if counts is not None else Counts()
    wanted = paradigm.template.draw
    conditions = paradigm.renderers
    for columns in blocks(paradigm, seed, counts):
        rows = len(columns[0]) if columns else 1
        lines = [line.render(columns, rows) for line in conditions]
        for line, condition in zip(lines, paradigm.template.conditions, strict=True):
            if len(line) > len(np.unique(line.row)):
                message = f"condition {condition.name!r} has several alternatives (`clash`)"
                raise fail(message, paradigm.template.path, condition.line)
        whole = reduce(np.intersect1d, [line.row for line in lines])
        if wanted is not None and len(whole) >= wanted - counts.sets:
            whole = whole[: wanted - counts.sets]
            rows = int(whole[-1]) + 1
        made = np.isin(np.arange(rows), whole)
        counts.skip(made, [line.skipped for line in lines])
        counts.sets += len(whole)
        counts.pairs += len(whole)
        if len(whole):
            yield _table(paradigm, columns, lines, whole)
        if wanted is not None and counts.sets == wanted:
            return
    check_enough(paradigm, counts)


def _table(paradigm: Paradigm, columns: Columns, lines: list[Rendered], whole: Ints) -> pa.Table:
    template = paradigm.template
    sides = [line.take(np.searchsorted(line.row, whole)) for line in lines]
    names = [condition.name for condition in template.conditions]
    conditions = [_conditions(side, name) for side, name in zip(sides, names, strict=True)]
    taken = [column[whole] for column in columns]
    ids = hex_ids(paradigm.plan.hashes(np.full(len(whole), paradigm.start[0]), taken)).to_pylist()
    rows = [
        {
            "id": identity,
            "suite": template.id,
            "phenomenon": template.phenomenon,
            "modifier": template.construction,
            "item": name or identity,
            "language": paradigm.language,
            "conditions": list(row),
            "predictions": list(template.predictions),
            "metric": "sum",
        }
        for identity, name, row in zip(
            ids, _names(paradigm, taken, len(ids)), zip(*conditions, strict=True), strict=True
        )
    ]
    return pa.Table.from_pylist(rows, schema=SUITE)


def _names(paradigm: Paradigm, taken: Columns, rows: int) -> list[str]:
    """Return the lemma of each item's row if there is but one slot, else nothing."""
    if len(taken) != 1:
        return [""] * rows
    words = paradigm.plan.domains[0].words
    return [words[place].row.shown for place in taken[0].tolist()]


@dataclass
class _RegionSpan:
    """Where a region stands: characters of the text, words of the tokens (ends exclusive)."""

    start: int
    end: int
    first: int
    last: int


def _conditions(side: Rendered, name: str) -> list[dict[str, object]]:
    texts = side.texts(lambda value: value.text).to_pylist()
    before = side.chars
    words = side.before(lambda value: len(value.tokens))
    out = []
    for row, text in enumerate(texts):
        spans: dict[str, _RegionSpan] = {}
        tokens: list[str] = []
        for stretch, (part, index) in enumerate(zip(side.stretches, side.index, strict=True)):
            value = part.values[index[row]]
            tokens += [token.text for token in value.tokens]
            names = part.units[0].regions
            _add_spans(spans, value, names, int(before[stretch][row]), int(words[stretch][row]))
        regions = [
            {"name": region, "text": text[span.start : span.end], **vars(span)}
            for region, span in spans.items()
        ]
        out.append({"name": name, "text": text, "tokens": " ".join(tokens), "regions": regions})
    return out


def _add_spans(
    spans: dict[str, _RegionSpan], value: Spelt, names: Sequence[str], shift: int, words: int
) -> None:
    """Add the regions of a stretch; a region that runs on from the stretch before grows."""
    for region, place in value.regions.items():
        tag = -1 - names.index(region)
        tokens = [n for n, token in enumerate(value.tokens, words) if tag in token.tags]
        new = _RegionSpan(place.start + shift, place.stop + shift, tokens[0], tokens[-1] + 1)
        known = spans.setdefault(region, new)
        known.end, known.last = new.end, new.last
