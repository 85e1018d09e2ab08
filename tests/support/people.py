"""Small studies in three scripts, and a browser that takes them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from solecism.judge.creation import StudyOptions, StudyPair, create_study
from solecism.judge.design import DataSource, Study

SENTENCES = {
    "en": [
        (
            "The {} near the old house laughs every day.",
            "The {} near the old house laugh every day.",
        ),
        ("The {} that we met knows many songs.", "The {} that we met know many songs."),
    ],
    "he": [
        ("ה{} ליד הבית הישן צוחק כל יום.", "ה{} ליד הבית הישן צוחקים כל יום."),
        ("ה{} שפגשנו אתמול מכיר הרבה שירים.", "ה{} שפגשנו אתמול מכירים הרבה שירים."),
    ],
    "zh": [
        ("这个{}昨天在学校里唱了三首歌。", "这些{}昨天在学校里唱了三只歌。"),
        ("那个{}每天都去公园里看书。", "那个{}每天都去公园里书看。"),
    ],
}
"""Good and bad sentences of two paradigms, with a place for a noun."""

NOUNS = {
    "en": ["author", "pilot", "guard", "chef", "doctor", "farmer", "singer", "judge", "baker"],
    "he": ["סופר", "טייס", "שומר", "טבח", "רופא", "חקלאי", "זמר", "שופט", "אופה"],
    "zh": ["作家", "飞行员", "老师", "医生", "农民", "歌手", "法官", "司机", "学生"],
}

_ZH = {
    0: "这 个 {} 昨天 在 学校 里 唱 了 三 首 歌",
    1: "那 个 {} 每天 都 去 公园 里 看 书",
}


def pairs_in(language: str = "en") -> list[StudyPair]:
    """Nine pairs of each of two paradigms."""
    return [
        {
            "config": f"demo/{language}", "id": f"{uid}{number}", "set_id": f"s{uid}{number}",
            "UID": f"p{uid}", "linguistics_term": "agreement", "language": language,
            "good": good.format(noun), "bad": bad.format(noun),
            "tokens": _ZH[uid].format(noun) if language == "zh" else "",
        }
        for uid, (good, bad) in enumerate(SENTENCES[language])
        for number, noun in enumerate(NOUNS[language])
    ]  # fmt: skip


def made_study(folder: Path, language: str = "en", **options: Any) -> Study:
    """Write a study of three pairs of each paradigm, two practice and two catch trials."""
    usual: dict[str, Any] = {
        "pairs": 3, "practice": 2, "catch": 2, "contact": "us@example.org", "institution": "A University",
    }  # fmt: skip
    data = [DataSource(f"demo/{language}", "1.0", "0123456789abcdef")]
    return create_study(pairs_in(language), data, StudyOptions(**{**usual, **options}), folder)


_AXE = Path(__file__).with_name("axe.min.js")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@contextmanager
def browser_or_skip() -> Iterator[Any]:
    """Yield headless Chromium; skip the test, with the reason, where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with api.sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, _NAMES)), playwright.chromium.executable_path)
        if not Path(found).is_file():
            pytest.skip("no Chromium: apt-get install chromium")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class WatchedPage:
    """A page in a context of its own, with what went wrong on it, and what it asked for."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.page = browser.new_context(**options).new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._heard)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def faults(self, **options: Any) -> list[str]:
        """Return what axe-core finds that is serious."""
        self.page.evaluate(_AXE.read_text("utf-8"))
        found = self.page.evaluate("options => axe.run(document, options)", options)["violations"]
        impacts = ("serious", "critical")
        serious = [one for one in found if one["impact"] in impacts]
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in serious]
