"""All tests start in an empty folder, and keep what libraries cache out of the user's home."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Before any library is imported: huggingface_hub and matplotlib read these once.
_CACHE = Path(tempfile.mkdtemp(prefix="solecism-tests-"))
for name in ("HF_HOME", "MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
    os.environ[name] = str(_CACHE / name)


@pytest.fixture(scope="session", autouse=True)
def _away_from_checkout(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Leave the folder that pytest was started in before any fixture of a session runs."""
    os.chdir(tmp_path_factory.mktemp("start"))


@pytest.fixture(autouse=True)
def _empty_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start each test in an empty folder of its own."""
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))


@pytest.fixture(scope="module")
def _chromium() -> Iterator[Any]:
    from people import browser_or_skip

    with browser_or_skip() as found:
        yield found


@pytest.fixture
def browser(_chromium: Any) -> Iterator[Any]:
    """Give headless Chromium, and close what a test has opened in it."""
    yield _chromium
    for context in _chromium.contexts:
        context.close()
