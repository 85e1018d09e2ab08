"""The answers that a server has taken: an SQLite file (in WAL mode) beside the study.

One thread writes. It takes all that waits into one transaction, so that many answers share one
write to the disk, and what it confirms is on the disk.
"""

from __future__ import annotations

import json
import queue
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from solecism.errors import InputError, fail
from solecism.judge.design import Study
from solecism.judge.protocol import answer_row

__all__ = [
    "ANSWERS_FILE", "ListState", "RefusalError", "Store", "remove_participant", "stored_rows", "tallies",
]  # fmt: skip

ANSWERS_FILE = "answers.sqlite"
"""The name of the file in the folder of a study."""

LEFT = 2 * 3600
"""Seconds after which a session that is not finished no longer counts for its list."""

_TABLES = """
CREATE TABLE IF NOT EXISTS study (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
    session TEXT PRIMARY KEY, participant TEXT NOT NULL UNIQUE, list INTEGER NOT NULL,
    native_language TEXT, flags TEXT NOT NULL, begun REAL NOT NULL, seen REAL NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    session TEXT NOT NULL REFERENCES sessions, position INTEGER NOT NULL, item TEXT NOT NULL,
    answer TEXT NOT NULL, PRIMARY KEY (session, position), UNIQUE (session, item)
) WITHOUT ROWID;
"""

Work = Callable[[sqlite3.Connection], Any]


