"""The page with the server: faults of the network, a reload, another device, the end of a study."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from starlette.responses import JSONResponse
from test_study_page import READY
from uvicorn import Config, Server

from people import browser_or_skip, made_study
from solecism.judge.design import ANSWERS_FILE, AnswerDelivery, Study
from solecism.judge.server import AnswerStore, make_app, open_socket

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browser_or_skip() as found:
        yield found


class House:
    """A server in a thread: ``faults`` are statuses for the next requests, by what is asked."""

    def __init__(self, study: Study) -> None:
        self.study, self.app, self.address = study, make_app(study), ""
        self.asked: list[str] = []
        self.faults: dict[str, list[int]] = {"session": [], "answer": [], "finish": []}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        what = scope.get("path", "").rpartition("/")[2]
        app: Any = self.app
        if scope.get("method") == "POST":
            self.asked.append(what)
            if self.faults[what]:
                app = JSONResponse({"error": "as told"}, self.faults[what].pop(0))
        await app(scope, receive, send)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return AnswerStore(self.study).rows()

    @property
    def finished(self) -> bool:
        return AnswerStore(self.study).counts()[1][1] == 1


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(made_study(tmp_path / "study", home=AnswerDelivery("server")))
    place = open_socket("127.0.0.1", 0)
    house.address = f"http://127.0.0.1:{place.getsockname()[1]}/"
    server = Server(Config(house, log_level="error"))
    thread = Thread(target=server.run, kwargs={"sockets": [place]}, daemon=True)
    thread.start()
    yield house
    server.should_exit = server.force_exit = True
    thread.join(10)
    place.close()


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
    assert [row["position"] for row in house.rows] == list(range(1, total + 1))
    assert page.text_content("code") == house.rows[0]["participant"]
    assert house.finished
    assert house.asked == ["session", *["answer"] * total, "finish"]
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
    with sqlite3.connect(house.study.folder / ANSWERS_FILE) as answers:
        answers.execute("DELETE FROM answers WHERE position = 3")
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
    assert ["resumed" in row["flags"] for row in house.rows].count(True) == 7


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
