"""Writing a result's table in a stream, so that a run that is killed can go on where it was."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import fail

__all__ = ["ResultWriter", "result_files"]

_PLAIN = ["id", "set_id"]


def result_files(path: str | Path) -> tuple[Path, Path]:
    """JSON and Parquet file of a result named by either of them or by what their names share."""
    text = str(path)
    for suffix in (".json", ".parquet"):
        text = text.removesuffix(suffix)
    return Path(text + ".json"), Path(text + ".parquet")


class ResultWriter:
    """Collects tables in ``<stem>.parts/`` and joins them to ``<stem>.parquet`` at the end.

    Use it as a context manager::

        with ResultWriter("out/gpt2", str(signature), notice=print) as writer:
            for table in score(items_from(writer.resume())):
                writer.write(table)

    Each part is completed or absent, so whatever ends the run costs at most the rows of one part
    (``rows`` of them or what is scored in ``seconds``). Left by an exception, the parts stay, and the
    next run with the same ``signature`` gets them from :meth:`resume`; parts of another signature are
    discarded with a ``notice``. Left well, the table is in its place and the parts are gone. Rows must come
    in the order of the data set.
    """

    def __init__(
        self,
        stem: str | Path,
        signature: str,
        *,
        notice: Callable[[str], None] | None = None,
        rows: int = 1 << 14,
        seconds: float = 20.0,
    ) -> None:
        self.path = result_files(stem)[1]
        self.done = 0
        """Rows that are safely written: the leading items that need no scoring any more."""
        self._signature, self._notice = signature, notice or (lambda _: None)
        self._rows, self._seconds = rows, seconds
        self._folder = self.path.with_name(f"{self.path.stem}.parts")
        self._waiting: list[pa.Table] = []
        self._since = time.monotonic()
        self._resumed = False

    def __enter__(self) -> ResultWriter:
        self.resume()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        self.flush()
        if kind is None:
            self._join()

    def resume(self) -> int:
        """Take up the parts of a run that was cut short; return how many leading items are scored."""
        if self._resumed:
            return self.done
        self._resumed = True
        if self._mark.is_file() and self._mark.read_text(encoding="utf-8") == self._signature:
            self.done = sum(pq.read_metadata(part).num_rows for part in self._parts())
            if self.done:
                self._notice(f"going on after {self.done:,} items that are scored already")
        else:
            self._start()
        return self.done

    def _start(self) -> None:
        if any(self._parts()):
            self._notice(f"{self._folder}: parts of a run with another signature are discarded")
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        self._mark.write_text(self._signature, encoding="utf-8")

    @property
    def _mark(self) -> Path:
        return self._folder / "signature"

    def _part(self, number: int) -> Path:
        return self._folder / f"part-{number:06}.parquet"

    def _parts(self) -> Iterator[Path]:
        """The parts without a gap from the first."""
        number = 0
        while (part := self._part(number)).is_file():
            yield part
            number += 1

    def write(self, table: pa.Table) -> None:
        """Add rows; they are safe once the part is full or old enough (or :meth:`flush` is called)."""
        self.resume()
        if len(table):
            self._waiting.append(table)
        full = sum(map(len, self._waiting)) >= self._rows
        if full or time.monotonic() - self._since >= self._seconds:
            self.flush()

    def flush(self) -> None:
        """Complete a part from the rows that wait."""
        self._since = time.monotonic()
        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting)
        part = self._part(sum(1 for _ in self._parts()))
        fresh = part.with_name(f".{part.name}.new")
        pq.write_table(table, fresh, compression="zstd")
        fresh.replace(part)
        self._waiting = []
        self.done += len(table)

    def _join(self) -> None:
        """Join the parts; an older summary goes first, so that no table stands beside another's."""
        parts = list(self._parts())
        if not parts:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise fail("there is nothing to write: no item was given", self.path)
        fresh = self.path.with_name(f".{self.path.name}.new-{os.getpid()}")
        _copy(parts, fresh)
        result_files(self.path)[0].unlink(missing_ok=True)
        fresh.replace(self.path)
        self._mark.unlink()
        shutil.rmtree(self._folder)


def _copy(parts: list[Path], target: Path, rows: int = 1 << 16) -> None:
    """Copy parts into one file, in row groups of at least ``rows`` rows."""
    schema = pq.read_schema(parts[0])
    texts = [f for f in _leaves(schema) if f not in _PLAIN]
    with pq.ParquetWriter(target, schema, compression="zstd", use_dictionary=texts) as writer:
        waiting: list[pa.Table] = []
        for part in parts:
            waiting.append(pq.read_table(part))
            if sum(map(len, waiting)) >= rows:
                writer.write_table(pa.concat_tables(waiting))
                waiting = []
        if waiting:
            writer.write_table(pa.concat_tables(waiting))


def _leaves(schema: pa.Schema) -> list[str]:
    """Paths of the columns that hold texts."""
    found = []
    for field in schema:
        inner = list(field.type) if pa.types.is_struct(field.type) else []
        found += [f"{field.name}.{part.name}" for part in inner if part.type == pa.string()]
        found += [field.name] if field.type == pa.string() else []
    return found
