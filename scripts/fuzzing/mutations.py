"""Mutations of files: by structure (JSON, YAML, TOML, tables, Parquet), and by line, token and
byte.

Every mutation takes bytes and a ``random.Random`` and gives bytes, the same ones for the same seed.
"""

from __future__ import annotations

import datetime
import gzip
import json
import re
import tomllib
import zlib
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import yaml

from fuzzing.columns import mutate_parquet

__all__ = ["KINDS", "mutate"]

Mutation = Callable[[bytes, Random], bytes]

_BROKEN = (
    ValueError, LookupError, TypeError, OverflowError, RecursionError, OSError, EOFError,
    zlib.error, yaml.YAMLError,
)  # fmt: skip
"""What a mutation by structure may raise where an earlier one broke the structure."""

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 2, 3.5, 10**12, -(2**63), 1e308, "", " ", "\t", "0", "-1", "null",
    "NaN", "a" * 5_000, "é\u0301", "\u202e", "\u200b", "\ue000", "\x00", "\ufeff", "𝔘", "ß" * 40,
    "../..", "/", ".", "*", "{{ 1 / 0 }}", "{% for x in y %}", "[x: y]", "a|b", "=", "1.0.0", "٣",
    "²", "a\nb", [], {}, [[]], [None], [{}], {"": None}, {"a": {"b": ["c"]}}, ["a", 1, None], "@1@",
    "@2@", "@3@", "@4@", "@5@", "@6@", "@7@",
)  # fmt: skip
"""Values that stand in the place of others; those like ``@1@`` become what no value can be."""

RAW = {
    '"@1@"': "[" * 400 + "]" * 400,
    '"@2@"': "[" * 100_000 + "]" * 100_000,
    '"@3@"': "1e999",
    '"@4@"': "1" + "0" * 5_000,
    '"@5@"': '"\\ud800"',
    '"@6@"': "NaN",
    '"@7@"': '{"a": ' * 2_000 + "1" + "}" * 2_000,
}

WORDS = (
    "{{", "}}", "{%", "%}", "{#", "[", "]", "\\[", "(", ")", "((((((((", "|", "| agree(",
    "| clash(", "word(", "not ", " if ", " else ", ".lemma", ".", ":", ";", "=", "==", "<", ">",
    "&", "*", "-", "+", "---\n", "\n", "\t", "#", "@", '"', "'", "{", "}", ",", "%match%", "_", "0",
    "1", "-1", "99999999999999999999", "1e309", "nan", "inf", "\\data\\", "\\end\\", "<s>", "<unk>",
    "é\u0301", "\u202e", "\u2028", "\x85", "\x00", "\x1b[31m", "null", "~",
    "!!python/object:os.system", "&a", "*a", "٣", "²", "(a|a)*b", "x" * 3_000, "good:", "bad:",
)  # fmt: skip
"""Tokens with a meaning in one of the formats."""


