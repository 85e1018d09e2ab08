"""Helpers of the release tests: a small root cut out of the real one."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from solecism.root import Root

CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = CHECKOUT.parent / "shared"
TREEBANKS = CHECKOUT / "tests" / "treebanks"


def small_root(folder: Path, language: str = "he", uids: Sequence[str] = ("simple_agrmt",)) -> Root:
    """Copy one language's lexicon and a few paradigms of clams."""
    templates = folder / "templates" / "clams" / language
    templates.mkdir(parents=True, exist_ok=True)
    for name in ("_defaults.yaml", "_phrases.jinja", *(f"{uid}.jinja" for uid in uids)):
        shutil.copy(CHECKOUT / "templates" / "clams" / language / name, templates)
    shutil.copytree(
        CHECKOUT / "lexicons" / language, folder / "lexicons" / language, dirs_exist_ok=True
    )
    shutil.copy(CHECKOUT / "lexicons" / "columns.tsv", folder / "lexicons")
    shutil.copytree(CHECKOUT / "dataset_cards", folder / "dataset_cards", dirs_exist_ok=True)
    shutil.copy(CHECKOUT / "references.bib", folder)
    return Root(folder)


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Read every file below a folder."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}
