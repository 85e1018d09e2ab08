"""The page with a server: faults of the network, a reload, another device, a study that is over.

The server here does as `solecism.judge.protocol` says, and fails when it is told to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from test_study_page import READY

from people import browser_or_skip, made_study
from solecism.inputs import check
from solecism.judge.design import AnswerDelivery, Study
from solecism.judge.protocol import ANSWER, FINISH, SESSION, answer_row

pytestmark = pytest.mark.nightly

SHAPES = {"session": SESSION, "answer": ANSWER, "finish": FINISH}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browser_or_skip() as found:
        yield found


class House(ThreadingHTTPServer):
    """A server for one person: ``faults`` are statuses for the next requests, by what is asked."""

    daemon_threads = True

    def __init__(self, study: Study) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.study = study
        self.rows: dict[int, dict[str, Any]] = {}
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.faults: dict[str, list[int]] = {"session": [], "answer": [], "finish": []}
        self.finished = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def reply(self, what: str, value: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        check(value, SHAPES[what], Path(what))
        self.asked.append((what, value))
        if self.faults[what]:
            return self.faults[what].pop(0), {"error": "as told"}
        return 200, getattr(self, f"_{what}")(value)

    def _session(self, value: dict[str, Any]) -> dict[str, Any]:
        assert value["study"] == self.study.id
        answered = sorted(self.rows)
        return {"session": "s1", "list": 1, "participant": "code1", "answered": answered,
                "finished": self.finished}  # fmt: skip

    def _answer(self, value: dict[str, Any]) -> dict[str, Any]:
        row = answer_row(self.study, 1, value, {"participant": "code1"})
        assert self.rows.setdefault(value["position"], row) == row
        return {"ok": True}

    def _finish(self, value: dict[str, Any]) -> dict[str, Any]:
        missing = [n for n in range(1, self.study.totals[0] + 1) if n not in self.rows]
        self.finished = not missing
        return {"ok": not missing, "missing": missing}


class Handler(SimpleHTTPRequestHandler):
    server: House

    def __init__(self, *args: Any) -> None:
        super().__init__(*args, directory=str(args[2].study.folder / "page"))

    def do_POST(self) -> None:
        value = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, body = self.server.reply(self.path.rpartition("/")[2], value)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    study = made_study(tmp_path / "study", home=AnswerDelivery("server"))
    server = House(study)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def introduce(page: Any) -> None:
    page.click(".first:not([disabled])")
    page.click("[name=native] >> nth=0")
    page.click("input[type=submit]")
    page.click(".first:not([disabled])")


def go_on(page: Any, trials: int) -> None:
    while trials:
        page.wait_for_selector(READY)
        if page.query_selector("#question"):
            page.keyboard.press("KeyF")
            trials -= 1
        else:
            page.click(".first:not([disabled])")


def sent(page: Any) -> int:
    """Return how many answers the page knows to be confirmed."""
    return int(page.evaluate("JSON.parse(Object.values(localStorage)[0]).sent.length"))


def until(page: Any, true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it never came true")


def test_answers_arrive_one_by_one(house: House, page: Any) -> None:
    page.goto(house.address + "?PROLIFIC_PID=secret")
    introduce(page)
    total = house.study.totals[0]
    go_on(page, total)
    page.wait_for_selector("text=Your answers have arrived")
    assert "code1" in page.text_content("code")
    assert sorted(house.rows) == list(range(1, total + 1))
    assert house.finished
    assert [what for what, _ in house.asked] == ["session", *["answer"] * total, "finish"]
    assert house.asked[0][1]["participant"] == "secret"  # the server hashes it
    assert "secret" not in page.evaluate("JSON.stringify(localStorage)")
    page.reload()  # who comes again sees the end, and nothing is asked
    page.wait_for_selector("text=Your answers have arrived")
    assert len(house.asked) == total + 2


def test_faults_of_the_network_are_outlived(house: House, page: Any) -> None:
    house.faults = {"session": [503], "answer": [500, 429], "finish": [502]}
    page.goto(house.address)
    introduce(page)
    go_on(page, house.study.totals[0])
    page.wait_for_selector("text=Your answers have arrived")
    assert house.finished


def test_what_the_server_lost_is_sent_again(house: House, page: Any) -> None:
    page.goto(house.address)
    introduce(page)
    go_on(page, house.study.totals[0] - 1)
    until(page, lambda: sent(page) >= 9)
    del house.rows[3]
    go_on(page, 1)
    page.wait_for_selector("text=Your answers have arrived")
    assert house.finished


def test_a_reload_with_answers_on_the_way(house: House, page: Any) -> None:
    house.faults["answer"] = [503] * 2
    page.goto(house.address)
    introduce(page)
    go_on(page, 3)
    page.reload()
    go_on(page, house.study.totals[0] - 3)
    page.wait_for_selector("text=Your answers have arrived")
    assert house.finished
    assert ["resumed" in row["flags"] for row in house.rows.values()].count(True) == 7


def test_another_device_goes_on_where_the_first_stopped(house: House, page: Any) -> None:
    page.goto(house.address + "?PROLIFIC_PID=secret")
    introduce(page)
    go_on(page, 4)
    until(page, lambda: sent(page) == 4)
    page.evaluate("localStorage.clear()")
    page.goto(house.address + "?PROLIFIC_PID=secret")
    introduce(page)
    go_on(page, house.study.totals[0] - 4)
    page.wait_for_selector("text=Your answers have arrived")
    assert house.finished


def test_a_page_that_is_out_of_date_says_so(house: House, page: Any) -> None:
    house.faults["session"] = [409]
    page.goto(house.address)
    page.click(".first:not([disabled])")
    page.click("[name=native] >> nth=0")
    page.click("input[type=submit]")
    page.click(".first:not([disabled])")
    page.wait_for_selector("text=This page is out of date. Please write to us@example.org")


def test_refused_answers_can_be_saved(house: House, page: Any) -> None:
    house.faults["answer"] = [422] * 100
    page.goto(house.address)
    introduce(page)
    go_on(page, house.study.totals[0])
    page.wait_for_selector("text=could not be sent")
    with page.expect_download() as download:
        page.click("#download")
    saved = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert len(saved["rows"]) == house.study.totals[0]
    house.faults["answer"] = []
    page.click("text=Try again")
    page.wait_for_selector("text=Your answers have arrived")
    assert house.finished
