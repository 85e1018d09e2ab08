"""The server of a study: hands out its page and its lists, and keeps answers as they come.

:mod:`solecism.judge.protocol` says what the page asks. Answers are in an SQLite file beside the
study; what was confirmed to a page is on the disk. No address is stored or logged: limits count
addresses in memory, hashed with a key that nobody else has.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import secrets
import socket
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from threading import Lock
from typing import ClassVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from solecism.errors import InputError, fail
from solecism.files import place_in, write_text
from solecism.inputs import parse_json, read_text
from solecism.judge.design import ANSWERS_FILE, Study
from solecism.judge.protocol import ANSWER, FINISH, ROW, SESSION, Said, answer_row, pseudonym

TOKEN = "token.txt"
"""The file of a study with the token for reading results."""

MAX_BODY_BYTES = MAX_HEADER_BYTES = 16_384
MAX_ADDRESSES = 10_000
"""Addresses that are counted at a time; the one that was idle longest is forgotten first."""

REQUEST_SECONDS = 30
"""The seconds that a request and its answer may take together."""

MAX_CONNECTIONS = 200
"""Open connections of one address; a further one closes its oldest."""

ABANDONED = 2 * 3600
"""Seconds after which a session that is not finished no longer counts for its list."""

_HEADERS = [
    ("content-security-policy", "frame-ancestors 'none'"),  # the page itself says the rest
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
]

_OPEN = Path(__file__).with_name("answers.sql").read_text()


_COUNTS = """
SELECT list, sum(finished OR seen > ?), sum(finished), sum(count) FROM sessions
LEFT JOIN (SELECT session, count(*) AS count FROM answers GROUP BY session) USING (session) GROUP BY list
"""

_REMOVE = "DELETE FROM answers WHERE session = (SELECT session FROM sessions WHERE participant = ?)"
_POSITIONS = "SELECT position FROM answers WHERE session = ? ORDER BY position"


class AnswerStore:
    """The answers to a study in an SQLite file.

    A method that returns has its changes on the disk. After an error of SQLite (a full disk) the
    file is opened again by the next call. Raises :class:`InputError` if the file belongs to another
    study, :class:`HTTPException` for what a page may not do.
    """

    def __init__(self, study: Study) -> None:
        self.study, self.path = study, study.folder / ANSWERS_FILE
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are kept together, or undone on an error."""
        with self._lock:
            self._connection = db = self._connection or self._opened()
            try:
                with db:
                    db.execute("BEGIN IMMEDIATE")
                    yield db
            except sqlite3.Error:
                db.close()
                self._connection = None
                raise

    def _opened(self) -> sqlite3.Connection:
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL, 0o600))
        db = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        db.row_factory = sqlite3.Row
        try:
            db.executescript(_OPEN)
            new = "INSERT INTO study SELECT ? WHERE NOT EXISTS (SELECT 1 FROM study)"
            db.execute(new, (self.study.id,))
            (known,) = db.execute("SELECT id FROM study").fetchone()
            if known != self.study.id:
                message = f"has the answers of study {known}, this is {self.study.id}: its design"
                raise fail(f"{message} was changed (move the file away to begin anew)", self.path)
            return db
        except Exception as error:
            db.close()
            if isinstance(error, InputError | sqlite3.OperationalError):
                raise
            raise fail(f"is no file of answers: {error}", self.path) from None

    def begin(self, participant: str, said: Said) -> dict[str, object]:
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

    def answer(self, said: Said) -> None:
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
            change = "UPDATE sessions SET seen = ? WHERE session = ?"
            db.execute(change, (time.time(), said["session"]))

    def finish(self, said: Said) -> list[int]:
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
        """Return for each list how many sessions count, how many are finished, and the answers."""
        with self.transaction() as db:
            found = db.execute(_COUNTS, (time.time() - ABANDONED,))
            return {row[0]: (row[1], row[2], row[3] or 0) for row in found}

    def rows(self) -> list[dict[str, object]]:
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
        with closing(self._opened()) as db:
            db.executescript("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        return int(removed)


def _session(db: sqlite3.Connection, session: str) -> Said:
    found = db.execute("SELECT * FROM sessions WHERE session = ?", (session,)).fetchone()
    if found is None:
        raise HTTPException(404, "there is no such session")
    return {**found, "flags": json.loads(found["flags"])}


@dataclass
class RateLimit:
    """A limit on what an address may do: ``each`` times a second, ``most`` times at once."""

    each: float
    most: float
    _left: dict[bytes, tuple[float, float]] = field(default_factory=dict)
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def allows(self, address: str, now: float | None = None) -> bool:
        """Return whether an address may do it now, and count it."""
        now = time.monotonic() if now is None else now
        name = hashlib.blake2b(_network(address).encode(), key=self._key).digest()
        left, then = self._left.pop(name, (self.most, now))
        left = min(self.most, left + (now - then) * self.each)
        self._left[name] = (max(0.0, left - 1), now)
        if len(self._left) > MAX_ADDRESSES:
            del self._left[next(iter(self._left))]
        return left >= 1


def _network(address: str) -> str:
    """Return an address; for IPv6 its network (/64), as a household has a whole network."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(found) if found.version == 4 else str(int(found) >> 64)


def results_token(study: Study) -> str:
    """Return the token for reading results; the first call makes it."""
    path = study.folder / TOKEN
    if not path.exists():
        write_text(place_in(study.folder, TOKEN), secrets.token_urlsafe(24) + "\n", mode=0o600)
    if not (token := read_text(path).strip()):
        raise fail("is empty: delete it, then the server makes another token", path)
    return token


@dataclass
class StudyApi:
    """The functions that answer requests to addresses under ``api/``."""

    study: Study
    store: AnswerStore
    salt: str
    token: str
    sessions: RateLimit = field(default_factory=lambda: RateLimit(5, 100))
    requests: RateLimit = field(default_factory=lambda: RateLimit(100, 500))

    async def session(self, request: Request) -> Response:
        said = await self._read(request, SESSION)
        if said["study"] != self.study.id:
            raise HTTPException(409, "the page is of an older design: load it again")
        if not 0 < len(said["participant"]) <= 200:
            raise HTTPException(400, "participant has no characters, or more than 200")
        _limit(self.sessions, request)
        code = pseudonym(said["participant"], self.salt)
        return JSONResponse(await run_in_threadpool(self.store.begin, code, said))

    async def answer(self, request: Request) -> Response:
        await run_in_threadpool(self.store.answer, await self._read(request, ANSWER))
        return JSONResponse({"ok": True})

    async def finish(self, request: Request) -> Response:
        missing = await run_in_threadpool(self.store.finish, await self._read(request, FINISH))
        return JSONResponse({"ok": True, "missing": missing})

    async def answers(self, request: Request) -> Response:
        _limit(self.requests, request)
        said = request.headers.get("authorization", "").encode()
        if not secrets.compare_digest(said, f"Bearer {self.token}".encode()):
            raise HTTPException(401, f"this needs the token of {TOKEN}: Authorization: Bearer ...")
        rows = await run_in_threadpool(self.store.rows)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return StreamingResponse(lines, media_type="application/jsonl")

    async def _read(self, request: Request, shape: Mapping[str, object]) -> Said:
        """Return the JSON of a request; raise for what is too large or of another shape."""
        _limit(self.requests, request)
        raw = bytearray()
        async for chunk in request.stream():
            raw += chunk
            if len(raw) > MAX_BODY_BYTES:
                raise HTTPException(413, f"a request has at most {MAX_BODY_BYTES:,} bytes")
        said: Said = parse_json(raw.decode(), shape, Path(request.url.path))
        return said


def _limit(rate: RateLimit, request: Request) -> None:
    if not rate.allows(request.client.host if request.client else ""):
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
    store = AnswerStore(study)
    with suppress(sqlite3.OperationalError, OSError):  # a full disk: 503 until there is room
        store.counts()
    api = StudyApi(study, store, study.salt, results_token(study))
    posts = {"session": api.session, "answer": api.answer, "finish": api.finish}
    routes = [
        *(Route(f"/api/{name}", call, methods=["POST"]) for name, call in posts.items()),
        Route("/api/answers", api.answers),
        Mount("/", StaticFiles(directory=page, html=True)),
    ]
    errors = (HTTPException, InputError, ValueError, ClientDisconnect, sqlite3.Error, OSError)
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys(errors, _refused))
    app.add_middleware(
        CORSMiddleware, allow_origins=study.home.origins, allow_headers=["content-type"],
        allow_methods=["POST"],
    )  # fmt: skip
    return app


class _LimitedConnection(H11Protocol):
    """A connection that ends if a request takes too long, or its address opens too many."""

    opened: ClassVar[set[_LimitedConnection]] = set()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.timer = self.loop.call_later(REQUEST_SECONDS, transport.abort)
        self.opened.add(self)
        same = [one for one in self.opened if (one.client or [""])[0] == (self.client or [""])[0]]
        if len(same) > MAX_CONNECTIONS:
            oldest = min(same, key=lambda one: one.timer.when())
            self.opened.discard(oldest)
            oldest.transport.abort()

    def on_response_complete(self) -> None:
        self.timer.cancel()
        self.timer = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self.timer.cancel()
        self.opened.discard(self)
        super().connection_lost(exc)


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
        app, http=_LimitedConnection, loop="asyncio", ws="none", access_log=False,
        log_level="error", backlog=100, server_header=False, headers=_HEADERS, timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )  # fmt: skip
    Server(config).run(sockets=[place])
