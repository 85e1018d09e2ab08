"""The wheel alone is enough: installed outside the checkout it builds a data set."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from release import CHECKOUT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    return path


def test_wheel_holds_code_and_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "solecism/cli.py", "solecism/py.typed", "solecism/references.bib",
        "solecism/release/catalogue.toml", "solecism/dataset_cards/clams.md",
        "solecism/lexicons/he/noun.tsv", "solecism/templates/clams/he/_phrases.jinja",
    } <= names  # fmt: skip
    assert not any(name.startswith(("builders/", "tests/", "scripts/")) for name in names)
    assert not any(name.endswith(".py") for name in names if "/templates/" in name)


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
    listed = subprocess.run(
        [str(python), "-m", "pip", "list", "--format=freeze"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for heavy in ("torch", "transformers", "datasets", "pandas"):
        assert f"\n{heavy}==" not in f"\n{listed}"
