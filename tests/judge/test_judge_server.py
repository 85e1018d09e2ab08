"""The server of a study: what it takes, what it refuses, what it keeps."""

import json
import signal
import socket
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

pytest.importorskip("starlette", reason="needs the extra `judge`")
pytest.importorskip("uvicorn", reason="needs the extra `judge`")


from solecism.commands import main
from solecism.errors import InputError
from solecism.judge.design import STUDY, Study, read_study
from solecism.judge.importing import states_of_lists
from solecism.judge.protocol import pseudonym
from solecism.judge.server import AnswerStore, RateLimit, make_app
from studies import Client, answer, serving_study, write_study
from tiny import edit

Served = tuple[Study, Client, str]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    study = write_study(tmp_path / "study")
    with serving_study(study.folder) as (url, _):
        yield study, Client(url), url


def begin(client: Client, study: Study, participant: str = "ada", **more: Any) -> dict[str, Any]:
    said = {"study": study.id, "participant": participant, **more}
    status, found = client.post("session", said)
    assert status == 200, found
    session: dict[str, Any] = found
    return session


def test_a_whole_session(served: Served) -> None:
    study, client, _ = served
    session = begin(client, study, native_language="en", flags=["honeypot"])
    code = pseudonym("ada", "pepper")
    assert session == {
        **session, "list": 1, "participant": code, "answered": [], "finished": False,
    }  # fmt: skip
    name, keys = session["session"], study.lists[0]
    for position, key in enumerate(keys[:-1], 1):
        assert client.post("answer", answer(name, position, key)) == (200, {"ok": True})
    assert client.post("finish", {"session": name, "answers": 4})[1]["missing"] == [4]
    last = answer(name, 4, keys[-1], answer="bad", flags=["resumed"])
    assert client.post("answer", last)[0] == 200
    assert client.post("finish", {"session": name, "answers": 4})[1]["missing"] == []
    rows = AnswerStore(study).rows()
    assert [row["position"] for row in rows] == [1, 2, 3, 4]
    assert rows[0]["kind"] == "practice"
    assert rows[3] == {**rows[3], "answer": "bad", "flags": ["honeypot", "resumed"], "trials": 4}
    assert rows[0]["participant"] == code != "ada"
    assert begin(client, study) == {**session, "answered": [1, 2, 3, 4], "finished": True}
    for path in study.folder.rglob("*"):
        if path.is_file():
            assert b"127.0.0.1" not in path.read_bytes()


def test_the_same_answer_again_is_stored_once(served: Served) -> None:
    study, client, _ = served
    session, key = begin(client, study)["session"], study.lists[0][1]
    for _ in range(3):
        assert client.post("answer", answer(session, 2, key))[0] == 200
    assert client.post("answer", answer(session, 2, key, answer="bad"))[0] == 409
    assert client.post("answer", answer(session, 3, key))[0] == 409
    assert len(AnswerStore(study).rows()) == 1


def test_lists_are_filled_evenly(served: Served) -> None:
    study, client, _ = served
    assert [begin(client, study, f"p{n}")["list"] for n in range(5)] == [1, 2, 1, 2, 1]
    assert begin(client, study, "asked", list=1)["list"] == 1
    assert begin(client, study, "next")["list"] == 2


