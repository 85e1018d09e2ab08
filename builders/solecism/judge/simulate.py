"""Synthetic participants: they take the real page of a study in a headless browser.

They answer through jsPsych's simulation mode, so that what they leave is what people would leave,
with the flag ``simulated``. For tests, and to see how many judges a finding takes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from solecism.errors import fail
from solecism.files import write_text
from solecism.judge.design import Home, Study
from solecism.judge.page import page_texts
from solecism.judge.wording import read_wording
from solecism.progress import Progress, no_progress

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["Crowd", "chromium", "find_chromium", "simulate"]

_SCRIPT = Path(__file__).with_name("simulate.js")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE = 120_000
"""The most milliseconds that one participant may take."""


@dataclass(frozen=True)
class Crowd:
    """Synthetic participants.

    ``accuracy``: the share of trials that they answer by the labels; ``guessers``: the share of
    participants who press anything, quickly; ``visual``: they see and click all trials, in the time
    that they take, else trials are skipped as soon as they are shown.
    """

    participants: int
    accuracy: float = 0.95
    guessers: float = 0.0
    seed: int = 0
    visual: bool = False

    def guesses(self, number: int) -> bool:
        """Return whether participant ``number`` (from 1) is a guesser; they are spread evenly."""
        return int(number * self.guessers) > int((number - 1) * self.guessers)


def simulate(
    study: Study,
    crowd: Crowd,
    out: Path,
    url: str = "",
    progress: Progress = no_progress,
) -> list[Path]:
    """Let synthetic participants take a study; return the files with their answers.

    Lists are taken in turn, and a file is written for each participant. With ``url``, the address
    of `solecism judge serve`, they take the page there: the server has their answers then, chooses
    their lists, and no file is written. Raises :class:`InputError` without Chromium, and for a
    session that does not come to its end.
    """
    files = []
    with _place(study, url) as address, chromium() as browser:
        for number in range(1, crowd.participants + 1):
            text = _take(browser, study, crowd, number, address, bool(url))
            if text is not None:
                files.append(out / f"simulated-{crowd.seed}-{number}.json")
                write_text(files[-1], text)
            progress("participants", number, crowd.participants)
    return files


@contextmanager
def _place(study: Study, url: str) -> Iterator[str]:
    """Yield the address of the page; without a server that of one whose answers are downloaded."""
    if url:
        yield url
        return
    local = replace(study, home=Home())
    with TemporaryDirectory(prefix="solecism-") as name:
        for file, text in page_texts(local, read_wording(study)).items():
            write_text(Path(name) / file, text)
        yield (Path(name) / "index.html").as_uri()


def _take(
    browser: Browser, study: Study, crowd: Crowd, number: int, address: str, served: bool
) -> str | None:
    """Take the study as one participant; return the file of the answers, None from a server."""
    name = f"simulated-{crowd.seed}-{number}"
    context = browser.new_context()
    try:
        page = _opened(context, crowd, number, name)
        list_ = "" if served else f"&list={(number - 1) % len(study.lists) + 1}"
        _run(page, f"{address}?participant={name}{list_}", name)
        return None if served else _downloaded(page)
    finally:
        context.close()


def _opened(context: BrowserContext, crowd: Crowd, number: int, name: str) -> Page:
    settings = {
        "seed": name,
        "accuracy": crowd.accuracy,
        "guesses": crowd.guesses(number),
        "mode": "visual" if crowd.visual else "data-only",
    }
    script = _SCRIPT.read_text("utf-8").replace("= SETTINGS;", f"= {json.dumps(settings)};")
    context.add_init_script(script)
    return context.new_page()


def _run(page: Page, address: str, name: str) -> None:
    from playwright.sync_api import Error

    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    try:
        page.goto(address)
        page.wait_for_selector("body[data-ended]", timeout=_PATIENCE)
    except Error as error:
        reason = (errors or [error.message.splitlines()[0]])[0]
        raise fail(f"{name} did not come to the end of {address}: {reason}") from None


def _downloaded(page: Page) -> str:
    with page.expect_download() as download:
        page.click("#download")
    return Path(download.value.path()).read_text("utf-8") + "\n"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield headless Chromium; raises :class:`InputError` where there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise fail("this needs playwright: pip install 'solecism[simulate]'") from None
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        if path is None:
            hint = "apt-get install chromium, or playwright install chromium"
            raise fail(f"there is no Chromium here: {hint}")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def find_chromium(own: str = "") -> str | None:
    """Return the path of Chromium or Chrome: of the system, else ``own``, that of playwright."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    return found or (own if own and Path(own).is_file() else None)
