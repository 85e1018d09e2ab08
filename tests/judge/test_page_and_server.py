"""The page with the server: faults of the network, a reload, another device, the end of a study."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from starlette.responses import JSONResponse
from test_study_page import Visitor
from uvicorn import Config, Server

from people import made_study
from solecism.judge.design import ANSWERS_FILE, AnswerDelivery, Study
from solecism.judge.server import AnswerStore, make_app, open_socket

pytestmark = pytest.mark.nightly


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
def visitor(browser: Any, house: House) -> Visitor:
    return Visitor(browser, house.study, address=house.address + "?PROLIFIC_PID=secret")


def sent(page: Any) -> int:
    """Return how many answers the page knows to be confirmed."""
    return int(page.evaluate("JSON.parse(Object.values(localStorage)[0]).sent.length"))


def until(page: Any, true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it never came true")


def arrived(house: House, visitor: Visitor) -> None:
    visitor.page.wait_for_selector("text=Your answers have arrived")
    assert house.finished


def test_answers_arrive_one_by_one(house: House, visitor: Visitor) -> None:
    visitor.introduce()
    total, page = house.study.totals[0], visitor.page
    visitor.go_on(total)
    arrived(house, visitor)
    assert [row["position"] for row in house.rows] == list(range(1, total + 1))
    assert page.text_content("code") == house.rows[0]["participant"]
    assert house.asked == ["session", *["answer"] * total, "finish"]
    assert "secret" not in page.evaluate("JSON.stringify(localStorage)")
    page.reload()  # who comes again sees the end, and nothing is asked
    page.wait_for_selector("text=Your answers have arrived")
    assert len(house.asked) == total + 2


def test_faults_of_the_network_are_outlived(house: House, visitor: Visitor) -> None:
    house.faults = {"session": [503], "answer": [500, 429], "finish": [502]}
    visitor.introduce()
    visitor.go_on(house.study.totals[0])
    arrived(house, visitor)


def test_what_the_server_lost_is_sent_again(house: House, visitor: Visitor) -> None:
    visitor.introduce()
    visitor.go_on(house.study.totals[0] - 1)
    until(visitor.page, lambda: sent(visitor.page) >= 9)
    with sqlite3.connect(house.study.folder / ANSWERS_FILE) as answers:
        answers.execute("DELETE FROM answers WHERE position = 3")
    visitor.go_on(1)
    arrived(house, visitor)


def test_a_reload_with_answers_on_the_way(house: House, visitor: Visitor) -> None:
    house.faults["answer"] = [503] * 2
    visitor.introduce()
    visitor.go_on(3)
    visitor.page.reload()
    visitor.go_on(house.study.totals[0] - 3)
    arrived(house, visitor)
    assert ["resumed" in row["flags"] for row in house.rows].count(True) == 7


def test_another_device_goes_on_where_the_first_stopped(house: House, visitor: Visitor) -> None:
    visitor.introduce()
    visitor.go_on(4)
    until(visitor.page, lambda: sent(visitor.page) == 4)
    visitor.page.evaluate("localStorage.clear()")
    visitor.page.reload()
    visitor.introduce()
    visitor.go_on(house.study.totals[0] - 4)
    arrived(house, visitor)


def test_a_page_that_is_out_of_date_says_so(house: House, visitor: Visitor) -> None:
    house.faults["session"] = [409]
    visitor.introduce()
    visitor.page.wait_for_selector("text=This page is out of date. Please write to us@example.org")


def test_refused_answers_can_be_saved(house: House, visitor: Visitor) -> None:
    house.faults["answer"] = [422] * 100
    visitor.introduce()
    visitor.go_on(house.study.totals[0])
    visitor.page.wait_for_selector("text=could not be sent")
    assert len(visitor.saved()["rows"]) == house.study.totals[0]
    house.faults["answer"] = []
    visitor.page.click("text=Try again")
    arrived(house, visitor)
