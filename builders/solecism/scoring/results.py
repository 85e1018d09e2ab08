"""Results: tables with the scores of items, written so that a killed run can go on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from solecism.errors import candidates, fail, unknown_error
from solecism.files import json_of, locked, write_text, writing
from solecism.inputs import COUNT, SHARE, Json, read_json, reading_parquet
from solecism.schema import FEATURES, pair_schema

if TYPE_CHECKING:
    from pandas import DataFrame

_FULL = ("out of memory", "can't allocate", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error (of Python or of torch) says that memory did not suffice."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(text in str(error).lower() for text in _FULL)


def result_files(path: str | Path) -> tuple[Path, Path]:
    """Return the paths of a result's JSON and Parquet file.

    ``path`` is one of the two, or their common path without a suffix.
    """
    text = str(path)
    for suffix in (".json", ".parquet"):
        text = text.removesuffix(suffix)
    return Path(text + ".json"), Path(text + ".parquet")


@contextmanager
def writing_result(
    stem: str | Path,
    signature: str,
    summary: Callable[[Path], Mapping[str, object]],
    *,
    notice: Callable[[str], None] = lambda _: None,
) -> Iterator[tuple[int, Callable[[pa.Table], None]]]:
    """Collect tables in ``<stem>.parts/`` and join them to ``<stem>.parquet`` at the end.

    Yields the number of rows that are safely written (the leading items that need no scoring any
    more), and a function that writes a table of the next rows::

        with writing_result("out/gpt2", str(signature), summarize) as (done, write):
            for table in score(items_from(done)):
                write(table)

    Each table is written as it comes. If an exception ends the run, the parts stay, and the next
    run with the same ``signature`` (all that the figures depend on) goes on after them; parts of
    another signature are discarded with a ``notice``. At the end the table is written, with the
    JSON that ``summary`` makes of the table's path. Rows must come in the order of the data set.
    Raises :class:`InputError` if another run is writing the same result.
    """
    summary_file, table_file = result_files(stem)
    folder = table_file.with_name(f"{table_file.stem}.parts")

    def write(table: pa.Table) -> None:
        if len(table):
            place = folder / f"part-{len(parts):06}.parquet"
            with writing(place) as part:
                pq.write_table(table, part, compression="zstd")
            parts.append(place)

    with locked(folder, wait=0):
        parts, done = _parts_of(folder, signature, notice)
        try:
            yield done, write
            if not parts:
                raise fail("there is nothing to write: no item was given", table_file)
        finally:
            if not parts:
                shutil.rmtree(folder, ignore_errors=True)
        with writing(summary_file) as text, writing(table_file) as table:
            rows = pa.concat_tables(map(pq.read_table, parts))
            pq.write_table(rows, table, 1 << 16, compression="zstd", use_dictionary=_REPEATED)
            text.write_text(json_of(summary(table)), encoding="utf-8", newline="\n")
        shutil.rmtree(folder)


def _parts_of(
    folder: Path, signature: str, notice: Callable[[str], None]
) -> tuple[list[Path], int]:
    """Return the parts that a killed run left, and how many rows they have together.

    Parts of a run with another signature are discarded.
    """
    parts, mark = sorted(folder.glob("part-*.parquet")), folder / "signature"
    done = sum(pq.read_metadata(part).num_rows for part in parts)
    if mark.is_file() and mark.read_bytes() == signature.encode():
        if done:
            notice(f"going on after {done:,} items that are scored already")
        return parts, done
    if done:
        notice(f"{folder}: parts of a run with another signature are discarded")
    shutil.rmtree(folder, ignore_errors=True)
    write_text(mark, signature)
    return [], 0


FORMAT = "solecism result 1"
"""The value of the key ``format`` in a summary."""

TIE = 1e-9
"""Log probabilities (natural, float64) that differ by no more than this count as equal, because
the order in which numbers are added changes a sum by less."""

EMPTY = "empty"
"""Reason: a sentence is missing or blank, or has no token to sum over, so that nothing can be
compared."""

TOO_LONG = "too long"
"""Reason: the model has fewer positions than the sentence has tokens."""

MULTI_PIECE = "multi-piece"
"""Reason: a word is more than one token."""

UNALIGNED = "no shared token boundary"
"""Reason: tokens of the two sides begin or end in different places."""

NOT_ALIGNED = "not aligned"
"""Reason: a token reaches beyond the word that is masked."""

_TEXTS = ("id", "set_id", "UID", "linguistics_term", "construction", "language")
_COUNTS = ("tokens_good", "tokens_bad", "bytes_good", "bytes_bad", "chars_good", "chars_bad")
_UNIGRAMS = ("unigram_good", "unigram_bad")
_REPEATED = ["UID", "linguistics_term", "construction", "language", "method", "skipped"]


def score_schema(features: pa.DataType) -> pa.Schema:
    """Return the schema of results for a data set whose ``features`` have this type."""
    floats, ints = pa.float64(), pa.int32()
    columns = [
        *((name, pa.string()) for name in _TEXTS),
        ("features", features),
        ("method", pa.string()),
        *((name, floats) for name in ("logp_good", "logp_bad")),
        *((name, ints) for name in _COUNTS),
        *((name, floats) for name in (*_UNIGRAMS, "decision", "margin")),
        ("skipped", pa.string()),
    ]
    return pa.schema(columns)


SCORES = score_schema(pair_schema().field("features").type)
"""What every result's table has, a row a pair; ``features`` are those of the data set.

