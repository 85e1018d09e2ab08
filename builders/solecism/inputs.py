"""Read text, JSON, TOML and Parquet files of others, and check the shape of their content.

A shape says what a value must be: a type (``str``, ``bool``, ``dict``, ``date``); :data:`COUNT`,
:data:`SHARE` or another :class:`Number`; a compiled pattern, a text that it fits as a whole;
``[shape]``, a list; ``(shape, shape)``, one or the other; ``"text"``, just this text; ``None``,
null; and ``{"key": shape, "other?": shape, str: shape}``, a mapping with a key, one that may be
missing, and all other keys (without ``str`` they may have any value).
"""

import json
import lzma
import math
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import OBEYED, InputError, Problem, candidates, fail, unknown_error

Json = Any
"""A value of JSON or TOML that was parsed: what is in it only its shape says."""

MOST = 20
"""The most problems that are listed for one file."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Number:
    """The shape of a finite number between two limits."""

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False

    def holds(self, value: object) -> bool:
        """Return whether a value is such a number."""
        kinds = int if self.whole else int | float
        if not isinstance(value, kinds) or isinstance(value, bool):
            return False
        return self.low <= value <= self.high and (isinstance(value, int) or math.isfinite(value))

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        ends = [f"{end:g}" for end in (self.low, self.high) if abs(end) < _LARGE]
        return f"{kind} from {' to '.join(ends)}" if ends else kind


_LARGE = 2**31 - 1

COUNT = Number(0, _LARGE, whole=True)
"""The shape of a count."""

INTEGER = Number(-_LARGE, _LARGE, whole=True)
"""The shape of a whole number."""

SHARE = Number(0, 1)
"""The shape of an accuracy."""

SHA256 = re.compile("[0-9a-f]{64}")
"""The shape of a digest."""

_NAMES: dict[object, str] = {
    str: "a text", bool: "true or false", Mapping: "a mapping", dict: "a mapping", list: "a list",
    None: "nothing",
}  # fmt: skip


def require_file(path: Path) -> None:
    """Raise :class:`InputError` for a device or named pipe, but for standard input.

    One in a folder of others would be read for ever.
    """
    if not path.exists() or path.is_file() or path.is_dir():
        return
    if path != Path("/dev/stdin") and path.parent != Path("/dev/fd"):
        raise fail("is no file", path)


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file.

    Raises :class:`InputError` if it cannot be read or is not UTF-8.
    """
    try:
        require_file(path)
        raw = path.read_bytes()
        return raw.decode(encoding)
    except FileNotFoundError:
        raise fail("there is no such file", path) from None
    except OSError as error:
        raise fail(f"cannot be read: {error.strerror}", path) from None
    except UnicodeDecodeError as error:
        message = f"not UTF-8 ({error.reason} at byte {error.start})"
        raise fail(message, path, raw.count(b"\n", 0, error.start) + 1) from None


def read_source(path: Path) -> str:
    """Read a text that an author wrote, line ends as ``\\n``."""
    return read_text(path).removeprefix("\ufeff").replace("\r\n", "\n")


def read_lines(path: Path, code: str = "T014", more: str = "") -> list[str]:
    """Read a text that an author wrote as lines.

    Raises :class:`InputError` where it is not UTF-8 in normal form C, and, with the code of a
    check, where it holds characters that nobody sees, or one of ``more``.
    """
    text = read_source(path)
    lines = text.split("\n")
    problems = []
    for number, line in enumerate(lines, 1):
        if not unicodedata.is_normalized("NFC", line):
            words = [w for w in line.split() if not unicodedata.is_normalized("NFC", w)]
            shown = ", ".join(map(ascii, words[:5]))
            problems.append(Problem(f"not in Unicode normal form C: {shown}", str(path), number))
    for place, name in islice(unseen(text, more), 20):
        number = text.count("\n", 0, place) + 1
        problems.append(Problem(f"{name} is not allowed", str(path), number, code))
    if problems:
        raise InputError(dict.fromkeys(problems))
    return lines[:-1] if lines and not lines[-1] else lines


def read_json(path: Path, shape: object = object, what: str = "") -> Json:
    """Return the value of a JSON file.

    Raises :class:`InputError` if the file is not JSON, or if the value does not have the shape of
    a ``what``.
    """
    return parse_json(read_text(path, "utf-8-sig"), shape, path, what)


def parse_json(
    text: str, shape: object, path: Path, what: str = "", line: int | None = None
) -> Json:
    """Return the value of JSON that ``path`` holds (in a ``line``), as :func:`read_json` does."""
    try:
        value = json.loads(text, parse_constant=_refuse)
        if _HALF.search(text):  # half of a character, which no file can hold
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        place = line or getattr(error, "lineno", None)
        raise fail(f"is not JSON: {error}", path, place) from None
    check(value, shape, path if line is None else f"{path}:{line}", what)
    return value


