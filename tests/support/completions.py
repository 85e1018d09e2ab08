"""A completions server that wraps a tiny model, and ways in which real ones misbehave."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch
from tokenizers import decoders
from transformers import AutoModelForCausalLM, AutoTokenizer

Answer = dict[str, Any]
Fault = Callable[["Completions", Answer], Answer]


@dataclass
class Completions:
    """What a server does: its model, how it begins texts, what is wrong with it.

    ``asked``: the prompts that were asked for; ``headers``: of the last request; ``busiest``: the
    most requests at once.
    """

    folder: Path | None
    bos: bool = True
    latency: float = 0.0
    smallest: int = 0
    style: str = "echo"
    fault: Fault | None = None
    statuses: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    key: str = ""
    raw: bytes | None = None
    drip: float = 0.0
    models: list[str] = field(default_factory=lambda: ["tiny"])
    said: str = "not now"
    asked: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    now: int = 0
    busiest: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.folder is not None:
            self.tokenizer = AutoTokenizer.from_pretrained(self.folder)
            self.tokenizer.backend_tokenizer.decoder = decoders.ByteLevel()
            self.model = AutoModelForCausalLM.from_pretrained(self.folder).eval()

    def pieces(self, text: str) -> list[tuple[str, float | None]]:
        if self.folder is None:
            return [(c, None if n == 0 else -1.0 - ord(c) % 17) for n, c in enumerate(text)]
        ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        ids = [self.tokenizer.bos_token_id, *ids] if self.bos else ids
        with torch.no_grad():
            logp = self.model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        values = [None, *(float(logp[n, i]) for n, i in enumerate(ids[1:]))]
        return list(zip(map(self.tokenizer.decode, ids), values, strict=True))

    def answer(self, body: Answer) -> Answer:
        prompts = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
        self.asked += prompts
        choices = [self._choice(number, text, body) for number, text in enumerate(prompts)]
        found = {"id": "1", "model": "tiny", "choices": choices}
        return self.fault(self, found) if self.fault else found

    def _choice(self, number: int, text: str, body: Answer) -> Answer:
        pieces = self.pieces(text)
        more = [(" more", -1.5)] * body["max_tokens"]
        if self.style == "vllm" and "prompt_logprobs" in body:
            entries = [
                None if v is None else {"17": {"logprob": v, "rank": 1, "decoded_token": t}}
                for t, v in pieces
            ]
            return {"index": number, "text": " more", "prompt_logprobs": entries}
        if self.style != "echo" or not body.get("echo"):
            return {"index": number, "text": " more", "logprobs": None}
        tokens, values = zip(*pieces, *more, strict=True)
        return {
            "index": number, "text": text,
            "logprobs": {"tokens": list(tokens), "token_logprobs": list(values)},
        }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    state: Completions

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.state.key and self.headers.get("Authorization") != f"Bearer {self.state.key}":
            return self._send(
                401, {"error": {"message": f"wrong: {self.headers['Authorization']}"}}
            )
        return self._send(200, {"data": [{"id": name} for name in self.state.models]})

    def do_POST(self) -> None:
        state = self.state
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        state.headers = {name.title(): value for name, value in self.headers.items()}
        with state.lock:
            state.now += 1
            state.busiest = max(state.busiest, state.now)
            status, headers = state.statuses.pop(0) if state.statuses else (200, {})
        time.sleep(state.latency)
        with state.lock:  # before the answer is sent: its reader may ask again at once
            state.now -= 1
        if state.raw is not None:
            with suppress(OSError):  # the client has had enough
                for start in range(0, len(state.raw), step := 1 if state.drip else 1 << 16):
                    self.wfile.write(state.raw[start : start + step])
                    time.sleep(state.drip)
        elif status != 200:
            self._send(status, {"error": {"message": state.said}}, headers)
        elif body["max_tokens"] < state.smallest:
            self._send(400, {"error": {"message": "max_tokens must be at least 1"}})
        else:
            self._send(200, state.answer(body))

    def _send(self, status: int, body: Answer, headers: dict[str, str] | None = None) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(state: Completions) -> Iterator[str]:
    """Yield the name of a model behind a server that does as ``state`` says."""
    handler = type("Handler", (_Handler,), {"state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    ).start()
    try:
        yield f"openai:http://127.0.0.1:{server.server_port}/v1#tiny"
    finally:
        server.shutdown()
        server.server_close()