class RefusalError(Exception):
    """A request that is refused: the HTTP status and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class ListState(NamedTuple):
    """How far a list is: sessions that count for it, finished ones, and answers."""

    list: int
    sessions: int
    finished: int
    answers: int


class Store:
    """The answers to a study. Every method returns a future, done when the disk has what it says.

    Raises :class:`InputError` where the file belongs to another study.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.path = study.folder / ANSWERS_FILE
        with closing(_opened(self.path)) as connection:
            connection.executescript(_TABLES)
            _check_study(connection, study, self.path)
        self._waiting: queue.SimpleQueue[tuple[Work, Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="answers", daemon=True)
        self._thread.start()

    def begin(self, participant: str, said: Mapping[str, Any]) -> Future[dict[str, Any]]:
        """Begin the session of a pseudonym, or take it up; ``said``: what the page asked with.

        The result: ``session``, ``list``, ``participant``, ``answered`` positions, ``finished``.
        """
        return self._submit(lambda connection: _begin(connection, self.study, participant, said))

    def answer(self, said: Mapping[str, Any]) -> Future[None]:
        """Keep an answer; the same answer again changes nothing."""
        return self._submit(lambda connection: _answer(connection, self.study, said))

    def finish(self, said: Mapping[str, Any]) -> Future[list[int]]:
        """End a session; the result is the positions that are missing. None: it is finished."""
        return self._submit(lambda connection: _finish(connection, said))

    def close(self) -> None:
        """Write what waits, and stop."""
        self._waiting.put(None)
        self._thread.join()

    def _submit(self, work: Work) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.put((work, future))
        return future

    def _write(self) -> None:
        with closing(_opened(self.path)) as connection:
            for batch in self._batches():
                _settle(connection, batch)

    def _batches(self) -> Iterator[list[tuple[Work, Future[Any]]]]:
        """Yield what waits, all of it at a time."""
        while (first := self._waiting.get()) is not None:
            batch = [first]
            while not self._waiting.empty() and len(batch) < _BATCH:
                if (more := self._waiting.get()) is None:
                    yield batch
                    return
                batch.append(more)
            yield batch


_BATCH = 512


def _settle(connection: sqlite3.Connection, batch: Sequence[tuple[Work, Future[Any]]]) -> None:
    """Do some work in one transaction, and tell each its result once that is on the disk."""
    results: list[tuple[Future[Any], Any, Exception | None]] = []
    try:
        connection.execute("BEGIN IMMEDIATE")
        for work, future in batch:
            try:
                results.append((future, work(connection), None))
            except (RefusalError, InputError) as error:
                results.append((future, None, error))
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        connection.rollback()
        results = [(future, None, error) for _, future in batch]
    for future, value, wrong in results:
        if wrong is not None:
            future.set_exception(wrong)
        else:
            future.set_result(value)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise fail(f"is no file of answers: {error}", path) from None
    return connection


def _check_study(connection: sqlite3.Connection, study: Study, path: Path) -> None:
    """Raise :class:`InputError` where the answers are those of another study."""
    connection.execute("INSERT OR IGNORE INTO study SELECT ? WHERE NOT EXISTS (SELECT 1 FROM study)",
                       (study.id,))  # fmt: skip
    (known,) = connection.execute("SELECT id FROM study").fetchone()
    if known != study.id:
        message = f"has the answers of study {known}, this is {study.id}: its design was changed"
        raise fail(f"{message} since (move the file away to begin anew)", path)


def _begin(
    connection: sqlite3.Connection, study: Study, participant: str, said: Mapping[str, Any]
) -> dict[str, Any]:
    known = connection.execute("SELECT * FROM sessions WHERE participant = ?", (participant,))
    row = known.fetchone() or _new_session(connection, study, participant, said)
    places = connection.execute(
        "SELECT position FROM answers WHERE session = ? ORDER BY position", (row["session"],)
    )
    return {
        "session": row["session"], "list": row["list"], "participant": participant,
        "answered": [place for (place,) in places], "finished": bool(row["finished"]),
    }  # fmt: skip


def _new_session(
    connection: sqlite3.Connection, study: Study, participant: str, said: Mapping[str, Any]
) -> Mapping[str, Any]:
    number = said.get("list") or _least_filled(connection, len(study.lists))
    if number > len(study.lists):
        raise RefusalError(400, f"list {number}: the study has {len(study.lists)}")
    session, now = secrets.token_hex(16), time.time()
    connection.execute(
        "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
        (session, participant, number, said.get("native_language"),
         json.dumps(said.get("flags", [])), now, now),
    )  # fmt: skip
    return {"session": session, "list": number, "finished": 0}


def _least_filled(connection: sqlite3.Connection, lists: int) -> int:
    counts = {tally.list: tally.sessions for tally in _tallies(connection)}
    return min(range(1, lists + 1), key=lambda number: (counts.get(number, 0), number))


def _session(connection: sqlite3.Connection, session: str) -> dict[str, Any]:
    found = connection.execute("SELECT * FROM sessions WHERE session = ?", (session,)).fetchone()
    if found is None:
        raise RefusalError(404, "there is no such session")
    return dict(found)


def _answer(connection: sqlite3.Connection, study: Study, said: Mapping[str, Any]) -> None:
    session = _session(connection, said["session"])
    answer_row(study, session["list"], said, _person(session))
    text = json.dumps(said["row"], sort_keys=True)
    known = connection.execute(
        "SELECT position, item, answer FROM answers WHERE session = ? AND (position = ? OR item = ?)",
        (said["session"], said["position"], said["item"]),
    ).fetchall()
    if [tuple(row) for row in known] == [(said["position"], said["item"], text)]:
        return
    if known or session["finished"]:
        raise RefusalError(409, "this trial has another answer, or the session is finished")
    connection.execute(
        "INSERT INTO answers VALUES (?, ?, ?, ?)",
        (said["session"], said["position"], said["item"], text),
    )
    connection.execute(
        "UPDATE sessions SET seen = ? WHERE session = ?", (time.time(), said["session"])
    )


def _finish(connection: sqlite3.Connection, said: Mapping[str, Any]) -> list[int]:
    session = _session(connection, said["session"])
    found = connection.execute("SELECT position FROM answers WHERE session = ?", (said["session"],))
    known = {place for (place,) in found}
    missing = [place for place in range(1, said["answers"] + 1) if place not in known]
    if not missing:
        flags = dict.fromkeys([*json.loads(session["flags"]), *said.get("flags", ())])
        connection.execute(
            "UPDATE sessions SET finished = 1, flags = ?, seen = ? WHERE session = ?",
            (json.dumps(list(flags)), time.time(), said["session"]),
        )
    return missing


def _person(session: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "participant": session["participant"],
        "native_language": session["native_language"],
        "flags": json.loads(session["flags"]),
    }


def _tallies(connection: sqlite3.Connection) -> list[ListState]:
    rows = connection.execute(
        "SELECT list, sum(finished OR seen > ?), sum(finished), sum(answers) FROM (SELECT *,"
        " (SELECT count(*) FROM answers WHERE answers.session = sessions.session) AS answers"
        " FROM sessions) GROUP BY list ORDER BY list",
        (time.time() - LEFT,),
    )
    return [ListState(*row) for row in rows]


def tallies(study: Study) -> list[ListState]:
    """Return how far each list of a study is, from 1."""
    path, known = study.folder / ANSWERS_FILE, {}
    if path.is_file():
        with closing(_opened(path)) as connection:
            known = {tally.list: tally for tally in _tallies(connection)}
    return [known.get(n, ListState(n, 0, 0, 0)) for n in range(1, len(study.lists) + 1)]


def stored_rows(study: Study) -> Iterator[dict[str, Any]]:
    """Yield the answers as rows of :data:`~solecism.judge.schema.ANSWERS`, session by session.

    Raises :class:`InputError` where there is no file of answers, or one of another study.
    """
    path = study.folder / ANSWERS_FILE
    if not path.is_file():
        raise fail("there is no such file: nobody has been asked yet", path)
    with closing(_opened(path)) as connection:
        _check_study(connection, study, path)
        sessions = connection.execute("SELECT * FROM sessions ORDER BY begun, session").fetchall()
        for session in map(dict, sessions):
            found = connection.execute(
                "SELECT * FROM answers WHERE session = ? ORDER BY position", (session["session"],)
            )
            for row in found:
                said = {**row, "row": json.loads(row["answer"])}
                yield answer_row(study, session["list"], said, _person(session))


def remove_participant(study: Study, participant: str) -> int:
    """Remove the session of a pseudonym from the file; return how many answers it had."""
    path = study.folder / ANSWERS_FILE
    if not path.is_file():
        return 0
    with closing(_opened(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        removed = connection.execute(
            "DELETE FROM answers WHERE session IN"
            " (SELECT session FROM sessions WHERE participant = ?)", (participant,)
        ).rowcount  # fmt: skip
        connection.execute("DELETE FROM sessions WHERE participant = ?", (participant,))
        connection.execute("COMMIT")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed
