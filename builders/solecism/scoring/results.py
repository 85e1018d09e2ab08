"""Results: tables with the scores of items, written so that a killed run can go on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solecism.errors import InputError, candidates, fail
from solecism.files import json_of, locked, write_text, writing
from solecism.inputs import COUNT, SHARE, check, read_json, reading_parquet
from solecism.schema import FEATURES, pair_schema

_FULL = ("out of memory", "can't allocate", "not enough memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error, also of torch, means that a batch was too large."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(text in str(error).lower() for text in _FULL)


def result_files(path: str | Path) -> tuple[Path, Path]:
    """Return the JSON and the Parquet file of a result, named by either or by what they share."""
    text = str(path)
    for suffix in (".json", ".parquet"):
        text = text.removesuffix(suffix)
    return Path(text + ".json"), Path(text + ".parquet")


class ResultWriter:
    """Collects tables in ``<stem>.parts/`` and joins them to ``<stem>.parquet`` at the end.

    Use it as a context manager::

        with ResultWriter("out/gpt2", str(signature), summarize) as writer:
            for table in score(items_from(writer.done)):
                writer.write(table)

    Tables are written as they come, at most every ``seconds``. If an exception ends the run, the
    parts stay, and the next run with the same ``signature`` (all that the figures depend on) goes
    on after them (``done`` rows); parts of another signature are discarded with a ``notice``. At
    the end the table takes its place, with the ``summary`` that is made of it. Rows must come in
    the order of the data set.

    Raises :class:`InputError` where another run is writing the same result.
    """

    def __init__(
        self,
        stem: str | Path,
        signature: str,
        summary: Callable[[Path], Mapping[str, Any]],
        *,
        notice: Callable[[str], None] = lambda _: None,
        seconds: float = 5.0,
    ) -> None:
        self.path = result_files(stem)[1]
        self.done = 0
        """Rows that are safely written: the leading items that need no scoring any more."""
        self._signature, self._summary, self._notice = signature, summary, notice
        self._seconds, self._since = seconds, monotonic()
        self._folder = self.path.with_name(f"{self.path.stem}.parts")
        self._mark = self._folder / "signature"
        self._waiting: list[pa.Table] = []
        self._held = ExitStack()

    def __enter__(self) -> ResultWriter:
        try:
            self._held.enter_context(locked(self._folder, wait=0))
        except InputError:
            raise fail("another run writes this result: wait for it to end", self.path) from None
        if self._mark.is_file() and self._mark.read_bytes() == self._signature.encode():
            self.done = sum(pq.read_metadata(part).num_rows for part in self._parts())
            if self.done:
                self._notice(f"going on after {self.done:,} items that are scored already")
        else:
            if any(self._parts()):
                self._notice(f"{self._folder}: parts of a run with another signature are discarded")
            shutil.rmtree(self._folder, ignore_errors=True)
            write_text(self._mark, self._signature)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        with self._held:
            if kind is None:
                self._flush()
                self._join()
                return
            with suppress(OSError):  # as of a full disk: what ended the run is reported
                self._flush()
            if not self.done:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _parts(self) -> list[Path]:
        return sorted(self._folder.glob("part-*.parquet"))

    def write(self, table: pa.Table) -> None:
        """Add rows, which are safe after a while."""
        self._waiting += [table] if len(table) else []
        if monotonic() - self._since >= self._seconds:
            self._flush()

    def _flush(self) -> None:
        self._since = monotonic()
        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting)
        with writing(self._folder / f"part-{len(self._parts()):06}.parquet") as part:
            pq.write_table(table, part, compression="zstd")
        self._waiting = []
        self.done += len(table)

    def _join(self) -> None:
        """Put the table into its place, then its summary, then remove the parts."""
        if not self.done:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise fail("there is nothing to write: no item was given", self.path)
        with writing(result_files(self.path)[0]) as summary, writing(self.path) as table:
            rows = pa.concat_tables(map(pq.read_table, self._parts()))
            texts = _repeated_texts(rows.schema)
            pq.write_table(
                rows, table, row_group_size=1 << 16, compression="zstd", use_dictionary=texts
            )
            summary.write_text(json_of(self._summary(table)), encoding="utf-8", newline="\n")
        shutil.rmtree(self._folder)


def _repeated_texts(schema: pa.Schema) -> list[str]:
    """Return the columns of texts that rows have in common."""
    return [
        f"{field.name}.{inner.name}" if inner is not field else field.name
        for field in schema
        for inner in (field.type if pa.types.is_struct(field.type) else [field])
        if inner.type == pa.string() and field.name not in ("id", "set_id")
    ]


FORMAT = "solecism result 1"
"""What the key ``format`` of a summary says."""

TIE = 1e-9
"""Log probabilities (natural, float64) closer than this are equal: sums in another order differ by
less."""

EMPTY = "empty"
"""Reason: a sentence is missing or blank, or has no token to sum over, so that nothing can be
compared."""

TOO_LONG = "too long"
"""Reason: the model has fewer positions than the sentence has tokens."""

MULTI_PIECE = "multi-piece"
"""Reason: a word is more than one token."""

NOT_ALIGNED = "not aligned"
"""Reason: a token reaches beyond the word that is masked."""

_TEXTS = ("id", "set_id", "UID", "linguistics_term", "construction", "language")
_COUNTS = ("tokens_good", "tokens_bad", "bytes_good", "bytes_bad", "chars_good", "chars_bad")
_UNIGRAMS = ("unigram_good", "unigram_bad")


def score_schema(features: pa.DataType) -> pa.Schema:
    """Return the schema of results for a data set whose ``features`` have this type."""
    floats, ints = pa.float64(), pa.int32()
    return pa.schema(
        [
            *((name, pa.string()) for name in _TEXTS),
            ("features", features),
            ("method", pa.string()),
            *((name, floats) for name in ("logp_good", "logp_bad")),
            *((name, ints) for name in _COUNTS),
            *((name, floats) for name in (*_UNIGRAMS, "decision", "margin")),
            ("skipped", pa.string()),
        ]
    )


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

Numbers = np.ndarray[Any, Any]
Sides = Sequence[Numbers] | Numbers
"""An array for the good sides of pairs and one for the bad sides."""


def scores_table(
    pairs: pa.Table,
    method: str,
    logp: Sides,
    tokens: Sides,
    sizes: Sides,
    skipped: Sequence[str | None],
    *,
    chars: Sides | None = None,
    unigrams: Sides | None = None,
) -> pa.Table:
    """Return the rows of a result for ``pairs``, whose texts and features (if any) they have.

    ``logp`` (natural logarithms), ``tokens`` (numbers of them), ``sizes`` (in bytes), ``chars``
    (lengths in characters; None: not known) and ``unigrams`` (log P under a unigram model; None:
    there is none) each have an array for the good side and one for the bad side. If ``skipped``
    has a reason they are ignored. A pair with an empty side is skipped, whatever its scores.
    Both sides minus infinity is a tie. Raises :class:`InputError` for a score that is not a number
    and not skipped, ``ValueError`` for arrays of another length than ``pairs``.
    """
    nothing = np.any(np.asarray(tokens) == 0, axis=0).tolist()
    skipped = [
        EMPTY if empty else reason or (EMPTY if none else None)
        for reason, empty, none in zip(skipped, blank(pairs), nothing, strict=True)
    ]
    out = np.array([reason is not None for reason in skipped], bool)
    good, bad = (np.asarray(side, np.float64) for side in logp)
    wrong = np.flatnonzero((np.isnan(good) | np.isnan(bad)) & ~out)
    if len(wrong):  # they would silently count as wrong
        ids = pairs["id"].take(pa.array(wrong[:3])).to_pylist()
        shown = ", ".join(map(repr, ids)) + (", ..." if len(wrong) > 3 else "")
        message = f"the model's score of {len(wrong)} items is not a number (NaN): {shown}"
        raise fail(f"{message} (try --dtype float32)")
    with np.errstate(invalid="ignore"):
        margin = np.where(good == bad, 0.0, good - bad)
    decision = np.where(np.abs(margin) <= TIE, 0.5, np.where(margin > 0, 1.0, 0.0))
    floats = {"logp_good": good, "logp_bad": bad, "decision": decision, "margin": margin}
    floats |= dict(zip(_UNIGRAMS, unigrams, strict=True)) if unigrams is not None else {}
    lengths = (*tokens, *sizes, *(chars if chars is not None else ()))
    columns = {name: pairs[name] for name in _TEXTS if name != "construction"}
    features = pa.chunked_array([pa.array([{}] * len(pairs), SCORES.field("features").type)])
    if "features" in pairs.column_names:
        features = pairs["features"]
    columns["features"] = features
    columns["construction"] = feature(features, "construction")
    columns["method"] = pa.repeat(pa.scalar(method), len(pairs))
    columns |= {n: pa.array(values, pa.float64(), mask=out) for n, values in floats.items()}
    columns |= {
        n: pa.array(np.asarray(v, np.int32)) for n, v in zip(_COUNTS, lengths, strict=False)
    }
    columns["skipped"] = pa.array(skipped, pa.string())
    schema, unknown = score_schema(features.type), pa.nulls(len(pairs))
    return pa.table({name: columns.get(name, unknown) for name in schema.names}, schema=schema)


_SENTENCES = ("sentence_good", "sentence_bad")


def blank(pairs: pa.Table) -> Numbers:
    """Mark the pairs of which a sentence is missing, empty or of blanks alone."""
    found = np.zeros(len(pairs), bool)
    for name in _SENTENCES:
        if name in pairs.column_names:
            rest = pc.binary_length(pc.utf8_trim_whitespace(pairs[name].cast(pa.string())))
            found |= np.asarray(pc.fill_null(rest, 0)) == 0
    return found


def require(table: pa.Table, names: Sequence[str], what: str, path: str | Path = "") -> None:
    """Raise :class:`InputError` where columns are missing."""
    missing = [name for name in names if name not in table.column_names]
    if missing:
        near = candidates("columns", table.column_names, missing[0])
        raise fail(f"the {what} have no column {', '.join(map(repr, missing))} {near}", path)


def without_nulls(pairs: pa.Table) -> pa.Table:
    """Put an empty text in place of a sentence that is missing."""
    for name in _SENTENCES:
        if name in pairs.column_names and pairs[name].null_count:
            place = pairs.column_names.index(name)
            pairs = pairs.set_column(place, name, pairs[name].fill_null(""))
    return pairs


def feature(features: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return one of the features, all null where the data set does not have it."""
    if any(field.name == name for field in features.type):
        return pc.struct_field(features, name)
    kind = FEATURES.get(name, pa.string())
    return pa.chunked_array([pa.nulls(len(features), kind)], kind)


