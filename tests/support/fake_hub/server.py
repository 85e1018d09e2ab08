"""The server: reads requests, lets faults strike, answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from fake_hub import reads, repos, uploads  # noqa: F401 (they register their routes)
from fake_hub.faults import Fault
from fake_hub.messages import HubError, Reply, Request, find_route
from fake_hub.store import Repo, User

__all__ = ["TOKEN", "FakeHub", "Seen"]

TOKEN = "hf_token_of_the_tester"
TESTER = User("tester", ("org",))


@dataclass(frozen=True)
class Seen:
    """A request that was made: ``status`` 0 means that no answer was sent.

    ``sent``: bytes of its body.
    """

    method: str
    path: str
    status: int
    sent: int

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "FakeHub"
    wbufsize = -1  # one packet for an answer: two would wait 40 ms for each other
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""

    def handle_any(self) -> None:
        """Answer any request."""
        hub = self.server.hub
        headers = {name.title(): value for name, value in self.headers.items()}
        request = Request(hub, self.command, self.path, headers, self._body())
        with hub.lock:
            reply, fault = hub.answer(request)
            kind = fault.kind if fault is not None else ""
            lost = reply is None or kind == "lost"
            status = 0 if reply is None or lost else reply.status
            hub.log.append(Seen(self.command, self.path, status, len(request.body)))
        if reply is not None and not lost:
            self._send(reply, kind)
        if lost or kind in ("cut", "stall"):
            self.close_connection = True
        if kind in ("silent", "stall"):
            self.rfile.read(1)  # until they hang up

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_any  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _send(self, reply: Reply, kind: str) -> None:
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        cut = len(reply.body) // 2 if kind in ("cut", "stall") else None
        pieces = [bytes([byte]) for byte in reply.body] if kind == "drip" else [reply.body[:cut]]
        for piece in pieces if self.command != "HEAD" else ():
            self.wfile.write(piece)
            self.wfile.flush()
            time.sleep(0.05 * (kind == "drip"))
        self.wfile.flush()

    def handle(self) -> None:
        """Serve a connection; a client that was killed is no error of ours."""
        try:
            super().handle()
        except (ConnectionError, BrokenPipeError):
            self.close_connection = True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    hub: FakeHub


class FakeHub:
    """A hub; see the package. ``watch`` is called after every request, while no other is served.

    ``users``: by token; ``objects``: LFS objects by SHA-256; ``xet_dir``: the store of xet, if it
    is on; ``cas``: the address of another one to send clients to; ``asked``: the request whose
    answer is spoilt.
    """

    def __init__(self, xet_dir: Path | None = None) -> None:
        self.users = {TOKEN: TESTER}
        self.xet_dir, self.cas = xet_dir, ""
        self.repos: dict[str, Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.log: list[Seen] = []
        self.asked: Request | None = None
        self.faults: list[Fault] = []
        self.watch: Callable[[FakeHub], None] = lambda hub: None
        self.lock = threading.RLock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.hub = self
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeHub:
        serve = self._server.serve_forever
        threading.Thread(target=serve, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reset(self) -> None:
        """Forget everything but the users."""
        with self.lock:
            self.repos, self.objects, self.log, self.faults = {}, {}, [], []

    def answer(self, request: Request) -> tuple[Reply | None, Fault | None]:
        """Carry a request out, unless a fault strikes; no reply means that none is sent."""
        fault = next((f for f in self.faults if f.strikes(request.method, request.target)), None)
        if fault is not None and fault.kind != "after":
            fault.action()
        if fault is not None and fault.kind == "status":
            return HubError(fault.status, "injected fault").reply(), fault
        if fault is not None and fault.kind in ("drop", "silent"):
            return None, fault
        try:
            reply = find_route(request.method, request.path)(request)
        except HubError as error:
            reply = error.reply()
        self.watch(self)
        if fault is not None and fault.kind == "after":
            fault.action()
        if fault is not None and fault.kind == "spoil":
            self.asked = request
            reply = fault.change(reply)
        return reply, fault

    def env(self, home: Path, token: str | None = TOKEN) -> dict[str, str]:
        """The environment of a process that must talk to this hub only."""
        login = {"HF_TOKEN": token} if token else {"HF_TOKEN_PATH": str(home / "no-token")}
        return {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "0" if self.xet_dir else "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            **login,
        }
