"""Minimal pairs: from combinations of words to the columns of the data set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from jinja2.exceptions import TemplateError
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grammar.collector import no_collecting
from solecism.grammar.columns import (
    MEASURES,
    Measured,
    Printed,
    agreement_features,
    prefix_columns,
    slots_column,
)
from solecism.grammar.difference import Difference, compare
from solecism.grammar.groups import Scope, distinct
from solecism.grammar.paradigm import Paradigm
from solecism.grammar.render import Line, Rendered, Value
from solecism.grammar.sampling.counts import LARGEST, Counts, blocks, check_enough, check_size
from solecism.grammar.sampling.elimination import Columns
from solecism.grammar.words import Skip, TemplateFault, unmarked
from solecism.hashing import combine, hex_ids, text_hashes
from solecism.schema import pair_schema

__all__ = ["Counts", "draw_pairs", "draw_sentences"]

Ints = NDArray[np.intp]


@dataclass(frozen=True)
class _Batch:
    """Pairs of a batch of combinations: good and bad sentences row by row."""

    columns: Columns
    good: Rendered
    bad: Rendered
    good_texts: pa.StringArray
    bad_texts: pa.StringArray
    line: int

    @property
    def texts(self) -> tuple[pa.StringArray, pa.StringArray]:
        """The good and the bad sentences."""
        return self.good_texts, self.bad_texts


def draw_pairs(
    paradigm: Paradigm,
    seed: int = 0,
    counts: Counts | None = None,
    extra: tuple[str, ...] = (),
    most: int = LARGEST,
) -> Iterator[pa.Table]:
    """Yield the pairs of a paradigm in batches, as tables of :func:`solecism.schema.pair_schema`.

    ``extra`` are the names of the data set's further features. Raises :class:`InputError` where the
    template cannot be rendered, allows fewer minimal sets than ``draw`` asks for, or ``draw: all`` makes
    more than ``most``.
    """
    check_size(paradigm, most)
    counts = counts if counts is not None else Counts()
    for batches in _batches(paradigm, seed, counts):
        tables = [_table(paradigm, batch, extra) for batch in batches]
        rows = np.concatenate([batch.bad.row for batch in batches])
        table = pa.concat_tables(tables)
        if len(tables) > 1:
            table = table.take(pa.array(np.argsort(rows, kind="stable")))
        numbers = np.arange(counts.pairs, counts.pairs + len(table), dtype=np.int32)
        counts.pairs += len(table)
        place = table.schema.get_field_index("pair_id")
        yield table.set_column(place, "pair_id", pa.array(numbers))


def draw_sentences(
    paradigm: Paradigm, seed: int = 0
) -> Iterator[tuple[pa.StringArray, pa.StringArray]]:
    """Yield only the good and the bad sentences of a paradigm, in batches."""
    for batches in _batches(paradigm, seed, Counts()):
        for batch in batches:
            yield batch.good_texts, batch.bad_texts


def _text(value: Value) -> str:
    return value.text


def _tokenized(value: Value) -> str:
    return value.tokenized


def _batches(paradigm: Paradigm, seed: int, counts: Counts) -> Iterator[list[_Batch]]:
    """Yield batches until the space or the number to draw is exhausted; raises if too few."""
    wanted = paradigm.template.draw
    seen: set[str] = set()
    lines = paradigm.lines
    for columns in blocks(paradigm, seed, counts):
        rows = len(columns[0]) if columns else 1
        with no_collecting():
            good, batches = _render(paradigm, lines, columns, rows)
        again = np.zeros(rows, dtype=bool)
        if wanted is not None:
            again = _repeated(batches, rows, seen)
            batches = [_cut(batch, ~again[batch.bad.row]) for batch in batches]
        made = np.zeros(rows, dtype=bool)
        for batch in batches:
            made[batch.bad.row] = True
        if wanted is not None and made.sum() > wanted - counts.sets:
            last = np.flatnonzero(made)[wanted - counts.sets - 1]
            batches = [_cut(batch, batch.bad.row <= last) for batch in batches]
            made = made[: last + 1]
        counts.sets += int(made.sum())
        counts.syncretic_forms += sum(_dropped_forms(batch.bad) for batch in batches)
        reasons = [good.skipped, *(batch.bad.skipped for batch in batches), {"repeated": again}]
        counts.skip(made, reasons)
        if made.any():
            yield [batch for batch in batches if len(batch.bad)]
        if wanted is not None and counts.sets == wanted:
            return
    check_enough(paradigm, counts)


def _repeated(batches: list[_Batch], rows: int, seen: set[str]) -> NDArray[np.bool_]:
    """Tell which combinations make a sentence that another one made before; ``seen`` grows."""
    texts = pa.concat_arrays([text for batch in batches for text in batch.texts])
    row = np.concatenate([batch.bad.row for batch in batches for _ in batch.texts])
    coded = texts.dictionary_encode()
    code, sentences = coded.indices.to_numpy(), coded.dictionary.to_pylist()
    first = np.full(len(sentences), rows)
    np.minimum.at(first, code, row)
    first[[n for n, sentence in enumerate(sentences) if sentence in seen]] = -1
    seen.update(sentences)
    out = np.zeros(rows, dtype=bool)
    out[row[first[code] < row]] = True
    return out


def _render(
    paradigm: Paradigm, lines: list[Line], columns: Columns, rows: int
) -> tuple[Rendered, list[_Batch]]:
    """Render all lines: the good one, and its pairs with each of the bad ones."""
    good_line, *bad_lines = lines
    good = good_line.render(columns, rows)
    if (good.row[1:] == good.row[:-1]).any():
        message = "the good line has several alternatives: `clash` belongs in a bad line"
        raise fail(message, paradigm.template.path, paradigm.template.conditions[0].line)
    return good, [_pair_up(good, line, columns, rows, n) for n, line in enumerate(bad_lines)]


def _pair_up(good: Rendered, line: Line, columns: Columns, rows: int, number: int) -> _Batch:
    bad = line.render(columns, rows)
    partner = np.full(rows, -1, dtype=np.intp)
    partner[good.row] = np.arange(len(good))
    bad = bad.take(np.flatnonzero(partner[bad.row] >= 0))
    good = good.take(partner[bad.row])
    texts = good.texts(_text), bad.texts(_text)
    batch = _Batch(columns, good, bad, *texts, number)
    differ = pc.not_equal(*texts)
    if pc.all(differ).as_py() is not False:
        return batch
    return _cut(batch, differ.to_numpy(zero_copy_only=False))


def _cut(batch: _Batch, keep: NDArray[np.bool_]) -> _Batch:
    rows = np.flatnonzero(keep)
    return replace(
        batch,
        good=batch.good.take(rows),
        bad=batch.bad.take(rows),
        good_texts=batch.good_texts.take(pa.array(rows)),
        bad_texts=batch.bad_texts.take(pa.array(rows)),
    )


def _dropped_forms(bad: Rendered) -> int:
    """Count the forms left out of the sentences, once for all alternatives of a combination."""
    _, firsts = np.unique(bad.row, return_index=True)
    return int(bad.take(firsts).before(lambda value: value.syncretic)[-1].sum())


def _table(paradigm: Paradigm, batch: _Batch, extra: tuple[str, ...]) -> pa.Table:
    rows = len(batch.bad)
    spelling = paradigm.sandbox.lexicon.orthography
    difference = compare(batch.good, batch.bad, spelling)
    names = paradigm.template.slot_names
    good = [Printed.find(name, batch.good) for name in names]
    bad = [Printed.find(name, batch.bad) for name in names]
    taken = [column[batch.bad.row] for column in batch.columns]
    sets = paradigm.plan.hashes(np.full(rows, paradigm.start[0]), taken)
    template = paradigm.template
    constants: dict[str, str | bool] = {
        "UID": template.id,
        "field": template.field,
        "linguistics_term": template.phenomenon,
        "language": paradigm.language,
        "simple_LM_method": True,
    }
    columns = {
        **{name: _constant(value, rows) for name, value in constants.items()},
        "set_id": hex_ids(sets),
        "pair_id": pa.nulls(rows, pa.int32()),
        "sentence_good": batch.good_texts,
        "sentence_bad": batch.bad_texts,
        "tokens_good": batch.good.texts(_tokenized),
        "tokens_bad": batch.bad.texts(_tokenized),
        "lexically_identical": pa.array(difference.shuffled),
        "slots": slots_column(good, bad) if good else _no_slots(rows),
        **prefix_columns(difference, batch.good, batch.bad),
    }
    columns["id"] = _ids(sets, batch.bad, columns["sentence_bad"], batch.line)
    schema = pair_schema(extra)
    features = _features(paradigm, good, difference, taken, batch.good)
    fields = [features.get(f.name, pa.nulls(rows, f.type)) for f in schema.field("features").type]
    columns["features"] = pa.StructArray.from_arrays(
        fields, fields=list(schema.field("features").type)
    )
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _no_slots(rows: int) -> pa.Array:
    return pa.array([[]] * rows, pair_schema().field("slots").type)


def _constant(value: str | bool, rows: int) -> pa.Array:
    return pa.array([value]).take(pa.array(np.zeros(rows, dtype=np.intp)))


def _ids(sets: NDArray[np.uint64], bad: Rendered, texts: pa.StringArray, line: int) -> pa.Array:
    """The set's number where the line makes one bad sentence of it; else their words tell them apart."""
    same = bad.row[1:] == bad.row[:-1]
    several = np.append(same, False) | np.append(False, same) | (line > 0)
    words = np.zeros_like(sets)
    words[several] = text_hashes(texts.filter(pa.array(several)).to_pylist())
    return hex_ids(combine(sets, [words]))