@dataclass(frozen=True)
class Result:
    """A result on disk: ``summary`` is its JSON, ``table`` its rows (read when first asked for)."""

    path: Path
    summary: dict[str, Any]

    @property
    def signature(self) -> str:
        """All that the figures depend on, in one line."""
        return str(self.summary["signature"])

    @property
    def run(self) -> dict[str, Any]:
        """The signature's parts: ``data``, ``config``, ``method``, ``model``, ... (all texts)."""
        return dict(self.summary["run"])

    @property
    def accuracy(self) -> float | None:
        """The share of items that are right, a tie counting a half; None where none has a score."""
        found: float | None = self.summary["overall"]["accuracy"]
        return found

    def accuracies(self, by: str = "UID") -> dict[str, float | None]:
        """Return the accuracy of each group of a grouping: ``UID``, ``phenomenon``, a feature.

        Raises :class:`InputError` for a grouping that the summary does not have.
        """
        groups = self.summary["by"]
        if by not in groups:
            raise fail(f"unknown grouping {by!r} {candidates('groupings', list(groups), by)}")
        return {key: tally["accuracy"] for key, tally in groups[by].items()}

    def to_json(self) -> dict[str, Any]:
        """Return the summary: signature, counts, accuracies, and what the run ran on."""
        return self.summary

    def to_pandas(self) -> Any:
        """Return all rows as a ``pandas.DataFrame`` (needs pandas), a column for each feature."""
        return self.table.flatten().to_pandas()

    @cached_property
    def table(self) -> pa.Table:
        """All rows, in the order of the data set; columns as in ``SCORES``."""
        return self._read(None)

    def read(self, names: Sequence[str]) -> pa.Table:
        """Read some columns only."""
        return self._read(list(dict.fromkeys(names)))

    def _read(self, names: list[str] | None) -> pa.Table:
        path = result_files(self.path)[1]
        with reading_parquet(path):
            table = pq.read_table(path, columns=names)
            table.validate(full=True)
        _refuse_values(table, path)
        return table