def read_json_lines(path: Path, shape: object = object, what: str = "") -> list[Json]:
    """Return the values of a file with JSON in each line, which may be compressed with xz.

    Raises :class:`InputError` for the first line that is not JSON or does not have the shape of a
    ``what``.
    """
    require_file(path)
    try:
        packed = path.suffix == ".xz"
        text = lzma.decompress(path.read_bytes()).decode() if packed else read_text(path)
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise fail(f"cannot be read: {error}", path) from None
    lines = enumerate(text.split("\n"), 1)
    return [parse_json(line, shape, path, what, n) for n, line in lines if line.strip()]


_POINTER = b"version https://git-lfs.github.com/spec/"


def is_pointer(path: Path) -> bool:
    """Return whether Git LFS left a pointer in place of a file."""
    with path.open("rb") as file:
        return file.read(len(_POINTER)) == _POINTER


def refuse_pointer(path: Path) -> None:
    """Raise :class:`InputError` if a file is a pointer of Git LFS."""
    if is_pointer(path):
        raise fail("is a pointer of Git LFS and not the file: run `git lfs pull` there", path)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def read_toml(path: Path, shape: object = dict) -> dict[str, Json]:
    """Return the table of a TOML file; raises :class:`InputError` if it is not TOML of a shape."""
    try:
        value = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:  # ValueError also of numbers with many digits
        line = re.search(r"at line (\d+)", str(error))
        raise fail(f"TOML: {error}", path, int(line[1]) if line else None) from None
    check(value, shape, path)
    return value


@contextmanager
def reading_parquet(path: Path) -> Iterator[None]:
    """Turn an error of Arrow about a broken file into an :class:`InputError` that names the
    file."""
    require_file(path)
    try:
        yield
    except (FileNotFoundError, IsADirectoryError) as error:
        raise fail(error.strerror or "there is no such file", path) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError) as error:
        # Arrow's KeyError: a column is there twice.
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise fail(f"is not a Parquet file that can be read: {reason}", path) from None


def parquet_schema(path: Path) -> pa.Schema:
    """Return the columns of a Parquet file, all of its texts as type ``string``.

    pandas 3 and polars write texts as ``large_string`` or ``string_view``, and categories as a
    dictionary. Raises :class:`InputError` for a file that cannot be read, or has a column twice.
    """
    with reading_parquet(path):
        schema = pq.read_schema(path)
    for name in schema.names:
        if schema.names.count(name) > 1:
            raise fail(f"column {name!r} is there twice", path)
    plain = [field.with_type(_plain(field.type)) for field in schema]
    return pa.schema(plain, schema.metadata)


def parquet_tables(
    path: Path, columns: Sequence[str] | None = None, rows: int = 65536,
    types: pa.Schema | None = None,
) -> Iterator[pa.Table]:  # fmt: skip
    """Yield the rows of a Parquet file in tables of at most ``rows``, one at least.

    The columns have the types in ``types``, those that are not there as in
    :func:`parquet_schema`. Raises :class:`InputError` for a file that cannot be read, for one of
    ``columns`` that it does not have, and for a broken value or one of another type.
    """
    schema = parquet_schema(path)
    names = schema.names if columns is None else list(columns)
    if missing := [name for name in names if name not in schema.names]:
        raise unknown_error("there is no column", missing[0], "columns", schema.names, path)
    types = types or schema
    fields = [(types if name in types.names else schema).field(name) for name in names]
    wanted = pa.schema(fields, schema.metadata)
    first = 1
    with reading_parquet(path), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(rows, columns=names, use_threads=False):
            table = pa.table(batch).select(names)
            _validate(table, path, first)
            yield table.cast(wanted)
            first += len(table)
        if first == 1:
            yield wanted.empty_table()


