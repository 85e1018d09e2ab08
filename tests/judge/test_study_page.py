"""The page in a real browser: whole runs by keys and by touch, reloads, accessibility, no network.

Needs playwright and Chromium; skipped without them.
"""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from people import WatchedPage, made_study
from solecism.inputs import check
from solecism.judge.design import AnswerDelivery, Study, read_study
from solecism.judge.page import page_texts, write_page
from solecism.judge.protocol import SAVED, answer_row, mix, session_order
from solecism.judge.schema import ANSWERS, DESIGNS

pytestmark = pytest.mark.nightly

READY = ".jspsych-btn:not([disabled])"
PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 800}}


class Visitor(WatchedPage):
    """A person at the page of a study: by keys at a desk, or by touch on a phone."""

    def __init__(
        self, browser: Any, study: Study, touch: bool = False, query: str = "", address: str = ""
    ) -> None:
        super().__init__(browser, **(PHONE if touch else DESK))
        self.study, self.touch = study, touch
        self.page.goto(address or (study.folder / "page" / "index.html").as_uri() + query)

    def click(self, selector: str) -> None:
        self.page.wait_for_selector(READY)
        self.page.tap(selector) if self.touch else self.page.click(selector)

    def introduce(self) -> None:
        """Agree, state the language, read the instructions."""
        self.click(".first")
        self.click("[name=native] >> nth=0")
        self.click("input[type=submit]")
        self.click(".first")

    def here(self) -> str:
        """Return what the page shows now: a trial, a page to go on from, or the end."""
        self.page.wait_for_selector(READY)
        if self.page.query_selector("#download"):
            return "end"
        return "trial" if self.page.query_selector("#question") else "screen"

    def answer(self, number: int = 0) -> None:
        """Answer a trial of any design."""
        if self.study.design == "expert":
            self.click(f"[name=answer] >> nth={number}")
            self.page.select_option("#reason", index=1)
            self.page.fill("#comment", "odd <b>")
            self.click("input[type=submit]")
        elif self.touch:
            self.click(f"[data-choice='{number}']")
        else:
            keys = ["KeyF", "KeyJ"] if self.study.design == "choice" else ["Digit3", "Numpad6"]
            self.page.keyboard.press(keys[number])

    def go_on(self, trials: int = 1000) -> int:
        """Answer up to so many trials; return how many were answered."""
        done = 0
        while done < trials and (here := self.here()) != "end":
            if here == "trial":
                self.answer(done % 2)
                done += 1
            else:
                self.click(".first")
        return done

    def saved(self) -> dict[str, Any]:
        """Save the file and return what is in it."""
        with self.page.expect_download() as download:
            self.click("#download")
        value = json.loads(Path(download.value.path()).read_text("utf-8"))
        check(value, SAVED, Path("saved"))
        return dict(value)

    def faults(self, **options: Any) -> list[str]:
        self.page.wait_for_selector(READY)
        return super().faults(**options)


@pytest.mark.parametrize("touch", [False, True], ids=["keys", "touch"])
@pytest.mark.parametrize(
    ("language", "design"),
    [("en", "choice"), ("he", "choice"), ("zh", "choice"), ("en", "likert"), ("en", "expert")],
)
def test_a_whole_run(browser: Any, tmp_path: Path, language: str, design: str, touch: bool) -> None:
    study = made_study(tmp_path / "study", language, design=design)
    visitor = Visitor(browser, study, touch)
    visitor.introduce()
    assert visitor.go_on() == study.totals[0]
    saved = visitor.saved()
    _compare(study, saved)
    rows = saved["rows"]
    if design == "choice":
        firsts = [row["answer"] == row["shown"] for row in rows]
        assert firsts == [n % 2 == 0 for n in range(len(rows))]
    elif design == "likert":
        assert {row["rating"] for row in rows} == ({1, 2} if touch else {3, 6})
    else:
        assert {(row["comment"], row["reason"]) for row in rows} == {("odd <b>", "agreement")}
    assert visitor.errors == []
    root = visitor.page.query_selector("html")
    assert root.get_attribute("lang") == language
    assert root.get_attribute("dir") == ("rtl" if language == "he" else "ltr")
    assert root.get_attribute("translate") == "no"
    assert all(re.match("(file|blob):", url) for url in visitor.requests)


def _compare(study: Study, saved: dict[str, Any]) -> None:
    """Rows are those that the study would make of them, in the order that follows from the seed."""
    order = session_order(study, saved["list"], saved["seed"])
    assert [row["item"] for row in saved["rows"]] == order
    keys = sorted(order, key=lambda key: (mix(f"side {saved['seed']} {key}"), key))
    first = {key: ("good", "bad")[rank % 2] for rank, key in enumerate(keys)}  # half of each
    for row in saved["rows"]:
        if study.design == "choice":
            assert row["shown"] == first[row["item"]]
        answer = {"position": row["position"], "item": row["item"], "row": row}
        made = answer_row(study, saved["list"], answer, saved)
        assert {name: row[name] for name in ANSWERS.names} == made