def _refuse_values(table: pa.Table, path: Path) -> None:
    """Refuse rows that are of no item, and decisions that are none."""
    for column in table.schema:
        if column.name in ("id", "set_id", "UID") and table[column.name].null_count:
            raise fail(f"column {column.name!r} has a value that is null", path)
        if column.type == pa.float64() and pc.any(pc.is_nan(table[column.name])).as_py():
            raise fail(f"column {column.name!r} has a value that is not a number (NaN)", path)
    if "decision" in table.column_names:
        for found in pc.unique(table["decision"]).to_pylist():
            if found not in (0.0, 0.5, 1.0, None):
                raise fail(f"column 'decision' has {found}, wanted 0, 0.5 or 1", path)


@dataclass(frozen=True)
class ResultInMemory(Result):
    """A result whose rows are not those of a file; none where they are not known."""

    rows: pa.Table = field(default_factory=SCORES.empty_table)

    def _read(self, names: list[str] | None) -> pa.Table:
        return self.rows if names is None else self.rows.select(names)


def read_result(path: str | Path) -> Result:
    """Open a result by the name of its JSON or Parquet file, or by what both names begin with.

    Raises :class:`InputError` where a file is missing, is no result, lacks columns or has others of
    their names, or where the two files are not of the same run.
    """
    summary_file, table_file = result_files(path)
    for file in (summary_file, table_file):
        if not file.is_file():
            names = sorted(p.name for p in file.parent.glob("*.json"))
            near = f" {candidates('files', names, file.name)}" if names else ""
            raise fail(f"there is no such file{near}", file)
    summary = read_json(summary_file)
    found = summary.get("format") if isinstance(summary, dict) else None
    if found != FORMAT:
        message = f"is no result of solecism score (format: {found!r}, wanted {FORMAT!r})"
        raise fail(message, summary_file)
    check(summary, _SUMMARY, summary_file, "result")
    with reading_parquet(table_file):
        metadata = pq.read_metadata(table_file)
        schema = metadata.schema.to_arrow_schema()
    require(schema.empty_table(), SCORES.names, "rows", table_file)
    for column in SCORES:
        if schema.names.count(column.name) > 1:
            raise fail(f"there is more than one column {column.name!r}", table_file)
        found = schema.field(column.name).type
        is_right = pa.types.is_struct(found) if column.name == "features" else found == column.type
        if not is_right:
            raise fail(f"column {column.name!r} is {found}, wanted {column.type}", table_file)
    if metadata.num_rows != summary["rows"]:
        said = f"{summary_file.name} speaks of {summary['rows']}: not of one run"
        raise fail(f"has {metadata.num_rows} rows, {said}", table_file)
    return Result(summary_file, summary)
