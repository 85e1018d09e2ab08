"""Synthetic participants: they take the real page of a study in a headless browser.

They answer through jsPsych's simulation mode, so that what they leave is what people would leave,
with the flag ``simulated``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solecism.judge.design import AnswerDelivery, Study
from solecism.judge.page import page_texts, read_wording

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["Crowd", "chromium", "simulate"]

_SCRIPT = Path(__file__).with_name("simulate.js")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


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
    visual: bool = False


def simulate(study: Study, crowd: Crowd, out: Path, url: str = "") -> list[dict[str, Any]]:
    """Let synthetic participants take a study in turn; return the files with their answers.

    With ``url``, the address of a server, they take the page there, which has their answers then.
    """
    address, saved = url, []
    if not url:
        local = replace(study, home=AnswerDelivery())
        out.mkdir(parents=True, exist_ok=True)
        for file, text in page_texts(local, read_wording(study)).items():
            (out / file).write_text(text, encoding="utf-8")
        address = (out / "index.html").as_uri()
    with chromium() as browser:
        for number in range(1, crowd.participants + 1):
            context = browser.new_context()
            guesses = int(number * crowd.guessers) > int((number - 1) * crowd.guessers)
            settings = {"seed": f"simulated-{number}", "accuracy": crowd.accuracy,
                        "guesses": guesses, "mode": "visual" if crowd.visual else "data-only"}  # fmt: skip
            script = _SCRIPT.read_text("utf-8").replace("= SETTINGS;", f"= {json.dumps(settings)};")
            context.add_init_script(script)
            page = context.new_page()
            list_ = "" if url else f"&list={(number - 1) % len(study.lists) + 1}"
            page.goto(f"{address}?participant=simulated-{number}{list_}")
            page.wait_for_selector("body[data-ended]", timeout=120_000)
            if not url:
                with page.expect_download() as download:
                    page.click("#download")
                saved.append(json.loads(Path(download.value.path()).read_text("utf-8")))
            context.close()
    return saved


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield headless Chromium; raises :class:`FileNotFoundError` if there is none."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, _NAMES)), playwright.chromium.executable_path)
        if not Path(found).is_file():
            raise FileNotFoundError("no Chromium: apt-get install chromium")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()
