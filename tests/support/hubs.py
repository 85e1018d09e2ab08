"""Small releases for the tests that push and load."""

import hashlib
import shutil
from pathlib import Path

from release import drop_first_row, small_root
from solecism.datasets.build import build
from solecism.root import Root

REPO = "org/tiny"


def make_releases(folder: Path) -> dict[str, Path]:
    """Build a data set `tiny` in some versions.

    `1.0.0` has Hebrew and French; `1.0.1` has the same items; `2.0.0` has no French and a noun
    less; `too small` is that with the version 1.1.0, `changed` with the version 1.0.0.
    """
    root = _root(folder)
    made = {v: _build(root, folder / v / "tiny", v) for v in ("1.0.0", "1.0.1")}
    shutil.rmtree(root / "templates" / "tiny" / "fr")
    drop_first_row(root / "lexicons" / "he" / "noun.clams.tsv")
    names = {"2.0.0": "2.0.0", "too small": "1.1.0", "changed": "1.0.0"}
    return made | {name: _build(root, folder / name / "tiny", v) for name, v in names.items()}


def _root(folder: Path) -> Path:
    root = folder / "root"
    for language in ("he", "fr"):
        small_root(root, language)
    (root / "templates" / "clams").rename(root / "templates" / "tiny")
    return root


def _build(root: Path, out: Path, version: str) -> Path:
    told = f'[tiny]\nversion = "{version}"\npretty_name = "Tiny"\n'
    (root / "catalogue.toml").write_text(told, encoding="utf-8")
    build("tiny", out=out, root=Root(root))
    return out


def sums(folder: Path) -> dict[str, str]:
    """SHA-256 of every file of a release."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files
    }
