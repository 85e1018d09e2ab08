"""Data sets that print only what a user allows: words of a vocabulary, words of one frequency."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa

from solecism.datasets.catalogue import CatalogueEntry
from solecism.datasets.configs import BuiltConfig, BuiltParadigm, Config, Items, ItemSource
from solecism.errors import fail
from solecism.grammar.columns import FREQUENCY, frequency_columns
from solecism.inputs import check_name
from solecism.lexicon.vocabulary import OUTSIDE, Limits
from solecism.schema import ItemRow, pair_schema


def limited_entry(entry: CatalogueEntry, limits: Limits, name: str) -> CatalogueEntry:
    """Return the entry of a data set that is drawn from another within limits.

    Its ``name`` is by default that of the other and eight digits of the limits' digest. Raises
    :class:`InputError` for the name of the other.
    """
    name = name or f"{entry.name}-{limits.digest[:8]}"
    check_name(name, "--name")
    if name == entry.name:
        raise fail(f"{name!r} is drawn from all words: choose another --name")
    return replace(
        entry, name=name, version="1.0.0", pretty_name=name, summary="", hub="", date=None,
        of=entry, limits=limits.facts,
    )  # fmt: skip


def limited_configs(configs: Sequence[Config], limits: Limits, mined: bool) -> list[Config]:
    """Return configs without those that have no item; mined items keep within the limits."""
    sources: dict[ItemSource, ItemSource] = {}
    made = []
    for config in configs:
        config = replace(config, least=max(config.least, 1))
        if mined and config.kind in ("pair", "cloze"):
            schema = _schema(config.schema, limits)
            for s in config.sources:
                sources.setdefault(s, replace(s, tables=partial(_within, s, limits, schema)))
            within = tuple(sources[s] for s in config.sources)
            config = replace(config, schema=schema, sources=within)
        made.append(config)
    return made


def _schema(schema: pa.Schema, limits: Limits) -> pa.Schema:
    """Return a schema of mined items, with the columns of frequencies if it is one of pairs."""
    if limits.frequencies is None or "features" not in schema.names:
        return schema
    known = {*pair_schema().field("features").type.names, *FREQUENCY}
    extra = [name for name in schema.field("features").type.names if name not in known]
    return pair_schema([*extra, *FREQUENCY])


def _within(source: ItemSource, limits: Limits, schema: pa.Schema) -> Items:
    """Take the mined items of a source that are within the limits."""
    made: list[BuiltParadigm] = []
    kept = lost = 0

    def taken() -> Iterator[pa.Table]:
        made.append((yield from source.tables()))

    for table in taken():
        known = [_is_within(row, limits) for row in table.to_pylist()]
        inside = table.filter(pa.array(known, pa.bool_()))
        kept, lost = kept + len(inside), lost + len(table) - len(inside)
        if "features" in schema.names and schema != table.schema:
            inside = _with_frequencies(inside, limits, schema)
        if len(inside):
            yield inside
    (paradigm,) = made
    skipped = paradigm.counts.skipped + Counter({OUTSIDE: lost})
    counts = replace(paradigm.counts, sets=kept, pairs=kept, skipped=skipped)
    return replace(paradigm, counts=counts)


def _is_within(row: ItemRow, limits: Limits) -> bool:
    """Return whether a mined pair or cloze item prints only what it may.

    Of languages without spaces, and of cloze items, the words of a pair are its tokens.
    """
    if "sentence_good" in row:
        texts = [row["sentence_good"], row["sentence_bad"]]
        spaced = all(" " in text for text in texts)
        printed = texts if spaced else [row["tokens_good"], row["tokens_bad"]]
    else:
        texts = printed = [f"{row['left']}{row['answer']}{row['right']}"]
    words = limits.vocabulary
    known = words is None or all(words.knows_all(text.split()) for text in printed)
    return known and (len(texts) == 1 or limits.matched(texts[0], texts[1]))


def _with_frequencies(table: pa.Table, limits: Limits, schema: pa.Schema) -> pa.Table:
    """Return mined pairs with the columns of frequencies."""
    features = table["features"].combine_chunks()
    fields = schema.field("features").type
    known = {field.name: features.field(field.name) for field in features.type}
    known |= frequency_columns(table["sentence_good"], table["sentence_bad"], limits)
    values = [known[field.name] for field in fields]
    column = pa.StructArray.from_arrays(values, fields=list(fields))
    place = table.schema.get_field_index("features")
    return table.set_column(place, schema.field("features"), column).cast(schema)


def lacking(built: Sequence[BuiltConfig], wanted: Mapping[str, int | None]) -> list[str]:
    """Return a line for each paradigm that has fewer minimal sets than it asks for, or none.

    ``wanted``: how many each asks for, by its UID (None: all that there are).
    """
    lines = []
    for config in built:
        for uid, sets in ((p.uid, p.counts.sets) for p in config.paradigms):
            name = uid if config.name in (uid, "all") else f"{config.name}/{uid}"
            asked = wanted.get(uid)
            if not sets:
                lines.append(f"{name}: left out, no words make an item")
            elif asked and sets < asked:
                lines.append(f"{name}: {sets:,} of {asked:,} minimal sets")
    return sorted(dict.fromkeys(lines))