@pytest.mark.parametrize("design", DESIGNS)
def test_a_reload_loses_nothing(browser: Any, tmp_path: Path, design: str) -> None:
    study = made_study(tmp_path / "study", design=design)
    visitor = Visitor(browser, study)
    visitor.introduce()
    visitor.go_on(4)
    for _ in range(2):
        visitor.page.reload()
        visitor.go_on(1)
    visitor.page.reload()
    assert visitor.go_on() == study.totals[0] - 6
    visitor.page.reload()  # and at the end: the file can be saved again
    saved = visitor.saved()
    _compare(study, saved)
    flags = ["resumed" in row["flags"] for row in saved["rows"]]
    assert flags == [False] * 4 + [True] * (study.totals[0] - 4)


@pytest.mark.parametrize("touch", [False, True], ids=["desk", "phone"])
@pytest.mark.parametrize(
    ("language", "design"), [("en", "choice"), ("he", "likert"), ("zh", "expert")]
)
def test_axe_finds_nothing_serious(
    browser: Any, tmp_path: Path, language: str, design: str, touch: bool
) -> None:
    study = made_study(tmp_path / "study", language, design=design)
    visitor = Visitor(browser, study, touch)
    faults = {"consent": visitor.faults()}
    visitor.click(".first")
    faults["about"] = visitor.faults()
    visitor.click("[name=native] >> nth=1")
    visitor.page.fill("#which", "Latin")
    faults["other"] = visitor.faults()
    visitor.click("input[type=submit]")
    faults["instructions"] = visitor.faults()
    visitor.click(".first")
    faults["trial"] = visitor.faults()
    visitor.go_on(1)
    faults["feedback"] = visitor.faults()
    visitor.go_on()
    faults["end"] = visitor.faults()
    assert {name: found for name, found in faults.items() if found} == {}
    assert visitor.saved()["native_language"] == "Latin"


def test_what_is_tapped_is_large_and_nothing_is_cut(browser: Any, tmp_path: Path) -> None:
    visitor = Visitor(browser, made_study(tmp_path / "study", "he", design="likert"), touch=True)
    while True:
        visitor.page.wait_for_selector(READY)
        sizes = visitor.page.evaluate(
            "[...document.querySelectorAll('button, input[type=submit], div.option')]"
            ".map((e) => [e.offsetWidth, e.offsetHeight])"
        )
        assert all(width >= 40 and height >= 44 for width, height in sizes)
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 375
        if visitor.page.query_selector("#question"):
            break
        radio = visitor.page.query_selector("[name=native]")
        if radio:
            radio.tap()
        visitor.click("input[type=submit], .first")


def test_who_does_not_agree_leaves_nothing(browser: Any, tmp_path: Path) -> None:
    visitor = Visitor(browser, made_study(tmp_path / "study"))
    visitor.click(".second")
    visitor.page.wait_for_selector("text=Nothing was stored")
    assert visitor.page.evaluate("localStorage.length") == 0


def test_identifiers_are_hashed_and_lists_can_be_asked_for(browser: Any, tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", lists=2)
    names = []
    for query in (
        "?PROLIFIC_PID=secret1&list=2",
        "?PROLIFIC_PID=secret1&list=1",
        "?PROLIFIC_PID=secret2",
    ):
        visitor = Visitor(browser, study, query=query)
        visitor.introduce()
        visitor.go_on()
        saved = visitor.saved()
        stored = visitor.page.evaluate("JSON.stringify(localStorage)")
        assert "secret" not in json.dumps(saved) + stored
        names.append((saved["participant"], saved["list"]))
    assert names[0][0] == names[1][0] != names[2][0]
    assert [number for _, number in names[:2]] == [2, 1]


def test_sentences_are_texts_never_markup(browser: Any, tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", practice=0, catch=0)
    path = study.folder / "items.jsonl"
    evil = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u2028 &amp; {{x}}"
    items = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines = [json.dumps({**item, "good": evil}, ensure_ascii=False) for item in items]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    study = read_study(study.folder)
    write_page(study)
    visitor = Visitor(browser, study)
    visitor.introduce()
    visitor.page.wait_for_selector(READY)
    shown = visitor.page.locator(".option .sentence").all_text_contents()
    assert evil in shown
    assert visitor.page.locator("#study img").count() == 0
    assert visitor.errors == []


def test_the_page_is_small_and_policy_strict(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study")
    texts = page_texts(study)
    assert sum(len(text.encode()) for text in texts.values()) < 400_000
    index = unescape(texts["index.html"])
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in index
    assert "unsafe" not in index
    assert not re.search(r"\bon\w+=|<style|<script>", index)
    assert "sourceMappingURL" not in "".join(texts.values())
    assert study.salt in texts["study.js"]


def test_a_page_of_a_server_has_no_salt(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", home=AnswerDelivery("server"))
    assert study.salt not in (study.folder / "page/study.js").read_text("utf-8")