def read_parquet(
    path: Path, columns: Sequence[str] | None = None, types: pa.Schema | None = None
) -> pa.Table:
    """Return the rows of a Parquet file, as :func:`parquet_tables` yields them."""
    return pa.concat_tables(parquet_tables(path, columns, types=types))


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return a type with all of its texts as ``string``, and lists as plain lists."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    # pandas and polars give a column of nulls no type.
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return pa.string()
    if isinstance(kind, pa.ListType | pa.LargeListType | pa.ListViewType | pa.LargeListViewType):
        return pa.list_(kind.value_field.with_type(_plain(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    return kind


def _validate(table: pa.Table, path: Path, first: int) -> None:
    """Raise :class:`InputError` that names column and row of a broken value, as text that is not
    UTF-8; ``first`` is the number of the table's first row."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            for row in range(len(table) if len(table) > 1 else 0):
                _validate(table.slice(row, 1), path, first + row)
            reason = str(error).rpartition(": ")[2]
            raise fail(f"column {name!r}, row {first}: {reason}", path) from None


def with_tuples(table: Mapping[str, Json]) -> dict[str, Json]:
    """Return a table of TOML with tuples in place of lists."""
    return {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}


def check(
    value: object, shape: object, path: Path | str, what: str = "", strict: bool = False
) -> None:
    """Raise :class:`InputError` that names every part of a value that does not have the shape.

    ``strict``: mappings may have no other keys.
    """
    start = f"is no {what}: " if what else ""
    found = [Problem(f"{start}{text}", str(path)) for text in _wrong(value, shape, "", strict)]
    if found:
        raise InputError(found[:MOST])


def check_name(name: str, what: str, path: str | Path = "") -> str:
    """Return a name that can become a file; raise :class:`InputError` for one that leads elsewhere.

    >>> check_name("../evil", "config")
    Traceback (most recent call last):
    solecism.errors.InputError: config '../evil' is no name: it begins with '.' or holds a / or \\
    """
    if not name or name.startswith(".") or any(sign in name for sign in "/\\"):
        raise fail(f"{what} {name[:100]!r} is no name: it begins with '.' or holds a / or \\", path)
    if not name.isprintable() or len(name.encode()) > 200:
        raise fail(f"{what} {name[:100]!r} is too long, or has characters that nobody sees", path)
    return name


def _wrong(value: object, shape: object, where: str, strict: bool = False) -> Iterator[str]:
    """Yield what is wrong with a value, and with the parts of a list or mapping."""
    if isinstance(shape, list) and isinstance(value, list):
        for number, item in enumerate(value, 1):
            yield from _wrong(item, shape[0], f"{where}[{number}]", strict)
    elif isinstance(shape, Mapping) and isinstance(value, Mapping):
        keys = [key for key in shape if key is not str]
        named = {str(key).removesuffix("?"): shape[key] for key in keys}
        lacking = [key for key in named if key in shape and key not in value]
        if lacking:
            yield f"{where or 'it'} has no {', '.join(lacking)}"
        for key, item in value.items():
            place = f"{where}.{key}" if where else str(key)
            if strict and key not in named:
                yield f"unknown key {place!r} {candidates('keys', [*named], str(key))}"
            yield from _wrong(item, named.get(key, shape.get(str, object)), place, strict)
    elif not _holds(value, shape):
        shown = repr(value) if len(repr(value)) < 60 else f"{repr(value)[:56]} ..."
        known = [one for one in shape if isinstance(one, str)] if isinstance(shape, tuple) else []
        wanted = f" {candidates('known', known, str(value))}" if known else f", not {_name(shape)}"
        yield f"{where or 'it'} is {shown}{wanted}"


def _holds(value: object, shape: object) -> bool:
    if isinstance(shape, tuple):
        return any(not any(_wrong(value, one, "")) for one in shape)
    if isinstance(shape, Number):
        return shape.holds(value)
    if isinstance(shape, str):
        return bool(value == shape)
    if isinstance(shape, re.Pattern):
        return isinstance(value, str) and shape.fullmatch(value) is not None
    return value is None if shape is None else isinstance(shape, type) and isinstance(value, shape)


def _name(shape: object) -> str:
    if isinstance(shape, tuple):
        return " or ".join(map(_name, shape))
    if isinstance(shape, re.Pattern):
        return f"of the form {shape.pattern}"
    kind = next((kind for kind in (list, Mapping) if isinstance(shape, kind)), shape)
    return _NAMES.get(kind) or (f"a {kind.__name__}" if isinstance(kind, type) else str(kind))


_UNSEEN = (
    OBEYED
    + "\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\U000e0000-\U000e007f"  # without width
    + "\ue000-\uf8ff\U000f0000-\U0010ffff"  # private use
    + "\ufdd0-\ufdef\ufffe\uffff"  # no characters
    + "\u200c\u200d"  # joiners: see below
)


def unseen(text: str, more: str = "") -> Iterator[tuple[int, str]]:
    """Yield place and name of each character that no text may hold, because nobody sees it or
    because it changes what is seen, or that is one of ``more``.

    These are control, direction, zero-width and private-use characters. The joiners of Persian and
    the scripts of India may follow a letter or a mark.
    """
    for match in re.finditer(f"[{_UNSEEN}{more}]", text):
        before = text[match.start() - 1 : match.start()]
        if match[0] in "\u200c\u200d" and before and unicodedata.category(before)[0] in "LM":
            continue
        name = unicodedata.name(match[0], "")
        yield match.start(), f"U+{ord(match[0]):04X}" + (f" ({name.lower()})" if name else "")
