"""The wheel alone is enough: installed outside the checkout it builds a data set."""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from release import CHECKOUT

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, as GitHub Actions would in a repository of that name."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    place = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "some/fork"}
    environment = {**os.environ, **place}
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, env=environment)
    (path,) = out.glob("*.whl")
    return path


def test_wheel_holds_code_and_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "solecism/commands/__init__.py", "solecism/py.typed", "solecism/references.bib",
        "solecism/datasets/catalogue.toml", "solecism/dataset_cards/clams.md",
        "solecism/reports/page.html.jinja", "solecism/harness/tasks/clams/clams.yaml",
        "solecism/lexicons/he/noun.tsv", "solecism/lexicons/pl/LICENSE.sgjp.txt",
        "solecism/templates/clams/he/_phrases.jinja",
    } <= names  # fmt: skip
    assert not any(name.startswith(("builders/", "tests/", "scripts/")) for name in names)
    assert not any(name.endswith(".py") for name in names if "/templates/" in name)


def test_what_lies_about_in_a_checkout_is_not_published(tmp_path: Path) -> None:
    """Results and data sets that were built, notes: the source distribution has none of them."""
    kept = ("builders", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore")
    for name in kept:
        copy = shutil.copytree if (CHECKOUT / name).is_dir() else shutil.copy
        copy(CHECKOUT / name, tmp_path / name)
    stray = (
        "results/gpt2.json", "clams/manifest.json", "italian/manifest.json", "notes.md",
        "build/docs/index.html", ".venv/pyvenv.cfg", "builders/__pycache__/x.pyc", ".hypothesis/x",
    )  # fmt: skip
    for name in stray:
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("{}")
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", "dist"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (path,) = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = archive.getnames()
    assert {name.split("/")[1] for name in names} == {*kept, "PKG-INFO"}
    assert not any("__pycache__" in name for name in names)


def test_installed_wheel_builds_a_data_set_outside_the_checkout(
    wheel: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, cwd=tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    solecism = tmp_path / "env" / "bin" / "solecism"
    subprocess.run([str(solecism), "build", "clams", "he"], cwd=work, check=True)
    assert (work / "clams" / "he").is_dir()
    assert "config_name: he" in (work / "clams" / "README.md").read_text(encoding="utf-8")
    listed = [*pip[:3], "list", "--format=freeze"]
    found = subprocess.run(listed, check=True, capture_output=True, text=True).stdout
    installed = {line.partition("==")[0] for line in found.splitlines()}
    assert not installed & {"torch", "transformers", "datasets", "pandas"}
