"""Suite items: named conditions with regions and the predictions about them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.generate.blocks import Counts, blocks, check_enough
from solecism.generate.bulk import Rendered
from solecism.generate.hashing import hex_ids
from solecism.generate.layout import Value
from solecism.generate.paradigm import Paradigm
from solecism.generate.plan import Columns
from solecism.items import SUITE

__all__ = ["draw_suites"]

Ints = NDArray[np.intp]


def draw_suites(
    paradigm: Paradigm, seed: int = 0, counts: Counts | None = None
) -> Iterator[pa.Table]:
    """Yield the items of a suite in batches, as tables of :data:`solecism.items.SUITE`.

    An item is a combination of words that makes every condition. Raises :class:`InputError` as
    :func:`solecism.generate.pairs.draw_pairs` does.
    """
    counts = counts if counts is not None else Counts()
    wanted = paradigm.template.draw
    for columns in blocks(paradigm, seed, counts):
        rows = len(columns[0]) if columns else 1
        lines = [line.render(columns, rows) for line in paradigm.lines]
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
            "item": identity,
            "language": paradigm.language,
            "conditions": list(row),
            "predictions": list(template.predictions),
        }
        for identity, row in zip(ids, zip(*conditions, strict=True), strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=SUITE)


def _conditions(side: Rendered, name: str) -> list[dict[str, object]]:
    texts = side.texts(lambda value: value.text).to_pylist()
    before = side.before(lambda value: len(value.text))
    out = []
    for row, text in enumerate(texts):
        spans: dict[str, tuple[int, int]] = {}
        for chunk, (part, index) in enumerate(zip(side.chunks, side.index, strict=True)):
            _add_spans(spans, part.values[index[row]], int(before[chunk][row]))
        regions = [
            {"name": region, "text": text[start:stop], "start": start, "end": stop}
            for region, (start, stop) in spans.items()
        ]
        out.append({"name": name, "text": text, "regions": regions})
    return out


def _add_spans(spans: dict[str, tuple[int, int]], value: Value, shift: int) -> None:
    """Add the regions of a chunk; a region that runs on from the chunk before grows."""
    for region, place in value.regions.items():
        start, stop = place.start + shift, place.stop + shift
        spans[region] = (spans[region][0] if region in spans else start, stop)