``logp_*``: natural logarithms, null when skipped; ``tokens_*``, ``bytes_*``, ``chars_*``: tokens
summed over, and length of the scored text in bytes of UTF-8 and in Unicode characters;
``unigram_*``: natural log probability of the same tokens under a unigram model, null where none was
named; ``decision``: 1 right, 0 wrong, 0.5 tie, null when skipped; ``margin``: ``logp_good -
logp_bad``; ``skipped``: why there is no score, else null.
"""

_RIGHT = {"accuracy": (SHARE, None), "n": COUNT, "ties": COUNT}
_TALLY = {**_RIGHT, "skipped": {str: COUNT}}
_RUN = ("data", "version", "digest", "config", "method", "model", "revision", "dtype", "solecism")
_SUMMARY = {
    "format": FORMAT,
    "signature": str,
    "run": {**dict.fromkeys(_RUN, str), "options": {str: str}},
    "rows": COUNT,
    "overall": _TALLY,
    "by": {"UID": {str: _TALLY}, str: {str: _TALLY}},
    "normalised?": {"overall": {str: _RIGHT}, "UID": {str: {str: _RIGHT}}},
    "tokens_differ?": {"share": (SHARE, None), "by": {str: _RIGHT}},
    "environment?": dict,
}
"""The shape of a summary (:mod:`solecism.inputs`)."""

Numbers = NDArray[np.generic]
Sides = Sequence[Numbers] | Numbers
"""An array for the good sides of pairs and one for the bad sides."""


def right_or_tie(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a decision for each margin: 1 above 0, 0 below 0, 0.5 for a tie, NaN for NaN."""
    decided = np.where(np.abs(margin) <= TIE, 0.5, np.where(margin > 0, 1.0, 0.0))
    return np.where(np.isnan(margin), np.nan, decided)


def scores_table(
    pairs: pa.Table,
    method: str,
    logp: Sides,
    tokens: Sides,
    texts: Sequence[Sequence[str] | pa.Array],
    skipped: Sequence[str | None],
    unigrams: Sides | None = None,
) -> pa.Table:
    """Return the rows of a result, with the names and the features (if any) of their ``pairs``.

    ``logp`` (natural logarithms), ``tokens`` (how many were summed over), ``texts`` (as scored) and
    ``unigrams`` (log P under a unigram model, or None without such a model) each have a sequence
    for the good side and one for the bad side. The scores of a pair for which ``skipped`` has a
    reason are ignored. A pair with an empty side is skipped, whatever its scores. Two sides of
    minus infinity are a tie. Raises :class:`InputError` for a score that is not a number and not
    skipped, ``ValueError`` for arrays of another length than ``pairs``.
    """
    nothing = np.any(np.asarray(tokens) == 0, axis=0).tolist()
    skipped = [
        EMPTY if empty else reason or (EMPTY if none else None)
        for reason, empty, none in zip(skipped, blank(pairs), nothing, strict=True)
    ]
    is_skipped = np.array([reason is not None for reason in skipped], bool)
    good, bad = (np.asarray(side, np.float64) for side in logp)
    wrong = np.flatnonzero((np.isnan(good) | np.isnan(bad)) & ~is_skipped)
    if len(wrong):  # without this error they would silently count as wrong decisions
        ids = pairs["id"].take(pa.array(wrong[:3])).to_pylist()
        shown = ", ".join(map(repr, ids)) + (", ..." if len(wrong) > 3 else "")
        message = f"the model's score of {len(wrong)} items is not a number (NaN): {shown}"
        raise fail(f"{message} (try --dtype float32)")
    with np.errstate(invalid="ignore"):
        margin = np.where(good == bad, 0.0, good - bad)
    floats = {"logp_good": good, "logp_bad": bad, "margin": margin}
    floats["decision"] = right_or_tie(margin)
    floats |= dict(zip(_UNIGRAMS, unigrams, strict=True)) if unigrams is not None else {}
    features = pa.chunked_array([pa.array([{}] * len(pairs), SCORES.field("features").type)])
    if "features" in pairs.column_names:
        features = pairs["features"]
    sizes = [length(side) for length in (pc.binary_length, pc.utf8_length) for side in texts]
    columns = {
        **{name: pairs[name] for name in _TEXTS if name != "construction"},
        **{n: pa.array(v, pa.float64(), mask=is_skipped) for n, v in floats.items()},
        **{n: np.asarray(v, np.int32) for n, v in zip(_COUNTS, [*tokens, *sizes], strict=True)},
        "features": features,
        "construction": feature(features, "construction"),
        "method": pa.repeat(pa.scalar(method), len(pairs)),
        "skipped": pa.array(skipped, pa.string()),
    }
    schema, unknown = score_schema(features.type), pa.nulls(len(pairs))
    return pa.table({name: columns.get(name, unknown) for name in schema.names}, schema=schema)