def mutate(data: bytes, kind: str, random: Random) -> bytes:
    """Change a file of a kind (:data:`KINDS`) once to three times: mostly by its structure."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        by_structure = KINDS[kind]
        usual = random.random() < 0.75 if by_structure else False
        change = random.choice(by_structure) if usual else random.choice(_ANY)
        try:
            data = change(data, random)
        except _BROKEN:
            data = _bytes(data, random)
    return data


# trees: JSON, YAML, TOML


def _json(data: bytes, random: Random) -> bytes:
    tree = _changed(json.loads(data), random)
    return _unescaped(json.dumps(tree, ensure_ascii=False, indent=1)).encode("utf-8", "replace")


def _yaml(data: bytes, random: Random) -> bytes:
    tree = _changed(yaml.safe_load(data), random)
    text = yaml.safe_dump(tree, allow_unicode=True, sort_keys=False, default_style=None, width=4096)
    return _unescaped(re.sub(r"'(@\d@)'", r'"\1"', text)).encode("utf-8", "replace")


def _front(data: bytes, random: Random) -> bytes:
    """Change the YAML between the first two lines ``---``."""
    _, front, rest = data.split(b"---\n", 2)
    return b"---\n" + _yaml(front, random) + b"---\n" + rest


def _toml(data: bytes, random: Random) -> bytes:
    tree = _changed(tomllib.loads(data.decode()), random)
    if not isinstance(tree, dict):
        raise ValueError("a TOML file is a table")
    lines = [f"{_key(name)} = {_toml_value(value)}" for name, value in tree.items()]
    return _unescaped("\n".join(lines) + "\n").encode("utf-8", "replace")


def _key(name: object) -> str:
    return json.dumps(str(name), ensure_ascii=False).replace("\x7f", "")


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return json.dumps("" if value is None else value, ensure_ascii=False)


def _unescaped(text: str) -> str:
    for mark, raw in RAW.items():
        text = text.replace(mark, raw)
    return text


def _changed(tree: Any, random: Random) -> Any:
    """Change one place of a tree of lists and mappings."""
    places = list(_places(tree))
    if not places:
        return random.choice(ODD)
    where, key = random.choice(places)
    random.choice(_TREE)(where, key, random, places)
    return tree


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    keys = (
        list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    )
    for key in keys:
        yield tree, key
        yield from _places(tree[key])


def _odd(where: Any, key: Any, random: Random, _: Sequence[tuple[Any, Any]]) -> None:
    where[key] = random.choice(ODD)


def _drop(where: Any, key: Any, *_: object) -> None:
    del where[key]


def _other(where: Any, key: Any, random: Random, places: Sequence[tuple[Any, Any]]) -> None:
    """Put a copy of another value here."""
    there, name = random.choice(places)
    where[key] = json.loads(json.dumps(there[name], default=str))


def _retype(where: Any, key: Any, random: Random, _: object) -> None:
    value = where[key]
    kinds: list[Any] = [str(value), [value], {"a": value}]
    if isinstance(value, str):
        kinds += [list(value[:20]), dict.fromkeys(value[:5], value[:20])]
        kinds += [int(value)] if re.fullmatch(r"-?[0-9]{1,9}", value) else []
    if isinstance(value, int | float):
        kinds += [float(value), -value, value + 1, bool(value)]
    if isinstance(value, dict):
        kinds += [list(value.values()), list(value)]
    if isinstance(value, list):
        kinds += [dict(enumerate(value)), *value[:1]]
    where[key] = random.choice(kinds)


def _twice(where: Any, key: Any, random: Random, _: object) -> None:
    if isinstance(where, list):
        where.insert(random.randrange(len(where) + 1), where[key])
    else:
        where[random.choice((f"{key}x", str(key).upper(), f"{key} ", ""))] = where[key]


def _rename(where: Any, key: Any, random: Random, places: Sequence[tuple[Any, Any]]) -> None:
    if isinstance(where, list):
        random.shuffle(where)
    else:
        name = random.choice(
            (f"{key}s", str(random.choice(places)[1]), "x" * 300, "é\u0301", "/", "..")
        )
        where[name] = where.pop(key)


def _deep(where: Any, key: Any, random: Random, _: object) -> None:
    for _ in range(random.choice((1, 2, 30))):
        where[key] = random.choice(([where[key]], {"a": where[key]}))


_TREE = (
    _odd, _odd, _odd, _drop, _drop, _other, _retype, _retype, _twice, _rename, _deep,
)  # fmt: skip


# tables


def _table(data: bytes, random: Random) -> bytes:
    rows = [line.split("\t") for line in data.decode().split("\n")]
    random.choice(_TABLE)(rows, random)
    return "\n".join("\t".join(row) for row in rows).encode("utf-8", "replace")


Rows = list[list[str]]


def _cell(rows: Rows, random: Random) -> tuple[list[str], int]:
    row = random.choice(rows)
    return row, random.randrange(len(row))


def _cell_odd(rows: Rows, random: Random) -> None:
    row, at = _cell(rows, random)
    odd = random.choice(
        (*(str(value) for value in ODD if not isinstance(value, list | dict)), *WORDS)
    )
    row[at] = random.choice((odd, "", row[at] + odd, odd + row[at]))


def _cell_other(rows: Rows, random: Random) -> None:
    (row, at), (other, there) = _cell(rows, random), _cell(rows, random)
    row[at], other[there] = other[there], row[at] if random.random() < 0.5 else other[there]


def _column_drop(rows: Rows, random: Random) -> None:
    at = random.randrange(max(map(len, rows)))
    for row in rows:
        del row[at : at + 1]


def _column_copy(rows: Rows, random: Random) -> None:
    at, to = random.randrange(max(map(len, rows))), random.randrange(max(map(len, rows)))
    for row in rows:
        row.insert(to, row[at] if at < len(row) else "")


def _column_empty(rows: Rows, random: Random) -> None:
    at = random.randrange(max(map(len, rows)))
    for row in rows[random.choice((0, 1)) :]:
        row[at : at + 1] = [""] * (at < len(row))


def _columns_move(rows: Rows, random: Random) -> None:
    order = list(range(max(map(len, rows))))
    random.shuffle(order)
    for row in rows:
        row[:] = [row[at] for at in order if at < len(row)]


def _row_change(rows: Rows, random: Random) -> None:
    at = random.randrange(len(rows))
    row = rows[at]
    change = random.randrange(6)
    if change == 0:
        del rows[at]
    elif change == 1:
        rows.insert(random.randrange(len(rows) + 1), list(row))
    elif change == 2:
        del row[random.randrange(len(row)) :]
    elif change == 3:
        row += [""] * random.choice((1, 5, 2_000))
    elif change == 4:
        random.shuffle(rows)
    else:
        rows[at:] = []
    if not rows:
        rows.append([""])


def _rows_many(rows: Rows, random: Random) -> None:
    at = random.randrange(len(rows))
    rows[at:at] = [list(rows[at]) for _ in range(random.choice((2, 300)))]


_TABLE = (
    _cell_odd, _cell_odd, _cell_odd, _cell_odd, _cell_other, _cell_other, _column_drop,
    _column_copy, _column_empty, _columns_move, _row_change, _row_change, _rows_many,
)  # fmt: skip


# lines, tokens, bytes


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    change = random.randrange(8)
    if change == 0:
        del lines[at]
    elif change == 1:
        lines.insert(to, lines[at])
    elif change == 2:
        lines[at], lines[to] = lines[to], lines[at]
    elif change == 3:
        lines[at] = b"  " + lines[at]
    elif change == 4:
        del lines[at:]
    elif change == 5:
        lines[at:at] = [lines[at]] * random.choice((3, 500))
    elif change == 6:
        lines[at] += b" " + lines[to]
    else:
        lines[at] = b""
    return b"\n".join(lines)


def _tokens(data: bytes, random: Random) -> bytes:
    """Change a token: a word, a run of spaces or a sign."""
    parts = re.findall(r"\w+|\s+|.", data.decode(), re.DOTALL) or [""]
    at = random.randrange(len(parts))
    word = random.choice(WORDS)
    change = random.randrange(7)
    if change == 0:
        parts[at] = ""
    elif change == 1:
        parts[at] *= random.choice((2, 3, 400, 6_000))
    elif change == 2:
        parts[at] = random.choice(parts)
    elif change == 3:
        parts[at] = word
    elif change == 4:
        parts.insert(at, word)
    elif change == 5:
        parts.insert(at, word * random.choice((2, 30, 600)))
    else:
        parts[at] = parts[at].swapcase()
    return "".join(parts).encode("utf-8", "replace")


def _bytes(data: bytes, random: Random) -> bytes:
    out = bytearray(data)
    at = random.randrange(len(out) + 1)
    change = random.randrange(5)
    if change == 0:
        out[at : at + random.choice((1, 1, 8, 200))] = b""
    elif change == 1:
        out[at:at] = bytes(random.randrange(256) for _ in range(random.choice((1, 1, 4))))
    elif change == 2 and at < len(out):
        out[at] ^= 1 << random.randrange(8)
    elif change == 3:
        del out[at:]
    else:
        out[at:at] = random.choice((b"\xff", b"\x00" * 9, b"\xc3", b"\xed\xa0\x80", b"\r", b"\r\n"))
    return bytes(out)


def _whole(data: bytes, random: Random) -> bytes:
    """Change the file as a whole: its encoding, its line ends, all of it."""
    change = random.randrange(7)
    if change == 0:
        return b""
    if change == 1:
        return data.replace(b"\n", b"\r\n")
    if change == 2:
        return b"\xef\xbb\xbf" + data
    if change == 3:
        return data.decode("utf-8", "replace").encode("utf-16")
    if change == 4:
        return data + data
    return bytes(
        random.choice(
            (b"\n", b" ", b"\x00" * 100, b"null", b"[]", b"0", b"{}", b"PAR1", b"\x1f\x8b")
        )
    )


_ANY: tuple[Mutation, ...] = (
    _lines, _lines, _tokens, _tokens, _tokens, _bytes, _bytes, _whole,
)  # fmt: skip


def _zipped(data: bytes, random: Random) -> bytes:
    return gzip.compress(random.choice(KINDS["text"])(gzip.decompress(data), random), mtime=0)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


KINDS: dict[str, tuple[Mutation, ...]] = {
    "json": (_json,),
    "front": (_front, _front, _tokens, _lines),
    "toml": (_toml, _toml, _tokens),
    "table": (_table,),
    "parquet": (mutate_parquet, mutate_parquet, mutate_parquet, _cut),
    "gz": (_zipped, _zipped, _cut),
    "text": (_tokens, _tokens, _lines),
}  # fmt: skip
"""The mutations by structure of each kind of file."""