def test_those_who_left_do_not_fill_a_list(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    study, client, _ = served
    for name in ("a", "b", "c"):
        begin(client, study, name)
    assert [state[0] for state in states_of_lists(study).values()] == [2, 1]
    monkeypatch.setattr("solecism.judge.server.ABANDONED", -10)
    assert [state[0] for state in states_of_lists(study).values()] == [0, 0]


def test_what_is_refused(served: Served) -> None:
    study, client, _ = served
    name, key = begin(client, study)["session"], study.lists[0][1]
    right = answer(name, 2, key)
    wrong: list[tuple[str, Any, int, str]] = [
        ("session", {"study": "other", "participant": "x"}, 409, "older design"),
        ("session", {"study": study.id, "participant": "x", "list": 3}, 400, "the study has 2"),
        ("session", {"study": study.id, "participant": ""}, 400, "no characters"),
        ("session", {"study": study.id, "participant": "x", "flags": ["x"]}, 400, "[1] is 'x'"),
        ("answer", {**right, "session": "nobody"}, 404, "no such session"),
        ("answer", {**right, "item": study.lists[1][1]}, 400, "is not in list 1"),
        ("answer", answer(name, 2, key, time=-1), 400, "time"),
        ("answer", b"[" * 5000, 400, "is not JSON"),
        ("answer", b"\xff", 400, "can't decode byte 0xff"),
        ("answer", b" " * 20_000, 413, "at most 16,384 bytes"),
    ]
    for where, said, status, message in wrong:
        found = client.post(where, said)
        assert found[0] == status, (said, found)
        assert message in found[1]["error"]
    assert AnswerStore(study).rows() == []
    assert client.get("/api/answer")[0] == 404


def test_pages_cannot_be_left_and_are_protected(served: Served) -> None:
    _, client, _ = served
    assert client.get("/")[1].startswith("<!doctype html>")
    assert "frame-ancestors 'none'" in client.headers["content-security-policy"]
    assert client.headers["x-content-type-options"] == "nosniff"
    assert "server" not in client.headers
    for path in ("/../salt.txt", "/..%2fsalt.txt", "/%2e%2e/study.toml", "/salt.txt"):
        assert client.get(path)[0] == 404


def test_results_need_the_token(served: Served) -> None:
    study, client, _ = served
    session = begin(client, study)
    client.post("answer", answer(session["session"], 1, study.lists[0][0]))
    assert client.get("/api/answers")[0] == client.get("/api/answers", "wrong")[0] == 401
    token = (study.folder / "token.txt").read_text().strip()
    for name in ("token.txt", "answers.sqlite", "answers.sqlite-wal"):
        assert (study.folder / name).stat().st_mode & 0o077 == 0
    status, text = client.get("/api/answers", token)
    assert status == 200
    assert [json.loads(line) for line in text.splitlines()] == AnswerStore(study).rows()


def judge(study: Study, url: list[str], name: str, told: Counter[tuple[str, int]]) -> None:
    """Do a whole session as a page does it: ask again until an answer is confirmed."""

    def ask(where: str, said: Any) -> Any:
        while True:
            try:
                status, found = Client(url[0]).post(where, said)
            except (OSError, ValueError, HTTPException):
                time.sleep(0.05)
                continue
            if status == 200:
                return found
            assert status in (429, 503), found
            time.sleep(0.1)

    session = ask("session", {"study": study.id, "participant": name})
    keys = study.lists[session["list"] - 1]
    for position, key in enumerate(keys, 1):
        ask("answer", answer(session["session"], position, key))
        told[name, position] += 1
    assert ask("finish", {"session": session["session"], "answers": len(keys)})["missing"] == []


def test_nothing_confirmed_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", lists=3, trials=20)
    told: Counter[tuple[str, int]] = Counter()
    url = ["http://127.0.0.1:1"]
    people = [
        threading.Thread(target=judge, args=(study, url, f"p{n}", told), daemon=True)
        for n in range(12)
    ]
    for person in people:
        person.start()
    for kill in (60, 150):
        with serving_study(study.folder) as (url[0], process):
            while len(told) < kill:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
    with serving_study(study.folder) as (url[0], _):
        for person in people:
            person.join(60)
    rows = AnswerStore(study).rows()
    assert len(rows) == len(told) == 12 * 20
    assert set(Counter(row["participant"] for row in rows).values()) == {20}
    assert [state[1] for state in states_of_lists(study).values()] == [4, 4, 4]


def test_status_and_errors_in_the_terminal(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study")
    run = CliRunner().invoke
    shown = run(main, ["judge", "serve", str(study.folder), "--status"])
    assert shown.exit_code == 0
    assert [line.split()[0] for line in shown.stdout.splitlines()] == ["list", "1", "2", "all"]
    with serving_study(study.folder) as (url, _):
        port = url.rpartition(":")[2]
        again = run(main, ["judge", "serve", str(study.folder), "--port", port])
        assert again.exit_code == 2
        assert f"cannot listen at 127.0.0.1 port {port}" in again.stderr
    edit(study.folder / STUDY, "seed = 7", "seed = 8")
    with pytest.raises(InputError, match="its design was changed"):
        make_app(read_study(study.folder))
    (study.folder / "page" / "index.html").unlink()
    done = run(main, ["judge", "serve", str(study.folder)])
    assert done.exit_code == 2
    assert "there is no page here" in done.stderr


def test_rates() -> None:
    rate = RateLimit(each=2, most=3)
    assert [rate.allows("1.2.3.4", 0.0) for _ in range(4)] == [True, True, True, False]
    assert rate.allows("1.2.3.5", 0.0)
    assert not rate.allows("1.2.3.4", 0.1)
    assert rate.allows("1.2.3.4", 1.0)
    households = [rate.allows(f"2001:db8:0:1::{n}", 0.0) for n in range(4)]
    assert households == [True, True, True, False]
    assert rate.allows("2001:db8:0:2::1", 0.0)
    assert b"1.2.3.4" not in b"".join(rate._left)


def test_an_empty_token_is_refused(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study")
    (study.folder / "token.txt").write_text("  \n")
    with pytest.raises(InputError, match=r"token\.txt: is empty"):
        make_app(study)


def test_a_page_on_another_host(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study")
    edit(study.folder / STUDY, "origins = []", 'origins = ["https://lab.example.org"]')
    study = read_study(study.folder)
    start = "access-control-request"
    asked = {f"{start}-method": "POST", f"{start}-headers": "content-type"}
    said = {"study": study.id, "participant": "ada"}
    with TestClient(make_app(study)) as client:
        for origin, allowed in (("https://lab.example.org", True), ("https://evil.org", False)):
            preflight = client.options("/api/session", headers={"origin": origin, **asked})
            assert preflight.is_success == allowed
            found = client.post("/api/session", json=said, headers={"origin": origin})
            assert found.headers.get("access-control-allow-origin") == (origin if allowed else None)


def test_a_full_disk_is_outlived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = write_study(tmp_path / "study")
    said = {"study": study.id, "participant": "ada"}
    connect = sqlite3.connect

    def full(*_: Any, **__: Any) -> Any:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("sqlite3.connect", full)
    with TestClient(make_app(study)) as client:
        assert client.get("/").is_success
        assert client.post("/api/session", json=said).status_code == 503
        monkeypatch.setattr("sqlite3.connect", connect)
        session = client.post("/api/session", json=said).json()["session"]
        right = answer(session, 1, study.lists[0][0])
        assert client.post("/api/answer", json=right).is_success


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0.01)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_one_client_cannot_starve_the_others(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study")
    attacker = {"x-forwarded-for": "203.0.113.9"}
    with serving_study(study.folder) as (url, _):
        host, port = urlsplit(url).hostname or "", urlsplit(url).port or 0
        greedy, statuses = HTTPConnection(host, port), Counter[int]()
        said = json.dumps({"study": study.id, "participant": "x"})
        for _ in range(300):
            greedy.request("POST", "/api/session", said, attacker)
            statuses[(found := greedy.getresponse()).status] += 1
            found.read()
        assert statuses[429] > 100
        held = [socket.create_connection((host, port)) for _ in range(250)]
        for each in held:
            with suppress(OSError):
                each.send(b"POST /api/session HTTP/1.1\r\nx: ")
        for n in range(20):
            assert begin(Client(url), study, f"honest {n}")
        assert sum(map(is_closed, held)) >= 50
        huge = socket.create_connection((host, port))
        with suppress(OSError):
            huge.sendall(b"GET / HTTP/1.1\r\nx: " + b"a" * 1_000_000)
        with suppress(OSError):
            assert b" 400 " in huge.recv(100)
