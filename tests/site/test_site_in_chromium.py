"""The site in a real browser: from the file system and from a server, without errors, accessible.

Needs playwright and Chromium; skipped without them.
"""

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from people import WatchedPage
from sites import built_folder, stranger_folder, suite_folder, write_site_results
from solecism.site.build import build_site

pytestmark = pytest.mark.nightly

OPENED = "[...document.querySelectorAll('details')].slice(0, 4).forEach(one => (one.open = true))"
PAGES = [
    "index.html", "clams/index.html", "clams/he/index.html", "clams/he/simple_agrmt.html",
    "clams/he/browse.html", "phenomena/subject_verb_agreement.html", "phenomena/index.html",
    "clams/phenomena/macros-he.html",
    "suites/zh/index.html", "suites/zh/browse.html", "languages/index.html", "languages/he.html",
    "results/index.html",
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two data sets, with the results of a model."""
    folder = tmp_path_factory.mktemp("site")
    root = built_folder(folder)
    results = [write_site_results(folder)]
    data = [folder / "clams", suite_folder(folder / "suites"), stranger_folder(folder / "strange")]
    build_site(folder / "out", data, results=results, root=root)
    return folder / "out"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[str]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


class Reader(WatchedPage):
    """A reader of the site."""

    def __init__(self, browser: Any, **options: Any) -> None:
        super().__init__(browser, bypass_csp=False, **options)
        self.page.on("requestfailed", self._failed)

    def _failed(self, request: Any) -> None:
        if "ABORTED" not in (request.failure or ""):  # left before its icon came
            self.errors.append(request.url)

    def open(self, address: str) -> None:
        self.page.goto("about:blank")
        self.page.goto(address)
        if "browse.html" in address:
            self.settled()

    def settled(self, pattern: str = "items$", where: str = "status") -> None:
        """Wait until the browser says how many items there are, or something else somewhere."""
        told = f"document.getElementById('{where}').textContent"
        self.page.wait_for_function(f"() => /{pattern}/.test({told})")

    def ask(self, **changes: str) -> str:
        """Change the address as the form does; return what the page says then."""
        self.page.evaluate("document.getElementById('status').textContent = ''")
        self.page.evaluate("changes => ask(changes)", changes)
        self.settled()
        return str(self.page.inner_text("#status"))


@pytest.fixture
def reader(browser: Any) -> Reader:
    return Reader(browser)


def test_pages_from_the_file_system_have_no_errors(reader: Reader, site: Path) -> None:
    for name in PAGES:
        reader.open((site / name).as_uri())
        assert reader.page.inner_text("h1"), name
    assert reader.errors == []
    assert all(address.startswith(("file://", "about:")) for address in reader.requests)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(browser: Any, site: Path, server: str, scheme: str) -> None:
    rules: dict[str, Any] = {"resultTypes": ["violations"]}
    names = PAGES
    if scheme == "dark":  # where only the colours are others
        rules["runOnly"], names = ["color-contrast"], ["index.html", *PAGES[3:5], PAGES[-1]]
    narrow = {"width": 375, "height": 800}
    reader = Reader(browser, color_scheme=scheme, viewport=narrow)
    for name in names:
        reader.open(f"{server}/{name}")
        reader.page.evaluate(OPENED)
        assert reader.faults(**rules) == [], name
        wide = reader.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is wider than a phone"
    assert reader.errors == []
    assert all(address.startswith((server, "about:")) for address in reader.requests)


@pytest.mark.parametrize("place", ["file", "server"])
def test_browsing(reader: Reader, site: Path, server: str, place: str) -> None:
    base = site.as_uri() if place == "file" else server
    reader.open(f"{base}/clams/he/browse.html")
    page = reader.page
    assert page.inner_text("#status") == "2,000 of 2,000 items"
    assert page.locator("#items > li").count() == 50
    assert page.get_attribute("#items > li .text", "dir") == "rtl"
    assert page.locator("#items > li >> nth=0").locator("mark").count() == 2
    page.click("#more summary")
    page.select_option("select[name=UID]", "simple_agrmt_gender")
    reader.settled("^1,000 ")
    assert "UID=simple_agrmt_gender" in page.url
    page.click("#next")
    reader.settled("^Page 2 of 20$", "page")
    page.go_back()
    reader.settled("^Page 1 of 20$", "page")
    found = reader.ask(controller_number="Plur")
    assert 0 < int(found.split()[0]) < 1000
    page.click("text=Clear")
    reader.settled("^2,000 ")
    assert reader.errors == []


def test_search_sort_and_links(reader: Reader, site: Path) -> None:
    address = (site / "clams" / "he" / "browse.html").as_uri()
    reader.open(address)
    page = reader.page
    word = page.inner_text("#items > li mark >> nth=0")
    number = int(reader.ask(q=word).split()[0].replace(",", ""))
    texts = page.locator("#items > li").all_inner_texts()
    assert number >= len(texts) > 0
    assert all(word in text for text in texts)
    assert reader.ask(q="zzz") == "0 of 2,000 items"
    reader.ask(q="", sort="0")
    shown = page.locator(".margins").all_inner_texts()
    margins = [float(text.split()[1].strip(",")) for text in shown]
    assert margins == sorted(margins)
    assert margins[0] < 0
    identifier = page.inner_text("#items > li:nth-child(9) summary small")
    words = page.inner_text("#items > li:nth-child(9) .words >> nth=0")
    reader.open(f"{address}#id={identifier}")
    assert page.inner_text("#status") == "1 of 2,000 items"
    assert page.inner_text("#items > li .words >> nth=0") == words
    page.wait_for_selector("details .features")
    assert "controller number" in page.inner_text("details .features")
    reader.open(f"{address}#id=nobody")
    assert page.inner_text("#status") == "0 of 2,000 items"
    assert reader.errors == []


def test_a_missing_file_is_said(reader: Reader, site: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(site, tmp_path / "copy")
    (copy / "clams" / "he" / "items" / "block-0.js").unlink()
    reader.page.goto((copy / "clams" / "he" / "browse.html").as_uri())
    reader.settled("missing")


def test_markup_of_strangers_does_nothing(reader: Reader, site: Path, server: str) -> None:
    strange = [p for p in site.rglob("*.html") if "script" in p.relative_to(site).as_posix()]
    assert len(strange) >= 6
    for file in strange:
        reader.open(f"{server}/{file.relative_to(site).as_posix()}")
        if file.name == "browse.html":
            reader.page.evaluate(OPENED)
            reader.page.wait_for_selector("#items .features")
            assert "<script>window.harmed=1</script>" in reader.page.inner_text("#items")
            reader.page.select_option("select[name=match]", "match")
        assert reader.page.evaluate("window.harmed") is None
        assert reader.page.locator("main script, main img").count() == 0
    assert reader.errors == []
