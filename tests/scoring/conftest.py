"""What several tests of scoring start from."""

from pathlib import Path

import pytest

from release import small_root
from solecism.baselines.ngram import estimate, save_ngram
from solecism.datasets.build import build
from solecism.scoring.items import open_pairs


@pytest.fixture(scope="session")
def clams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small data set ``clams`` (French); not to be changed."""
    folder = tmp_path_factory.mktemp("clams")
    root = small_root(folder / "root", "fr", ["simple_agrmt", "prep_inanim"])
    build("clams", out=folder / "clams", root=root)
    return folder


@pytest.fixture(scope="session")
def french(clams: Path) -> list[str]:
    """Sentences of that data set."""
    tables = open_pairs(str(clams / "clams" / "fr")).tables(limit=2000)
    return [text for table in tables for text in table["sentence_good"].to_pylist()]


@pytest.fixture
def folder(clams: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an n-gram model ``trigrams``; ``clams`` is at hand."""
    monkeypatch.setenv("SOLECISM_DATA", str(clams))
    tables = list(open_pairs("clams/fr").tables(["tokens_good"]))
    save_ngram(estimate(tables[0]["tokens_good"].combine_chunks(), 3), Path("trigrams"))
    return Path.cwd()
