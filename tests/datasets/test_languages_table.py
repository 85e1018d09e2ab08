"""The tables of mined languages in the card and in the docs are docs/languages.tsv."""

import csv

import pytest

from release import CHECKOUT

COUNTS = (
    "items",
    "made",
    "pairs",
    "wide",
    "all_items",
    "all_made",
    "all_pairs",
    "all_wide",
    "multiblimp",
)


@pytest.mark.parametrize("page", ["docs/agreement.md", "dataset_cards/agreement.md"])
def test_languages_with_more_than_a_sample(page: str) -> None:
    with (CHECKOUT / "docs" / "languages.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["all_items"]]
    assert len(rows) > 20
    numbers = [[f"{int(row[name]):,}" if row[name] else "" for name in COUNTS] for row in rows]
    lines = [
        f"| {row['language']} | {' | '.join(own)} |"
        for row, own in zip(rows, numbers, strict=True)
    ]  # fmt: skip
    assert "\n".join(lines) in (CHECKOUT / page).read_text(encoding="utf-8")
