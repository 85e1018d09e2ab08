"""Small studies, and requests to their servers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from subprocess import PIPE, Popen
from sys import executable
from typing import Any
from urllib.parse import urlsplit

from solecism.judge.design import ITEMS, LISTS, SALT, STUDY, Study, read_study, study_toml


def write_study(folder: Path, lists: int = 2, trials: int = 4, design: str = "choice") -> Study:
    """Write a study with lists of practice and other trials, and a page of one line."""
    keys = [[f"p{n}", *(f"i{n}-{t}" for t in range(trials - 1))] for n in range(lists)]
    items = [_item(key, design) for some in keys for key in some]
    known = {item["key"]: item for item in items}
    study = Study(
        folder, design, "Which sentence?", "en", 7, pairs=5, judges=3, practice=1, catch=0,
        data=(), items=known, lists=keys,
    )  # fmt: skip
    (folder / "page").mkdir(parents=True)
    (folder / "page" / "index.html").write_text("<!doctype html><title>page</title>\n")
    (folder / STUDY).write_text(study_toml(study))
    (folder / ITEMS).write_text("".join(json.dumps(item) + "\n" for item in items))
    (folder / LISTS).write_text(json.dumps(keys))
    (folder / SALT).write_text("pepper\n")
    return read_study(folder)


def _item(key: str, design: str) -> dict[str, str]:
    names = ("config", "id", "set_id", "UID", "linguistics_term", "language")
    sides = {"good": f"The dog {key} barks.", "bad": f"The dog {key} bark."}
    return {
        "key": key,
        "kind": "practice" if key.startswith("p") else "item",
        **dict.fromkeys(names, key),
        **(sides if design == "choice" else {"good": sides["good"]}),
    }


def answer(session: str, position: int, item: str, **row: Any) -> dict[str, Any]:
    """Return the request that hands in an answer of a forced choice."""
    said = {"shown": "good", "answer": "good", "time": 900, **row}
    return {"session": session, "position": position, "item": item, "row": said}


@dataclass
class Client:
    """Asks a server, over one connection."""

    url: str

    def __post_init__(self) -> None:
        self.connection = HTTPConnection(urlsplit(self.url).netloc, timeout=20)
        self.headers: dict[str, str] = {}

    def post(self, name: str, said: Any) -> tuple[int, Any]:
        """Return the status and the JSON that ``api/name`` answers."""
        raw = said if isinstance(said, bytes) else json.dumps(said).encode()
        return self._ask("POST", f"/api/{name}", raw, {"content-type": "application/json"})

    def get(self, path: str, token: str = "") -> tuple[int, Any]:
        """Return the status and the body of a page."""
        return self._ask("GET", path, None, {"authorization": f"Bearer {token}"} if token else {})

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, Any]:
        self.connection.request(method, path, body, headers)
        got = self.connection.getresponse()
        text, self.headers = got.read().decode(), {k.lower(): v for k, v in got.getheaders()}
        is_json = self.headers.get("content-type") == "application/json"
        return got.status, json.loads(text) if is_json else text


@contextmanager
def serving_study(folder: Path, port: int = 0) -> Iterator[tuple[str, Popen[str]]]:
    """Yield the address of a server that runs by itself, and its process."""
    command = [executable, "-m", "solecism", "judge", "serve", str(folder), "--port", str(port)]
    with Popen(command, stdout=PIPE, stderr=PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield line.rpartition(" at ")[2].strip().rstrip("/"), process
        finally:
            process.kill()
