"""The documentation: Sphinx makes it without a warning, and every link on it leads somewhere."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import pytest

from html_pages import ParsedPage
from people import browser_or_skip
from release import CHECKOUT

NEEDED = ("sphinx", "myst_parser", "furo", "sphinx_click", "sphinx_copybutton", "sphinx_design")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(bool(MISSING), reason=f"the extra `docs` lacks {MISSING}"),
]

RULES = {"preload": False, "resultTypes": ["violations"]}


def parsed(path: Path) -> ParsedPage:
    return ParsedPage(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does."""
    out = tmp_path_factory.mktemp("docs") / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    folders = [str(CHECKOUT / "docs"), str(out), "-d", str(out.with_name("doctrees"))]
    done = subprocess.run([*command, *folders], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = {path: parsed(path) for path in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for target in page.links:
            parts = urlsplit(target)
            if not parts.scheme and not parts.netloc:
                there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                anchor, known = unquote(parts.fragment), there in pages
                is_there = not anchor or not known or anchor in pages[there].values("id", "name")
                if not there.exists() or not is_there:
                    broken.append(f"{path.relative_to(site)}: {target}")
    assert broken == []
    assert len(pages) > 30


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """Scripts, styles and pictures are the site's own."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert 'src="http' not in text
        assert '<link rel="stylesheet" type="text/css" href="http' not in text


def test_every_page_is_in_the_contents(site: Path) -> None:
    start = parsed(site / "index.html").links
    paths = (path for path in site.rglob("*.html") if path.parent.name != "_static")
    made = {path.relative_to(site).as_posix() for path in paths}
    assert made - {"genindex.html", "py-modindex.html", "search.html", "index.html"} <= set(start)


@pytest.mark.parametrize(("width", "scheme"), [(375, "light"), (1440, "dark")])
def test_pages_in_chromium(site: Path, width: int, scheme: Literal["light", "dark"]) -> None:
    """No page is wider than the window, none has errors; axe finds nothing serious."""
    axe = (CHECKOUT / "tests/support/axe.min.js").read_text(encoding="utf-8")
    with browser_or_skip() as browser:
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        wrong: list[object] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        for name in ("index", "commands", "formats", "results"):
            page.goto((site / f"{name}.html").as_uri())
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wrong.append(f"{name} is wider than {width} pixels")
            page.evaluate(axe)
            found = page.evaluate("rules => axe.run(document, rules)", RULES)["violations"]
            serious = [each for each in found if each["impact"] in ("serious", "critical")]
            wrong += [(name, each["id"], each["nodes"][0]["html"]) for each in serious]
        assert wrong == []
