"""Semantic versions of data sets, and the changelog that diffs are written into."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from folders import pair_row, write_folder
from solecism.commands import main
from solecism.datasets.catalogue import (
    Needs,
    parse_version,
    smallest_version,
)
from solecism.errors import InputError
from solecism.hub.compare import (
    ConfigDifference,
    DatasetDifference,
    ItemGroup,
    lines_of,
    with_section,
)


@pytest.mark.parametrize(
    "text", ["", "1", "1.0", "1.0.0.0", "1.0.0-rc1", "01.0.0", "1.0.x", "vv1.0.0"]
)
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"is not of the form '1\.0\.0'"):
        parse_version(text)


@pytest.mark.parametrize(
    ("needs", "smallest"),
    [("major", "2.0.0"), ("minor", "1.3.0"), ("patch", "1.2.4"), ("none", "1.2.3")],
)
def test_the_smallest_version_after_a_change(needs: Needs, smallest: str) -> None:
    assert smallest_version("1.2.3", needs) == smallest
    assert parse_version(smallest) <= parse_version("2.0.0")


# the changelog


CHANGED = ConfigDifference(
    "he", 10, 1011,
    added=ItemGroup(1001, {"across": 1000, "simple": 1}),
    changed=ItemGroup(2, {"simple": 2}),
    changed_columns={"sentence_bad": 2, "slots[].form": 1},
    columns_added=("features.stress: string",),
    moved=True,
)  # fmt: skip


def test_lines_of_a_difference() -> None:
    found = DatasetDifference("1.0.0", "2.0.0", (CHANGED,), {"ru": 3}, {"fr": 1})
    assert lines_of(found) == [
        "new config `ru` (3 items)",
        "config `fr` removed (1 item)",
        "`he`: 1,001 items added (`across` 1,000, `simple` 1)",
        "`he`: 2 items changed in `sentence_bad`, `slots[].form` (`simple` 2)",
        "`he`: columns added: `features.stress: string`",
        "`he`: rows are in another order or have other numbers",
    ]


def test_names_of_others_stay_in_their_line() -> None:
    added = ItemGroup(1, {"a`\n\n## 9.9.9\n": 1})
    found = DatasetDifference("1.0.0", "2.0.0", (ConfigDifference("he", 1, 2, added=added),))
    assert lines_of(found) == ["`he`: 1 item added (`a ## 9.9.9` 1)"]


LOG = """# Changelog of `tiny`

About versions.

## 1.1.0

Notes by hand.

<!-- made by `solecism diff`: write notes above this line -->

* old line

## 1.0.0

The first version.
"""


def test_a_section_made_again_keeps_its_notes() -> None:
    text = with_section(LOG, "1.1.0", ["new line"])
    assert text == LOG.replace("* old line", "* new line")
    assert with_section(text, "1.1.0", ["new line"]) == text


def test_command_writes_the_changelog_beside_the_card(tmp_path: Path) -> None:
    for name in ("templates", "lexicons", "dataset_cards"):
        (tmp_path / name).mkdir()
    old = write_folder(tmp_path / "old", {"he": [pair_row("a")]})
    new = write_folder(tmp_path / "new", {"he": [pair_row("a"), pair_row("b")]}, "1.1.0")
    arguments = ["diff", str(old), str(new), "--changelog", "--root", str(tmp_path)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    text = (tmp_path / "dataset_cards" / "tiny.changelog.md").read_text()
    assert text.startswith("# Changelog of `tiny`\n\n## 1.1.0\n")
    assert text.endswith("\n* `he`: 1 item added (`simple` 1)\n")