def _features(
    paradigm: Paradigm,
    good: list[Printed],
    difference: Difference,
    taken: Columns,
    sentences: Rendered,
) -> dict[str, pa.Array]:
    rows = len(sentences)
    template = paradigm.template
    by_name = {printed.name: printed for printed in good}
    single = difference.single
    out = dict(
        agreement_features(
            by_name.get(template.controller),
            [by_name[name] for name in template.attractors],
            difference.word,
            single,
        )
    )
    out["construction"] = _constant(template.construction, rows)
    out["target"] = pc.if_else(pa.array(single), difference.target, None)
    measured = Measured(difference, sentences, good, paradigm.plan.domains, taken)
    for name, source in template.features.items():
        known = source in MEASURES
        out[name] = measured.by(source) if known else _expression(paradigm, source, taken, rows)
    return out


def _expression(paradigm: Paradigm, source: str, taken: Columns, rows: int) -> pa.Array:
    """Evaluate a further feature once per distinct words."""
    sandbox, domains = paradigm.sandbox, paradigm.plan.domains
    scope, call = Scope.of(sandbox.uses(source), domains), sandbox.compiled(source)
    unique, inverse = distinct(scope.codes(taken, rows), scope.size)
    values: list[str | None] = []
    for code in unique.tolist():
        words = scope.words(scope.places(code))
        try:
            sandbox.run.digits.clear()
            sandbox.run.begin()
            value = call(**words)
            values.append(unmarked(str(getattr(value, "text", value))))
        except (TemplateFault, TemplateError, TypeError, RecursionError) as error:
            line = paradigm.template.lines["features"]
            raise fail(f"features: {error}", paradigm.template.path, line) from None
        except Skip:
            values.append(None)
    return pa.array(values, pa.string()).take(pa.array(inverse))
