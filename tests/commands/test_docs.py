"""The pages: CONTRIBUTING's walk works as written, the check page is up to date."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from release import CHECKOUT

_BLOCK = re.compile(r"^```(sh|file|python)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in CHECKOUT.glob("docs/*.md"))]
_ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def walk(page: str, folder: Path) -> list[str]:
    """Do what a page says: write its files, run its commands; give what the commands print."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    printed = []
    for kind, name, body in _BLOCK.findall(text):
        if kind == "file":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(body, encoding="utf-8")
            continue
        for command in body.splitlines():
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env=_ENVIRONMENT,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
            printed.append(f"$ {command}\n{done.stdout}{done.stderr}")
    return printed


@pytest.fixture
def author(tmp_path: Path) -> Path:
    """A folder of an author's own, with copies of the sources."""
    for name in ("templates", "lexicons", "dataset_cards"):
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    shutil.copy(CHECKOUT / "references.bib", tmp_path)
    return tmp_path


def test_contributing_adds_a_paradigm_and_a_language(author: Path) -> None:
    printed = "".join(walk("CONTRIBUTING.md", author))
    assert "wrote templates/clams/en/prep_prep_anim.jinja" in printed.replace(f"{author}/", "")
    assert printed.count("0 errors") == 2
    assert "0 errors, 0 warnings" in printed
    assert re.search(r"Gli studenti \[\w+ono\]|Lo studente \[", printed) or "L'" in printed
    assert (author / "italian" / "it").is_dir()
    sizes = next(part for part in printed.split("$ ") if part.startswith("solecism list clams/it"))
    assert "36" in sizes


def test_python_page_works_as_written(tmp_path: Path) -> None:
    text = (CHECKOUT / "docs/python.md").read_text(encoding="utf-8")
    blocks = _BLOCK.findall(text)
    for kind, name, body in blocks:
        if kind == "file":
            (tmp_path / name).write_text(body, encoding="utf-8")
    code = "".join(body for kind, _, body in blocks if kind == "python")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=_ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "did you mean 'clams'?" in done.stdout
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_avg_page_works_as_written(tmp_path: Path) -> None:
    printed = "".join(walk("docs/avg.md", tmp_path))
    assert "wrote" in printed


def test_suites_page_works_as_written(tmp_path: Path) -> None:
    """In an empty folder, with nothing of the house's beside it."""
    printed = "".join(walk("docs/suites.md", tmp_path))
    assert "0 errors, 1 warnings" in printed
    assert "I107" in printed
    assert "all predictions of an item hold: 50.0 % of 2 items" in printed
    assert (tmp_path / "number_txt.txt").read_text().splitlines()[1] == (
        "The author near the pilots sing every day ."
    )


@pytest.mark.parametrize("page", PAGES)
def test_links_inside_the_checkout_are_not_broken(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((CHECKOUT / page).parent / target).exists(), target


def test_readme_names_commands_that_exist() -> None:
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    help_text = subprocess.run(
        [sys.executable, "-m", "solecism", "--help"], capture_output=True, text=True, check=True
    ).stdout
    for verb in set(re.findall(r"`(?:\.venv/bin/)?solecism ([a-z-]+)", text)):
        assert re.search(rf"^  {verb} ", help_text, re.MULTILINE), verb
