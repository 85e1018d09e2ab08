"""The examples in docstrings run; those that are skipped here run in docs/python.md."""

import doctest
import re
from importlib import import_module

import pytest

from release import CHECKOUT

PACKAGE = CHECKOUT / "builders" / "solecism"
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in PACKAGE.rglob("*.py")
    if re.search(r">>> (?!.*doctest: \+SKIP)", path.read_text(encoding="utf-8"))
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    found = doctest.testmod(import_module(name.removesuffix(".__init__")))
    assert found.attempted
    assert not found.failed
