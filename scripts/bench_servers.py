"""How much faster several requests at once are. Usage: python scripts/bench_servers.py

A server here answers after 50 ms, whatever it is asked. The table has the seconds for the same
sentences with one request at a time and with several.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from solecism.scoring.engines.server import open_server
from solecism.terminal import terminal

LATENCY, SENTENCES, AT_ONCE = 0.05, 400, (1, 2, 4, 8, 16)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Do not print requests."""

    def do_GET(self) -> None:
        self._send({"data": [{"id": "tiny"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(LATENCY)
        choices = [
            {
                "index": number,
                "logprobs": {
                    "tokens": ["<s>", *text],
                    "token_logprobs": [None, *(-float(ord(sign) % 9 + 1) for sign in text)],
                },
            }
            for number, text in enumerate(body["prompt"])
        ]
        self._send({"choices": choices})

    def _send(self, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def seconds(model: str, requests: int) -> float:
    """Return the time that the sentences take, a prompt a request."""
    reader = open_server(model, requests)
    reader.prompts = 1
    texts = [f"Sentence {number} of many." for number in range(SENTENCES)]
    start = time.perf_counter()
    reader.encode(texts)
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    name = f"openai:http://127.0.0.1:{server.server_port}/v1#tiny"
    out, alone = terminal(), 0.0
    out.print(f"{SENTENCES} sentences, {1000 * LATENCY:.0f} ms an answer")
    for requests in AT_ONCE:
        took = seconds(name, requests)
        alone = alone or took
        out.print(f"{requests:3} at once: {took:6.2f} s, {alone / took:5.2f} times as fast")
    server.shutdown()


if __name__ == "__main__":
    main()