_SENTENCES = ("sentence_good", "sentence_bad")


def blank(pairs: pa.Table) -> Numbers:
    """Return a Boolean array that marks pairs with a null, empty or blank sentence."""
    found = np.zeros(len(pairs), bool)
    for name in _SENTENCES:
        if name in pairs.column_names:
            rest = pc.binary_length(pc.utf8_trim_whitespace(pairs[name].cast(pa.string())))
            found |= np.asarray(pc.fill_null(rest, 0)) == 0
    return found


def require(table: pa.Table, names: Sequence[str], what: str, path: str | Path = "") -> None:
    """Raise :class:`InputError` if the table lacks one of the columns ``names``.

    ``what`` names its rows in the message, in the plural.
    """
    missing = [name for name in names if name not in table.column_names]
    if missing:
        near = candidates("columns", table.column_names, missing[0])
        raise fail(f"the {what} have no column {', '.join(map(repr, missing))} {near}", path)


def without_nulls(pairs: pa.Table) -> pa.Table:
    """Return ``pairs`` with an empty text in place of each sentence that is null."""
    for name in _SENTENCES:
        if name in pairs.column_names and pairs[name].null_count:
            place = pairs.column_names.index(name)
            pairs = pairs.set_column(place, name, pairs[name].fill_null(""))
    return pairs


