"""The server of a study: hands out its page and its lists, and keeps answers as they come.

:mod:`solecism.judge.protocol` says what the page asks. Answers are in an SQLite file beside the
study; what was confirmed to a page is on the disk. No address is stored or logged: the limit of
what one address may ask for counts in memory.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn import Config, Server

from solecism.errors import InputError, fail
from solecism.files import write_text
from solecism.inputs import parse_json, read_text
from solecism.judge.design import ANSWERS_FILE, Study
from solecism.judge.protocol import (
    ANSWER,
    FINISH,
    FLAGS,
    ROW,
    SESSION,
    answer_row,
    check_one_of,
    pseudonym,
)

TOKEN = "token.txt"
"""The file of a study with the token for reading results."""

MAX_BODY_BYTES = 16_384

WINDOW, MOST = 10, {"session": 100, "answer": 1000, "finish": 1000, "answers": 1000}
"""How often one address may ask for a thing in a window of so many seconds."""

ABANDONED = 2 * 3600
"""Seconds after which a session that is not finished no longer counts for its list."""

_HEADERS = [
    ("content-security-policy", "frame-ancestors 'none'"),  # the page itself says the rest
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
]

_TABLES = """
CREATE TABLE IF NOT EXISTS study (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
    session TEXT PRIMARY KEY, participant TEXT NOT NULL UNIQUE, list INTEGER NOT NULL, native_language TEXT,
    flags TEXT NOT NULL, begun REAL NOT NULL, seen REAL NOT NULL, finished INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    session TEXT NOT NULL REFERENCES sessions, position INTEGER NOT NULL, item TEXT NOT NULL,
    answer TEXT NOT NULL, PRIMARY KEY (session, position), UNIQUE (session, item)
) WITHOUT ROWID;
"""

_COUNTS = """
SELECT list, sum(finished OR seen > ?), sum(finished), sum(count) FROM sessions
LEFT JOIN (SELECT session, count(*) AS count FROM answers GROUP BY session) USING (session) GROUP BY list
"""

_REMOVE = "DELETE FROM answers WHERE session = (SELECT session FROM sessions WHERE participant = ?)"
_POSITIONS = "SELECT position FROM answers WHERE session = ? ORDER BY position"


class AnswerStore:
    """The answers to a study in an SQLite file.

    A method that returns has its changes on the disk. Raises :class:`InputError` if the file
    belongs to another study, :class:`HTTPException` for what a page may not do.
    """

    def __init__(self, study: Study) -> None:
        self.study, self.path = study, study.folder / ANSWERS_FILE

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are kept together, or undone on an error."""
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(self.path, timeout=30, isolation_level=None)) as db:
            db.row_factory = sqlite3.Row
            try:
                db.executescript(_TABLES)
                db.execute("INSERT INTO study SELECT ? WHERE NOT EXISTS (SELECT 1 FROM study)",
                           (self.study.id,))  # fmt: skip
                (known,) = db.execute("SELECT id FROM study").fetchone()
            except sqlite3.OperationalError:
                raise  # a full disk: the page asks again
            except sqlite3.DatabaseError as error:
                raise fail(f"is no file of answers: {error}", self.path) from None
            if known != self.study.id:
                message = f"has the answers of study {known}, this is {self.study.id}: its design"
                raise fail(f"{message} was changed (move the file away to begin anew)", self.path)
            with db:
                db.execute("BEGIN IMMEDIATE")
                yield db

    def begin(self, participant: str, said: Mapping[str, Any]) -> dict[str, Any]:
        """Begin the session of a pseudonym, or take it up; return what the page must know."""
        with self.transaction() as db:
            find = "SELECT * FROM sessions WHERE participant = ?"
            if (row := db.execute(find, (participant,)).fetchone()) is None:
                found = db.execute(_COUNTS, (time.time() - ABANDONED,))
                counts = {number: sessions for number, sessions, *_ in found}
                lists = range(1, len(self.study.lists) + 1)
                number = said.get("list") or min(lists, key=lambda n: (counts.get(n, 0), n))
                if number not in lists:
                    raise HTTPException(400, f"list {number}: the study has {len(lists)}")
                new = (secrets.token_hex(16), participant, number, said.get("native_language"))
                more = (json.dumps(said.get("flags", [])), time.time(), time.time())
                db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, 0)", (*new, *more))
                row = db.execute(find, (participant,)).fetchone()
            answered = db.execute(_POSITIONS, (row["session"],))
            return {
                "session": row["session"], "list": row["list"], "participant": participant,
                "answered": [place for (place,) in answered], "finished": bool(row["finished"]),
            }  # fmt: skip

    def answer(self, said: Mapping[str, Any]) -> None:
        """Keep an answer; the same answer again changes nothing."""
        with self.transaction() as db:
            session = _session(db, said["session"])
            answer_row(self.study, session["list"], said, session)
            row = {n: value for n, value in said["row"].items() if n in ROW or f"{n}?" in ROW}
            new = (said["position"], said["item"], json.dumps(row, sort_keys=True))
            find = "SELECT * FROM answers WHERE session = ? AND (position = ? OR item = ?)"
            found = db.execute(find, (said["session"], *new[:2])).fetchall()
            if [tuple(one)[1:] for one in found] == [new]:
                return
            if found or session["finished"]:
                raise HTTPException(409, "the trial has another answer, or the session is over")
            db.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", (said["session"], *new))
            db.execute(
                "UPDATE sessions SET seen = ? WHERE session = ?", (time.time(), said["session"])
            )

    def finish(self, said: Mapping[str, Any]) -> list[int]:
        """Finish a session, unless positions are missing; return these."""
        with self.transaction() as db:
            session = _session(db, said["session"])
            known = {place for (place,) in db.execute(_POSITIONS, (said["session"],))}
            missing = [place for place in range(1, said["answers"] + 1) if place not in known]
            if not missing:
                flags = json.dumps([*dict.fromkeys([*session["flags"], *said.get("flags", ())])])
                change = "UPDATE sessions SET finished = 1, flags = ? WHERE session = ?"
                db.execute(change, (flags, said["session"]))
            return missing

    def counts(self) -> dict[int, tuple[int, int, int]]:
        """Return of each list the sessions that count for it, finished sessions, and answers."""
        with self.transaction() as db:
            found = db.execute(_COUNTS, (time.time() - ABANDONED,))
            return {row[0]: (row[1], row[2], row[3] or 0) for row in found}

    def rows(self) -> list[dict[str, Any]]:
        """Return the answers as rows of :data:`~solecism.judge.schema.ANSWERS`."""
        with self.transaction() as db:
            query = "SELECT * FROM answers JOIN sessions USING (session) ORDER BY begun, session, position"
            found = [dict(row) for row in db.execute(query)]
        for row in found:
            row |= {"row": json.loads(row["answer"]), "flags": json.loads(row["flags"])}
        return [answer_row(self.study, row["list"], row, row) for row in found]

    def remove(self, participant: str) -> int:
        """Remove the session of a pseudonym; return how many answers it had."""
        with self.transaction() as db:
            removed = db.execute(_REMOVE, (participant,)).rowcount
            db.execute("DELETE FROM sessions WHERE participant = ?", (participant,))
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("VACUUM")
        return int(removed)


