"""Make suite items: named conditions with regions, and predictions about them."""

from collections.abc import Iterator
from functools import reduce

import numpy as np
import pyarrow as pa

from solecism.errors import fail
from solecism.grammar.paradigm import Counts, Paradigm, blocks, check_enough
from solecism.grammar.render import Rendered, with_glosses
from solecism.grammar.sampling.elimination import Columns
from solecism.grouping import Ints
from solecism.hashing import hex_ids
from solecism.schema import SUITE


def draw_suites(
    paradigm: Paradigm, seed: int = 0, counts: Counts | None = None, glosses: bool = False
) -> Iterator[pa.Table]:
    """Yield the items of a suite in batches, as tables of :data:`solecism.schema.SUITE`.

    Each combination of words with which every condition can be made becomes an item. ``glosses``
    and what is raised are as in :func:`solecism.grammar.pairs.draw_pairs`.
    """
    counts = counts if counts is not None else Counts()
    wanted = paradigm.template.draw
    conditions = paradigm.renderers(paradigm.template.conditions)
    for columns in blocks(paradigm, seed, counts):
        rows = len(columns[0]) if columns else 1
        lines = [line.render(columns, rows) for line in conditions]
        for line, condition in zip(lines, paradigm.template.conditions, strict=True):
            if len(line) > len(np.unique(line.row)):
                what = f"condition {condition.name!r} has several alternatives"
                message = f"{what}: `clash` found them"
                raise fail(message, paradigm.template.path, condition.line)
        whole = reduce(np.intersect1d, [line.row for line in lines])
        if wanted is not None and len(whole) >= wanted - counts.sets:
            whole = whole[: wanted - counts.sets]
            rows = int(whole[-1]) + 1
        counts.skip(np.isin(np.arange(rows), whole), [line.skipped for line in lines])
        counts.sets += len(whole)
        counts.pairs += len(whole)
        if len(whole):
            sides = [line.take(np.searchsorted(line.row, whole)) for line in lines]
            table = _table(paradigm, columns, sides, whole)
            yield with_glosses(table, sides) if glosses else table
        if wanted is not None and counts.sets == wanted:
            return
    check_enough(paradigm, counts)


def _table(paradigm: Paradigm, columns: Columns, sides: list[Rendered], whole: Ints) -> pa.Table:
    """Return the items of the combinations ``whole``, which all conditions have."""
    template = paradigm.template
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
    """Return a name for each item: the lemma of its word if there is one slot, otherwise ``""``."""
    if len(taken) != 1:
        return [""] * rows
    words = paradigm.plan.domains[0].words
    return [words[place].row.shown for place in taken[0].tolist()]


def _conditions(side: Rendered, name: str) -> list[dict[str, object]]:
    """Return the condition ``name`` of each item, as a row of the column ``conditions``."""
    texts = side.texts(lambda value: value.text).to_pylist()
    out = []
    for row, text in enumerate(texts):
        spans: dict[str, list[int]] = {}
        tokens: list[str] = []
        for shifts, part, index in zip(side.chars, side.stretches, side.index, strict=False):
            value, shift = part.values[index[row]], int(shifts[row])
            for region, place in value.regions.items():
                # Tokens of the n-th region of a line have the tag -1 - n.
                tag = -1 - part.units[0].regions.index(region)
                mine = [n for n, t in enumerate(value.tokens, len(tokens)) if tag in t.tags]
                # A region may go on from the stretch before: then only its end moves.
                span = spans.setdefault(region, [place.start + shift, 0, mine[0], 0])
                span[1], span[3] = place.stop + shift, mine[-1] + 1
            tokens += [token.text for token in value.tokens]
        regions = [
            {"name": region, "text": text[span[0] : span[1]]}
            | dict(zip(("start", "end", "first", "last"), span, strict=True))
            for region, span in spans.items()
        ]
        out.append({"name": name, "text": text, "tokens": " ".join(tokens), "regions": regions})
    return out
