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
    wanted = [
        *(f"templates/clams/{language}/{uid}.jinja" for uid in uids),
        *("templates/clams/_*", f"templates/clams/{language}/_*", "templates/phrases/*"),
        *("lexicons/*.tsv", f"lexicons/{language}/**/*"),
    ]
    for path in [path for pattern in wanted for path in CHECKOUT.glob(pattern) if path.is_file()]:
        target = folder / path.relative_to(CHECKOUT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    shutil.copytree(CHECKOUT / "dataset_cards", folder / "dataset_cards", dirs_exist_ok=True)
    shutil.copy(CHECKOUT / "references.bib", folder)
    return Root(folder)


def drop_first_row(table: Path) -> str:
    """Delete the first row below a table's header; returns its lemma."""
    lines = table.read_text(encoding="utf-8").splitlines()
    header = next(n for n, line in enumerate(lines) if line.startswith("lemma"))
    row = lines.pop(header + 1)
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return row.split("\t")[0]


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Read every file below a folder."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}