def _session(db: sqlite3.Connection, session: str) -> dict[str, Any]:
    found = db.execute("SELECT * FROM sessions WHERE session = ?", (session,)).fetchone()
    if found is None:
        raise HTTPException(404, "there is no such session")
    return {**found, "flags": json.loads(found["flags"])}


def results_token(study: Study) -> str:
    """Return the token for reading results; it is made at the first time."""
    path = study.folder / TOKEN
    if not path.exists():
        write_text(path, secrets.token_urlsafe(24) + "\n", mode=0o600)
    if not (token := read_text(path).strip()):
        raise fail("is empty: delete it, then the server makes another token", path)
    return token


class StudyApi:
    """The addresses under ``api/``."""

    def __init__(self, study: Study) -> None:
        self.study, self.store = study, AnswerStore(study)
        self.salt, self.token = study.salt, results_token(study)
        self.window, self.asked = 0, Counter[tuple[str, str]]()

    async def post(self, request: Request) -> Response:
        """Answer what the page asks (:mod:`solecism.judge.protocol`)."""
        name = request.path_params["name"]
        shapes = {"session": SESSION, "answer": ANSWER, "finish": FINISH}
        if name not in shapes:
            raise HTTPException(404)
        self._limit(name, request)
        raw = bytearray()
        async for chunk in request.stream():
            raw += chunk
            if len(raw) > MAX_BODY_BYTES:
                raise HTTPException(413, f"a request has at most {MAX_BODY_BYTES:,} bytes")
        said = parse_json(raw.decode(), shapes[name], Path(request.url.path))
        for flag in said.get("flags", ()):
            check_one_of("flag", flag, FLAGS)
        return JSONResponse(await run_in_threadpool(getattr(self, name), said))

    def session(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a session, or take it up again."""
        if said["study"] != self.study.id:
            raise HTTPException(409, "the page is of an older design: load it again")
        if not 0 < len(said["participant"]) <= 200:
            raise HTTPException(400, "participant has no characters, or more than 200")
        return self.store.begin(pseudonym(said["participant"], self.salt), said)

    def answer(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Keep an answer."""
        self.store.answer(said)
        return {"ok": True}

    def finish(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """End a session."""
        return {"ok": True, "missing": self.store.finish(said)}

    async def answers(self, request: Request) -> Response:
        """Give all answers to who has the token, a row in each line."""
        self._limit("answers", request)
        said = request.headers.get("authorization", "").encode()
        if not secrets.compare_digest(said, f"Bearer {self.token}".encode()):
            raise HTTPException(401, f"this needs the token of {TOKEN}: Authorization: Bearer ...")
        rows = await run_in_threadpool(self.store.rows)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return PlainTextResponse("".join(lines), media_type="application/jsonl")

    def _limit(self, name: str, request: Request) -> None:
        """Refuse strangers who would shut out the others."""
        window = int(time.monotonic() // WINDOW)
        if window != self.window:
            self.window, self.asked = window, Counter()
        who = (request.client.host if request.client else "", name)
        self.asked[who] += 1
        if self.asked[who] > MOST[name]:
            raise HTTPException(429, "too many requests: wait a little")


async def _refused(_: Request, error: Exception) -> Response:
    """Return why a request is refused, or that the page may try again."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code)
    if isinstance(error, InputError | ValueError):
        return JSONResponse({"error": str(error)}, 400)
    return JSONResponse({"error": "the answer could not be kept: try again"}, 503)


def make_app(study: Study) -> Starlette:
    """Return the server of a study as an ASGI application.

    Raises :class:`InputError` if the study has no page, or answers of another design.
    """
    page = study.folder / "page"
    if not (page / "index.html").is_file():
        raise fail("there is no page here: write it with `solecism judge export --to page`", page)
    api = StudyApi(study)
    api.store.counts()  # raises for answers of another design
    routes = [
        Route("/api/answers", api.answers),
        Route("/api/{name}", api.post, methods=["POST"]),
        Mount("/", StaticFiles(directory=page, html=True)),
    ]
    errors = (HTTPException, InputError, ValueError, ClientDisconnect, sqlite3.Error, OSError)
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys(errors, _refused))
    app.add_middleware(
        CORSMiddleware, allow_origins=study.home.origins, allow_headers=["content-type"],
        allow_methods=["POST"],
    )  # fmt: skip
    return app


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise :class:`InputError` if that is not possible."""
    try:
        return socket.create_server((host, port), backlog=1024)
    except (OSError, UnicodeError) as error:
        raise fail(f"cannot listen at {host} port {port}: {error}") from None


def serve(app: Starlette, place: socket.socket) -> None:
    """Answer requests until the process is told to stop.

    Addresses that a proxy on this machine forwards are believed.
    """
    config = Config(
        app, http="h11", loop="asyncio", ws="none", access_log=False, log_level="error",
        server_header=False, headers=_HEADERS, timeout_graceful_shutdown=5,
    )  # fmt: skip
    Server(config).run(sockets=[place])
