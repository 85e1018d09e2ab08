"""Mutations of Parquet files: their columns, types and values."""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["mutate_parquet"]

_ODD: tuple[Any, ...] = (
    None, "", " ", "x" * 5_000, "\x00", "\u202e", "é\u0301", 0, -1, 2**31 - 1, 1e308, float("nan"),
    float("inf"), [], [None], {},
)  # fmt: skip
_TYPES = (
    pa.null(), pa.string(), pa.large_string(), pa.binary(), pa.int8(), pa.int64(), pa.float32(),
    pa.float64(), pa.bool_(), pa.list_(pa.string()), pa.struct([("a", pa.string())]),
    pa.dictionary(pa.int32(), pa.string()), pa.timestamp("us"),
)  # fmt: skip


def mutate_parquet(data: bytes, random: Random) -> bytes:
    """Change the table that a Parquet file holds; raises ``ValueError`` where it is none."""
    try:
        table = pq.read_table(io.BytesIO(data), use_threads=False)
        for _ in range(random.choice((1, 1, 2))):
            table = random.choice(_CHANGES)(table, random)
        out = io.BytesIO()
        pq.write_table(table, out)
    except (pa.ArrowException, OSError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise ValueError(str(error)) from None
    return out.getvalue()


def _place(table: pa.Table, random: Random) -> int:
    return random.randrange(table.num_columns)


def _drop(table: pa.Table, random: Random) -> pa.Table:
    return table.remove_column(_place(table, random))


def _rename(table: pa.Table, random: Random) -> pa.Table:
    names = list(table.column_names)
    names[_place(table, random)] = random.choice((*names, "", "x", "é\u0301", names[0].upper()))
    return table.rename_columns(names)


def _retype(table: pa.Table, random: Random) -> pa.Table:
    """Change the type of a column, and keep its values where that is possible."""
    at, kind = _place(table, random), random.choice(_TYPES)
    try:
        column = table.column(at).cast(kind)
    except pa.ArrowException:
        column = pa.nulls(len(table), kind)
    return table.set_column(at, table.column_names[at], column)


def _nulls(table: pa.Table, random: Random) -> pa.Table:
    at = _place(table, random)
    name = table.column_names[at]
    return table.set_column(at, name, pa.nulls(len(table), table.schema.field(at).type))


def _value(table: pa.Table, random: Random) -> pa.Table:
    """Change a value, or one inside it."""
    at = _place(table, random)
    values = table.column(at).to_pylist()
    row = random.randrange(len(values))
    values[row] = _inner(values[row], random)
    kind = table.schema.field(at).type
    return table.set_column(at, table.column_names[at], pa.array(values, kind))


def _inner(value: Any, random: Random) -> Any:
    if value and random.random() < 0.8 and isinstance(value, dict | list):
        key = (
            random.choice(list(value)) if isinstance(value, dict) else random.randrange(len(value))
        )
        if random.random() < 0.15 and isinstance(value, list):
            return value[:key]
        value[key] = _inner(value[key], random)
        return value
    return random.choice(_ODD)


def _rows(table: pa.Table, random: Random) -> pa.Table:
    at = random.randrange(len(table) + 1)
    return random.choice((table.slice(0, at), table.slice(at), pa.concat_tables([table, table])))


def _order(table: pa.Table, random: Random) -> pa.Table:
    names = list(range(table.num_columns))
    random.shuffle(names)
    return table.select(names)


def _twice(table: pa.Table, random: Random) -> pa.Table:
    at = _place(table, random)
    return table.append_column(table.column_names[at], table.column(at))


def _narrow(table: pa.Table, random: Random) -> pa.Table:
    """Drop a field of a struct, or rename it."""
    structs = [i for i, f in enumerate(table.schema) if pa.types.is_struct(f.type)]
    at = random.choice(structs)
    column = table.column(at).combine_chunks()
    names = [field.name for field in column.type]
    kept = names[:]
    kept[random.randrange(len(names))] = random.choice(("x", names[0], ""))
    fields = [column.field(n) for n in range(len(names))]
    return table.set_column(at, table.column_names[at], pa.StructArray.from_arrays(fields, kept))


_CHANGES: tuple[Callable[[pa.Table, Random], pa.Table], ...] = (
    _drop, _rename, _retype, _retype, _nulls, _value, _value, _value, _rows, _order, _twice,
    _narrow,
)  # fmt: skip
