"""Make minimal pairs: from combinations of words to the columns of the data set."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from solecism.errors import fail
from solecism.grammar.columns import (
    MEASURES,
    Differences,
    SlotPlaces,
    agreement_features,
    compare,
    frequency_columns,
    measure,
    prefix_columns,
    slots_column,
)
from solecism.grammar.paradigm import (
    LARGEST,
    Counts,
    Paradigm,
    blocks,
    check_enough,
    check_size,
    gc_paused,
)
from solecism.grammar.render import Rendered, Renderer, with_glosses
from solecism.grammar.sampling.elimination import Columns
from solecism.grammar.slots import Scope
from solecism.grammar.words import FAULTS, Skip
from solecism.grouping import distinct_codes
from solecism.hashing import Hashes, SeenHashes, column_hashes, combine, hex_ids, text_hashes
from solecism.lexicon.vocabulary import Limits
from solecism.schema import pair_schema


@dataclass(frozen=True)
class _SentencePairs:
    """The pairs that a batch of combinations makes with one of the bad lines.

    ``columns``: the combinations. ``good``, ``bad``: the sentences; those of a pair have the same
    row, and ``texts`` has both as columns. ``line``: the number of the bad line, from 0.
    """

    columns: Columns
    good: Rendered
    bad: Rendered
    texts: tuple[pa.StringArray, pa.StringArray]
    line: int


def draw_pairs(
    paradigm: Paradigm,
    seed: int = 0,
    counts: Counts | None = None,
    extra: tuple[str, ...] = (),
    most: int = LARGEST,
    glosses: bool = False,
) -> Iterator[pa.Table]:
    """Yield the pairs of a paradigm in batches, as tables of :func:`solecism.schema.pair_schema`.

    ``extra`` are the names of the data set's further features. With ``glosses`` the tables have the
    column ``glosses`` (:data:`~solecism.schema.GLOSSES`) too. Raises :class:`InputError` where the
    template cannot be rendered, allows fewer minimal sets than ``draw`` asks for, or ``draw: all``
    makes more than ``most``.
    """
    check_size(paradigm, most)
    counts = counts if counts is not None else Counts()
    for batches in _batches(paradigm, seed, counts):
        tables = [_table(paradigm, batch, extra) for batch in batches]
        if glosses:
            sides = [(batch.good, batch.bad) for batch in batches]
            tables = [with_glosses(*made) for made in zip(tables, sides, strict=True)]
        rows = np.concatenate([batch.bad.row for batch in batches])
        table = pa.concat_tables(tables)
        if len(tables) > 1:
            table = table.take(pa.array(np.argsort(rows, kind="stable")))
        numbers = np.arange(counts.pairs, counts.pairs + len(table), dtype=np.int32)
        counts.pairs += len(table)
        place = table.schema.get_field_index("pair_id")
        yield table.set_column(place, "pair_id", pa.array(numbers))


def _batches(paradigm: Paradigm, seed: int, counts: Counts) -> Iterator[list[_SentencePairs]]:
    """Yield the pairs of each batch of combinations, a list with an element for each bad line.

    Stop when there are enough minimal sets or no more combinations. Raises :class:`InputError` if
    there are too few.
    """
    wanted = paradigm.template.draw
    seen = SeenHashes()
    renderers = paradigm.renderers(paradigm.template.conditions)
    also = paradigm.renderers(paradigm.template.also)
    for columns in blocks(paradigm, seed, counts):
        rows = len(columns[0]) if columns else 1
        with gc_paused():
            good, batches = _render(paradigm, renderers, columns, rows)
            batches, readable = _unreadable(batches, also, columns, rows)
            batches, unmatched = _matched(batches, paradigm.phrases.lexicon.limits, rows)
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
        reasons = [good.skipped, *(batch.bad.skipped for batch in batches)]
        reasons += [{"readable": readable}, {"unmatched": unmatched}, {"repeated": again}]
        counts.skip(made, reasons)
        if made.any():
            yield [batch for batch in batches if len(batch.bad)]
        if wanted is not None and counts.sets == wanted:
            return
    check_enough(paradigm, counts)


def _repeated(batches: list[_SentencePairs], rows: int, seen: SeenHashes) -> NDArray[np.bool_]:
    """Return which combinations make a sentence that was made before; add sentences to ``seen``."""
    row = np.concatenate([batch.bad.row for batch in batches for _ in batch.texts])
    numbers = [column_hashes(texts) for batch in batches for texts in batch.texts]
    sentences, code = np.unique(np.concatenate(numbers), return_inverse=True)
    first = np.full(len(sentences), rows)
    np.minimum.at(first, code, row)
    first[seen.known(sentences)] = -1
    seen.add(sentences)
    out = np.zeros(rows, dtype=bool)
    out[row[first[code] < row]] = True
    return out


def _render(
    paradigm: Paradigm, renderers: list[Renderer], columns: Columns, rows: int
) -> tuple[Rendered, list[_SentencePairs]]:
    """Return the sentences of the good line, and its pairs with each of the bad lines."""
    good_line, *bad_lines = renderers
    good = good_line.render(columns, rows)
    if (good.row[1:] == good.row[:-1]).any():
        message = "the good line has several alternatives: `clash` belongs in a bad line"
        raise fail(message, paradigm.template.path, paradigm.template.conditions[0].line)
    return good, [_pair_up(good, line, columns, rows, n) for n, line in enumerate(bad_lines)]


def _pair_up(
    good: Rendered, line: Renderer, columns: Columns, rows: int, number: int
) -> _SentencePairs:
    """Return the pairs of a bad line with the good one; equal sentences make no pair."""
    bad = line.render(columns, rows)
    partner = np.full(rows, -1, dtype=np.intp)
    partner[good.row] = np.arange(len(good))
    bad = bad.take(np.flatnonzero(partner[bad.row] >= 0))
    good = good.take(partner[bad.row])
    texts = good.texts(attrgetter("text")), bad.texts(attrgetter("text"))
    batch = _SentencePairs(columns, good, bad, texts, number)
    return _cut(batch, pc.not_equal(*texts).to_numpy(zero_copy_only=False))


def _unreadable(
    batches: list[_SentencePairs], also: list[Renderer], columns: Columns, rows: int
) -> tuple[list[_SentencePairs], NDArray[np.bool_]]:
    """Return the pairs whose bad sentence is none of the lines ``also``.

    Return also the combinations of which a bad sentence is one of them.
    """
    readable = np.zeros(rows, dtype=bool)
    for line in also:
        other = line.render(columns, rows)
        texts = other.texts(attrgetter("text")).to_pylist()
        good = set(zip(other.row.tolist(), texts, strict=True))
        for n, batch in enumerate(batches):
            made = zip(batch.bad.row.tolist(), batch.texts[1].to_pylist(), strict=True)
            found = np.array([pair in good for pair in made], dtype=bool)
            readable[batch.bad.row[found]] = True
            batches[n] = _cut(batch, ~found)
    return batches, readable


def _matched(
    batches: list[_SentencePairs], limits: Limits, rows: int
) -> tuple[list[_SentencePairs], NDArray[np.bool_]]:
    """Return the pairs whose words that differ are equally frequent.

    Return also the combinations of which a pair is not.
    """
    unmatched = np.zeros(rows, dtype=bool)
    for n, batch in enumerate(batches if limits.apart is not None else ()):
        texts = zip(*(side.to_pylist() for side in batch.texts), strict=True)
        kept = np.array([limits.matched(*pair) for pair in texts], dtype=bool)
        unmatched[batch.bad.row[~kept]] = True
        batches[n] = _cut(batch, kept)
    return batches, unmatched


def _cut(batch: _SentencePairs, keep: NDArray[np.bool_]) -> _SentencePairs:
    """Return the pairs of a batch for which ``keep`` is true."""
    rows = np.flatnonzero(keep)
    good_texts, bad_texts = (side.take(pa.array(rows)) for side in batch.texts)
    good, bad = batch.good.take(rows), batch.bad.take(rows)
    return replace(batch, good=good, bad=bad, texts=(good_texts, bad_texts))


def _dropped_forms(bad: Rendered) -> int:
    """Return how many syncretic forms were left out; a combination counts once."""
    _, firsts = np.unique(bad.row, return_index=True)
    return int(bad.take(firsts).before(lambda value: value.syncretic)[-1].sum())


def _table(paradigm: Paradigm, batch: _SentencePairs, extra: tuple[str, ...]) -> pa.Table:
    """Return the pairs of a batch as a table; ``pair_id`` is still null."""
    rows = len(batch.bad)
    difference = compare(batch.good, batch.bad, paradigm.phrases.lexicon.orthography)
    names = paradigm.template.slot_names
    good = [SlotPlaces.find(name, batch.good) for name in names]
    bad = [SlotPlaces.find(name, batch.bad) for name in names]
    taken = [column[batch.bad.row] for column in batch.columns]
    sets = paradigm.plan.hashes(np.full(rows, paradigm.start[0]), taken)
    template = paradigm.template
    columns = {
        "UID": pa.repeat(template.id, rows),
        "field": pa.repeat(template.field, rows),
        "linguistics_term": pa.repeat(template.phenomenon, rows),
        "language": pa.repeat(paradigm.language, rows),
        "simple_LM_method": pa.repeat(True, rows),
        "id": _ids(sets, batch),
        "set_id": hex_ids(sets),
        "pair_id": pa.nulls(rows, pa.int32()),
        "sentence_good": batch.texts[0],
        "sentence_bad": batch.texts[1],
        "tokens_good": batch.good.texts(attrgetter("tokenized")),
        "tokens_bad": batch.bad.texts(attrgetter("tokenized")),
        "lexically_identical": pa.array(difference.shuffled),
        "slots": slots_column(good, bad, rows),
        **prefix_columns(difference, batch.good, batch.bad),
    }
    schema = pair_schema(extra)
    features = _features(paradigm, good, difference, taken, batch)
    fields = list(schema.field("features").type)
    values = [features.get(field.name, pa.nulls(rows, field.type)) for field in fields]
    columns["features"] = pa.StructArray.from_arrays(values, fields=fields)
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _ids(sets: Hashes, batch: _SentencePairs) -> pa.StringArray:
    """Return the id of each pair.

    It is a hash of its minimal set, and also of the bad sentence if the set may have several.
    """
    same = batch.bad.row[1:] == batch.bad.row[:-1]
    several = np.append(same, False) | np.append(False, same) | (batch.line > 0)
    words = np.zeros_like(sets)
    words[several] = text_hashes(batch.texts[1].filter(pa.array(several)).to_pylist())
    return hex_ids(combine(sets, [words]))


def _features(
    paradigm: Paradigm,
    printed: list[SlotPlaces],
    difference: Differences,
    taken: Columns,
    batch: _SentencePairs,
) -> dict[str, pa.Array]:
    template, single = paradigm.template, difference.single
    by_name = {slot.name: slot for slot in printed}
    controller = by_name.get(template.controller)
    attractors = [by_name[name] for name in template.attractors]
    out = agreement_features(controller, attractors, difference.word, single)
    out["construction"] = pa.repeat(template.construction, len(batch.good))
    out["target"] = pc.if_else(pa.array(single), difference.target, None)
    words = list(zip(printed, paradigm.plan.domains, taken, strict=True))
    out |= frequency_columns(*batch.texts, paradigm.phrases.lexicon.limits)
    for name, source in template.features.items():
        if source in MEASURES:
            out[name] = measure(source, difference, batch.good, words)
        else:
            out[name] = _evaluated(paradigm, source, taken, len(batch.good))
    return out


def _evaluated(paradigm: Paradigm, source: str, taken: Columns, rows: int) -> pa.Array:
    """Return the value of a template's own feature for each pair; null if a form is lacking."""
    phrases, template = paradigm.phrases, paradigm.template
    scope = Scope.of(phrases.uses(source), paradigm.plan.domains)
    function = phrases.compiled(source)
    unique, inverse = distinct_codes(scope.codes(taken, rows), scope.size)
    values: list[str | None] = []
    for words in scope.each(unique.tolist()):
        try:
            values.append(str(phrases.run.first(function, words)))
        except FAULTS as error:
            raise fail(f"features: {error}", template.path, template.lines["features"]) from None
        except Skip:
            values.append(None)
    return pa.array(values, pa.string()).take(pa.array(inverse))
