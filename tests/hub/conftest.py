"""Releases that all tests of pushing and loading share: they are only read."""

from pathlib import Path

import pytest

from fake_hub import FakeHub
from hubs import make_releases


@pytest.fixture(scope="session")
def release_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that releases are built in, with the root that they are built from."""
    folder = tmp_path_factory.mktemp("releases")
    make_releases(folder)
    (folder / "root" / "lexicons").mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def releases(release_folder: Path) -> dict[str, Path]:
    """The folder of each release, by its name."""
    return {path.name: path / "tiny" for path in release_folder.iterdir() if path.name != "root"}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHub:
    """A hub that huggingface_hub in this process talks to, with empty caches."""
    hub = FakeHub()
    hub.use(monkeypatch, tmp_path / "home")
    return hub
