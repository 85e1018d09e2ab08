"""The server of a study: hands out its page and its lists, and takes answers one by one.

What page and server say to each other stands in :mod:`solecism.judge.protocol`. No address of
anybody is stored or logged.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from solecism.errors import InputError, candidates, fail
from solecism.inputs import parse_json, read_text
from solecism.judge.design import Study
from solecism.judge.protocol import ANSWER, FINISH, FLAGS, SESSION
from solecism.judge.pseudonyms import pseudonym
from solecism.judge.store import RefusalError, Store, stored_rows, tallies

__all__ = ["TOKEN", "make_app", "open_socket", "results_token"]

TOKEN = "token.txt"
"""The file of a study that has the token for its results."""

LARGEST = 16_384
"""The most bytes of a request."""

PAGE = "page"

_POLICY = "; ".join(
    [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
        "font-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)  # fmt: skip

_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}

T = TypeVar("T")
_Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass
class Rate:
    """How often something may happen: ``each`` times a second, ``most`` times at once."""

    each: float
    most: float
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def allows(self, name: str, now: float | None = None) -> bool:
        """Return whether ``name`` may do it now, and count it."""
        now = time.monotonic() if now is None else now
        if len(self._left) > _NAMES:
            full = self.most / self.each
            self._left = {n: (k, t) for n, (k, t) in self._left.items() if now - t < full}
        kept, then = self._left.get(name, (self.most, now))
        kept = min(self.most, kept + (now - then) * self.each)
        self._left[name] = (max(0.0, kept - 1), now)
        return kept >= 1


_NAMES = 10_000


class _Headers:
    """Adds the headers of safety to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        await self.app(scope, receive, adding if scope["type"] == "http" else send)


def results_token(study: Study) -> str:
    """Return the token that results are given for; made at the first time."""
    path = study.folder / TOKEN
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(24) + "\n", encoding="utf-8")
    return read_text(path).strip()


def make_app(study: Study) -> Starlette:
    """Return the server of a study as an ASGI application.

    Raises :class:`InputError` where the study has no page, or answers of another design.
    """
    page = study.folder / PAGE
    if not (page / "index.html").is_file():
        raise fail("there is no page here: write it with `solecism judge page`", page)
    desk = _Desk(study, Store(study), study.salt, results_token(study))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        desk.store.close()

    routes = [
        *(Route(f"/api/{name}", _answering(work), methods=["POST"]) for name, work in desk.posts()),
        *(Route(f"/api/{name}", _answering(work), methods=["GET"]) for name, work in desk.gets()),
        Mount("/", StaticFiles(directory=page, html=True)),
    ]
    return Starlette(routes=routes, middleware=[Middleware(_Headers)], lifespan=lifespan)


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise :class:`InputError` where that cannot be."""
    try:
        return socket.create_server((host, port), backlog=1024)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise fail(f"cannot listen at {host} port {port}: {why}") from None


@dataclass
class _Desk:
    """What the addresses under ``api/`` do."""

    study: Study
    store: Store
    salt: str
    token: str
    sessions: Rate = field(default_factory=lambda: Rate(20, 400))
    answers: Rate = field(default_factory=lambda: Rate(20, 60))

    def posts(self) -> list[tuple[str, _Endpoint]]:
        return [("session", self.session), ("answer", self.answer), ("finish", self.finish)]

    def gets(self) -> list[tuple[str, _Endpoint]]:
        return [("status", self.status), ("answers", self.results)]

    async def session(self, request: Request) -> Response:
        said = await _read(request, SESSION)
        if said["study"] != self.study.id:
            raise RefusalError(409, "the page is of an older design: load it again")
        if not 0 < len(said["participant"]) <= 200:
            raise RefusalError(400, "participant has no characters, or more than 200")
        if len(said.get("native_language") or "") > 100:
            raise RefusalError(400, "native_language has more than 100 characters")
        _check_flags(said)
        _limit(self.sessions, "")
        found = await _done(self.store.begin(pseudonym(said["participant"], self.salt), said))
        return JSONResponse(found)

    async def answer(self, request: Request) -> Response:
        said = await _read(request, ANSWER)
        _limit(self.answers, said["session"])
        await _done(self.store.answer(said))
        return JSONResponse({"ok": True})

    async def finish(self, request: Request) -> Response:
        said = await _read(request, FINISH)
        _limit(self.answers, said["session"])
        if said["answers"] > max(self.study.totals):
            raise RefusalError(400, f"answers: no list has {said['answers']} trials")
        _check_flags(said)
        missing = await _done(self.store.finish(said))
        return JSONResponse({"ok": True, "missing": missing})

    async def status(self, request: Request) -> Response:
        self._check_token(request)
        found = await asyncio.to_thread(tallies, self.study)
        return JSONResponse({"study": self.study.id, "lists": [each._asdict() for each in found]})

    async def results(self, request: Request) -> Response:
        self._check_token(request)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in stored_rows(self.study))
        return StreamingResponse(lines, media_type="application/jsonl")

    def _check_token(self, request: Request) -> None:
        said = request.headers.get("authorization", "").encode()
        if not secrets.compare_digest(said, f"Bearer {self.token}".encode()):
            raise RefusalError(401, f"this needs the token of {TOKEN}: Authorization: Bearer ...")


def _answering(work: _Endpoint) -> _Endpoint:
    """Return an endpoint that turns what is refused into an answer."""

    async def endpoint(request: Request) -> Response:
        try:
            return await work(request)
        except RefusalError as error:
            return JSONResponse({"error": str(error)}, error.status)
        except InputError as error:
            return JSONResponse({"error": error.problems[0].message}, 400)
        except ClientDisconnect:
            return JSONResponse({"error": "the request broke off"}, 400)
        except sqlite3.Error:
            return JSONResponse({"error": "the answer could not be kept: try again"}, 503)

    return endpoint


def _check_flags(said: dict[str, Any]) -> None:
    for flag in said.get("flags", ()):
        if flag not in FLAGS:
            raise RefusalError(400, f"unknown flag {flag[:40]!r} {candidates('flags', FLAGS)}")


async def _done(future: Future[T]) -> T:
    return await asyncio.wrap_future(future)


def _limit(rate: Rate, name: str) -> None:
    if not rate.allows(name):
        raise RefusalError(429, "too many requests: wait a little")


async def _read(request: Request, shape: Any) -> dict[str, Any]:
    """Return the JSON of a request; raise for what is too large or of another shape."""
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > LARGEST:
            raise RefusalError(413, f"a request has at most {LARGEST:,} bytes")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise RefusalError(400, "the request is not UTF-8") from None
    said: dict[str, Any] = parse_json(text, shape, Path(request.url.path))
    _refuse_unknown(said, shape)
    return said


def _refuse_unknown(said: dict[str, Any], shape: Any) -> None:
    known = {key.removesuffix("?"): inner for key, inner in shape.items()}
    for key, value in said.items():
        if key not in known:
            raise RefusalError(400, f"unknown key {key[:40]!r}")
        if isinstance(known[key], dict):
            _refuse_unknown(value, known[key])
