"""constraints.txt locks what pyproject.toml asks for, each library within its bounds."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release import CHECKOUT

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = [text for texts in PROJECT["optional-dependencies"].values() for text in texts]
ASKED = [
    one for one in map(Requirement, [*PROJECT["dependencies"], *EXTRAS]) if one.name != "solecism"
]
LOCKED = [
    Requirement(line)
    for line in (CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_each_library_is_locked_within_its_bounds(asked: Requirement) -> None:
    name = canonicalize_name(asked.name)
    versions = [next(iter(one.specifier)).version for one in LOCKED if one.name == name]
    assert versions
    assert all(asked.specifier.contains(version) for version in versions)


def test_constraints_are_versions_alone() -> None:
    assert all(one.url is None and len(one.specifier) == 1 for one in LOCKED)


def test_at_most_ten_libraries_in_the_core() -> None:
    assert len(PROJECT["dependencies"]) <= 10