def feature(features: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return the column of one feature, all nulls if the data set does not have it."""
    if any(field.name == name for field in features.type):
        return pc.struct_field(features, name)
    kind = FEATURES.get(name, pa.string())
    return pa.chunked_array([pa.nulls(len(features), kind)], kind)


Summary = dict[str, Json]
"""The JSON of a result, or a part of it."""


@dataclass(frozen=True, repr=False)
class Result:
    """A result: ``summary`` is its JSON, and ``path`` the file of the JSON.

    ``rows`` is its table if that is in memory; otherwise it is read when first asked for.
    """

    path: Path
    summary: Summary
    rows: pa.Table | None = None

    def __repr__(self) -> str:
        share = "none" if self.accuracy is None else f"{100 * self.accuracy:.1f} %"
        return f"Result({str(self.path)!r}, accuracy: {share}, signature: {self.signature!r})"

    @property
    def signature(self) -> str:
        """All that the figures depend on, in one line."""
        return str(self.summary["signature"])

    @property
    def run(self) -> Summary:
        """The signature's parts, such as ``data`` and ``model``: texts, but for the ``options``."""
        return dict(self.summary["run"])

    @property
    def accuracy(self) -> float | None:
        """The share of scored items that are right (a tie counts a half), or None without any."""
        found: float | None = self.summary["overall"]["accuracy"]
        return found

    def accuracies(self, by: str = "UID") -> dict[str, float | None]:
        """Return the accuracy of each group of a grouping: ``UID``, ``phenomenon``, a feature.

        Raises :class:`InputError` for a grouping that the summary does not have.
        """
        groups = self.summary["by"]
        if by not in groups:
            raise unknown_error("unknown grouping", by, "groupings", groups)
        return {key: tally["accuracy"] for key, tally in groups[by].items()}

    def to_json(self) -> Summary:
        """Return the summary: signature, counts, accuracies, and what the run ran on."""
        return self.summary

    def to_pandas(self) -> DataFrame:
        """Return all rows as a ``pandas.DataFrame`` (needs pandas), a column for each feature."""
        frame: DataFrame = self.table.flatten().to_pandas()
        return frame

    @cached_property
    def table(self) -> pa.Table:
        """All rows, in the order of the data set; columns as in ``SCORES``."""
        return self.read()

    def read(self, names: Sequence[str] | None = None) -> pa.Table:
        """Return columns of the table (None: all); refuse values that no result can have."""
        columns = None if names is None else list(dict.fromkeys(names))
        if self.rows is not None:
            return self.rows if columns is None else self.rows.select(columns)
        path = result_files(self.path)[1]
        with reading_parquet(path):
            table = pq.read_table(path, columns=columns)
            table.validate(full=True)
        for column in table.schema:
            if column.name in ("id", "set_id", "UID") and table[column.name].null_count:
                raise fail(f"column {column.name!r} has a value that is null", path)
            if column.type == pa.float64() and pc.any(pc.is_nan(table[column.name])).as_py():
                raise fail(f"column {column.name!r} has a value that is not a number (NaN)", path)
        known = "decision" in table.schema.names
        decisions = pc.unique(table["decision"]).to_pylist() if known else []
        if wrong := set(decisions) - {0.0, 0.5, 1.0, None}:
            raise fail(f"column 'decision' has {min(wrong)}, wanted 0, 0.5 or 1", path)
        return table


def read_result(path: str | Path) -> Result:
    """Open a result by the name of its JSON or Parquet file, or by what both names begin with.

    Raises :class:`InputError` where a file is missing or is no result, where a column is missing,
    there twice or of another type, and where the two files are not of the same run, or one of them
    was changed.
    """
    summary_file, table_file = result_files(path)
    for file in (summary_file, table_file):
        if not file.is_file():
            names = sorted(p.name for p in file.parent.glob("*.json"))
            near = f" {candidates('files', names, file.name)}" if names else ""
            raise fail(f"there is no such file{near}", file)
    summary = read_json(summary_file, _SUMMARY, "result of solecism score")
    with reading_parquet(table_file):
        metadata = pq.read_metadata(table_file)
        schema = metadata.schema.to_arrow_schema()
    require(schema.empty_table(), SCORES.names, "rows", table_file)
    for name, wanted in zip(SCORES.names, SCORES.types, strict=True):
        found = [field.type for field in schema if field.name == name]
        fits = pa.types.is_struct(found[0]) if name == "features" else found[0] == wanted
        if not fits or len(found) > 1:
            message = f"column {name!r} is {' and '.join(map(str, found))}, wanted {wanted}"
            raise fail(message, table_file)
    if metadata.num_rows != summary["rows"]:
        said = f"{summary_file.name} speaks of {summary['rows']}: not of one run"
        raise fail(f"has {metadata.num_rows} rows, {said}", table_file)
    result = Result(summary_file, summary)
    _refuse_altered(result)
    return result


_KEYS = {"UID": "UID", "phenomenon": "linguistics_term", "construction": "construction"}


def _refuse_altered(result: Result) -> None:
    """Raise where the figures of a summary are not those of its table: others may have sent it."""
    table = result.read([*_KEYS.values(), "features", "decision", "skipped"])
    right = pc.if_else(pc.is_null(table["skipped"]), table["decision"], None)
    for by, told in {**result.summary["by"], "overall": {"": result.summary["overall"]}}.items():
        keys = feature(table["features"], by) if by not in _KEYS else table[_KEYS[by]]
        if by in ("config", "overall"):
            keys = pa.repeat(next(iter(told), ""), len(table))
        counts = pa.table({"key": pc.cast(keys, pa.string()), "right": right}).group_by("key")
        rows = counts.aggregate([("right", "sum"), ("right", "count")]).to_pylist()
        found = {row["key"]: (row["right_sum"] or 0.0, row["right_count"]) for row in rows}
        for name, tally in told.items():
            total, n = found.get(name, (0.0, 0))
            if tally["n"] != n or abs((tally["accuracy"] or 0.0) * n - total) > 1e-6 * n:
                said = f"{by} {name}".strip()
                raise fail(f"the accuracy of {said!r} is not that of the table", result.path)
