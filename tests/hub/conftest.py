"""Releases that all tests of pushing and loading share: they are only read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hubs import Place, a_place, make_releases


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


@pytest.fixture(scope="module", params=["http", "xet"])
def any_place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """A hub over HTTP, and one with a store of large files."""
    with a_place(tmp_path_factory.mktemp(request.param), request.param == "xet") as place:
        yield place
