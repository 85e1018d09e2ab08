"""The table of sizes in docs/datasets.md."""

from __future__ import annotations

from make_sizes import PAGE, page
from release import CHECKOUT
from solecism.datasets.lock import lock_path, read_lock
from solecism.root import Root


def test_the_sizes_of_the_page_are_those_of_the_templates() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "run python scripts/make_sizes.py"


def test_the_number_of_pairs_is_that_of_the_lock() -> None:
    (*_, newest) = read_lock(lock_path(Root(CHECKOUT), "clams"))["clams"].values()
    rows = sum(content.rows for content in newest.configs.values())
    assert f"{rows:,} minimal pairs of agreement" in PAGE.read_text(encoding="utf-8")
