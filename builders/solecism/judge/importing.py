"""Bring answers home: from our page and server and from other programs, into one table.

The table is ``answers.parquet`` in the folder of the study, with the columns of
:data:`~solecism.judge.schema.ANSWERS`.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from solecism.errors import fail
from solecism.files import write_text, writing
from solecism.inputs import reading_parquet
from solecism.judge.design import SALT, Study
from solecism.judge.formats import read_raw
from solecism.judge.matching import Known, complete
from solecism.judge.pseudonyms import pseudonym
from solecism.judge.schema import ANSWERS
from solecism.judge.store import ANSWERS_FILE, stored_rows

__all__ = [
    "TABLE",
    "Imported",
    "answer_table",
    "import_answers",
    "read_answer_table",
    "remove_person",
    "save_answers",
]

TABLE = "answers.parquet"
"""The name of the table in the folder of a study."""

Row = Mapping[str, Any]


class Imported(NamedTuple):
    """The rows that were read, in order, and how many of them were there ``twice``."""

    rows: list[Row]
    twice: int


def import_answers(
    study: Study, paths: Iterable[Path], name: str = "", pairs: Known | None = None
) -> Imported:
    """Read the answers in files; without any, those that our server has taken.

    ``name``: the format (:data:`~solecism.judge.formats.FORMATS`), empty: the one that fits;
    ``pairs``: those that answers are about, where the study does not have them. An answer that
    stands twice counts once. Raises :class:`InputError`, with file and line, for what cannot be
    understood, and for two different answers of one person to one trial.
    """
    files = list(paths)
    salt = _salt(study) if files else ""
    found: dict[tuple[Any, ...], Row] = {}
    twice = 0
    for path, row in _every(study, files, name, pairs, salt):
        key = tuple(row[part] for part in ("participant", "list", "position", "id", "shown"))
        if key in found:
            _refuse_other(found[key], row, path)
            twice += 1
        found.setdefault(key, row)
    if not found:
        raise fail("no answers were found", files[0] if files else study.folder)
    return Imported(_counted(list(found.values())), twice)


def _every(
    study: Study, files: Sequence[Path], name: str, pairs: Known | None, salt: str
) -> Iterator[tuple[Path, Row]]:
    if not files:
        yield from ((study.folder / ANSWERS_FILE, row) for row in stored_rows(study))
    known = pairs or Known.of_study(study)
    for path in files:
        if path.suffix == ".sqlite":
            raise fail("is the server's file: import it by naming no file", path)
        for raw in read_raw(path, study, name):
            yield path, raw if _is_ours(raw) else complete(study, raw, known, salt, path)


def _is_ours(raw: Row) -> bool:
    """Return whether a row is complete: those that our page saves have pseudonyms already."""
    return all(name in raw for name in ANSWERS.names)


def _refuse_other(one: Row, other: Row, path: Path) -> None:
    if any(one[name] != other[name] for name in ("answer", "rating")):
        what = f"{one['participant']} has two answers to {one['id']}"
        raise fail(f"{what} ({one['UID']}) at position {one['position']}", path, other.get("line"))


def _salt(study: Study) -> str:
    """Return the salt of a study; one that others have made gets one now."""
    path = study.folder / SALT
    if not path.is_file() and not study.items:
        write_text(path, secrets.token_hex(16) + "\n")
    return study.salt


def _counted(rows: Sequence[Row]) -> list[Row]:
    """Fill in what a program did not say: positions by the order of a person's answers, trials."""
    totals = Counter(row["participant"] for row in rows)
    places: Counter[str] = Counter()
    made: list[Row] = []
    for row in rows:
        person = row["participant"]
        places[person] += 1
        position, trials = row["position"] or places[person], row["trials"] or totals[person]
        made.append({**row, "position": position, "trials": trials})
    return made


def answer_table(rows: Iterable[Row]) -> pa.Table:
    """Return rows as a table of :data:`~solecism.judge.schema.ANSWERS`."""
    columns: dict[str, list[Any]] = {name: [] for name in ANSWERS.names}
    for row in rows:
        for name, values in columns.items():
            values.append(row[name])
    return pa.table(columns, schema=ANSWERS)


def save_answers(study: Study, rows: Iterable[Row]) -> Path:
    """Write the table of a study, in place of an earlier one, and return its path."""
    path = study.folder / TABLE
    with writing(path) as part:
        pq.write_table(answer_table(rows), part)
    return path


def read_answer_table(study: Study) -> pa.Table:
    """Return the answers to a study: those imported, else those that its server has taken.

    Raises :class:`InputError` where there are none, or the table lacks a column.
    """
    path = study.folder / TABLE
    if not path.is_file():
        if not (study.folder / ANSWERS_FILE).is_file():
            raise fail("there are no answers yet: `solecism judge import` brings them home", path)
        return answer_table(stored_rows(study))
    with reading_parquet(path):
        table = pq.read_table(path)
    missing = [name for name in ANSWERS.names if name not in table.column_names]
    if missing:
        raise fail(f"is no table of answers: it has no column {', '.join(missing)}", path)
    return table.select(ANSWERS.names)


def remove_person(study: Study, code: str) -> int:
    """Remove the answers of a person from table and server; return how many there were.

    ``code``: what the page has shown at the end, or the name that the platform gives.
    """
    from solecism.judge.store import remove_participant

    names = {code, pseudonym(code, study.salt)} if (study.folder / SALT).is_file() else {code}
    removed = sum(remove_participant(study, name) for name in sorted(names))
    path = study.folder / TABLE
    if path.is_file():
        rows = read_answer_table(study).to_pylist()
        left = [row for row in rows if row["participant"] not in names]
        removed = max(removed, len(rows) - len(left))
        if len(left) < len(rows):
            save_answers(study, left)
    return removed
