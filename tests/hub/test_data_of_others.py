"""Pairs of a data set on the hub that is not ours, with columns of its own."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from huggingface_hub import HfApi

from fake_hub import FakeHub
from hubs import REPO
from solecism.commands import main
from solecism.errors import InputError
from solecism.own_pairs import ASKED
from solecism.scoring.items import open_items


@pytest.fixture
def theirs(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A data set with a file of pairs and no manifest."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "datasets-cache")
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "test.csv").write_text("ok,ko,genre\nShe sleeps.,She sleep.,news\nI am.,I is.,talk\n")
    api = HfApi()
    api.create_repo(REPO, repo_type="dataset")
    api.upload_folder(repo_id=REPO, repo_type="dataset", folder_path=folder)
    return REPO


def test_named_columns_are_taken(theirs: str) -> None:
    ASKED.set(("ok", "ko"))
    try:
        items = open_items(theirs)
    finally:
        ASKED.set(None)
    (table,) = items.tables()
    assert table["sentence_good"].to_pylist() == ["She sleeps.", "I am."]
    assert [row["genre"] for row in table["features"].to_pylist()] == ["news", "talk"]
    assert items.name == REPO.replace("/", "-")


def test_without_names_it_is_no_data_set_of_ours(theirs: str) -> None:
    with pytest.raises(InputError, match="--good"):
        open_items(f"{theirs}/default")


def test_a_wrong_column_is_named(theirs: str) -> None:
    command = ["score", theirs, "--good", "okay", "--bad", "ko", "--model", "none"]
    found = CliRunner().invoke(main, command)
    assert found.exit_code == 2
    assert "there is no column 'okay'" in found.output
